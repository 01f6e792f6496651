#include <octavo/doctor.hpp>

#include <nlohmann/json.hpp>
#include <octavo/errors.hpp>
#include <octavo/option_names.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A file with two splits of four samples, their names and columns.
struct GroupedFile {
  TemporaryFolder folder;
  Dataset dataset;

  explicit GroupedFile(const std::string& train_columns, const std::string& test_columns = "",
                       const std::vector<std::string>& test_names = {"p3/a.png", "p4/b.png", "p5/c.png", "x.png"})
      : dataset(written(folder / "a.h5", train_columns, test_columns, test_names)) {}

 private:
  static Dataset written(const std::filesystem::path& path, const std::string& train_columns,
                         const std::string& test_columns, const std::vector<std::string>& test_names) {
    WriterOptions options;
    options.splits = {{"train", {1, 1, 2}, {}, Color::gray, 4, true}, {"test", {1, 1, 2}, {}, Color::gray, 4, true}};
    Writer writer(path, options);
    std::vector<std::uint8_t> train = {0, 10, 0, 20, 0, 30, 0, 40}, test = {0, 50, 0, 60, 0, 70, 0, 80};
    writer.write(0, 0, train, {}, std::vector<std::string>{"p1/a.png", "p1/b.png", "p2/c.png", "p3/d.png"});
    writer.write(1, 0, test, {}, test_names);
    if (!train_columns.empty()) writer.set_columns(0, train_columns);
    if (!test_columns.empty()) writer.set_columns(1, test_columns);
    writer.finish("{}");
    return Dataset::open(path);
  }
};

std::vector<DoctorFinding> shared_groups(const Dataset& dataset, const std::string& group_by = "") {
  auto findings = examine(dataset, {.group_by = group_by}).findings;
  std::erase_if(findings, [](const DoctorFinding& finding) { return finding.check != DoctorCheck::shared_group; });
  return findings;
}

}  // namespace

TEST_CASE("a patient with samples in two splits is an error", "[unit][doctor]") {
  const GroupedFile file(R"({"age": [1, 2, 3, 4], "Patient_ID": [7, 7, 8, 9]})", R"({"Patient_ID": [9, 10, 7, null]})");
  const auto findings = shared_groups(file.dataset);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].count == 2);
  CHECK(findings[0].info().severity == DoctorSeverity::error);
  CHECK(findings[0].summary ==
        "2 of 4 groups by Patient_ID have samples in more than one split; 1 sample has no group");
  REQUIRE(findings[0].examples.size() == 2);
  CHECK(findings[0].examples[0].detail == "7");
  CHECK(findings[0].examples[0].samples == std::vector<SamplePlace>{{"train", 0, "p1/a.png"}, {"test", 2, "p5/c.png"}});
}

TEST_CASE("groups are compared like those of pack", "[unit][doctor]") {
  const GroupedFile file(R"({"patient": [7, 8, "a", 9]})", R"({"patient": [7.0, "8", " a ", " "]})");
  CHECK(shared_groups(file.dataset).at(0).summary ==
        "3 of 4 groups by patient have samples in more than one split; 1 sample has no group");
}

TEST_CASE("columns that are not groups are not compared", "[unit][doctor]") {
  CHECK(shared_groups(GroupedFile(R"({"age": [1, 1, 1, 2]})", R"({"age": [1, 1, 2, 2]})").dataset).empty());
  // One value for all, and lists.
  CHECK(shared_groups(GroupedFile(R"({"group": ["a", "a", "a", "a"]})", R"({"group": ["a", "a", "a", "a"]})").dataset)
            .empty());
  CHECK(shared_groups(GroupedFile(R"({"scene": [[1], [2], [3], [4]]})", R"({"scene": [[1], [2], [3], [4]]})").dataset)
            .empty());
  // Separate patients, and a column that only one split has.
  CHECK(shared_groups(GroupedFile(R"({"patient": [1, 1, 2, 2]})", R"({"patient": [3, 3, 4, 4]})").dataset).empty());
  CHECK(shared_groups(GroupedFile(R"({"patient": [1, 1, 2, 2]})").dataset).empty());
}

TEST_CASE("samples are grouped by a column that is named", "[unit][doctor]") {
  const GroupedFile file(R"({"age": [1, 1, 3, 4]})", R"({"age": [1, 5, 6, 7]})");
  CHECK(shared_groups(file.dataset, "age").at(0).count == 1);
}

TEST_CASE("samples are grouped by a part of their names", "[unit][doctor]") {
  const GroupedFile file("");
  const auto findings = shared_groups(file.dataset, "path:^(p[0-9]+)/");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].count == 1);
  CHECK(findings[0].examples.at(0).detail == "p3");
  CHECK_THAT(findings[0].summary, ContainsSubstring("1 of 5 groups") && ContainsSubstring("1 sample has no group"));
  CHECK(shared_groups(file.dataset, "path:^(p[0-9]+)/[bd]").empty());
  // Without a capture group, the whole match counts; with several, the first.
  CHECK(shared_groups(file.dataset, "path:^p[0-9]+").at(0).examples.at(0).detail == "p3");
  CHECK(shared_groups(file.dataset, "path:^(p[0-9]+)/(.)").at(0).examples.at(0).detail == "p3");
}

TEST_CASE("an invalid grouping is refused", "[unit][doctor]") {
  const GroupedFile file(R"({"age": [1, 1, 3, 4]})");
  const auto message_of = [&](const std::string& group_by) -> std::string {
    try {
      examine(file.dataset, {.group_by = group_by});
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK_THAT(message_of("patient"), ContainsSubstring("no column \"patient\"; the columns are age"));
  CHECK_THAT(message_of("path:(p"), ContainsSubstring("invalid regular expression"));
  CHECK_THAT(message_of("path:"), ContainsSubstring("has no regular expression"));
  CHECK_THAT(message_of("path:(z+)/"), ContainsSubstring("matches no sample name; the first name is \"p1/a.png\""));
}

TEST_CASE("an expression whose search takes too long is refused", "[unit][doctor]") {
  const std::string longest(255, 'p');  // names are not longer in a file
  const GroupedFile file("", "", {longest, "p4/b.png", "p5/c.png", "x.png"});
  CHECK(shared_groups(file.dataset, "path:((?:p|q)*)").at(0).count >= 1);
  CHECK_THROWS_WITH(shared_groups(file.dataset, "path:(p+)+x"), ContainsSubstring("the search takes too long"));
}

TEST_CASE("without groups, the report notes it", "[unit][doctor]") {
  const auto limits = examine(GroupedFile("").dataset).limits;
  REQUIRE_FALSE(limits.empty());
  CHECK_THAT(limits[0], ContainsSubstring("groups: no column of groups"));
  CHECK(examine(GroupedFile(R"({"patient": [1, 1, 2, 2]})", R"({"patient": [3, 3, 4, 4]})").dataset).limits.size() ==
        limits.size() - 1);
}

TEST_CASE("samples without a group are counted though no group is in two splits", "[unit][doctor]") {
  // The column is in one of two splits with four samples each.
  const auto limits = examine(GroupedFile(R"({"patient": [1, 1, 2, null]})").dataset).limits;
  REQUIRE_FALSE(limits.empty());
  CHECK(limits[0] == "groups by patient of 5 samples: they have no group");
}

TEST_CASE("a column that is named like an option is only text", "[unit][doctor]") {
  const GroupedFile file(R"({"`force=1`": [1, 1, 3, 4]})", R"({"`force=1`": [1, 5, 6, 7]})");
  const DoctorReport report = examine(file.dataset, {.group_by = "`force=1`"});
  const auto document = nlohmann::ordered_json::parse(to_json(report, with_python_options));
  CHECK_THAT(document["findings"][0]["summary"].get<std::string>(), ContainsSubstring("groups by `force=1` has"));
}
