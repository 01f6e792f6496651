// Simulated runs, each from a seed: workers pack shards, and some are killed or do the work of others; they are merged,
// and samples are appended; the dataset is read from its folder or from a server that fails or changes bytes, through a
// cache with damaged blocks; and ranks take batches, with delays, jumps and failures. Whatever happens, a batch that is
// served is the one that a single process makes from one file.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <octavo/octavo.hpp>
#include <octavo/remote.hpp>
#include <thread>

#include "../lib/loader/served.hpp"
#include "../lib/remote/served_files.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "packed_fixture.hpp"
#include "sanitized.hpp"
#include "tally.hpp"
#include "thread_exchange.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Random = std::mt19937_64;

#if defined(OCTAVO_HAS_CURL)
constexpr bool kReadsFromServers = true;
#else
constexpr bool kReadsFromServers = false;
#endif

/// A rank leaves or stops, or the server changes bytes.
enum class Fault { none, leaves, stops, changes_bytes };

/// One simulation.
struct Case {
  PlainSplit plain;
  std::optional<PlainSplit> appended;  ///< after the others are merged
  Compression compression;
  std::int64_t shard_count;
  std::uint64_t packing_seed, server_seed;
  bool is_remote = false, is_cached = false;
  std::int64_t world_size;
  LoaderOptions options;
  std::vector<std::pair<std::int64_t, std::int64_t>> batches;  ///< epoch and step of each, in order
  std::vector<LoadOptions> loads;                              ///< of each rank; of all of them, if one is sharded
  std::vector<std::uint64_t> seeds;                            ///< of the delays of each rank
  Fault fault = Fault::none;
  std::int64_t faulty_rank = 0, faulty_batch = 0;
};

Compression random_compression(Random& random) {
  constexpr Compression kChoices[] = {Compression::none, Compression::deflate, Compression::lp8, Compression::lc8};
  return kChoices[below(random, 4)];
}

Case random_case(Random& random) {
  Case one;
  const std::int64_t N = 12 + below(random, 60);
  const SampleShape shape{1 + below(random, 3), 1 + below(random, 9), 1 + below(random, 9)};
  const auto seed = static_cast<unsigned>(random());
  const auto make_split = below(random, 2) == 0 ? &masked_split : &smooth_split;
  one.plain = make_split("train", N, shape, seed);
  std::int64_t total = N;
  if (below(random, 3) == 0) {
    const std::int64_t more = 1 + below(random, 20);
    one.appended = make_split("train", more, shape, seed + 1);
    total += more;
  }
  one.compression = random_compression(random);
  one.shard_count = 1 + below(random, 4);
  one.packing_seed = random();
  one.server_seed = random();
  one.is_remote = kReadsFromServers && below(random, 3) == 0;
  one.is_cached = one.is_remote && below(random, 2) == 0;
  one.world_size = 1 + below(random, 5);
  one.options.batch_size = one.world_size + below(random, 20);
  one.options.shuffle = below(random, 4) != 0;
  one.options.seed = random();
  one.options.drop_last = true;  // so that every rank has a part of every batch
  one.options.batch_size = std::min(one.options.batch_size, total);
  one.options.prefetch = static_cast<int>(below(random, 4));
  const std::int64_t per_epoch = total / one.options.batch_size;
  std::pair<std::int64_t, std::int64_t> next{below(random, 3), below(random, per_epoch)};
  for (std::int64_t i = 2 + below(random, 12); i > 0; --i) {
    one.batches.push_back(next);
    if (below(random, 6) == 0) {
      next = {below(random, 4), below(random, per_epoch)};
    } else if (++next.second == per_epoch) {
      next = {next.first + 1, 0};
    }
  }
  const bool is_sharded = below(random, 4) != 0, shares_memory = below(random, 4) == 0;
  for (std::int64_t rank = 0; rank < one.world_size; ++rank) {
    constexpr Residency kSeparate[] = {Residency::device, Residency::hybrid, Residency::streamed};
    LoadOptions load{.thread_count = 1 + static_cast<int>(below(random, 3)), .residency = kSeparate[below(random, 3)]};
    if (is_sharded) load.residency = Residency::sharded;
    load.shares_host_memory = shares_memory;
    one.loads.push_back(load);
    one.seeds.push_back(random());
  }
  if (is_sharded && one.world_size > 1 && below(random, 3) == 0) {
    one.fault = below(random, 5) == 0 ? Fault::stops : Fault::leaves;
    one.faulty_rank = below(random, one.world_size);
    one.faulty_batch = below(random, std::ssize(one.batches));
  }
  if (one.fault == Fault::none && one.is_remote && below(random, 4) == 0) one.fault = Fault::changes_bytes;
  return one;
}

// ---- Workers ----------------------------------------------------------------

/// Ends a worker with SIGKILL in the middle of its work, or before or after it.
void pack_and_kill(const std::function<void()>& pack, Random& random) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      pack();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(below(random, 4000)));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

/// Appends as workers do that are killed, or that do it twice.
void append_samples(const std::filesystem::path& file, const std::filesystem::path& folder, Random& random) {
  const auto append = [&] { append_shard(*open_source({{.path = file.string()}}, {}), folder); };
  if (below(random, 2) == 0 && !is_sanitized()) pack_and_kill(append, random);
  append();
  if (below(random, 2) == 0) append();
}

void pack_shards(const Case& one, const std::filesystem::path& file, const std::filesystem::path& folder) {
  Random random(one.packing_seed);
  const auto open = [&] { return open_source({{.path = file.string()}}, {}); };
  const auto pack = [&](std::int64_t shard) {
    ShardPacker(open, "", folder, one.shard_count, {.compression = one.compression}).pack(shard);
  };
  for (std::int64_t shard = 0; shard < one.shard_count; ++shard) {
    // A forked child of a sanitized program may wait forever for the allocator.
    if (below(random, 6) == 0 && !is_sanitized()) pack_and_kill([&] { pack(shard); }, random);
    std::future<void> other;
    if (below(random, 6) == 0) other = std::async(std::launch::async, pack, shard);
    pack(shard);
    if (other.valid()) other.get();
  }
  merge_shards(folder, {});
  if (!one.appended) return;
  const PackedFixture more({*one.appended}, Compression::none);
  append_samples(more.path(), folder, random);
}

// ---- The server and the cache -----------------------------------------------

std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().filename().string()] = file_text(entry.path());
  }
  return files;
}

/// A server that is late, busy, cuts answers short or, if `changes_bytes`, sends wrong ones.
class UnreliableServer {
 public:
  UnreliableServer(const std::filesystem::path& folder, std::uint64_t seed, bool changes_bytes)
      : random_(seed),
        changes_bytes_(changes_bytes),
        contents_(files_in(folder)),
        files_(contents_, [this](const auto& request, const auto& reply) { return fails(request, reply); }) {}

  std::string url() const { return files_.url("dataset.json"); }

 private:
  bool fails(const HttpRequest& request, const HttpReply& reply) {
    std::int64_t what = 0, place = 0;
    {
      const std::lock_guard lock(mutex_);
      what = below(random_, 40);
      place = below(random_, 1 << 20);
    }
    const auto found = contents_.find(request.path.substr(1));
    if (found == contents_.end()) return false;  // a name with changed bytes
    const std::string& content = found->second;
    const std::size_t first = request.first(), end = request.end(content.size());
    if (first >= end) return false;
    const std::string range = HttpReply::content_range(first, end, content.size()) + "ETag: \"v1\"\r\n";
    if (what == 0) {
      reply.head("503 Busy", 0, "Retry-After: 0\r\n");
    } else if (what == 1) {
      reply.reset();
    } else if (what == 2) {
      reply.head("206 Partial Content", end - first, range);
      reply.send(content.substr(first, (end - first) / 2));
    } else if (what == 3 && changes_bytes_) {
      std::string part = content.substr(first, end - first);
      part[static_cast<std::size_t>(place) % part.size()] ^= static_cast<char>(1 + place % 255);
      reply.head("206 Partial Content", end - first, range);
      reply.send(part);
    } else {
      if (what < 8) std::this_thread::sleep_for(std::chrono::microseconds(place % 1000));
      return false;
    }
    return true;
  }

  std::mutex mutex_;
  Random random_;
  bool changes_bytes_;
  std::map<std::string, std::string> contents_;
  ServedFiles files_;
};

void damage_a_byte(const std::filesystem::path& folder, Random& random) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.file_size() > 0) paths.push_back(entry.path());
  }
  if (paths.empty()) return;
  std::ranges::sort(paths);
  const std::filesystem::path& path = paths[static_cast<std::size_t>(below(random, std::ssize(paths)))];
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::int64_t at = below(random, static_cast<std::int64_t>(std::filesystem::file_size(path)));
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ static_cast<int>(1 + below(random, 255))));
}

/// Fills the cache, and damages it.
void prepare_cache(const Case& one, const std::string& url, const remote::SourceOptions& options) {
  Random random(one.server_seed);
  static_cast<void>(
      Store::load(remote::open_dataset(url, options).split("train"), Device::cpu(), {.residency = Residency::device}));
  for (std::int64_t i = below(random, 4); i > 0; --i) damage_a_byte(options.cache.folder, random);
}

// ---- Ranks ------------------------------------------------------------------

/// Delays every call by a random time.
class DelayedExchange final : public Exchange {
 public:
  DelayedExchange(std::shared_ptr<Exchange> exchange, std::uint64_t seed)
      : exchange_(std::move(exchange)), random_(seed) {}

  std::int64_t rank() const override { return exchange_->rank(); }
  std::int64_t world_size() const override { return exchange_->world_size(); }
  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    delay();
    exchange_->all_gather(own, all);
  }
  void all_to_all(const Parcels& send, const Parcels& receive, Device device, StreamRef stream) override {
    delay();
    exchange_->all_to_all(send, receive, device, stream);
  }

 private:
  void delay() {
    std::this_thread::sleep_for(std::chrono::microseconds(below(random_, 4) == 0 ? below(random_, 300) : 0));
  }

  std::shared_ptr<Exchange> exchange_;
  Random random_;
};

/// What a rank is served, until it fails or ends.
struct RankResult {
  std::vector<std::vector<std::uint8_t>> batches;
  std::string error;
};

/// The values, labels and masks of a batch.
std::vector<std::uint8_t> bytes_of_batch(const BatchMaker& maker, const Store& store, std::int64_t epoch,
                                         std::int64_t step) {
  const std::int64_t count = maker.batch_count(epoch, step);
  const SampleShape shape = store.shape();
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(
      count * (4 * shape.values() + 4 + (store.has_masks() ? shape.values_per_channel() : 0))));
  std::uint8_t* const labels = bytes.data() + count * 4 * shape.values();
  const TensorView images{
      bytes.data(), DType::float32, {count, shape.channels, shape.height, shape.width}, Device::cpu()};
  TensorView masks;
  if (store.has_masks()) masks = {labels + 4 * count, DType::uint8, {count, shape.height, shape.width}, Device::cpu()};
  maker.make(epoch, step, images, {labels, DType::int32, {count}, Device::cpu()}, {}, masks);
  return bytes;
}

RankResult take_batches(const Case& one, const Dataset& dataset, std::int64_t rank, ThreadRanks& ranks) {
  RankResult result;
  Random random(one.seeds[static_cast<std::size_t>(rank)]);
  const bool is_faulty = one.fault != Fault::none && rank == one.faulty_rank;
  try {
    LoadOptions load = one.loads[static_cast<std::size_t>(rank)];
    load.exchange = [&] { return std::make_shared<DelayedExchange>(ranks.exchange(rank), random()); };
    const Store store = Store::load(dataset.split("train"), Device::cpu(), load);
    LoaderOptions options = one.options;
    options.rank = rank;
    options.world_size = one.world_size;
    const BatchMaker maker(store, options);
    for (std::size_t i = 0; i < one.batches.size(); ++i) {
      if (is_faulty && static_cast<std::int64_t>(i) == one.faulty_batch) {
        if (one.fault == Fault::stops) ranks.stop(rank);
        if (one.fault == Fault::leaves) break;
      }
      if (below(random, 8) == 0) std::this_thread::sleep_for(std::chrono::microseconds(below(random, 2000)));
      result.batches.push_back(bytes_of_batch(maker, store, one.batches[i].first, one.batches[i].second));
    }
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

/// What all ranks are served from this dataset.
std::vector<RankResult> take_all_batches(const Case& one, const Dataset& dataset) {
  ThreadRanks ranks(one.world_size,
                    one.fault == Fault::stops ? std::chrono::milliseconds(400) : std::chrono::seconds(60));
  std::vector<RankResult> results(static_cast<std::size_t>(one.world_size));
  ranks.run(
      [&](std::int64_t rank) { results[static_cast<std::size_t>(rank)] = take_batches(one, dataset, rank, ranks); });
  return results;
}

std::vector<RankResult> results_from_server(const Case& one, const std::filesystem::path& folder,
                                            const std::filesystem::path& cache) {
  UnreliableServer server(folder, one.server_seed, one.fault == Fault::changes_bytes);
  remote::SourceOptions options{.attempts = 12, .first_wait_ms = 1};
  if (one.is_cached) options.cache = {cache, std::int64_t{64} << 20};
  try {
    if (one.is_cached) prepare_cache(one, server.url(), options);
    return take_all_batches(one, remote::open_dataset(server.url(), options));
  } catch (const Error&) {
    if (one.fault != Fault::changes_bytes) throw;
    return std::vector<RankResult>(static_cast<std::size_t>(one.world_size), {{}, "the dataset is not opened"});
  }
}

std::string problem_with(const Case& one) {
  const PackedFixture fixture({one.plain}, Compression::none);
  const TemporaryFolder folder;
  pack_shards(one, fixture.path(), folder / "shards");
  const std::vector<RankResult> results = one.is_remote
                                              ? results_from_server(one, folder / "shards", folder / "cache")
                                              : take_all_batches(one, Dataset::open((folder / "shards").string()));

  std::filesystem::path whole_path = fixture.path();
  if (one.appended) {
    const PackedFixture more({*one.appended}, Compression::none);
    whole_path = folder / "whole.h5";
    pack(*open_source({{.path = fixture.path()}, {.path = more.path()}}, {}), whole_path);
  }
  const Store whole =
      Store::load(Dataset::open(whole_path.string()).split("train"), Device::cpu(), {.residency = Residency::device});
  for (std::int64_t rank = 0; rank < one.world_size; ++rank) {
    const RankResult& result = results[static_cast<std::size_t>(rank)];
    LoaderOptions options = one.options;
    options.rank = rank;
    options.world_size = one.world_size;
    const BatchMaker expected(whole, options);
    for (std::size_t i = 0; i < result.batches.size(); ++i) {
      const auto& [epoch, step] = one.batches[i];
      if (result.batches[i] != bytes_of_batch(expected, whole, epoch, step)) {
        return "rank " + std::to_string(rank) + " is served another batch " + std::to_string(step) + " of epoch " +
               std::to_string(epoch);
      }
    }
    const bool may_end_early = one.fault != Fault::none;
    if (!may_end_early && !result.error.empty()) return "rank " + std::to_string(rank) + ": " + result.error;
    const bool is_complete = result.batches.size() == one.batches.size();
    const bool has_left = one.fault == Fault::leaves && rank == one.faulty_rank;
    if (!is_complete && result.error.empty() && !has_left) return "rank " + std::to_string(rank) + " ends early";
    if (one.fault == Fault::leaves && !result.error.empty() &&
        result.error.find("rank " + std::to_string(one.faulty_rank) + " has closed") == std::string::npos) {
      return "rank " + std::to_string(rank) + " names another fault: " + result.error;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("simulated runs serve the batches of one process, or an error", "[faults][simulation]") {
  Tally tally("simulations of workers, servers, caches and ranks that fail", true);
  const std::int64_t count = case_count(200, 10'000);
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    std::string problem;
    try {
      problem = problem_with(random_case(random));
    } catch (const Error& error) {
      problem = error.what();
    }
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i));
  }
  CHECK(tally.failures() == kNone);
}
