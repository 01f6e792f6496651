#include "sources/lists/folders/folder_images.hpp"

#include "catch.hpp"
#include "images/made_images.hpp"
#include "sources/counting_tree.hpp"
#include "sources/lists/table/list_discovery.hpp"
#include "sources/lists/table/listed_file.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::sources;
using namespace octavo::test;

namespace {

using Places = std::vector<std::size_t>;

}  // namespace

TEST_CASE("images are found by the ends of their paths in any case", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"12.png", "a/12.PNG", "a/112.png", "b/c/A/12.jpg", "b/x.txt", "d.png/e"}) {
    write_file(folder / name, "");
  }
  FolderImages images;
  images.list(*files::open_folder(folder.path()), "");
  REQUIRE(images.paths() == std::vector<std::string>{"12.png", "a/112.png", "a/12.PNG", "b/c/A/12.jpg"});
  CHECK(images.with_path("12") == Places{0});
  CHECK(images.with_path("A/12") == Places{2});
  CHECK(images.with_path("2").empty());
  CHECK(images.ending_with("12") == Places{0, 2, 3});
  CHECK(images.ending_with("a/12") == Places{2, 3});
  CHECK(images.ending_with("c/a/12") == Places{3});
  CHECK(images.ending_with("b/a/12").empty());
  CHECK(without_image_extension("a.b/c.d.png") == "a.b/c.d");
  CHECK(without_image_extension("a.b/c.d") == "a.b/c.d");
}

TEST_CASE("a name costs no more look-ups if many folders have an image of that name", "[unit][pack]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) write_file(folder / ("p" + std::to_string(i) + "/image.png"), "");
  write_file(folder / "list.csv", "");
  CountingTree tree(files::open_folder(folder.path()));
  ListedFiles files(tree, "list.csv", kListedImages);
  files.search_everywhere();
  const auto looks_for = [&](const std::string& named) {
    const std::int64_t before = tree.has_file_count;
    files.find(named);
    return tree.has_file_count - before;
  };
  const std::int64_t absent = looks_for("absent");
  CHECK(looks_for("P7/image") == absent + 1);
  CHECK(looks_for("image") == absent + 2);
  CHECK(looks_for("image") == absent);
  CHECK(files.why_not_found("image").starts_with("the image \"image\" could be \"p0/image.png\" or \"p1/image.png\""));
  CHECK(tree.walk_count == 1);
}

TEST_CASE("all tables of a folder share one listing of its images", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images/photo.png", gray_png(1));
  for (const char* name : {"a.csv", "b.csv", "c.json"}) {
    write_file(folder / name, std::string(name) == "c.json" ? "[{\"id\": \"x\"}]" : "id,value\nx,1\ny,2\n");
  }
  const CountingTree tree(files::open_folder(folder.path()));
  CHECK(find_lists(tree, "", {}).lists.empty());
  CHECK(tree.walk_count == 1);
}
