#include "sources/lists/decoding/image_list_source.hpp"

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "shared_data.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

std::string names_of(const Source& source, std::size_t split = 0) {
  std::string text;
  for (std::int64_t row = 0; row < source.splits()[split].sample_count; ++row)
    text += source.sample_name(split, row) + " ";
  return text;
}

}  // namespace

TEST_CASE("a folder of class folders is read in byte order like torchvision does", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "b10/x.png", gray_png(3));
  write_file(folder / "b2/z.PNG", gray_png(5));
  write_file(folder / "b2/a/y.png", gray_png(6));
  write_file(folder / "b2/a-b/y.png", gray_png(7));
  write_file(folder / "B/x.png", gray_png(1));
  write_file(folder / "B/.hidden.png", "hidden");
  write_file(folder / "B/notes.txt", "ignored");
  write_file(folder / "empty/readme.md", "ignored");
  write_file(folder / ".git/x.png", "hidden");
  const auto source = open(folder.path());
  // Uppercase letters precede lowercase ones, '1' precedes '2', and a folder precedes one whose name it is a prefix of.
  REQUIRE(names_of(*source) == "B/x.png b10/x.png b2/z.PNG b2/a/y.png b2/a-b/y.png ");
  REQUIRE(source->class_names() == std::vector<std::string>{"B", "b10", "b2"});
  REQUIRE(source->splits()[0].name == "train");
  REQUIRE(source->splits()[0].shape == SampleShape{1, 1, 2});
  const Samples samples = read_all(*source);
  REQUIRE(samples.labels == std::vector<std::int32_t>{0, 1, 2, 2, 2});
  REQUIRE(samples.values == std::vector<std::uint8_t>{1, 1, 3, 3, 5, 5, 6, 6, 7, 7});
  REQUIRE_THAT(to_json(source->notes()), ContainsSubstring("\"ignored_files\":2"));
  REQUIRE_THAT(to_json(source->notes()), ContainsSubstring("\"folders_without_images\":[\"empty\"]"));
}

TEST_CASE("a note names the class folders without images", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a/1.png", "b/1.png"}) write_file(folder / name, gray_png(1));
  CHECK(packing_notes(*open(folder.path())).empty());
  fs::create_directories(folder / "zebra");
  CHECK(packing_notes(*open(folder.path())) == std::vector<std::string>{"1 folder has no images: zebra"});
  for (const char* const name : {"c", "d", "e", "f", "g"}) fs::create_directories(folder / name);
  CHECK(packing_notes(*open(folder.path())) ==
        std::vector<std::string>{"6 folders have no images: c, d, e, f, g, ..."});
}

TEST_CASE("a note names the subfolders that all class folders have", "[unit][pack]") {
  const auto noted = [](const std::vector<std::string>& names) {
    const TemporaryFolder folder;
    for (const std::string& name : names) write_file(folder / name, gray_png(1));
    return packing_notes(*open(folder.path()));
  };
  CHECK(noted({"cam1/crab/1.png", "cam1/fish/1.png", "cam2/crab/1.png", "cam2/fish/1.png", "cam2/eel/1.png"}) ==
        std::vector<std::string>{"the classes are the outer folders \"cam1\", \"cam2\", which all have the subfolders "
                                 "\"crab\", \"fish\"; if the inner ones are the classes, make them the outer folders"});
  CHECK(noted({"cat/images/1.png", "dog/images/1.png"}).empty());
}

TEST_CASE("a note says that the outer folders are the classes if images are in folders inside them", "[unit][pack]") {
  const auto noted = [](const std::vector<std::string>& names) {
    const TemporaryFolder folder;
    for (const std::string& name : names) write_file(folder / name, gray_png(1));
    return packing_notes(*open(folder.path()));
  };
  const auto note_on = [](const std::string& inner) {
    return std::vector<std::string>{
        "the classes are the outer folders \"cat\", \"dog\"; folders inside them, such as " + inner +
        ", are not classes; if the inner ones are the classes, make them the outer folders"};
  };
  CHECK(noted({"cat/a/1.png", "cat/b/1.png", "dog/c/1.png", "dog/d/1.png"}) == note_on("\"a\", \"b\", \"c\", ..."));
  CHECK(noted({"cat/a/1.png", "dog/b/1.png"}) == note_on("\"a\", \"b\""));
  CHECK(noted({"cat/a/1.png", "dog/a/1.png", "dog/1.png"}) == note_on("\"a\""));
  CHECK(noted({"cat/1.png", "dog/images/1.png"}).empty());
}

TEST_CASE("loose images and other files are counted as ignored", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/x.png", gray_png(1));
  for (const char* name : {"loose.png", "a/x.svg", "readme.txt", "a/b/x.psd"}) write_file(folder / name, "ignored");
  REQUIRE_THAT(to_json(open(folder.path())->notes()), ContainsSubstring("\"ignored_files\":4"));
}

TEST_CASE("files with any image extension are read by their contents", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string expected;
  for (const char* name :
       {"a.bmp", "b.GIF", "c.pam", "d.pbm", "e.pgm", "f.pnm", "g.ppm", "h.tif", "i.tiff", "j.webp"}) {
    write_file(folder / "a" / name, "P5 2 1 255 \x07\x09");
    expected += "a/" + std::string(name) + " ";
  }
  const auto source = open(folder.path());
  REQUIRE(names_of(*source) == expected);
  const Samples samples = read_all(*source);
  REQUIRE(samples.failures.empty());
  REQUIRE(samples.values[18] == 7);
  REQUIRE(samples.values[19] == 9);
}

TEST_CASE("other files next to and in split folders are counted as ignored", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"train/a/x.png", "val/a/x.png"}) write_file(folder / name, gray_png(1));
  for (const char* name : {"loose.png", "docs/deep/readme.txt", "train/loose.png", "val/a/x.svg"}) {
    write_file(folder / name, "ignored");
  }
  REQUIRE_THAT(to_json(open(folder.path())->notes()), ContainsSubstring("\"ignored_files\":4"));
}

TEST_CASE("ignored files of all sources are counted together", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"one/a/x.png", "two/a/x.png"}) write_file(folder / name, gray_png(1));
  for (const char* name : {"one/a/x.svg", "one/b.txt", "two/c.txt"}) write_file(folder / name, "ignored");
  const auto source = open_source({{folder / "one", "train"}, {folder / "two", "val"}}, {});
  REQUIRE_THAT(to_json(source->notes()), ContainsSubstring("\"ignored_files\":3"));
}

TEST_CASE("a note names the first ignored files", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"one/a/x.png", "two/a/x.png"}) write_file(folder / name, gray_png(1));
  for (const char* name : {"one/boxes.csv", "one/a/b/c.xml"}) write_file(folder / name, "ignored");
  const auto one = open(folder / "one");
  CHECK(packing_notes(*one).at(0) == "ignored 2 files that are not images in a class folder: a/b/c.xml, boxes.csv");
  CHECK_THAT(to_json(one->notes()), ContainsSubstring(R"("first_ignored_files":["a/b/c.xml","boxes.csv"])"));
  write_file(folder / "two/\x1B[31m.txt", "ignored");
  CHECK(packing_notes(*open(folder / "two")).at(0) ==
        "ignored 1 file that is not an image in a class folder: ?[31m.txt");
  for (const char* name : {"1", "2", "3"}) write_file(folder / "two" / name, "ignored");
  const auto both = open_source({{folder / "one", "train"}, {folder / "two", "val"}}, {});
  CHECK(packing_notes(*both).at(0) ==
        "ignored 6 files that are not images in a class folder: a/b/c.xml, boxes.csv, ?[31m.txt, 1, 2, ...");
}

TEST_CASE("class folders that look like splits are reported", "[unit][pack]") {
  const auto remarks_of = [](const std::vector<std::string>& paths) {
    const TemporaryFolder folder;
    for (const std::string& path : paths) {
      fs::create_directories((folder / path).parent_path());
      write_file(folder / path, gray_png(1));
    }
    return to_json(open_source({{folder.path()}}, {})->notes());
  };
  CHECK_THAT(remarks_of({"train_images/1.png", "Test-images/1.png"}),
             ContainsSubstring(R"(\"Test-images\", \"train_images\" became classes; if these are splits)"));
  CHECK_THAT(remarks_of({"cat/train/1.png", "cat/test/1.png", "dog/train/1.png"}),
             ContainsSubstring(R"(\"test\", \"train\" within classes were not treated as splits)"));
  CHECK_THAT(remarks_of({"trainer/1.png", "testament/1.png"}), !ContainsSubstring("remarks"));
}

TEST_CASE("a value range is refused if there are only images", "[unit][pack]") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "cat");
  write_file(folder / "cat/1.png", gray_png(1));
  const SourceOptions options = {.range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 4095.0}};
  REQUIRE_THROWS_WITH(open_source({{folder.path()}}, options), ContainsSubstring("omit `range`"));
}

TEST_CASE("classes can be sorted in natural order", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"class10/x.png", "class2/x.png"}) write_file(folder / name, gray_png(1));
  REQUIRE(open(folder.path(), {.class_order = ClassOrder::natural})->class_names() ==
          std::vector<std::string>{"class2", "class10"});
}

TEST_CASE("given class names determine the class numbers", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "cat/x.png", gray_png(1));
  const auto source = open(folder.path(), {.class_names = {"dog", "cat"}});
  REQUIRE(source->class_index(0, 0) == 1);
  REQUIRE_THROWS_WITH(open(folder.path(), {.class_names = {"dog"}}), ContainsSubstring("\"cat\" is not among"));
}

TEST_CASE("folders named train and valid and test are splits with common classes", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "test/b/x.png", gray_png(1));
  write_file(folder / "train/a/x.png", gray_png(2));
  write_file(folder / "train/b/x.png", gray_png(3));
  write_file(folder / "valid/x.png", gray_png(4));
  const auto source = open(folder.path());
  REQUIRE(source->splits().size() == 3);
  REQUIRE(source->splits()[0].name == "train");
  REQUIRE(source->splits()[1].name == "val");
  REQUIRE(source->splits()[1].labels.kind == LabelKind::none);
  REQUIRE(source->splits()[2].name == "test");
  REQUIRE(names_of(*source, 2) == "test/b/x.png ");
  REQUIRE(read_all(*source, 2).labels == std::vector<std::int32_t>{1});
}

TEST_CASE("folders named training and validation and testing are also splits", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"training/a/x.png", "validation/a/x.png", "Testing/a/x.png"}) {
    write_file(folder / name, gray_png(1));
  }
  const auto source = open(folder.path());
  REQUIRE(source->splits().size() == 3);
  REQUIRE(names_of(*source, 0) == "training/a/x.png ");
  REQUIRE(names_of(*source, 1) == "validation/a/x.png ");
  REQUIRE(names_of(*source, 2) == "Testing/a/x.png ");
}

TEST_CASE("images in another folder next to splits are refused instead of ignored", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train/a/x.png", gray_png(1));
  write_file(folder / "unlabeled/deep/x.png", gray_png(2));
  REQUIRE_THROWS_WITH(open(folder.path()), ContainsSubstring("the subfolder \"unlabeled\" holds images") &&
                                               ContainsSubstring("train=") && ContainsSubstring("other="));
  const auto split =
      open_source({{folder / "train", "train"}, {folder / "unlabeled", "other"}}, {.allow_mismatch = true});
  REQUIRE(split->splits().size() == 2);
  const auto classes = open_source({{folder.path(), "train"}}, {});
  REQUIRE(classes->class_names() == std::vector<std::string>{"train", "unlabeled"});
}

TEST_CASE("two folders of one split are refused with an image of each", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"val/a/x.png", "dev/a/x.png"}) write_file(folder / name, gray_png(1));
  REQUIRE_THROWS_WITH(open(folder.path()), ContainsSubstring("dev/a/x.png") && ContainsSubstring("val/a/x.png"));
}

TEST_CASE("splits can be named one by one", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "first/a/x.png", gray_png(1));
  write_file(folder / "second/b/x.png", gray_png(2));
  const auto source =
      open_source({{folder / "first", "train"}, {folder / "second", "extra"}}, {.allow_mismatch = true});
  REQUIRE(source->splits()[1].name == "extra");
  REQUIRE(source->class_names() == std::vector<std::string>{"a", "b"});
  REQUIRE_THROWS_WITH(open_source({{folder / "first", "x"}, {folder / "second", "x"}}, {}), ContainsSubstring("both"));
}

TEST_CASE("a class that train lacks is refused unless accepted or not selected", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const path : {"train/cat/1.png", "train/dog/1.png", "val/cat/1.png", "val/Dog/1.png"})
    write_file(folder / path, gray_png(1));
  CHECK_THROWS_WITH(open(folder.path()),
                    ContainsSubstring("check split \"val\": the class \"Dog\" is not in split \"train\" (there is "
                                      "\"dog\"); rename classes with `class_map`"));
  CHECK(open(folder.path(), {.allow_mismatch = true})->class_names().size() == 3);
  CHECK(open(folder.path(), {.class_map = {{"Dog", "dog"}}})->class_names().size() == 2);
  CHECK(open(folder.path(), {.select = "cat"})->splits().size() == 2);
  // Classes that only train has are usual.
  fs::remove_all(folder / "val/Dog");
  CHECK(open(folder.path())->splits().size() == 2);
}

TEST_CASE("there is one channel if all images are gray and three otherwise", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/gray.png", gray_png(9));
  REQUIRE(open(folder.path())->splits()[0].shape.channels == 1);
  REQUIRE(open(folder.path(), {.background = {1, 2, 3}})->splits()[0].shape.channels == 3);
  MadePng red = {.width = 2, .color_type = PNG_COLOR_TYPE_RGB};
  red.rows = {255, 0, 0, 255, 0, 0};
  write_file(folder / "a/red.png", made_png(red));
  const auto source = open(folder.path());
  REQUIRE(source->splits()[0].shape.channels == 3);
  REQUIRE(source->splits()[0].color == Color::rgb);
  REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{9, 9, 9, 9, 9, 9, 255, 255, 0, 0, 0, 0});
  REQUIRE(read_all(*open(folder.path(), {.channels = 1})).values == std::vector<std::uint8_t>{9, 9, 76, 76});
}

TEST_CASE("images of different sizes are named with the remedy", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/small.png", gray_png(1));
  write_file(folder / "a/tall.png", made_png({.width = 2, .height = 3, .rows = std::vector<std::uint8_t>(6)}));
  try {
    open(folder.path());
    FAIL("accepted");
  } catch (const InvalidArgument& error) {
    CHECK_THAT(error.what(), ContainsSubstring("small.png\" has height 1 and width 2"));
    CHECK_THAT(error.what(), ContainsSubstring("tall.png\" has height 3 and width 2"));
    CHECK_THAT(error.what(), ContainsSubstring("one height and width with `size`"));
  }
  const SourceOptions resized = {.size = {{4, 5}}};
  REQUIRE(open(folder.path(), resized)->splits()[0].shape == SampleShape{1, 4, 5});
  REQUIRE(read_all(*open(folder.path(), resized)).failures.empty());
}

TEST_CASE("an image that cannot be read stops the survey or becomes a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/good.png", gray_png(1));
  write_file(folder / "a/bad.png", "no image");
  REQUIRE_THROWS_WITH(open(folder.path()),
                      ContainsSubstring("bad.png\": it is not a JPEG, PNG, WebP, TIFF, GIF, BMP or PNM file"));
  const auto source = open(folder.path(), {.skip_unreadable = true});
  const Samples samples = read_all(*source);
  REQUIRE(samples.failures.size() == 1);
  REQUIRE(samples.failures[0].name == "a/bad.png");
  REQUIRE(samples.failures[0].reason == "it is not a JPEG, PNG, WebP, TIFF, GIF, BMP or PNM file");
  REQUIRE(samples.labels == std::vector<std::int32_t>{0, 0});
  REQUIRE(samples.values[3] == 1);
}

TEST_CASE("an image that changes after the survey is read as it is now or becomes a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.pgm", "P5 2 1 255 ab");
  write_file(folder / "a/2.pgm", "P5 2 1 255 ab");
  write_file(folder / "a/3.pgm", "P5 2 1 255 ab");
  const auto source = open(folder.path());
  write_file(folder / "a/1.pgm", "P5  2 1 255 cd");  // of another size, it is parsed again
  write_file(folder / "a/2.pgm", "P5  1 1 255 x");   // of the same size
  write_file(folder / "a/3.pgm", "P5  1 1 255  x");
  const Samples samples = read_all(*source);
  REQUIRE(samples.failures.size() == 2);
  CHECK(samples.failures[0].reason == "its pixels do not match its header; do not change images while they are packed");
  CHECK(samples.failures[1].reason == "it has 1x1 pixels, 2x1 were expected (width x height)");
  CHECK(samples.values[0] == 'c');
  CHECK(samples.values[1] == 'd');
}

TEST_CASE("images of formats that are not read are refused by name with a way to convert them", "[unit][pack]") {
  const std::string heic = std::string("\0\0\0\x18", 4) + "ftypheic" + std::string(4, '\0') + "mif1heic";
  const std::string way =
      "which is not supported; convert such files to PNG, for example with ImageMagick, `mogrify -format png FILES`, "
      "or in Python with ";
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", gray_png(1));
  write_file(folder / "a/2.HEIC", heic);
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("a/2.HEIC\": it is a HEIC (HEIF) image, " + way +
                                                           "pillow-heif, and remove the originals"));
  CHECK(read_all(*open(folder.path(), {.skip_unreadable = true})).failures.size() == 1);
  // Telephones also write such files with another extension.
  fs::rename(folder / "a/2.HEIC", folder / "a/2.jpg");
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("a/2.jpg\": it is a HEIC (HEIF) image, "));
  CHECK_THROWS_WITH(open(folder / "a/2.jpg"), ContainsSubstring("it is a HEIC (HEIF) image, "));
  fs::remove(folder / "a/2.jpg");
  write_file(folder / "list.csv", "id,label\n1,x\n2,y\n");
  write_file(folder / "images/2.avif", std::string("\0\0\0\x14", 4) + "ftypmif1" + std::string(4, '\0') + "avif");
  write_file(folder / "images/1.png", gray_png(1));
  CHECK_THROWS_WITH(open(folder / "list.csv"),
                    ContainsSubstring("images/2.avif\": it is an AVIF image, " + way + "Pillow"));
  fs::rename(folder / "images/2.avif", folder / "images/2.jxl");
  write_file(folder / "images/2.jxl", "\xFF\x0A" + std::string(20, '\0'));
  CHECK_THROWS_WITH(open(folder / "list.csv"),
                    ContainsSubstring("images/2.jxl\": it is a JPEG XL image, " + way + "pillow-jxl-plugin"));
}

TEST_CASE("circular links do not hang", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/x.png", gray_png(1));
  fs::create_directory_symlink(folder.path(), folder / "a/loop");
  fs::create_directory_symlink(folder / "a", folder / "a/self");
  const auto source = open(folder.path());
  REQUIRE(names_of(*source) == "a/x.png ");
}

TEST_CASE("a folder without images is reported as such", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/readme.txt", "x");
  REQUIRE_THROWS_WITH(open(folder.path()), ContainsSubstring("found no image files"));
}

TEST_CASE("the difficult files of a folder are read or skipped with a reason", "[unit][pack]") {
  const auto data = shared_data("odd");
  if (!data) OCTAVO_SKIP("no shared data");
  const SourceOptions options = {.size = {{16, 16}}, .skip_unreadable = true, .largest_image_pixels = 16u << 20};
  const auto source = open(*data, options);
  std::vector<std::string> failed;
  for (const SampleFailure& failure : read_all(*source).failures) {
    CHECK_FALSE(failure.reason.empty());
    failed.push_back(failure.name);
  }
  CHECK(std::count(failed.begin(), failed.end(), "made/truncated_half.jpg") == 1);
  CHECK(std::count(failed.begin(), failed.end(), "made-hostile/huge_claim.jpg") == 1);
  CHECK(std::count(failed.begin(), failed.end(), "made/UPPER.JPG") == 0);
}
