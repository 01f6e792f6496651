// The options of `octavo pack` that divide the work among workers.
#pragma once

#include <CLI/CLI.hpp>
#include <octavo/shards.hpp>
#include <optional>
#include <vector>

namespace octavo::tools {

struct ShardArguments {
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> number;
  bool from_environment = false;

  bool is_given() const { return count || number || from_environment; }
  /// Whether this process packs all shards.
  bool are_all() const { return !number && !from_environment; }
};

/// Adds --shards, --shard and --shard-from-env.
void add_shard_options(CLI::App& verb, ShardArguments& arguments);

/// The shards that this process packs, in order. With --shard-from-env, worker w of W packs shards w, w + W, and so on;
/// w and W are those of SLURM's job array, of MPI, or of torchrun. Throws InvalidArgument if the options or the
/// environment are incomplete.
std::vector<Shard> shards_to_pack(const ShardArguments& arguments);

}  // namespace octavo::tools
