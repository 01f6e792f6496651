// Exit codes and one-line errors.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "catch.hpp"
#include "program.hpp"
#include "shared_data.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

TEST_CASE("wrong usage is a one-line error with exit code 2", "[unit][tools][plain-only]") {
  const auto arguments = GENERATE(values<std::vector<std::string>>({{},
                                                                    {"frobnicate"},
                                                                    {"--frobnicate"},
                                                                    {"pack"},
                                                                    {"pack", "a"},
                                                                    {"info"},
                                                                    {"info", "a", "b"},
                                                                    {"info", "a", "--frobnicate"},
                                                                    {"pack", "a", "-o", "b", "--format", "bmp"},
                                                                    {"pack", "a", "-o", "b", "--size", "5y5"},
                                                                    {"pack", "a", "-o", "b", "--background", "#12"},
                                                                    {"pack", "a", "-o", "b", "--jobs", "0"},
                                                                    {"train", "a", "--epochs", "-1"},
                                                                    {"train", "a", "--device", "tpu"},
                                                                    {"view", "a", "-o", "b", "--epoch", "1"},
                                                                    {"export", "a", "-o", "b", "--as", "bmp"}}));
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.is_one_line_error());
  CHECK(outcome.out.empty());
}

TEST_CASE("the error for an unknown verb names it and the help command", "[unit][tools][plain-only]") {
  CHECK_THAT(run_octavo({}).err, ContainsSubstring("no command given; see octavo --help"));
  CHECK_THAT(run_octavo({"frobnicate"}).err, ContainsSubstring("\"frobnicate\"") && ContainsSubstring("octavo --help"));
  CHECK_THAT(run_octavo({"pack"}).err, ContainsSubstring("octavo pack --help"));
  CHECK_THAT(run_octavo({"pack", "x", "--limit", "0"}).err,
             ContainsSubstring("--limit: 0 is not a number above 0; see octavo pack --help"));
  for (const char* verb : {"pack", "repack"}) {
    CHECK_THAT(run_octavo({verb, "x", "-o", "y", "--seed", "-1"}).err,
               ContainsSubstring("--seed: -1 is not a whole number from 0 to 2^64 - 1"));
  }
  CHECK_THAT(run_octavo({"pack", "x", "-o", "y", "--size", "64", "48"}).err,
             ContainsSubstring("read --size: got two numbers, 64 and 48; write 64x48"));
}

TEST_CASE("a misspelled verb or option is an error that names the nearest one", "[unit][tools][plain-only]") {
  struct Case {
    std::vector<std::string> words;
    std::string message;
  };
  const auto [words, message] = GENERATE(values<Case>({
      {{"pakc"}, "unknown command \"pakc\"; did you mean \"pack\"? see octavo --help"},
      {{"help", "pakc"}, "unknown command \"pakc\"; did you mean \"pack\"? see octavo --help"},
      {{"help", "frobnicate"}, "unknown command \"frobnicate\"; see octavo --help"},
      {{"--versoin"}, "unknown option --versoin; did you mean --version? see octavo --help"},
      {{"pack", "x", "--outptu", "y.h5"}, "unknown option --outptu; did you mean --output? see octavo pack --help"},
      {{"pack", "x", "--output=y.h5", "--label_column=a"},
       "unknown option --label_column; did you mean --label-column?"},
      {{"info", "--verb"}, "unknown option --verb; did you mean --verbose? see octavo info --help"},
      {{"info", "x", "-json"}, "unknown option -json; did you mean --json? see octavo info --help"},
      {{"repack", "a b.h5", "-o", "y.h5", "--size", "32"},
       "unknown option --size; repack keeps the samples as they are; to change them, run octavo pack 'a b.h5' -o y.h5 "
       "--size 32; see octavo repack --help"},
      {{"info", "x", "--frobnicate"}, "unknown option --frobnicate; see octavo info --help"},
  }));
  const Outcome outcome = run_octavo(words);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.is_one_line_error());
  CHECK_THAT(outcome.err, ContainsSubstring("read the command line: " + message));
}

TEST_CASE("a memory size without a unit asks for one", "[unit][tools]") {
  const Outcome outcome = run_octavo({"plan", "x.h5", "--memory", "24"});
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err, ContainsSubstring("memory size \"24\" has no unit; write 24GiB, or 24B for bytes"));
}

TEST_CASE("a missing path, an empty folder and data that is not packed are failures", "[unit][tools]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "photos");
  std::ofstream(folder / "photos.zip") << "PK";
  const std::vector<std::vector<std::string>> commands = {{"pack", folder / "none", "-o", folder / "a.h5"},
                                                          {"pack", folder / "photos", "-o", folder / "a.h5"},
                                                          {"info", folder / "photos"},
                                                          {"verify", folder / "photos"},
                                                          {"info", folder / "photos.zip"}};
  for (const auto& command : commands) {
    const Outcome outcome = run_octavo(command);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.is_one_line_error());
    const bool is_packed_first = command[0] != "pack";
    if (is_packed_first)
      CHECK_THAT(outcome.err, ContainsSubstring("pack it first: `octavo pack \"" + command[1] + "\" -o"));
  }
}

TEST_CASE("the name of a verb is a value after the verb", "[unit][tools]") {
  for (const char* const name : {"pack", "help", "info"}) {
    const Outcome outcome = run_octavo({"info", name});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.is_one_line_error());
    CHECK_THAT(outcome.err, ContainsSubstring("open \"" + std::string(name) + "\": No such file"));
  }
}

TEST_CASE("the command that packs an archive names its output without the archive's extensions", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* const name : {"photos.tar.gz", "photos.tar", "photos.tgz", "photos.zip"}) {
    std::ofstream(folder / name) << "no dataset file, but more bytes than the header of one has, which are 64 bytes";
    CHECK_THAT(run_octavo({"info", folder / name}).err, ContainsSubstring(" -o photos.h5`"));
  }
}

TEST_CASE("failed work is a one-line error with exit code 1", "[unit][tools]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.h5") << "no dataset file";
  for (const char* verb : {"info", "verify", "report", "train"}) {
    const Outcome missing = run_octavo({verb, folder / "missing.h5", "--json"});
    INFO(verb << ": " << missing.err);
    CHECK(missing.exit_code == 1);
    CHECK(missing.is_one_line_error());
    CHECK(missing.out.empty());
  }
  const Outcome no_format = run_octavo({"info", folder / "text.h5"});
  CHECK(no_format.exit_code == 1);
  CHECK(no_format.is_one_line_error());
  CHECK(run_octavo({"pack", folder / "missing", "-o", folder / "a.h5"}).exit_code == 1);
  const Outcome no_names = run_octavo({"pack", folder.path(), "-o", folder / "a.h5", "--classes", folder / "missing"});
  CHECK(no_names.exit_code == 1);
  CHECK_THAT(no_names.err, ContainsSubstring("No such file or directory"));
}

TEST_CASE("data that do not fit the command line are a one-line error with exit code 1", "[unit][tools]") {
  struct Case {
    std::vector<std::string> images;  ///< paths; those whose names start with "wide" are larger
    std::vector<std::string> options;
    std::string problem;
  };
  const auto [images, options, problem] = GENERATE(
      values<Case>({{{}, {}, "found no image files"},
                    {{"a/1.png", "b/wide.png"}, {}, "resize all to one height and width"},
                    {{"train/a/1.png", "test/b/1.png"}, {}, "the class \"b\" is not in"},
                    {{"caf\xC3\xA9/1.png", "cafe\xCC\x81/1.png"}, {}, "differ only in Unicode normalization"},
                    {{"\xE9/1.png"}, {}, "is not UTF-8"},
                    {{"train/1.png", "a/1.png"}, {}, "is not a known split name"},
                    {{"images/1.png", "images/2.png", "masks/1.png", "masks/3.png"}, {}, "pair images with masks"},
                    {{"a/1.png", "a/2.png"}, {"--holdout", "0:3"}, "choose fewer folds"},
                    {{"a/1.png", "a/2.png"},
                     {"--holdout", "0.5", "--group-by", "path:(a)"},
                     "all samples of train are in one group"},
                    {{"train/a/1.png", "val/a/1.png"}, {"--holdout", "0.5"}, "there is a split \"val\" already"},
                    {{"a/1.png"}, {"--holdout", "fold=0"}, "fold"},
                    {{"a/1.png"}, {"--select", "none"}, "no class or sample matches"},
                    {{"a/1.png"}, {"--range", "0,5"}, "all images have at most 8 bits"},
                    {{"a/1.png"}, {"--format", "npy"}, "no file in it is named like the requested format"}}));
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "in");
  for (const std::string& image : images) {
    const int width = image.find("wide") == std::string::npos ? 6 : 7;
    write_png(std::filesystem::path(folder / "in") / image, width, 4, 10);
  }
  std::vector<std::string> words = {"pack", folder / "in", "-o", folder / "a.h5"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_octavo(words);
  INFO(outcome.err);
  CHECK_THAT(outcome.err, ContainsSubstring(problem));
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
}

TEST_CASE("a closed output pipe is not an error", "[unit][tools]") {
  // The scripts for fish are larger than the buffer of stdout, so that a write fails before the last one.
  const auto arguments = GENERATE(values<std::vector<std::string>>({{"--help"}, {"completion", "fish"}}));
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::close(ends[0]);
  RunningProgram program(arguments, ends[1]);
  ::close(ends[1]);
  const Outcome outcome = program.wait();
  CHECK(outcome.exit_code == 128 + 13);
  CHECK(outcome.err.empty());
}

TEST_CASE("output that cannot be written is an error", "[unit][tools]") {
  const auto arguments = GENERATE(values<std::vector<std::string>>({{"devices"}, {"completion", "fish"}}));
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  RunningProgram program(arguments, full);
  ::close(full);
  const Outcome outcome = program.wait();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
  CHECK_THAT(outcome.err, ContainsSubstring("check the space on the disk"));
}

TEST_CASE("output to an existing pipe or link is refused even with --force", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  std::ofstream(folder / "other.png") << "precious";
  const std::string pipe = folder / "pipe.png";
  const std::string link = folder / "link.png";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink(folder / "other.png", link);
  const auto refusal = [&](std::vector<std::string> words, const std::string& output) {
    words.insert(words.end(), {"-o", output, "--force", "--quiet"});
    const Outcome outcome = run_octavo(words);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.is_one_line_error());
    return outcome.err;
  };
  const std::vector<std::vector<std::string>> writers = {
      {"pack", project_data("digits").string()}, {"reindex", folder / "d.h5"}, {"view", folder / "d.h5"}};
  for (const auto& words : writers) {
    CHECK_THAT(refusal(words, pipe), ContainsSubstring("pipe.png\": it is not a regular file; choose another name"));
    CHECK_THAT(refusal(words, link), ContainsSubstring("link.png\": it is a link; name the file itself"));
  }
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(std::filesystem::is_symlink(link));
}

TEST_CASE("names that are not UTF-8 are shown escaped in errors and notes and as JSON", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string name = "\xB9\xB7";
  write_png(folder / "bad" / name / "1.png", 6, 4, 10);
  const Outcome refused = run_octavo({"pack", folder / "bad", "-o", folder / "x.h5", "--quiet"});
  CHECK(refused.is_one_line_error());
  CHECK_THAT(refused.err, ContainsSubstring("\\xB9\\xB7\" is not UTF-8; rename the folder"));
  CHECK_THAT(run_octavo({"pack", folder / name, "-o", folder / "x.h5"}).err, ContainsSubstring("/\\xB9\\xB7\""));
  CHECK_THAT(run_octavo({name}).err, ContainsSubstring("unknown command \"\\xB9\\xB7\""));

  write_png(folder / "good" / "cat" / (name + ".png"), 6, 4, 10);
  std::ofstream(folder / "good" / "cat" / (name + ".txt")) << "x";
  std::ofstream(folder / "good" / "cat" / (name + ".jpg")) << "x";
  const Outcome packed =
      run_octavo({"pack", folder / "good", "-o", folder / "x.h5", "--on-error", "skip", "--no-names"});
  REQUIRE(packed.exit_code == 0);
  CHECK_THAT(packed.out, ContainsSubstring("class folder: cat/\\xB9\\xB7.txt"));
  CHECK_THAT(packed.err, ContainsSubstring("skipped: cat/\\xB9\\xB7.jpg"));
  const auto info = run_octavo({"info", folder / "x.h5", "--json"}).json();
  CHECK(info["provenance"]["skipped"][0]["name"] == "cat/\\xB9\\xB7.jpg");
  CHECK(info["provenance"]["notes"]["first_ignored_files"][0] == "cat/\\xB9\\xB7.txt");
}
