// Files with a forged header or index but correct hashes, as an attacker or a broken program would make them. Each is
// refused when opened or reported by verify(), and none causes a crash, a hang or wrong data.
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>

#include "../lib/dataset_file/forge.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "format/index/metadata_hash.hpp"
#include "served_data.hpp"
#include "tally.hpp"

using namespace octavo::test;
using octavo::Json;

namespace {

/// Writes two splits that use all features: names, class names, labels of two kinds.
void write_victim(const std::filesystem::path& path) {
  auto options = small_options(20);
  options.splits[0].with_names = true;
  options.splits.push_back(small_split("val", 8));
  options.splits[1].labels = {octavo::LabelKind::target, 2};
  octavo::Writer writer(path, options);
  auto values = values_of(options.splits[0].shape, 0, 20);
  const auto classes = classes_of(0, 20);
  const std::vector<std::string> names(20, "some name");
  writer.write(0, 0, values, std::as_bytes(std::span(classes)), names);
  auto other_values = values_of(options.splits[1].shape, 100, 8);
  const std::vector<float> targets(16, 0.25f);
  writer.write(1, 0, other_values, std::as_bytes(std::span(targets)));
  writer.finish("{}");
}

/// Corrects the metadata hash too, if the index allows computing it.
void mend_metadata_hash(const std::filesystem::path& path) {
  try {
    auto header = header_of(path);
    const octavo::File file = octavo::File::open_for_reading(path);
    const auto index = octavo::dataset_file::read_index(file, header);
    header.metadata_hash = octavo::dataset_file::metadata_hash(file, header, index);
    write_header(path, header);
  } catch (const octavo::FormatError&) {
    return;  // the file is refused before the hash is checked
  }
}

/// How a forgery was detected.
enum class Found { at_open, by_verify, not_at_all };

/// Lists JSON pointers to all values in a document.
void list_places(const Json& json, const std::string& place, std::vector<std::string>& places) {
  if (!place.empty()) places.push_back(place);
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) list_places(value, place + "/" + key, places);
}

/// Values that a forger might substitute for `value`.
std::vector<Json> forged_values(const Json& value) {
  std::vector<Json> values = {nullptr, true, -1, "x", Json::array(), Json::object(), Json::array({1, 2, 3, 4})};
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    for (const std::int64_t near : {number - 4096, number - 8, number - 1, number + 1, number + 8, number + 4096}) {
      values.emplace_back(near);
    }
    for (const int power : {31, 32, 62}) {
      const std::int64_t large = std::int64_t{1} << power;
      values.insert(values.end(), {Json(large - 1), Json(large), Json(large + 1)});
    }
    values.insert(values.end(), {Json(0), Json(INT64_MAX), Json(std::uint64_t{1} << 63), Json(UINT64_MAX), Json(0.5),
                                 Json(1e300), Json(2 * number)});
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    values.insert(values.end(), {Json(number + 1), Json(-number), Json(0.0), Json(1e308), Json(number * (1 + 1e-15))});
  } else if (value.is_string()) {
    const auto text = value.get<std::string>();
    values.insert(values.end(), {Json(""), Json(text + "x"), Json(std::string(256, 'x')), Json("\x01"), Json("../a"),
                                 Json("0123456789abcdef")});
  } else if (value.is_array()) {
    Json longer = value;
    longer.push_back(value.empty() ? Json(1) : value[0]);
    values.push_back(longer);
    Json shorter = value;
    if (!shorter.empty()) shorter.erase(shorter.size() - 1);
    values.push_back(shorter);
  }
  std::erase(values, value);
  return values;
}

/// A dataset file that can be forged and reset repeatedly.
class Forgery {
 public:
  Forgery() {
    write_victim(path());
    whole_ = bytes_of_file(path());
    expected_ = serve_file(path());
    index_ = Json::parse(index_text_of(path()));
  }
  std::filesystem::path path() const { return folder_ / "a.h5"; }
  const Json& index() const { return index_; }
  octavo::dataset_file::Header header() const { return header_of(path()); }
  void reset() const { write_bytes(path(), whole_); }

  /// Checks how the forged file is handled, counts how the forgery was detected, and returns the problem or empty.
  std::string judge(bool with_hdf5 = true) {
    if (serves_other_data(path(), expected_)) return "wrong data is served";
    const Found found = find_out(with_hdf5);
    ++count_[static_cast<std::size_t>(found)];
    return found == Found::not_at_all ? "the forgery was not detected" : "";
  }
  std::int64_t count_at_open() const { return count_[0]; }
  std::int64_t count_by_verify() const { return count_[1]; }

 private:
  Found find_out(bool with_hdf5) const {
    try {
      octavo::Dataset::open(path());
    } catch (const octavo::FormatError&) {
      return Found::at_open;
    }
    const auto result = octavo::verify(path(), {.thread_count = 1, .with_hdf5 = with_hdf5});
    return result.defect_count > 0 ? Found::by_verify : Found::not_at_all;
  }

  TemporaryFolder folder_;
  std::vector<std::byte> whole_;
  ServedData expected_;
  Json index_;
  std::int64_t count_[3] = {};
};

void forge(const Forgery& forgery, const Json& index) {
  forgery.reset();
  replace_index(forgery.path(), index.dump());
  mend_metadata_hash(forgery.path());
}

}  // namespace

TEST_CASE("an index with any one value forged is refused or reported despite correct hashes", "[faults][forged]") {
  Forgery forgery;
  std::vector<std::string> places;
  list_places(forgery.index(), "", places);
  Tally tally("4 a value of the index forged");
  std::int64_t number = 0;
  for (const std::string& place : places) {
    const Json::json_pointer pointer(place);
    for (const Json& value : forged_values(forgery.index()[pointer])) {
      if (++number % place_step(20) != 0 || !tally.has_time()) continue;
      Json index = forgery.index();
      index[pointer] = value;
      forge(forgery, index);
      const std::string problem = forgery.judge();
      tally.add(problem.empty() ? "" : problem + ": " + place + " = " + value.dump());
    }
  }
  INFO(forgery.count_at_open() << " were refused, " << forgery.count_by_verify() << " reported by verify");
  CHECK(tally.count() * place_step(20) >= 400);
  CHECK(forgery.count_at_open() > 0);
  CHECK(tally.failures() == kNone);
}

TEST_CASE("a header with any one field forged is refused despite its correct hash", "[faults][forged]") {
  using octavo::dataset_file::Header;
  Forgery forgery;
  const Header whole = forgery.header();
  Tally tally("4 a field of the header forged");
  for (auto field : {&Header::version, &Header::file_length, &Header::index_offset, &Header::index_length}) {
    for (const Json& value : forged_values(Json(whole.*field))) {
      if (!value.is_number_integer() || value.is_number_unsigned()) continue;
      forgery.reset();
      Header header = whole;
      header.*field = value.get<std::int64_t>();
      write_header(forgery.path(), header);
      const std::string problem = forgery.judge();
      tally.add(problem.empty() ? "" : problem + ": " + value.dump());
    }
  }
  for (auto field : {&Header::index_hash, &Header::metadata_hash}) {
    forgery.reset();
    Header header = whole;
    header.*field ^= 1;
    write_header(forgery.path(), header);
    tally.add(forgery.judge());
  }
  CHECK(tally.failures() == kNone);
}

TEST_CASE("an index with swapped datasets is refused or reported despite correct hashes", "[faults][forged]") {
  Forgery forgery;
  const std::vector<std::string> all = {"images", "labels", "checksums", "histogram", "mean_image"};
  Tally tally("4 two datasets of the index exchanged");
  for (const std::string& a : all) {
    for (const std::string& b : all) {
      for (const int split : {0, 1}) {
        Json index = forgery.index();
        Json& one = index["splits"][0]["datasets"][a];
        Json& other = index["splits"][split]["datasets"][b];
        if (one == other) continue;
        std::swap(one, other);
        forge(forgery, index);
        const std::string problem = forgery.judge();
        tally.add(problem.empty() ? "" : problem + ": " + a + " and " + b + " of split " + std::to_string(split));
      }
    }
  }
  CHECK(tally.failures() == kNone);
}

TEST_CASE("an index with several values forged at random is refused or reported", "[faults][forged]") {
  Forgery forgery;
  std::vector<std::string> places;
  list_places(forgery.index(), "", places);
  Tally tally("4 several values of the index forged", true);
  const std::int64_t count = case_count(500, 1'000'000);
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    Json index = forgery.index();
    for (std::int64_t left = 2 + below(random, 3); left > 0; --left) {
      const auto& place = places[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(places.size())))];
      const Json::json_pointer pointer(place);
      if (!index.contains(pointer)) continue;  // removed together with its parent
      const auto values = forged_values(index[pointer]);
      index[pointer] = values[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(values.size())))];
    }
    forge(forgery, index);
    const std::string problem = forgery.judge();
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i) + ": " + index.dump());
  }
  CHECK(tally.failures() == kNone);
}
