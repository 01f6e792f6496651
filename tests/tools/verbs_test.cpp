// Runs each verb once on the digits, with text and JSON output.
#include <fstream>
#include <octavo/dataset.hpp>

#include "catch.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"
#include "working_folder.hpp"

using namespace octavo::test;

namespace {

/// Runs a verb with --json. It must succeed, print only the document, and print nothing to stderr.
nlohmann::ordered_json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  return outcome.json();
}

std::string text_of(std::vector<std::string> arguments) {
  arguments.push_back("--quiet");
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

/// Where these bytes are in the file.
std::int64_t place_in_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const auto at = content.find({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  REQUIRE(at != std::string::npos);
  return static_cast<std::int64_t>(at);
}

/// The messages of the dynamic loader about the libraries that a verb loads.
std::string libraries_of(const std::vector<std::string>& arguments) {
  ::setenv("LD_DEBUG", "files", 1);
  const Outcome outcome = run_octavo(arguments);
  ::unsetenv("LD_DEBUG");
  REQUIRE(outcome.exit_code == 0);
  return outcome.err;
}

}  // namespace

TEST_CASE("only training loads a BLAS library", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  CHECK_THAT(libraries_of({"--version"}), ContainsSubstring("libc.so") && !ContainsSubstring("blas"));
  CHECK_THAT(libraries_of({"info", folder / "d.h5"}), !ContainsSubstring("blas"));
  const std::vector<std::string> train = {"train",   folder / "d.h5", "--epochs", "1",
                                          "--model", "softmax",       "--device", "cpu"};
  if (run_octavo(train).exit_code == 0) CHECK_THAT(libraries_of(train), ContainsSubstring("libopenblas"));
}

TEST_CASE("every verb has help", "[unit][tools][plain-only]") {
  const std::string help = run_octavo({"--help"}).out;
  for (const char* verb : {"pack", "info", "verify", "doctor", "report", "bench", "train", "view", "export", "reindex",
                           "repack", "devices"}) {
    CHECK_THAT(help, ContainsSubstring(verb));
    const Outcome outcome = run_octavo({verb, "--help"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK_THAT(outcome.out, ContainsSubstring("--json") && ContainsSubstring("--quiet"));
  }
  CHECK(run_octavo({"--version"}).out == "octavo 0.1.0\n");
}

TEST_CASE("info shows splits and classes and statistics and provenance", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto document = json_of({"info", folder / "d.h5"});
  REQUIRE(document["splits"].size() == 2);
  CHECK(document["splits"][0]["name"] == "train");
  CHECK(document["splits"][0]["sample_count"] == 1437);
  CHECK(document["splits"][0]["shape"] == nlohmann::ordered_json({1, 8, 8}));
  CHECK(document["splits"][0]["float32_bytes"] == 4 * 1437 * 64);
  CHECK(document["splits"][0]["class_counts"].size() == 10);
  CHECK(document["splits"][0]["mean"].size() == 1);
  CHECK(document["provenance"]["format"] == "idx");
  CHECK(document["provenance"]["command_line"].get<std::string>().starts_with("octavo pack "));
  const std::string uuid = document["uuid"].get<std::string>();
  const std::string summary = (folder / "d.h5").string() + ": 1,797 samples of 1x8x8 in 2 splits; ";
  const std::string text = text_of({"info", folder / "d.h5"});
  CHECK(text.starts_with(summary));
  CHECK_THAT(text, ContainsSubstring("1,437") && !ContainsSubstring("Provenance") && !ContainsSubstring(uuid));
  CHECK_THAT(text_of({"info", folder / "d.h5", "--verbose"}),
             ContainsSubstring("dataset mean) / 128") && ContainsSubstring("Provenance") && ContainsSubstring(uuid));
}

TEST_CASE("verify reports an intact file or names the defect and exits with 1", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto document = json_of({"verify", folder / "d.h5"});
  CHECK(document["whole"] == true);
  CHECK(document["checked_samples"] == 1797);
  CHECK_THAT(text_of({"verify", folder / "d.h5"}), ContainsSubstring("is intact: 1,797 samples"));

  damage_sample(folder / "d.h5");
  const Outcome outcome = run_octavo({"verify", folder / "d.h5", "--json", "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
  CHECK(outcome.json()["whole"] == false);
  CHECK(outcome.json()["defect_count"].get<int>() >= 1);
  CHECK_THAT(run_octavo({"verify", folder / "d.h5", "--quiet"}).out, ContainsSubstring("sample"));
}

TEST_CASE("verify names one remedy for each kind of damage", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string path = folder / "d.h5";
  pack_digits(path);
  const auto flip_byte = [&](std::int64_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 1));
  };
  std::string remedy;
  SECTION("a label that another program edited") {
    // The labels of the 1,437 samples of train: the digits 0 to 9, repeated, as int32.
    const auto before = octavo::Dataset::open(path).split("train");
    std::vector<std::int32_t> labels(1437);
    before.read_labels(0, 1437, std::as_writable_bytes(std::span(labels)));
    flip_byte(place_in_file(path, std::as_bytes(std::span(labels))));
    remedy =
        "; if you changed samples or labels with another program, keep the changes with `octavo reindex "
        "--accept-changes`; otherwise restore the file from a copy\n";
  }
  SECTION("a damaged provenance") {
    const std::string text = "\"sources\":";
    flip_byte(place_in_file(path, std::as_bytes(std::span(text))));
    remedy = "; the samples are intact; rebuild the file with `octavo reindex`\n";
  }
  SECTION("a damaged header") {
    flip_byte(8);
    remedy =
        ": its header is damaged (its hash does not match); get the file again, or if another program changed it, "
        "rebuild it with `octavo reindex`\n";
  }
  const Outcome outcome = run_octavo({"verify", path, "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
  INFO(outcome.out);
  CHECK_THAT(outcome.err, ContainsSubstring(remedy));
  // Damage after which nothing else can be read is printed once.
  CHECK(outcome.out.empty() == (remedy[0] == ':'));
}

TEST_CASE("verify checks several files and names damaged samples by their files", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* name : {"cat/1.png", "dog/2.png"}) write_png(folder / "pets" / name, 6, 4, 30);
  const std::string bad = folder / "bad.h5", good = folder / "good.h5", none = folder / "none.h5";
  for (const std::string& file : {bad, good}) {
    REQUIRE(run_octavo({"pack", folder / "pets", "-o", file, "--quiet"}).exit_code == 0);
  }
  const auto split = octavo::Dataset::open(bad).split("train");
  std::vector<std::int8_t> codes(static_cast<std::size_t>(split.sample_count() * split.shape().values()));
  split.read(0, split.sample_count(), codes);
  {
    std::fstream file(bad, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(place_in_file(bad, std::as_bytes(std::span(codes))));
    file.put('\x55');
  }
  const Outcome outcome = run_octavo({"verify", bad, none, good, "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.out,
             ContainsSubstring(bad + ": /train/images sample 0 (\"" + *split.sample_name(0) + "\"): its") &&
                 ContainsSubstring(good + " is intact"));
  CHECK_THAT(outcome.err, ContainsSubstring("verify \"" + bad + "\": 1 defect") && ContainsSubstring("none.h5"));
  const auto document = run_octavo({"verify", bad, none, good, "--quiet", "--json"}).json();
  CHECK(document["whole"] == false);
  CHECK(document["files"].size() == 3);
  CHECK(document["files"][0]["defects"][0]["sample_name"] == *split.sample_name(0));
  CHECK_THAT(document["files"][1]["error"].get<std::string>(), ContainsSubstring("none.h5"));
  CHECK(document["files"][2]["whole"] == true);
  CHECK(run_octavo({"verify", good, good, "--quiet"}).exit_code == 0);
}

TEST_CASE("report measures", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto document = json_of({"report", folder / "d.h5", "--device", "cpu", "--batch-size", "64"});
  CHECK(document["device"] == "cpu");
  CHECK(document["sample_count"] == 1437);
  const std::string text = text_of({"report", folder / "d.h5", "--device", "cpu"});
  CHECK(text.starts_with("d.h5: 1,437 samples of 1x8x8 (train) take "));
  CHECK_THAT(text, ContainsSubstring("kept as") && !ContainsSubstring("built-in MLP"));
  CHECK_THAT(text_of({"report", folder / "d.h5", "--device", "cpu", "-v"}), ContainsSubstring("built-in MLP"));
}

TEST_CASE("report writes a page for the browser", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> command = {"report", folder / "d.h5", "--device", "cpu", "--html", folder / "r.html"};
  const std::string text = text_of(command);
  std::ifstream file(folder / "r.html");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK_THAT(text, ContainsSubstring("\nwrote " + (folder / "r.html").string() + ": a page for the browser, "));
  CHECK_THAT(page, ContainsSubstring("1,797"));
  const Outcome again = run_octavo(command);
  CHECK(again.exit_code == 2);
  CHECK(again.is_one_line_error());
  CHECK_THAT(again.err, ContainsSubstring("r.html") && ContainsSubstring("--force"));
}

TEST_CASE("the JSON of a report names the page and its size", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto document = json_of({"report", folder / "d.h5", "--device", "cpu", "--html", folder / "r.html"});
  CHECK(document["page"]["file"] == (folder / "r.html").string());
  CHECK(document["page"]["bytes"] == std::filesystem::file_size(folder / "r.html"));
  CHECK_FALSE(json_of({"report", folder / "d.h5", "--device", "cpu"}).contains("page"));
}

TEST_CASE("info shows the provenance as lines without JSON", "[unit][tools]") {
  const TemporaryFolder folder;
  write_png(folder / "in" / "cat" / "1.png", 6, 4, 10);
  write_png(folder / "in" / "cat" / "2.png", 3, 2, 10);
  std::ofstream(folder / "in" / "cat" / "notes.txt") << "x";
  json_of({"pack", folder / "in", "-o", folder / "d.h5", "--size", "2x2"});
  const std::string text = text_of({"info", folder / "d.h5", "-v"});
  CHECK_THAT(text, ContainsSubstring("command line") && ContainsSubstring("first ignored files: cat/notes.txt"));
  CHECK_THAT(text, !ContainsSubstring("{\"") && !ContainsSubstring("[\"") && !ContainsSubstring("null"));
}

TEST_CASE("a plan for a dataset that fits everywhere has two lines", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> command = {"plan", folder / "d.h5", "--memory", "24GiB"};
  const std::string text = text_of(command);
  CHECK(std::ranges::count(text, '\n') == 2);
  CHECK_THAT(text, ContainsSubstring("all fit on every GPU from 8.0 GiB"));
  CHECK_THAT(text_of({"plan", folder / "d.h5", "--memory", "24GiB", "--verbose"}), ContainsSubstring("H200"));
  // The model leaves no room for float32 samples on the smaller GPUs.
  CHECK_THAT(text_of({"plan", folder / "d.h5", "--memory", "24GiB", "--params", "1000000000"}),
             ContainsSubstring("H200"));
}

TEST_CASE("info, report and plan agree on the bytes of a split with masks", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* const name : {"1", "2", "3"}) {
    write_png(folder / "set/images" / (std::string(name) + ".png"), 6, 4, 10);
    write_png(folder / "set/masks" / (std::string(name) + ".png"), 6, 4, 2, 1);
  }
  const auto packed = json_of({"pack", folder / "set", "-o", folder / "m.h5"});
  // 3 samples of 3x4x6 values and a mask of 4x6.
  const std::int64_t values = 3 * 72, masks = 3 * 24;
  CHECK(packed["splits"][0]["mask_bytes"] == masks);
  const auto info = json_of({"info", folder / "m.h5"})["splits"][0];
  CHECK(info["packed_bytes"] == values);
  CHECK(info["mask_bytes"] == masks);
  const auto report = json_of({"report", folder / "m.h5", "--device", "cpu"})["residencies"];
  const auto plan = json_of({"plan", folder / "m.h5", "--memory", "1GiB"});
  CHECK(plan["packed_bytes"] == values);
  CHECK(plan["mask_bytes"] == masks);
  // Masks are bytes, whatever the type of the values.
  const std::int64_t expected[] = {4 * values + masks, 2 * values + masks, values + masks};
  for (std::size_t form = 0; form < 3; ++form) {
    CHECK(report[form]["computed_bytes"] == expected[form]);
    CHECK(plan["forms"][form]["sample_bytes"] == expected[form]);
  }
  CHECK(plan["parts"][0]["bytes"] == values + masks);
  CHECK_THAT(text_of({"plan", folder / "m.h5", "--memory", "24GiB"}),
             ContainsSubstring("288 B of samples and masks, 936 B as float32"));
  // 288 bytes as int8, 936 as float32.
  CHECK_THAT(text_of({"info", folder / "m.h5"}), ContainsSubstring("936 B") && ContainsSubstring("288 B"));
}

TEST_CASE("info shows the classes of masks and their shares", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const auto& [name, value] : {std::pair("1", 64), std::pair("2", 128), std::pair("3", 128)}) {
    write_png(folder / "set/images" / (std::string(name) + ".png"), 6, 4, 10);
    write_png(folder / "set/masks" / (std::string(name) + "_L.png"), 6, 4, static_cast<std::uint8_t>(value));
  }
  std::ofstream(folder / "colors.txt") << "64 64 64 road\n128 128 128 car\n";
  json_of({"pack", folder / "set", "-o", folder / "m.h5", "--masks", "{stem}_L.png", "--mask-colors",
           folder / "colors.txt"});
  CHECK_THAT(text_of({"info", folder / "m.h5"}), ContainsSubstring("masks, 2 classes") &&
                                                     ContainsSubstring("0 road  33.3 %") &&
                                                     ContainsSubstring("1 car   66.7 %") && !ContainsSubstring("none"));
  const auto classes = json_of({"info", folder / "m.h5"})["splits"][0]["mask_classes"];
  CHECK(classes == nlohmann::ordered_json::parse(
                       R"([{"value": 0, "pixels": 24, "share": 0.3333333333333333, "name": "road"},
                           {"value": 1, "pixels": 48, "share": 0.6666666666666666, "name": "car"}])"));
  CHECK_THAT(text_of({"view", folder / "m.h5", "-o", folder / "m.png"}),
             ContainsSubstring("masks: 0 road 33.3 %, 1 car 66.7 % of the pixels"));
  const auto sheet = json_of({"view", folder / "m.h5", "-o", folder / "b.png", "--batch", "0"});
  CHECK(sheet["masks"][1]["name"] == "car");
  CHECK(sheet["masks"][1]["color"] == "#E69F00");
  CHECK_FALSE(json_of({"view", folder / "m.h5", "-o", folder / "c.png", "--no-masks"}).contains("masks"));
  // The names survive in a file that is made from this one.
  json_of({"repack", folder / "m.h5", "-o", folder / "n.h5"});
  CHECK_THAT(text_of({"info", folder / "n.h5"}), ContainsSubstring("0 road  33.3 %"));
}

TEST_CASE("a color that the file of mask colors lacks stops packing with the sample and the color", "[unit][tools]") {
  const TemporaryFolder folder;
  write_png(folder / "set/images/1.png", 6, 4, 10);
  write_png(folder / "set/masks/1.png", 6, 4, 77);
  std::ofstream(folder / "colors.txt") << "#000000 0\n";
  const Outcome outcome =
      run_octavo({"pack", folder / "set", "-o", folder / "m.h5", "--mask-colors", folder / "colors.txt", "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
  CHECK_THAT(outcome.err, ContainsSubstring("images/1.png") && ContainsSubstring("masks/1.png") &&
                              ContainsSubstring("the color #4D4D4D, which is not in the file"));
  const Outcome wrong = run_octavo({"pack", folder / "set", "-o", folder / "m.h5", "--masks", "of", "--quiet"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, ContainsSubstring(
                            "expected a name such as {stem}_mask.png or img_{stem}=mask_{stem}.png, or auto or off"));
}

TEST_CASE("info shows the distribution of targets and the counts of multi-labels", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* const name : {"a", "b", "c", "d"}) write_png(folder / (std::string(name) + ".png"), 6, 4, 10);
  std::ofstream(folder / "t.csv") << "image,target\na.png,0.5\nb.png,1.5\nc.png,1.5\nd.png,8.5\n";
  json_of({"pack", folder / "t.csv", "-o", folder / "t.h5"});
  CHECK_THAT(text_of({"info", folder / "t.h5"}), ContainsSubstring("Targets") &&
                                                     ContainsSubstring("|= #            =|") &&
                                                     !ContainsSubstring("not finite"));
  const auto targets = json_of({"info", folder / "t.h5"})["splits"][0]["targets"];
  REQUIRE(targets.size() == 1);
  CHECK(targets[0]["min"] == 0.5);
  CHECK(targets[0]["mean"] == 3.0);
  CHECK(targets[0]["max"] == 8.5);
  // Sixteen parts of 0.5: 0.5 is in the first, 1.5 in the third, 8.5 in the last.
  CHECK(targets[0]["histogram"] == nlohmann::ordered_json({1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  std::ofstream(folder / "l.jsonl") << R"({"image": "a.png", "label": [1, 0, 1]})" << '\n'
                                    << R"({"image": "b.png", "label": [1, 0, 0]})" << '\n';
  json_of({"pack", folder / "l.jsonl", "-o", folder / "l.h5"});
  CHECK(json_of({"info", folder / "l.h5"})["splits"][0]["class_counts"] ==
        nlohmann::ordered_json({{"0", 2}, {"2", 1}}));
  CHECK_THAT(text_of({"info", folder / "l.h5"}), ContainsSubstring("Classes"));
}

TEST_CASE("report replaces only HTML files", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::string path = folder / "d.h5";
  const Outcome outcome = run_octavo({"report", path, "--device", "cpu", "--html", path, "--force", "--quiet"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.is_one_line_error());
  CHECK_THAT(outcome.err, ContainsSubstring("ends in .html or .htm"));
  CHECK(octavo::Dataset::open(path).split_names().size() == 2);
}

TEST_CASE("bench measures what fits and relates it to the limits of the same run", "[unit][tools][plain-only][long]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto document = json_of({"bench", folder / "d.h5", "--device", "cpu", "--batch-size", "256,65536"});
  CHECK(document["load"]["bytes"] == 1437 * 64);
  CHECK(document["load"]["read_seconds"].get<double>() > 0.0);
  // Batches of 256 in three types; the file has fewer than 65,536 samples.
  REQUIRE(document["batches"].size() == 3);
  const auto& half = document["batches"][1];
  CHECK(half["dtype"] == "float16");
  CHECK(half["batch_size"] == 256);
  CHECK(half["moved_bytes"] == 256 * (64 + 2 * 64 + 4 + 4));
  CHECK(half["copy_bytes_per_second"].get<double>() > 0.0);
  CHECK(half["lowest_fraction"].get<double>() <= half["fraction_of_copy"].get<double>());
  CHECK(half["fraction_of_copy"].get<double>() <= half["highest_fraction"].get<double>());
  const std::string text = text_of({"bench", folder / "d.h5", "--batch-size", "1,32", "--device", "cpu"});
  CHECK_THAT(text, ContainsSubstring("bfloat16"));
  const std::string summary = text.substr(0, text.find('\n'));
  CHECK(summary.starts_with("d.h5: train loads at "));
  CHECK_THAT(summary, ContainsSubstring("/s; batches of 32 as float32 take ") && ContainsSubstring(" images/s"));
}

TEST_CASE("report distinguishes resized images from source images", "[unit][tools]") {
  const TemporaryFolder folder;
  write_png(folder / "images" / "1.png", 6, 4, 10);
  text_of({"pack", folder / "images", "-o", folder / "i.h5", "--size", "3x3"});
  CHECK_THAT(text_of({"report", folder / "i.h5", "--device", "cpu", "--verbose"}),
             ContainsSubstring("lossless with respect to the converted images that were packed (the digest stored") &&
                 ContainsSubstring("as float32, lossless after resizing\n") &&
                 ContainsSubstring("too small to measure memory well"));
}

TEST_CASE("view draws samples and batches", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::string sheet = folder / "sheet.png";
  CHECK(json_of({"view", folder / "d.h5", "-o", sheet, "--split", "test", "--count", "12", "--columns",
                 "4"})["split"] == "test");
  const auto samples_bytes = std::filesystem::file_size(sheet);
  const auto document =
      json_of({"view", folder / "d.h5", "-o", sheet, "--batch", "2", "--epoch", "1", "--batch-size", "16", "--force"});
  CHECK(document["batch"] == 2);
  CHECK(std::filesystem::file_size(sheet) != samples_bytes);
  CHECK_THAT(text_of({"view", folder / "d.h5", "-o", sheet, "--force"}), ContainsSubstring("sheet.png"));
  CHECK(run_octavo({"view", folder / "d.h5", "-o", sheet, "--seed", "3"}).exit_code == 2);
}

TEST_CASE("view lists what the augmentation of a batch drew", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> arguments = {
      "view", folder / "d.h5", "-o", folder / "sheet.png", "--step",        "2",      "--epoch", "1", "--count",
      "4",    "--seed",        "7",  "--augment",          "crop:1,flip:1", "--list", "--force"};
  CHECK_THAT(text_of(arguments), ContainsSubstring("RandomCrop(padding=1), HorizontalFlip(probability=1)") &&
                                     ContainsSubstring("flip_x") && ContainsSubstring("crop top="));
  std::vector<std::string> as_json = arguments;
  as_json.push_back("--json");
  const auto document = run_octavo(as_json).json();
  REQUIRE(document["samples"].size() == 4);
  CHECK(document["samples"][0]["views"][0][1]["step"] == "flip_x");
  CHECK(document["samples"][0]["class"].get<std::string>().size() == 1);
  const Outcome unknown =
      run_octavo({"view", folder / "d.h5", "-o", folder / "x.png", "--step", "0", "--augment", "spin"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, ContainsSubstring("parse the operation \"spin\": it is unknown; expected flip,"));
}

TEST_CASE("view shows the batches of a recipe", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  // Far behind the last batch of the recipe's own size.
  std::vector<std::string> arguments = {"view", folder / "d.h5", "-o",     folder / "r.png", "--step",
                                        "90",   "--recipe",      "simclr", "--batch-size",   "5"};
  CHECK_THAT(text_of(arguments), ContainsSubstring("RandomResizedCrop(size="));
  arguments.insert(arguments.end(), {"--augment", "flip"});
  const Outcome both = run_octavo(arguments);
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, ContainsSubstring("--augment excludes --recipe"));
}

TEST_CASE("view replaces a sheet only with --force and never a file of another kind", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  text_of({"view", folder / "d.h5", "-o", folder / "sheet.png"});
  const Outcome refused = run_octavo({"view", folder / "d.h5", "-o", folder / "sheet.png"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("the file exists") && ContainsSubstring("--force"));
  const Outcome misnamed = run_octavo({"view", folder / "d.h5", "-o", folder / "d.h5", "--force"});
  CHECK(misnamed.exit_code == 2);
  CHECK_THAT(misnamed.err, ContainsSubstring("ends in .png"));
  CHECK(json_of({"verify", folder / "d.h5"})["whole"] == true);
}

TEST_CASE("the bands of an image are packed, drawn and exported", "[unit][tools]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "c");
  std::ofstream(folder / "c/x.pam", std::ios::binary) << "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nENDHDR\nabcdefgh";
  CHECK_THAT(text_of({"pack", folder.path(), "-o", folder / "d.h5"}), ContainsSubstring("4x1x2  other"));
  CHECK_THAT(text_of({"view", folder / "d.h5", "-o", folder / "d.png"}),
             ContainsSubstring("1 sample of split train, starting at index 0, the first of 4 channels\n"));
  CHECK_THAT(run_octavo({"export", folder / "d.h5", "-o", folder / "png"}).err, ContainsSubstring("export as npy"));
  text_of({"export", folder / "d.h5", "-o", folder / "npy", "--as", "npy"});
  text_of({"report", folder / "d.h5", "--html", folder / "d.html"});
}

TEST_CASE("view names its file after the dataset", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const WorkingFolder inside(folder.path());
  CHECK(text_of({"view", "d.h5"}) == "d.png: 100 samples of split train, starting at index 0\n");
  CHECK(text_of({"view", folder / "d.h5", "--batch", "3"}) == "d-batch3.png: batch 3 of epoch 0, split train\n");
  CHECK(std::filesystem::exists(folder / "d.png"));
  CHECK(std::filesystem::exists(folder / "d-batch3.png"));
  const Outcome again = run_octavo({"view", "d.h5"});
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, ContainsSubstring("\"d.png\": the file exists") && ContainsSubstring("--force"));
  CHECK(json_of({"view", "d.h5", "--force"})["file"] == "d.png");
}

TEST_CASE("view shows the samples of classes and those with given indices", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* name : {"cat", "dog", "small, wild owl"}) {
    std::filesystem::create_directories(folder / "pets" / name);
    for (int i = 0; i < 3; ++i) {
      write_png(folder / "pets" / name / (std::to_string(i) + ".png"), 8, 8, static_cast<std::uint8_t>(40 * i));
    }
  }
  text_of({"pack", folder / "pets", "-o", folder / "p.h5"});
  const std::vector<std::string> view = {"view", folder / "p.h5", "-o", folder / "sheet.png", "--force"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), view.begin(), view.end());
    return words;
  };
  const auto classes = [&](std::vector<std::string> words) {
    words.push_back("--list");
    const auto document = json_of(with(words));
    std::string names;
    for (const auto& sample : document["samples"]) names += sample["class"].get<std::string>().substr(0, 1);
    return names;
  };
  CHECK(classes({"--class", "dog"}) == "ddd");
  CHECK(classes({"--class", "cat,1"}) == "cccddd");
  CHECK(classes({"--class", "cat", "--class", "small, wild owl"}) == "cccsss");
  CHECK(classes({"--class", "2", "--count", "2"}) == "ss");
  CHECK(classes({"--indices", "8,0,4"}) == "scd");
  CHECK_THAT(
      text_of(with({"--indices", "8,0", "--list"})),
      ContainsSubstring("sheet.png: 2 samples of split train\n  index  class            name\n") &&
          ContainsSubstring("      8  small, wild owl  small, wild owl/2.png\n      0  cat              cat/0.png\n"));
  CHECK(json_of(with({"--class", "dog"})).contains("samples") == false);
  const auto refusal = [&](std::vector<std::string> words) {
    const Outcome outcome = run_octavo(with(std::move(words)));
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.is_one_line_error());
    return outcome.err;
  };
  CHECK_THAT(refusal({"--class", "foo"}),
             ContainsSubstring("unknown class \"foo\" of split train; expected cat, dog or small, wild owl"));
  CHECK_THAT(refusal({"--indices", "9"}), ContainsSubstring("split train has 9 samples, counted from 0"));
  refusal({"--class", "dog", "--batch", "0"});
  refusal({"--indices", "1", "--batch", "0"});
  refusal({"--indices", "1", "--class", "dog"});
  refusal({"--indices", "1", "--first", "1"});
}

TEST_CASE("view draws class names unless told otherwise", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* name : {"cat", "dog"}) {
    std::filesystem::create_directories(folder / "pets" / name);
    write_png(folder / "pets" / name / "1.png", 8, 8, 40);
  }
  text_of({"pack", folder / "pets", "-o", folder / "p.h5"});
  text_of({"view", folder / "p.h5", "-o", folder / "with.png"});
  text_of({"view", folder / "p.h5", "-o", folder / "without.png", "--no-captions"});
  CHECK(std::filesystem::file_size(folder / "with.png") != std::filesystem::file_size(folder / "without.png"));
}

TEST_CASE("an export can be packed again with the same result", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  CHECK(json_of({"export", folder / "d.h5", "-o", folder / "images"})["sample_count"] == 1797);
  json_of({"pack", folder / "images", "-o", folder / "again.h5"});
  const auto before = json_of({"info", folder / "d.h5"});
  const auto after = json_of({"info", folder / "again.h5"});
  CHECK(after["splits"] == before["splits"]);
  CHECK(after["classes"] == before["classes"]);
  const auto packed = octavo::Dataset::open(folder / "d.h5").split("test");
  const auto again = octavo::Dataset::open(folder / "again.h5").split("test");
  std::vector<std::int8_t> codes(360 * 64), codes_again(360 * 64);
  packed.read(0, 360, codes);
  again.read(0, 360, codes_again);
  CHECK(codes == codes_again);

  CHECK_THAT(text_of({"export", folder / "d.h5", "-o", folder / "arrays", "--as", "npy"}),
             ContainsSubstring("1,797 samples in 2 splits"));
  CHECK(names_in(folder / "arrays") ==
        std::vector<std::string>{"test-images.npy", "test-labels.npy", "train-images.npy", "train-labels.npy"});
}

TEST_CASE("exporting reports what is not written", "[unit][tools]") {
  const TemporaryFolder folder;
  // int32 [2,2,2], quantized to bytes with a range of 0,7.
  std::string bytes("\0\0\x0C\3\0\0\0\2\0\0\0\2\0\0\0\2", 16);
  for (char i = 0; i < 8; ++i) bytes += std::string(3, '\0') + i;
  std::ofstream(folder / "x-images-idx3-int", std::ios::binary) << bytes;
  json_of({"pack", folder / "x-images-idx3-int", "-o", folder / "x.h5", "--range", "0,7"});
  CHECK_THAT(text_of({"export", folder / "x.h5", "-o", folder / "x", "--as", "npy"}),
             ContainsSubstring("note: the export has the stored bytes") && !ContainsSubstring("class names"));
  write_png(folder / "pets" / "cat" / "1.png", 6, 4, 10);
  json_of({"pack", folder / "pets", "-o", folder / "p.h5"});
  CHECK_THAT(text_of({"export", folder / "p.h5", "-o", folder / "npy", "--as", "npy"}),
             ContainsSubstring("note: arrays do not store class names") && !ContainsSubstring("stored bytes"));
  CHECK_THAT(text_of({"export", folder / "p.h5", "-o", folder / "png"}), !ContainsSubstring("note:"));
  std::ofstream(folder / "pets" / "cat" / "list.csv") << "file_name,age,sex\n1.png,3,f\n";
  json_of({"pack", folder / "pets" / "cat" / "list.csv", "-o", folder / "c.h5", "--label-column", "age", "--columns",
           "sex"});
  CHECK_THAT(text_of({"export", folder / "c.h5", "-o", folder / "columns", "--as", "npy"}),
             ContainsSubstring("note: arrays do not store the column sex; export PNG images to keep them"));
  CHECK(json_of({"export", folder / "p.h5", "-o", folder / "again", "--as", "npy"})["notes"] ==
        nlohmann::ordered_json::array({"arrays do not store class names; export PNG images to keep them"}));
}

TEST_CASE("reindex writes a file that verify finds intact", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto document = json_of({"reindex", folder / "d.h5", "-o", folder / "new.h5"});
  CHECK(document["sample_count"] == 1797);
  CHECK(document["changed_samples"] == 0);
  CHECK(json_of({"verify", folder / "new.h5"})["whole"] == true);
  CHECK_THAT(text_of({"reindex", folder / "d.h5", "-o", folder / "new.h5", "--force"}),
             !ContainsSubstring("not copied"));
  const Outcome onto_itself = run_octavo({"reindex", folder / "d.h5", "-o", folder / "d.h5", "--force", "--quiet"});
  CHECK(onto_itself.exit_code == 2);
  CHECK_THAT(onto_itself.err, ContainsSubstring("is the same file"));
}

TEST_CASE("devices lists the CPU first", "[unit][tools][plain-only]") {
  const auto document = json_of({"devices"});
  CHECK(document["devices"][0]["device"] == "cpu");
  CHECK(document["devices"][0]["total_bytes"].get<std::int64_t>() > 0);
  CHECK(document["devices"][0]["free_bytes"].get<std::int64_t>() > 0);
  CHECK(document["devices"][0]["problem"].is_null());
  CHECK(document["cuda_problem"].is_string() == (document["best"] == "cpu"));
  CHECK(document["backends"].size() >= 1);
  CHECK_THAT(text_of({"devices"}), ContainsSubstring("cpu"));
}

TEST_CASE("repack refuses its own output and repeated files among its sources", "[unit][tools]") {
  const TemporaryFolder folder;
  write_png(folder / "pets/cat/1.png", 6, 4, 10);
  write_png(folder / "wide/cat/1.png", 8, 4, 10);
  json_of({"pack", "train=" + (folder / "pets").string(), "-o", folder / "a.h5"});
  json_of({"pack", "val=" + (folder / "wide").string(), "-o", folder / "b.h5"});
  const auto refusal = [](std::vector<std::string> words) {
    words.emplace_back("--quiet");
    const Outcome outcome = run_octavo(words);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.is_one_line_error());
    return outcome.err;
  };
  CHECK_THAT(
      refusal({"repack", folder / "a.h5", folder / "b.h5", "-o", folder / "b.h5", "--force", "--allow-mismatch"}),
      ContainsSubstring("it is also one of the 2 sources; remove it from the sources"));
  for (const std::string again : {"/a.h5", "/./a.h5", "/a.h5::train"}) {
    CHECK_THAT(refusal({"repack", folder / "a.h5", folder.path().string() + again, "-o", folder / "c.h5"}),
               ContainsSubstring("is given twice; give each source once"));
  }
  CHECK_THAT(refusal({"pack", "train=" + (folder / "pets").string(), "val=" + (folder / "pets").string(), "-o",
                      folder / "c.h5"}),
             ContainsSubstring("is given twice; give each source once"));
  // A new version of one file is no accident.
  json_of({"repack", folder / "a.h5", "-o", folder / "a.h5", "--force", "--compress", "deflate"});
  // The remedies exist.
  CHECK_THAT(refusal({"repack", folder / "a.h5", folder / "b.h5", "-o", folder / "c.h5"}),
             ContainsSubstring("convert them with `octavo pack`, which has --size and --channels, or accept this with "
                               "--allow-mismatch"));
  json_of({"repack", folder / "a.h5", folder / "b.h5", "-o", folder / "c.h5", "--allow-mismatch", "--no-names"});
  CHECK_FALSE(octavo::Dataset::open(folder / "c.h5").split("val").sample_name(0));
}

TEST_CASE("repack names the samples that it skips", "[unit][tools]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 9; ++i) write_png(folder / "pets/cat" / (std::to_string(i) + ".png"), 64, 64, 10);
  json_of({"pack", folder / "pets", "-o", folder / "a.h5"});
  damage_sample(folder / "a.h5");
  const Outcome outcome =
      run_octavo({"repack", folder / "a.h5", "-o", folder / "b.h5", "--on-error", "skip", "--quiet"});
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("octavo: skipped: a.h5:train#6 (cat/6.png): "));
}

TEST_CASE("the units of plan are checked", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto parts = [&](const char* option, const std::string& value) {
    return json_of({"plan", folder / "d.h5", "--memory", "24gb", option, value})["parts"];
  };
  CHECK(parts("--params", "25.6M") == parts("--params", "25600000"));
  CHECK(parts("--activations", "90mib") == parts("--activations", "94371840"));
  const auto refusal = [&](const char* option, const char* value) {
    return run_octavo({"plan", folder / "d.h5", option, value}).err;
  };
  CHECK_THAT(refusal("--activations", "90"), ContainsSubstring("\"90\" has no unit; write 90MiB, or 90B for bytes"));
  for (const char* value : {"many", "-3", "1.5", "25.6Mi", "1e30", ""}) {
    CAPTURE(value);
    if (*value != '\0') CHECK_THAT(refusal("--params", value), ContainsSubstring("expected a number such as 25600000"));
  }
}

TEST_CASE("info shows small statistics with significant digits", "[unit][tools]") {
  const TemporaryFolder folder;
  std::vector<float> values(4 * 16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 8) * 1e-9f;
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4, 4), }\n";
  std::ofstream(folder / "train.npy", std::ios::binary)
      << std::string("\x93NUMPY\x01\0", 8) << static_cast<char>(header.size()) << '\0' << header << bytes;
  json_of({"pack", folder / "train.npy", "-o", folder / "a.h5", "--layout", "hw", "--range", "minmax"});
  // The numbers 0 to 7, each as often: the standard deviation is sqrt(5.25).
  CHECK_THAT(text_of({"info", folder / "a.h5", "--verbose"}), ContainsSubstring(" 3.5e-09  2.29"));
}

namespace {

/// Four samples of 2x2x2 floats: squares up to 225, and ten times as much in the second channel.
void write_two_bands(const std::filesystem::path& path) {
  std::vector<float> values;
  for (int sample = 0; sample < 4; ++sample) {
    for (const float factor : {1.0f, 10.0f}) {
      for (int i = 4 * sample; i < 4 * sample + 4; ++i) values.push_back(factor * static_cast<float>(i * i));
    }
  }
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2, 2, 2), }\n";
  std::ofstream(path, std::ios::binary) << std::string("\x93NUMPY\x01\0", 8) << static_cast<char>(header.size()) << '\0'
                                        << header << bytes;
}

}  // namespace

TEST_CASE("the range of each channel is shown before and after packing", "[unit][tools]") {
  const TemporaryFolder folder;
  write_two_bands(folder / "train.npy");
  const std::string ranges = "ranges of train, by channel: 0 to 225, 0 to 2250";
  const std::vector<std::string> pack = {"pack", folder / "train.npy", "--layout", "chw", "--range"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = pack;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  CHECK_THAT(text_of(with({"minmax", "--dry-run"})),
             ContainsSubstring("float32, " + ranges + "; packing measures what quantizing to bytes loses\n"));
  CHECK_THAT(text_of(with({"0,300", "--dry-run"})), ContainsSubstring("float32, range of train: 0 to 300; packing"));
  CHECK(json_of(with({"0,225,0,2250", "--dry-run"}))["splits"][0]["ranges"][1][1] == 2250.0);
  json_of(with({"0,225,0,2250", "-o", folder / "a.h5"}));
  CHECK_THAT(text_of({"info", folder / "a.h5"}), ContainsSubstring("  " + ranges + "\n"));
  CHECK(json_of({"info", folder / "a.h5"})["splits"][0]["ranges"][0][1] == 225.0);
  // The squares of 0 to 15 have 16 levels.
  CHECK_THAT(text_of({"info", folder / "a.h5", "--verbose"}),
             ContainsSubstring("levels  effective bits\n") && ContainsSubstring("    16             8.0\n"));
}

TEST_CASE("a range with an odd number of ends is refused", "[unit][tools]") {
  const TemporaryFolder folder;
  write_two_bands(folder / "train.npy");
  for (const char* range : {"0,1,2", "0", "0,1,2,x"}) {
    const auto outcome =
        run_octavo({"pack", folder / "train.npy", "-o", folder / "a.h5", "--layout", "chw", "--range", range});
    CHECK_THAT(outcome.err, ContainsSubstring("bad range \"" + std::string(range) + "\"; expected LOW,HIGH, "));
  }
}

TEST_CASE("repack selects splits and merges classes and keeps names and compression", "[unit][tools]") {
  const TemporaryFolder folder;
  for (const char* name : {"cat/1.png", "dog/1.png", "dog/2.png", "owl/1.png"}) {
    write_png(folder / "pets" / "train" / name, 6, 4, 10);
    write_png(folder / "pets" / "test" / name, 6, 4, 20);
  }
  json_of({"pack", folder / "pets", "-o", folder / "p.h5", "--names", "--compress", "deflate"});
  std::ofstream(folder / "map.txt") << "cat = pet\ndog=pet\n";
  const auto summary = json_of({"repack", "all=" + (folder / "p.h5").string() + "::test", "-o", folder / "q.h5",
                                "--class-map", folder / "map.txt"});
  REQUIRE(summary["splits"].size() == 1);
  CHECK(summary["splits"][0]["name"] == "all");
  const auto dataset = octavo::Dataset::open(folder / "q.h5");
  const auto split = dataset.split("all");
  CHECK(dataset.class_names() == std::vector<std::string>{"pet", "owl"});
  CHECK(split.compression() == octavo::Compression::deflate);
  CHECK_THAT(split.sample_name(3).value(), ContainsSubstring("owl/1.png"));
  std::vector<std::int32_t> labels(4);
  split.read_labels(0, 4, std::as_writable_bytes(std::span(labels)));
  CHECK(labels == std::vector<std::int32_t>{0, 0, 0, 1});
  CHECK(run_octavo({"verify", folder / "q.h5", "--quiet"}).exit_code == 0);

  // The same samples are held out as for the folder, because they are identified by name.
  json_of({"pack", folder / "pets/train", "-o", folder / "h.h5", "--names", "--holdout", "0.5", "--seed", "3"});
  json_of({"pack", folder / "pets/train", "-o", folder / "all.h5", "--names"});
  json_of({"repack", folder / "all.h5", "-o", folder / "i.h5", "--holdout", "0.5", "--seed", "3"});
  const auto packed = octavo::Dataset::open(folder / "h.h5").split("val");
  const auto repacked = octavo::Dataset::open(folder / "i.h5").split("val");
  REQUIRE(packed.sample_count() == repacked.sample_count());
  for (std::int64_t row = 0; row < packed.sample_count(); ++row)
    CHECK(packed.sample_name(row) == repacked.sample_name(row));

  std::ofstream(folder / "map.txt") << "horse=pet\n";
  const Outcome refused =
      run_octavo({"repack", folder / "p.h5", "-o", folder / "r.h5", "--class-map", folder / "map.txt", "--quiet"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.is_one_line_error());
  CHECK_THAT(refused.err, ContainsSubstring("no source has a class of that name"));
}
