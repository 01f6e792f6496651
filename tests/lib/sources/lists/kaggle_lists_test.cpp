// Image lists as competitions and data portals publish them: files in other folders, ids, tags, several label columns.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "sources/lists/image_list.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Names = std::vector<std::string>;

/// A folder with images, whose values are 1, 2, ... in the order of their names here, and a list.
class Download {
 public:
  explicit Download(const Names& images) {
    std::uint8_t value = 0;
    for (const std::string& image : images) write_file(folder_ / image, gray_png(++value));
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  /// Names the list.
  std::unique_ptr<Source> open(const std::string& list, const SourceOptions& options = {}) const {
    return open_source({{write("list.csv", list)}}, options);
  }
  /// Names the folder.
  std::unique_ptr<Source> open_folder(const SourceOptions& options = {}) const {
    return open_source({{folder_.path()}}, options);
  }

 private:
  TemporaryFolder folder_;
};

/// The first value of each sample of the first split.
std::vector<int> first_values(Source& source) {
  const Samples samples = read_all(source);
  std::vector<int> values;
  const auto count = static_cast<std::size_t>(source.splits()[0].shape.values());
  for (std::size_t at = 0; at < samples.values.size(); at += count) values.push_back(samples.values[at]);
  return values;
}

std::string notes_of(const Source& source) {
  std::string text;
  for (const std::string& note : source.notes().remarks) text += note + "\n";
  return text;
}

const Names kFour = {"1.png", "2.png", "3.png", "4.png"};
const LabelLayout kTwoFlags = {LabelKind::multi_label, 2};

}  // namespace

TEST_CASE("several label columns are named with commas or one by one", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "file,a,b,c,age\n1.png,1,0,0,7\n2.png,0,1,1,8\n";
  for (const Names& names : {Names{"a,c"}, Names{"a", "c"}, Names{"a, c"}}) {
    const auto source = download.open(list, {.label_columns = names});
    CHECK(source->splits()[0].labels == kTwoFlags);
    CHECK(source->class_names() == Names{"a", "c"});
    CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0, 0, 1});
    // The other columns stay with the samples.
    CHECK(source->splits()[0].columns == Names{"b", "age"});
    CHECK(source->sample_metadata(0, 1) == "[1,8]");
  }
  CHECK(download.open(list, {.label_columns = {"a", "age"}})->splits()[0].labels == LabelLayout{LabelKind::target, 2});
  // A column whose name has a comma.
  const auto source = download.open("file,\"a,b\"\n1.png,x\n2.png,y\n", {.label_columns = {"a,b"}});
  CHECK(source->class_names() == Names{"x", "y"});
}

TEST_CASE("several label columns that cannot be used are refused by name", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "file,a,breed\n1.png,1,pug\n2.png,0,owl\n";
  CHECK_THROWS_WITH(download.open(list, {.label_columns = {"a,breed"}}),
                    ContainsSubstring("the label column \"breed\" holds text, such as \"pug\" (line 2); several label "
                                      "columns must hold numbers"));
  CHECK_THROWS_WITH(download.open(list, {.label_columns = {"a,b"}}),
                    ContainsSubstring("it has no column \"b\"; expected one of file, a or breed"));
  CHECK_THROWS_WITH(download.open(list, {.label_columns = {"a", "A"}}), ContainsSubstring("names \"A\" twice"));
  CHECK_THROWS_WITH(download.open("file,a,b\n1.png,1,\n", {.label_columns = {"a,b"}}),
                    ContainsSubstring("line 2: \"b\" is missing"));
}

TEST_CASE("the given classes order and choose the columns of labels", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "file,a,b,c\n1.png,1,0,0\n2.png,0,1,1\n";
  for (const Names& columns : {Names{}, Names{"a,b,c"}}) {
    const auto all = download.open(list, {.label_columns = columns, .class_names = {"c", "a", "b"}});
    CHECK(all->class_names() == Names{"c", "a", "b"});
    CHECK(read_all(*all).labels == std::vector<std::int32_t>{0, 1, 0, 1, 0, 1});
    CHECK_THAT(notes_of(*all), !ContainsSubstring("`classes`"));
    const auto two = download.open(list, {.label_columns = columns, .class_names = {"b", "a"}});
    CHECK(two->splits()[0].labels == kTwoFlags);
    CHECK(read_all(*two).labels == std::vector<std::int32_t>{0, 1, 1, 0});
    CHECK_THAT(notes_of(*two), ContainsSubstring("the column of numbers \"c\" is not a class, since `classes` does "
                                                 "not name it"));
    CHECK_THROWS_WITH(download.open(list, {.label_columns = columns, .class_names = {"a", "bb"}}),
                      ContainsSubstring("`classes` names \"bb\", but no column of labels has this name; ") &&
                          ContainsSubstring("expected a, b or c; rename classes with `class_map`"));
    CHECK_THROWS_WITH(download.open(list, {.label_columns = columns, .class_names = {"a", "b", "a"}}),
                      ContainsSubstring("`classes` names \"a\" twice"));
  }
  const auto renamed = download.open(list, {.class_names = {"c", "a", "b"}, .class_map = {{"c", "sea"}}});
  CHECK(renamed->class_names() == Names{"sea", "a", "b"});
}

TEST_CASE("classes of targets, and of lists with another number of labels, are refused", "[unit][pack]") {
  const Download download(kFour);
  const SourceOptions named = {.class_names = {"a", "b"}};
  const std::string expected = "the labels are targets, which have no classes; omit `classes`";
  CHECK_THROWS_WITH(download.open("file,a,b\n1.png,0.5,1\n2.png,1,0\n", named), ContainsSubstring(expected));
  CHECK_THROWS_WITH(download.open("file,label\n1.png,0.5\n2.png,1\n", named), ContainsSubstring(expected));
  CHECK_THROWS_WITH(download.open("file,a,b\n1.png,1,1\n", {.label_kind = LabelKind::target, .class_names = {"a"}}),
                    ContainsSubstring(expected));
  const auto lines = download.write("list.jsonl", R"({"file": "1.png", "label": [0, 1, 1]})");
  CHECK_THROWS_WITH(open_source({{lines}}, named),
                    ContainsSubstring("the labels are lists of 3 numbers, but `classes` has 2 names; name each class"));
  CHECK(open_source({{lines}}, {.class_names = {"x", "y", "z"}})->class_names() == Names{"x", "y", "z"});
}

TEST_CASE("a separator of labels that are numbers is refused", "[unit][pack]") {
  const Download download(kFour);
  CHECK_THROWS_WITH(
      download.open("file,label\n1.png,1 2\n2.png,3\n", {.label_separator = "space", .label_kind = LabelKind::target}),
      ContainsSubstring("`label_separator` divides labels into classes, but `label_kind=target` reads numbers"));
  const auto none =
      download.open("file,label\n1.png,1\n2.png,3\n", {.label_separator = "none", .label_kind = LabelKind::target});
  CHECK(none->splits()[0].labels.kind == LabelKind::target);
  const std::string expected = "divides the text of one column into classes, but a label is several numbers; omit it";
  for (const Names& columns : {Names{}, Names{"a", "b"}}) {
    CHECK_THROWS_WITH(download.open("file,a,b\n1.png,1,0\n", {.label_columns = columns, .label_separator = "space"}),
                      ContainsSubstring(expected));
  }
  const auto lines = download.write("list.jsonl", R"({"file": "1.png", "label": [0, 1]})");
  CHECK_THROWS_WITH(open_source({{lines}}, {.label_separator = "space"}), ContainsSubstring(expected));
}

TEST_CASE("columns of true and false are multi-labels", "[unit][pack]") {
  const Download download(kFour);
  const auto source = download.open("file,cat,dog\n1.png,True,False\n2.png,false,TRUE\n");
  CHECK(source->splits()[0].labels == kTwoFlags);
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0, 0, 1});
  // One such column has two classes.
  CHECK(download.open("file,label\n1.png,True\n2.png,False\n")->class_names() == Names{"False", "True"});
}

TEST_CASE("the path column is named or the error shows the columns and the folder", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "id,photo,label\n3,1.png,a\n4,2.png,b\n";
  CHECK(first_values(*download.open(list)) == std::vector<int>{3, 4});  // 3.png and 4.png
  CHECK(first_values(*download.open(list, {.path_column = "Photo"})) == std::vector<int>{1, 2});
  CHECK_THROWS_WITH(download.open(list, {.path_column = "picture"}),
                    ContainsSubstring("no column \"picture\"; expected one of id, photo or label"));
  CHECK_THROWS_WITH(download.open("one,two\nx,y\n"),
                    ContainsSubstring("no path column found; expected file_name") &&
                        ContainsSubstring("it has the columns \"one\", \"two\", and none names images in the folder"));
  CHECK_THROWS_WITH(download.open("one,label\n7.png,y\n", {.path_column = "one"}),
                    ContainsSubstring("line 2: the image \"7.png\" does not exist below the list's folder") &&
                        ContainsSubstring("there are others, such as \"1.png\""));
  const TemporaryFolder images;
  write_file(images / "a/1.png", gray_png(1));
  CHECK_THROWS_WITH(open(images.path(), {.path_column = "x"}),
                    ContainsSubstring("found no image list (CSV, TSV or JSON) for `path_column`"));
}

TEST_CASE("masks whose names differ in case are found with a note", "[unit][pack]") {
  const Download download({"1.png", "2.png", "masks/M1.png", "masks/m2.png"});
  const auto source = download.open("file,label,mask\n1.png,a,m1.png\n2.png,b,m2.png\n");
  CHECK(source->splits()[0].has_masks);
  CHECK_THAT(notes_of(*source), ContainsSubstring("1 name in list.csv differs from the file in case, such as "
                                                  "\"m1.png\" for \"masks/M1.png\""));
}

TEST_CASE("a list in a folder without the columns that are named is the reason of the error", "[unit][pack]") {
  const Download download(kFour);
  download.write("list.csv", "file,a,b\n1.png,x,1\n2.png,y,2\n");
  CHECK_THROWS_WITH(download.open_folder({.label_columns = {"a", "missing"}}),
                    "open the sources: list.csv is not used as a list of images: it has no column \"missing\"; "
                    "expected one of file, a or b");
  CHECK_THROWS_WITH(download.open_folder({.label_columns = {"a,a"}}),
                    ContainsSubstring("list.csv is not used as a list of images: `label_column` names \"a\" twice"));
  CHECK_THROWS_WITH(download.open_folder({.path_column = "missing"}),
                    ContainsSubstring("list.csv is not used as a list of images: it has no column \"missing\""));
}

TEST_CASE("images in a folder of another name are found by their ids with a note", "[unit][pack]") {
  const Download download({"train-jpg/a1.png", "train-jpg/b2.PNG", "parts/part_2/c3.png"});
  const auto source = download.open("image_name,label\na1,x\nb2,y\nC3,x\n");
  CHECK(first_values(*source) == std::vector<int>{1, 2, 3});
  CHECK_THAT(notes_of(*source),
             ContainsSubstring("3 images of list.csv are found by name in 2 folders below the list, such as "
                               "\"train-jpg/a1.png\"") &&
                 ContainsSubstring("1 name in list.csv differs from the file in case, such as \"C3\" for "
                                   "\"parts/part_2/c3.png\""));
}

TEST_CASE("an image with a name that several files have is refused", "[unit][pack]") {
  const Download download({"old/1.png", "new/1.png", "new/2.png"});
  CHECK_THROWS_WITH(download.open("id,label\n2,x\n1,y\n"),
                    ContainsSubstring("line 3: the image \"1\" could be \"new/1.png\" or \"old/1.png\"; write their "
                                      "folders in the list, or copy the list into the folder of its images"));
  CHECK(first_values(*download.open("path,label\nold/1.png,x\nnew/1.png,y\n")) == std::vector<int>{1, 2});
  // The end of a path decides too.
  const Download deep({"set/old/1.png", "set/new/1.png"});
  CHECK(first_values(*deep.open("path,label\nnew/1.png,x\nold/1,y\n")) == std::vector<int>{2, 1});
}

TEST_CASE("a missing image is not replaced by one of its name elsewhere", "[unit][pack]") {
  const Download download({"images/1.png", "backup/2.png"});
  CHECK_THROWS_WITH(
      download.open("id,label\n1,x\n2,y\n"),
      ContainsSubstring("line 3: the image \"2\" does not exist") && ContainsSubstring("there is \"backup/2.png\""));
}

TEST_CASE("a list in a packed folder is used if its images are in a folder for images", "[unit][pack]") {
  const Download download({"train-jpg/a1.png", "train-jpg/b2.png", "test-jpg/c3.png"});
  download.write("train.csv", "image_name,tags\na1,haze\nb2,clear\n");
  const auto source = download.open_folder();
  CHECK(source->splits().size() == 1);
  CHECK(source->class_names() == Names{"clear", "haze"});
  // Class folders are not replaced by a table that happens to have the names of their files.
  const Download classes({"cat/1.png", "dog/2.png"});
  classes.write("scores.csv", "id,score\n1,0.5\n2,0.25\n");
  const auto folders = classes.open_folder();
  CHECK(folders->class_names() == Names{"cat", "dog"});
  CHECK_THAT(notes_of(*folders), ContainsSubstring("scores.csv is not used as a list of images: its images are in "
                                                   "other folders, such as \"cat/1.png\"; to pack it, name the list"));
}

TEST_CASE("separators in quotes do not separate the columns", "[unit][pack]") {
  const Download download(kFour);
  const auto source = download.open("\xEF\xBB\xBF\"file\";\"size, in mm\";\"label\"\n\"1.png\";3;\"x\"\n2.png;4;y\n");
  CHECK(source->class_names() == Names{"x", "y"});
  CHECK(source->splits()[0].columns == Names{"size, in mm"});
  CHECK(download.open("file\tlabel\n1.png\tx\n")->class_names() == Names{"x"});
}

TEST_CASE("tags become multi-labels with a note", "[unit][pack]") {
  const Download download(kFour);
  const std::string list =
      "file,tags\n1.png,haze primary\n2.png,clear primary water\n3.png,haze\n4.png,clear primary\n";
  const auto source = download.open(list, {.label_separator = "space"});
  CHECK(source->splits()[0].labels == LabelLayout{LabelKind::multi_label, 4});
  CHECK(source->class_names() == Names{"clear", "haze", "primary", "water"});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0});
  CHECK(download.open(list, {.label_separator = "none"})->class_names().size() == 4);
  // Four words and four labels, but the column is named after several labels.
  CHECK_THROWS_WITH(download.open(list),
                    ContainsSubstring("the labels in \"tags\" may be one class each or several, such as \"clear "
                                      "primary\"; divide them into multi-labels with `label_separator=space`, or make "
                                      "each one class with `label_separator=none`"));
  const auto entries = download.open("file,SourceEntry Labels\n1.png,Mass|Edema\n2.png,Edema\n3.png,No SourceEntry\n",
                                     {.label_columns = {"SourceEntry Labels"}});
  CHECK(entries->class_names() == Names{"Edema", "Mass", "No SourceEntry"});
  CHECK_THAT(
      notes_of(*entries),
      ContainsSubstring("list.csv: the labels in \"SourceEntry Labels\" are divided at bars into multi-labels, such "
                        "as \"Mass|Edema\"; `label_separator=none` makes each one class"));
}

TEST_CASE("an empty label separator is refused", "[unit][pack]") {
  CHECK_THROWS_WITH(Download(kFour).open("file,label\n1.png,a b\n", {.label_separator = ""}),
                    "open the sources: `label_separator` is empty; expected a separator such as space, or none");
}

TEST_CASE("a label separator that divides no label is refused if another divides some", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "file,labels\n1.png,rust\n2.png,rust scab\n3.png,scab\n";
  CHECK_THROWS_WITH(
      download.open(list, {.label_separator = "comma"}),
      ContainsSubstring("no label in \"labels\" has the separator commas of `label_separator`, but \"rust "
                        "scab\" has spaces; divide them with `label_separator=space`, or make each label "
                        "one class with `label_separator=none`"));
  // Each image of a small list may show one thing.
  const auto single = download.open("file,labels\n1.png,rust\n2.png,scab\n", {.label_separator = "+"});
  CHECK(single->splits()[0].labels == kTwoFlags);
  CHECK_THAT(notes_of(*single), ContainsSubstring("no label in \"labels\" has the separator \"+\", so that each is one "
                                                  "tag, such as \"rust\""));
  const auto genres = download.open("file,label\n1.png,science fiction\n2.png,drama\n", {.label_separator = "bar"});
  CHECK(genres->class_names() == Names{"drama", "science fiction"});
  // Lists in brackets, and a separator at the end, are divided as the user says.
  const auto brackets = download.open("file,labels\n1.png,['a']\n2.png,['b c']\n", {.label_separator = "comma"});
  CHECK_THAT(notes_of(*brackets), !ContainsSubstring("no label"));
}

TEST_CASE("a selection finds the classes of multi-labels", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "file,labels\n1.png,rust scab\n2.png,scab\n3.png,rust\n4.png,healthy\n";
  const auto source = download.open(list, {.label_separator = "space", .select = "rust"});
  CHECK(first_values(*source) == std::vector<int>{1, 3});
  CHECK_THROWS_WITH(download.open(list, {.label_separator = "space", .select = "mildew"}),
                    ContainsSubstring("no class or sample matches"));
}

TEST_CASE("a given label separator divides the labels of a column with another name", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "id,attribute_ids\n1,1\n2,0 1\n3,2\n";
  const auto source = download.open(list, {.label_separator = "space"});
  CHECK(source->splits()[0].labels == LabelLayout{LabelKind::multi_label, 3});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{0, 1, 0, 1, 1, 0, 0, 0, 1});
  CHECK_THROWS_WITH(download.open("id,attribute_ids\n1,1\n2,0 x\n", {.label_separator = "comma"}),
                    ContainsSubstring("`label_column` names another column of labels"));
}

TEST_CASE("labels that are wanted as classes are one class each", "[unit][pack]") {
  const Download download(kFour);
  const std::string list = "file,label\n1.png,Edema|Mass\n2.png,Edema\n3.png,Mass\n";
  const auto source = download.open(list, {.label_kind = LabelKind::class_index});
  CHECK(source->splits()[0].labels == LabelLayout{LabelKind::class_index, 1});
  CHECK(source->class_names() == Names{"Edema", "Edema|Mass", "Mass"});
  CHECK_THAT(notes_of(*source), !ContainsSubstring("label_separator"));
  // Named separators count.
  const auto tags = download.open(list, {.label_separator = "bar", .label_kind = LabelKind::class_index});
  CHECK(tags->splits()[0].labels == kTwoFlags);
}

TEST_CASE("class numbers in one label are multi-labels", "[unit][pack]") {
  const Download download(kFour);
  const auto source = download.open("Id,Target\n1,3 0\n2,1\n3,0 1 2\n", {});
  CHECK(source->splits()[0].labels == LabelLayout{LabelKind::multi_label, 4});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0});
  const auto named = download.open("Id,Target\n1,1 0\n2,1\n", {.class_names = {"cat", "dog"}});
  CHECK(named->splits()[0].labels == kTwoFlags);
  CHECK_THROWS_WITH(download.open("Id,Target\n1,30 40\n2,10 20\n"), ContainsSubstring("may be one class each"));
  CHECK_THROWS_WITH(download.open("Id,Target\n1,0.5 1\n2,1 2\n"), ContainsSubstring("are several numbers each"));
  CHECK_THROWS_WITH(download.open("Id,Target\n1,9000000 1\n2,1\n"), ContainsSubstring("too large for multi-labels"));
}

TEST_CASE("a missing label does not change whether the others are tags", "[unit][pack]") {
  const Download download(kFour);
  for (const char* missing : {"nan", "NA", "?"}) {
    const std::string list = std::string("file,tags\n1.png,1 2 3\n2.png,") + missing + "\n3.png,4\n";
    const auto source = download.open(list, {.skip_unreadable = true});
    CHECK(source->splits()[0].labels == LabelLayout{LabelKind::multi_label, 5});
    CHECK(source->splits()[0].sample_count == 2);
    CHECK_THROWS_WITH(download.open(list), ContainsSubstring("line 3: ") && ContainsSubstring("its label is missing"));
  }
}

TEST_CASE("tags whose multi-labels would not fit into memory are refused with the line", "[unit][pack]") {
  const Download download({"1.png", "2.png"});
  const auto list = [](int count, const std::string& last) {
    std::string text = "file,tags\n";
    for (int i = 0; i < count; ++i) text += "1.png,0 1\n";
    return text + "2.png," + last + "\n";
  };
  CHECK_THROWS_WITH(
      download.open(list(700, "900000")),
      ContainsSubstring("the class number 900000 (line 702) in \"tags\" is too large for multi-labels of "
                        "701 images; number the classes from 0 without gaps, or make each label one class "
                        "with `label_separator=none`"));
  CHECK(download.open(list(2, "900000"))->splits()[0].labels.width == 900'001);
  // Several lists.
  download.write("train.csv", list(1, "900000"));
  download.write("test.csv", list(700, "2"));
  CHECK_THROWS_WITH(download.open_folder(),
                    ContainsSubstring("the multi-labels of 703 images would have 900001 classes"));
  CHECK(sources::fits_multi_labels(142'119, 3'474));
  CHECK_FALSE(sources::fits_multi_labels(std::int64_t{1} << 40, 1 << 20));
}

TEST_CASE("lists of texts are tags and empty ones are no classes", "[unit][pack]") {
  const Download download(kFour);
  const auto python = download.open("file,tags\n1.png,\"['a', 'b c']\"\n2.png,[]\n3.png,['a']\n");
  CHECK(python->class_names() == Names{"a", "b c"});
  CHECK(read_all(*python).labels == std::vector<std::int32_t>{1, 1, 0, 0, 1, 0});
  const auto numpy = download.open("file,tags\n1.png,['a' 'b c']\n2.png,['a']\n");
  CHECK(numpy->class_names() == Names{"a", "b c"});
  CHECK_THROWS_WITH(download.open("file,tags\n1.png,['a']\n2.png,[b c]\n"),
                    ContainsSubstring("the label \"[b c]\" (line 3) in \"tags\" is in brackets, but is no list such"));
  const auto path = download.write("list.jsonl",
                                   "{\"file\": \"1.png\", \"label\": [\"a, b\", \"c\"]}\n"
                                   "{\"file\": \"2.png\", \"label\": []}\n");
  const auto json = open_source({{path}}, {});
  CHECK(json->class_names() == Names{"a, b", "c"});
  CHECK(read_all(*json).labels == std::vector<std::int32_t>{1, 1, 0, 0});
}

TEST_CASE("an empty label among tags is no class and a missing one is an error", "[unit][pack]") {
  const Download download(kFour);
  const auto source = download.open("file,tags\n1.png,a b\n2.png,\n3.png, \n", {.label_separator = "space"});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 1, 0, 0, 0, 0});
  CHECK(source->notes().remarks.at(0) ==
        "list.csv: 2 labels in \"tags\" are empty, which means none of the classes; the first is line 3; write NaN for "
        "a label that is missing");
  const auto guessed = download.open("file,tags\n1.png,a|b\n2.png,\n3.png,b\n");
  CHECK(read_all(*guessed).labels == std::vector<std::int32_t>{1, 1, 0, 0, 0, 1});
  CHECK(guessed->notes().remarks.at(1) ==
        "list.csv: 1 label in \"tags\" is empty, which means none of the classes: line 3; write NaN for a label that "
        "is missing");
  const std::string missing = "file,tags\n1.png,a b\n2.png,NaN\n3.png,b\n";
  CHECK_THROWS_WITH(
      download.open(missing, {.label_separator = "space"}),
      ContainsSubstring("line 3: column \"tags\": its label is missing (\"NaN\"); correct the line, or skip "
                        "such lines with `on_error=skip`"));
  const auto skipped = download.open(missing, {.label_separator = "space", .skip_unreadable = true});
  CHECK(skipped->class_names() == Names{"a", "b"});
  CHECK(skipped->splits()[0].sample_count == 2);
  CHECK_THROWS_WITH(download.open("file,tags\n1.png,\n2.png,\n", {.label_separator = "space"}),
                    ContainsSubstring("line 2: column \"tags\": its label is missing (\"\")"));
}

TEST_CASE("tags of several lists have one numbering", "[unit][pack]") {
  const Download download(kFour);
  download.write("train.csv", "file,tags\n1.png,b|c\n2.png,c\n");
  download.write("test.csv", "file,tags\n3.png,a|c\n4.png,c\n");
  const auto source = download.open_folder();
  CHECK(source->class_names() == Names{"a", "b", "c"});
  CHECK(source->splits()[1].labels.width == 3);
  CHECK(read_all(*source, 0).labels == std::vector<std::int32_t>{0, 1, 1, 0, 0, 1});
  CHECK(read_all(*source, 1).labels == std::vector<std::int32_t>{1, 0, 1, 0, 0, 1});
  download.write("train.csv", "file,tags\n1.png,0 2\n2.png,1\n");
  download.write("test.csv", "file,tags\n3.png,4 0\n4.png,1\n");
  CHECK(download.open_folder()->splits()[0].labels.width == 5);
}
