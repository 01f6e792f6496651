#include "store/loading.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

#include "dataset_file/split_data.hpp"
#include "format/codec.hpp"
#include "format/limits.hpp"
#include "format/statistics/sample_counter.hpp"
#include "store/memory_rows.hpp"
#include "store/residency_rules.hpp"
#include "store/sharing.hpp"
#include "support/hash.hpp"

namespace octavo::store {
namespace {

/// Default number of windows in a split, if two of them fit.
constexpr std::int64_t kUsualWindows = 8;

/// The samples to load and how to read them.
struct LoadSource {
  std::string name;   ///< "split train"
  std::string place;  ///< "the file"
  SampleDescription samples;
  std::function<std::unique_ptr<const dataset_file::RowSource>()> rows;  ///< for samples that are not resident
  std::function<void(const StoredSamples& samples)> read_resident;       ///< reads into its buffers
  std::shared_ptr<const void> owner = {};                                ///< owner of borrowed memory
  const HostSamples* in_place = nullptr;                                 ///< memory that the CPU can use in place
};

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw InvalidArgument("load " + what + ": " + why);
}

void check_options(const std::string& what, std::int64_t sample_count, const LoadOptions& options) {
  if (options.memory_limit_bytes < 0) refuse(what, "memory_limit_bytes is negative; use 0 for the default");
  if (options.resident_count < -1 || options.resident_count > sample_count) {
    refuse(what, "resident_count is " + std::to_string(options.resident_count) + " of " + std::to_string(sample_count) +
                     " samples; use -1 for as many as fit");
  }
  if (options.resident_count >= 0 && options.residency != Residency::hybrid) {
    refuse(what, "resident_count is used only with the residency hybrid; choose that residency");
  }
  if (options.window_samples < 0) refuse(what, "window_samples is negative; use 0 for the default");
  if (options.window_samples > 0 && options.residency != Residency::window) {
    refuse(what, "window_samples is used only with the residency window; choose that residency");
  }
}

void check_samples(const HostSamples& samples) {
  const std::string what = "samples in memory";
  // Check one sample first: the number of samples follows from its size.
  if (const auto problem = dataset_file::layout_problem(samples.shape, samples.labels, 1)) refuse(what, *problem);
  const auto values = static_cast<std::size_t>(samples.shape.values());
  const std::size_t count = samples.codes.size() / values;
  if (count == 0 || count * values != samples.codes.size()) {
    refuse(what, std::to_string(samples.codes.size()) + " codes; expected a positive multiple of " +
                     std::to_string(values) + ", the values of a sample");
  }
  if (const auto problem =
          dataset_file::layout_problem(samples.shape, samples.labels, static_cast<std::int64_t>(count))) {
    refuse(what, *problem);
  }
  if (samples.label_bytes.size() != count * static_cast<std::size_t>(samples.labels.bytes_per_sample())) {
    refuse("samples in memory", std::to_string(samples.label_bytes.size()) + " bytes of labels for " +
                                    std::to_string(count) + " samples; expected " +
                                    std::to_string(samples.labels.bytes_per_sample()) + " per sample");
  }
  if (reinterpret_cast<std::uintptr_t>(samples.label_bytes.data()) % sizeof(std::uint32_t) != 0) {
    refuse(what, "the labels are not aligned to 4 bytes");
  }
}

/// Statistics of the samples as uint8 values.
Statistics statistics_of(const HostSamples& samples) {
  const auto values = static_cast<std::size_t>(samples.shape.values());
  statistics::SampleCounter counter(samples.shape);
  std::vector<std::uint8_t> sample(values);
  for (std::size_t at = 0; at < samples.codes.size(); at += values) {
    std::transform(samples.codes.begin() + static_cast<std::ptrdiff_t>(at),
                   samples.codes.begin() + static_cast<std::ptrdiff_t>(at + values), sample.begin(),
                   [](std::int8_t code) { return static_cast<std::uint8_t>(code ^ 0x80); });
    counter.add(sample);
  }
  statistics::SampleTotals totals(samples.shape);
  counter.move_into(totals);
  return totals.statistics(std::vector<ChannelQuantization>(static_cast<std::size_t>(samples.shape.channels)));
}

/// A hash that tells other samples apart without reading all of them again, by their labels and exact statistics. If
/// the caller gave the statistics, samples with equal labels and statistics have equal hashes.
std::uint64_t data_hash_of(const HostSamples& samples, const Statistics& statistics) {
  StreamingHash hash;
  hash.add(samples.label_bytes);
  hash.add(std::as_bytes(std::span(statistics.histogram)));
  hash.add(std::as_bytes(std::span(statistics.mean_image)));
  return hash.value();
}

/// The split whose statistics are used to center batches of `split`.
Split statistics_source(const Split& split) {
  const Dataset dataset = split.dataset();
  return dataset.has_split("train") && dataset.split("train").shape() == split.shape() ? dataset.split("train") : split;
}

/// Loads one source, and tries further residencies if memory is short.
class Loading {
 public:
  Loading(const LoadSource& source, Device device, const LoadOptions& options)
      : source_(source), options_(options), backend_(backend::make_backend(device)) {
    limit_bytes_ = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : backend_->memory().free_bytes / 5 * 4;
  }

  std::shared_ptr<const StoredSamples> run() {
    switch (options_.residency) {
      case Residency::automatic:
        return load_what_fits();
      case Residency::device:
        check_limit(source_.samples.sample_count, bytes_of(source_.samples.sample_count),
                    "the residency device keeps all of them");
        return read_into(allocate(source_.samples.sample_count, Residency::device));
      case Residency::hybrid:
        if (options_.resident_count < 0) return read_into(allocate(fitting_count(), Residency::hybrid));
        check_limit(options_.resident_count, bytes_of(options_.resident_count), "resident_count keeps that many");
        return read_into(allocate(options_.resident_count, Residency::hybrid));
      case Residency::streamed:
        return read_into(allocate(0, Residency::streamed));
      case Residency::window:
        return load_windows();
      case Residency::sharded:
        return load_sharded();
    }
    refuse(source_.name, "unknown residency");
  }

 private:
  RowLayout layout() const { return RowLayout(source_.samples.labels); }
  /// Bytes on the device of the first `count` samples. The sums do not overflow: a file or a memory block of about that
  /// size exists.
  std::int64_t bytes_of(std::int64_t count) const { return bytes_of(RowRange{0, count}); }
  std::int64_t bytes_of(const RowRange& range) const {
    return resident_bytes(source_.samples.rows_in_source, range) +
           resident_bytes(source_.samples.masks_in_source, range) + layout().labels(range.count);
  }
  /// Throws InvalidArgument if `count` samples, which need `bytes`, exceed the limit that the caller gave.
  void check_limit(std::int64_t count, std::int64_t bytes, const std::string& why) const {
    if (options_.memory_limit_bytes == 0 || bytes <= limit_bytes_ || is_in_place()) return;
    refuse(source_.name, counted(count, "sample") + " need " + format_bytes(bytes) +
                             ", more than the memory limit of " + format_bytes(limit_bytes_) + ", and " + why +
                             "; raise the limit, or choose the residency auto");
  }
  /// Number of samples that fit within the limit.
  std::int64_t fitting_count() const {
    std::int64_t count = 0;
    for (std::int64_t most = source_.samples.sample_count; count < most;) {
      const std::int64_t middle = most - (most - count) / 2;
      if (bytes_of(middle) <= limit_bytes_) {
        count = middle;
      } else {
        most = middle - 1;
      }
    }
    return count;
  }

  std::shared_ptr<const StoredSamples> load_what_fits() {
    const std::int64_t N = source_.samples.sample_count;
    if (is_in_place()) return read_into(allocate(N, Residency::device));
    std::int64_t count = fitting_count();
    bool has_failed = false;
    if (count == N) {
      if (const auto samples = try_to_allocate(N, Residency::device)) return read_into(samples);
      count = N / 2;
      has_failed = true;
    } else {
      reason_ = "The " + std::to_string(bytes_of(N)) + " bytes of " + source_.name + " exceed the limit of " +
                std::to_string(limit_bytes_) + " bytes on " + to_string(backend_->device()) + ". ";
    }
    if (const auto samples = try_to_share()) return read_share(samples);
    for (; count >= least_hybrid_count(N); count /= 2) {
      // If the device had less memory than it reported, what is left for the model is unknown: take at most half of the
      // memory.
      const auto samples = has_failed && !has_room_for(2 * count) ? nullptr : try_to_allocate(count, Residency::hybrid);
      if (samples != nullptr) return read_into(samples);
      has_failed = true;  // again, with fewer or none
    }
    return read_into(allocate(0, Residency::streamed));
  }

  /// Returns null, on all ranks, if there are no other ranks, or one of them has no room for its part.
  std::shared_ptr<StoredSamples> try_to_share() {
    if (!join_ranks()) return nullptr;
    try {
      return allocate_share();
    } catch (const OutOfMemory& problem) {
      reason_ += std::string(problem.what()) + ". ";
      sharing_.reset();
      return nullptr;
    }
  }

  bool has_room_for(std::int64_t count) const {
    try {
      const std::int64_t bytes = bytes_of(std::min(count, source_.samples.sample_count));
      const backend::DeviceBuffer trial(backend_, static_cast<std::size_t>(bytes), "samples");
      return true;
    } catch (const OutOfMemory&) {
      return false;
    }
  }

  /// Returns null, and sets the reason if it is empty, if device memory is short. Only this leads to another residency:
  /// if other memory runs out while samples are read, such as pinned memory, that is an error.
  std::shared_ptr<StoredSamples> try_to_allocate(std::int64_t count, Residency residency) {
    try {
      return allocate(count, residency);
    } catch (const OutOfMemory& problem) {
      if (reason_.empty()) reason_ = std::string(problem.what()) + ". ";
      return nullptr;
    }
  }

  std::shared_ptr<const StoredSamples> load_sharded() {
    if (!join_ranks()) {
      refuse(source_.name,
             "the residency sharded is for several processes, which an Exchange connects; start them with it, or "
             "choose another residency");
    }
    const RowRange own = sharing_->loaded();
    check_limit(own.count, bytes_of(own), "the residency sharded keeps that many on this rank");
    return read_share(allocate_share());
  }

  /// Returns false if there are no other ranks.
  bool join_ranks() {
    const std::shared_ptr<Exchange> exchange = options_.exchange ? options_.exchange() : nullptr;
    if (exchange == nullptr) return false;
    sharing_.emplace(exchange, source_.name, source_.samples.sample_count, source_.samples.data_hash,
                     options_.shares_host_memory && backend_->is_host(), [this] {
                       if (options_.on_progress) options_.on_progress({"waiting for other ranks", 0, 0, 0, 0});
                     });
    return true;
  }
  /// Throws OutOfMemory on all ranks if one of them has no room for its part.
  std::shared_ptr<StoredSamples> allocate_share() {
    std::shared_ptr<StoredSamples> samples;
    if (bytes_of(sharing_->loaded()) <= limit_bytes_ || is_in_place()) {
      try {
        samples = describe(Residency::sharded);
      } catch (const OutOfMemory&) {
      }
    }
    sharing_->require_room(samples != nullptr);
    if (is_in_place()) return use_in_place(samples);  // every rank has all of them
    allocate_rows(*samples, sharing_->at_hand(), [&](std::int64_t bytes, const std::string& what) {
      return sharing_->allocate(backend_, static_cast<std::size_t>(bytes), what);
    });
    samples->loaded = ResidentSet({sharing_->loaded()});
    samples->group = sharing_->group();
    samples->ranks = sharing_->ranks();
    return samples;
  }
  std::shared_ptr<const StoredSamples> read_share(const std::shared_ptr<StoredSamples>& samples) {
    sharing_->load([&] { read_into(samples); });
    return samples;
  }

  std::shared_ptr<StoredSamples> allocate(std::int64_t count, Residency residency) const {
    auto samples = describe(residency);
    if (is_in_place()) return use_in_place(samples);
    allocate_rows(*samples, {0, count}, [&](std::int64_t bytes, const std::string& what) {
      return backend::DeviceBuffer(backend_, static_cast<std::size_t>(bytes), what);
    });
    return samples;
  }
  /// Makes the samples of `range` resident; `allocate` makes their buffers.
  template <typename Allocate>
  void allocate_rows(StoredSamples& samples, const RowRange& range, const Allocate& allocate) const {
    samples.resident = samples.loaded = ResidentSet({range});
    samples.resident_rows = samples.rows_in_source.selected(samples.resident.ranges());
    samples.resident_masks = samples.masks_in_source.selected(samples.resident.ranges());
    const std::string what = "samples of " + source_.name;
    const auto allocate_part = [&](const dataset_file::RowOffsets& rows, const std::string& of,
                                   backend::DeviceBuffer& bytes, backend::DeviceBuffer& offsets) {
      const std::int64_t guard = rows.have_one_size() ? 0 : kernels::kRowGuardBytes;
      bytes = allocate(rows.bytes(range.first, range.count) + guard, of + what);
      if (rows.have_one_size()) return;
      offsets = allocate(offset_bytes(rows, range.count), "the offsets of the " + what);
    };
    allocate_part(samples.rows_in_source, "the packed ", samples.codes, samples.row_offsets);
    allocate_part(samples.masks_in_source, "the masks of the ", samples.masks, samples.mask_offsets);
    samples.label_words = allocate(samples.layout.labels(range.count), "the labels of the " + what);
  }

  /// Writes the offsets of rows that have several sizes, and what a decoder may read after the last one.
  void write_offsets(const dataset_file::RowOffsets& rows, const backend::DeviceBuffer& bytes,
                     const backend::DeviceBuffer& offsets) const {
    if (rows.have_one_size()) return;
    backend_->copy_to_device(offsets.data(), rows.table().data(), rows.table().size_bytes(), {});
    backend_->fill_zero(bytes.as<std::byte>() + rows.total_bytes(), static_cast<std::size_t>(kernels::kRowGuardBytes),
                        {});
    backend_->synchronize({});  // nothing else waits for these before the memory is released
  }

  std::shared_ptr<const StoredSamples> read_into(const std::shared_ptr<StoredSamples>& samples) const {
    if (is_in_place()) return samples;
    if (!samples->is_resident()) samples->rows = source_.rows();
    write_offsets(samples->resident_rows, samples->codes, samples->row_offsets);
    write_offsets(samples->resident_masks, samples->masks, samples->mask_offsets);
    source_.read_resident(*samples);
    if (!reason_.empty()) samples->residency_reason = reason_ + consequence(*samples);
    return samples;
  }
  /// What became of the samples.
  std::string consequence(const StoredSamples& samples) const {
    const std::int64_t count = samples.resident.count();
    if (samples.group != nullptr) {
      return std::to_string(samples.group->world_size()) + " ranks hold them together, this one loaded " +
             std::to_string(samples.loaded.count());
    }
    return (count == 0 ? "No samples are resident; all"
                       : std::to_string(count) + " of its samples are resident; the others") +
           " are read from " + source_.place + " when a batch needs them";
  }

  std::shared_ptr<StoredSamples> load_windows() {
    auto samples = describe(Residency::window);
    samples->window_samples = options_.window_samples;
    const std::int64_t N = source_.samples.sample_count;
    if (samples->window_samples == 0) {
      const std::int64_t most =
          std::clamp<std::int64_t>(limit_bytes_ / 2 / mean_bytes(), 1, (N + kUsualWindows - 1) / kUsualWindows);
      // Make the windows as equal as possible.
      const std::int64_t windows = (N + most - 1) / most;
      samples->window_samples = (N + windows - 1) / windows;
    }
    samples->window_samples = std::min(samples->window_samples, N);
    if (is_in_place()) return use_in_place(samples);
    check_limit(2 * samples->window_samples, 2 * samples->window_samples * mean_bytes(),
                "two windows of the residency window keep that many");
    samples->rows = source_.rows();
    return samples;
  }

  /// Of a sample, rounded up.
  std::int64_t mean_bytes() const {
    const std::int64_t N = source_.samples.sample_count;
    return (bytes_of(N) + N - 1) / N;
  }

  /// Sets everything except the samples.
  std::shared_ptr<StoredSamples> describe(Residency residency) const {
    auto samples = std::make_shared<StoredSamples>();
    samples->backend = backend_;
    static_cast<SampleDescription&>(*samples) = source_.samples;
    samples->owner = source_.owner;
    samples->layout = layout();
    samples->residency = residency;
    samples->row_tables = tables_on_device(samples->rows_in_source);
    samples->mask_tables = tables_on_device(samples->masks_in_source);
    return samples;
  }
  /// What decodes rows, on the device; empty if they need nothing.
  backend::DeviceBuffer tables_on_device(const dataset_file::RowOffsets& rows) const {
    if (!rows.tables()) return {};
    const std::vector<std::uint32_t>& entries = rows.tables()->entries;
    backend::DeviceBuffer tables(backend_, static_cast<std::size_t>(table_bytes(rows)),
                                 "the tables of samples of " + source_.name);
    backend_->copy_to_device(tables.data(), entries.data(), tables.bytes(), {});
    backend_->synchronize({});  // nothing else waits for this before the memory is released
    return tables;
  }

  /// Whether the CPU can use the caller's memory in place.
  bool is_in_place() const { return source_.in_place != nullptr && backend_->is_host(); }
  std::shared_ptr<StoredSamples> use_in_place(std::shared_ptr<StoredSamples> samples) const {
    samples->resident = samples->loaded = ResidentSet({{0, source_.samples.sample_count}});
    samples->resident_rows = samples->rows_in_source;
    samples->resident_masks = samples->masks_in_source;
    samples->borrowed_codes = source_.in_place->codes.data();
    samples->borrowed_labels = reinterpret_cast<const std::uint32_t*>(source_.in_place->label_bytes.data());
    return samples;
  }

  const LoadSource& source_;
  const LoadOptions& options_;
  std::shared_ptr<backend::Backend> backend_;
  std::int64_t limit_bytes_;
  std::optional<Sharing> sharing_;  ///< with other ranks
  std::string reason_;
};

}  // namespace

std::shared_ptr<const StoredSamples> load_samples(const Split& split, Device device, const LoadOptions& options) {
  const std::string name = "split " + split.name();
  check_options(name, split.sample_count(), options);
  const Split statistics_split = statistics_source(split);
  const LoadSource source{
      name,
      "the file",
      {split.sample_count(), split.shape(), split.labels(), options.with_masks && split.has_masks(),
       dataset_file::codec_of(split.data()->description().compression).row_coding, split.data()->description().rows,
       options.with_masks ? split.data()->description().mask_rows : dataset_file::RowOffsets(split.sample_count(), 0),
       split.class_names(), split.data()->description().quantization, statistics_split.statistics(),
       statistics_split.name(), split.name(), split.data()->description().data_hash},
      [&] {
        return split.data()->open_rows({options.verify_checksums, options.with_masks, options.thread_count});
      },
      [&](const StoredSamples& samples) { read_samples(split, options, samples); },
  };
  return Loading(source, device, options).run();
}

std::shared_ptr<const StoredSamples> load_samples(const HostSamples& samples, HostMemory memory, Device device,
                                                  const LoadOptions& options) {
  check_samples(samples);
  const auto sample_count = static_cast<std::int64_t>(samples.codes.size()) / samples.shape.values();
  check_options("samples in memory", sample_count, options);
  const Statistics statistics = samples.statistics ? *samples.statistics : statistics_of(samples);
  const LoadSource source{
      "samples in memory",
      "host memory",
      {sample_count, samples.shape, samples.labels, false, kernels::RowCoding::plain,
       dataset_file::RowOffsets(sample_count, samples.shape.values()), dataset_file::RowOffsets(sample_count, 0),
       samples.class_names, statistics.quantization, statistics, "", "", data_hash_of(samples, statistics)},
      [&] { return std::make_unique<const MemoryRows>(samples, memory, options.thread_count); },
      [&](const StoredSamples& stored) { copy_samples(samples, stored); },
      memory == HostMemory::borrow ? samples.owner : nullptr,
      memory == HostMemory::borrow ? &samples : nullptr,
  };
  return Loading(source, device, options).run();
}

}  // namespace octavo::store
