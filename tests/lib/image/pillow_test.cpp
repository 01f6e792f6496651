// Photographs come out as Pillow's decode, crop and bilinear resize would have them.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "image/image_reader.hpp"
#include "shared_data.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
namespace fs = std::filesystem;

namespace {

constexpr int kMissingModule = 77;
constexpr std::int64_t kSide = 96;

std::vector<fs::path> photographs(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The comparison's exit status for samples of side x side pixels.
int compare(const std::vector<fs::path>& paths, std::int64_t side) {
  const test::TemporaryFolder folder;
  std::ofstream list(folder / "list"), raw(folder / "raw", std::ios::binary);
  const image::Target target = {{3, side, side}, true, Fit::crop, {0, 0, 0}};
  std::vector<std::uint8_t> values(static_cast<std::size_t>(target.shape.values()));
  for (const fs::path& path : paths) {
    const std::string file = read_whole_file(path, 1 << 30);
    image::read_sample(std::as_bytes(std::span(file)), {}, target, values);
    raw.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size()));
    list << path.string() << '\n';
  }
  list.close(), raw.close();
  // The system's own Python is the one that python3-pil is installed for.
  const std::string python = fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  const std::string script = OCTAVO_SOURCE_DIR "/tests/lib/image/compare_with_pillow.py";
  const std::string command = python + " '" + script + "' '" + (folder / "list").string() + "' '" +
                              (folder / "raw").string() + "' " + std::to_string(side) + " " + std::to_string(side);
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("photographs differ from Pillow's decode, crop and resize by at most 2 levels", "[unit][image]") {
  const auto data = test::shared_data("photos-caltech101");
  if (!data) OCTAVO_SKIP("no shared data");
  const int status = compare(photographs(*data), kSide);
  if (status == kMissingModule) OCTAVO_SKIP("no Pillow or NumPy");
  REQUIRE(status == 0);
}

TEST_CASE("photographs decoded at a reduced size still differ by at most 2 levels", "[unit][image]") {
  const auto data = test::shared_data("photos-caltech101");
  if (!data) OCTAVO_SKIP("no shared data");
  // 32 x 32 of photographs whose shorter side is about 200: decoded at a half, and some at a quarter.
  const int status = compare(photographs(*data), 32);
  if (status == kMissingModule) OCTAVO_SKIP("no Pillow or NumPy");
  REQUIRE(status == 0);
}
