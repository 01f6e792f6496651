#include "sources/lists/decoding/listed_bytes.hpp"

#include <octavo/dataset.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "report/origin.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("the bytes of the source include the images and masks that a list names", "[unit][report]") {
  const TemporaryFolder folder;
  std::int64_t bytes = 0;
  for (const char* name : {"1.png", "2.png", "m.png", "list.csv", "unlisted.png"}) {
    const bool is_list = std::string(name) == "list.csv";
    write_file(folder / name, is_list ? "file,label,mask\n1.png,a,m.png\n2.png,b,m.png\n1.png,a,m.png\n" : gray_png(1));
    if (std::string(name) != "unlisted.png") bytes += static_cast<std::int64_t>(file_size(folder / name));
  }
  pack(*open(folder / "list.csv"), folder / "a.h5");
  report::Origin origin = report::origin_of(Dataset::open(folder / "a.h5"), "train");
  CHECK(report::bytes_of_files(origin) == bytes);
  // Files of older versions do not have the bytes of the images.
  origin.listed_bytes.reset();
  CHECK_FALSE(report::bytes_of_files(origin));
}

TEST_CASE("a source of a list counts only what was packed", "[unit][report]") {
  const TemporaryFolder folder;
  for (const char* name : {"1.png", "2.png"}) write_file(folder / name, gray_png(1));
  write_file(folder / "list.csv", "file,label\n1.png,a\n2.png,b\n");
  const auto source = open(folder / "list.csv", {.limit = 1});
  read_all(*source);
  CHECK(source->notes().listed_bytes == static_cast<std::int64_t>(file_size(folder / "1.png")));
}

TEST_CASE("a file counts once although some of its lines are not packed or several lists name it", "[unit][report]") {
  const TemporaryFolder folder;
  std::int64_t bytes = 0;
  for (const char* name : {"images/1.png", "images/2.png"}) {
    write_file(folder / name, gray_png(1));
    bytes += static_cast<std::int64_t>(file_size(folder / name));
  }
  const auto bytes_of = [](Source& source) {
    for (std::size_t split = 0; split < source.splits().size(); ++split) read_all(source, split);
    return source.notes().listed_bytes;
  };
  write_file(folder / "list.csv", "file,label\n1.png,a\n1.png,b\n2.png,b\n");
  CHECK(bytes_of(*open(folder / "list.csv", {.select = "b"})) == bytes);
  write_file(folder / "images/val.csv", "file,label\n1.png,a\n2.png,b\n");
  CHECK(bytes_of(*open_source({{folder / "list.csv", "train"}, {folder / "images/val.csv", "val"}}, {})) == bytes);
}
