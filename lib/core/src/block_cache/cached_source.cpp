#include <octavo/cached_source.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "block_cache/blocks_in_flight.hpp"
#include "block_cache/cache_file.hpp"
#include "block_cache/parts.hpp"
#include "support/file.hpp"
#include "support/open_files.hpp"

namespace octavo {
namespace block_cache {
namespace {

/// Bytes of one read of the source, at most: bounds the memory of a thread, and lets the source read in parallel.
constexpr std::int64_t kMostFetchBytes = std::int64_t{4} << 20;
/// How long a full cache does not ask for room again.
constexpr auto kFullFor = std::chrono::seconds(1);

/// A counter that threads add to without sharing a cache line.
class StripedCounter {
 public:
  void add(std::int64_t blocks, std::int64_t bytes) {
    static std::atomic<unsigned> threads{0};
    thread_local const unsigned stripe = threads.fetch_add(1, std::memory_order_relaxed) % kStripes;
    stripes_[stripe].blocks.fetch_add(blocks, std::memory_order_relaxed);
    stripes_[stripe].bytes.fetch_add(bytes, std::memory_order_relaxed);
  }
  std::int64_t blocks() const {
    std::int64_t sum = 0;
    for (const Stripe& stripe : stripes_) sum += stripe.blocks;
    return sum;
  }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const Stripe& stripe : stripes_) sum += stripe.bytes;
    return sum;
  }

 private:
  static constexpr std::size_t kStripes = 16;
  struct alignas(64) Stripe {
    std::atomic<std::int64_t> blocks{0}, bytes{0};
  };
  std::array<Stripe, kStripes> stripes_;
};

/// The first problem, in words. Lock-free, so that a child of fork() can use it.
class FirstProblem {
 public:
  FirstProblem() = default;
  ~FirstProblem() { delete text_.load(); }
  FirstProblem(const FirstProblem&) = delete;
  FirstProblem& operator=(const FirstProblem&) = delete;

  void note(const char* text) {
    if (text_.load() != nullptr) return;
    const auto* const copy = new std::string(text);
    const std::string* none = nullptr;
    if (!text_.compare_exchange_strong(none, copy)) delete copy;
  }
  std::string text() const {
    const std::string* const text = text_.load();
    return text == nullptr ? "" : *text;
  }

 private:
  std::atomic<const std::string*> text_{nullptr};
};

/// Consecutive blocks.
struct Run {
  std::int64_t first, last;
};

/// Joins neighbors among ascending blocks, up to kMostFetchBytes.
std::vector<Run> runs_of(const std::vector<std::int64_t>& blocks) {
  std::vector<Run> runs;
  for (const std::int64_t block : blocks) {
    const bool continues = !runs.empty() && runs.back().last + 1 == block &&
                           (block - runs.back().first + 1) * kBlockBytes <= kMostFetchBytes;
    if (continues) {
      runs.back().last = block;
    } else {
      runs.push_back({block, block});
    }
  }
  return runs;
}

class SourceWithCache final : public CachedSource {
 public:
  SourceWithCache(std::shared_ptr<const ByteSource> source, const CacheOptions& options)
      : source_(std::move(source)), length_(source_->length()), identity_(source_->identity()) {
    try {
      if (identity_.empty())
        throw IoError("cache " + quoted(source_->name()) + ": the source cannot say when it changes");
      if (length_ < 0 || length_ > kMostLength) throw IoError("cache " + quoted(source_->name()) + ": it is too large");
      if (length_ > 0) {
        file_ = CacheFile::open(options.folder, options.most_bytes, BlockLayout(source_->name(), identity_, length_));
      }
    } catch (const IoError& problem) {
      problem_.note(problem.what());
    }
    serves_ = file_ != nullptr;
  }

  std::string name() const override { return source_->name(); }
  std::int64_t length() const override { return length_; }
  ReadCost read_cost() const noexcept override { return source_->read_cost(); }

  std::string identity() const override {
    if (!has_fetched_.exchange(false)) return identity_;
    std::string identity;
    try {
      identity = source_->identity();
    } catch (...) {
      has_fetched_ = true;
      throw;
    }
    // Blocks that were fetched since the last time may be those of the changed file.
    if (identity != identity_) {
      has_fetched_ = true;
      if (serves_.exchange(false)) file_->remove();
    }
    return identity;
  }

  void read_at(std::int64_t offset, std::span<std::byte> out) const override { read_parts_at(offset, {&out, 1}); }

  void read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const override {
    const Parts to(offset, parts);
    if (to.begin() == to.end()) return;
    if (!serves_ || offset < 0 || to.end() > length_) return read_source(to, to.begin(), to.end());
    try {
      read_blocks(to);
    } catch (const CacheFailure& failure) {
      serves_ = false;
      problem_.note(failure.what());
      read_source(to, to.begin(), to.end());
    }
  }

  AtHand read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept override {
    const Parts to(offset, parts);
    if (!serves_) return source_->read_parts_at_hand(offset, parts);
    if (offset < 0 || to.end() > length_ || to.begin() == to.end()) return AtHand::unknown;
    const Run blocks = blocks_of(to.begin(), to.end());
    if (!file_->are_known(blocks.first, blocks.last)) return AtHand::no;
    const AtHand result = file_->read_parts_at_hand(offset, parts);
    if (result == AtHand::yes) served_.add(blocks.last - blocks.first + 1, to.end() - to.begin());
    return result;
  }

  void start_read(std::int64_t offset, std::int64_t length) const noexcept override {
    if (!serves_) return source_->start_read(offset, length);
    if (offset < 0 || offset >= length_ || length <= 0) return;
    try {
      start_blocks(offset, offset + std::min(length, length_ - offset));
    } catch (...) {
      // It was only a hint.
    }
  }

  CacheStatistics statistics() const override {
    return {served_.bytes(), served_.blocks(), fetched_bytes_,  fetched_blocks_,
            kept_blocks_,    damaged_blocks_,  not_kept_blocks_};
  }
  std::string problem() const override { return problem_.text(); }

 private:
  /// The cache file could not be read.
  struct CacheFailure : IoError {
    explicit CacheFailure(const IoError& problem) : IoError(problem) {}
  };

  static Run blocks_of(std::int64_t begin, std::int64_t end) { return {begin / kBlockBytes, (end - 1) / kBlockBytes}; }

  bool may_grow() const {
    return std::chrono::steady_clock::now().time_since_epoch().count() >= full_until_.load(std::memory_order_relaxed);
  }

  /// Runs `work` on the cache file. Throws CacheFailure.
  template <typename Work>
  auto with_cache(const Work& work) const {
    try {
      return work();
    } catch (const IoError& problem) {
      throw CacheFailure(problem);
    }
  }

  /// Reads what [first, last) and `to` have in common.
  void read_source(const Parts& to, std::int64_t first, std::int64_t last) const {
    has_fetched_ = true;
    const auto parts = to.cut(first, last);
    source_->read_parts_at(std::max(first, to.begin()), parts);
    fetched_bytes_ += std::min(last, to.end()) - std::max(first, to.begin());
  }

  void read_run(const Parts& to, const Run& run) const {
    read_source(to, file_->layout().begin_of(run.first), file_->layout().end_of(run.last));
  }

  void read_blocks(const Parts& to) const {
    const Run blocks = blocks_of(to.begin(), to.end());
    if (file_->are_known(blocks.first, blocks.last)) return read_known(to, blocks);
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(blocks.last - blocks.first + 1));
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = blocks.first + static_cast<std::int64_t>(i);
    while (!(wanted = without_known(to, wanted)).empty()) {
      BlocksInFlight::Claim claim(in_flight_, wanted);
      const std::vector<std::int64_t> missing = without_verified(to, claim.mine());
      wanted = claim.others();
      if (may_grow()) {
        start_many(runs_of(claim.unstarted()), 0, length_);
        for (const Run run : runs_of(missing)) fetch(to, run);
        claim.release();
      } else {
        claim.release();  // other threads read other parts of these blocks
        const std::vector<Run> runs = runs_of(missing);
        start_many(runs, to.begin(), to.end());
        for (const Run run : runs) read_run(to, run);
        not_kept_blocks_ += std::ssize(missing);
      }
      in_flight_.wait_for(wanted);
    }
  }

  /// Reads the known ones of these blocks. Returns the others.
  std::vector<std::int64_t> without_known(const Parts& to, const std::vector<std::int64_t>& blocks) const {
    std::vector<std::int64_t> known, others;
    for (const std::int64_t block : blocks) (file_->is_known(block) ? known : others).push_back(block);
    for (const Run run : runs_of(known)) read_known(to, run);
    return others;
  }

  void read_known(const Parts& to, const Run& blocks) const {
    const std::int64_t first = std::max(to.begin(), file_->layout().begin_of(blocks.first));
    const std::int64_t last = std::min(to.end(), file_->layout().end_of(blocks.last));
    const bool is_all = first == to.begin() && last == to.end();
    with_cache([&] { is_all ? file_->read_parts(first, to.all()) : file_->read_parts(first, to.cut(first, last)); });
    served_.add(blocks.last - blocks.first + 1, last - first);
  }

  /// Reads those of these blocks that are in the cache and undamaged. Returns the others.
  std::vector<std::int64_t> without_verified(const Parts& to, const std::vector<std::int64_t>& blocks) const {
    std::vector<std::int64_t> missing;
    for (const std::int64_t block : blocks) {
      const BlockState state = with_cache([&] { return file_->verify(block, to); });
      if (state == BlockState::good) {
        const std::int64_t begin = file_->layout().begin_of(block), end = file_->layout().end_of(block);
        served_.add(1, std::min(to.end(), end) - std::max(to.begin(), begin));
        continue;
      }
      damaged_blocks_ += state == BlockState::damaged ? 1 : 0;
      missing.push_back(block);
    }
    return missing;
  }

  /// Reads whole blocks from the source, and keeps them.
  void fetch(const Parts& to, const Run& run) const {
    const std::int64_t begin = file_->layout().begin_of(run.first), end = file_->layout().end_of(run.last);
    std::unique_ptr<std::byte[]> copy;
    std::byte* memory = to.in_one_part(begin, end);
    if (memory == nullptr) {
      copy = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(end - begin));
      memory = copy.get();
    }
    const std::span bytes(memory, static_cast<std::size_t>(end - begin));
    has_fetched_ = true;
    source_->read_at(begin, bytes);
    fetched_bytes_ += end - begin;
    fetched_blocks_ += run.last - run.first + 1;
    if (copy) to.fill(begin, bytes);
    (keep(run, bytes) ? kept_blocks_ : not_kept_blocks_) += run.last - run.first + 1;
  }

  /// Starts several reads of the source, so that one does not wait for another.
  void start_many(const std::vector<Run>& runs, std::int64_t begin, std::int64_t end) const {
    if (runs.size() > 1) start_runs(runs, begin, end);
  }

  /// Starts reads of what these runs have in [begin, end).
  void start_runs(const std::vector<Run>& runs, std::int64_t begin, std::int64_t end) const {
    for (const Run run : runs) {
      const std::int64_t first = std::max(begin, file_->layout().begin_of(run.first));
      source_->start_read(first, std::min(end, file_->layout().end_of(run.last)) - first);
    }
  }

  /// Never throws IoError: the bytes are there, even if they cannot be kept.
  bool keep(const Run& run, std::span<const std::byte> bytes) const {
    if (!serves_ || !may_grow()) return false;
    try {
      if (file_->keep(run.first, run.last, bytes)) return true;
      full_until_ = (std::chrono::steady_clock::now() + kFullFor).time_since_epoch().count();
    } catch (const IoError& problem) {
      problem_.note(problem.what());
      full_until_ = std::numeric_limits<std::int64_t>::max();
    }
    return false;
  }

  void start_blocks(std::int64_t begin, std::int64_t end) const {
    const Run blocks = blocks_of(begin, end);
    const BlockLayout& layout = file_->layout();
    std::vector<std::int64_t> missing;
    for (std::int64_t block = blocks.first; block <= blocks.last; ++block) {
      if (file_->is_known(block)) {
        const std::int64_t first = std::max(begin, layout.begin_of(block));
        file_->start_read(first, std::min(end, layout.end_of(block)) - first);
      } else if (file_->may_have(block)) {
        file_->start_read(layout.begin_of(block), layout.bytes_of(block));
      } else {
        missing.push_back(block);
      }
    }
    if (may_grow()) {
      start_runs(runs_of(in_flight_.start(missing)), 0, length_);
    } else {
      start_runs(runs_of(missing), begin, end);
    }
  }

  std::shared_ptr<const ByteSource> source_;
  std::int64_t length_;
  std::string identity_;
  std::unique_ptr<const CacheFile> file_;
  mutable std::atomic<bool> serves_{false};       ///< whether the cache file is used
  mutable std::atomic<bool> has_fetched_{false};  ///< whether the source was read since its identity was asked
  mutable std::atomic<std::int64_t> full_until_{std::numeric_limits<std::int64_t>::min()};  ///< of the steady clock
  mutable BlocksInFlight in_flight_;
  mutable FirstProblem problem_;
  mutable StripedCounter served_;
  mutable std::atomic<std::int64_t> fetched_bytes_{0}, fetched_blocks_{0}, kept_blocks_{0}, damaged_blocks_{0},
      not_kept_blocks_{0};
};

}  // namespace
}  // namespace block_cache

std::shared_ptr<const CachedSource> cached(std::shared_ptr<const ByteSource> source, const CacheOptions& options) {
  if (options.folder.empty()) throw InvalidArgument("open a cache: no folder is given; name one on a local disk");
  if (options.most_bytes <= 0) {
    throw InvalidArgument("open the cache " + quoted(options.folder) + ": its size is " +
                          std::to_string(options.most_bytes) + " bytes; expected a positive number");
  }
  make_room_for_open_files(2);
  return std::make_shared<const block_cache::SourceWithCache>(std::move(source), options);
}

}  // namespace octavo
