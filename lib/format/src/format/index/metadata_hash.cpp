#include "format/index/metadata_hash.hpp"

#include <algorithm>
#include <vector>

#include <octavo/errors.hpp>

#include "format/hashed_read.hpp"
#include "format/limits.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {
namespace {

std::vector<Extent> gaps_between(std::vector<Extent> extents, std::int64_t file_length) {
  std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<Extent> gaps;
  std::int64_t from = kHeaderBytes;
  for (const Extent& extent : extents) {
    gaps.push_back({from, extent.offset - from, {}});
    from = extent.end();
  }
  gaps.push_back({from, file_length - from, {}});
  return gaps;
}

}  // namespace

std::uint64_t metadata_hash(const ByteSource& file, const Header& header, const Index& index) {
  std::vector<Extent> extents = {{header.index_offset, header.index_length, {}}};
  for (const NamedExtent& named : extents_of(index)) extents.push_back(named.extent);
  const std::vector<Extent> gaps = gaps_between(std::move(extents), header.file_length);
  std::int64_t total = 0;
  for (const Extent& gap : gaps) total += gap.bytes;
  if (total > kMostMetadataBytes) {
    throw FormatError(std::to_string(total) + " bytes belong to no dataset, more than the format allows; get it again");
  }
  if (file.read_cost().waits_for_network) {
    for (const Extent& gap : gaps) file.start_read(gap.offset, gap.bytes);
  }
  StreamingHash hash;
  for (const Extent& gap : gaps) add_to_hash(hash, file, gap);
  return hash.value();
}

void check_metadata(const ByteSource& file, const Header& header, const Index& index) {
  if (metadata_hash(file, header, index) != header.metadata_hash) {
    throw FormatError(
        "another program changed it, or its HDF5 metadata is damaged (its hash does not match); rebuild it "
        "with `octavo reindex`, or get it again");
  }
}

}  // namespace octavo::dataset_file
