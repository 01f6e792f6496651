#include "support/strict_json.hpp"

#include <set>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

namespace octavo {
namespace {

constexpr std::size_t kMostDepth = 32;

/// Walks through a document without building it, and stops at the first violation.
class Gatekeeper : public nlohmann::json_sax<Json> {
 public:
  const std::string& problem() const { return problem_; }

  bool null() override { return count_value(); }
  bool boolean(bool) override { return count_value(); }
  bool number_integer(number_integer_t) override { return count_value(); }
  bool number_unsigned(number_unsigned_t) override { return count_value(); }
  bool number_float(number_float_t, const string_t&) override { return count_value(); }
  bool string(string_t&) override { return count_value(); }
  bool binary(binary_t&) override { return stop("contains binary data"); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    return keys_.back().insert(name).second || stop("has a duplicate key in one object");
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return stop("is not valid JSON at byte " + std::to_string(position));
  }

 private:
  bool count_value() { return ++value_count_ <= kMostJsonValues || stop("has too many values"); }
  bool open() {
    if (keys_.size() == kMostDepth) return stop("is nested too deeply");
    keys_.emplace_back();
    return count_value();
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  bool stop(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  std::vector<std::set<std::string>> keys_;  ///< keys of the open objects; empty for arrays
  std::size_t value_count_ = 0;
  std::string problem_;
};

}  // namespace

Json parse_strict_json(std::string_view text) {
  Gatekeeper gatekeeper;
  if (!Json::sax_parse(text.begin(), text.end(), &gatekeeper)) {
    throw FormatError("the JSON text " + gatekeeper.problem());
  }
  return Json::parse(text.begin(), text.end());
}

}  // namespace octavo
