#include <octavo/errors.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "images/mask_reader.hpp"
#include "png/png_writer.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A gray PNG of `width` x 2 pixels of one value.
std::string png_of(std::uint8_t value, std::int64_t width = 3) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(2 * width), value);
  const auto bytes = png::encode({width, 2, 1, pixels});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A photo of 16 x 8 stored pixels with an EXIF orientation, and a mask of other sides whose first pixel is 1.
void write_photo(const TemporaryFolder& folder, int orientation, std::int64_t mask_width, std::int64_t mask_height) {
  MadeJpeg photo = two_halves(200, 100);
  photo.orientation = orientation;
  write_file(folder / "images/a.jpg", made_jpeg(photo));
  std::vector<std::uint8_t> pixels(128, 0);
  pixels[0] = 1;
  const auto bytes = png::encode({mask_width, mask_height, 1, pixels});
  write_file(folder / "masks/a.png", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// A gray image of 10 x 10 pixels with 100 values.
std::string many_values() {
  std::string file = "P5 10 10 255\n";
  for (char value = 0; value < 100; ++value) file += value;
  return file;
}

/// A gray image of 10 x 10 pixels with two values.
std::string two_values() { return "P5 10 10 255\n" + std::string(50, '\1') + std::string(50, '\2'); }

std::vector<std::uint8_t> first_of_masks(Source& source, std::size_t split = 0) {
  const std::int64_t count = source.splits()[split].sample_count;
  read_all(source, split);
  std::vector<std::uint8_t> masks(static_cast<std::size_t>(6 * count)), first;
  REQUIRE(source.read_masks(split, 0, count, masks).empty());
  for (std::size_t i = 0; i < masks.size(); i += 6) first.push_back(masks[i]);
  return first;
}

}  // namespace

TEST_CASE("a folder of masks next to a folder of images holds their masks", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"b", "a", "c"}) {
    write_file(folder / "images" / (std::string(name) + ".pgm"), "P5 3 2 255\n" + std::string(6, name[0]));
    write_file(folder / "Masks" / (std::string(name) + ".png"), png_of(static_cast<std::uint8_t>(name[0] - 'a')));
  }
  const auto source = open(folder.path());
  REQUIRE(source->splits().size() == 1);
  REQUIRE(source->splits()[0].has_masks);
  REQUIRE(source->splits()[0].labels.kind == LabelKind::none);
  REQUIRE(first_of_masks(*source) == std::vector<std::uint8_t>{0, 1, 2});
  REQUIRE_THAT(source->notes().remarks.at(0), ContainsSubstring("are the masks of those in"));
  SourceOptions options;
  options.with_masks = false;
  const auto classes = open(folder.path(), options);
  REQUIRE(classes->class_names() == std::vector<std::string>{"Masks", "images"});
  REQUIRE_FALSE(classes->splits()[0].has_masks);
}

TEST_CASE("a PNM mask of more than 8 bits is an error", "[unit][pack]") {
  const auto decode = [](const std::string& file) {
    const auto bytes = std::as_bytes(std::span(file));
    return images::decode_mask(bytes, images::checked_header(bytes, {})).values;
  };
  CHECK(decode("P2 2 1 255 200 7") == std::vector<std::uint8_t>{200, 7});
  CHECK_THROWS_WITH(decode("P2 2 1 1000 300 7"), ContainsSubstring("more than 8 bits"));
  CHECK_THROWS_WITH(decode("P3 1 1 1000 300 300 300"), ContainsSubstring("more than 8 bits"));
  CHECK_THROWS_WITH(decode("P5 1 1 1000 " + std::string("\x01\x2C", 2)), ContainsSubstring("more than 8 bits"));
}

TEST_CASE("images and masks may be in folders of splits and of classes", "[unit][pack]") {
  const TemporaryFolder folder;
  const bool splits_inside = GENERATE(true, false);
  for (const std::string split : {"train", "val"}) {
    for (const std::string name : {"cat/1", "dog/1"}) {
      const auto images = splits_inside ? folder / "images" / split : folder / split / "images";
      const auto masks = splits_inside ? folder / "annotations" / split : folder / split / "annotations";
      write_file(images / (name + ".png"), png_of(7));
      write_file(masks / (name + ".png"), png_of(static_cast<std::uint8_t>(name[0])));
    }
  }
  const auto source = open(folder.path());
  REQUIRE(source->splits().size() == 2);
  REQUIRE(source->class_names() == std::vector<std::string>{"cat", "dog"});
  REQUIRE(first_of_masks(*source, 1) == std::vector<std::uint8_t>{'c', 'd'});
}

TEST_CASE("images without a mask and masks without an image are errors or left out", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a", "b"}) write_file(folder / "images" / (std::string(name) + ".png"), png_of(1));
  write_file(folder / "masks/b.png", png_of(2));
  REQUIRE_THROWS_WITH(open(folder.path()), ContainsSubstring("a.png\" has no mask"));
  write_file(folder / "masks/a.png", png_of(3));
  write_file(folder / "masks/c.png", png_of(4));
  REQUIRE_THROWS_WITH(open(folder.path()), ContainsSubstring("c.png\" has no image"));
  std::filesystem::remove(folder / "masks/a.png");
  SourceOptions options;
  options.skip_unreadable = true;
  const auto source = open(folder.path(), options);
  REQUIRE(first_of_masks(*source) == std::vector<std::uint8_t>{2});
  REQUIRE(source->left_out().size() == 2);
  write_file(folder / "masks/b.pgm", "P5 3 2 255\n" + std::string(6, 'x'));
  REQUIRE_THROWS_WITH(open(folder.path(), options), ContainsSubstring("is a second mask next to"));
}

TEST_CASE("a mask of another size than its image is a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a", "b"}) {
    write_file(folder / "images" / (std::string(name) + ".png"), png_of(1));
    write_file(folder / "masks" / (std::string(name) + ".png"), png_of(2, name[0] == 'b' ? 4 : 3));
  }
  REQUIRE_THROWS_WITH(pack(*open(folder.path()), folder / "out.h5"),
                      ContainsSubstring("its mask masks/b.png: it has 4x2 pixels, the image has 3x2"));
  PackOptions options;
  options.skip_bad_samples = true;
  const PackSummary summary = pack(*open(folder.path()), folder / "out.h5", options);
  REQUIRE(summary.splits[0].sample_count == 1);
  REQUIRE(summary.skipped.size() == 1);
}

TEST_CASE("an image is turned with a mask of its upright size", "[unit][pack]") {
  const TemporaryFolder folder;
  write_photo(folder, 6, 8, 16);
  const auto source = open(folder.path());
  REQUIRE(source->splits()[0].shape == SampleShape{1, 16, 8});
  const auto values = read_all(*source).values;  // turned clockwise: the left half is on top
  CHECK(values[7] == 200);
  CHECK(values[15 * 8] == 100);
  std::vector<std::uint8_t> mask(128);
  REQUIRE(source->read_masks(0, 0, 1, mask).empty());
  CHECK(mask[0] == 1);
  CHECK_THAT(source->notes().remarks.back(),
             ContainsSubstring("1 image has an EXIF orientation; the pixels are turned"));
}

TEST_CASE("neither an image nor its mask of the stored size is turned", "[unit][pack]") {
  const TemporaryFolder folder;
  write_photo(folder, 6, 16, 8);
  SourceOptions options;
  const bool is_resized = GENERATE(false, true);
  if (is_resized) options.size = {8, 16};
  const auto source = open(folder.path(), options);
  REQUIRE(source->splits()[0].shape == SampleShape{1, 8, 16});
  const auto values = read_all(*source).values;
  CHECK(values[7 * 16] == 200);
  CHECK(values[15] == 100);
  std::vector<std::uint8_t> mask(128);
  REQUIRE(source->read_masks(0, 0, 1, mask).empty());
  CHECK(mask[0] == 1);
  CHECK_THAT(source->notes().remarks.back(), ContainsSubstring("1 image has an EXIF orientation that is not applied"));
}

TEST_CASE("an image whose mask fits it turned and not turned is an error", "[unit][pack]") {
  const TemporaryFolder folder;
  const int orientation = GENERATE(2, 3, 4);
  write_photo(folder, orientation, 16, 8);
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("the EXIF orientation " + std::to_string(orientation)) &&
                                             ContainsSubstring("mogrify -auto-orient"));
  write_photo(folder, 1, 16, 8);
  CHECK(open(folder.path())->splits()[0].shape == SampleShape{1, 8, 16});
}

TEST_CASE("that all images were skipped for lack of masks is said", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images/a.png", png_of(1));
  write_file(folder / "masks/b.png", png_of(2));
  SourceOptions options;
  options.skip_unreadable = true;
  REQUIRE_THROWS_WITH(open(folder.path(), options), ContainsSubstring("no image with a mask is left") &&
                                                        ContainsSubstring("2 files were skipped, the first"));
}

TEST_CASE("a list may name masks", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a", "b"}) {
    write_file(folder / "images" / (std::string(name) + ".png"), png_of(1));
    write_file(folder / "masks" / (std::string(name) + "_mask.png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  write_file(folder / "list.csv", "image,mask,label\nb.png,b_mask.png,0\na.png,masks/a_mask.png,1\n");
  const auto source = open(folder / "list.csv");
  REQUIRE(first_of_masks(*source) == std::vector<std::uint8_t>{'b', 'a'});
  REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{0, 1});
  REQUIRE(source->notes().remarks.empty());
  write_file(folder / "list.csv", "image,mask\na.png,none.png\n");
  REQUIRE_THROWS_WITH(open(folder / "list.csv"), ContainsSubstring("the mask \"none.png\" does not exist below"));
  write_file(folder / "list.csv", "image,mask\na.png,a_mask.png\n");
  const auto unlabeled = open(folder / "list.csv");
  REQUIRE(unlabeled->splits()[0].labels.kind == LabelKind::none);
  REQUIRE(first_of_masks(*unlabeled) == std::vector<std::uint8_t>{'a'});
}

TEST_CASE("masks next to their images are named by a pattern and are not samples", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"cat/1", "dog/1", "dog/2"}) {
    write_file(folder / (name + ".pgm"), "P5 3 2 255\n" + std::string(6, name[0]));
    write_file(folder / (name + "_mask.png"), png_of(static_cast<std::uint8_t>(name[0] + name[4])));
  }
  SourceOptions options;
  options.mask_pattern = "{stem}_mask.png";
  const auto source = open(folder.path(), options);
  REQUIRE(source->class_names() == std::vector<std::string>{"cat", "dog"});
  REQUIRE(source->splits()[0].sample_count == 3);
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{0, 1, 1});
  CHECK(first_of_masks(*source) == std::vector<std::uint8_t>{'c' + '1', 'd' + '1', 'd' + '2'});
  CHECK(source->notes().ignored_files == 0);
}

TEST_CASE("a pattern of masks may name a folder", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    write_file(folder / "scene/rgb" / (name + ".png"), png_of(1));
    write_file(folder / "scene/seg" / (name + "_s.png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  SourceOptions options;
  options.mask_pattern = "../seg/{stem}_s.png";
  // From above both folders, and with the masks outside the packed folder.
  for (const auto& root : {folder / "scene", folder / "scene/rgb"}) {
    const auto source = open(root, options);
    REQUIRE(source->splits()[0].sample_count == 2);
    CHECK(first_of_masks(*source) == std::vector<std::uint8_t>{'a', 'b'});
    CHECK(source->notes().folders_without_images.empty());
    CHECK(source->splits()[0].labels.kind == LabelKind::none);
  }
}

TEST_CASE("a pattern names the masks in a folder of masks", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    write_file(folder / "images" / (name + ".png"), png_of(1));
    write_file(folder / "labels" / (name + "_L.png"), png_of(static_cast<std::uint8_t>(name[0])));
    write_file(folder / "labels" / (name + "_colors.png"), png_of(9));
  }
  SourceOptions options;
  options.mask_pattern = "{stem}_L.png";
  const auto source = open(folder.path(), options);
  REQUIRE(source->splits()[0].labels.kind == LabelKind::none);
  CHECK(first_of_masks(*source) == std::vector<std::uint8_t>{'a', 'b'});
}

TEST_CASE("the names of images and masks may differ before and after what they share", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto [image, mask, pattern] = GENERATE(
      table<std::string, std::string, std::string>({{"#.png", "mask_#.png", "mask_{stem}.png"},
                                                    {"img_#.png", "mask_#.png", "img_{stem}=mask_{stem}.png"},
                                                    {"img_#.png", "mask_#.png", "img_{stem}.png=mask_{stem}.png"},
                                                    {"#_left.png", "gt=#_ids.png", "{stem}_left=gt={stem}_ids.png"}}));
  const auto named = [](std::string name, const std::string& stem) { return name.replace(name.find('#'), 1, stem); };
  SourceOptions options;
  options.mask_pattern = pattern;
  CAPTURE(pattern);
  for (const std::string stem : {"1", "20"}) {
    write_file(folder / "flat" / named(image, stem), png_of(1));
    write_file(folder / "flat" / named(mask, stem), png_of(static_cast<std::uint8_t>(stem[0])));
    write_file(folder / "pair/images" / named(image, stem), png_of(1));
    write_file(folder / "pair/masks" / named(mask, stem), png_of(static_cast<std::uint8_t>(stem[0])));
  }
  CHECK(first_of_masks(*open(folder / "flat", options)) == std::vector<std::uint8_t>{'1', '2'});
  CHECK(first_of_masks(*open(folder / "pair", options)) == std::vector<std::uint8_t>{'1', '2'});
}

TEST_CASE("an image that does not match its pattern is an error or left out", "[unit][pack]") {
  const TemporaryFolder folder;
  SourceOptions options;
  options.mask_pattern = "img_{stem}=mask_{stem}.png";
  for (const std::string parent : {"flat", "pair/images"}) {
    write_file(folder / parent / "img_1.png", png_of(1));
    write_file(folder / parent / "photo_2.png", png_of(1));
  }
  for (const char* const mask : {"flat/mask_1.png", "pair/masks/mask_1.png"}) write_file(folder / mask, png_of(1));
  for (const char* const root : {"flat", "pair"}) {
    options.skip_unreadable = false;
    CHECK_THROWS_WITH(open(folder / root, options),
                      ContainsSubstring("photo_2.png\" is not named img_{stem}, as the images of masks are"));
    options.skip_unreadable = true;
    CHECK(open(folder / root, options)->splits()[0].sample_count == 1);
  }
}

TEST_CASE("a pattern pairs the images of a list with masks", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    write_file(folder / "images" / (name + ".png"), png_of(1));
    write_file(folder / "images" / (name + "_m.png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  write_file(folder / "list.csv", "image,label\nb.png,0\na.png,1\n");
  SourceOptions options;
  options.mask_pattern = "{stem}_m.png";
  CHECK(first_of_masks(*open(folder / "list.csv", options)) == std::vector<std::uint8_t>{'b', 'a'});
  write_file(folder / "list.csv", "image,mask,label\nb.png,images/b_m.png,0\n");
  CHECK_THROWS_WITH(open(folder / "list.csv", options), ContainsSubstring("has a column of masks; omit the pattern"));
}

TEST_CASE("with a pattern, images without a mask and masks without an image are errors or left out", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a.png", "a_mask.png", "b.png"}) write_file(folder / name, png_of(1));
  SourceOptions options;
  options.mask_pattern = "{stem}_mask.png";
  CHECK_THROWS_WITH(open(folder.path(), options),
                    ContainsSubstring("b.png\" has no mask ") && ContainsSubstring("b_mask.png"));
  options.skip_unreadable = true;
  const auto source = open(folder.path(), options);
  CHECK(source->splits()[0].sample_count == 1);
  CHECK(source->left_out().size() == 1);
  std::filesystem::remove(folder / "b.png");
  write_file(folder / "c_mask.png", png_of(1));
  CHECK(open(folder.path(), options)->left_out().at(0).name == "c_mask.png");
  options.skip_unreadable = false;
  CHECK_THROWS_WITH(open(folder.path(), options), ContainsSubstring("c_mask.png\" has no image"));
  options.mask_pattern = "{stem}.png";
  CHECK_THROWS_WITH(open(folder.path(), options), ContainsSubstring("all image files have names of masks"));
}

TEST_CASE("a pattern that cannot name masks is refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.png", png_of(1));
  const std::string pattern =
      GENERATE("mask.png", "{stem}", "{stem}_{stem}.png", "/masks/{stem}.png", "{stem}/mask.png", "of",
               "a/{stem}=b_{stem}.png", "{stem}{stem}=b_{stem}.png", "a_{stem}=b_{stem}");
  CAPTURE(pattern);
  SourceOptions options;
  options.mask_pattern = pattern;
  CHECK_THROWS_WITH(open(folder.path(), options),
                    ContainsSubstring("read the pattern of masks") && ContainsSubstring("expected a name such as"));
}

TEST_CASE("the colors of masks become the classes of their file", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string file = GENERATE("P6 2 1 255\n\x01\x02\x03\xFA\x01\x02", "P3 2 1 255 1 2 3 250 1 2");
  write_file(folder / "images/a.ppm", "P6 2 1 255\n" + std::string(6, 'x'));
  write_file(folder / "masks/a.ppm", file);
  SourceOptions options;
  options.mask_colors = make_mask_colors({{{1, 2, 3}, "sky"}, {{250, 1, 2}, "road"}});
  const auto source = open(folder.path(), options);
  read_all(*source, 0);
  std::vector<std::uint8_t> mask(2);
  REQUIRE(source->read_masks(0, 0, 1, mask).empty());
  CHECK(mask == std::vector<std::uint8_t>{0, 1});
  CHECK(source->notes().mask_classes == std::map<int, std::string>{{0, "sky"}, {1, "road"}});
  CHECK_THROWS_WITH(pack(*open(folder.path()), folder / "out.h5"),
                    ContainsSubstring("masks/a.ppm: it has colors") && ContainsSubstring("`mask_colors`"));
  options.mask_colors = make_mask_colors({{{1, 2, 3}, "sky"}});
  CHECK_THROWS_WITH(pack(*open(folder.path(), options), folder / "out.h5"),
                    ContainsSubstring("masks/a.ppm: it has the color #FA0102, which is not in the file"));
}

TEST_CASE("with colors, gray masks and palettes are colors, too", "[unit][pack]") {
  const MaskColors colors = make_mask_colors({{{0, 0, 0}, "255"}, {{128, 128, 128}, "7"}});
  const std::string file = "P5 3 1 255\n" + std::string("\x80\x00\x80", 3);
  const auto bytes = std::as_bytes(std::span(file));
  const auto mask = images::decode_mask_colors(bytes, images::checked_header(bytes, {}), colors);
  CHECK(mask.values == std::vector<std::uint8_t>{7, 255, 7});
}

TEST_CASE("options of masks that have no effect are errors", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.png", png_of(1));
  SourceOptions options;
  options.mask_colors = make_mask_colors({{{0, 0, 0}, "0"}});
  CHECK_THROWS_WITH(open(folder.path(), options), ContainsSubstring("found no images with masks for `mask_colors`"));
  options.with_masks = false;
  CHECK_THROWS_WITH(open(folder.path(), options), ContainsSubstring("masks are off, so `mask_colors` has no effect"));
  options.mask_colors = {};
  options.mask_pattern = "{stem}_mask.png";
  CHECK_THROWS_WITH(open(folder.path(), options), ContainsSubstring("masks are off, so the pattern of `masks` has no"));
}

TEST_CASE("images with masks and without labels are not reported as unlabeled", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images/a.png", png_of(1));
  write_file(folder / "masks/a.png", png_of(1));
  for (const std::string& note : packing_notes(*open(folder.path()))) {
    CHECK_THAT(note, !ContainsSubstring("no labels"));
  }
}

TEST_CASE("the error of a mask with another name names the pattern that fits", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"cat/a", "cat/b", "dog/c"}) {
    write_file(folder / "images" / (name + ".png"), png_of(1));
    write_file(folder / "masks" / (name + "_mask.png"), png_of(static_cast<std::uint8_t>(name[4])));
  }
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("name the masks with `masks={stem}_mask.png`, add or"));
  SourceOptions options;
  options.mask_pattern = "{stem}_mask.png";
  CHECK(first_of_masks(*open(folder.path(), options)) == std::vector<std::uint8_t>{'a', 'b', 'c'});
  write_file(folder / "images/dog/d.png", png_of(1));
  CHECK_THROWS_WITH(open(folder.path()), !ContainsSubstring("{stem}"));
}

TEST_CASE("files that are named like masks of others and are packed as images are noted", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string suffix = GENERATE("_mask", "-labels", ".GT");
  for (const std::string name : {"cat/a", "cat/b", "dog/c"}) {
    write_file(folder / (name + ".pgm"), "P5 3 2 255\n" + std::string(6, name[0]));
    write_file(folder / (name + suffix + ".png"), png_of(static_cast<std::uint8_t>(name[4])));
  }
  write_file(folder / "dog/a_mask.pgm", "P5 3 2 255\n123456");  // of no image
  CHECK(open(folder.path())->notes().remarks ==
        std::vector<std::string>{"3 files are named like masks of others (a" + suffix +
                                 ".png next to a.pgm) but packed as images; pack them as masks with `masks={stem}" +
                                 suffix + ".png`"});
  std::filesystem::remove(folder / "dog/a_mask.pgm");
  SourceOptions options;
  options.mask_pattern = "{stem}" + suffix + ".png";
  const auto source = open(folder.path(), options);
  CHECK(first_of_masks(*source) == std::vector<std::uint8_t>{'a', 'b', 'c'});
  CHECK(source->notes().remarks.empty());
}

TEST_CASE("the error of masks whose names share only a part with the images names the pattern", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"1", "2", "10"}) {
    write_file(folder / "images/a_img" / (name + "_left.png"), png_of(1));
    write_file(folder / "masks/a_img" / ("gt" + name + "_ids.png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("`masks={stem}left=gt{stem}ids.png`"));
  SourceOptions options;
  options.mask_pattern = "{stem}left=gt{stem}ids.png";
  CHECK(first_of_masks(*open(folder.path(), options)) == std::vector<std::uint8_t>{'1', '1', '2'});
}

TEST_CASE("files that begin with a word for masks are noted, too", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto [image, mask, pattern] = GENERATE(
      table<std::string, std::string, std::string>({{"#.pgm", "mask_#.png", "mask_{stem}.png"},
                                                    {"img_#.pgm", "mask_#.png", "img_{stem}=mask_{stem}.png"},
                                                    {"#-image.pgm", "#-seg.png", "{stem}-image={stem}-seg.png"}}));
  const auto named = [](std::string name, const std::string& stem) { return name.replace(name.find('#'), 1, stem); };
  for (const std::string stem : {"1", "2"}) {
    write_file(folder / named(image, stem), "P5 3 2 255\n" + std::string(6, stem[0]));
    write_file(folder / named(mask, stem), png_of(static_cast<std::uint8_t>(stem[0])));
  }
  CHECK(open(folder.path())->notes().remarks.at(0) ==
        "2 files are named like masks of others (" + named(mask, "1") + " next to " + named(image, "1") +
            ") but packed as images; pack them as masks with `masks=" + pattern + "`");
  SourceOptions options;
  options.mask_pattern = pattern;
  CHECK(first_of_masks(*open(folder.path(), options)) == std::vector<std::uint8_t>{'1', '2'});
}

TEST_CASE("a class that is named like the masks of another is noted", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string masks = GENERATE("gt", "ann_dir", "photo_masks");
  for (const std::string name : {"a", "b"}) {
    write_file(folder / "photos" / (name + ".png"), png_of(1));
    write_file(folder / masks / (name + "_L.png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  const auto remarks = open(folder.path())->notes().remarks;
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0], ContainsSubstring("but both became classes; pack them as masks with `masks=../" + masks +
                                           "/{stem}_L.png`"));
  SourceOptions options;
  options.mask_pattern = "../" + masks + "/{stem}_L.png";
  CHECK(first_of_masks(*open(folder.path(), options)) == std::vector<std::uint8_t>{'a', 'b'});
  // Classes of other images, and other names, are classes.
  std::filesystem::rename(folder / masks / "b_L.png", folder / masks / "x_L.png");
  CHECK(open(folder.path())->notes().remarks.empty());
  std::filesystem::rename(folder / masks / "x_L.png", folder / masks / "b_L.png");
  std::filesystem::rename(folder / masks, folder / "dogs");
  CHECK(open(folder.path())->notes().remarks.empty());
}

TEST_CASE("the error of a folder next to a split names the pattern if it holds its masks", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    write_file(folder / "train" / (name + ".png"), png_of(1));
    write_file(folder / "train_masks" / (name + "_mask.png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  CHECK_THROWS_WITH(open(folder.path()),
                    ContainsSubstring("if it holds the masks of train, name them with "
                                      "`masks=../train_masks/{stem}_mask.png`; else name the splits: train="));
  SourceOptions options;
  options.mask_pattern = "../train_masks/{stem}_mask.png";
  CHECK(first_of_masks(*open(folder.path(), options)) == std::vector<std::uint8_t>{'a', 'b'});
  std::filesystem::remove(folder / "train_masks/a_mask.png");
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("is; name the splits: ") && !ContainsSubstring("{stem}"));
}

TEST_CASE("folders that are named like a pair are images and masks if their files look like them", "[unit][pack]") {
  const auto [images, masks] = GENERATE(table<std::string, std::string>(
      {{"input", "target"}, {"x", "y"}, {"images", "gt"}, {"img", "ann"}, {"photos", "masks_png"}}));
  CAPTURE(images, masks);
  const TemporaryFolder folder;
  for (const std::string split : {"train", "val"}) {
    write_file(folder / "inside" / split / images / "0001.pgm", many_values());
    write_file(folder / "inside" / split / masks / "0001.pgm", two_values());
    write_file(folder / "outside" / images / split / "0001.pgm", many_values());
    write_file(folder / "outside" / masks / split / "0001.pgm", two_values());
  }
  for (const std::string name : {"inside", "outside"}) {
    const auto source = open(folder / name);
    REQUIRE(source->splits().size() == 2);
    CHECK(source->splits()[1].has_masks);
    CHECK(source->splits()[1].labels.kind == LabelKind::none);
    CHECK_THAT(source->notes().remarks.at(0), ContainsSubstring("are the masks of those in"));
  }
}

TEST_CASE("a class folder whose files look like the masks of another is an error", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"0001.pgm", "0002.pgm"}) {
    write_file(folder / "b" / name, many_values());
    write_file(folder / "a" / name, two_values());
  }
  CHECK_THROWS_WITH(open(folder.path()),
                    ContainsSubstring("a\" look like masks of those in") &&
                        ContainsSubstring("with `masks=../a/{stem}.pgm`, or as a class with `masks=off`"));
  SourceOptions options;
  options.with_masks = false;
  CHECK(open(folder.path(), options)->class_names() == std::vector<std::string>{"a", "b"});
  options = {};
  options.mask_pattern = "../a/{stem}.pgm";
  CHECK(open(folder.path(), options)->splits()[0].has_masks);
}

TEST_CASE("class folders with the same numbered files are classes", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& cat, const std::string& dog, const std::string& number = "0001") {
    std::filesystem::remove_all(folder / "dog");
    write_file(folder / "cat/0001.pgm", cat);
    write_file(folder / "dog" / (number + ".pgm"), dog);
    const auto source = open(folder.path(), {.size = std::array<std::int64_t, 2>{4, 4}});
    CHECK(source->class_names() == std::vector<std::string>{"cat", "dog"});
    CHECK(source->notes().remarks.empty());
  };
  check(many_values(), many_values());
  check(two_values(), two_values());
  check(many_values(), "P5 3 2 255\n" + std::string(6, '\1'));  // of another size
  check(many_values(), two_values(), "0002");
}

TEST_CASE("classes that are named like a pair, with the same names of files, are noted", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"input", "target"}) write_file(folder / name / "1.pgm", many_values());
  CHECK(open(folder.path())->notes().remarks ==
        std::vector<std::string>{"\"input\" and \"target\", whose files have the same names, became classes; if "
                                 "\"target\" holds masks, pack them with `masks=../target/{stem}.pgm`"});
}

TEST_CASE("a column of labels that names image files holds the masks", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string column = GENERATE("label", "target", "Label", "gt_path", "seg");
  CAPTURE(column);
  for (const char* const name : {"a", "b"}) {
    write_file(folder / "images" / (std::string(name) + ".png"), png_of(1));
    write_file(folder / "masks" / (std::string(name) + ".png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  write_file(folder / "list.csv", column + ",img,class\nmasks/b.png,images/b.png,1\nmasks/a.png,images/a.png,0\n");
  for (const auto& path : {folder / "list.csv", folder.path()}) {
    const auto source = open(path);
    CHECK(first_of_masks(*source) == std::vector<std::uint8_t>{'b', 'a'});
    CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0});
    CHECK_THAT(to_json(source->notes()), ContainsSubstring("list.csv: the column \\\"" + column +
                                                           "\\\" names image files, which are packed as the masks"));
  }
  SourceOptions options;
  options.with_masks = false;
  const auto source = open(folder / "list.csv", options);
  CHECK_FALSE(source->splits()[0].has_masks);
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0});
  CHECK_THAT(to_json(source->notes()), ContainsSubstring("so it holds no labels"));
}

TEST_CASE("a column of masks is found in any spelling, and numbers next to it are not labels", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string column = GENERATE("MaskPath", "maskPath", "mask-path", "Mask File");
  CAPTURE(column);
  write_file(folder / "a.png", png_of(1));
  write_file(folder / "a_mask.png", png_of(7));
  write_file(folder / "list.csv", "ImagePath," + column + ",fold,width\na.png,a_mask.png,0,640\n");
  const auto source = open(folder / "list.csv");
  CHECK(first_of_masks(*source) == std::vector<std::uint8_t>{7});
  CHECK(source->splits()[0].labels.kind == LabelKind::none);
  CHECK(source->splits()[0].columns == std::vector<std::string>{"fold", "width"});
  CHECK(source->notes().remarks ==
        std::vector<std::string>{"list.csv: columns kept with each sample: \"fold\", \"width\"; leave them out with "
                                 "`columns=none`, or name one that holds labels with `label_column`"});
  CHECK(open(folder / "list.csv", {.label_columns = {"fold"}})->splits()[0].labels.kind == LabelKind::class_index);
}

TEST_CASE("the column that the options name for labels holds the masks if it names image files", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.png", png_of(1));
  write_file(folder / "b.png", png_of(7));
  write_file(folder / "list.csv", "image,other\na.png,b.png\n");
  SourceOptions options;
  options.label_columns = {"other"};
  CHECK(first_of_masks(*open(folder / "list.csv", options)) == std::vector<std::uint8_t>{7});
  // A column named like masks may hold labels.
  write_file(folder / "list.csv", "image,mask\na.png,with_mask\nb.png,without\n");
  options.label_columns = {"mask"};
  CHECK(open(folder / "list.csv", options)->class_names() == std::vector<std::string>{"with_mask", "without"});
}

TEST_CASE("packing notes the padding of masks", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images/a.pgm", many_values());
  write_file(folder / "masks/a.pgm", "P5 10 10 255\n" + std::string(50, '\0') + std::string(50, '\1'));
  const PackSummary summary =
      pack(*open(folder.path(), {.size = std::array<std::int64_t, 2>{10, 20}, .fit = Fit::pad}), folder / "a.h5");
  CHECK_THAT(summary.notes.back(), ContainsSubstring("masks are 255, which is ignored in training, in 50.0 % of the "
                                                     "pixels, padding included"));
}

TEST_CASE("the error of masks that are one folder lower names the pattern", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    write_file(folder / "images" / (name + ".pgm"), "P5 3 2 255\n" + std::string(6, name[0]));
    write_file(folder / "annotations/trimaps" / (name + ".png"), png_of(static_cast<std::uint8_t>(name[0])));
  }
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("has no mask \"annotations/a.*\"; name the masks with "
                                                           "`masks=../annotations/trimaps/{stem}.png`, add or"));
  SourceOptions options;
  options.mask_pattern = "../annotations/trimaps/{stem}.png";
  CHECK(first_of_masks(*open(folder.path(), options)) == std::vector<std::uint8_t>{'a', 'b'});
}

TEST_CASE("files with the names of the images next to them are noted if they look like masks", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto write_pair = [&](const std::string& name, const std::string& mask) {
    write_file(folder / (name + ".pgm"), many_values());
    write_file(folder / (name + ".ppm"), mask);
  };
  const std::string mask = "P6 10 10 255\n" + std::string(150, '\1') + std::string(150, '\2');
  for (const std::string name : {"000", "001"}) write_pair(name, mask);
  write_file(folder / "extra.pgm", many_values());  // an image without a mask
  CHECK(open(folder.path(), {.channels = 1})->notes().remarks.at(0) ==
        "the .ppm files, such as 000.ppm next to 000.pgm, look like masks (the same names and sizes, few colors), but "
        "are packed as images; pack them as masks with `masks={stem}.ppm`");
  std::string colorful = "P6 10 10 255\n";
  for (char value = 0; value < 100; ++value) colorful += std::string(3, value);
  write_pair("002", colorful);
  CHECK(open(folder.path(), {.channels = 1})->notes().remarks.empty());
}

TEST_CASE("class folders with masks of other names in the same folders are noted", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const std::string name : {"train/ulm/ulm_01", "val/ulm/ulm_02"}) {
    write_file(folder / "leftImg8bit" / (name + "_leftImg8bit.pgm"), many_values());
    for (const char* const kind : {"color", "labelIds"}) {
      write_file(folder / "gtFine" / (name + "_gtFine_" + kind + ".pgm"), two_values());
    }
  }
  const auto remarks = open(folder.path())->notes().remarks;
  const auto has_remark = [&](const std::string& text) {
    return std::ranges::any_of(remarks, [&](const auto& one) { return one.find(text) != std::string::npos; });
  };
  CHECK(
      has_remark("the files in \"gtFine\" look like masks of those in \"leftImg8bit\", but both became classes; to "
                 "pack them as masks, name both files of each pair in a list with the columns image, mask and split, "
                 "or rename the folders to masks and images and use "
                 "`masks={stem}leftImg8bit={stem}gtFine_labelIds.pgm`"));
  std::filesystem::rename(folder / "leftImg8bit", folder / "images");
  std::filesystem::rename(folder / "gtFine", folder / "masks");
  SourceOptions options;
  options.mask_pattern = "{stem}leftImg8bit={stem}gtFine_labelIds.pgm";
  const auto source = open(folder.path(), options);
  REQUIRE(source->splits().size() == 2);
  CHECK(source->splits()[1].has_masks);
}
