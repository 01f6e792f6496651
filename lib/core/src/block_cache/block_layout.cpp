#include "block_cache/block_layout.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "support/hash.hpp"

namespace octavo::block_cache {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kMagic[8] = {'O', 'C', 'T', 'C', 'A', 'C', 'H', 'E'};
constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kExtension = ".octavo-cache";
constexpr std::size_t kNameDigits = 32;

std::uint64_t hash_text(const std::string& text) { return hash_bytes(std::as_bytes(std::span(text))); }

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose values look random.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

BlockLayout::BlockLayout(const std::string& source_name, const std::string& identity, std::int64_t length)
    : length_(length) {
  // The name of a source has no zero byte. Files of other versions have other names.
  const std::string text = source_name + '\0' + identity + '\0' + std::to_string(length) + ' ' +
                           std::to_string(kBlockBytes) + ' ' + std::to_string(kVersion);
  key_[0] = hash_text(text);
  key_[1] = hash_text("cache " + text);
  file_name_ = to_hex(key_[0]) + to_hex(key_[1]) + std::string(kExtension);
}

std::array<std::byte, kCacheHeaderBytes> BlockLayout::header() const {
  std::array<std::byte, kCacheHeaderBytes> header{};
  std::memcpy(header.data(), kMagic, sizeof kMagic);
  const std::uint64_t values[] = {kVersion, static_cast<std::uint64_t>(kBlockBytes),
                                  static_cast<std::uint64_t>(length_), key_[0], key_[1]};
  std::memcpy(header.data() + sizeof kMagic, values, sizeof values);
  return header;
}

std::uint64_t BlockLayout::seal_of(std::int64_t block, std::span<const std::byte> bytes) const {
  const std::uint64_t seal = hash_bytes(bytes) ^ mix(key_[0] + static_cast<std::uint64_t>(block));
  return seal == 0 ? 1 : seal;
}

bool is_cache_file_name(const std::string& name) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() == kNameDigits + kExtension.size() && name.ends_with(kExtension) &&
         std::all_of(name.begin(), name.begin() + kNameDigits, is_digit);
}

}  // namespace octavo::block_cache
