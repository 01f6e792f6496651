#include "support/json_fields.hpp"

#include <cmath>
#include <limits>

#include <octavo/errors.hpp>

#include "support/text/short_text.hpp"

namespace octavo {

JsonFields::JsonFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
  if (!json.is_object()) fail("is not an object");
}

void JsonFields::fail(const std::string& problem) const { throw FormatError(where_ + " " + problem); }

void JsonFields::fail(const char* key, std::string_view problem) const {
  throw FormatError(where_ + "." + key + " " + std::string(problem));
}

const Json& JsonFields::at(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) fail(key, "is missing");
  return *found;
}

const Json& JsonFields::array(const char* key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(key, "is not an array");
  return value;
}

bool JsonFields::boolean(const char* key) const {
  const Json& value = at(key);
  if (!value.is_boolean()) fail(key, "is not true or false");
  return value.get<bool>();
}

std::vector<std::int64_t> JsonFields::integers(const char* key) const {
  std::vector<std::int64_t> values;
  for (const Json& value : array(key)) values.push_back(integer_of(value, key));
  return values;
}

std::vector<double> JsonFields::numbers(const char* key) const {
  std::vector<double> values;
  for (const Json& value : array(key)) values.push_back(number_of(value, key));
  return values;
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  std::vector<std::string> values;
  for (const Json& value : array(key)) values.push_back(text_of(value, key));
  return values;
}

std::optional<std::uint64_t> JsonFields::optional_hash(const char* key) const {
  if (!has(key)) return std::nullopt;
  const std::string digits = text(key);
  if (digits.size() != 16 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    fail(key, "is not 16 hex digits");
  }
  return std::stoull(digits, nullptr, 16);
}

std::int64_t JsonFields::integer_of(const Json& value, const char* key) const {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargest) fail(key, "is not an integer below 2^63");
  return value.get<std::int64_t>();
}

std::string JsonFields::text_of(const Json& value, const char* key) const {
  if (!value.is_string()) fail(key, "is not a string");
  auto text = value.get<std::string>();
  if (const auto problem = text_problem(text)) fail(key, "is " + *problem);
  return text;
}

double JsonFields::number_of(const Json& value, const char* key) const {
  if (!value.is_number() || !std::isfinite(value.get<double>())) fail(key, "is not a finite number");
  return value.get<double>();
}

}  // namespace octavo
