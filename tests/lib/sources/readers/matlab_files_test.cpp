// MATLAB 7.3 files, which are HDF5 files, give the samples of MATLAB 5 files with the same variables.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "arrays/made_arrays.hpp"
#include "arrays/made_hdf5.hpp"
#include "catch.hpp"
#include "sources/made_files.hpp"
#include "sources/made_mat.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Classes = std::vector<std::int32_t>;

/// The bytes of a variable [H,W,C,N] or [H,W,N] in MATLAB's order, its first axis varying fastest: the number at (h, w,
/// c, n) is 60 n + 20 c + 4 w + h.
std::string made_pixels(int height, int width, int channels, int count) {
  std::string bytes;
  for (int n = 0; n < count; ++n) {
    for (int c = 0; c < channels; ++c) {
      for (int w = 0; w < width; ++w) {
        for (int h = 0; h < height; ++h) bytes += static_cast<char>(60 * n + 20 * c + 4 * w + h);
      }
    }
  }
  return bytes;
}

/// The same samples as Octavo packs them, [N,C,H,W].
std::vector<std::uint8_t> expected_pixels(int height, int width, int channels, int count) {
  std::vector<std::uint8_t> values;
  for (int n = 0; n < count; ++n) {
    for (int c = 0; c < channels; ++c) {
      for (int h = 0; h < height; ++h) {
        for (int w = 0; w < width; ++w) values.push_back(static_cast<std::uint8_t>(60 * n + 20 * c + 4 * w + h));
      }
    }
  }
  return values;
}

/// Adds a variable with these axes in MATLAB, which it reverses in HDF5.
void add_variable(hid_t file, const std::string& name, const std::string& matlab_class, const std::string& bytes,
                  Axes axes, hid_t type = H5T_STD_U8LE) {
  add_with(bytes, file, name, Axes(axes.rbegin(), axes.rend()), type);
  set_text(file, name, "MATLAB_class", matlab_class);
}

std::string as_doubles(const std::vector<double>& numbers) { return bytes_of_numbers(numbers); }

}  // namespace

TEST_CASE("color images of MATLAB 7.3 files have the pixels of MATLAB 5 files", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string pixels = made_pixels(3, 5, 3, 4);
  const bool is_row = GENERATE(true, false);
  const Axes labels = is_row ? Axes{1, 4} : Axes{4, 1};
  mat73_in(
      folder,
      [&](hid_t file) {
        add_variable(file, "X", "uint8", pixels, {3, 5, 3, 4});
        add_variable(file, "y", "uint8", counting(4, 1), labels);
      },
      "new.mat");
  // Without MATLAB's header, its marks on the datasets decide.
  hdf5_in(
      folder,
      [&](hid_t file) {
        add_variable(file, "X", "uint8", pixels, {3, 5, 3, 4});
        add_variable(file, "y", "double", as_doubles({1, 2, 3, 4}), labels, H5T_IEEE_F64LE);
      },
      "marked.h5");
  write_file(folder / "old.mat", mat_file(mat_variable("X", {3, 5, 3, 4}, pixels) +
                                          mat_variable("y", {is_row ? 1U : 4U, is_row ? 4U : 1U}, counting(4, 1))));
  for (const char* name : {"new.mat", "marked.h5", "old.mat"}) {
    INFO(name);
    const auto source = open(folder / name);
    CHECK(source->splits()[0].shape == SampleShape{3, 3, 5});
    const Samples samples = read_all(*source);
    CHECK(samples.values == expected_pixels(3, 5, 3, 4));
    CHECK(samples.labels == Classes{1, 2, 3, 4});
    CHECK(packing_notes(*source).empty());
  }
  CHECK(open(folder / "new.mat")->format() == "mat");
  CHECK(open(folder / "new.mat", {.format = "mat"})->format() == "mat");
  CHECK(read_all(*open(folder / "new.mat", {.format = "hdf5"})).values == expected_pixels(3, 5, 3, 4));
}

TEST_CASE("gray images of MATLAB files are counted by their last axis", "[unit][pack]") {
  const TemporaryFolder folder;
  mat73_in(folder, [&](hid_t file) { add_variable(file, "images", "uint8", made_pixels(3, 5, 1, 5), {3, 5, 5}); });
  write_file(folder / "old.mat", mat_file(mat_variable("images", {3, 5, 5}, made_pixels(3, 5, 1, 5))));
  for (const char* name : {"a.mat", "old.mat"}) {
    const auto source = open(folder / name);
    CHECK(source->splits()[0].shape == SampleShape{1, 3, 5});
    CHECK(read_all(*source).values == expected_pixels(3, 5, 1, 5));
  }
  // Three planes are three images only if there are three labels.
  const std::string three = mat_variable("images", {3, 5, 3}, made_pixels(3, 5, 1, 3));
  write_file(folder / "three.mat", mat_file(three));
  CHECK_THROWS_WITH(open(folder / "three.mat"), ContainsSubstring("3 x 5 x 3, which may be one image or many"));
  CHECK(open(folder / "three.mat", {.layout = ArrayLayout::hw})->splits()[0].sample_count == 3);
  write_file(folder / "three.mat", mat_file(three + mat_variable("labels", {1, 3}, counting(3))));
  CHECK(read_all(*open(folder / "three.mat")).values == expected_pixels(3, 5, 1, 3));
}

TEST_CASE("a single image of a MATLAB file keeps its channels", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.mat",
             mat_file(mat_variable("X", {3, 5, 3, 1}, made_pixels(3, 5, 3, 1)) + mat_variable("y", {1, 1}, "\7")));
  const Samples samples = read_all(*open(folder / "a.mat"));
  CHECK(samples.values == expected_pixels(3, 5, 3, 1));
  CHECK(samples.labels == Classes{7});
}

TEST_CASE("a layout names MATLAB's axes before N", "[unit][pack]") {
  const TemporaryFolder folder;
  // [C,H,W,N] in MATLAB is [N,W,H,C] in HDF5: the number at (n, w, h, c) is 60 n + 20 c + 4 w + h.
  std::string pixels;
  for (int n = 0; n < 2; ++n) {
    for (int w = 0; w < 5; ++w) {
      for (int h = 0; h < 3; ++h) {
        for (int c = 0; c < 3; ++c) pixels += static_cast<char>(60 * n + 20 * c + 4 * w + h);
      }
    }
  }
  mat73_in(folder, [&](hid_t file) { add_variable(file, "X", "uint8", pixels, {3, 3, 5, 2}); });
  write_file(folder / "old.mat", mat_file(mat_variable("X", {3, 3, 5, 2}, pixels)));
  for (const char* name : {"a.mat", "old.mat"}) {
    INFO(name);
    CHECK_THROWS_WITH(open(folder / name), ContainsSubstring("3 x 3 x 5 x 2, and the third axis"));
    CHECK(read_all(*open(folder / name, {.layout = ArrayLayout::chw})).values == expected_pixels(3, 5, 3, 2));
  }
}

TEST_CASE("images that NumPy saved as a MATLAB file are refused with their axes", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.mat",
             mat_file(mat_variable("X", {4, 5, 5, 3}, std::string(300, 'x')) + mat_variable("y", {1, 4}, counting(4))));
  CHECK_THROWS_WITH(open(folder / "a.mat"), ContainsSubstring("their shape in MATLAB is 4 x 5 x 5 x 3") &&
                                                ContainsSubstring("expected H x W x C x N"));
  // Without channels and labels, nothing shows which axis is N.
  write_file(folder / "b.mat", mat_file(mat_variable("X", {4, 5, 5}, std::string(100, 'x'))));
  CHECK_THAT(packing_notes(*open(folder / "b.mat")).at(1),
             ContainsSubstring("b.mat: X\" was read as H x W x N, 5 images of 4 x 5; its shape in MATLAB could also be "
                               "N x H x W"));
}

TEST_CASE("MATLAB's labels keep their numbers and other variables are named", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string labels;
  for (int label = 1; label <= 12; ++label) labels += static_cast<char>(label);
  const std::string x = mat_variable("X", {32, 32, 3, 12}, std::string(12 * 3072, 'x'));
  write_file(folder / "a.mat", mat_file(x + mat_variable("y", {12, 1}, labels) + mat_variable("c", {1, 1}, "a", 1) +
                                        mat_variable("ids", {1, 2}, "ab")));
  const auto source = open(folder / "a.mat");
  CHECK(read_all(*source).labels == Classes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto notes = packing_notes(*source);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], ContainsSubstring("left out the arrays c (a cell array), ids (2 uint8) in \"") &&
                           ContainsSubstring("a.mat\""));
  // Ten stays ten next to other variables, and in images that are not SVHN's.
  labels.resize(10);
  const std::string y = mat_variable("y", {10, 1}, labels);
  const std::string digits = mat_variable("X", {32, 32, 3, 10}, std::string(10 * 3072, 'x'));
  const auto last_label = [&](const std::string& variables) {
    write_file(folder / "a.mat", mat_file(variables));
    return read_all(*open(folder / "a.mat")).labels.at(9);
  };
  CHECK(last_label(digits + y) == 0);
  CHECK(last_label(digits + y + mat_variable("ids", {1, 2}, "ab")) == 10);
  CHECK(last_label(mat_variable("X", {32, 31, 3, 10}, std::string(10 * 2976, 'x')) + y) == 10);
  CHECK(last_label(mat_variable("images", {32, 32, 3, 10}, std::string(10 * 3072, 'x')) +
                   mat_variable("labels", {10, 1}, labels)) == 10);
}

TEST_CASE("shapes of MATLAB's variables are shown as in MATLAB", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string x = mat_variable("X", {3, 5, 3, 2}, made_pixels(3, 5, 3, 2));
  write_file(folder / "a.mat", mat_file(x + mat_variable("boxes", {2, 4}, std::string(8, 'b'))));
  const auto notes_have = [&](const std::string& text) {
    const auto notes = packing_notes(*open(folder / "a.mat"));
    return std::ranges::any_of(notes, [&](const auto& note) { return note.find(text) != std::string::npos; });
  };
  CHECK(notes_have("left out the array boxes (2 x 4 uint8)"));
  mat73_in(folder, [&](hid_t file) {
    add_variable(file, "X", "uint8", made_pixels(3, 5, 3, 2), {3, 5, 3, 2});
    add_variable(file, "boxes", "uint8", std::string(8, 'b'), {2, 4});
  });
  CHECK(notes_have("left out the array boxes (2 x 4 uint8)"));
  write_file(folder / "a.mat", mat_file(mat_variable("boxes", {2, 4}, std::string(8, 'b'))));
  CHECK_THROWS_WITH(open(folder / "a.mat"), ContainsSubstring("has boxes (2 x 4)"));
}

TEST_CASE("a MATLAB 4 file is named as such", "[unit][pack]") {
  const TemporaryFolder folder;
  // A matrix "X" of 2 x 1 doubles, little-endian and big-endian.
  const std::string bytes = GENERATE(std::string("\0\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0X\0", 22),
                                     std::string("\0\0\3\xE8\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\2X\0", 22));
  write_file(folder / "a.mat", bytes + std::string(16, '\0'));
  const std::string problem = "a.mat\": MATLAB 4 files are not supported; save it again with save(FILE, \"-v7\")";
  CHECK_THROWS_WITH(open(folder / "a.mat"), ContainsSubstring(problem));
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring(problem));
  write_file(folder / "a.mat", "text that is no matrix at all");
  CHECK_THROWS_WITH(open(folder / "a.mat"), ContainsSubstring("unknown format"));
}

TEST_CASE("a char matrix names the classes of a MATLAB file or labels its images", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string x = mat_variable("X", {3, 5, 3, 2}, made_pixels(3, 5, 3, 2));
  write_file(folder / "a.mat", mat_file(x + mat_variable("y", {2, 1}, {1, 0}) + mat_chars("classes", {"ox", "cat"})));
  auto source = open(folder / "a.mat");
  CHECK(read_all(*source).labels == Classes{1, 0});
  CHECK(source->class_names() == std::vector<std::string>{"ox", "cat"});
  mat73_in(folder, [&](hid_t file) {
    add_variable(file, "X", "uint8", made_pixels(3, 5, 3, 2), {3, 5, 3, 2});
    add_variable(file, "labels", "char", bytes_of_numbers<std::uint16_t>({'o', 'c', 'x', 'a', ' ', 't'}), {2, 3},
                 H5T_STD_U16LE);
  });
  source = open(folder / "a.mat");
  CHECK(read_all(*source).labels == Classes{1, 0});
  CHECK(source->class_names() == std::vector<std::string>{"cat", "ox"});
}

TEST_CASE("a sparse label vector is named and not packed", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.mat",
             mat_file(mat_variable("X", {3, 5, 3, 2}, made_pixels(3, 5, 3, 2)) + mat_variable("y", {2, 1}, "ab", 5)));
  CHECK(packing_notes(*open(folder / "a.mat")) ==
        std::vector<std::string>{"no labels in train: the labels \"y\" cannot be used: a sparse matrix"});
}
