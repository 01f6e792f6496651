#include "format/index/index.hpp"

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "forge.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::Json;
using octavo::test::TemporaryFolder;

namespace {

/// The error message when a file is refused.
std::string opening_refusal(const std::filesystem::path& path) {
  try {
    octavo::Dataset::open(path);
  } catch (const octavo::FormatError& problem) {
    return problem.what();
  }
  return "opened";
}

/// Changes the index of a new file, and requires that it is refused with a message that contains `words`.
void require_refused(const std::string& words, const std::function<void(Json&)>& change) {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  octavo::test::forge_index(folder / "a.h5", change);
  const std::string message = opening_refusal(folder / "a.h5");
  REQUIRE_THAT(message, ContainsSubstring("its index is invalid") || ContainsSubstring("the JSON text"));
  REQUIRE_THAT(message, ContainsSubstring(words));
  REQUIRE_THAT(message, ContainsSubstring("a.h5\""));
}

Json& datasets(Json& json) { return json["splits"][0]["datasets"]; }

}  // namespace

TEST_CASE("an encoded index is decoded to the same index", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  options.splits[0].quantization = {{0.1, 3.0}, {1e-300, -0.0}, {7.0, 1.0 / 3.0}};
  octavo::test::write_small_file(folder / "a.h5", options);
  const std::string text = octavo::test::index_text_of(folder / "a.h5");
  const auto index = octavo::dataset_file::decode_index(text);
  REQUIRE(octavo::dataset_file::encode_index(index) == text);
  REQUIRE(index.splits[0].quantization == options.splits[0].quantization);
}

TEST_CASE("unknown keys in the index are ignored", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  Json json = Json::parse(octavo::test::index_text_of(folder / "a.h5"));
  json["later"] = {1, 2, {{"x", nullptr}}};
  json["splits"][0]["later"] = "y";
  json["splits"][0]["datasets"]["images"]["later"] = true;
  REQUIRE_NOTHROW(octavo::dataset_file::decode_index(json.dump()));
}

TEST_CASE("an index with a wrong offset or size is refused", "[unit][archive]") {
  for (const char* name : {"images", "labels", "checksums", "histogram", "mean_image"}) {
    for (const Json& offset : {Json(-1), Json(0), Json(4095), Json(1e300), Json(0.5), Json("4096"), Json(nullptr),
                               Json(std::uint64_t{1} << 63), Json(UINT64_MAX), Json(INT64_MAX), Json(1 << 30)}) {
      require_refused(name, [&](Json& json) { datasets(json)[name]["offset"] = offset; });
    }
    for (const Json& bytes : {Json(-1), Json(0), Json(1), Json(std::uint64_t{1} << 63), Json(INT64_MAX)}) {
      require_refused(name, [&](Json& json) { datasets(json)[name]["bytes"] = bytes; });
    }
  }
}

TEST_CASE("overlapping datasets are refused", "[unit][archive]") {
  require_refused("another dataset",
                  [](Json& json) { datasets(json)["labels"]["offset"] = datasets(json)["images"]["offset"]; });
  require_refused("another dataset", [](Json& json) {
    datasets(json)["labels"]["offset"] = datasets(json)["images"]["offset"].get<std::int64_t>() + 1199;
  });
  require_refused("another dataset",
                  [](Json& json) { datasets(json)["labels"]["offset"] = json["provenance"]["offset"]; });
}

TEST_CASE("wrong counts and shapes are refused", "[unit][archive]") {
  for (const Json& count : {Json(0), Json(-1), Json(19), Json(21), Json(1.5), Json(INT64_MAX), Json(UINT64_MAX)}) {
    require_refused("", [&](Json& json) { json["splits"][0]["samples"] = count; });
  }
  for (const Json& shape :
       {Json({3, 4}), Json({3, 4, 5, 1}), Json({0, 4, 5}), Json({3, 5, 5}), Json({4097, 1, 1}), Json({3, INT64_MAX, 5}),
        Json({1, std::int64_t{1} << 32, std::int64_t{1} << 32}), Json("x"), Json({3, "4", 5}), Json::array()}) {
    require_refused("", [&](Json& json) { json["splits"][0]["shape"] = shape; });
  }
  // 2^62 samples of 4 values: the product wraps to 0 in 64 bits.
  require_refused("more than a file can hold", [](Json& json) {
    json["splits"][0]["samples"] = std::int64_t{1} << 62;
    json["splits"][0]["shape"] = {1, 2, 2};
  });
}

TEST_CASE("mismatched statistics and labels are refused", "[unit][archive]") {
  require_refused("", [](Json& json) { json["splits"][0]["mean"] = {1.0}; });
  require_refused("", [](Json& json) { json["splits"][0]["std"] = {1.0, 2.0, nullptr}; });
  require_refused("", [](Json& json) { json["splits"][0]["scale"] = {1.0, 1.0}; });
  require_refused("", [](Json& json) { json["splits"][0]["scale"] = {1.0, 0.0, 1.0}; });
  require_refused("label_kind", [](Json& json) { json["splits"][0]["label_kind"] = "words"; });
  require_refused("", [](Json& json) { json["splits"][0]["label_kind"] = "none"; });
  require_refused("", [](Json& json) { json["splits"][0]["label_width"] = 2; });
  require_refused("labels", [](Json& json) { datasets(json).erase("labels"); });
  require_refused("color", [](Json& json) { json["splits"][0]["color"] = "blue"; });
}

TEST_CASE("invalid splits are refused", "[unit][archive]") {
  require_refused("splits", [](Json& json) { json["splits"] = Json::array(); });
  require_refused("", [](Json& json) { json["splits"].push_back(json["splits"][0]); });
  require_refused("", [](Json& json) { json["splits"][0] = 7; });
  for (const char* name : {"", "..", "a/b", "index", "a\nb"}) {
    require_refused("", [&](Json& json) { json["splits"][0]["name"] = name; });
  }
}

TEST_CASE("a missing key is named", "[unit][archive]") {
  for (const char* key :
       {"format", "format_version", "encoding", "uuid", "created", "writer", "provenance", "splits"}) {
    require_refused(key, [&](Json& json) { json.erase(key); });
  }
  for (const char* key : {"name", "samples", "shape", "label_kind", "label_width", "color", "source_dtype", "scale",
                          "zero_point", "mean", "std", "datasets"}) {
    require_refused(key, [&](Json& json) { json["splits"][0].erase(key); });
  }
  require_refused("classes", [](Json& json) { json.erase("classes"); });
  require_refused("classes", [](Json& json) { json.erase("class_names"); });
  require_refused("hash", [](Json& json) { json["provenance"].erase("hash"); });
  require_refused("hash", [](Json& json) { json["provenance"]["hash"] = "0123456789ABCDEF"; });
}

TEST_CASE("an encoding that this build does not know is refused", "[unit][archive]") {
  require_refused("update Octavo", [](Json& json) { json["encoding"] = "zstd"; });
}

TEST_CASE("class names that do not match their dataset are refused", "[unit][archive]") {
  require_refused("/classes", [](Json& json) { json["class_names"].push_back("mouse"); });
  require_refused("class_names", [](Json& json) { json["class_names"][0] = "a\tb"; });
  require_refused("class_names", [](Json& json) { json["class_names"][0] = std::string(256, 'x'); });
}

TEST_CASE("text that is not strict JSON is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const std::string whole = octavo::test::index_text_of(folder / "a.h5");
  const std::string text =
      GENERATE_COPY(std::string(), std::string("{"), std::string("[]"), std::string("null"), whole + "x",
                    whole.substr(0, whole.size() - 1), "{\"format\":\"octavo\"," + whole.substr(1),
                    "{\"a\":{\"b\":1,\"b\":1}," + whole.substr(1), "{\"a\":\"\xFF\"," + whole.substr(1),
                    "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "," + whole.substr(1),
                    std::string(1'000'000, '['), std::string(1'000'000, '{'), "{\"a\":NaN," + whole.substr(1),
                    "{\"a\":1e999," + whole.substr(1));
  octavo::test::replace_index(folder / "a.h5", text);
  REQUIRE_THAT(opening_refusal(folder / "a.h5"), ContainsSubstring("a.h5\""));
}
