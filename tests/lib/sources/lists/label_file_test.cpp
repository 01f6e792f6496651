// Labels in another file than the images.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "arrays/made_hdf5.hpp"
#include "catch.hpp"
#include "sources/made_files.hpp"
#include "sources/made_mat.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Classes = std::vector<std::int32_t>;

void write_images(const TemporaryFolder& folder, const std::string& name, int first = 0) {
  hdf5_in(
      folder,
      [&](hid_t file) {
        add_with(counting(24, first), file, "x", {2, 2, 2, 3});
      },
      name);
}
void write_labels(const TemporaryFolder& folder, const std::string& name, int first) {
  hdf5_in(
      folder,
      [&](hid_t file) {
        add_with(counting(2, first), file, "y", {2, 1, 1, 1});
      },
      name);
}

}  // namespace

TEST_CASE("PCam's files of labels belong to its files of images", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string start = "camelyonpatch_level_2_split_";
  for (const auto& [split, label] : {std::pair{"train", 3}, {"valid", 5}, {"test", 7}}) {
    write_images(folder, start + split + "_x.h5");
    write_labels(folder, start + split + "_y.h5", label);
  }
  const auto all = open(folder.path());
  REQUIRE(all->splits().size() == 3);
  CHECK(all->splits()[1].name == "val");
  CHECK(read_all(*all, 0).labels == Classes{3, 4});
  CHECK(read_all(*all, 1).labels == Classes{5, 6});
  CHECK(read_all(*all, 2).labels == Classes{7, 8});
  CHECK(all->files().size() == 6);
  const auto one = open(folder / (start + "test_x.h5"));
  CHECK(read_all(*one).labels == Classes{7, 8});
  CHECK(packing_notes(*one).empty());
}

TEST_CASE("a file next to the images is not their labels if it holds images or they have labels", "[unit][pack]") {
  const TemporaryFolder folder;
  write_images(folder, "train_x.h5");
  write_images(folder, "train_y.h5");
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("both look like split \"train\""));
  hdf5_in(
      folder,
      [&](hid_t file) {
        add_with(counting(24), file, "x", {2, 2, 2, 3});
        add_with(counting(2, 1), file, "y", {2});
      },
      "train_x.h5");
  write_labels(folder, "train_y.h5", 5);
  CHECK(read_all(*open(folder.path())).labels == Classes{1, 2});
  // MATLAB files are joined in the same way.
  const TemporaryFolder matlab;
  write_file(matlab / "X_train.mat", mat_file(mat_variable("X", {2, 2, 3, 2}, counting(24))));
  write_file(matlab / "y_train.mat", mat_file(mat_variable("y", {1, 2}, counting(2, 8))));
  CHECK(read_all(*open(matlab.path())).labels == Classes{8, 9});
}

TEST_CASE("a file of labels can be named for every file of arrays", "[unit][pack]") {
  const TemporaryFolder folder;
  write_images(folder, "a.h5");
  write_labels(folder, "b.h5", 5);
  write_file(folder / "a.npy", npy("|u1", "2, 1, 2", counting(4)));
  write_file(folder / "b.npy", npy("|u1", "2,", counting(2, 5)));
  write_file(folder / "c.npy", npy_texts({"ox", "cat"}));
  write_file(folder / "a-images-idx3-ubyte", idx({2, 1, 2}, counting(4)));
  write_file(folder / "a-labels-idx1-ubyte", idx({2}, counting(2, 1)));
  write_file(folder / "b.mat", mat_file(mat_variable("y", {1, 2}, counting(2, 5))));
  for (const char* images : {"a.h5", "a.npy", "a-images-idx3-ubyte"}) {
    for (const char* labels : {"b.h5", "b.npy", "b.mat"}) {
      INFO(images << " with " << labels);
      const auto source = open_source({{.path = folder / images, .label_file = folder / labels}}, {});
      CHECK(read_all(*source).labels == Classes{5, 6});
      CHECK(source->files().size() == 2);
    }
  }
  const auto named = open_source({{.path = folder / "a.npy", .label_file = folder / "c.npy"}}, {});
  CHECK(named->class_names() == std::vector<std::string>{"cat", "ox"});
  CHECK(read_all(*named).labels == Classes{1, 0});
  // After a file with one array, a name is that of the file of labels; so is a last name with an extension of arrays.
  CHECK(read_all(*open_source({{folder / "a.npy", "", folder / "b.npy"}}, {})).labels == Classes{5, 6});
  CHECK(read_all(*open_source({{folder / "a.npy", "", folder / "b.h5", "y"}}, {})).labels == Classes{5, 6});
  CHECK(read_all(*open_source({{folder / "a.h5", "", "x", folder / "b.npy"}}, {})).labels == Classes{5, 6});
}

TEST_CASE("a file of labels that does not fit is refused with the reason", "[unit][pack]") {
  const TemporaryFolder folder;
  write_images(folder, "a.h5");
  hdf5_in(
      folder,
      [](hid_t file) {
        add_with(counting(2), file, "one", {2});
        add_with(counting(2), file, "two", {2});
        add_with(counting(3), file, "three", {3});
      },
      "b.h5");
  const auto with = [&](const std::string& file, const std::string& array) {
    return open_source({{.path = folder / "a.h5", .labels = array, .label_file = folder / file}}, {});
  };
  CHECK(read_all(*with("b.h5", "/two")).labels == Classes{0, 1});
  CHECK_THROWS_WITH(with("b.h5", ""), ContainsSubstring("which array in") && ContainsSubstring("is ambiguous") &&
                                          ContainsSubstring("FILE::IMAGES::LABEL_FILE::LABELS"));
  CHECK_THROWS_WITH(with("b.h5", "none"), ContainsSubstring("there is no array \"none\" in"));
  CHECK_THROWS_WITH(with("b.h5", "three"), ContainsSubstring("there are 3, but there are 2 images"));
  CHECK_THROWS_WITH(with("none.h5", "y"), ContainsSubstring("none.h5"));
  write_file(folder / "labels.txt", "0\n1\n");
  CHECK_THROWS_AS(with("labels.txt", ""), Error);
  CHECK_THROWS_WITH(open_source({{.path = folder / "a.h5", .images = "x", .labels = "none.npy"}}, {}),
                    ContainsSubstring("there is no array \"none.npy\""));
  write_file(folder / "in" / "a.png", "");
  CHECK_THROWS_WITH(open_source({{.path = folder / "in", .label_file = folder / "b.h5"}}, {}),
                    ContainsSubstring("can have its labels in another file"));
}

TEST_CASE("text and objects next to .npy files are used or named", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images.npy", npy("|u1", "2, 1, 2", counting(4)));
  write_file(folder / "labels.npy", npy("|u1", "2,", counting(2)));
  write_file(folder / "class_names.npy", npy_texts({"ox", "cat"}));
  write_file(folder / "files.npy", npy("|O", "2,", "x"));
  const auto source = open(folder.path(), {.format = GENERATE("auto", "npy")});
  CHECK(read_all(*source).labels == Classes{0, 1});
  CHECK(source->class_names() == std::vector<std::string>{"ox", "cat"});
  const auto notes = packing_notes(*source);
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], ContainsSubstring("left out the file files.npy (Python objects) in"));
  CHECK_THAT(notes[1], ContainsSubstring("the classes are named by \"") && ContainsSubstring("class_names.npy\""));
}
