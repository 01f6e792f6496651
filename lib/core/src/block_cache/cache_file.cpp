#include "block_cache/cache_file.hpp"

#include <utility>

namespace octavo::block_cache {
namespace {

constexpr std::int64_t kPageBytes = 4096;

std::int64_t whole_pages(std::int64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

}  // namespace

std::unique_ptr<CacheFile> CacheFile::open(const std::filesystem::path& folder, std::int64_t most_bytes,
                                           const BlockLayout& layout) {
  CacheFolder cache(folder, most_bytes);
  std::optional<File> file = cache.open_file(layout);
  return file ? std::make_unique<CacheFile>(std::move(cache), layout, std::move(*file)) : nullptr;
}

CacheFile::CacheFile(CacheFolder folder, const BlockLayout& layout, File file)
    : folder_(std::move(folder)),
      layout_(layout),
      file_(std::move(file)),
      known_(static_cast<std::size_t>(layout.block_count() / 64 + 1)) {}

std::uint64_t CacheFile::read_seal(std::int64_t block) const {
  std::uint64_t seal = 0;
  file_.read_at(layout_.seal_offset(block), std::as_writable_bytes(std::span(&seal, 1)));
  return seal;
}

void CacheFile::set_known(std::int64_t block) const {
  known_[static_cast<std::size_t>(block / 64)].fetch_or(std::uint64_t{1} << (block % 64), std::memory_order_release);
}

void CacheFile::read_parts(std::int64_t offset, std::span<const std::span<std::byte>> parts) const {
  file_.read_parts_at(layout_.data_offset() + offset, parts);
}

AtHand CacheFile::read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept {
  return file_.read_parts_at_hand(layout_.data_offset() + offset, parts);
}

void CacheFile::start_read(std::int64_t offset, std::int64_t length) const noexcept {
  file_.start_read(layout_.data_offset() + offset, length);
}

BlockState CacheFile::verify(std::int64_t block, const Parts& to) const {
  // The seal first: another process writes it after the block.
  const std::uint64_t seal = read_seal(block);
  if (seal == 0) return BlockState::missing;
  const std::int64_t begin = layout_.begin_of(block), end = layout_.end_of(block);
  std::unique_ptr<std::byte[]> copy;
  std::byte* memory = to.in_one_part(begin, end);
  if (memory == nullptr) {
    copy = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(end - begin));
    memory = copy.get();
  }
  const std::span bytes(memory, static_cast<std::size_t>(end - begin));
  file_.read_at(layout_.data_offset() + begin, bytes);
  if (layout_.seal_of(block, bytes) != seal) return BlockState::damaged;
  if (copy) to.fill(begin, bytes);
  set_known(block);
  return BlockState::good;
}

bool CacheFile::keep(std::int64_t first, std::int64_t last, std::span<const std::byte> bytes) const {
  std::vector<std::uint64_t> seals;
  for (std::int64_t block = first; block <= last; ++block) {
    seals.push_back(layout_.seal_of(
        block, bytes.subspan(static_cast<std::size_t>(layout_.begin_of(block) - layout_.begin_of(first)),
                             static_cast<std::size_t>(layout_.bytes_of(block)))));
  }
  const auto seal_bytes = std::as_bytes(std::span(seals));
  const std::int64_t most_growth =
      whole_pages(std::ssize(bytes)) + whole_pages(std::ssize(seal_bytes)) + kPageBytes;  // the table's pages
  const bool has_grown = folder_.grow(file_, most_growth, [&] {
    file_.write_at(layout_.data_offset() + layout_.begin_of(first), bytes);
    file_.write_at(layout_.seal_offset(first), seal_bytes);
  });
  for (std::int64_t block = first; has_grown && block <= last; ++block) set_known(block);
  return has_grown;
}

}  // namespace octavo::block_cache
