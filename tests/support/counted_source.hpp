// A source of bytes in memory, which counts what is read from it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <octavo/byte_source.hpp>
#include <octavo/errors.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace octavo::test {

class CountedSource final : public ByteSource {
 public:
  using Range = std::pair<std::int64_t, std::int64_t>;  ///< offset and length

  explicit CountedSource(std::int64_t length, unsigned seed = 1) : bytes_(static_cast<std::size_t>(length)) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t value = random();
      std::memcpy(bytes_.data() + i, &value, std::min(sizeof value, bytes_.size() - i));
    }
  }

  explicit CountedSource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  std::string name() const override { return name_; }
  std::int64_t length() const override { return std::ssize(bytes_); }
  std::string identity() const override {
    ++identity_requests;
    return identity_;
  }
  void read_at(std::int64_t offset, std::span<std::byte> out) const override {
    if (before_read) before_read();
    if (offset < 0 || offset + std::ssize(out) > length()) throw IoError("read " + name_ + ": it ends before that");
    {
      const std::lock_guard lock(mutex_);
      reads_.emplace_back(offset, std::ssize(out));
    }
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  void start_read(std::int64_t offset, std::int64_t length) const noexcept override {
    const std::lock_guard lock(mutex_);
    started_.emplace_back(offset, length);
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  /// What was read, and what was started, since the last time.
  std::vector<Range> take_reads() const { return take(reads_); }
  std::vector<Range> take_started() const { return take(started_); }
  void set_identity(std::string identity) { identity_ = std::move(identity); }
  void set_name(std::string name) { name_ = std::move(name); }

  mutable std::atomic<int> identity_requests = 0;
  std::function<void()> before_read = {};

 private:
  std::vector<Range> take(std::vector<Range>& ranges) const {
    const std::lock_guard lock(mutex_);
    return std::exchange(ranges, {});
  }

  std::vector<std::byte> bytes_;
  std::string name_ = "memory://random", identity_ = "1";
  mutable std::mutex mutex_;
  mutable std::vector<Range> reads_, started_;
};

/// Whether [offset, offset + length) of `source` are these bytes.
inline bool reads_the_bytes_of(const ByteSource& source, const CountedSource& plain, std::int64_t offset,
                               std::int64_t length) {
  std::vector<std::byte> out(static_cast<std::size_t>(length), std::byte{0xEE});
  source.read_at(offset, out);
  return length == 0 || std::memcmp(out.data(), plain.bytes().data() + offset, out.size()) == 0;
}

/// Whether a random range does, read in one of the ways that readers use.
inline bool reads_a_random_range(const ByteSource& source, const CountedSource& plain, std::mt19937_64& random,
                                 std::int64_t most_bytes) {
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  const std::int64_t length = below(std::min(most_bytes, plain.length()) + 1);
  const std::int64_t offset = below(plain.length() - length + 1);
  if (below(3) == 0) return reads_the_bytes_of(source, plain, offset, length);
  std::vector<std::byte> out(static_cast<std::size_t>(length), std::byte{0xEE});
  std::vector<std::span<std::byte>> parts;
  for (std::span<std::byte> rest(out); !rest.empty();) {
    const auto part = std::min(rest.size(), static_cast<std::size_t>(1 + below(below(4) == 0 ? 100'000 : 3000)));
    parts.push_back(rest.first(part));
    rest = rest.subspan(part);
  }
  if (source.read_parts_at_hand(offset, parts) != AtHand::yes) {
    if (below(2) == 0) source.start_read(offset, length);
    source.read_parts_at(offset, parts);
  }
  return length == 0 || std::memcmp(out.data(), plain.bytes().data() + offset, out.size()) == 0;
}

}  // namespace octavo::test
