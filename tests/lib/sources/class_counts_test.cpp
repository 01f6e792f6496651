#include "sources/lists/class_counts.hpp"

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A folder with the images 0.png to 24.png and a list of the first ones.
class LabeledImages {
 public:
  LabeledImages() {
    for (int i = 0; i < 25; ++i) write_file(folder_ / (std::to_string(i) + ".png"), gray_png(1));
  }

  /// Opens a list of `count` images; of image i, the label is `label` followed by i % `classes`.
  std::unique_ptr<Source> open_list(int count, int classes, const std::string& label,
                                    const SourceOptions& options = {}) {
    std::string text = "image,label\n";
    for (int i = 0; i < count; ++i) text += std::to_string(i) + ".png," + label + std::to_string(i % classes) + "\n";
    write_file(folder_ / "list.csv", text);
    return open(folder_ / "list.csv", options);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a list in which nearly each image has a class name of its own is an error", "[unit][pack]") {
  LabeledImages images;
  const int classes = GENERATE(25, 23);
  CHECK_THROWS_WITH(
      images.open_list(25, classes, "name "),
      ContainsSubstring("the labels are " + std::to_string(classes) + " classes for 25 images, such as \"name 0\"") &&
          ContainsSubstring("`label_column`, or confirm the classes with `label_kind=class`"));
  CHECK(images.open_list(25, classes, "name ", {.label_kind = LabelKind::class_index})->class_names().size() ==
        static_cast<std::size_t>(classes));
}

TEST_CASE("a list of few images, or with fewer classes than images, may have any class names", "[unit][pack]") {
  LabeledImages images;
  CHECK(images.open_list(19, 19, "name ")->class_names().size() == 19);
  CHECK(images.open_list(25, 22, "name ")->class_names().size() == 22);
}

TEST_CASE("class numbers that nearly each image has for itself are noted", "[unit][pack]") {
  LabeledImages images;
  CHECK(images.open_list(25, 25, "")->notes().remarks ==
        std::vector<std::string>{"the labels are 25 classes for 25 images, so nearly each image is its own class; "
                                 "`label_kind=target` makes the numbers targets, and `label_column` names another "
                                 "column"});
  CHECK(images.open_list(25, 25, "", {.label_kind = LabelKind::target})->notes().remarks.empty());
  CHECK(images.open_list(25, 22, "")->notes().remarks.empty());
}

TEST_CASE("class folders with one image each are noted", "[unit][pack]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) write_file(folder / std::string(1, static_cast<char>('a' + i)) / "1.png", gray_png(1));
  CHECK_THAT(to_json(open(folder.path())->notes()),
             ContainsSubstring("the class folders are 20 classes for 20 images, so nearly each image is its own"));
}
