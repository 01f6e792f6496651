#include "options/shard_options.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <string>
#include <string_view>

#include "options/option_values.hpp"

namespace octavo::tools {
namespace {

/// The variables that number a worker, and count all of them.
struct WorkerVariables {
  const char* number;
  const char* count;
};
constexpr std::array kWorkerVariables = {
    WorkerVariables{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"},
    WorkerVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    WorkerVariables{"PMI_RANK", "PMI_SIZE"},
    WorkerVariables{"RANK", "WORLD_SIZE"},
};

std::int64_t number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  const std::string_view digits = text == nullptr ? "" : text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc() && end == digits.data() + digits.size() && number >= 0) return number;
  throw InvalidArgument("read --shard-from-env: the environment variable " + std::string(variable) +
                        (text == nullptr ? " is not set" : " is \"" + printable(text) + "\"; expected a number"));
}

/// As a shard: one of the workers.
Shard worker_in_environment() {
  for (const WorkerVariables& variables : kWorkerVariables) {
    if (std::getenv(variables.number) == nullptr) continue;
    const Shard worker{number_in(variables.number), number_in(variables.count)};
    if (worker.number < worker.count) return worker;
    throw InvalidArgument("read --shard-from-env: " + std::string(variables.number) + " is " +
                          std::to_string(worker.number) + " of " + std::to_string(worker.count) +
                          " workers; number array tasks from 0, without gaps; to pack one shard again, give --shards "
                          "and --shard");
  }
  throw InvalidArgument(
      "read --shard-from-env: none of SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, PMI_RANK and RANK is set; start the "
      "workers as a SLURM job array, with mpirun or with torchrun, or give --shard");
}

}  // namespace

void add_shard_options(CLI::App& verb, ShardArguments& arguments) {
  verb.option_defaults()->group("Shards");
  verb.add_option("--shards", arguments.count,
                  "Divide the samples among this many files in the folder --output; alone: pack all of them, and merge "
                  "them as octavo merge does")
      ->check(CLI::Range(std::int64_t{1}, kMostShards));
  auto* number = verb.add_option("--shard", arguments.number, "Pack only this shard, from 0 on; then run octavo merge")
                     ->check(CLI::Range(std::int64_t{0}, kMostShards - 1));
  verb.add_flag("--shard-from-env", arguments.from_environment,
                "Pack the shards of this worker of a SLURM job array, mpirun or torchrun (--shards: one each)")
      ->excludes(number);
}

std::vector<Shard> shards_to_pack(const ShardArguments& arguments) {
  if (arguments.from_environment) {
    const Shard worker = worker_in_environment();
    const std::int64_t count = arguments.count.value_or(worker.count);
    std::vector<Shard> shards;
    for (std::int64_t number = worker.number; number < count; number += worker.count) shards.push_back({number, count});
    return shards;
  }
  if (!arguments.count) throw InvalidArgument("read the command line: --shard requires --shards");
  if (arguments.number) return {{*arguments.number, *arguments.count}};
  std::vector<Shard> shards;
  for (std::int64_t number = 0; number < *arguments.count; ++number) shards.push_back({number, *arguments.count});
  return shards;
}

}  // namespace octavo::tools
