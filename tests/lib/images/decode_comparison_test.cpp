// Every image file is decoded to the same pixels as with Pillow, under the conversions in docs/conversions.md.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "images/image_reader.hpp"
#include "python_script.hpp"
#include "shared_data.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
namespace fs = std::filesystem;

namespace {

/// Not gray, so that transparency is visible.
constexpr std::array<std::uint8_t, 3> kBackground = {10, 200, 90};

/// All files in the folders, as paths relative to `root`.
std::vector<std::string> files_in(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".txt" && entry.is_regular_file())
        files.push_back((fs::path(folder) / entry.path().filename()).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Decodes `path` to the file `raw`. Returns width, height, channels and `raw`, or the reason for refusing it. Throws
/// Unavailable.
std::string outcome(const fs::path& path, const fs::path& raw) {
  try {
    images::probe(path, {});
    const std::string file = read_whole_file(path, 1 << 30);
    const auto pixels = images::decode(std::as_bytes(std::span(file)), {}, kBackground);
    std::ofstream(raw, std::ios::binary)
        .write(reinterpret_cast<const char*>(pixels.values.data()), static_cast<std::streamsize>(pixels.values.size()));
    return std::to_string(pixels.width) + '\t' + std::to_string(pixels.height) + '\t' +
           std::to_string(pixels.channels) + '\t' + raw.string();
  } catch (const Unavailable&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
}

/// Runs the comparison and returns its exit status. Writes the table to `table` unless that is empty.
int compare(const fs::path& root, const std::vector<std::string>& files, const std::string& table) {
  const test::TemporaryFolder folder;
  std::ofstream manifest(folder / "manifest");
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      manifest << files[i] + '\t' + outcome(root / files[i], folder / (std::to_string(i) + ".raw")) + '\n';
    } catch (const Unavailable&) {
      continue;  // a build without the format's library, which no_..._decoder_test.cpp tests
    }
  }
  manifest.close();
  std::vector<std::string> arguments = {root.string(), (folder / "manifest").string()};
  if (!table.empty()) arguments.push_back(table);
  return test::run_python("compare_decodes.py", arguments);
}

}  // namespace

TEST_CASE("difficult files are decoded as by Pillow", "[unit][image]") {
  const auto data = test::shared_data("odd");
  if (!data) OCTAVO_SKIP("no shared data");
  const auto files = files_in(
      *data, {"jpeg-broken", "jpeg-exif", "jpeg-mode", "made", "made-hostile", "other-format", "png", "pngsuite"});
  REQUIRE(files.size() > 240);
  const char* const table = std::getenv("OCTAVO_ODD_TABLE");
  const int status = compare(*data, files, table == nullptr ? "" : table);
  if (status == test::kMissingModule) OCTAVO_SKIP("no Pillow or NumPy");
  REQUIRE(status == 0);
}

TEST_CASE("files that Pillow writes in each format are decoded as by Pillow", "[unit][image]") {
  const test::TemporaryFolder folder;
  const int made = test::run_python("make_with_pillow.py", {folder.path().string()});
  if (made == test::kMissingModule) OCTAVO_SKIP("no Pillow or NumPy");
  REQUIRE(made == 0);
  const auto files = files_in(folder.path(), {""});
  REQUIRE(files.size() > 80);
  REQUIRE(compare(folder.path(), files, "") == 0);
}
