#include "sources/lists/json_bytes.hpp"

#include <string>

#include <octavo/errors.hpp>

namespace octavo::sources {

void JsonBytes::advance() {
  if (++since_progress_ > most_between_) {
    throw FormatError("something in it is longer than " + std::to_string(most_between_) + " bytes");
  }
  if (++at_ == count_) fill();
}

void JsonBytes::fill() {
  count_ = stream_.read_some_at(offset_, buffer_);
  offset_ += static_cast<std::int64_t>(count_);
  at_ = 0;
}

}  // namespace octavo::sources
