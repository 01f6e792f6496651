// A dataset file as seen by an HDF5 program that does not know Octavo.
#include <cstdio>
#include <octavo/dataset.hpp>
#include <sstream>

#include "catch.hpp"
#include "deflated_file.hpp"
#include "temporary_folder.hpp"

using octavo::test::TemporaryFolder;

namespace {

bool has_h5dump() { return std::system("command -v h5dump > /dev/null 2>&1") == 0; }

/// The output of h5dump with these arguments.
std::string h5dump(const std::filesystem::path& path, const std::string& arguments) {
  const std::string command = "h5dump " + arguments + " '" + path.string() + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text.push_back(static_cast<char>(c));
  REQUIRE(::pclose(pipe) == 0);
  return text;
}

/// The numbers of a dataset as h5dump prints them, without indices.
std::vector<long long> numbers_of(const std::filesystem::path& path, const std::string& dataset) {
  std::string text = h5dump(path, "-y -d " + dataset);
  text = text.substr(text.find("DATA {") + 6);
  for (char& c : text) c = c == ',' || c == '}' ? ' ' : c;
  std::istringstream stream(text);
  std::vector<long long> numbers;
  for (long long number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

TEST_CASE("h5dump shows the same pixels, labels and counts", "[unit][archive]") {
  if (!has_h5dump()) OCTAVO_SKIP("h5dump is not installed");
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  options.compression = GENERATE(octavo::Compression::none, octavo::Compression::deflate);
  octavo::test::write_small_file(folder / "a.h5", options);
  const auto codes = numbers_of(folder / "a.h5", "/train/images");
  REQUIRE(codes.size() == 20 * 60);
  for (std::size_t i = 0; i < codes.size(); ++i) REQUIRE(codes[i] + 128 == octavo::test::value_at(i));
  const auto labels = numbers_of(folder / "a.h5", "/train/labels");
  const auto expected = octavo::test::classes_of(0, 20);
  REQUIRE(labels == std::vector<long long>(expected.begin(), expected.end()));
  const auto counts = numbers_of(folder / "a.h5", "/train/histogram");
  const auto statistics = octavo::Dataset::open(folder / "a.h5").split("train").statistics();
  REQUIRE(counts == std::vector<long long>(statistics.histogram.begin(), statistics.histogram.end()));
}

TEST_CASE("h5dump shows deflated images and incompressible ones that are stored unchanged", "[unit][archive]") {
  if (!has_h5dump()) OCTAVO_SKIP("h5dump is not installed");
  const TemporaryFolder folder;
  for (const auto contents : {octavo::test::Contents::photo, octavo::test::Contents::noise}) {
    auto options = octavo::test::deflated_options({1, 256, 256}, 18);  // 2 chunks, one of them short
    options.replace_existing = true;
    octavo::test::write_deflated(folder / "a.h5", options, contents);
    const auto values = octavo::test::contents_of(contents, {1, 256, 256}, 0, 18);
    const auto codes = numbers_of(folder / "a.h5", "/train/images");
    REQUIRE(codes.size() == values.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) wrong += codes[i] + 128 != values[i];
    REQUIRE(wrong == 0);
    REQUIRE_THAT(h5dump(folder / "a.h5", "-p -A -d /train/images"),
                 ContainsSubstring("COMPRESSION DEFLATE { LEVEL 4 }"));
  }
}

TEST_CASE("h5dump shows attributes and class names and types", "[unit][archive]") {
  if (!has_h5dump()) OCTAVO_SKIP("h5dump is not installed");
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const std::string header = h5dump(folder / "a.h5", "-A");
  for (const char* words :
       {"ATTRIBUTE \"format\"", "(0): \"octavo\"", "ATTRIBUTE \"scale_factor\"", "ATTRIBUTE \"add_offset\"", "(0): 128",
        "(0): \"NCHW\"", "(0): \"rgb\"", "H5T_STD_I8LE", "( 20, 3, 4, 5 )", "H5T_CSET_UTF8"}) {
    REQUIRE_THAT(header, ContainsSubstring(words));
  }
  REQUIRE_THAT(h5dump(folder / "a.h5", "-d /classes"), ContainsSubstring("\"cat\\000"));
}
