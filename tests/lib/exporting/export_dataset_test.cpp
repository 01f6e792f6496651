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

TEST_CASE("an export returns notes on what the arrays do not have", "[unit][export]") {
  const TemporaryFolder folder;
  const auto labels = bytes_of(std::vector<std::int32_t>{0});
  WriterOptions options;
  options.class_names = {"cat"};
  options.splits = {{"train", {1, 2, 2}, {LabelKind::class_index, 1}, Color::gray, 1, false, {{0.5, 1.0}}, "float32"}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values(4, 1);
  writer.write(0, 0, values, labels);
  writer.finish("{}");
  const Dataset dataset = Dataset::open(folder / "a.h5");
  const std::string stored_bytes =
      "the export has the stored bytes; source values are scale * byte + zero_point, with the scale and zero_point of "
      "the dataset file";
  CHECK(export_dataset(dataset, folder / "images").notes == std::vector<std::string>{stored_bytes});
  CHECK(export_dataset(dataset, folder / "arrays", {.format = ExportFormat::npy}).notes ==
        std::vector<std::string>{stored_bytes, "arrays do not store class names; export PNG images to keep them"});
}
