// Exports that are refused or stopped, and that they leave nothing behind.
#include <fstream>
#include <octavo/errors.hpp>
#include <octavo/export.hpp>
#include <stdexcept>

#include "catch.hpp"
#include "exported_file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

void write_gray_file(const fs::path& path) { write_file(path, {{"train", 40, {1, 6, 6}, {}, {}}}); }

}  // namespace

TEST_CASE("a non-empty folder is refused and stays unchanged", "[unit][export]") {
  const TemporaryFolder folder;
  write_gray_file(folder / "a.h5");
  fs::create_directory(folder / "out");
  std::ofstream(folder / "out" / "mine.txt") << "mine";
  CHECK_THROWS_AS(export_dataset(Dataset::open(folder / "a.h5"), folder / "out"), InvalidArgument);
  CHECK(fs::exists(folder / "out" / "mine.txt"));
  CHECK_THROWS_AS(export_dataset(Dataset::open(folder / "a.h5"), folder / "a.h5"), InvalidArgument);
}

TEST_CASE("a stopped export removes its files and folders", "[unit][export]") {
  const TemporaryFolder folder;
  write_gray_file(folder / "a.h5");
  ExportOptions options;
  options.format = GENERATE(ExportFormat::png, ExportFormat::npy);
  options.on_progress = [](const Progress&) { throw std::runtime_error("stop"); };
  CHECK_THROWS_WITH(export_dataset(Dataset::open(folder / "a.h5"), folder / "new" / "out", options), "stop");
  CHECK_FALSE(fs::exists(folder / "new"));
}

TEST_CASE("an empty folder is filled and emptied again if the export fails", "[unit][export]") {
  const TemporaryFolder folder;
  write_gray_file(folder / "a.h5");
  fs::create_directory(folder / "out");
  ExportOptions options;
  options.on_progress = [](const Progress&) { throw std::runtime_error("stop"); };
  CHECK_THROWS_WITH(export_dataset(Dataset::open(folder / "a.h5"), folder / "out", options), "stop");
  CHECK(fs::is_empty(folder / "out"));
  export_dataset(Dataset::open(folder / "a.h5"), folder / "out");
  CHECK(fs::exists(folder / "out" / "octavo.json"));
}

TEST_CASE("a damaged sample stops the export", "[unit][export]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", {{"train", 40, {1, 60, 60}, {}, {}}});
  {
    // Pixels begin after some kilobytes and make up most of the file, so its middle is a pixel.
    std::fstream file(folder / "a.h5", std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(fs::file_size(folder / "a.h5") / 2);
    file.seekg(middle);
    const int byte = file.get();
    file.seekp(middle);
    file.put(static_cast<char>(byte ^ 1));
  }
  CHECK_THROWS_AS(export_dataset(Dataset::open(folder / "a.h5"), folder / "out"), FormatError);
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("samples that a PNG cannot hold are refused with the remedy", "[unit][export]") {
  const TemporaryFolder folder;
  write_file(folder / "two.h5", {{"train", 1, {2, 2, 2}, {}, {}}});
  CHECK_THROWS_WITH(export_dataset(Dataset::open(folder / "two.h5"), folder / "out"),
                    ContainsSubstring("2 channels") && ContainsSubstring("npy"));
  CHECK_FALSE(fs::exists(folder / "out"));
}
