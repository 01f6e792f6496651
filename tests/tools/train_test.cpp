// `octavo train` on the digits.
#include <filesystem>
#include <fstream>
#include <regex>

#include "catch.hpp"
#include "program.hpp"
#include "shared_data.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

TEST_CASE("training prints a line per epoch and learns", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> arguments = {
      "train", folder / "d.h5", "--model", "mlp", "--hidden",     "32", "--epochs", "3",
      "--lr",  "0.05",          "--seed",  "1",   "--batch-size", "32", "--device", "cpu"};
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, ContainsSubstring("epoch 0") && ContainsSubstring("epoch 2") &&
                              ContainsSubstring("test accuracy") && ContainsSubstring("memory:"));
  std::vector<std::string> as_json = arguments;
  as_json.push_back("--json");
  const auto document = run_octavo(as_json).json();
  REQUIRE(document["epochs"].size() == 3);
  CHECK(document["evaluated_split"] == "test");
  CHECK(document["epochs"][2]["test_accuracy"].get<double>() > 0.7);
}

TEST_CASE("training augments its own split and logs the fingerprint of each epoch", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const auto epochs_with = [&](const std::string& augment) {
    return run_octavo({"train", folder / "d.h5", "--model", "softmax", "--epochs", "2", "--device", "cpu", "--json",
                       "--augment", augment})
        .json()["epochs"];
  };
  const auto plain = epochs_with(""), shifted = epochs_with("crop:1");
  CHECK(plain[0]["fingerprint"].get<std::string>().size() == 16);
  CHECK(plain[0]["fingerprint"] != plain[1]["fingerprint"]);
  CHECK(plain[0]["fingerprint"] != shifted[0]["fingerprint"]);
  CHECK(epochs_with("crop:1")[1]["fingerprint"] == shifted[1]["fingerprint"]);
  CHECK(plain[1]["mean_loss"] != shifted[1]["mean_loss"]);
  const Outcome resized = run_octavo({"train", folder / "d.h5", "--device", "cpu", "--augment", "resize:9"});
  CHECK(resized.exit_code == 2);
  CHECK_THAT(resized.err, ContainsSubstring("the augmentation makes images of 1x9x9") &&
                              ContainsSubstring("use operations that keep the size"));
}

TEST_CASE("training notes values that its default normalization does not suit", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  CHECK(run_octavo({"train", folder / "d.h5", "--model", "softmax", "--epochs", "1", "--device", "cpu"}).err.empty());
  for (const char* name : {"cat", "dog"}) {
    std::filesystem::create_directories(folder / "deep" / name);
    std::ofstream(folder / "deep" / name / "1.pgm") << "P2 2 1 65535 0 60000";
  }
  const Outcome packed = run_octavo({"pack", folder / "deep", "-o", folder / "f.h5", "--quiet"});
  INFO(packed.err);
  REQUIRE(packed.exit_code == 0);
  const std::vector<std::string> arguments = {"train", folder / "f.h5", "--epochs", "1", "--device", "cpu"};
  CHECK_THAT(run_octavo(arguments).err, ContainsSubstring("note: the values of train are not 0 ... 255"));
}

TEST_CASE("training compares int8 with float32 residency", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const std::vector<std::string> arguments = {
      "train",    folder / "d.h5", "--model",     "softmax", "--epochs",         "2",
      "--device", "cpu",           "--normalize", "unit",    "--compare-float32"};
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("bitwise identical") && ContainsSubstring("float32") &&
                              ContainsSubstring("too short to compare"));
  std::vector<std::string> as_json = arguments;
  as_json.push_back("--json");
  const auto document = run_octavo(as_json).json();
  CHECK(document["identical_losses"] == true);
  CHECK(document["overhead_percent"].is_null());
  CHECK(document["float32"]["memory"]["samples"].get<double>() >
        3.0 * document["int8"]["memory"]["samples"].get<double>());
}

TEST_CASE("the help says once what the choices of a table mean", "[unit][tools]") {
  const auto help_of = [](const std::string& verb) {
    return std::regex_replace(run_octavo({verb, "--help"}).out, std::regex("\\s+"), " ");
  };
  const std::string train = help_of("train"), view = help_of("view");
  CHECK_THAT(train, ContainsSubstring("(default); default: subtract the dataset mean, divide by 128; unit: map"));
  CHECK_THAT(train, ContainsSubstring("device: all samples in device memory; hybrid: "));
  CHECK_THAT(view, ContainsSubstring("airbench94: 94 % on CIFAR-10"));
  CHECK_THAT(train + view, !ContainsSubstring("one of: auto") && !ContainsSubstring("one of: airbench94"));
}

TEST_CASE("training names the split that it evaluates on", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string images = project_data("digits") / "train-images-idx3-ubyte.gz";
  REQUIRE(run_octavo({"pack", "train=" + images, "-o", folder / "d.h5", "--holdout", "0.2", "--quiet"}).exit_code == 0);
  const std::vector<std::string> arguments = {"train", folder / "d.h5", "--model", "softmax", "--epochs",
                                              "1",     "--device",      "cpu"};
  CHECK_THAT(run_octavo(arguments).out, ContainsSubstring("  val ") && ContainsSubstring("val accuracy"));
  std::vector<std::string> as_json = arguments;
  as_json.push_back("--json");
  CHECK(run_octavo(as_json).json()["evaluated_split"] == "val");
}

TEST_CASE("training ends with an error when the loss is not a number", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  std::vector<std::string> arguments = {"train", folder / "d.h5", "--lr", "1e30", "--device", "cpu", "--json"};
  if (GENERATE(false, true)) arguments.push_back("--compare-float32");
  const Outcome outcome = run_octavo(arguments);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
  CHECK_THAT(outcome.err, ContainsSubstring("d.h5\": the loss is not finite after epoch 0; lower --lr"));
  CHECK(outcome.out.empty());
}

TEST_CASE("training without labels is refused", "[unit][tools]") {
  const TemporaryFolder folder;
  write_png(folder / "images" / "1.png", 4, 4, 1);
  write_png(folder / "images" / "2.png", 4, 4, 2);
  REQUIRE(run_octavo({"pack", folder / "images", "-o", folder / "i.h5", "--quiet"}).exit_code == 0);
  const Outcome outcome = run_octavo({"train", folder / "i.h5", "--device", "cpu", "--json"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.is_one_line_error());
  CHECK(outcome.out.empty());
}
