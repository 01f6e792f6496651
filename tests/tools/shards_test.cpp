// `octavo pack --shards` and `octavo merge`.
#include <list>
#include <map>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "packed_fixture.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"
#include "working_folder.hpp"

using namespace octavo::test;

TEST_CASE("a dataset of shards is one for every command", "[unit][tools][shards]") {
  const PackedFixture source({smooth_split("train", 600, {3, 8, 8}), smooth_split("test", 20, {3, 8, 8}, 2)});
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const Outcome packed = run_octavo({"pack", source.path(), "-o", out, "--shards", "3"});
  INFO(packed.err);
  REQUIRE(packed.exit_code == 0);
  CHECK_THAT(packed.out, ContainsSubstring("shard-00002-of-00003.h5") && ContainsSubstring("dataset.json: 3 shards") &&
                             ContainsSubstring("train 600, test 20") && ContainsSubstring("try next: octavo info"));
  const std::string manifest = out + "/dataset.json";
  const std::vector<std::vector<std::string>> commands = {{"info", out},
                                                          {"info", manifest, "--duplicates"},
                                                          {"verify", out},
                                                          {"doctor", out},
                                                          {"report", manifest, "--html", folder / "r.html"},
                                                          {"plan", out},
                                                          {"bench", out, "--batch-size", "8"},
                                                          {"train", out, "--epochs", "1"},
                                                          {"view", out, "-o", folder / "v.png"},
                                                          {"export", manifest, "-o", folder / "images"},
                                                          {"repack", out, "-o", folder / "one.h5"},
                                                          {"pack", out, "-o", folder / "two.h5"}};
  for (const auto& command : commands) {
    const Outcome outcome = run_octavo(command);
    INFO(command[0] << "\n" << outcome.out << outcome.err);
    CHECK(outcome.exit_code == 0);
  }
  for (const char* name : {"one.h5", "two.h5"}) {
    CHECK(run_octavo({"info", folder / name, "--json"}).json()["splits"][1]["sample_count"] == 20);
  }
  // What changes a file needs one.
  const Outcome outcome = run_octavo({"reindex", out, "-o", folder / "x.h5"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 1);
}

TEST_CASE("samples are appended to a dataset of shards", "[unit][tools][shards]") {
  const PackedFixture first({smooth_split("train", 60, {1, 8, 8})}), more({smooth_split("train", 7, {1, 8, 8}, 2)});
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  REQUIRE(run_octavo({"pack", first.path(), "-o", out, "--shards", "3"}).exit_code == 0);
  REQUIRE(run_octavo({"merge", out, "--vds"}).exit_code == 0);
  for (const std::string& target : {out, out + "/dataset.json"}) {
    const Outcome appended = run_octavo({"pack", more.path(), "-o", target, "--append"});
    INFO(appended.out << appended.err);
    REQUIRE(appended.exit_code == 0);
    const bool is_first = target == out;
    CHECK_THAT(appended.out, ContainsSubstring("7 samples"));
    CHECK((appended.out.find("appended-00001.h5 has these samples already") == std::string::npos) == is_first);
    CHECK((appended.out.find("dataset.h5 lacks these samples") == std::string::npos) != is_first);
    CHECK(run_octavo({"info", out, "--json"}).json()["splits"][0]["sample_count"] == 67);
  }
  CHECK(run_octavo({"verify", out}).exit_code == 0);
  const Outcome both = run_octavo({"pack", more.path(), "-o", out, "--append", "--shards", "2"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, ContainsSubstring("--append adds one shard"));
}

TEST_CASE("a URL as the output is an error that names the way", "[unit][tools][shards]") {
  const PackedFixture source({smooth_split("train", 60, {1, 8, 8})});
  const TemporaryFolder folder;
  const WorkingFolder here(folder.path());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"pack", source.path(), "-o", "s3://bucket/a.h5"},
        {"pack", source.path(), "-o", "s3://bucket/a", "--shards", "2"},
        {"repack", source.path(), "-o", "s3://bucket/a.h5"},
        {"merge", "s3://bucket/a/"}}) {
    const Outcome outcome = run_octavo(command);
    INFO(command[0]);
    CHECK(outcome.exit_code != 0);
    CHECK_THAT(outcome.err, ContainsSubstring("a URL, but this writes to a local disk"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("workers take their shards from the environment", "[unit][tools][shards]") {
  const PackedFixture source({smooth_split("train", 60, {1, 8, 8})});
  const TemporaryFolder folder;
  const auto pack = [&](const std::map<std::string, std::string>& variables, std::vector<std::string> more) {
    std::list<EnvironmentVariable> environment;
    for (const auto& [name, value] : variables) environment.emplace_back(name.c_str(), value);
    std::vector<std::string> words = {"pack",   source.path(), "-o", folder / "out", "--shard-from-env",
                                      "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run_octavo(words);
  };
  const auto file_of = [](const Outcome& outcome, std::size_t shard) {
    return std::filesystem::path(outcome.json()["shards"][shard]["file"].get<std::string>()).filename().string();
  };
  const std::map<std::string, std::string> array = {
      {"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "4"}, {"RANK", "0"}};
  const Outcome alone = pack(array, {});
  REQUIRE(alone.exit_code == 0);
  CHECK(alone.json()["shards"].size() == 1);
  CHECK(file_of(alone, 0) == "shard-00002-of-00004.h5");
  CHECK(alone.json()["shards"][0]["was_there"] == false);
  CHECK(pack(array, {}).json()["shards"][0]["was_there"] == true);

  const Outcome several = pack({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}}, {"--shards", "5"});
  REQUIRE(several.exit_code == 0);
  CHECK(file_of(several, 0) == "shard-00001-of-00005.h5");
  CHECK(file_of(several, 1) == "shard-00004-of-00005.h5");

  CHECK_THAT(pack({}, {}).err, ContainsSubstring("none of SLURM_ARRAY_TASK_ID"));
  CHECK_THAT(pack({{"RANK", "1"}}, {}).err, ContainsSubstring("WORLD_SIZE is not set"));
  CHECK_THAT(pack({{"RANK", "one"}, {"WORLD_SIZE", "2"}}, {}).err, ContainsSubstring("expected a number"));
  CHECK_THAT(pack({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, {}).err, ContainsSubstring("without gaps"));
  CHECK_THAT(run_octavo({"pack", source.path(), "-o", folder / "x", "--shard", "1"}).err,
             ContainsSubstring("--shard requires --shards"));
  CHECK_THAT(run_octavo({"merge", folder / "out"}).err, ContainsSubstring("shards of two datasets"));
}
