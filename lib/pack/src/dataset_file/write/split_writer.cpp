#include "dataset_file/write/split_writer.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "format/label_check.hpp"
#include "format/limits.hpp"
#include "format/statistics/codes.hpp"
#include "support/hash.hpp"
#include "support/text/short_text.hpp"
#include "support/text/utf8.hpp"
#include "support/threads.hpp"

namespace octavo::dataset_file {
namespace {

/// Writes of this size keep the disk busy while the next samples are prepared; smaller ones are not worth it.
constexpr std::size_t kWrittenBackBytes = std::size_t{256} << 10;

std::vector<ChannelQuantization> quantization_of(const SplitLayout& layout) {
  if (!layout.quantization.empty()) return layout.quantization;
  return std::vector<ChannelQuantization>(static_cast<std::size_t>(layout.shape.channels));
}

}  // namespace

SplitWriter::SplitWriter(SplitLayout layout, std::size_t split_number, std::size_t class_count, const Spool* spool,
                         bool rows_wait)
    : layout_(std::move(layout)),
      split_number_(split_number),
      class_count_(class_count),
      spool_(spool),
      rows_wait_(rows_wait),
      written_(layout_.row_capacity),
      skipped_(rows_wait ? layout_.row_capacity : 0) {}

void SplitWriter::place(const File& file, PayloadPlace place) {
  file_ = &file;
  place_ = std::move(place);
  if (tables_ && place_.rows) place_.rows->use(tables_);
}

void SplitWriter::use_tables(std::shared_ptr<const RowTables> tables) {
  if (sample_count() > 0) throw InvalidArgument("train split " + layout_.name + ": samples are already written");
  tables_ = std::move(tables);
  if (place_.rows) place_.rows->use(tables_);
}

std::string SplitWriter::where(std::int64_t row) const {
  return "write split " + layout_.name + ", row " + std::to_string(row) + ": ";
}

void SplitWriter::write(std::int64_t first_row, std::span<std::uint8_t> values, std::span<const std::byte> labels,
                        std::span<const std::string> names, std::span<const std::uint8_t> masks) {
  const std::int64_t row_count = check_sizes(first_row, values.size(), labels.size(), names.size(), masks.size());
  check_labels(first_row, labels);
  check_values(first_row, values);
  claim(first_row, row_count);
  count(values);
  keep_names(first_row, names);
  if (!rows_wait_) return store(first_row, values, labels, std::as_bytes(masks));
  spool_->file().write_at(spool_->values_offset(split_number_, first_row), std::as_bytes(values));
  spool_->file().write_at(spool_->labels_offset(split_number_, first_row), labels);
  spool_->file().write_at(spool_->masks_offset(split_number_, first_row), std::as_bytes(masks));
}

std::int64_t SplitWriter::check_sizes(std::int64_t first_row, std::size_t value_count, std::size_t label_bytes,
                                      std::size_t name_count, std::size_t mask_count) const {
  const auto row_values = static_cast<std::size_t>(layout_.shape.values());
  const std::size_t row_count = value_count / row_values;
  if (value_count % row_values != 0) throw InvalidArgument(where(first_row) + "the values are not whole samples");
  if (label_bytes != row_count * static_cast<std::size_t>(layout_.labels.bytes_per_sample())) {
    throw InvalidArgument(where(first_row) + std::to_string(label_bytes) + " bytes of labels for " +
                          std::to_string(row_count) + " samples");
  }
  if (mask_count != row_count * static_cast<std::size_t>(mask_bytes())) {
    throw InvalidArgument(where(first_row) + "masks of " + std::to_string(mask_count) + " values for " +
                          std::to_string(row_count) + " samples; expected " + std::to_string(mask_bytes()) + " each");
  }
  if (name_count != 0 && name_count != row_count)
    throw InvalidArgument(where(first_row) + "names and samples differ in number");
  const auto count = static_cast<std::int64_t>(row_count);
  if (first_row < 0 || first_row > layout_.row_capacity || count > layout_.row_capacity - first_row) {
    throw InvalidArgument(where(first_row) + std::to_string(count) + " rows, but the split has room for " +
                          std::to_string(layout_.row_capacity));
  }
  return count;
}

void SplitWriter::check_labels(std::int64_t first_row, std::span<const std::byte> labels) const {
  for (std::size_t number = 0; number < labels.size() / 4; ++number) {
    const char* problem = label_problem(layout_.labels.kind, labels, number, class_count_);
    if (problem == nullptr) continue;
    throw InvalidArgument(where(first_row + static_cast<std::int64_t>(number) / layout_.labels.width) + problem);
  }
}

void SplitWriter::check_values(std::int64_t first_row, std::span<const std::uint8_t> values) const {
  if (layout_.max_error == 0) return;
  const int step = value_step(layout_.max_error);
  const auto other = std::ranges::find_if(values, [&](std::uint8_t value) { return value % step != 0; });
  if (other == values.end()) return;
  throw InvalidArgument(where(first_row + (other - values.begin()) / layout_.shape.values()) + "the value " +
                        std::to_string(*other) + " is not a multiple of " + std::to_string(step) +
                        "; round the values first");
}

void SplitWriter::claim(std::int64_t first_row, std::int64_t row_count) {
  const std::lock_guard lock(rows_mutex_);
  const std::int64_t end = first_row + row_count;
  std::int64_t taken = written_.find(first_row, end, true);
  if (rows_wait_) taken = std::min(taken, skipped_.find(first_row, end, true));
  if (taken != end) throw InvalidArgument(where(taken) + "it was already written or skipped");
  for (std::int64_t row = first_row; row < end; ++row) written_.insert(row);
}

void SplitWriter::skip(std::int64_t row) {
  if (!rows_wait_) throw InvalidArgument(where(row) + "rows of this file may not be skipped");
  if (row < 0 || row >= layout_.row_capacity) throw InvalidArgument(where(row) + "no such row");
  const std::lock_guard lock(rows_mutex_);
  if (written_.contains(row) || skipped_.contains(row))
    throw InvalidArgument(where(row) + "it was already written or skipped");
  skipped_.insert(row);
}

void SplitWriter::count(std::span<const std::uint8_t> values) {
  std::unique_ptr<statistics::SampleCounter> counter;
  {
    const std::lock_guard lock(counters_mutex_);
    if (!idle_counters_.empty()) {
      counter = std::move(idle_counters_.back());
      idle_counters_.pop_back();
    }
  }
  if (!counter) counter = std::make_unique<statistics::SampleCounter>(layout_.shape);
  counter->add(values);
  const std::lock_guard lock(counters_mutex_);
  idle_counters_.push_back(std::move(counter));
}

void SplitWriter::keep_names(std::int64_t first_row, std::span<const std::string> names) {
  if (!layout_.with_names || names.empty()) return;
  std::vector<std::string> kept;
  for (const std::string& name : names) {
    // Names in the file end with a zero byte, so a zero byte ends a name here too.
    const std::string_view text = std::string_view(name).substr(0, name.find('\0'));
    kept.emplace_back(cut_utf8(text, kMostNameBytes));
    name_bytes_ += static_cast<std::int64_t>(kept.back().size());
  }
  spool_->write_names(split_number_, first_row, kept);
}

void SplitWriter::store(std::int64_t first_row, std::span<std::uint8_t> values, std::span<const std::byte> labels,
                        std::span<const std::byte> masks) {
  const auto row_values = static_cast<std::size_t>(layout_.shape.values());
  const auto label_bytes = static_cast<std::size_t>(layout_.labels.bytes_per_sample());
  const auto mask_width = static_cast<std::size_t>(mask_bytes());
  std::vector<std::uint64_t> checksums(values.size() / row_values);
  std::uint64_t digest = 0, dataset_digest = 0;
  StreamingHash hash;
  const auto checksum_of = [&](std::size_t i, std::span<const std::byte> row, std::span<const std::byte> mask) {
    return sample_checksum(hash, row, labels.subspan(i * label_bytes, label_bytes), mask);
  };
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const auto sample = values.subspan(i * row_values, row_values);
    const std::uint64_t row = static_cast<std::uint64_t>(first_row) + i;
    digest += XXH3_64bits_withSeed(sample.data(), sample.size(), row);
    if (layout_.dataset_row) {
      const std::uint64_t in_dataset = static_cast<std::uint64_t>(*layout_.dataset_row) + row;
      dataset_digest += XXH3_64bits_withSeed(sample.data(), sample.size(), in_dataset);
    }
    statistics::flip_top_bits(sample);
    checksums[i] = checksum_of(i, std::as_bytes(sample), masks.subspan(i * mask_width, mask_width));
  }
  source_digest_ += digest;
  dataset_digest_ += dataset_digest;
  if (place_.rows) {
    file_->write_at(place_.decoded_checksums.offset + first_row * 8, std::as_bytes(std::span(checksums)));
    const EncodedRows rows = place_.rows->add(first_row, std::as_bytes(values));
    const EncodedRows coded_masks = place_.mask_rows ? place_.mask_rows->add(first_row, masks) : EncodedRows();
    std::size_t row_begin = 0, mask_begin = 0;
    for (std::size_t i = 0; i < checksums.size(); ++i) {
      const std::size_t mask_bytes = place_.mask_rows ? coded_masks.sizes[i] : 0;
      checksums[i] = checksum_of(i, std::span(rows.bytes).subspan(row_begin, rows.sizes[i]),
                                 std::span(coded_masks.bytes).subspan(mask_begin, mask_bytes));
      row_begin += rows.sizes[i];
      mask_begin += mask_bytes;
    }
  } else {
    store_codes(first_row, std::as_bytes(values));
    file_->write_at(place_.masks.offset + first_row * mask_bytes(), masks);
  }
  file_->write_at(place_.labels.offset + first_row * layout_.labels.bytes_per_sample(), labels);
  file_->write_at(place_.checksums.offset + first_row * 8, std::as_bytes(std::span(checksums)));
}

void SplitWriter::store_codes(std::int64_t first_row, std::span<const std::byte> codes) {
  if (place_.chunks) return place_.chunks->add(first_row, codes);
  const std::int64_t offset = place_.images.offset + first_row * layout_.shape.values();
  file_->write_at(offset, codes);
  if (codes.size() >= kWrittenBackBytes) file_->start_write_back(offset, static_cast<std::int64_t>(codes.size()));
}

void SplitWriter::check_complete() const {
  const std::int64_t done = written_.size() + skipped_.size();
  if (done != layout_.row_capacity) {
    throw InvalidArgument("finish split " + layout_.name + ": " + std::to_string(layout_.row_capacity - done) +
                          " rows were neither written nor skipped");
  }
  if (written_.size() == 0) throw InvalidArgument("finish split " + layout_.name + ": no samples are left in it");
}

/// Rows that become contiguous: the offsets of their runs in the spool, and their destination.
struct SplitWriter::WaitingBlock {
  struct Run {
    std::int64_t first = 0;
    std::int64_t end = 0;
  };
  std::vector<Run> runs;
  std::int64_t final_row = 0;
  std::int64_t row_count = 0;
};

bool SplitWriter::next_waiting_block(std::int64_t most_rows, WaitingBlock& block) {
  const std::lock_guard lock(rows_mutex_);
  block = {{}, next_final_row_, 0};
  const std::int64_t capacity = written_.capacity();
  while (block.row_count < most_rows) {
    const std::int64_t first = written_.find(next_waiting_row_, capacity, true);
    if (first == capacity) break;
    next_waiting_row_ = written_.find(first, std::min(first + most_rows - block.row_count, capacity), false);
    block.runs.push_back({first, next_waiting_row_});
    block.row_count += next_waiting_row_ - first;
  }
  next_final_row_ += block.row_count;
  return block.row_count > 0;
}

void SplitWriter::copy_waiting_rows(int thread_count) {
  const auto row_values = static_cast<std::size_t>(layout_.shape.values());
  const auto label_bytes = static_cast<std::size_t>(layout_.labels.bytes_per_sample());
  const auto mask_width = static_cast<std::size_t>(mask_bytes());
  const auto most_rows = place_.chunks ? place_.chunks->layout().samples_per_chunk
                                       : static_cast<std::int64_t>(std::max<std::size_t>(
                                             1, kWriteBlockBytes / (row_values + label_bytes + mask_width)));
  run_on_threads(thread_count, [&](int) {
    WaitingBlock block;
    std::vector<std::uint8_t> values;
    std::vector<std::byte> labels, masks;
    while (next_waiting_block(most_rows, block)) {
      values.resize(static_cast<std::size_t>(block.row_count) * row_values);
      labels.resize(static_cast<std::size_t>(block.row_count) * label_bytes);
      masks.resize(static_cast<std::size_t>(block.row_count) * mask_width);
      std::size_t done = 0;
      for (const auto& [first, end] : block.runs) {
        const auto count = static_cast<std::size_t>(end - first);
        spool_->file().read_at(
            spool_->values_offset(split_number_, first),
            std::as_writable_bytes(std::span(values).subspan(done * row_values, count * row_values)));
        spool_->file().read_at(spool_->labels_offset(split_number_, first),
                               std::span(labels).subspan(done * label_bytes, count * label_bytes));
        spool_->file().read_at(spool_->masks_offset(split_number_, first),
                               std::span(masks).subspan(done * mask_width, count * mask_width));
        done += count;
      }
      store(block.final_row, values, labels, masks);
    }
  });
}

SplitEntry SplitWriter::entry() const {
  SplitEntry entry;
  entry.name = layout_.name;
  entry.sample_count = sample_count();
  entry.shape = layout_.shape;
  entry.label_layout = layout_.labels;
  entry.color = layout_.color;
  entry.source_dtype = layout_.source_dtype;
  entry.quantization = quantization_of(layout_);
  entry.max_error = layout_.max_error;
  if (place_.chunks) {
    entry.chunked = {&place_.chunks->codec(), place_.chunks->layout().samples_per_chunk, {}, place_.chunks->chunks()};
  }
  return entry;
}

Statistics SplitWriter::statistics() {
  statistics::SampleTotals totals(layout_.shape);
  for (const auto& counter : idle_counters_) counter->move_into(totals);
  return totals.statistics(quantization_of(layout_));
}

}  // namespace octavo::dataset_file
