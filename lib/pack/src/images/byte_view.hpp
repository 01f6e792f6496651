// Bounds-checked reads of integers from untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <octavo/errors.hpp>

namespace octavo::images {

enum class ByteOrder { little, big };

/// The bytes end before the requested ones.
class CutShort : public FormatError {
 public:
  CutShort() : FormatError("it is cut short inside its header") {}
};

/// Borrows bytes and reads integers from them, little-endian by default. Every read function throws CutShort if the
/// bytes end before the integer does.
class ByteView {
 public:
  explicit ByteView(std::span<const std::byte> bytes, ByteOrder order = ByteOrder::little)
      : bytes_(bytes), order_(order) {}

  std::size_t byte_count() const { return bytes_.size(); }
  bool has(std::size_t at, std::size_t count) const { return at <= bytes_.size() && bytes_.size() - at >= count; }

  std::uint8_t u8(std::size_t at) const { return static_cast<std::uint8_t>(integer(at, 1)); }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(integer(at, 2)); }
  std::uint32_t u24(std::size_t at) const { return static_cast<std::uint32_t>(integer(at, 3)); }
  std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(integer(at, 4)); }
  std::int32_t i32(std::size_t at) const { return static_cast<std::int32_t>(u32(at)); }
  std::uint64_t u64(std::size_t at) const { return integer(at, 8); }

  std::span<const std::byte> part(std::size_t at, std::size_t count) const {
    if (!has(at, count)) throw CutShort();
    return bytes_.subspan(at, count);
  }

 private:
  std::uint64_t integer(std::size_t at, std::size_t count) const {
    const auto bytes = part(at, count);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = order_ == ByteOrder::big ? i : count - 1 - i;
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[next]);
    }
    return value;
  }

  std::span<const std::byte> bytes_;
  ByteOrder order_;
};

}  // namespace octavo::images
