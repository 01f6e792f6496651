// Iterating over the bytes of a stream for the JSON parser, so that no document is held in memory as a whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "files/byte_stream.hpp"

namespace octavo::sources {

/// A stream, read once from front to back.
class JsonBytes {
 public:
  /// At most `most_between` bytes may pass between two calls of note_progress(); this bounds what the parser collects.
  JsonBytes(files::ByteStream& stream, std::int64_t most_between) : stream_(stream), most_between_(most_between) {
    fill();
  }

  /// An input iterator; all iterators except the end share one position.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator() = default;
    explicit Iterator(JsonBytes& bytes) : bytes_(&bytes) {}
    char operator*() const { return static_cast<char>(bytes_->buffer_[bytes_->at_]); }
    Iterator& operator++() {
      bytes_->advance();
      return *this;
    }
    bool operator==(const Iterator& other) const { return is_at_end() == other.is_at_end(); }

   private:
    bool is_at_end() const { return bytes_ == nullptr || bytes_->at_ == bytes_->count_; }
    JsonBytes* bytes_ = nullptr;
  };

  Iterator begin() { return Iterator(*this); }
  Iterator end() const { return {}; }
  void note_progress() { since_progress_ = 0; }

 private:
  void advance();
  void fill();

  files::ByteStream& stream_;
  const std::int64_t most_between_;
  std::array<std::byte, std::size_t{64} << 10> buffer_{};
  std::size_t at_ = 0, count_ = 0;
  std::int64_t offset_ = 0;  ///< of the first byte after the buffer
  std::int64_t since_progress_ = 0;
};

}  // namespace octavo::sources
