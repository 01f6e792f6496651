// Folders as competitions and portals publish them: which of their lists are packed, and with which labels.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

/// A folder with the images train_images/0.png, 1.png and test_images/2.png, 3.png, and lists.
class Competition {
 public:
  Competition() {
    for (const char* const image : {"train_images/0.png", "train_images/1.png"}) write(image, gray_png(1));
    for (const char* const image : {"test_images/2.png", "test_images/3.png"}) write(image, gray_png(2));
  }
  void write(const std::string& name, const std::string& text) const { write_file(folder_ / name, text); }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  std::unique_ptr<Source> open(const SourceOptions& options = {}) const {
    return open_source({{folder_.path()}}, options);
  }
  std::string error(const SourceOptions& options = {}) const {
    try {
      open(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  TemporaryFolder folder_;
};

std::string list_remarks_of(const Source& source) {
  std::string text;
  for (const std::string& note : source.notes().remarks) text += note + "\n";
  return text;
}

constexpr const char* kSubmission = "id,label\n2,0\n3,0\n";

}  // namespace

TEST_CASE("a sample submission is not packed next to the labels", "[unit][pack]") {
  const Competition folder;
  folder.write("labels.csv", "id,label\n0,owl\n1,pug\n");
  for (const char* const name : {"sample_submission.csv", "sampleSubmission.csv", "submission_test.csv"}) {
    folder.write(name, kSubmission);
    const auto source = folder.open();
    REQUIRE(source->splits().size() == 1);
    CHECK(source->class_names() == Names{"owl", "pug"});
    CHECK_THAT(list_remarks_of(*source),
               ContainsSubstring(std::string(name) + " is not packed: by its name it is a sample submission"));
    fs::remove(folder / name);
  }
}

TEST_CASE("the labels of a sample submission are never those of the images", "[unit][pack]") {
  const Competition folder;
  folder.write("sample_submission.csv", "id,owl,pug\n2,0.5,0.5\n3,0.5,0.5\n");
  CHECK_THAT(folder.error(), ContainsSubstring("sample_submission.csv is not packed: by its name it is a sample "
                                               "submission, whose labels are placeholders; name the list that has "
                                               "the labels, or pack the images without it with `format=folder`"));
  // A list whose labels are not recognized is the more important problem.
  folder.write("train.csv", "id,cultivar\n0,a\n1,b\n");
  CHECK_THAT(folder.error(), ContainsSubstring("train.csv is not used as a list of images: no column is named label") &&
                                 ContainsSubstring("name cultivar with `label_column`"));
  // The user may name it.
  const auto named = open_source({{folder / "sample_submission.csv", "test"}}, {});
  CHECK(named->splits()[0].sample_count == 2);
  CHECK_THAT(list_remarks_of(*named),
             ContainsSubstring("sample_submission.csv: by its name it is a sample submission"));
}

TEST_CASE("folders named for images are not the classes of a list without recognized labels", "[unit][pack]") {
  const Competition folder;
  folder.write("train.csv", "id,cultivar\n0,a\n1,b\n");
  CHECK_THAT(folder.error(), ContainsSubstring("name cultivar with `label_column`, or pack the images "
                                               "without it with `format=folder`"));
  CHECK(folder.open({.label_columns = {"cultivar"}})->class_names() == Names{"a", "b"});
  CHECK(folder.open({.format = "folder"})->class_names() == Names{"test_images", "train_images"});
  const TemporaryFolder parts;
  for (const char* const image : {"images_001/0.png", "images_002/1.png"}) write_file(parts / image, gray_png(1));
  write_file(parts / "entries.csv", "Image Index,SourceEntry Labels\n0.png,Mass\n1.png,Edema\n");
  CHECK_THROWS_WITH(open(parts.path()), ContainsSubstring("name SourceEntry Labels with"));
}

TEST_CASE("lists of other splits without labels are packed without labels whatever their columns", "[unit][pack]") {
  const Competition folder;
  folder.write("train.csv", "id,label\n0,owl\n1,pug\n");
  for (const char* const columns : {"id\n2\n3\n", "id,age\n2,7\n3,8\n", "id,sex\n2,f\n3,m\n"}) {
    INFO(columns);
    folder.write("test.csv", columns);
    for (const bool is_named : {false, true}) {
      const auto source =
          is_named ? open_source({{folder / "train.csv", "train"}, {folder / "test.csv", "test"}}, {}) : folder.open();
      REQUIRE(source->splits().size() == 2);
      CHECK(source->splits()[1].labels.kind == LabelKind::none);
      CHECK(source->class_names() == Names{"owl", "pug"});
      CHECK_THAT(list_remarks_of(*source), ContainsSubstring("test.csv is packed without labels: "));
    }
  }
  // So it is in folders of splits.
  const TemporaryFolder splits;
  for (const char* const image : {"train/0.png", "test/1.png"}) write_file(splits / image, gray_png(1));
  write_file(splits / "train/metadata.csv", "file_name,label\n0.png,owl\n");
  write_file(splits / "test/metadata.csv", "file_name,age\n1.png,7\n");
  const auto source = open(splits.path());
  CHECK(source->splits().at(1).labels.kind == LabelKind::none);
  CHECK(source->sample_metadata(1, 0) == "[7]");
  // The named column of labels counts too.
  folder.write("train.csv", "id,cultivar\n0,a\n1,b\n");
  CHECK(folder.open({.label_columns = {"cultivar"}})->splits().size() == 2);
}

TEST_CASE("a list with labels is not dropped for one without that states a split", "[unit][pack]") {
  const Competition folder;
  folder.write("labels.csv", "id,label\n0,owl\n1,pug\n");
  folder.write("test.csv", "id\n2\n3\n");
  const auto source = folder.open();
  REQUIRE(source->splits().size() == 2);
  CHECK(source->splits()[0].labels.kind == LabelKind::class_index);
}

TEST_CASE("the labels of the training images are not lost", "[unit][pack]") {
  const Competition folder;
  folder.write("train.csv", "id,cultivar\n0,a\n1,b\n");
  folder.write("test.csv", "id,label\n2,a\n3,b\n");
  CHECK_THAT(folder.error(), ContainsSubstring("train.csv\": no column is named label") &&
                                 ContainsSubstring("name cultivar with `label_column`"));
  // Neither for numbers that may be labels, nor for paths alone.
  for (const char* const other : {"id,age\n2,7\n3,8\n", "id\n2\n3\n"}) {
    folder.write("test.csv", other);
    CHECK_THAT(folder.error(), ContainsSubstring("train.csv is not used as a list of images: no column is named"));
  }
}

TEST_CASE("a misspelled column is named with the nearest one", "[unit][pack]") {
  const Competition folder;
  folder.write("train.csv", "id,label,breed\n0,owl,x\n1,pug,x\n");
  CHECK_THAT(folder.error({.label_columns = {"lable"}}),
             ContainsSubstring("open the sources: train.csv is not used as a list of images: it has no column "
                               "\"lable\"; did you mean \"label\"? expected one of id, label or breed"));
  CHECK_THAT(folder.error({.path_column = "idd", .label_columns = {"label"}}),
             ContainsSubstring("it has no column \"idd\"; did you mean \"id\"?"));
}

TEST_CASE("labels are in columns with usual names", "[unit][pack]") {
  const Competition folder;
  for (const char* const column : {"class_id", "ClassId", "category_id", "label_id", "diagnosis", "breed"}) {
    INFO(column);
    folder.write("train.csv", "id,age," + std::string(column) + "\n0,7,1\n1,8,0\n");
    const auto source = folder.open();
    CHECK(source->splits()[0].labels == LabelLayout{LabelKind::class_index, 1});
    CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0});
  }
  // Names rather than numbers.
  folder.write("train.csv", "id,class_id,class_name\n0,1,owl\n1,0,pug\n");
  CHECK(folder.open()->class_names() == Names{"owl", "pug"});
}

TEST_CASE("paths may begin with the folder of the list", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const image : {"a/Set-1/train/0.png", "a/Set-1/train/1.png"})
    write_file(folder / image, gray_png(1));
  const fs::path list = folder / "a/Set-1/train.csv";
  for (const std::string start : {"Set-1/train/", "a/Set-1/train/", "Set-1\\train\\"}) {
    INFO(start);
    write_file(list, "Path,label\n" + start + "0.png,x\n" + start + "1,y\n");
    const auto source = open(folder / "a/Set-1");
    CHECK(source->splits()[0].sample_count == 2);
    CHECK_THAT(list_remarks_of(*source),
               ContainsSubstring("2 paths of train.csv begin with the list's own folder, which is "
                                 "left out, such as \"" +
                                 start + "0.png\" for \"train/0.png\""));
  }
  // A folder of that name precedes.
  write_file(folder / "a/Set-1/Set-1/train/0.png", gray_png(9));
  write_file(list, "Path,label\nSet-1/train/0.png,x\n");
  CHECK(read_all(*open(list)).values[0] == 9);
  write_file(list, "Path,label\nSet-1/../../x.png,x\n");
  CHECK_THROWS_WITH(open(list), ContainsSubstring("is outside the list's folder"));
}

TEST_CASE("paths that lead out of the folder of the list are refused with the remedy", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "img/0.png", gray_png(1));
  const auto error_of = [&](const std::string& path) -> std::string {
    write_file(folder / "lists/a.csv", "file,label\n" + path + ",x\n");
    try {
      open(folder / "lists/a.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string move = "is outside the list's folder \"" + (folder / "lists").string() + "\"; move the list to \"" +
                           folder.path().string() + "\", and write paths from there on, such as \"img/0.png\"";
  CHECK_THAT(error_of("../img/0.png"), ContainsSubstring(move));
  CHECK_THAT(error_of((folder / "img/0.png").string()), ContainsSubstring(move));
  for (const char* const path : {"/data/0.png", "C:\\data\\0.png", "../no.png"}) {
    INFO(path);
    CHECK_THAT(error_of(path), ContainsSubstring("; move the list next to the images, and write paths from there on"));
  }
  write_file(folder / "lists/sub/0.png", gray_png(1));
  CHECK_THAT(error_of("/data/0.png"),
             ContainsSubstring("; write the paths from that folder on, such as \"sub/0.png\""));
  // A packed folder without images shows the reason too.
  fs::remove_all(folder / "lists/sub");
  error_of("../img/0.png");
  CHECK_THROWS_WITH(open(folder / "lists"), ContainsSubstring("found no image files") && ContainsSubstring(move));
}

TEST_CASE("the images of a list may be in a folder that the user names", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "input/a/0.png", gray_png(7));
  write_file(folder / "input/a/1.png", gray_png(8));
  const SourceOptions options = {.image_root = folder / "input"};
  const auto open_paths = [&](const std::string& first, const std::string& second) {
    write_file(folder / "working/folds.csv", "file,label\n" + first + ",x\n" + second + ",y\n");
    return open_source({{folder / "working/folds.csv"}}, options);
  };
  for (const std::string& start : {(folder / "input/a/").string(), std::string("a/"), std::string("../input/a/")}) {
    INFO(start);
    const auto source = open_paths(start + "0.png", start + "1.png");
    CHECK(read_all(*source).values == std::vector<std::uint8_t>{7, 7, 8, 8});
    CHECK(source->sample_name(0, 1) == "a/1.png");
    CHECK(list_remarks_of(*source).empty());
  }
  const std::string outside = "is outside the folder \"" + (folder / "input").string() + "\" of `image_root`; ";
  CHECK_THROWS_WITH(open_paths("a/0.png", (folder / "9.png").string()),
                    ContainsSubstring(outside + "correct the path, or name a folder that holds all with `image_root`"));
  CHECK_THROWS_WITH(open_paths("a/0.png", "../working/folds.csv"),
                    ContainsSubstring(outside + "name the folder of all images with `image_root`, such as"));
  CHECK_THROWS_WITH(open_paths("no.png", "a/0.png"),
                    ContainsSubstring("does not exist below the folder") && !ContainsSubstring("not allowed"));
}

TEST_CASE("a folder of images that does not exist, or that no list uses, is refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/0.png", gray_png(7));
  write_file(folder / "a.csv", "file,label\na/0.png,x\n");
  CHECK_THROWS_WITH(
      open_source({{folder / "a.csv"}}, {.image_root = folder / "none"}),
      ContainsSubstring("`image_root` names \"" + (folder / "none").string() + "\", which is not a folder"));
  CHECK_THROWS_WITH(open_source({{folder / "a"}}, {.image_root = folder.path()}),
                    ContainsSubstring("found no image list (CSV, TSV or JSON) for `image_root`"));
}

TEST_CASE("a row without a split is refused if others name theirs", "[unit][pack]") {
  const Competition folder;
  const auto write_splits = [&](const std::string& first, const std::string& second) {
    folder.write("list.csv", "id,label,split\n0,owl," + first + "\n1,pug," + second + "\n2,owl,train\n");
  };
  for (const char* const missing : {"", " ", "NaN"}) {
    write_splits("train", missing);
    CHECK_THAT(folder.error(), ContainsSubstring("line 3: its split is missing, in the column \"split\"; correct the "
                                                 "line, or skip such lines with `on_error=skip`"));
    CHECK(folder.open({.skip_unreadable = true})->splits()[0].sample_count == 2);
  }
  // The split of the command counts.
  CHECK(open_source({{folder / "list.csv", "test"}}, {})->splits()[0].sample_count == 3);
  folder.write("list.csv", "id,label,split\n0,owl,\n1,pug,\n");
  const auto source = folder.open();
  CHECK(source->splits()[0].name == "train");
  CHECK_THAT(list_remarks_of(*source), ContainsSubstring("list.csv: the column \"split\" names no split"));
}

TEST_CASE("class numbers that do not begin at 0 are noted", "[unit][pack]") {
  const Competition folder;
  folder.write("list.csv", "id,label\n0,1\n1,4\n");
  const auto source = folder.open();
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 4});
  CHECK_THAT(list_remarks_of(*source),
             ContainsSubstring(
                 "the class numbers 1 to 4 are kept, so that no sample is in class "
                 "0, and a model needs 5 outputs; number the classes from 0 to avoid this, or, if the numbers are "
                 "quantities, make them targets with `label_kind=target`"));
  CHECK_THAT(list_remarks_of(*folder.open({.label_kind = LabelKind::class_index})),
             ContainsSubstring("are kept") && !ContainsSubstring("quantities"));
  folder.write("list.csv", "id,label\n0,0\n1,4\n");
  CHECK_THAT(list_remarks_of(*folder.open()), !ContainsSubstring("class numbers"));
  // All lists count.
  folder.write("train.csv", "id,label\n0,0\n1,1\n");
  folder.write("test.csv", "id,label\n2,1\n");
  fs::remove(folder / "list.csv");
  CHECK_THAT(list_remarks_of(*folder.open()), !ContainsSubstring("class numbers"));
}

TEST_CASE("classes that differ only in case are noted", "[unit][pack]") {
  const Competition folder;
  folder.write("list.csv", "id,label\n0,Cat\n1,cat\n2,DOG\n3,dog\n");
  CHECK_THAT(list_remarks_of(*folder.open()),
             ContainsSubstring("the classes \"Cat\" and \"cat\" differ only in case, and so does 1 other pair; if they "
                               "are one class, merge them with `class_map`"));
  CHECK_THAT(list_remarks_of(*folder.open({.class_map = {{"cat", "Cat"}}})), !ContainsSubstring("differ only in case"));
  folder.write("list.csv", "id,label\n0,Cat\n1,dog\n");
  CHECK_THAT(list_remarks_of(*folder.open()), !ContainsSubstring("differ only in case"));
}
