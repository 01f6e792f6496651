// The packing loop: threads claim blocks of samples, read them from the source and hand them to the writer.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>

#include <octavo/byte_count.hpp>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/pack.hpp>
#include <octavo/text.hpp>
#include <octavo/writer.hpp>

#include "format/codec.hpp"
#include "packing/loss.hpp"
#include "packing/max_error.hpp"
#include "packing/packer.hpp"
#include "packing/progress_meter.hpp"
#include "packing/provenance.hpp"
#include "sources/combine/rounded_source.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

// The data that one thread holds at a time: large enough for whole writes, small enough for a core's cache.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
// The minimum number of blocks per thread, so that slow samples (photographs) are spread evenly at the end of a split.
constexpr std::int64_t kFewestBlocksAThread = 8;
// A name ends with a zero byte, and has an offset of 8 bytes.
constexpr std::int64_t kBytesAroundName = 9;

/// Samples [first_row, first_row + row_count) of a split, as read from the source.
struct Block {
  std::int64_t first_row = 0;
  std::int64_t row_count = 0;
  std::vector<std::uint8_t> values;
  std::vector<std::byte> labels;
  std::vector<std::uint8_t> masks;
  std::vector<SampleFailure> failures;
};

std::int64_t mask_values(const SourceSplit& split) { return split.has_masks ? split.shape.values_per_channel() : 0; }

/// Adds the failures of masks to those of images, at most one per sample, in order of rows.
void add_failures(std::vector<SampleFailure>& failures, std::vector<SampleFailure> more) {
  if (more.empty()) return;
  std::move(more.begin(), more.end(), std::back_inserter(failures));
  std::stable_sort(failures.begin(), failures.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  failures.erase(
      std::unique(failures.begin(), failures.end(), [](const auto& a, const auto& b) { return a.row == b.row; }),
      failures.end());
}

/// Splits that are kept keep their names whatever the options.
WriterOptions writer_options(const Source& source, const PackOptions& options,
                             const packing::PackAdditions& additions) {
  WriterOptions made;
  for (std::size_t at = 0; at < source.splits().size(); ++at) {
    const SourceSplit& split = source.splits()[at];
    const bool is_chosen = options.with_names.has_value() && at >= additions.kept_splits;
    const bool with_names = is_chosen ? *options.with_names : source.has_sample_paths(at);
    made.splits.push_back({split.name, split.shape, split.labels, split.color, split.sample_count, with_names,
                           split.quantization, split.source_dtype, split.has_masks,
                           stays_compressed(options.compression) ? split.max_error : 0});
    if (!additions.dataset_rows.empty()) made.splits.back().dataset_row = additions.dataset_rows[at];
  }
  made.class_names = source.class_names();
  made.rows_may_be_skipped = options.skip_bad_samples;
  made.reproducible = options.reproducible;
  made.compression = options.compression;
  made.compression_level = options.compression_level;
  made.replace_existing = options.replace_existing;
  made.thread_count = options.thread_count;
  return made;
}

/// The metadata of a split is one JSON text. Its lists and objects count as values too.
void check_columns(const Source& source) {
  constexpr auto kMost = static_cast<std::int64_t>(kMostJsonValues);
  for (const SourceSplit& split : source.splits()) {
    const std::int64_t columns = std::ssize(split.columns);
    if (columns == 0 || split.sample_count < (kMost - 1) / columns) continue;
    throw DataError("keep the columns of split " + split.name + ": " + counted(columns, "column") + " of " +
                    counted(split.sample_count, "sample") + "; a split can hold at most " + format_count(kMost) +
                    " values; keep fewer columns with `columns`");
  }
}

/// Of each split in the file.
std::vector<int> max_errors_of(const Source& source, const PackOptions& options, std::size_t kept_splits) {
  std::vector<int> max_errors;
  for (std::size_t split = 0; split < source.splits().size(); ++split) {
    const int as_before = source.splits()[split].max_error;
    max_errors.push_back(split < kept_splits ? as_before : options.max_error.value_or(as_before));
  }
  return max_errors;
}

using packing::PackAdditions;

class Packer {
 public:
  /// `before_rounding` is `source`, or what it rounds.
  Packer(Source& source, const Source& before_rounding, const std::filesystem::path& path, const PackOptions& options,
         const PackAdditions& additions)
      : Packer(source, before_rounding, path, options, additions, writer_options(source, options, additions)) {}

  PackSummary run() {
    const auto start = std::chrono::steady_clock::now();
    summary_.splits = source_.splits();
    summary_.skipped = source_.left_out();
    for (std::size_t split = 0; split < summary_.splits.size(); ++split) pack_split(split);
    order_skipped();
    check_not_all_skipped();
    if (!options_.allow_loss) packing::check_loss(before_rounding_.notes(), before_rounding_);
    for (std::size_t split = 0; split < summary_.splits.size(); ++split) keep_columns(split);
    writer_.finish(packing::describe_provenance(source_, options_, summary_, additions_.shard));
    summary_.notes = packing_notes(source_);
    note_mask_values();
    note_compression();
    summary_.name_bytes = name_bytes_;
    summary_.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path_));
    summary_.elapsed_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(summary_);
  }

 private:
  Packer(Source& source, const Source& before_rounding, const std::filesystem::path& path, const PackOptions& options,
         const PackAdditions& additions, WriterOptions layout)
      : source_(source),
        before_rounding_(before_rounding),
        options_(options),
        additions_(additions),
        path_(path),
        writer_(path, layout) {
    for (const SplitLayout& split : layout.splits) {
      has_names_.push_back(split.with_names);
      masks_.push_back({split.name, {}});
    }
  }

  /// Says if compression was useless.
  void note_compression() {
    if (options_.compression == Compression::none) return;
    const Dataset packed = Dataset::open(path_);
    for (const std::string& name : packed.split_names()) {
      const Split split = packed.split(name);
      if (100 * split.stored_bytes() <= 97 * split.packed_bytes()) continue;
      summary_.notes.push_back("images of " + name + " hardly shrink with " + to_string(options_.compression) +
                               ": pack without --compress, which is faster");
    }
  }

  void pack_split(std::size_t split) {
    const SourceSplit& layout = source_.splits()[split];
    const int thread_count = resolve_thread_count(options_.thread_count);
    rows_a_block_ = std::max<std::int64_t>(1, kBlockBytes / std::max<std::int64_t>(1, layout.shape.values()));
    rows_a_block_ =
        std::clamp<std::int64_t>(layout.sample_count / (thread_count * kFewestBlocksAThread), 1, rows_a_block_);
    // With deflate, blocks are whole chunks.
    rows_a_block_ = std::max(rows_a_block_, writer_.rows_per_block(split));
    next_row_ = 0;
    packing::ProgressMeter meter(options_.on_progress, "packing " + layout.name, layout.sample_count,
                                 layout.shape.values());
    read_training_samples(split, thread_count);
    run_on_threads(thread_count, [&](int) { work(split, meter); });
    summary_.packed_bytes += summary_.splits[split].sample_count * layout.shape.values();
  }

  /// Trains the encoding of the split with samples from all over it, which may be sorted by class. Keeps them, because
  /// sources count what they read.
  void read_training_samples(std::size_t split, int thread_count) {
    kept_.clear();
    if (!additions_.shard.is_null()) return;
    const SourceSplit& layout = source_.splits()[split];
    if (dataset_file::codec_of(options_.compression).train_tables == nullptr || !source_.is_random_access()) return;
    const std::int64_t N = layout.sample_count;
    const std::int64_t count = dataset_file::training_samples(N, layout.shape);
    kept_.resize(static_cast<std::size_t>(count));
    std::atomic<std::int64_t> next = 0;
    run_on_threads(thread_count, [&](int) {
      for (std::int64_t i; (i = next.fetch_add(1)) < count;) {
        Block& sample = kept_[static_cast<std::size_t>(i)];
        sample.first_row = dataset_file::training_row(i, count, N);
        sample.row_count = 1;
        make_room(layout, sample);
        read(split, sample.first_row, 1, sample, 0);
      }
    });
    std::vector<std::uint8_t> typical;
    for (const Block& sample : kept_) {
      if (sample.failures.empty()) typical.insert(typical.end(), sample.values.begin(), sample.values.end());
    }
    writer_.train(split, typical);
  }

  /// The loop of each thread, until the split is done or a thread has failed.
  void work(std::size_t split, packing::ProgressMeter& meter) {
    try {
      Block block;
      while (!stopped_ && read_next(split, block)) {
        store(split, block);
        meter.add(block.row_count);
      }
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  /// Claims and reads the next block; false if the split is done. Sequential sources are read in the order of claims.
  bool read_next(std::size_t split, Block& block) {
    std::unique_lock lock(source_mutex_, std::defer_lock);
    if (!source_.is_random_access()) lock.lock();
    const SourceSplit& layout = source_.splits()[split];
    block.first_row = next_row_.fetch_add(rows_a_block_);
    block.row_count = std::min(rows_a_block_, layout.sample_count - block.first_row);
    if (block.row_count <= 0 || stopped_) return false;
    make_room(layout, block);
    const std::int64_t end = block.first_row + block.row_count;
    auto kept = std::ranges::lower_bound(kept_, block.first_row, {}, &Block::first_row);
    for (std::int64_t row = block.first_row; row < end;) {
      const std::int64_t kept_row = kept != kept_.end() ? std::min(kept->first_row, end) : end;
      if (kept_row > row) {
        read(split, row, kept_row - row, block, row - block.first_row);
      } else {
        take(layout, *kept++, block);
      }
      row = std::max(row + 1, kept_row);
    }
    return true;
  }

  static void make_room(const SourceSplit& layout, Block& block) {
    block.values.resize(static_cast<std::size_t>(block.row_count * layout.shape.values()));
    block.labels.resize(static_cast<std::size_t>(block.row_count * layout.labels.bytes_per_sample()));
    block.masks.resize(static_cast<std::size_t>(block.row_count * mask_values(layout)));
    block.failures.clear();
  }

  /// Reads samples to `place` in a block that has room for them, after those before.
  void read(std::size_t split, std::int64_t first_row, std::int64_t count, Block& block, std::int64_t place) {
    const SourceSplit& layout = source_.splits()[split];
    const auto part = [&](auto& all, std::int64_t width) {
      return std::span(all).subspan(static_cast<std::size_t>(place * width), static_cast<std::size_t>(count * width));
    };
    std::vector<SampleFailure> failures =
        source_.read(split, first_row, count, part(block.values, layout.shape.values()),
                     part(block.labels, layout.labels.bytes_per_sample()));
    if (layout.has_masks) {
      add_failures(failures, source_.read_masks(split, first_row, count, part(block.masks, mask_values(layout))));
    }
    std::move(failures.begin(), failures.end(), std::back_inserter(block.failures));
  }

  /// Moves a sample that was read before to its place in a block.
  static void take(const SourceSplit& layout, Block& sample, Block& block) {
    const std::int64_t place = sample.first_row - block.first_row;
    std::ranges::copy(sample.values, block.values.begin() + place * layout.shape.values());
    std::ranges::copy(sample.labels, block.labels.begin() + place * layout.labels.bytes_per_sample());
    std::ranges::copy(sample.masks, block.masks.begin() + place * mask_values(layout));
    std::ranges::move(sample.failures, std::back_inserter(block.failures));
    sample.values = {};
  }

  /// Writes the runs of good samples between the bad ones.
  void store(std::size_t split, Block& block) {
    if (!block.failures.empty() && !options_.skip_bad_samples) refuse(block.failures[0]);
    std::int64_t row = block.first_row;
    for (const SampleFailure& failure : block.failures) {
      write(split, block, row, failure.row);
      writer_.skip(split, failure.row);
      row = failure.row + 1;
    }
    write(split, block, row, block.first_row + block.row_count);
    if (!block.failures.empty()) record_skipped(split, block.failures);
  }

  void write(std::size_t split, Block& block, std::int64_t first_row, std::int64_t end_row) {
    if (first_row == end_row) return;
    const SourceSplit& layout = source_.splits()[split];
    const auto slice = [&](auto span, std::int64_t width) {
      return span.subspan(static_cast<std::size_t>((first_row - block.first_row) * width),
                          static_cast<std::size_t>((end_row - first_row) * width));
    };
    std::vector<std::string> names;
    for (std::int64_t row = first_row; has_names_[split] && row < end_row; ++row) {
      names.push_back(source_.sample_name(split, row));
      name_bytes_ += std::ssize(names.back()) + kBytesAroundName;
    }
    const auto masks = slice(std::span<const std::uint8_t>(block.masks), mask_values(layout));
    if (layout.has_masks) count_masks(split, masks);
    writer_.write(split, first_row, slice(std::span(block.values), layout.shape.values()),
                  slice(std::span<const std::byte>(block.labels), layout.labels.bytes_per_sample()), names, masks);
  }

  void count_masks(std::size_t split, std::span<const std::uint8_t> masks) {
    MaskCounts counts;
    counts.add(masks);
    const std::lock_guard lock(summary_mutex_);
    masks_[split].counts.add(counts);
  }

  /// Only the pixels of the masks show whether their values are classes.
  void note_mask_values() {
    const SourceNotes found = source_.notes();
    const bool are_padded = found.conversion && found.conversion->fit == "pad";
    const auto problem = find_mask_value_problem(masks_, found.mask_classes, are_padded);
    if (problem) summary_.notes.push_back(problem->what + "; " + problem->remedy);
    const auto ignored = describe_ignored_pixels(masks_, are_padded);
    if (ignored && (!problem || are_padded)) summary_.notes.push_back(*ignored);
  }

  /// Passes the metadata of the rows that were written, by column.
  void keep_columns(std::size_t split) {
    const SourceSplit& layout = source_.splits()[split];
    if (layout.columns.empty()) return;
    std::vector<Json> lists(layout.columns.size(), Json::array());
    auto skipped = std::ranges::lower_bound(skipped_, std::pair(split, std::int64_t{0}), {}, &Skipped::place);
    for (std::int64_t row = 0; row < layout.sample_count; ++row) {
      if (skipped != skipped_.end() && skipped->place() == std::pair(split, row)) {
        ++skipped;
        continue;
      }
      Json values = Json::parse(source_.sample_metadata(split, row));
      for (std::size_t i = 0; i < lists.size(); ++i) lists[i].push_back(std::move(values.at(i)));
    }
    Json columns = Json::object();
    for (std::size_t i = 0; i < lists.size(); ++i) columns[layout.columns[i]] = std::move(lists[i]);
    writer_.set_columns(split, columns.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void record_skipped(std::size_t split, const std::vector<SampleFailure>& failures) {
    const std::lock_guard lock(summary_mutex_);
    summary_.splits[split].sample_count -= static_cast<std::int64_t>(failures.size());
    for (const SampleFailure& failure : failures) skipped_.push_back({split, failure});
  }

  /// Restores the order of the source, whichever thread was first.
  void order_skipped() {
    std::sort(skipped_.begin(), skipped_.end(), [](const Skipped& a, const Skipped& b) {
      return a.split != b.split ? a.split < b.split : a.failure.row < b.failure.row;
    });
    for (const Skipped& skipped : skipped_) summary_.skipped.push_back(skipped.failure);
  }

  /// A split must have samples; the reason why they were skipped is the reason why it has none.
  void check_not_all_skipped() const {
    for (std::size_t split = 0; split < summary_.splits.size(); ++split) {
      if (summary_.splits[split].sample_count > 0) continue;
      const auto first = std::ranges::find(skipped_, split, &Skipped::split);
      if (first == skipped_.end()) continue;
      throw FormatError("pack split \"" + summary_.splits[split].name + "\": no samples are left, because all " +
                        counted(source_.splits()[split].sample_count, "sample") + " were skipped, the first, \"" +
                        printable(first->failure.name) + "\": " + first->failure.reason +
                        "; repair the samples, or leave out the split");
    }
  }

  [[noreturn]] void refuse(const SampleFailure& failure) const {
    throw FormatError("read the sample " + quoted(std::filesystem::path(failure.name)) + ": " + failure.reason +
                      "; repair or remove it, or skip such samples with `on_error=skip`");
  }

  struct Skipped {
    std::size_t split;
    SampleFailure failure;

    std::pair<std::size_t, std::int64_t> place() const { return {split, failure.row}; }
  };

  Source& source_;
  const Source& before_rounding_;
  const PackOptions& options_;
  const PackAdditions& additions_;
  const std::filesystem::path& path_;
  std::vector<bool> has_names_;  ///< for each split
  std::vector<Block> kept_;      ///< samples of the split that are already read, in order
  Writer writer_;
  std::int64_t rows_a_block_ = 1;
  std::atomic<std::int64_t> next_row_ = 0;
  std::atomic<std::int64_t> name_bytes_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex source_mutex_;
  std::vector<SplitMaskCounts> masks_;  ///< for each split
  std::mutex summary_mutex_;            ///< guards summary_, skipped_ and masks_
  PackSummary summary_;
  std::vector<Skipped> skipped_;
};

}  // namespace

PackSummary packing::pack_with(Source& source, const std::filesystem::path& path, const PackOptions& options,
                               const PackAdditions& additions) {
  check_columns(source);
  check_max_error(options.max_error, options.compression);
  const std::vector<int> max_errors = max_errors_of(source, options, additions.kept_splits);
  const auto pack_from = [&](Source& from) {
    Packer packer(from, source, path, options, additions);
    additions.once_locked();
    return packer.run();
  };
  if (std::ranges::equal(max_errors, source.splits(), {}, {}, &SourceSplit::max_error)) return pack_from(source);
  sources::RoundedSource rounded(source, max_errors);
  return pack_from(rounded);
}

namespace {

/// A pattern such as part*.h5 also matches the result of an earlier run.
void check_output_is_no_source(const Source& source, const std::filesystem::path& path) {
  const std::vector<std::string> files = source.files();
  const auto is_output = [&](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::equivalent(file, path, ignored);
  };
  if (files.size() < 2 || std::ranges::none_of(files, is_output)) return;
  throw DataError("pack into " + quoted(path) + ": it is also one of the " + counted(std::ssize(files), "source") +
                  "; remove it from the sources, or choose another output file");
}

}  // namespace

PackSummary pack(Source& source, const std::filesystem::path& path, const PackOptions& options) {
  check_output_is_no_source(source, path);
  return packing::pack_with(source, path, options, {});
}

}  // namespace octavo
