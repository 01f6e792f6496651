#include <octavo/byte_source.hpp>

namespace octavo {

void ByteSource::read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const {
  for (const std::span<std::byte> part : parts) {
    read_at(offset, part);
    offset += static_cast<std::int64_t>(part.size());
  }
}

AtHand ByteSource::read_parts_at_hand(std::int64_t, std::span<const std::span<std::byte>>) const noexcept {
  return AtHand::unknown;
}

void ByteSource::start_read(std::int64_t, std::int64_t) const noexcept {}

}  // namespace octavo
