// `octavo pack`: sources, options and output.
#include <algorithm>
#include <fstream>
#include <octavo/dataset.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "program.hpp"
#include "shared_data.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

namespace {

/// Writes cat/ with two images and dog/ with one, of 6x4 pixels.
void write_pets(const std::filesystem::path& folder) {
  write_png(folder / "cat" / "1.png", 6, 4, 10);
  write_png(folder / "cat" / "2.png", 6, 4, 20);
  write_png(folder / "dog" / "1.png", 6, 4, 30);
}

}  // namespace

TEST_CASE("packing the digits ends with a summary and the next command", "[unit][tools]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_octavo({"pack", project_data("digits").string(), "-o", folder / "d.h5"});
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("1,797 samples") && ContainsSubstring("1,437") &&
                              ContainsSubstring("float32") && ContainsSubstring("try next: octavo info"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"d.h5"});
}

TEST_CASE("with --quiet, packing ends with the summary", "[unit][tools]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_octavo({"pack", project_data("digits").string(), "-o", folder / "d.h5", "--quiet"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, ContainsSubstring("1,797 samples") && !ContainsSubstring("try next"));
}

TEST_CASE("a folder of images is packed with its classes", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  const Outcome outcome = run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--json", "--quiet"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.json()["splits"][0]["sample_count"] == 3);
  CHECK(outcome.json()["splits"][0]["shape"] == nlohmann::ordered_json({3, 4, 6}));
  CHECK(outcome.json()["skipped"].empty());
  const auto info = run_octavo({"info", folder / "p.h5", "--json"}).json();
  CHECK(info["classes"] == nlohmann::ordered_json({"cat", "dog"}));
  CHECK(info["splits"][0]["class_counts"]["0"] == 2);
}

TEST_CASE("a source argument is a split and a path only if that makes sense", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "a=b");
  // A path that contains an equals sign, alone and after a split name.
  const auto plain = run_octavo({"pack", folder / "a=b", "-o", folder / "1.h5", "--json", "--quiet"});
  REQUIRE(plain.exit_code == 0);
  CHECK(plain.json()["splits"][0]["name"] == "train");
  const auto named =
      run_octavo({"pack", "extra=" + (folder / "a=b").string(), "-o", folder / "2.h5", "--json", "--quiet"});
  REQUIRE(named.exit_code == 0);
  CHECK(named.json()["splits"][0]["name"] == "extra");
}

TEST_CASE("images are resized to one size and converted to gray", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  write_png(folder / "pets" / "dog" / "2.png", 9, 9, 40);
  const Outcome refused = run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--quiet"});
  CHECK(refused.exit_code != 0);
  CHECK(refused.is_one_line_error());
  CHECK_THAT(refused.err, ContainsSubstring("--size"));
  const Outcome outcome =
      run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--size", "5x7", "--fit", "pad", "--channels", "1",
                  "--background", "#FF8000", "--jobs", "2", "--names", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.json()["splits"][0]["shape"] == nlohmann::ordered_json({1, 5, 7}));
}

TEST_CASE("a dry run shows what would be packed and writes nothing", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  const Outcome outcome = run_octavo({"pack", folder / "pets", "--dry-run", "--json"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.json()["packed_bytes"] == 3 * 6 * 4 * 3);
  CHECK(outcome.json()["splits"][0]["sample_count"] == 3);
  CHECK_THAT(run_octavo({"pack", folder / "pets", "--dry-run"}).out, ContainsSubstring("3x4x6"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"pets"});
}

TEST_CASE("an unreadable file stops packing or is skipped and listed", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  std::filesystem::resize_file(folder / "pets" / "cat" / "2.png",
                               std::filesystem::file_size(folder / "pets" / "cat" / "2.png") - 20);
  const Outcome stopped = run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--quiet"});
  CHECK(stopped.exit_code == 1);
  CHECK(stopped.is_one_line_error());
  CHECK_THAT(stopped.err, ContainsSubstring("2.png") && ContainsSubstring("--on-error skip"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"pets"});

  const Outcome skipped = run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--on-error", "skip", "--quiet"});
  REQUIRE(skipped.exit_code == 0);
  CHECK_THAT(skipped.out, ContainsSubstring("skipped  1 sample"));
  CHECK_THAT(skipped.err, ContainsSubstring("octavo: skipped: cat/2.png: ") && !ContainsSubstring("dog"));
  const auto info = run_octavo({"info", folder / "p.h5", "--json"}).json();
  CHECK(info["provenance"]["skipped"].size() == 1);
  CHECK(info["splits"][0]["sample_count"] == 2);
}

TEST_CASE("packing reports ignored files and missing labels", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  std::ofstream(folder / "pets" / "cat" / "notes.txt") << "no image";
  std::ofstream(folder / "pets" / "dog" / "notes.txt") << "no image";
  const std::string pets = run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--quiet"}).out;
  CHECK_THAT(pets, ContainsSubstring("note: ignored 2 files that are not images in a class folder: cat/notes.txt, "
                                     "dog/notes.txt\n"));
  const std::string cats = run_octavo({"pack", folder / "pets" / "cat", "-o", folder / "c.h5", "--quiet"}).out;
  CHECK_THAT(cats, ContainsSubstring("note: no labels in train: there are no class subfolders"));
}

TEST_CASE("an existing file is replaced only with --force", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> arguments = {
      "pack", project_data("digits").string(), "-o", folder / "d.h5", "--quiet", "--reproducible"};
  const Outcome refused = run_octavo(arguments);
  CHECK(refused.exit_code == 2);
  CHECK(refused.is_one_line_error());
  std::vector<std::string> forced = arguments;
  forced.push_back("--force");
  CHECK(run_octavo(forced).exit_code == 0);
}

TEST_CASE("an output path in a missing folder is refused with the folder's name", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  const Outcome outcome = run_octavo({"pack", folder / "pets", "-o", folder / "none" / "p.h5", "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err,
             ContainsSubstring("p.h5\": the folder \"") && ContainsSubstring("none\" does not exist; create it"));
}

TEST_CASE("class names can be given and a validation split held out", "[unit][tools]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "names.txt") << "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
  const Outcome outcome = run_octavo({"pack", project_data("digits").string(), "-o", folder / "d.h5", "--classes",
                                      folder / "names.txt", "--holdout", "0.1", "--seed", "5", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::vector<std::string> names;
  const auto document = outcome.json();
  for (const auto& split : document["splits"]) names.push_back(split["name"]);
  CHECK(std::find(names.begin(), names.end(), "val") != names.end());
  CHECK(run_octavo({"info", folder / "d.h5", "--json"}).json()["classes"][9] == "nine");
}

TEST_CASE("groups stay together when samples are held out", "[unit][tools]") {
  const TemporaryFolder folder;
  // Patients 0 to 4 with two cats and two dogs each: a fifth is one patient.
  std::ofstream list(folder / "list.csv");
  list << "path,label,patient\n";
  for (int i = 0; i < 20; ++i) {
    const std::string name = "p" + std::to_string(i / 4) + "/" + std::to_string(i) + ".png";
    write_png(folder / name, 6, 4, static_cast<std::uint8_t>(i));
    list << name << (i % 2 == 0 ? ",cat," : ",dog,") << i / 4 << "\n";
  }
  list.close();
  const auto arguments = [&](const std::string& verb, const std::string& source, const std::string& target,
                             const std::string& group_by, const std::string& holdout) {
    return std::vector<std::string>{verb,         folder / source, "-o",        folder / target,
                                    "--group-by", group_by,        "--holdout", holdout};
  };
  const Outcome packed = run_octavo(arguments("pack", "list.csv", "g.h5", "patient", "0.2"));
  INFO(packed.err);
  REQUIRE(packed.exit_code == 0);
  CHECK_THAT(packed.out,
             ContainsSubstring("note: val has 20 % of the samples (asked: 20 %) in 1 of 5 groups\n") &&
                 ContainsSubstring("kept with each sample: \"patient\", because --group-by or --holdout names it\n"));
  const auto info = run_octavo({"info", folder / "g.h5", "--json"}).json();
  CHECK(info["splits"][0]["sample_count"] == 16);
  CHECK(info["splits"][1]["sample_count"] == 4);
  CHECK(info["splits"][1]["class_counts"] == nlohmann::ordered_json({{"0", 2}, {"1", 2}}));
  CHECK_THAT(run_octavo({"info", folder / "g.h5"}).out,
             ContainsSubstring("  held out of train: share 0.2, seed 0\n"
                               "  samples in one split: those with the same patient\n"));
  // The doctor reads the same spelling, and finds no group in two splits.
  for (const char* const group_by : {"patient", "path:^(p[0-9]+)/"}) {
    const Outcome examined = run_octavo({"doctor", folder / "g.h5", "--json", "--group-by", group_by});
    CHECK_THAT(examined.out, !ContainsSubstring("shared_group"));
  }

  // The whole dataset in a file, and then fold 3 of its patients by their paths.
  REQUIRE(run_octavo({"pack", folder / "list.csv", "-o", folder / "all.h5"}).exit_code == 0);
  const Outcome repacked = run_octavo(arguments("repack", "all.h5", "f.h5", "path:^(p[0-9]+)/", "3:5"));
  REQUIRE(repacked.exit_code == 0);
  CHECK_THAT(repacked.out,
             ContainsSubstring("note: val is fold 3 of folds 0 to 4: 20 % of the samples in 1 of 5 groups"));
  const Outcome refused = run_octavo(arguments("pack", "list.csv", "e.h5", "doctor", "0.2"));
  CHECK(refused.exit_code == 1);
  CHECK(refused.is_one_line_error());
  CHECK_THAT(refused.err, ContainsSubstring("no list has it; expected label, path or patient"));
  CHECK_THAT(run_octavo(arguments("pack", "list.csv", "e.h5", "path:(p", "0.2")).err,
             ContainsSubstring("--group-by path:(p has an invalid regular expression"));
}

TEST_CASE("class-name files may begin with a byte order mark", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  std::ofstream(folder / "names.txt") << "\xEF\xBB\xBF"
                                      << "dog\r\ncat\r\n";
  REQUIRE(run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--classes", folder / "names.txt", "--quiet"})
              .exit_code == 0);
  std::ofstream(folder / "map.txt") << "\xEF\xBB\xBF"
                                    << "dog=fox\r\n";
  REQUIRE(run_octavo({"repack", folder / "p.h5", "-o", folder / "q.h5", "--class-map", folder / "map.txt", "--quiet"})
              .exit_code == 0);
  CHECK(run_octavo({"info", folder / "q.h5", "--json"}).json()["classes"] == nlohmann::ordered_json({"fox", "cat"}));
}

TEST_CASE("packing reports the error of quantizing other numbers to bytes", "[unit][tools]") {
  const TemporaryFolder folder;
  // int32 [2,2,2]: 0, 10, ..., 70.
  std::string bytes("\0\0\x0C\3\0\0\0\2\0\0\0\2\0\0\0\2", 16);
  for (char i = 0; i < 8; ++i) bytes += std::string(3, '\0') + static_cast<char>(10 * i);
  std::ofstream(folder / "x-images-idx3-int", std::ios::binary) << bytes;
  const auto packed = [&](const std::string& range) {
    return run_octavo({"pack", folder / "x-images-idx3-int", "-o", folder / "x.h5", "--range", range, "--force"}).out;
  };
  CHECK_THAT(packed("auto"), !ContainsSubstring("int32"));
  CHECK_THAT(packed("0,51"),
             ContainsSubstring("note: train: int32 values from 0 to 70 became 8-bit (7 of 256 levels used, ") &&
                 ContainsSubstring(", largest error 19); 2 values outside 0 to 51 were clipped"));
}

TEST_CASE("columns of a list are kept and shown", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  std::ofstream(folder / "pets" / "cat" / "list.csv") << "path,breed,age,sex\n1.png,pug,3,f\n2.png,owl,5,m\n";
  const std::string list = folder / "pets/cat/list.csv";
  const Outcome packed =
      run_octavo({"pack", "--label-column", "breed", "--columns", "age", list, "-o", folder / "c.h5"});
  REQUIRE(packed.exit_code == 0);
  CHECK_THAT(packed.out, ContainsSubstring("note: list.csv: columns not packed: \"sex\"; keep them with --columns"));
  CHECK_THAT(packed.out, ContainsSubstring("names  ") && ContainsSubstring("(--no-names: none)"));
  CHECK_THAT(run_octavo({"info", folder / "c.h5"}).out, ContainsSubstring("  columns of train: age\n"));
  CHECK(run_octavo({"info", folder / "c.h5", "--json"}).json()["splits"][0]["columns"][0] == "age");
  // Blanks around a comma do not belong to the names.
  REQUIRE(
      run_octavo({"pack", list, "--label-column", "breed", "-o", folder / "e.h5", "--columns", "age, sex"}).exit_code ==
      0);
  CHECK_THAT(run_octavo({"info", folder / "e.h5"}).out, ContainsSubstring("  columns of train: age, sex\n"));
  REQUIRE(run_octavo({"pack", list, "--label-column", "breed", "-o", folder / "d.h5", "--no-names", "--columns", "all"})
              .exit_code == 0);
  CHECK_FALSE(octavo::Dataset::open(folder / "d.h5").split("train").sample_name(0).has_value());
}

TEST_CASE("packing reports the classes and several kinds of labels", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  CHECK_THAT(run_octavo({"pack", folder / "pets", "--dry-run"}).out, ContainsSubstring("  classes  cat, dog\n"));
  std::ofstream(folder / "pets" / "cat" / "train.csv") << "path,target\n1.png,5\n";
  std::ofstream(folder / "pets" / "cat" / "test.csv") << "path,target\n2.png,5.5\n";
  const std::string lists = run_octavo({"pack", folder / "pets" / "cat", "--dry-run"}).out;
  CHECK_THAT(lists, ContainsSubstring("note: labels are targets in test, of another kind in train"));
  CHECK_THAT(lists, !ContainsSubstring("not in any list"));
}

TEST_CASE("classes of a dataset file are renamed by number and only if that is unambiguous", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");
  REQUIRE(run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--quiet"}).exit_code == 0);
  const auto named = [&](const std::string& names, const std::vector<std::string>& more = {}) {
    std::ofstream(folder / "names.txt") << names;
    std::vector<std::string> arguments = {"pack",    folder / "p.h5", "-o",        folder / "q.h5",
                                          "--force", "--quiet",       "--classes", folder / "names.txt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_octavo(arguments);
  };
  CHECK(named("cat\nhound\n").exit_code == 0);
  CHECK_THAT(named("dog\ncat\n").err, ContainsSubstring("class 0, \"cat\", would get the name of another"));
  std::filesystem::copy(folder / "p.h5", folder / "r.h5");
  CHECK_THAT(named("cat\ndog\n", {"val=" + (folder / "r.h5").string()}).err,
             ContainsSubstring("the classes of several sources are matched by name"));
}

TEST_CASE("with --quiet packing writes only its result", "[unit][tools]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_octavo({"pack", project_data("digits").string(), "-o", folder / "d.h5", "--json", "--quiet"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.json()["splits"].size() == 2);
}

TEST_CASE("deflated files are packed and reported and accepted by every verb", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string path = folder / "d.h5";
  REQUIRE(
      run_octavo({"pack", project_data("digits").string(), "-o", path, "--compress", "deflate", "--quiet"}).exit_code ==
      0);
  const auto info = run_octavo({"info", path, "--json"}).json();
  CHECK(info["splits"][0]["compression"] == "deflate");
  CHECK(info["splits"][0]["stored_bytes"] < info["splits"][0]["packed_bytes"]);
  CHECK(info["splits"][0]["compression_ratio"] > 1.5);
  CHECK_THAT(run_octavo({"info", path}).out, ContainsSubstring(" (deflate, "));
  CHECK_THAT(run_octavo({"plan", path, "--memory", "1GiB", "-v"}).out, ContainsSubstring(", deflated to "));
  CHECK(run_octavo({"plan", path, "--memory", "1GiB", "--json"}).json()["compression"] == "deflate");
  CHECK(run_octavo({"verify", path, "--quiet"}).exit_code == 0);
  for (const char* residency : {"device", "streamed", "hybrid"}) {
    CHECK(run_octavo({"train", path, "--epochs", "1", "--residency", residency, "--quiet"}).exit_code == 0);
  }
  CHECK(run_octavo({"export", path, "-o", folder / "out", "--quiet"}).exit_code == 0);
  CHECK(run_octavo({"view", path, "-o", folder / "sheet.png", "--quiet"}).exit_code == 0);
  CHECK(run_octavo({"reindex", path, "-o", folder / "again.h5", "--quiet"}).exit_code == 0);
  CHECK(run_octavo({"info", folder / "again.h5", "--json"}).json()["splits"][0]["compression"] == "deflate");
  CHECK(run_octavo({"pack", "more=" + project_data("digits").string(), "-o", path, "--append", "--compress", "none"})
            .exit_code == 2);
  const Outcome unknown = run_octavo({"pack", project_data("digits").string(), "-o", path, "--compress", "zstd"});
  CHECK(unknown.exit_code == 2);
}

TEST_CASE("files of coded rows are packed and reported and accepted by every verb", "[unit][tools]") {
  const std::string encoding = GENERATE("lp8", "lc8");
  const TemporaryFolder folder;
  const std::string path = folder / "d.h5", plain = folder / "plain.h5";
  write_packed(plain, {smooth_split("train", 200, {3, 32, 32}), smooth_split("test", 50, {3, 32, 32}, 2)});
  REQUIRE(run_octavo({"pack", plain, "-o", path, "--compress", encoding, "--quiet"}).exit_code == 0);
  const auto info = run_octavo({"info", path, "--json"}).json();
  CHECK(info["splits"][0]["compression"] == encoding);
  CHECK(info["splits"][0]["stored_bytes"] < info["splits"][0]["packed_bytes"]);
  CHECK_THAT(run_octavo({"info", path}).out, ContainsSubstring(" (" + encoding + ", "));

  const auto plan = run_octavo({"plan", path, "--memory", "1GiB", "--json"}).json();
  const auto& forms = plan["forms"];
  REQUIRE(forms.size() == 4);
  CHECK(forms[3]["name"] == encoding);
  CHECK(forms[3]["sample_bytes"] < forms[2]["sample_bytes"]);
  const std::string text = run_octavo({"plan", path, "--memory", "1GiB", "-v"}).out;
  CHECK_THAT(text, ContainsSubstring("samples, " + encoding));
  CHECK_THAT(text, ContainsSubstring(", compressed to "));

  const auto before = run_octavo({"plan", plain, "--memory", "1GiB", "--json"}).json();
  CHECK(before["repacks"][encoding == "lp8" ? 0 : 1]["sample_bytes"] == forms[3]["sample_bytes"]);
  CHECK_THAT(run_octavo({"plan", plain, "--memory", "1GiB", "-v"}).out,
             ContainsSubstring(encoding + " repacked") &&
                 ContainsSubstring(encoding + " by 200 encoded samples: standard error 0.0 %") &&
                 ContainsSubstring("octavo repack FILE -o NEW --compress " + encoding + " takes less than a minute"));

  const auto report = run_octavo({"report", path, "--html", folder / "page.html", "--json"}).json();
  CHECK(report["residencies"][2]["name"] == encoding);
  CHECK(report["residencies"][2]["computed_bytes"] < report["residencies"][0]["computed_bytes"]);
  std::ifstream page(folder / "page.html");
  CHECK_THAT(std::string(std::istreambuf_iterator<char>(page), {}), ContainsSubstring(encoding + " (Octavo)"));

  CHECK(run_octavo({"verify", path, "--quiet"}).exit_code == 0);
  for (const char* residency : {"device", "streamed", "hybrid"}) {
    CHECK(run_octavo({"train", path, "--epochs", "1", "--residency", residency, "--quiet"}).exit_code == 0);
  }
  CHECK(run_octavo({"export", path, "-o", folder / "out", "--quiet"}).exit_code == 0);
  CHECK(run_octavo({"view", path, "-o", folder / "sheet.png", "--quiet"}).exit_code == 0);
}

TEST_CASE("repack and reindex keep the samples of coded rows", "[unit][tools]") {
  const std::string encoding = GENERATE("lp8", "lc8");
  const TemporaryFolder folder;
  const std::string plain = folder / "plain.h5", coded = folder / "coded.h5";
  write_packed(plain, {smooth_split("train", 200, {3, 32, 32}), masked_split("val", 20, {1, 9, 21})});
  const auto overview = [](const std::string& path) { return run_octavo({"info", path, "--json"}).json(); };
  const auto digests = [&](const std::string& path) { return overview(path)["provenance"]["source_digests"]; };
  REQUIRE(run_octavo({"repack", plain, "-o", coded, "--compress", encoding, "--quiet"}).exit_code == 0);
  CHECK(overview(coded)["splits"][0]["compression"] == encoding);
  CHECK(digests(coded) == digests(plain));
  for (const char* verb : {"repack", "reindex"}) {
    const std::string again = folder / (std::string(verb) + ".h5");
    REQUIRE(run_octavo({verb, coded, "-o", again, "--quiet"}).exit_code == 0);
    CHECK(overview(again)["splits"][0]["compression"] == encoding);
    CHECK(digests(again) == digests(plain));
    CHECK(run_octavo({"verify", again, "--quiet"}).exit_code == 0);
  }
  REQUIRE(run_octavo({"repack", coded, "-o", folder / "back.h5", "--compress", "none", "--quiet"}).exit_code == 0);
  CHECK(overview(folder / "back.h5")["splits"][0]["compression"] == "none");
  CHECK(digests(folder / "back.h5") == digests(plain));
}

TEST_CASE("packing says if compression is useless", "[unit][tools]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_octavo({"pack", project_data("digits").string(), "-o", folder / "d.h5", "--compress", "lp8"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out + outcome.err, ContainsSubstring("hardly shrink with lp8"));
}

TEST_CASE("a dry run reports what would be skipped", "[unit][tools]") {
  const TemporaryFolder folder;
  write_png(folder / "1.png", 6, 4, 10);
  std::ofstream(folder / "list.csv") << "path,label\n1.png,1\n2.png,0\n";
  const std::vector<std::string> command = {"pack", folder / "list.csv", "--dry-run", "--on-error", "skip"};
  CHECK_THAT(run_octavo(command).err, ContainsSubstring("octavo: skipped: list.csv: line 3: the image"));
  auto as_json = command;
  as_json.push_back("--json");
  CHECK(run_octavo(as_json).json()["skipped"][0]["name"] == "list.csv: line 3");
}

TEST_CASE("limits on sources can be raised and lowered", "[unit][tools]") {
  const TemporaryFolder folder;
  write_pets(folder / "pets");  // images of 24 pixels
  const Outcome refused = run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--max-pixels", "23", "--quiet"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.is_one_line_error());
  CHECK_THAT(refused.err, ContainsSubstring("at most 23 are read") && ContainsSubstring("--max-pixels"));
  CHECK(run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--max-pixels", "24", "--quiet"}).exit_code == 0);
  CHECK(run_octavo({"pack", folder / "pets", "-o", folder / "p.h5", "--max-ratio", "0"}).exit_code == 2);
}

TEST_CASE("info reports the original image sizes and outliers", "[unit][tools]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 12; ++i) write_png(folder / "images" / (std::to_string(i) + ".png"), 20, 20, 10);
  write_png(folder / "images" / "long.png", 120, 6, 10);
  REQUIRE(run_octavo({"pack", folder / "images", "-o", folder / "i.h5", "--size", "8x8", "--quiet"}).exit_code == 0);
  const auto sizes = run_octavo({"info", folder / "i.h5", "--json"}).json()["provenance"]["notes"]["source_sizes"];
  REQUIRE(sizes.size() == 1);
  CHECK(sizes[0]["images"] == 13);
  CHECK(sizes[0]["median"] == "20x20");
  CHECK(sizes[0]["largest"] == "6x120");
  CHECK(sizes[0]["enlarged"] == 1);
  CHECK(sizes[0]["first_outliers"] == nlohmann::ordered_json::parse(R"([{"name":"long.png","size":"6x120"}])"));
  CHECK_THAT(run_octavo({"info", folder / "i.h5"}).out, ContainsSubstring("6x120  long.png"));
  // The sizes stay with the split when another one is added or when it is renamed, but not with a part of it.
  std::filesystem::rename(folder / "images" / "long.png", folder / "images" / "longer.png");
  REQUIRE(run_octavo({"pack", "val=" + (folder / "images").string(), "-o", folder / "i.h5", "--append", "--size", "8x8",
                      "--quiet"})
              .exit_code == 0);
  const std::string both = run_octavo({"info", folder / "i.h5"}).out;
  CHECK_THAT(both, ContainsSubstring("6x120  long.png") && ContainsSubstring("6x120  longer.png"));
  run_octavo({"repack", "x=" + (folder / "i.h5").string() + "::val", "-o", folder / "x.h5", "--quiet"});
  CHECK_THAT(run_octavo({"info", folder / "x.h5"}).out,
             ContainsSubstring("images of x") && ContainsSubstring("longer"));
  // A merged split has the sizes of each part.
  const std::vector<std::string> twice = {"repack",
                                          "x=" + (folder / "i.h5").string() + "::val",
                                          "x=" + (folder / "i.h5").string() + "::train",
                                          "-o",
                                          folder / "xx.h5",
                                          "--quiet"};
  REQUIRE(run_octavo(twice).exit_code == 0);
  run_octavo({"repack", folder / "xx.h5", "-o", folder / "xy.h5", "--quiet"});
  CHECK_THAT(run_octavo({"info", folder / "xy.h5"}).out,
             ContainsSubstring("6x120  long.png") && ContainsSubstring("6x120  longer.png"));
  run_octavo({"repack", folder / "i.h5", "-o", folder / "y.h5", "--limit", "3", "--quiet"});
  CHECK_THAT(run_octavo({"info", folder / "y.h5"}).out, !ContainsSubstring("images of train"));
  run_octavo({"repack", folder / "i.h5", "-o", folder / "z.h5", "--limit", "30", "--quiet"});
  CHECK_THAT(run_octavo({"info", folder / "z.h5"}).out, ContainsSubstring("images of train"));
}

TEST_CASE("info reports which classes have few samples", "[unit][tools]") {
  const TemporaryFolder folder;
  // 40 samples each of classes 0, 1 and 4; 3 of class 2; none of class 3.
  std::string labels;
  for (const auto& [label, count] : {std::pair(0, 40), {1, 40}, {2, 3}, {4, 40}}) {
    labels += std::string(static_cast<std::size_t>(count), static_cast<char>(label));
  }
  const std::size_t count = labels.size();  // 123: one byte
  std::ofstream(folder / "train-images-idx3-ubyte") << std::string("\0\0\x08\3\0\0\0", 7) << static_cast<char>(count)
                                                    << std::string("\0\0\0\1\0\0\0\1", 8) << std::string(count, 'x');
  std::ofstream(folder / "train-labels-idx1-ubyte")
      << std::string("\0\0\x08\1\0\0\0", 7) << static_cast<char>(count) << labels;
  REQUIRE(run_octavo({"pack", folder.path(), "-o", folder / "a.h5", "--quiet"}).exit_code == 0);
  const auto outliers = run_octavo({"info", folder / "a.h5", "--json"}).json()["label_outliers"];
  REQUIRE(outliers.size() == 1);
  CHECK(outliers[0]["median_class_count"] == 40);
  CHECK(outliers[0]["rare_classes"] == nlohmann::ordered_json::parse("[2]"));
  CHECK(outliers[0]["frequent_classes"].empty());
  CHECK_THAT(run_octavo({"info", folder / "a.h5"}).out,
             ContainsSubstring("fewer than a tenth of the median (40 samples): 1 class (2)"));
  // Classes are shown by their names; the doctor prints the same text.
  std::ofstream(folder / "names.txt") << "ant\nbee\ncat\ndog\nelk\n";
  REQUIRE(run_octavo({"pack", folder.path(), "-o", folder / "b.h5", "--classes", folder / "names.txt", "--quiet"})
              .exit_code == 0);
  const std::string expected =
      "no samples: 1 class (dog); fewer than a tenth of the median (40 samples): 1 class (cat)";
  CHECK_THAT(run_octavo({"info", folder / "b.h5"}).out, ContainsSubstring(expected));
  CHECK_THAT(run_octavo({"doctor", folder / "b.h5"}).out, ContainsSubstring("labels of train: " + expected));
}

TEST_CASE("info tells the sources of one split apart", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) {
    write_png(folder / name / "1.png", 6, 4, 10);
    std::ofstream(folder / (name + "/list.csv")) << "path,label\n1.png,1\n";
  }
  std::ofstream(folder / "b/list.csv", std::ios::app) << "1.png,0\n";
  REQUIRE(
      run_octavo({"pack", folder / "a/list.csv", folder / "b/list.csv", "-o", folder / "a.h5", "--quiet"}).exit_code ==
      0);
  CHECK_THAT(run_octavo({"info", folder / "a.h5"}).out,
             ContainsSubstring("images of train, source 1 (1)") && ContainsSubstring("images of train, source 2 (2)"));
}

TEST_CASE("labels in another file are named after the images", "[unit][tools]") {
  const TemporaryFolder folder;
  const auto npy = [](const std::string& shape, const std::string& data) {
    const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + ")}";
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + data;
  };
  std::ofstream(folder / "x.npy", std::ios::binary) << npy("2, 1, 2", "abcd");
  std::ofstream(folder / "y.npy", std::ios::binary) << npy("2,", "\5\6");
  // A MATLAB 5 file with X of 2 x 2 x 1 x 2 and y of 1 x 2.
  const auto word = [](int number) { return std::string({static_cast<char>(number), '\0', '\0', '\0'}); };
  const auto element = [&](int type, const std::string& data) {
    return word(type) + word(static_cast<int>(data.size())) + data + std::string((8 - data.size() % 8) % 8, '\0');
  };
  const auto variable = [&](const std::string& name, const std::string& axes, const std::string& data) {
    return element(14, element(6, word(9) + word(0)) + element(5, axes) + element(1, name) + element(2, data));
  };
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  std::ofstream(folder / "m.mat", std::ios::binary)
      << header << std::string("\x00\x01IM", 4) << variable("X", word(2) + word(2) + word(1) + word(2), "abcdefgh")
      << variable("y", word(1) + word(2), "\7\x08");
  const auto labels_of = [&](const std::string& source) {
    const Outcome outcome = run_octavo({"pack", source, "-o", folder / "o.h5", "--force", "--quiet"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const auto split = octavo::Dataset::open(folder / "o.h5").split("new");
    std::vector<std::int32_t> labels(2);
    split.read_labels(0, 2, std::as_writable_bytes(std::span(labels)));
    return labels;
  };
  const std::string x = "new=" + (folder / "x.npy").string(), m = "new=" + (folder / "m.mat").string();
  const std::string at_y = "::" + (folder / "y.npy").string(), at_m = "::" + (folder / "m.mat").string();
  CHECK(labels_of(x + at_y) == std::vector<std::int32_t>{5, 6});
  CHECK(labels_of(x + at_m + "::y") == std::vector<std::int32_t>{7, 8});
  CHECK(labels_of(m + "::X" + at_y) == std::vector<std::int32_t>{5, 6});
  CHECK(labels_of(m + "::X" + at_m + "::y") == std::vector<std::int32_t>{7, 8});
  CHECK(labels_of(m + "::X::y") == std::vector<std::int32_t>{7, 8});
}

TEST_CASE("a range for bytes is refused", "[unit][tools]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_octavo({"pack", project_data("digits").string(), "-o", folder / "d.h5", "--range", "0,100"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("a range applies only to values that are not bytes") &&
                              ContainsSubstring("omit --range"));
}

TEST_CASE("the compression is chosen by the memory, and values are rounded on request", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string digits = project_data("digits").string();
  const auto pack = [&](const std::string& name, std::vector<std::string> options) {
    options.insert(options.begin(), {"pack", digits, "-o", folder / name});
    return run_octavo(options);
  };
  const auto fits = pack("a.h5", {"--compress", "auto", "--memory", "1GiB"});
  CHECK_THAT(fits.out, ContainsSubstring("compression: none, the fastest that fits in 1.0 GiB (estimates: none "));
  const auto rounded = pack("b.h5", {"--compress", "auto", "--memory", "1GiB", "--max-error", "2"});
  CHECK_THAT(rounded.out, ContainsSubstring("compression: lp8"));
  CHECK_THAT(rounded.out, ContainsSubstring("rounded to multiples of 5 (largest error 2, PSNR "));
  CHECK_THAT(run_octavo({"info", folder / "b.h5"}).out, ContainsSubstring("(lp8 with max error 2, "));
  CHECK_THAT(run_octavo({"report", folder / "b.h5", "--device", "cpu"}).out,
             ContainsSubstring(", lossy: largest error 2, PSNR "));
  CHECK(run_octavo({"verify", folder / "b.h5"}).exit_code == 0);
  // All encodings are fast enough.
  CHECK_THAT(pack("d.h5", {"--compress", "auto", "--model-speed", "1"}).out,
             ContainsSubstring("the smallest that the processors of this machine decode at 1 samples/s (estimates: "));

  const auto memory = pack("c.h5", {"--memory", "1GiB"});
  CHECK(memory.exit_code == 2);
  CHECK_THAT(memory.err, ContainsSubstring("--memory is used only with --compress auto; add it, or omit --memory"));
  const auto speed = pack("c.h5", {"--model-speed", "100"});
  CHECK(speed.exit_code == 2);
  CHECK_THAT(speed.err, ContainsSubstring("--model-speed is used only with --compress auto"));
  CHECK(pack("c.h5", {"--compress", "auto", "--model-speed", "-1"}).exit_code == 2);
  CHECK_THAT(pack("c.h5", {"--max-error", "1"}).err, ContainsSubstring("choose --compress lp8 or lc8"));
  CHECK(pack("c.h5", {"--compress", "lp8", "--max-error", "4"}).exit_code == 2);
  CHECK_THAT(run_octavo({"repack", folder / "a.h5", "-o", folder / "c.h5", "--max-error", "1"}).err,
             ContainsSubstring("files with compression none store values exactly; choose lp8 or lc8"));
  CHECK_FALSE(std::filesystem::exists(folder / "c.h5"));
}
