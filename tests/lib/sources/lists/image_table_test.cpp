#include "sources/lists/table/image_table.hpp"

#include <octavo/dataset.hpp>
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

/// A folder with images 1.png to 4.png, and a list.
class ListedFolder {
 public:
  explicit ListedFolder(const std::string& list_name) : list_(folder_ / list_name) {
    for (std::uint8_t value = 1; value <= 4; ++value) {
      write_file(folder_ / (std::to_string(value) + ".png"), gray_png(value));
    }
  }
  std::unique_ptr<Source> open(const std::string& list, const SourceOptions& options = {}) {
    write_file(list_, list);
    return open_source({{list_}}, options);
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  fs::path list_;
};

}  // namespace

TEST_CASE("a CSV list gives images and splits and class names in byte order", "[unit][pack]") {
  ListedFolder files("list.csv");
  const auto source = files.open(
      "file_name,label,split\r\n"
      "2.png,\"owl, barn\",train\r\n"
      "1.png,ant,train\r\n"
      "4.png,ant,validation\r\n");
  REQUIRE(source->format() == "manifest");
  REQUIRE(source->class_names() == std::vector<std::string>{"ant", "owl, barn"});
  REQUIRE(source->splits().size() == 2);
  REQUIRE(source->splits()[1].name == "val");
  const Samples samples = read_all(*source);
  REQUIRE(samples.values == std::vector<std::uint8_t>{2, 2, 1, 1});
  REQUIRE(samples.labels == std::vector<std::int32_t>{1, 0});
}

TEST_CASE("whole numbers are classes and other numbers targets and columns of 0 and 1 multi-labels", "[unit][pack]") {
  ListedFolder files("list.csv");
  const auto labels = [&](const std::string& list) { return files.open(list)->splits()[0].labels; };
  CHECK(labels("path,label\n1.png,4\n2.png,0\n") == LabelLayout{LabelKind::class_index, 1});
  CHECK(labels("path,label\n1.png,0.5\n2.png,3\n") == LabelLayout{LabelKind::target, 1});
  CHECK(labels("path,red,round\n1.png,0,1\n2.png,1,1\n") == LabelLayout{LabelKind::multi_label, 2});
  CHECK(labels("path,x,y2\n1.png,0,1.5\n2.png,1,1\n") == LabelLayout{LabelKind::target, 2});
  CHECK(labels("path\n1.png\n2.png\n") == LabelLayout{});
  REQUIRE(files.open("path,red,round\n1.png,0,1\n")->class_names() == std::vector<std::string>{"red", "round"});
}

TEST_CASE("a guessed column of labels follows the rule of all labels", "[unit][pack]") {
  ListedFolder files("list.csv");
  const std::string grades = "path,grade\n1.png,0\n2.png,3\n", ages = "path,age\n1.png,0\n2.png,3.5\n";
  const auto labels = [&](const std::string& list, const SourceOptions& options) {
    return files.open(list, options)->splits()[0].labels;
  };
  const LabelLayout classes = {LabelKind::class_index, 1}, targets = {LabelKind::target, 1};
  CHECK(labels(grades, {}) == classes);
  CHECK(read_all(*files.open(grades)).labels == std::vector<std::int32_t>{0, 3});
  CHECK_THAT(
      to_json(files.open(grades)->notes()),
      ContainsSubstring(R"(the labels are the whole numbers in \"grade\" of list.csv, and each number is a class; )"
                        "`label_kind=target` makes them targets"));
  CHECK(labels(grades, {.label_kind = LabelKind::class_index}) == classes);
  CHECK(labels(grades, {.label_kind = LabelKind::target}) == targets);
  CHECK(labels(ages, {}) == targets);
  CHECK_THROWS_WITH(files.open(ages, {.label_kind = LabelKind::class_index}),
                    ContainsSubstring("column \"age\": the label \"3.5\" (line 3) is not a class number"));
  CHECK_THROWS_WITH(files.open("path,size\n1.png,0\n2.png,big\n"),
                    ContainsSubstring("column \"size\": the labels are both numbers and names") &&
                        ContainsSubstring("`label_column` names another column"));
}

TEST_CASE("whole numbers in a column that the user names are noted if they may be quantities", "[unit][pack]") {
  ListedFolder files("list.csv");
  const auto remarks = [&](const std::string& column, const std::string& third, SourceOptions options = {}) {
    options.label_columns = {column};
    const std::string list = "path," + column + "\n1.png,0\n2.png,1\n3.png," + third + "\n";
    return to_json(files.open(list, options)->notes());
  };
  CHECK_THAT(remarks("age", "2"),
             ContainsSubstring(R"(the labels are the whole numbers in \"age\", and each number is a class; )"
                               "`label_kind=target` makes them targets, and `label_kind=class` confirms the classes"));
  CHECK_THAT(remarks("age", "1"), !ContainsSubstring("whole numbers"));
  CHECK_THAT(remarks("target", "2"), !ContainsSubstring("whole numbers"));
  for (const LabelKind kind : {LabelKind::class_index, LabelKind::target}) {
    CHECK_THAT(remarks("age", "2", {.label_kind = kind}), !ContainsSubstring("whole numbers"));
  }
}

TEST_CASE("the kind of several labels per line is refused or changed on request", "[unit][pack]") {
  ListedFolder files("list.csv"), lines("list.jsonl");
  const std::string bits = "path,red,round\n1.png,0,1\n", numbers = "path,x,y2\n1.png,0,2\n";
  CHECK(files.open(bits, {.label_kind = LabelKind::class_index})->splits()[0].labels.kind == LabelKind::multi_label);
  CHECK(files.open(bits, {.label_kind = LabelKind::target})->splits()[0].labels == LabelLayout{LabelKind::target, 2});
  CHECK_THROWS_WITH(files.open(numbers, {.label_kind = LabelKind::class_index}),
                    ContainsSubstring("several numbers other than 0 and 1, which are not classes"));
  CHECK_THROWS_WITH(lines.open("{\"file\": \"1.png\", \"label\": [0, 1.5]}\n", {.label_kind = LabelKind::class_index}),
                    ContainsSubstring("several numbers other than 0 and 1"));
}

TEST_CASE("a TSV list and a JSON Lines list give the same samples", "[unit][pack]") {
  ListedFolder tabs("list.tsv"), lines("list.jsonl");
  const auto a = tabs.open("image\ttarget\n3\t1.5\n4\t2\n");
  const auto b = lines.open("{\"image\": \"3.png\", \"target\": 1.5}\n\n{\"image\": \"4.png\", \"target\": 2}\n");
  REQUIRE(read_all(*a).values == read_all(*b).values);
  REQUIRE(read_all(*a).labels == read_all(*b).labels);
  REQUIRE(a->splits()[0].labels == LabelLayout{LabelKind::target, 1});
  const auto c = lines.open("{\"file\": \"3.png\", \"label\": [0, 1]}\n{\"file\": \"4.png\", \"label\": [1, 1]}\n");
  REQUIRE(c->splits()[0].labels == LabelLayout{LabelKind::multi_label, 2});
}

TEST_CASE("a folder with a list of its images is read through the list", "[unit][pack]") {
  ListedFolder files("metadata.csv");
  static_cast<void>(files.open("file_name,label\n4.png,1\n"));
  const auto source = open_source({{files.folder().path()}}, {});
  REQUIRE(source->format() == "manifest");
  REQUIRE(source->splits()[0].sample_count == 1);
}

TEST_CASE("a missing value among numbers is not a class", "[unit][pack]") {
  ListedFolder files("list.csv");
  for (const char* const missing : {"", "NaN", "NA", "n/a", "null"}) {
    INFO(missing);
    const std::string column = "path,age\n1.png,31.5\n2.png," + std::string(missing) + "\n3.png,4\n";
    const std::string label = "path,label\n1.png,31.5\n2.png," + std::string(missing) + "\n3.png,4\n";
    REQUIRE_THROWS_WITH(files.open(column), ContainsSubstring("line 3: column \"age\": its label is missing"));
    REQUIRE_THROWS_WITH(files.open(label), ContainsSubstring("line 3: column \"label\": its label is missing"));
    for (const std::string& list : {column, label}) {
      const auto source = files.open(list, {.skip_unreadable = true});
      REQUIRE(source->splits()[0].labels == LabelLayout{LabelKind::target, 1});
      REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{1, 1, 3, 3});
      REQUIRE(source->left_out().size() == 1);
      REQUIRE(source->left_out()[0].name == "list.csv: line 3");
    }
  }
  for (const char* const infinite : {"inf", "-Infinity"}) {
    REQUIRE_THROWS_WITH(files.open("path,label\n1.png,1.5\n2.png," + std::string(infinite) + "\n"),
                        ContainsSubstring("not a finite number"));
  }
  REQUIRE_THROWS_WITH(files.open("path,label\n1.png,+1\n2.png,-1\n"),
                      ContainsSubstring("line 3: column \"label\": its label is missing (\"-1\"); correct the "
                                        "line, or skip such lines with `on_error=skip`"));
  REQUIRE(files.open("path,label\n1.png,+1\n2.png,-1\n", {.label_kind = LabelKind::target})->splits()[0].labels ==
          LabelLayout{LabelKind::target, 1});
  REQUIRE_THROWS_WITH(files.open("path,label\n1.png,NA\n2.png,\n", {.skip_unreadable = true}),
                      ContainsSubstring("no line has"));
  // The same in the first line, but among names NA is a name.
  REQUIRE_THROWS_WITH(files.open("path,age\n1.png,\n2.png,1\n"),
                      ContainsSubstring("line 2: column \"age\": its label is missing"));
  REQUIRE(files.open("path,country\n1.png,NA\n2.png,DE\n")->splits()[0].labels == LabelLayout{});
  REQUIRE(files.open("path,label\n1.png,NA\n2.png,DE\n")->class_names() == std::vector<std::string>{"DE", "NA"});
}

TEST_CASE("lines without an image can be skipped", "[unit][pack]") {
  ListedFolder files("list.csv");
  const auto source =
      files.open("path,label\n9.png,1\n2.png,0\n../1.png,1\n1.png,\n3.png,2\n", {.skip_unreadable = true});
  const Samples samples = read_all(*source);
  REQUIRE(samples.values == std::vector<std::uint8_t>{2, 2, 3, 3});
  REQUIRE(samples.labels == std::vector<std::int32_t>{0, 2});
  std::string lines;
  for (const SampleFailure& left_out : source->left_out()) lines += std::to_string(left_out.row) + " ";
  REQUIRE(lines == "2 4 5 ");
  REQUIRE_THROWS_WITH(
      files.open("path,label\n9.png,1\n", {.skip_unreadable = true}),
      ContainsSubstring("no line has") && ContainsSubstring("the image \"9.png\" does not exist below"));

  const PackSummary summary = pack(*source, files.folder() / "out.h5", {.skip_bad_samples = true});
  REQUIRE(summary.skipped.size() == 3);
  REQUIRE_THAT(Dataset::open(files.folder() / "out.h5").provenance(), ContainsSubstring("list.csv: line 4"));
}

TEST_CASE("a list may have absolute paths and columns separated by semicolons", "[unit][pack]") {
  ListedFolder files("list.csv");
  const std::string absolute = fs::absolute(files.folder() / "3.png").string();
  REQUIRE(read_all(*files.open("path;label\n" + absolute + ";1\n")).values == std::vector<std::uint8_t>{3, 3});
  REQUIRE(files.open("path;a;b\n1.png;0,5;3\n2.png;1,25;2,5\n")->splits()[0].labels ==
          LabelLayout{LabelKind::target, 2});
  const TemporaryFolder other;
  write_file(other / "3.png", gray_png(3));
  REQUIRE_THROWS_WITH(files.open("path,label\n" + (other / "3.png").string() + ",1\n"),
                      ContainsSubstring("is outside the list's folder"));
}

TEST_CASE("numbers with thousands separators are neither targets nor class names", "[unit][pack]") {
  ListedFolder files("list.csv");
  const std::string list = "path,score\n1.png,\"1,500\"\n2.png,\"12,500,000.5\"\n";
  CHECK_THROWS_WITH(files.open(list, {.label_columns = {"score"}}),
                    ContainsSubstring("the label \"1,500\" (line 2) is a number with a thousands separator"));
  CHECK_THROWS_WITH(open_source({{files.folder().path()}}, {}),
                    ContainsSubstring("list.csv is not used as a list of images: numbers in \"score\" have thousands "
                                      "separators, such as \"1,500\" (line 2); remove the separators"));
  CHECK_THAT(
      to_json(files.open(list)->notes()),
      ContainsSubstring(R"(list.csv: numbers in \"score\" have thousands separators, such as \"1,500\" (line 2); )"
                        "without them, they would be labels"));
  const std::string small = "path,score\n1.png,500\n2.png,\"1,500\"\n";
  CHECK_THROWS_WITH(files.open(small, {.label_columns = {"score"}}), ContainsSubstring("the label \"1,500\" (line 3)"));
  // Names that only look similar, or that are given.
  const auto names = [&](const std::string& one, const SourceOptions& options = {}) {
    return files.open("path,label\n1.png,\"" + one + "\"\n2.png,\"1,500\"\n", options)->class_names();
  };
  for (const char* const one : {"1,50", "1500,000", ",500", "1,500,", "1,500a", "a"}) CHECK(names(one).size() == 2);
  CHECK(names("2,500", {.class_names = {"1,500", "2,500"}}).size() == 2);
}

TEST_CASE("decimal commas are recognized only in all-numeric columns and not as thousands separators", "[unit][pack]") {
  ListedFolder files("list.csv");
  REQUIRE(read_all(*files.open("path;label\n1.png;0,3\n2.png;cat\n")).labels == std::vector<std::int32_t>{0, 1});
  REQUIRE(files.open("path;label\n1.png;0,3\n2.png;cat\n")->class_names() == std::vector<std::string>{"0,3", "cat"});
  REQUIRE(files.open("path;price\n1.png;1,000\n2.png;2,500\n")->splits()[0].labels.kind == LabelKind::none);
  REQUIRE(files.open("path;price\n1.png;1,125\n2.png;2,5\n")->splits()[0].labels.kind == LabelKind::target);
  REQUIRE(files.open("path;price\n1.png;0,125\n2.png;0,250\n")->splits()[0].labels.kind == LabelKind::target);
}

TEST_CASE("unnamed columns are line numbers and other numeric columns are reported", "[unit][pack]") {
  ListedFolder files("list.csv");
  const auto source = files.open(",path,age,sex\n0,1.png,20,0\n1,2.png,21,1\n");
  REQUIRE(source->splits()[0].labels == LabelLayout{LabelKind::target, 2});
  CHECK_THAT(to_json(source->notes()),
             ContainsSubstring(R"(the labels are the numbers in \"age\", \"sex\" of list.csv)"));
  // Two of the four images are not listed.
  CHECK_THAT(to_json(source->notes()), ContainsSubstring("2 images next to the listed ones are not in any list"));
  CHECK_THAT(to_json(files.open("path,lable\n1.png,a\n")->notes()),
             ContainsSubstring(R"(list.csv has the columns \"path\", \"lable\"; no column is named label, class)"));
  const auto whole = files.open("path,label\n1.png,0\n2.png,0\n3.png,0\n4.png,0\n");
  CHECK_THAT(to_json(whole->notes()), !ContainsSubstring("remarks"));
}

TEST_CASE("a column y next to x is a coordinate and not the label", "[unit][pack]") {
  ListedFolder files("boxes.csv");
  const auto boxes = files.open("path,X,y,w,h\n1.png,4,8,10,12\n2.png,5,9,11,13\n");
  CHECK(boxes->splits()[0].labels == LabelLayout{LabelKind::target, 4});
  CHECK(boxes->notes().remarks.at(0) ==
        "the labels are the numbers in \"X\", \"y\", \"w\", \"h\" of boxes.csv; \"y\" is a coordinate next to \"x\", "
        "and no other column is named label, class, category, target or another usual name; name others with "
        "`label_column`");
  CHECK(files.open("path,x,y\n1.png,4,8\n2.png,5,9\n", {.label_columns = {"y"}})->splits()[0].labels ==
        LabelLayout{LabelKind::class_index, 1});
  // The label of another name, a path, and text are no coordinates.
  const auto classes = files.open("path,x,y,class\n1.png,4,8,0\n2.png,5,9,1\n");
  CHECK(classes->splits()[0].labels == LabelLayout{LabelKind::class_index, 1});
  CHECK(files.open("x,y\n1,8\n2,9\n")->splits()[0].labels == LabelLayout{LabelKind::class_index, 1});
  CHECK(files.open("path,x,y\n1.png,4,cat\n2.png,5,dog\n")->class_names() == std::vector<std::string>{"cat", "dog"});
  // A list that is found in a folder has labels only if all its columns are numbers.
  write_file(files.folder() / "boxes.csv", "path,by,x,y,w,h\n1.png,me,4,8,10,12\n2.png,me,5,9,11,13\n");
  CHECK_THROWS_WITH(open_source({{files.folder().path()}}, {}),
                    ContainsSubstring("\"y\" is a coordinate next to \"x\"") &&
                        ContainsSubstring("or several numbers, such as `label_column=x,y,w,h`"));
}

TEST_CASE("a note names the column of labels if other columns of numbers are kept", "[unit][pack]") {
  ListedFolder files("list.csv");
  const std::string list = "path,y,w,who\n1.png,0,10,a\n2.png,1,11,b\n";
  CHECK(files.open(list)->notes().remarks.at(0) ==
        "list.csv: the labels are in \"y\"; columns kept with each sample: \"w\", \"who\"; leave them out with "
        "`columns=none`, or name the labels with `label_column`");
  const std::string kept =
      "list.csv: columns kept with each sample: \"w\", \"who\"; leave them out with `columns=none`";
  CHECK(files.open(list, {.label_columns = {"y"}})->notes().remarks.at(0) == kept);
  CHECK(files.open("path,y,who\n1.png,0,a\n2.png,1,b\n")->notes().remarks.at(0) ==
        "list.csv: columns kept with each sample: \"who\"; leave them out with `columns=none`");
}

TEST_CASE("labels of -1 and 1 are targets with a note", "[unit][pack]") {
  ListedFolder files("celeba.csv");
  const std::string list = "image_id,Bald,Smiling\n1.png,-1,1\n2.png,1,1\n";
  const auto source = files.open(list);
  CHECK(source->splits()[0].labels == LabelLayout{LabelKind::target, 2});
  CHECK_THAT(to_json(source->notes()), ContainsSubstring("celeba.csv: all labels are -1 and 1, which are targets; for "
                                                         "multi-labels, write 0 instead of -1"));
  CHECK_THAT(to_json(files.open(list, {.label_kind = LabelKind::target})->notes()), !ContainsSubstring("-1 and 1"));
  CHECK_THAT(to_json(files.open("path,a,b\n1.png,-1,1\n2.png,1,2\n")->notes()), !ContainsSubstring("-1 and 1"));
  CHECK_THAT(to_json(files.open("path,a,b\n1.png,1,1\n2.png,1,1\n")->notes()), !ContainsSubstring("-1 and 1"));
}

TEST_CASE("a list is recognized even if its first line has no image", "[unit][pack]") {
  ListedFolder files("list.csv");
  write_file(files.folder() / "list.csv", "path,label\n9.png,1\n2.png,0\n");
  CHECK_THROWS_WITH(open_source({{files.folder().path()}}, {}), ContainsSubstring("line 2: the image"));
  const auto source = open_source({{files.folder().path()}}, {.skip_unreadable = true});
  CHECK(source->format() == "manifest");
  CHECK(source->left_out().size() == 1);
  // A list with a damaged second line is also recognized.
  write_file(files.folder() / "list.csv", "path,label\n1.png,1\n2.png\n");
  CHECK_THROWS_WITH(open_source({{files.folder().path()}}, {}),
                    ContainsSubstring("line 3 has 1 field, the first line has 2"));
}

TEST_CASE("each split folder may have its own list", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto make_split = [&](const std::string& name, const std::string& list) {
    fs::create_directories(folder / name);
    write_file(folder / name / "1.png", gray_png(1));
    if (!list.empty()) write_file(folder / name / "metadata.csv", list);
  };
  make_split("train", "file_name,label\n1.png,owl\n");
  make_split("test", "file_name,label\n1.png,ant\n");
  const SourceOptions options = {.allow_mismatch = true};
  const auto source = open_source({{folder.path()}}, options);
  REQUIRE(source->splits().size() == 2);
  CHECK(source->splits()[1].name == "test");
  CHECK(source->class_names() == std::vector<std::string>{"ant", "owl"});
  CHECK(read_all(*source, 0).labels == std::vector<std::int32_t>{1});
  CHECK(read_all(*source, 1).labels == std::vector<std::int32_t>{0});
  make_split("val", "");
  const auto three = open_source({{folder.path()}}, options);
  REQUIRE(three->splits().size() == 3);
  CHECK(three->splits()[2].name == "val");
  CHECK(three->splits()[2].labels.kind == LabelKind::none);
  // With class folders, lists of splits are not read, which is only an error if labels are missing.
  fs::create_directories(folder / "val/cat");
  fs::rename(folder / "val/1.png", folder / "val/cat/1.png");
  CHECK_THROWS_WITH(open_source({{folder.path()}}, options),
                    ContainsSubstring("test/metadata.csv is not used as a list of images: another split has folders") &&
                        ContainsSubstring("name each split, such as train=" + folder.path().string()));
  write_file(folder / "val/dog/1.png", gray_png(1));
  CHECK(open_source({{folder.path()}}, options)->format() == "folder");
}

TEST_CASE("a split that the user names precedes a column of splits", "[unit][pack]") {
  ListedFolder files("list.csv");
  write_file(files.folder() / "list.csv",
             "path,label,patient,Split\n1.png,a,p,train\n2.png,b,q,val\n3.png,a,p,val\n4.png,b,r,test\n");
  const auto source = open_source({{files.folder() / "list.csv", "foo"}}, {});
  REQUIRE(source->splits().size() == 1);
  CHECK(source->splits()[0].name == "foo");
  CHECK(source->splits()[0].sample_count == 4);
  CHECK_THAT(to_json(source->notes()),
             ContainsSubstring(R"(list.csv: the column \"Split\" is ignored, because the command )"
                               R"(names the split \"foo\")"));
  // The remedy for groups that the splits of a list share.
  const SourceOptions options = {.holdout = 0.3, .group_by = "patient"};
  const auto divided = open_source({{files.folder() / "list.csv", "train"}}, options);
  REQUIRE(divided->splits().size() == 2);
  CHECK(divided->splits()[1].name == "val");
}

TEST_CASE("a list cannot name more splits than a dataset file allows", "[unit][pack]") {
  ListedFolder files("list.csv");
  std::string list = "path,split\n";
  for (int i = 0; i < 1025; ++i) list += "1.png,s" + std::to_string(i) + "\n";
  CHECK_THROWS_WITH(files.open(list), ContainsSubstring("more than 1024 splits"));
}

TEST_CASE("a table that is not a list of labels does not affect its folder", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const path : {"cat/0.png", "dog/0.png"}) {
    fs::create_directories((folder / path).parent_path());
    write_file(folder / path, gray_png(1));
  }
  write_file(folder / "notes.csv", "file_name,comment\ncat/0.png,\ndog/0.png,blurry\n");
  REQUIRE(open_source({{folder.path()}}, {})->class_names() == std::vector<std::string>{"cat", "dog"});
  write_file(folder / "notes.csv", "file_name,comment\ncat/0.png,\ndog/0.png,\n");
  REQUIRE(open_source({{folder.path()}}, {})->format() == "folder");
}

TEST_CASE("a path that the system cannot look up counts as a missing image", "[unit][pack]") {
  ListedFolder files("list.csv");
  fs::create_symlink("round.png", files.folder() / "round.png");
  const auto source =
      files.open("path,label\n" + std::string(400, 'x') + ".png,1\nround.png,1\n2.png,0\n", {.skip_unreadable = true});
  REQUIRE(source->left_out().size() == 2);
}

TEST_CASE("a label that only later JSON lines have is not ignored", "[unit][pack]") {
  ListedFolder files("list.jsonl");
  const std::string later = "{\"file\": \"2.png\", \"label\": 1}\n";
  REQUIRE_THROWS_WITH(files.open("{\"file\": \"1.png\"}\n" + later),
                      ContainsSubstring("the first line has no \"label\""));
  REQUIRE_THROWS_WITH(files.open("{\"file\": \"1.png\", \"label\": null}\n" + later),
                      ContainsSubstring("line 1: column \"label\": its label is missing"));
  REQUIRE_THROWS_WITH(files.open("{\"file\": \"1.png\"}\n{\"file\": \"2.png\", \"split\": \"test\"}\n"),
                      ContainsSubstring("the first line has no \"split\""));
}

TEST_CASE("a key that only later JSON lines have is noted and cannot be kept", "[unit][pack]") {
  ListedFolder files("list.jsonl");
  const std::string lines = R"({"file": "1.png", "label": 1})"
                            "\n"
                            R"({"file": "2.png", "label": 0, "sex": "f"})"
                            "\n";
  CHECK(
      files.open(lines)->notes().remarks.at(0) ==
      "list.jsonl: keys not packed, because the first line lacks them: \"sex\"; add them to the first line, as null if "
      "it has no value");
  CHECK_THROWS_WITH(files.open(lines, {.columns = {"sex"}}),
                    ContainsSubstring("the first line has no \"sex\", but later lines do; add it, or null"));
  const std::string with_null = R"({"file": "1.png", "label": 1, "sex": null})" + lines.substr(lines.find('\n'));
  CHECK(files.open(with_null, {.columns = {"sex"}})->sample_metadata(0, 1) == R"(["f"])");
}

TEST_CASE("a JSON array of objects is a list", "[unit][pack]") {
  ListedFolder files("list.json");
  const auto source = files.open(
      "\n [\n{\"file\": \"1.png\",\n \"label\": \"a],\\\"[{\"},\n"
      "{\"file\": \"2.png\", \"label\": \"b\"} ]\n");
  CHECK(source->class_names() == std::vector<std::string>{"a],\"[{", "b"});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{0, 1});
  CHECK(open_source({{files.folder().path()}}, {})->format() == "manifest");
  // JSON Lines may have this extension too.
  CHECK(files.open("{\"file\": \"1.png\", \"label\": 1}\n")->splits()[0].sample_count == 1);

  const std::string good = "[{\"file\": \"1.png\", \"label\": 1}", next = "{\"file\": \"9.png\", \"label\": 1}";
  CHECK_THROWS_WITH(files.open(good + ",\n" + next + "]"), ContainsSubstring("line 2: the image \"9.png\""));
  CHECK_THROWS_WITH(files.open(good + ",\n]"), ContainsSubstring("line 2 is not valid JSON"));
  CHECK_THROWS_WITH(files.open(good + "\n " + next + "]"), ContainsSubstring("line 2 is not valid JSON at byte 2"));
  CHECK_THROWS_WITH(files.open(good + "\n"), ContainsSubstring("line 2 is not valid JSON: the array does not end"));
  CHECK_THROWS_WITH(files.open(good + "]\n7"), ContainsSubstring("line 2 is not valid JSON: text follows the array"));
  CHECK_THROWS_WITH(files.open("[7]"), ContainsSubstring("line 1 is not a JSON object"));
  CHECK_THROWS_WITH(files.open("[]"), ContainsSubstring("no path column found"));
}

TEST_CASE("unreadable lists are refused with the line", "[unit][pack]") {
  ListedFolder files("list.csv");
  const auto refused = [&](const std::string& list) {
    try {
      files.open(list);
    } catch (const FormatError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("list.csv") && !ContainsSubstring("\n"));
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refused("path,label\n1.png,1\n9.png,2\n"),
             ContainsSubstring("line 3: the image \"9.png\" does not exist below"));
  CHECK_THAT(refused("path,label\n../1.png,1\n"), ContainsSubstring("line 2: the image"));
  CHECK_THAT(refused("path,label\n1.png\n"), ContainsSubstring("line 2 has 1 field, the first line has 2"));
  CHECK_THAT(refused("path,label\n1.png,\"1\n"), ContainsSubstring("quotes"));
  CHECK_THAT(refused("name,label\n9.png,1\n"), ContainsSubstring("no path column found"));
  CHECK_THAT(refused("path,label\n"), ContainsSubstring("it is empty"));
}
