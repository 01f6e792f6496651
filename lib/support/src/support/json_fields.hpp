// Reads the fields of an untrusted JSON object by name and type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/strict_json.hpp"

namespace octavo {

/// Every call throws FormatError with `where` and the field if the field is missing or has another type. Borrows the
/// JSON object.
class JsonFields {
 public:
  /// `where` begins the messages, such as "its index is invalid: split 0".
  JsonFields(const Json& json, std::string where);

  bool has(const char* key) const { return json_.contains(key); }
  const Json& array(const char* key) const;
  JsonFields object(const char* key) const { return JsonFields(at(key), where_ + "." + key); }
  bool boolean(const char* key) const;
  /// 0 ... 2^63 - 1.
  std::int64_t integer(const char* key) const { return integer_of(at(key), key); }
  std::vector<std::int64_t> integers(const char* key) const;
  /// Finite.
  std::vector<double> numbers(const char* key) const;
  /// At most 255 bytes without control characters.
  std::string text(const char* key) const { return text_of(at(key), key); }
  std::vector<std::string> texts(const char* key) const;
  /// 16 hex digits; nothing if the field is missing.
  std::optional<std::uint64_t> optional_hash(const char* key) const;

  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail(const char* key, std::string_view problem) const;

 private:
  const Json& at(const char* key) const;
  std::int64_t integer_of(const Json& value, const char* key) const;
  std::string text_of(const Json& value, const char* key) const;
  double number_of(const Json& value, const char* key) const;

  const Json& json_;
  std::string where_;
};

}  // namespace octavo
