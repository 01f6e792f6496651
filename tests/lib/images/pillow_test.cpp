// Photographs match the result of Pillow's decode, crop and bilinear resize.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "images/image_reader.hpp"
#include "python_script.hpp"
#include "shared_data.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSide = 96;

std::vector<fs::path> photographs(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Runs the comparison for samples of side x side pixels, and returns its exit status.
int compare(const std::vector<fs::path>& paths, std::int64_t side) {
  const test::TemporaryFolder folder;
  std::ofstream list(folder / "list"), raw(folder / "raw", std::ios::binary);
  const images::Target target = {{3, side, side}, true, Fit::crop, {0, 0, 0}};
  std::vector<std::uint8_t> values(static_cast<std::size_t>(target.shape.values()));
  for (const fs::path& path : paths) {
    const std::string file = read_whole_file(path, 1 << 30);
    const auto bytes = std::as_bytes(std::span(file));
    images::read_sample(bytes, images::checked_header(bytes, {}), target, nullptr, values);
    raw.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size()));
    list << path.string() << '\n';
  }
  list.close(), raw.close();
  return test::run_python("compare_with_pillow.py", {(folder / "list").string(), (folder / "raw").string(),
                                                     std::to_string(side), std::to_string(side)});
}

}  // namespace

TEST_CASE("photographs differ from Pillow's decode and crop and resize by at most 2 levels", "[unit][image]") {
  const auto data = test::shared_data("photos-caltech101");
  if (!data) OCTAVO_SKIP("no shared data");
  const int status = compare(photographs(*data), kSide);
  if (status == test::kMissingModule) OCTAVO_SKIP("no Pillow or NumPy");
  REQUIRE(status == 0);
}

TEST_CASE("photographs decoded at a reduced size still differ by at most 2 levels", "[unit][image]") {
  const auto data = test::shared_data("photos-caltech101");
  if (!data) OCTAVO_SKIP("no shared data");
  // 32 x 32 samples of photographs with a shorter side of about 200: decoded at 1/2 size, and some at 1/4.
  const int status = compare(photographs(*data), 32);
  if (status == test::kMissingModule) OCTAVO_SKIP("no Pillow or NumPy");
  REQUIRE(status == 0);
}
