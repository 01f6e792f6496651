#include "format/hashed_read.hpp"

#include <algorithm>
#include <vector>

namespace octavo::dataset_file {

void add_to_hash(StreamingHash& hash, const ByteSource& file, const Extent& extent) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(kMostBytes, extent.bytes)));
  for (std::int64_t done = 0; done < extent.bytes;) {
    const auto part = std::span(block).first(static_cast<std::size_t>(std::min(kMostBytes, extent.bytes - done)));
    file.read_at(extent.offset + done, part);
    hash.add(part);
    done += static_cast<std::int64_t>(part.size());
  }
}

bool matches_hash(const ByteSource& file, const Extent& extent) {
  StreamingHash hash;
  add_to_hash(hash, file, extent);
  return hash.value() == extent.hash;
}

}  // namespace octavo::dataset_file
