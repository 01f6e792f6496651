// Residencies, plans and strategies, tested through the program.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

namespace {

/// The losses of a short training with these arguments.
nlohmann::ordered_json losses(const std::filesystem::path& file, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"train", file,   "--model", "softmax",      "--epochs", "2",     "--device",
                                        "cpu",   "--lr", "0.05",    "--batch-size", "32",       "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto document = outcome.json();
  nlohmann::ordered_json losses = nlohmann::ordered_json::array();
  for (const auto& epoch : document["epochs"]) losses.push_back(epoch["mean_loss"]);
  REQUIRE(losses.size() == 2);
  return losses;
}

}  // namespace

TEST_CASE("training gives the same losses from every residency", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto expected = losses(folder / "d.h5", {"--residency", "device"});
  for (const std::vector<std::string>& residency :
       std::vector<std::vector<std::string>>{{"--residency", "streamed"},
                                             {"--residency", "hybrid", "--memory-limit", "40KiB"},
                                             {"--memory-limit", "30KB"}}) {
    REQUIRE(losses(folder / "d.h5", residency) == expected);
  }
  // Windows have their own order.
  REQUIRE(losses(folder / "d.h5", {"--residency", "window"}) != expected);
}

TEST_CASE("a file larger than the memory limit of a process trains to the same loss", "[unit][tools]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  OCTAVO_SKIP("sanitizers reserve more address space than any limit leaves");
#else
  const TemporaryFolder folder;
  constexpr std::int64_t kBytes = 40000 * 3072;  // 123 MB
  write_packed(folder / "d.h5", {random_split("train", 40000, {3, 32, 32})});
  const auto run = [&](const std::string& limit) {
    const std::string command = limit +
                                "OPENBLAS_NUM_THREADS=1 MALLOC_ARENA_MAX=1 taskset -c 0 '" OCTAVO_PROGRAM "' train '" +
                                (folder / "d.h5").string() + "' --model softmax --epochs 1 --batch-size 128" +
                                " --device cpu --json --quiet > '" + (folder / "out.json").string() + "' 2> '" +
                                (folder / "err.txt").string() + "'";
    const int status = std::system(command.c_str());
    std::ifstream out(folder / "out.json");
    return status == 0 ? nlohmann::json::parse(out) : nlohmann::json();
  };
  const nlohmann::json free = run("");
  REQUIRE(free["memory"]["samples"].get<std::int64_t>() >= kBytes);
  // The memory of the program and its libraries differs between builds; cuBLAS alone maps 700 MiB. So the limit grows
  // until all samples fit, in steps much smaller than the file, so that some limits leave less than the file needs.
  int smaller = 0;
  bool whole = false;
  for (int mebibytes = 300; !whole; mebibytes += 50) {
    REQUIRE(mebibytes < 8192);
    const nlohmann::json limited = run("ulimit -v " + std::to_string(mebibytes * 1024) + "; ");
    if (limited.is_null()) {  // the failure must come with a message
      std::ifstream file(folder / "err.txt");
      const std::string error((std::istreambuf_iterator<char>(file)), {});
      INFO(mebibytes << " MiB: " << error);
      REQUIRE_THAT(error,
                   ContainsSubstring("octavo: error:") || ContainsSubstring("error while loading shared libraries"));
      continue;
    }
    REQUIRE(limited["epochs"][0]["mean_loss"] == free["epochs"][0]["mean_loss"]);
    whole = limited["memory"]["samples"].get<std::int64_t>() >= kBytes;
    if (!whole) ++smaller;
  }
  REQUIRE(smaller > 0);
#endif
}

TEST_CASE("a plan is printed as text and as JSON", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const Outcome text = run_octavo({"plan", folder / "d.h5", "--memory", "24GiB", "--params", "25600000", "--optimizer",
                                   "adam", "--activations", "90MiB", "--verbose"});
  REQUIRE(text.exit_code == 0);
  REQUIRE_THAT(text.out, ContainsSubstring("residency      device") && ContainsSubstring("rule of thumb") &&
                             ContainsSubstring("H200"));
  const auto document = run_octavo({"plan", folder / "d.h5", "--memory", "100KiB", "--json"}).json();
  REQUIRE(document["residency"] != "device");
  // Digits of 8x8 pixels and 17 levels do not shrink.
  REQUIRE(document["repacks"].at(0)["sample_bytes"] >= document["forms"][2]["sample_bytes"]);
  REQUIRE_THAT(text.out, ContainsSubstring("lp8 would not be smaller than int8, by 1,000 encoded samples\n"));
  REQUIRE(run_octavo({"plan", folder / "d.h5", "--memory", "100KiB", "--json", "--estimate", "0"})
              .json()["repacks"]
              .empty());
  const Outcome here = run_octavo({"plan", folder / "d.h5", "--device", "cpu"});
  REQUIRE(here.exit_code == 0);
  REQUIRE_THAT(here.out, ContainsSubstring("d.h5, split train, fits on cpu: residency device, largest batch 1,437\n") &&
                             ContainsSubstring("all fit on every GPU") && !ContainsSubstring("H200"));
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--memory", "0"}, {"--memory", "much"}, {"--params", "99999999999999999"}, {"--activations", "9999TiB"}}) {
    std::vector<std::string> arguments = {"plan", folder / "d.h5"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome outcome = run_octavo(arguments);
    INFO(wrong[1] << ": " << outcome.err);
    REQUIRE(outcome.exit_code != 0);
    REQUIRE(outcome.is_one_line_error());
  }
}

TEST_CASE("strategies are compared in a table and as JSON and in a chart", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> arguments = {
      "bench", folder / "d.h5", "--strategies", "--device",     "cpu", "--epochs",
      "1",     "--windows",     "1,4",          "--batch-size", "64",  "--quiet"};
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE_THAT(outcome.out,
               ContainsSubstring("hybrid") && ContainsSubstring("one by one") && ContainsSubstring("windows:"));
  std::vector<std::string> as_json = arguments;
  as_json.insert(as_json.end(), {"--json", "--no-training"});
  const auto document = run_octavo(as_json).json();
  REQUIRE(document["strategies"].size() >= 13);
  REQUIRE(document["model_seconds"].is_null());

  std::vector<std::string> drawn = as_json;
  drawn.insert(drawn.end(), {"--plot", folder / "chart.svg"});
  const Outcome chart = run_octavo(drawn);
  if (chart.exit_code != 0) {
    REQUIRE_THAT(chart.err, ContainsSubstring("install python3-matplotlib"));
    OCTAVO_SKIP("no Python with Matplotlib");
  }
  std::ifstream file(folder / "chart.svg");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  REQUIRE_THAT(text, ContainsSubstring("<svg") && ContainsSubstring("</svg>"));
}

TEST_CASE("a chart is refused before anything is measured", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--plot", "x.png"}, {"--strategies", "--plot", "x.gif"}}) {
    std::vector<std::string> arguments = {"bench", folder / "d.h5", "--device", "cpu"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome outcome = run_octavo(arguments);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(outcome.is_one_line_error());
  }
}
