#include "dataset_file/check/verify_samples.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "format/coded_rows/decode_rows.hpp"
#include "format/label_check.hpp"
#include "format/statistics/codes.hpp"
#include "format/statistics/sample_counter.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace octavo::dataset_file {
namespace {

std::int64_t rows_per_block(const SplitEntry& split) {
  if (split.chunked) return split.chunked->samples_per_chunk;
  const std::int64_t row_bytes = split.shape.values() + split.label_layout.bytes_per_sample() + split.mask_bytes();
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(kWriteBlockBytes) / row_bytes);
}

/// The data of one thread: buffers for a block of rows, and its results.
struct Workplace {
  explicit Workplace(const SampleShape& shape) : counter(shape) {}
  statistics::SampleCounter counter;
  DefectList defects;
  StreamingHash hash;
  std::int64_t first_row = 0;
  std::vector<std::uint8_t> codes;
  std::vector<std::byte> rows;  ///< as they are stored, if they are not plain
  std::vector<std::byte> labels;
  std::vector<std::byte> masks;        ///< as they are stored
  std::vector<std::byte> mask_values;  ///< decoded, if they are not plain
  std::vector<std::uint64_t> checksums;
  std::vector<std::uint64_t> decoded_checksums;  ///< of rows that are not plain
};

/// One pass over all rows, shared by several threads.
class SamplePass {
 public:
  SamplePass(const Reader& reader, const SplitEntry& split, const ProgressFunction& on_progress)
      : reader_(reader),
        split_(split),
        on_progress_(on_progress),
        stage_("verifying " + split.name),
        rows_per_block_(rows_per_block(split)),
        totals_(split.shape) {}

  /// Processes blocks until none are left. Called on each thread.
  void work() {
    Workplace place(split_.shape);
    try {
      std::int64_t first = 0;
      while (!stopped_ && (first = next_row_.fetch_add(rows_per_block_)) < split_.sample_count) {
        const std::int64_t count = std::min(rows_per_block_, split_.sample_count - first);
        check_block(place, first, count);
        advance(count);
      }
    } catch (...) {
      stopped_ = true;
      throw;
    }
    const std::lock_guard lock(mutex_);
    place.counter.move_into(totals_);
    defects_.append(std::move(place.defects));
  }

  /// The results of all threads, after they have finished.
  const statistics::SampleTotals& totals() const { return totals_; }
  DefectList& defects() { return defects_; }

 private:
  void check_block(Workplace& place, std::int64_t first, std::int64_t count) {
    if (!read_codes(place, first, count)) return;
    place.first_row = first;
    place.labels.resize(static_cast<std::size_t>(count * split_.label_layout.bytes_per_sample()));
    place.masks.resize(static_cast<std::size_t>(split_.mask_rows.bytes(first, count)));
    place.checksums.resize(static_cast<std::size_t>(count));
    reader_.read_labels(split_, first, count, place.labels);
    reader_.read_masks(split_, first, count, place.masks);
    if (split_.mask_row_bytes) {
      place.mask_values.resize(static_cast<std::size_t>(count * split_.mask_bytes()));
      decode_rows(reader_.index().codec->row_coding, {1, split_.shape.height, split_.shape.width}, split_.mask_rows,
                  {first, count, place.masks}, place.mask_values);
    }
    reader_.read_checksums(split_, first, count, place.checksums);
    if (split_.decoded_checksums) {
      place.decoded_checksums.resize(static_cast<std::size_t>(count));
      reader_.source().read_at(split_.decoded_checksums->offset + first * 8,
                               std::as_writable_bytes(std::span(place.decoded_checksums)));
    }
    for (std::int64_t i = 0; i < count; ++i) check_sample(place, first + i, static_cast<std::size_t>(i));
    statistics::flip_top_bits(place.codes);
    place.counter.add(place.codes);
  }

  /// Returns false and adds a defect if the rows are in a chunk that cannot be inflated.
  bool read_codes(Workplace& place, std::int64_t first, std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count * split_.shape.values());
    if (split_.row_bytes) {
      place.codes.resize(bytes);
      place.rows.resize(static_cast<std::size_t>(split_.rows.bytes(first, count)));
      reader_.read_rows(split_, first, count, place.rows);
      decode_rows(reader_.index().codec->row_coding, split_.shape, split_.rows, {first, count, place.rows},
                  std::as_writable_bytes(std::span(place.codes)));
      return true;
    }
    if (!split_.chunked) {
      place.codes.resize(bytes);
      reader_.read_rows(split_, first, count, std::as_writable_bytes(std::span(place.codes)));
      return true;
    }
    const ChunkLayout layout = split_.chunk_layout();
    const std::int64_t number = layout.chunk_of(first);
    const StoredChunk& chunk = split_.chunked->chunks[static_cast<std::size_t>(number)];
    const auto add = [&](const char* problem) {
      place.defects.add(dataset_path(split_, "images") + " " + describe_chunk(split_, number), problem, {first, count});
    };
    place.codes.resize(static_cast<std::size_t>(layout.chunk_bytes()));
    std::uint64_t hash = 0;
    const bool inflates = read_chunk(reader_.source(), *split_.chunked->codec, chunk,
                                     std::as_writable_bytes(std::span(place.codes)), &hash);
    if (hash != chunk.extent.hash) add("its hash does not match");
    if (!inflates) add("it does not inflate to its samples");
    place.codes.resize(bytes);
    return inflates;
  }

  void check_sample(Workplace& place, std::int64_t row, std::size_t number) {
    const auto code_bytes = static_cast<std::size_t>(split_.shape.values());
    const auto label_bytes = static_cast<std::size_t>(split_.label_layout.bytes_per_sample());
    const auto codes = std::as_bytes(std::span(place.codes)).subspan(number * code_bytes, code_bytes);
    const auto label = std::span<const std::byte>(place.labels).subspan(number * label_bytes, label_bytes);
    const auto mask = row_of(place.masks, split_.mask_rows, place.first_row, row);
    const auto stored = split_.row_bytes ? row_of(place.rows, split_.rows, place.first_row, row) : codes;
    if (sample_checksum(place.hash, stored, label, mask) != place.checksums[number]) {
      place.defects.add(
          dataset_path(split_, "images") + " sample " + std::to_string(row),
          mask.empty() ? "its checksum does not match: its pixels, its label or the checksum are damaged"
                       : "its checksum does not match: its pixels, its label, its mask or the checksum are damaged",
          {row, 1});
      return;
    }
    const auto mask_bytes = static_cast<std::size_t>(split_.mask_row_bytes ? split_.mask_bytes() : 0);
    const auto mask_values = std::span<const std::byte>(place.mask_values).subspan(number * mask_bytes, mask_bytes);
    if (split_.decoded_checksums &&
        sample_checksum(place.hash, codes, label, mask_values) != place.decoded_checksums[number]) {
      place.defects.add(dataset_path(split_, "images") + " sample " + std::to_string(row),
                        mask.empty() ? "it does not decode to the pixels that were packed"
                                     : "it does not decode to the pixels and the mask that were packed",
                        {row, 1});
      return;
    }
    for (std::size_t i = 0; i < label_bytes / 4; ++i) {
      const char* problem = label_problem(split_.label_layout.kind, label, i, reader_.index().class_names.size());
      if (problem == nullptr) continue;
      place.defects.add(dataset_path(split_, "labels") + " sample " + std::to_string(row), problem, {row, 1});
    }
  }

  /// Row `row` of `bytes`, which start with `first_row`.
  static std::span<const std::byte> row_of(std::span<const std::byte> bytes, const RowOffsets& rows,
                                           std::int64_t first_row, std::int64_t row) {
    return bytes.subspan(static_cast<std::size_t>(rows.bytes(first_row, row - first_row)),
                         static_cast<std::size_t>(rows.bytes(row)));
  }

  void advance(std::int64_t count) {
    if (!on_progress_) return;
    const std::lock_guard lock(mutex_);
    done_rows_ += count;
    on_progress_({stage_, done_rows_, split_.sample_count, done_rows_ * split_.shape.values(), split_.packed_bytes()});
  }

  const Reader& reader_;
  const SplitEntry& split_;
  const ProgressFunction& on_progress_;
  const std::string stage_;
  const std::int64_t rows_per_block_;
  std::atomic<std::int64_t> next_row_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::int64_t done_rows_ = 0;
  statistics::SampleTotals totals_;
  DefectList defects_;
};

void compare_statistics(const Statistics& stored, const Statistics& counted, const SplitEntry& split,
                        DefectList& defects) {
  const auto compare = [&](bool is_equal, const char* dataset) {
    if (!is_equal) defects.add(dataset_path(split, dataset), "it does not match the samples");
  };
  compare(stored.histogram == counted.histogram, "histogram");
  compare(stored.mean_image == counted.mean_image, "mean_image");
}

void compare_with_index(const Statistics& counted, const SplitEntry& split, DefectList& defects) {
  if (counted.mean != split.mean) defects.add("/index", "the mean of " + split.name + " does not match the samples");
  if (counted.standard_deviation != split.standard_deviation) {
    defects.add("/index", "the std of " + split.name + " does not match the samples");
  }
}

}  // namespace

DefectList verify_samples(const Reader& reader, const SplitEntry& split, const Statistics* statistics, int thread_count,
                          const ProgressFunction& on_progress) {
  SamplePass pass(reader, split, on_progress);
  run_on_threads(thread_count, [&](int) { pass.work(); });
  DefectList defects = std::move(pass.defects());
  if (defects.count() > 0) return defects;  // damaged samples make the counts useless
  const Statistics counted = pass.totals().statistics(split.quantization);
  if (statistics != nullptr) compare_statistics(*statistics, counted, split, defects);
  compare_with_index(counted, split, defects);
  return defects;
}

}  // namespace octavo::dataset_file
