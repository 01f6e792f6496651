#include "sharding/shard_source.hpp"

#include <utility>

namespace octavo::sharding {
namespace {

/// Rows of the source as those of the shard.
std::vector<SampleFailure> numbered_from(std::int64_t first_row, std::vector<SampleFailure> failures) {
  for (SampleFailure& failure : failures) failure.row -= first_row;
  return failures;
}

}  // namespace

ShardSource::ShardSource(Source& source, const std::vector<ShardRange>& ranges, const Source& described,
                         bool names_left_out)
    : source_(source), described_(described), names_left_out_(names_left_out) {
  for (std::size_t split = 0; split < ranges.size(); ++split) {
    const ShardRange& range = ranges[split];
    if (range.count == 0) continue;
    parts_.push_back({split, range.first});
    splits_.push_back(source_.splits()[split]);
    splits_.back().sample_count = range.count;
  }
}

std::vector<std::int64_t> ShardSource::first_rows() const {
  std::vector<std::int64_t> rows;
  for (const Part& part : parts_) rows.push_back(part.first_row);
  return rows;
}

std::vector<SampleFailure> ShardSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                             std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const Part& part = parts_[split];
  return numbered_from(part.first_row, source_.read(part.split, part.first_row + first_row, count, values, labels));
}

std::vector<SampleFailure> ShardSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                   std::span<std::uint8_t> masks) {
  const Part& part = parts_[split];
  return numbered_from(part.first_row, source_.read_masks(part.split, part.first_row + first_row, count, masks));
}

SourceNotes ShardSource::notes() const {
  SourceNotes notes = described_.notes();
  // Their rows are those of the source.
  for (QuantizationNotes& quantized : notes.quantized) quantized.worst.clear();
  return notes;
}

}  // namespace octavo::sharding
