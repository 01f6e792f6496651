#include "sources/lists/several_lists.hpp"

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"
#include "working_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

/// A folder with the images 0.png to 5.png, whose values are their numbers, and lists.
class FolderOfLists {
 public:
  FolderOfLists() {
    for (std::uint8_t value = 0; value < 6; ++value) write(std::to_string(value) + ".png", gray_png(value));
  }
  void write(const std::string& name, const std::string& text) { write_file(folder_ / name, text); }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  std::unique_ptr<Source> open(const SourceOptions& options = {}) { return open_source({{folder_.path()}}, options); }

 private:
  TemporaryFolder folder_;
};

std::string notes_on(const Source& source) {
  std::string text;
  for (const std::string& note : packing_notes(source)) text += note + "\n";
  return text;
}

}  // namespace

TEST_CASE("two lists of one split in a folder are refused with the remedy", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train.csv", "file,label\n0.png,a\n1.png,b\n");
  folder.write("train_folds.csv", "file,label,fold\n2.png,a,0\n3.png,b,1\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("train.csv") && ContainsSubstring("train_folds.csv") &&
                                       ContainsSubstring("both hold samples of split \"train\"") &&
                                       ContainsSubstring("name the one to pack: train="));
  // Named, they join, because no image is in both.
  const auto both = open_source({{folder / "train.csv"}, {folder / "train_folds.csv"}}, {});
  CHECK(both->splits().at(0).sample_count == 4);
  folder.write("train_folds.csv", "file,label,fold\n2.png,a,0\n1.png,b,1\n0.png,b,1\n");
  CHECK_THROWS_WITH(open_source({{folder / "train.csv"}, {folder / "train_folds.csv"}}, {}),
                    ContainsSubstring("both name 2 images of split \"train\" in common, such as \"1.png\"") ||
                        ContainsSubstring("both name 2 images of split \"train\" in common, such as \"0.png\""));
}

TEST_CASE("lists without the name of a split are refused together", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("metadata.csv", "file_name,label\n0.png,a\n");
  folder.write("metadata.jsonl", "{\"file_name\": \"1.png\", \"label\": \"a\"}\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("metadata.csv") && ContainsSubstring("metadata.jsonl"));
}

TEST_CASE("the numbered parts of one list join", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train_1.csv", "file,label\n0.png,b\n1.png,c\n");
  folder.write("train_2.csv", "file,label\n2.png,a\n3.png,c\n");
  const auto source = folder.open();
  // Classes are numbered in byte order of all names: a, b, c.
  CHECK(source->class_names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 2, 0, 2});
  const auto reversed = open_source({{folder / "train_2.csv"}, {folder / "train_1.csv"}}, {});
  CHECK(reversed->class_names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(read_all(*reversed).labels == std::vector<std::int32_t>{0, 2, 1, 2});
  folder.write("train_2.csv", "file,label\n1.png,a\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("both name 1 image of split \"train\" in common"));
}

TEST_CASE("a list whose name states no split is not packed next to one that does", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train.csv", "image_id,label\n0,1\n1,2\n");
  folder.write("test.csv", "image_id\n2\n3\n");
  folder.write("sample_submission.csv", "image_id,label\n2,0\n3,0\n");
  const auto source = folder.open();
  REQUIRE(source->splits().size() == 2);
  CHECK(read_all(*source, 0).values == std::vector<std::uint8_t>{0, 0, 1, 1});
  CHECK(read_all(*source, 0).labels == std::vector<std::int32_t>{1, 2});
  CHECK(source->splits()[1].name == "test");
  CHECK(source->splits()[1].labels.kind == LabelKind::none);
  folder.write("labels.csv", "image_id,label\n4,1\n5,2\n");
  folder.write("template.csv", "image_id,label\n4,0\n5,0\n");
  CHECK_THAT(
      notes_on(*folder.open()),
      ContainsSubstring("labels.csv is not packed: its name states no split, but that of train.csv does; to pack "
                        "it, name it: train=" +
                        (folder / "labels.csv").string() + "\n") &&
          ContainsSubstring("template.csv is not packed: its name states no split, but that of train.csv does\n"));
}

TEST_CASE("of several named lists, those that would join train by a guess are refused", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train.csv", "image_id,label\n0,1\n1,2\n");
  folder.write("test.csv", "image_id\n2\n3\n");
  folder.write("sample_submission.csv", "image_id,label\n2,0\n3,0\n");
  folder.write("extra.csv", "image_id,label\n4,0\n5,0\n");
  const auto named = [&](const std::vector<SourceSpec>& more) {
    std::vector<SourceSpec> specs = {{folder / "train.csv"}, {folder / "test.csv"}};
    specs.insert(specs.end(), more.begin(), more.end());
    return open_source(specs, {});
  };
  CHECK(named({})->splits().size() == 2);
  CHECK_THROWS_WITH(
      named({{folder / "sample_submission.csv"}}),
      ContainsSubstring("by its name it is a sample submission, whose labels are placeholders; omit it, or "
                        "name its split, such as test=") &&
          ContainsSubstring("sample_submission.csv"));
  CHECK_THROWS_WITH(
      named({{folder / "extra.csv"}}),
      ContainsSubstring("its name states no split, and train.csv has the images of train; name its split, "
                        "such as train=") &&
          ContainsSubstring("extra.csv"));
  CHECK(named({{folder / "extra.csv", "train"}})->splits().at(0).sample_count == 4);
  CHECK(named({{folder / "extra.csv", "val"}})->splits().size() == 3);
  // A column states the splits.
  folder.write("extra.csv", "image_id,label,split\n4,0,train\n5,0,val\n");
  CHECK(named({{folder / "extra.csv"}})->splits().size() == 3);
}

TEST_CASE("two lists of one split in an archive must be unpacked", "[unit][pack]") {
  FolderOfLists folder;
  write_archive(folder / "a.zip", ArchiveKind::zip,
                {{"0.png", gray_png(1)},
                 {"1.png", gray_png(2)},
                 {"train.csv", "file,label\n0.png,a\n"},
                 {"train_folds.csv", "file,label\n1.png,b\n"}});
  CHECK_THROWS_WITH(open_source({{folder / "a.zip"}}, {}),
                    ContainsSubstring("; unpack the archive, and name the one to pack: train=train.csv"));
}

TEST_CASE("names after an image list are refused", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train.csv", "image_id,label\n0,1\n1,2\n");
  SourceSpec spec = {folder / "train.csv"};
  spec.images = "x";
  CHECK_THROWS_WITH(open_source({spec}, {}), ContainsSubstring("::x: only .npz, HDF5 and MATLAB files hold several"));
}

TEST_CASE("an image in several splits is noted", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train.csv", "file,label\n0.png,a\n1.png,b\n2.png,b\n");
  folder.write("test.csv", "file,label\n1.png,b\n2.png,b\n3.png,a\n");
  CHECK_THAT(notes_on(*folder.open()), ContainsSubstring("2 images are in more than one split, such as \"1.png\""));
  folder.write("test.csv", "file,label\n3.png,a\n");
  CHECK_THAT(notes_on(*folder.open()), !ContainsSubstring("in more than one split"));
}

TEST_CASE("unlisted images are counted over the whole folder of a list", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("sub/deep/6.png", gray_png(6));
  folder.write("sub/7.png", gray_png(7));
  folder.write("list.csv", "file,label\n0.png,a\n1.png,b\n2.png,a\n3.png,a\n4.png,a\nsub/7.png,a\n");
  // 5.png and sub/deep/6.png are not listed.
  CHECK_THAT(notes_on(*folder.open()),
             ContainsSubstring("2 images next to the listed ones are not in any list, such as \"5.png\""));
  folder.write("list.csv", "file,label\nsub/7.png,a\n");
  CHECK_THAT(notes_on(*folder.open()), ContainsSubstring("7 images next to the listed ones"));
  // A folder that is packed as well is not left out.
  const auto both =
      open_source({{folder / "list.csv", "train"}, {folder / "sub/deep", "test"}}, {.allow_mismatch = true});
  CHECK_THAT(notes_on(*both), ContainsSubstring("6 images next to the listed ones"));
}

TEST_CASE("the image of a skipped line is listed", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.csv", "file,label\n0.png,0\n1.png,1\n2.png,\n3.png,-1\n4.png,1\n");
  const auto notes = notes_on(*folder.open({.skip_unreadable = true}));
  CHECK_THAT(notes, ContainsSubstring("1 image next to the listed ones is not in any list, such as \"5.png\""));
}

TEST_CASE("a folder whose name begins with the name of a packed one has unlisted images", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"valid/0.png", "valid/1.png", "val/2.png"}) write_file(folder / name, gray_png(1));
  const auto tree = files::open_folder(folder.path());
  std::vector<sources::ReadList> lists(1);
  lists[0].contents.splits.push_back({"val", tree, {"valid/0.png"}, {}, {}});
  lists[0].tree = tree;
  lists[0].path = "valid/list.csv";
  sources::check_lists(lists, {{tree, "val"}});
  REQUIRE(lists[0].contents.remarks.size() == 1);
  CHECK_THAT(lists[0].contents.remarks[0], ContainsSubstring("1 image next to the listed ones"));
}

TEST_CASE("a list in the current folder may be named without a folder", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.csv", "file,label\n0.png,a\n1.png,b\n");
  const WorkingFolder working(folder / ".");
  const auto source = open_source({{"list.csv"}}, {});
  CHECK(source->splits()[0].sample_count == 2);
  CHECK_THAT(notes_on(*source), ContainsSubstring("4 images next to the listed ones"));
}

namespace {

/// The error on opening a folder, or its notes.
std::string outcome_of(const fs::path& folder, const SourceOptions& options = {}) {
  try {
    return notes_on(*open_source({{folder}}, options));
  } catch (const FormatError& error) {
    return std::string("error: ") + error.what();
  }
}

/// Class folders cat and dog, with an image each.
class FolderOfClasses : public TemporaryFolder {
 public:
  FolderOfClasses() {
    for (const char* const path : {"cat/0.png", "dog/1.png"}) write_file(*this / path, gray_png(1));
  }
};

constexpr const char* kFolderInstead = "or pack the images without it with `format=folder`";
constexpr const char* kClassesInstead = "; `format=folder` packs the class folders without the list";

}  // namespace

TEST_CASE("a damaged list is an error wherever the damage is", "[unit][pack]") {
  FolderOfLists flat;
  const FolderOfClasses classes;
  const auto check = [&](const std::string& name, const std::string& list, const std::string& problem) {
    INFO(name << ": " << list.substr(0, 50));
    for (const bool has_classes : {false, true}) {
      const fs::path folder = has_classes ? classes.path() : flat / "";
      write_file(folder / name, list);
      CHECK_THAT(outcome_of(folder), ContainsSubstring("error: read the list ") &&
                                         ContainsSubstring(name + "\": " + problem) &&
                                         ContainsSubstring(has_classes ? kClassesInstead : kFolderInstead));
      CHECK_THAT(outcome_of(folder, {.format = "folder"}), !ContainsSubstring("error"));
      fs::remove(folder / name);
    }
  };
  check("labels.tsv", "file\tlabel\n0.png\t5\" pipe\n", "line 2 is not valid CSV");
  check("labels.jsonl", "{\"file\": \"0.png\", \"label\": 1\n", "line 1 is not valid JSON at byte 29");
  check("labels.csv", "file,label\n\"0.png,1\n", "the quotes that begin in line 2 do not end");
  check("labels.csv", "file,label\n\n0.png\n", "line 3 has 1 field, the first line has 2");
  check("labels.csv", "file,label\ncat/0.png,1\n0.png\n", "line 3 has 1 field, the first line has 2");
  std::string many = "epoch,loss\n";  // not a list, and longer than what decides this
  for (int i = 0; i < 300; ++i) many += "100,0.5\n";
  check("losses.csv", many + "100\n", "line 302 has 1 field, the first line has 2");
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string("file,label\r\n0.png,a\r\n")) utf16 += std::string{c, '\0'};
  check("labels.csv", utf16 + std::string{'\0', '\xDC'}, "line 3: it is not valid UTF-16");
  check("labels.csv", utf16 + "x", "line 3: it is not valid UTF-16");
}

TEST_CASE("a damaged list of a split is an error next to a good one", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("train.csv", "file,label\n0.png,a\n1.png,b\n");
  folder.write("test.csv", "file,label\n2.png\n3.png,b\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("test.csv\": line 2 has 1 field, the first line has 2"));
  // Also one that would not be packed.
  folder.write("test.csv", "file,label\n2.png,a\n3.png,b\n");
  std::string other = "file,label\n";
  for (int i = 0; i < 150; ++i) other += "4.png,a\n";
  folder.write("other.csv", other + "5.png\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("other.csv\": line 152 has 1 field"));
}

TEST_CASE("a table that is not a list is a note if there are other labels and else an error", "[unit][pack]") {
  FolderOfLists flat;
  const FolderOfClasses classes;
  const auto check = [&](const std::string& name, const std::string& text, const std::string& problem) {
    INFO(name << ": " << text);
    const std::string expected = name + " is not used as a list of images: " + problem;
    flat.write(name, text);
    CHECK_THAT(outcome_of(flat / ""),
               ContainsSubstring("error: ") && ContainsSubstring(expected) && ContainsSubstring(kFolderInstead));
    flat.write("train.csv", "file,label\n0.png,a\n1.png,b\n");
    CHECK_THAT(outcome_of(flat / ""), !ContainsSubstring("error: ") && ContainsSubstring(expected));
    fs::remove(flat / "train.csv");
    fs::remove(flat / name);
    write_file(classes / name, text);
    CHECK_THAT(outcome_of(classes.path()), !ContainsSubstring("error: ") && ContainsSubstring(expected));
    fs::remove(classes / name);
  };
  check("losses.csv", "epoch,loss\n100,0.5\n", "no path column found; expected file_name");
  check("scores.csv", "file,label\nelsewhere.png,cat\n", "line 2: the image \"elsewhere.png\" does not exist");
  check("results.json", "[{\"file\": \"elsewhere.png\", \"label\": 1}]", "line 1: the image \"elsewhere.png\"");
  FolderOfLists unlabeled;
  unlabeled.write("captions.csv", "file,text\n0.png,sunny\n");
  CHECK_THAT(outcome_of(unlabeled / ""), ContainsSubstring("error: ") && ContainsSubstring("no column is named label"));
}

TEST_CASE("a table without rows and a JSON document are notes", "[unit][pack]") {
  FolderOfLists folder;
  const auto check = [&](const std::string& name, const std::string& text, const std::string& problem) {
    folder.write(name, text);
    CHECK_THAT(outcome_of(folder / ""), !ContainsSubstring("error: ") &&
                                            ContainsSubstring(name + " is not used as a list of images: " + problem));
    fs::remove(folder / name);
  };
  check("labels.csv", "file,label\n", "it has only the names of columns");
  check("labels.jsonl", "", "it is empty");
  check("info.json", "{\n  \"license\": \"CC0\"\n}\n", "it is neither a JSON array of objects nor JSON Lines");
  check("weights.json", "[1, 2]", "it is neither");
  // Damage below an image is not another kind of document.
  folder.write("list.json", "[{\"file\": \"0.png\", \"label\": 1},\n{\"file\"}]");
  CHECK_THAT(outcome_of(folder / ""), ContainsSubstring("error: read the list") &&
                                          ContainsSubstring("list.json\": line 2 is not valid JSON at byte 8"));
  fs::remove(folder / "list.json");
  for (int i = 0; i < 12; ++i) folder.write("note" + std::to_string(i) + ".json", "{}");
  CHECK_THAT(outcome_of(folder / ""), ContainsSubstring("4 more files with the extension of a list are not used"));
}

TEST_CASE("a list in another folder than the packed one is not passed over", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "img/0.png", gray_png(1));
  write_file(folder / "sub/a.csv", "path,label\n../img/0.png,cat\n");
  CHECK_THAT(outcome_of(folder.path()),
             ContainsSubstring("error") &&
                 ContainsSubstring("sub/a.csv is not used as a list of images: lists are only "
                                   "read in the packed folder itself; move it there") &&
                 ContainsSubstring(kFolderInstead));
  write_file(folder / "more/0.png", gray_png(1));
  CHECK_THAT(outcome_of(folder.path()), ContainsSubstring("ignored 1 file") && ContainsSubstring("sub/a.csv"));
}

TEST_CASE("labels of a list that are not its class folders are noted", "[unit][pack]") {
  const FolderOfClasses folder;
  write_file(folder / "list.csv", "file,label\ncat/0.png,x\ndog/1.png,y\n");
  CHECK_THAT(outcome_of(folder.path()), ContainsSubstring("the labels are those of list.csv; the folders \"cat\", "
                                                          "\"dog\" are not used as classes; `format=folder`"));
  CHECK_THAT(outcome_of(folder / "list.csv"), !ContainsSubstring("are not used as classes"));
  write_file(folder / "list.csv", "file,label\ncat/0.png,cat\ndog/1.png,dog\n");
  CHECK(outcome_of(folder.path()).empty());
  write_file(folder / "list.csv", "file,label\ncat/0.png,x\ndog/9.png,y\n");
  CHECK_THAT(outcome_of(folder.path()),
             ContainsSubstring("line 3: the image \"dog/9.png\" does not exist") && ContainsSubstring(kClassesInstead));
}

TEST_CASE("paths are found by the files that exist", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("images/x/7.png", gray_png(7));
  folder.write("photo", gray_png(8));
  const auto values = [&](const std::string& list, const std::string& name = "list.csv") {
    folder.write(name, list);
    return read_all(*open_source({{folder / name}}, {})).values;
  };
  using Pixels = std::vector<std::uint8_t>;
  // Backslashes are tried as separators; blanks around a path are not part of it.
  CHECK(values("file,label\nimages\\x\\7.png,1\n 2.png ,0\n") == Pixels{7, 7, 2, 2});
  CHECK(values("file, label\n3.png, 1\n") == Pixels{3, 3});
  // Of several path columns, the one whose files exist; also a column with another name.
  CHECK(values("image,image_path,label\na,4.png,1\nb,5.png,0\n") == Pixels{4, 4, 5, 5});
  CHECK_THAT(notes_on(*open_source({{folder / "list.csv"}}, {})),
             ContainsSubstring("the paths of list.csv are in the column \"image_path\", whose files exist"));
  CHECK(values("photo_name,label\n4.png,1\n5.png,0\n") == Pixels{4, 4, 5, 5});
  // A file that is named exactly may have any extension or none.
  CHECK(values("file,label\nphoto,1\n") == Pixels{8, 8});
  folder.write("notes.txt", "text");
  folder.write("list.csv", "file,label\nnotes.txt,1\n");
  CHECK_THROWS_WITH(open_source({{folder / "list.csv"}}, {}),
                    ContainsSubstring("notes.txt") && !ContainsSubstring("does not exist"));
  // A name that differs only in case is that of the file, with a note.
  CHECK(values("file,label\n1.PNG,1\n") == Pixels{1, 1});
  CHECK_THAT(notes_on(*open_source({{folder / "list.csv"}}, {})),
             ContainsSubstring("1 name in list.csv differs from the file in case, such as \"1.PNG\" for \"1.png\""));
  folder.write("list.csv", "file,label\n1.png,1\n,2\n");
  CHECK_THROWS_WITH(open_source({{folder / "list.csv"}}, {}),
                    ContainsSubstring("line 3: the path of its image is empty"));
}

TEST_CASE("a column of numbers named like a path is not a label", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.csv", "id,file_name\n17,0.png\n18,1.png\n");
  CHECK(open_source({{folder / "list.csv"}}, {})->splits()[0].labels.kind == LabelKind::none);
}

TEST_CASE("lists in UTF-16 are read", "[unit][pack]") {
  FolderOfLists folder;
  const std::string text = "file,label\r\n0.png,cat\r\n1.png,dog\r\n";
  const auto utf16 = [&](bool is_little, bool has_mark) {
    std::string bytes;
    const auto add = [&](char high, char low) { bytes += is_little ? std::string{low, high} : std::string{high, low}; };
    if (has_mark) add('\xFE', '\xFF');
    for (const char c : text) add('\0', c);
    return bytes;
  };
  for (const std::string& bytes :
       {utf16(true, true), utf16(false, true), utf16(true, false), utf16(false, false), "\xEF\xBB\xBF" + text}) {
    folder.write("list.csv", bytes);
    CHECK(folder.open()->class_names() == std::vector<std::string>{"cat", "dog"});
  }
}

TEST_CASE("a list may be compressed and separated by tabs or bars", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.csv.gz", gzipped("file|label\n0.png|cat\n1.png|dog\n"));
  CHECK(folder.open()->class_names() == std::vector<std::string>{"cat", "dog"});
  folder.write("list.csv", "file\tlabel\n0.png\ta,b\n1.png\tc\n");
  CHECK(open_source({{folder / "list.csv"}}, {})->class_names() == std::vector<std::string>{"a,b", "c"});
}

TEST_CASE("a list without the names of its columns is refused", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.csv", "0.png,cat\n1.png,dog\n");
  CHECK_THROWS_WITH(folder.open(),
                    ContainsSubstring("its first line names the image \"0.png\" instead of the columns"));
  CHECK_THROWS_WITH(open_source({{folder / "list.csv"}}, {}), ContainsSubstring("add a first line such as file,label"));
}

TEST_CASE("class folders that are numbers in another order are noted", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const path : {"0/a.png", "1/a.png", "2/a.png"}) write_file(folder / path, gray_png(1));
  CHECK_THAT(notes_on(*open_source({{folder.path()}}, {})), !ContainsSubstring("numbers"));
  write_file(folder / "10/a.png", gray_png(1));
  CHECK_THAT(notes_on(*open_source({{folder.path()}}, {})),
             ContainsSubstring("the class folders are numbers") && ContainsSubstring("\"10\" is class 2"));
}

TEST_CASE("NaN in JSON lines is a missing value", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.jsonl",
               "{\"file\": \"0.png\", \"label\": 0, \"age\": NaN, \"note\": \"is \\\"NaN\"}\n"
               "{\"file\": \"1.png\", \"label\": 1, \"age\": -Infinity, \"note\": \"\"}\n");
  const auto source = folder.open({.columns = {"age", "note"}});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{0, 1});
  CHECK(source->sample_metadata(0, 0) == R"([null,"is \"NaN"])");
  folder.write("list.jsonl", "{\"file\": \"0.png\", \"label\": NaN}\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("line 1: column \"label\": its label is missing"));
}

TEST_CASE("errors of CSV lists name the physical line", "[unit][pack]") {
  FolderOfLists folder;
  const auto error = [&](const std::string& list) {
    folder.write("list.csv", list);
    try {
      open_source({{folder / "list.csv"}}, {});
    } catch (const FormatError& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  CHECK_THAT(error("file,label\n\n\n0.png,cat\n\n1.png,dog\nmissing.png,dog\n"),
             ContainsSubstring("line 7: the image"));
  CHECK_THAT(error("file,label\r\n\r\n0.png,cat\r\nmissing.png,dog\r\n"), ContainsSubstring("line 4: the image"));
  CHECK_THAT(error("file,label\r\r0.png,cat\rmissing.png,dog\r"), ContainsSubstring("line 4: the image"));
  CHECK_THAT(error("file,\"la\nbel\",label\n0.png,\"a\n\nb\",cat\nmissing.png,x,dog\n"),
             ContainsSubstring("line 6: the image"));
  CHECK_THAT(error("file,label\n0.png,\"ca\nt\"\n1.png,dog\n"),
             ContainsSubstring("line 2: column \"label\": its label is not free of control characters"));
  CHECK_THAT(error("file,label\n0.png,cat\n1.png,dog,7\n"), ContainsSubstring("line 3 has 3 fields"));
}

TEST_CASE("lists and WebDataset shards give a label one meaning", "[unit][pack]") {
  FolderOfLists folder;
  folder.write("list.csv", "file,label\n0.png,0\n1.png,1\n2.png,2\n3.png,10\n4.png,-1\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("line 6: column \"label\": its label is missing (\"-1\")"));
  const auto source = folder.open({.skip_unreadable = true});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{0, 1, 2, 10});
  CHECK(source->left_out().size() == 1);
  folder.write("list.csv", "file,label\n0.png,0\n1.png,unknown\n");
  CHECK_THROWS_WITH(folder.open(), ContainsSubstring("both numbers and names, such as \"0\" (line 2) and \"unknown\" "
                                                     "(line 3)"));
}
