// .npz files: arrays of text, objects and more next to the images.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Classes = std::vector<std::int32_t>;
using Members = std::vector<std::pair<std::string, std::string>>;

/// A .npz file with two images and these arrays.
std::filesystem::path npz_with(const TemporaryFolder& folder, Members members) {
  members.insert(members.begin(), {"images.npy", npy("|u1", "2, 1, 2", counting(4))});
  write_archive(folder / "a.npz", ArchiveKind::zip, members);
  return folder / "a.npz";
}

}  // namespace

TEST_CASE("arrays of a .npz file that are not numbers are left out with their types", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto path = npz_with(folder, {{"labels.npy", npy("|u1", "2,", counting(2))},
                                      {"files.npy", npy("|O", "2,", "x")},
                                      {"date.npy", npy("<M8[D]", "", std::string(8, '\0'))},
                                      {"text.npy", npy_texts({"a", "b"})},
                                      {"spectrum.npy", npy("<c8", "1,", std::string(8, '\0'))},
                                      {"raw.npy", npy("|V2", "1,", "ab")},
                                      {"count.npy", npy("<i8", "", std::string(8, '\0'))},
                                      {"none.npy", npy("<i8", "0,", "")},
                                      {"ids.npy", npy("|u1", "2,", "ab")}});
  const auto source = open(path);
  CHECK(read_all(*source).labels == Classes{0, 1});
  const auto notes = packing_notes(*source);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], ContainsSubstring("left out the arrays "));
  for (const char* named :
       {"files (Python objects)", "date (a single value: dates)", "text (text)", "spectrum (complex numbers)",
        "raw (raw bytes)", "count (a single number)", "none (empty)", "ids (2 uint8)"}) {
    CHECK_THAT(notes[0], ContainsSubstring(named));
  }
  // Who names the images has seen the others.
  CHECK(packing_notes(*open_source({{path, "", "images", "labels"}}, {})).empty());
  for (const char* name : {"files", "spectrum", "raw", "count", "none"}) {
    CHECK_THROWS_WITH(open_source({{path, "", "images", name}}, {}),
                      ContainsSubstring("the array \"" + std::string(name) + "\" cannot be used: "));
    CHECK_THROWS_WITH(open_source({{path, "", name}}, {}), ContainsSubstring("cannot be used: "));
  }
}

TEST_CASE("text in a .npz file labels the images or names the classes", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto labeled = open(npz_with(folder, {{"labels.npy", npy_texts({"ox", "cat"})}}));
  CHECK(labeled->class_names() == std::vector<std::string>{"cat", "ox"});
  CHECK(read_all(*labeled).labels == Classes{1, 0});
  const auto named = open(npz_with(
      folder, {{"labels.npy", npy("|u1", "2,", counting(2, 1))}, {"classes.npy", npy_texts({"a", "b", "c"})}}));
  CHECK(named->class_names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(read_all(*named).labels == Classes{1, 2});
  // With names of other things, or given ones, the array is not used.
  const auto given = open(folder / "a.npz", {.class_names = {"x", "y", "z"}});
  CHECK(given->class_names() == std::vector<std::string>{"x", "y", "z"});
  const auto objects = open(npz_with(folder, {{"labels.npy", npy("|O", "2,", "x")}}));
  CHECK(packing_notes(*objects) ==
        std::vector<std::string>{"no labels in train: the labels \"labels\" cannot be used: Python objects"});
}

TEST_CASE("labels of a .npz file may be in another one next to it", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "x_train.npz", ArchiveKind::zip, {{"x.npy", npy("|u1", "2, 1, 2", counting(4))}});
  write_archive(folder / "y_train.npz", ArchiveKind::zip, {{"y.npy", npy("|u1", "2,", counting(2, 5))}});
  CHECK(read_all(*open(folder / "x_train.npz")).labels == Classes{5, 6});
  const SourceSpec spec = {.path = folder / "x_train.npz", .labels = "y", .label_file = folder / "y_train.npz"};
  CHECK(read_all(*open_source({spec}, {})).labels == Classes{5, 6});
}

TEST_CASE("other files in an archive of .npy files are left out with a note", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar,
                {{"images.npy", npy("|u1", "2, 1, 2", counting(4))}, {"labels.csv", "0\n1\n"}});
  const auto notes = packing_notes(*open(folder / "a.tar"));
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[1], ContainsSubstring("left out the array labels.csv (not a .npy file) in"));
}

TEST_CASE("arrays of a .npz file may have names that are not ASCII", "[unit][pack]") {
  const TemporaryFolder folder;
  write_flagged_zip(folder / "a.npz", {{"\xE6\x97\xA5.npy", npy("|u1", "2, 1, 2", counting(4))},
                                       {"\xE6\x97\xA5_labels.npy", npy("|u1", "2,", counting(2))},
                                       {"gr\xC3\xB6\xC3\x9F"
                                        "e.npy",
                                        npy("|u1", "3,", counting(3))}});
  const auto source = open_source({{folder / "a.npz", "", "\xE6\x97\xA5", "\xE6\x97\xA5_labels"}}, {});
  CHECK(read_all(*source).labels == Classes{0, 1});
  CHECK_THROWS_AS(open_source({{folder / "a.npz", "", "none"}}, {}), DataError);
  CHECK_THROWS_WITH(open_source({{folder / "a.npz", "", "none"}}, {}), ContainsSubstring("gr\xC3\xB6\xC3\x9F"));
}

TEST_CASE("text labels of another number than the images are refused as numbers are", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string problem = "there are 3, but there are 2 images; give the matching labels";
  CHECK_THROWS_WITH(open(npz_with(folder, {{"labels.npy", npy("|u1", "3,", counting(3))}})),
                    ContainsSubstring(problem));
  CHECK_THROWS_WITH(open(npz_with(folder, {{"labels.npy", npy_texts({"ox", "cat", "ox"})}})),
                    ContainsSubstring("a.npz: labels\": " + problem));
  // The names of three classes, and labels with another name.
  const auto named = open(npz_with(folder, {{"classes.npy", npy_texts({"ox", "cat", "eel"})}}));
  CHECK(named->splits()[0].labels.kind == LabelKind::none);
  const auto labeled = open(npz_with(
      folder, {{"labels.npy", npy_texts({"ox", "cat", "eel"})}, {"target.npy", npy("|u1", "2,", counting(2))}}));
  CHECK(read_all(*labeled).labels == Classes{0, 1});
}

TEST_CASE("a file without an array of images lists its arrays", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.npz", ArchiveKind::zip,
                {{"y.npy", npy("|u1", "2,", "ab")}, {"x.npy", npy("|O", "2,", "x")}});
  CHECK_THROWS_WITH(open(folder / "a.npz"),
                    ContainsSubstring("a.npz\": it has no array of images, numbers with three or more axes; it has x "
                                      "(Python objects), y (2); save the images as one array"));
  const std::string images = npy("|u1", "2, 1, 2", counting(4));
  write_archive(folder / "a.npz", ArchiveKind::zip, {{"a.npy", images}, {"b.npy", images}});
  CHECK_THROWS_WITH(open(folder / "a.npz"), ContainsSubstring("which array holds the images is ambiguous"));
}
