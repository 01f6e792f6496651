// The CPU backend: host memory, all cores, and queues for streams.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"
#include "backend/host_memory.hpp"
#include "backend/host_queue.hpp"
#include "backend/scratch_pool.hpp"
#include "backend/thread_pool.hpp"
#include "kernels/cpu/batch_mean.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/mask_gather.hpp"
#include "kernels/cpu/row_copy.hpp"
#include "support/threads.hpp"

namespace octavo::backend {
namespace {

/// A batch that reads and writes at most this many bytes stays on the calling thread, because waking another core takes
/// about as long as moving them. Measured with one thread and with several: 3x32x32, 67 us and 116 us at 1.2 MB, 124 us
/// and 126 us at 2.0 MB; 1x28x28, 130 us and 105 us at 2.0 MB.
constexpr std::int64_t kAloneBytes = 7 << 18;
/// Bytes of a piece of a larger batch: small enough that a thread that wakes late still finds work.
constexpr std::int64_t kPieceBytes = 1 << 19;
/// The largest batch that is stored through the cache, whatever the cache's size: a large cache is shared by many
/// cores. With a 480 MiB cache, a gather followed by a read of its output was faster with cached stores up to 25 MiB.
/// At 60 MiB, stores that bypass the cache were no slower.
constexpr std::int64_t kMostCachedBytes = std::int64_t{32} << 20;

/// An event may be released before a queue has reached it, as on CUDA.
using SharedEvent = std::shared_ptr<HostEvent>;

/// Scratch memory for each piece of a batch. Allocated before the work is enqueued, because an error in a stream's
/// queue would have nobody to catch it.
class PieceScratch {
 public:
  PieceScratch(ScratchPool& pool, std::int64_t pieces, std::int64_t piece_bytes)
      : piece_bytes_(piece_bytes),
        loan_(piece_bytes == 0 ? nullptr : std::make_shared<ScratchPool::Loan>(pool, pieces * piece_bytes)) {}

  std::byte* of(std::int64_t piece) const { return loan_ == nullptr ? nullptr : loan_->data() + piece * piece_bytes_; }

 private:
  std::int64_t piece_bytes_;
  std::shared_ptr<ScratchPool::Loan> loan_;
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int thread_count)
      : pool_(resolve_thread_count(thread_count)),
        streaming_from_bytes_(std::min(last_cache_bytes() / 2, kMostCachedBytes)) {}

  Device device() const override { return Device::cpu(); }
  MemoryInfo memory() const override { return host_memory(); }
  bool is_host() const override { return true; }

  void* allocate(std::size_t bytes, std::string_view what) override {
    const MemoryInfo memory = host_memory();
    void* mapped = static_cast<std::int64_t>(bytes) > memory.free_bytes ? nullptr : map_memory(bytes);
    if (mapped == nullptr) {
      throw OutOfMemory("allocate " + std::to_string(bytes) + " bytes of host memory for " + std::string(what) +
                        ": only " + std::to_string(memory.free_bytes) +
                        " bytes are free; free some memory, or use a smaller split");
    }
    return mapped;
  }
  void release(void* memory, std::size_t bytes) noexcept override { unmap_memory(memory, bytes); }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes, "a staging buffer"); }
  void release_pinned(void* memory, std::size_t bytes) noexcept override { release(memory, bytes); }

  void* create_stream() override { return new HostQueue; }
  void release_stream(void* stream) noexcept override { delete static_cast<HostQueue*>(stream); }
  void* create_event() override { return new SharedEvent(std::make_shared<HostEvent>()); }
  void release_event(void* event) noexcept override { delete static_cast<SharedEvent*>(event); }

  void record(void* event, StreamRef stream) override {
    const SharedEvent shared = *static_cast<SharedEvent*>(event);
    shared->expect();
    submit(stream, [shared] { shared->happen(); });
  }
  void wait(StreamRef stream, void* event) override {
    const SharedEvent shared = *static_cast<SharedEvent*>(event);
    submit(stream, [shared, times = shared->expected()] { shared->wait_for(times); });
  }
  void synchronize_event(void* event) override { wait({}, event); }
  void synchronize(StreamRef stream) override {
    if (stream.handle() != nullptr) static_cast<HostQueue*>(stream.handle())->drain();
  }

  std::uint64_t stream_id(StreamRef stream) const override {
    // A queue finishes its work before it is destroyed, so reuse of its address is harmless.
    return reinterpret_cast<std::uintptr_t>(stream.handle());
  }
  bool is_capturing(StreamRef) const override { return false; }

  void copy_pinned_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    submit(stream, [=] { std::memcpy(to, from, bytes); });
  }
  void copy_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    synchronize(stream);
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    copy_to_device(to, from, bytes, stream);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    submit(stream, [=] { std::memcpy(to, from, bytes); });
  }
  void fill_zero(void* memory, std::size_t bytes, StreamRef stream) override {
    submit(stream, [=] { std::memset(memory, 0, bytes); });
  }
  const std::int64_t* lend_rows(std::span<const std::int64_t> rows, StreamRef stream) override {
    if (stream.handle() == nullptr) return rows.data();
    auto* copy = new std::int64_t[rows.size()];
    std::copy(rows.begin(), rows.end(), copy);
    return copy;
  }
  void return_rows(const std::int64_t* rows, StreamRef stream) override {
    if (stream.handle() != nullptr) submit(stream, [rows] { delete[] rows; });
  }

  void gather(const kernels::GatherArgs& args, StreamRef stream) override {
    const std::int64_t value_bytes = bytes_of(args.batch.dtype);
    const std::int64_t values = args.batch.values();
    const std::int64_t pieces = piece_count(args.batch_count, values * (1 + value_bytes));
    const auto stores = args.batch_count * values * value_bytes > streaming_from_bytes_
                            ? kernels::cpu::Stores::streaming
                            : kernels::cpu::Stores::cached;
    const bool is_augmented = args.augment.program != nullptr;
    const PieceScratch scratch(
        scratch_, pieces,
        is_augmented ? kernels::cpu::augment_scratch_bytes(args) : kernels::cpu::gather_scratch_bytes(args));
    gather_pieces(args, pieces, stream, [=](std::int64_t piece, std::int64_t first, std::int64_t last) {
      if (is_augmented)
        kernels::cpu::gather_augmented(args, first, last, stores, scratch.of(piece));
      else
        kernels::cpu::gather(args, first, last, stores, scratch.of(piece));
    });
  }

  void gather_masks(const kernels::MaskGatherArgs& args, StreamRef stream) override {
    const std::int64_t pieces =
        piece_count(args.batch_count, args.views * args.out_pixels() * (1 + bytes_of(args.dtype)));
    const PieceScratch scratch(scratch_, pieces, kernels::cpu::mask_scratch_bytes(args));
    submit(stream, [=, this] {
      run_pieces(args.batch_count, pieces, [&](std::int64_t piece, std::int64_t first, std::int64_t last) {
        kernels::cpu::gather_masks(args, first, last, scratch.of(piece));
      });
    });
  }

  void select_samples(const kernels::SampleSelectionArgs& args, StreamRef stream) override {
    submit(stream, [args] {
      const kernels::BatchNumber first = *args.next;
      kernels::OrderKey keys[kernels::kSelectionEpochs];
      for (int i = 0; i < kernels::kSelectionEpochs; ++i) keys[i] = kernels::selection_key(args, first, i);
      for (std::int64_t i = 0; i < args.sample_count(); ++i) kernels::select_sample(args, first, keys, i);
      *args.next = kernels::batch_after(args.batches, first, args.batch_count);
    });
  }

  void row_copy(const kernels::RowCopyArgs& args, StreamRef stream) override {
    submit(stream, [this, args] {
      run_pieces(
          args.batch_count, piece_count(args.batch_count, 8 * args.values_per_row),
          [&](std::int64_t, std::int64_t first, std::int64_t last) { kernels::cpu::row_copy(args, first, last); });
    });
  }

  void batch_mean(const kernels::BatchMeanArgs& args, StreamRef stream) override {
    const std::int64_t C = args.channel_count;
    const std::int64_t pieces = piece_count(args.batch_count, C * args.values_per_channel);
    const PieceScratch scratch(scratch_, pieces, kernels::cpu::mean_scratch_bytes(args));
    const auto piece_sums = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(pieces * C));
    submit(stream, [=, this] {
      // Each piece has its own integer sums, so the order of addition does not change the result.
      std::vector<std::int64_t>& sums = *piece_sums;
      run_pieces(args.batch_count, pieces, [&](std::int64_t piece, std::int64_t first, std::int64_t last) {
        kernels::cpu::add_batch_sums(args, first, last, sums.data() + piece * C, scratch.of(piece));
      });
      std::fill_n(args.sums, C, 0);
      for (std::size_t i = 0; i < sums.size(); ++i) args.sums[static_cast<std::int64_t>(i) % C] += sums[i];
      kernels::cpu::fold_batch_maps(args);
    });
  }

 private:
  template <typename Task>
  static void submit(StreamRef stream, Task&& task) {
    if (stream.handle() == nullptr)
      task();
    else
      static_cast<HostQueue*>(stream.handle())->push(std::forward<Task>(task));
  }

  /// Enqueues gather(piece, first, last) for every piece of a batch, then advances its cursor.
  template <typename Gather>
  void gather_pieces(const kernels::GatherArgs& args, std::int64_t pieces, StreamRef stream, const Gather& gather) {
    submit(stream, [this, args, pieces, gather] {
      run_pieces(args.batch_count, pieces, gather);
      if (args.cursor_batches != 0) kernels::advance(*args.selection.cursor, args.cursor_batches);
    });
  }

  /// Number of pieces to split a batch into; 1: the calling thread does all the work.
  std::int64_t piece_count(std::int64_t count, std::int64_t bytes_per_place) const {
    if (count * bytes_per_place < kAloneBytes) return 1;
    // More pieces than threads, so that one delayed thread does not delay the others.
    return std::max<std::int64_t>(
        1, std::min({count, count * bytes_per_place / kPieceBytes, std::int64_t{4} * pool_.thread_count()}));
  }

  /// Calls work(piece, first, last) for every piece of positions [0, count) of a batch.
  template <typename Work>
  void run_pieces(std::int64_t count, std::int64_t pieces, const Work& work) {
    if (pieces == 1) return work(0, 0, count);
    pool_.run(pieces, [&](std::int64_t piece) { work(piece, count * piece / pieces, count * (piece + 1) / pieces); });
  }

  ThreadPool pool_;
  ScratchPool scratch_{*this};
  std::int64_t streaming_from_bytes_;
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend(int thread_count) { return std::make_shared<CpuBackend>(thread_count); }

}  // namespace octavo::backend
