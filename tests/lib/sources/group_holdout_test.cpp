// Holding out whole groups, folds, and the samples with a value in a column.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

struct GroupedRow {
  std::string path;
  std::vector<std::int32_t> classes;
  nlohmann::json group;
};

/// Samples of one split with a path, classes and the column "patient".
class GroupedRows final : public Source {
 public:
  explicit GroupedRows(std::vector<GroupedRow> rows, LabelKind kind = LabelKind::class_index) : rows_(std::move(rows)) {
    SourceSplit split;
    split.name = "train";
    split.sample_count = std::ssize(rows_);
    split.shape = {1, 1, 1};
    split.labels.kind = kind;
    split.columns = {"patient"};
    splits_.push_back(split);
  }

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t, std::int64_t row) const override { return at(row).path; }
  std::optional<std::string> sample_path(std::size_t, std::int64_t row) const override { return at(row).path; }
  std::optional<std::int32_t> class_index(std::size_t, std::int64_t row) const override {
    if (splits_[0].labels.kind != LabelKind::class_index) return std::nullopt;
    return at(row).classes.at(0);
  }
  std::vector<std::int32_t> class_indices(std::size_t, std::int64_t row) const override { return at(row).classes; }
  std::vector<SampleFailure> read(std::size_t, std::int64_t, std::int64_t, std::span<std::uint8_t>,
                                  std::span<std::byte>) override {
    return {};
  }
  std::string sample_metadata(std::size_t, std::int64_t row) const override {
    return nlohmann::json::array({at(row).group}).dump();
  }
  std::vector<std::string> files() const override { return {}; }

 private:
  const GroupedRow& at(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)]; }

  std::vector<GroupedRow> rows_;
  std::vector<SourceSplit> splits_;
  std::vector<std::string> class_names_;
};

/// Patients 0, 1, ... with the given numbers of samples: "p0/0.png", ... Class 0 and 1 alternate within each.
std::vector<GroupedRow> patients(const std::vector<int>& sizes) {
  std::vector<GroupedRow> rows;
  for (std::size_t patient = 0; patient < sizes.size(); ++patient) {
    for (int i = 0; i < sizes[patient]; ++i) {
      const std::string name = "p" + std::to_string(patient);
      rows.push_back({name + "/" + std::to_string(i) + ".png", {i % 2}, name});
    }
  }
  return rows;
}

SourceOptions grouped(const Holdout& holdout, const std::string& group_by = "patient", std::uint64_t seed = 0) {
  SourceOptions options;
  options.holdout = holdout;
  options.group_by = group_by;
  options.seed = seed;
  return options;
}

/// The names of the samples of a split that the options choose.
std::set<std::string> names_of(Source& source, const SourceOptions& options, const std::string& split = "val") {
  const auto chosen = choose_samples(source, options);
  std::set<std::string> names;
  for (std::size_t number = 0; number < chosen->splits().size(); ++number) {
    if (chosen->splits()[number].name != split) continue;
    for (std::int64_t row = 0; row < chosen->splits()[number].sample_count; ++row)
      names.insert(chosen->sample_name(number, row));
  }
  return names;
}

std::set<std::string> folders_of(const std::set<std::string>& names) {
  std::set<std::string> folders;
  for (const std::string& name : names) folders.insert(name.substr(0, name.find('/')));
  return folders;
}

std::vector<std::string> remarks_of(Source& source, const SourceOptions& options) {
  return choose_samples(source, options)->notes().remarks;
}

std::string error_of(Source& source, const SourceOptions& options) {
  try {
    choose_samples(source, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("whole groups are held out, and the share and the classes are those asked for", "[unit][pack]") {
  // 25 patients with 2 samples of each class: a fifth is 5 patients with 10 samples of each class.
  GroupedRows source(patients(std::vector<int>(25, 4)));
  const auto val = names_of(source, grouped(0.2));
  const auto train = names_of(source, grouped(0.2), "train");
  CHECK(val.size() == 20);
  CHECK(train.size() == 80);
  CHECK(folders_of(val).size() == 5);
  CHECK(folders_of(train).size() == 20);
  CHECK(names_of(source, grouped(0.2, "patient", 1)) != val);
  CHECK(remarks_of(source, grouped(0.2)) ==
        std::vector<std::string>{"val has 20 % of the samples (asked: 20 %) in 5 of 25 groups"});
}

TEST_CASE("a note shows the shares of the classes", "[unit][pack]") {
  // Of class 0, one of two samples is held out, of class 1 both.
  GroupedRows source({{"a", {0}, "x"}, {"b", {0}, "y"}, {"c", {1}, "x"}, {"d", {1}, "x"}});
  CHECK(remarks_of(source, grouped(parse_holdout("patient=x"), "")) ==
        std::vector<std::string>{"val has the samples with patient=x: 75 %; the share of a class is from 50 % (\"0\") "
                                 "to 100 % (\"1\")"});
  GroupedRows undivided({{"a", {0}, "x"}, {"b", {0}, "x"}, {"c", {1}, "y"}, {"d", {1}, "z"}});
  CHECK_THAT(remarks_of(undivided, grouped(0.5)).at(0),
             ContainsSubstring("; all samples of the class \"0\" are in one group"));
}

TEST_CASE("groups of different sizes come near the share", "[unit][pack]") {
  // 1 + 2 + ... + 10 = 55 samples of one class; a fifth of them is 11. A group that may still move would improve a
  // deficit of d unless all groups of train have 2d or more samples, and a surplus of s unless all of val have 2s. So
  // 9 is impossible (1, 2 and 3 are in val, and nothing adds 3 to them), 14 is possible (6 and 8), 15 is not.
  std::vector<GroupedRow> rows = patients({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (GroupedRow& row : rows) row.classes = {0};
  GroupedRows source(std::move(rows));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    const auto val = names_of(source, grouped(0.2, "patient", seed));
    CHECK(val.size() >= 10);
    CHECK(val.size() <= 14);
    for (const std::string& folder : folders_of(val))
      CHECK(folders_of(names_of(source, grouped(0.2, "patient", seed), "train")).count(folder) == 0);
  }
}

TEST_CASE("folds of groups are disjoint and cover all samples", "[unit][pack]") {
  GroupedRows source(patients(std::vector<int>(10, 3)));
  std::set<std::string> seen, seen_folders;
  for (std::int64_t fold = 0; fold < 5; ++fold) {
    const auto val = names_of(source, grouped(Holdout::of_fold(fold, 5)));
    CHECK(val.size() == 6);
    CHECK(folders_of(val).size() == 2);
    seen.insert(val.begin(), val.end());
    for (const std::string& folder : folders_of(val)) CHECK(seen_folders.insert(folder).second);
  }
  CHECK(seen.size() == 30);
  CHECK_THAT(error_of(source, grouped(Holdout::of_fold(0, 11))),
             ContainsSubstring("hold out fold 0:11: train has only 10 groups; choose fewer folds"));
}

TEST_CASE("folds of samples are disjoint, cover all, and differ by one sample of each class", "[unit][pack]") {
  std::vector<GroupedRow> rows;
  for (int i = 0; i < 20; ++i) rows.push_back({std::to_string(i) + ".png", {i < 13 ? 0 : 1}, nullptr});
  GroupedRows source(rows);
  std::set<std::string> seen;
  for (std::int64_t fold = 0; fold < 4; ++fold) {
    const auto val = names_of(source, grouped(Holdout::of_fold(fold, 4), ""));
    CHECK(val.size() == 5);
    // 13 samples of class 0 in 4 folds: 3 or 4.
    const auto of_first = std::ranges::count_if(val, [](const std::string& name) { return std::stoi(name) < 13; });
    CHECK((of_first == 3 || of_first == 4));
    seen.insert(val.begin(), val.end());
  }
  CHECK(seen.size() == 20);
  std::ranges::reverse(rows);
  GroupedRows reversed(rows);
  const SourceOptions options = grouped(Holdout::of_fold(2, 4), "");
  CHECK(names_of(reversed, options) == names_of(source, options));
}

TEST_CASE("the order of the rows does not change which groups are held out", "[unit][pack]") {
  std::vector<GroupedRow> rows = patients({5, 3, 8, 1, 4, 9, 2, 6, 7, 5, 5, 3});
  GroupedRows source(rows);
  std::ranges::reverse(rows);
  GroupedRows reversed(rows);
  for (const Holdout& holdout : {Holdout(0.3), Holdout::of_fold(1, 3)})
    CHECK(names_of(reversed, grouped(holdout)) == names_of(source, grouped(holdout)));
}

TEST_CASE("groups of multi-labels are stratified", "[unit][pack]") {
  // Two patients have label 3 only, two have 5 only: each half gets one of each.
  std::vector<GroupedRow> rows;
  for (const char* const name : {"a", "b", "c", "d"}) {
    const std::int32_t label = name[0] < 'c' ? 3 : 5;
    for (int i = 0; i < 2; ++i) rows.push_back({std::string(name) + "/" + std::to_string(i), {label}, name});
  }
  GroupedRows source(rows, LabelKind::multi_label);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto folders = folders_of(names_of(source, grouped(0.5, "patient", seed)));
    REQUIRE(folders.size() == 2);
    CHECK(folders.count("a") + folders.count("b") == 1);
  }
}

TEST_CASE("a fraction of multi-labels has the same share of each class, and a note shows it", "[unit][pack]") {
  // Class 2 is rare: 10 of 200 samples. By chance, `val` often has none or one of them.
  std::vector<GroupedRow> rows;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int32_t> classes = i % 3 == 0 ? std::vector<std::int32_t>{0, 1} : std::vector<std::int32_t>{0};
    if (i % 20 == 0) classes.push_back(2);
    rows.push_back({std::to_string(i) + ".png", classes, nullptr});
  }
  GroupedRows source(rows, LabelKind::multi_label);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const SourceOptions options = grouped(0.2, "", seed);
    const std::set<std::string> held_out = names_of(source, options);
    CHECK(held_out.size() == 40);
    CHECK(std::ranges::count_if(rows, [&](const GroupedRow& row) {
            return row.classes.back() == 2 && held_out.contains(row.path);
          }) == 2);
    CHECK_THAT(remarks_of(source, options).at(0), ContainsSubstring("val has 20 % of the samples (asked: 20 %)"));
  }
  GroupedRows single({rows[0]}, LabelKind::multi_label);
  CHECK_THAT(error_of(single, grouped(0.2, "")), ContainsSubstring("it has only 1 sample"));
}

TEST_CASE("samples are grouped by a part of their path", "[unit][pack]") {
  std::vector<GroupedRow> rows = patients(std::vector<int>(25, 4));
  GroupedRows source(rows);
  const auto by_column = names_of(source, grouped(0.2));
  CHECK(names_of(source, grouped(0.2, "path:^(p[0-9]+)/")) == by_column);
  // Without a capture group, the match as a whole.
  CHECK(names_of(source, grouped(0.2, "path:^p[0-9]+")) == by_column);
  CHECK_THAT(error_of(source, grouped(0.2, "path:(p")),
             ContainsSubstring("`group_by=path:(p` has an invalid regular expression"));
  CHECK_THAT(error_of(source, grouped(0.2, "path:")), ContainsSubstring("has no regular expression"));
  CHECK_THAT(error_of(source, grouped(0.2, "path:^p([1-9][0-9]*)/")),
             ContainsSubstring("4 samples of split \"train\" have no path that matches, such as \"p0/0.png\""));
  rows.push_back({std::string(300, 'p'), {0}, "x"});
  GroupedRows slow(rows);
  CHECK_THAT(error_of(slow, grouped(0.2, "path:(p+)+x|(p)")), ContainsSubstring("the search takes too long"));
  rows.back().path = std::string(1025, 'p');
  GroupedRows longest(rows);
  CHECK_THAT(error_of(longest, grouped(0.2, "path:(p)")), ContainsSubstring("it has more than 1024 bytes"));
}

TEST_CASE("a sample without a group is refused with their number and the first", "[unit][pack]") {
  std::vector<GroupedRow> rows = patients({2, 2, 2});
  rows[2].group = nullptr;
  rows[5].group = " ";
  GroupedRows source(rows);
  CHECK(error_of(source, grouped(0.2)) ==
        "group the samples by \"patient\": 2 samples of split \"train\" have no value in this column, such as "
        "\"p1/0.png\"; each sample needs a group");
  CHECK_THAT(error_of(source, grouped(0.2, "doctor")),
             ContainsSubstring("split \"train\" has no column \"doctor\"; expected patient"));
  GroupedRows single(patients({6}));
  CHECK_THAT(error_of(single, grouped(0.2)), ContainsSubstring("all samples of train are in one group, \"p0\""));
}

TEST_CASE("groups that share an image stay together", "[unit][pack]") {
  std::vector<GroupedRow> rows = patients(std::vector<int>(8, 2));
  rows.push_back({"p0/0.png", {0}, "p1"});
  GroupedRows source(rows);
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const auto folders = folders_of(names_of(source, grouped(0.5, "patient", seed)));
    CHECK(folders.count("p0") == folders.count("p1"));
  }
  CHECK(remarks_of(source, grouped(0.5)).at(0) ==
        "1 image is in several groups, such as \"p0/0.png\" in \"p0\" and \"p1\"; groups with a common image stay "
        "together");
}

TEST_CASE("the samples with a value in a column are held out", "[unit][pack]") {
  std::vector<GroupedRow> rows = patients({1, 1, 1, 1});
  rows[0].group = 0, rows[1].group = 1.0, rows[2].group = 0, rows[3].group = 2;
  GroupedRows source(rows);
  CHECK(names_of(source, grouped(parse_holdout("patient=0"), "")) == std::set<std::string>{"p0/0.png", "p2/0.png"});
  CHECK(names_of(source, grouped(parse_holdout("patient=1"), "")) == std::set<std::string>{"p1/0.png"});
  CHECK_THAT(error_of(source, grouped(parse_holdout("patient=7"), "")),
             ContainsSubstring("no sample of train has this value; expected one of 0, 1, 2"));
  // With groups, a group on both sides is refused.
  CHECK_THAT(error_of(source, grouped(parse_holdout("patient=0"), "path:/(0)")),
             ContainsSubstring("group \"0\" is in train and val"));
  rows[1].group = nullptr;
  GroupedRows incomplete(rows);
  CHECK_THAT(error_of(incomplete, grouped(parse_holdout("patient=0"), "")),
             ContainsSubstring("1 sample of train has no value in this column, such as \"p1/0.png\""));
}

TEST_CASE("the column of the groups is kept, and the choice is in the provenance", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string list = "path,label,patient,age,fold\n";
  for (int i = 0; i < 8; ++i) {
    const std::string name = std::to_string(i) + ".png";
    write_file(folder / name, gray_png(static_cast<std::uint8_t>(i)));
    list +=
        name + "," + (i % 2 == 0 ? "cat" : "dog") + "," + std::to_string(i / 2) + ",3," + std::to_string(i / 4) + "\n";
  }
  write_file(folder / "list.csv", list);
  const auto source = open(folder / "list.csv", grouped(Holdout::of_fold(1, 2), "Patient", 9));
  CHECK(source->splits()[0].columns == std::vector<std::string>{"patient", "age", "fold"});
  CHECK(source->splits()[1].sample_count == 4);
  const auto notes = nlohmann::json::parse(to_json(source->notes()));
  CHECK(notes["group_by"] == "Patient");
  CHECK(notes["holdout"] == nlohmann::json({{"fold", 1}, {"folds", 2}, {"seed", 9}}));
  const auto remarks = source->notes().remarks;
  CHECK(remarks.at(0) ==
        "list.csv: the labels are in \"label\"; columns kept with each sample: \"age\", \"fold\"; leave them out with "
        "`columns=none`, or name the labels with `label_column`");
  CHECK(remarks.at(1) == "list.csv: kept with each sample: \"patient\", because `group_by` or `holdout` names it");

  // All columns stay in the order of the list. Rows 0 to 3 have fold 0.
  SourceOptions all = grouped(parse_holdout("fold=0"), "");
  all.columns = {"all"};
  const auto by_value = open(folder / "list.csv", all);
  CHECK(by_value->splits()[0].columns == std::vector<std::string>{"patient", "age", "fold"});
  CHECK(by_value->sample_name(1, 0) == "0.png");
  CHECK(by_value->splits()[1].sample_count == 4);
  CHECK_THROWS_WITH(open(folder / "list.csv", grouped(0.2, "doctor")),
                    ContainsSubstring("choose samples by the column \"doctor\": no list has it; expected age, fold, "));
}

TEST_CASE("a limit below 1 is refused", "[unit][pack]") {
  GroupedRows source(patients({2}));
  SourceOptions options;
  options.limit = 0;
  CHECK_THAT(error_of(source, options), ContainsSubstring("limit the samples to 0: `limit` must be at least 1"));
}

TEST_CASE("without a holdout, a group in two splits is refused", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string list = "path,label,patient,split\n";
  for (int i = 0; i < 4; ++i) {
    write_file(folder / (std::to_string(i) + ".png"), gray_png(static_cast<std::uint8_t>(i)));
    list += std::to_string(i) + ".png,a," + (i == 2 ? "p0" : "p" + std::to_string(i)) + (i < 2 ? ",train\n" : ",val\n");
  }
  write_file(folder / "list.csv", list);
  CHECK_THROWS_WITH(open(folder / "list.csv", grouped({}, "patient")),
                    ContainsSubstring("group the samples by \"patient\": group \"p0\" is in train and val; ") &&
                        ContainsSubstring("train=LIST.csv or train=FILE.h5::train train=FILE.h5::val") &&
                        !ContainsSubstring("append"));
  CHECK(open(folder / "list.csv", grouped({}, "path:[0-9]"))->splits().size() == 2);
  // Both remedies, and that for a second val.
  CHECK_THROWS_WITH(open(folder / "list.csv", grouped(0.5, "path:[0-9]")),
                    ContainsSubstring("there is a split \"val\" already; pack without `holdout`, then divide train and "
                                      "val again: octavo repack train=FILE::train train=FILE::val -o NEW.h5"));
  const auto sizes_of = [](const Source& source) {
    std::vector<std::int64_t> sizes;
    for (const SourceSplit& split : source.splits()) sizes.push_back(split.sample_count);
    return sizes;
  };
  const auto listed = open_source({{folder / "list.csv", "train"}}, grouped(0.3, "patient"));
  CHECK(sizes_of(*listed) == std::vector<std::int64_t>{3, 1});
  pack(*open(folder / "list.csv", {.columns = {"patient"}}), folder / "a.h5");
  const std::vector<SourceSpec> parts = {{folder / "a.h5", "train", "train"}, {folder / "a.h5", "train", "val"}};
  CHECK(sizes_of(*open_source(parts, grouped(0.3, "patient"))) == std::vector<std::int64_t>{3, 1});
  CHECK(sizes_of(*open_source(parts, {.holdout = 0.5})) == std::vector<std::int64_t>{2, 2});
}
