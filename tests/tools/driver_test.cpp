// The calls that the program makes to the NVIDIA driver, recorded by a stub driver: see support/stub_driver.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <octavo/device.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

namespace {

/// Makes the stub the driver of programs that are started while this is alive.
class StubDriver {
 public:
  explicit StubDriver(const char* version, const char* status = "0")
      : path_("LD_LIBRARY_PATH", in_front(OCTAVO_STUB_DRIVER_FOLDER)),
        version_("STUB_DRIVER_VERSION", version),
        status_("STUB_DRIVER_STATUS", status),
        log_("STUB_DRIVER_LOG", folder_ / "log") {}

  /// The functions that were called or looked up since the last call.
  std::string take_log() {
    std::ifstream file(folder_ / "log");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(folder_ / "log");
    return text;
  }

 private:
  static std::string in_front(const std::string& driver_folder) {
    const char* others = std::getenv("LD_LIBRARY_PATH");
    return others == nullptr ? driver_folder : driver_folder + ":" + others;
  }

  TemporaryFolder folder_;
  EnvironmentVariable path_, version_, status_, log_;
};

bool has_cuda() { return octavo::list_backends().size() > 1; }

}  // namespace

TEST_CASE("verbs that use no device make no CUDA calls", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string file = folder / "d.h5";
  pack_digits(file);
  StubDriver driver("13000");
  const std::vector<std::vector<std::string>> commands = {
      {"--version"},
      {"--help"},
      {"train", "--help"},
      {"nonsense"},
      {"pack", OCTAVO_SOURCE_DIR "/data/digits", "-o", folder / "again.h5"},
      {"info", file},
      {"verify", file},
      {"export", file, "-o", folder / "images"},
      {"repack", file, "-o", folder / "repacked.h5"},
      {"reindex", file, "-o", folder / "indexed.h5"},
      {"view", file, "-o", folder / "sheet.png"},
      {"fetch", "--help"},
      {"plan", file, "--memory", "24GiB"},
      {"plan", file, "--device", "cpu"},
      {"report", file, "--device", "cpu"},
      {"train", file, "--device", "cpu", "--epochs", "1", "--hidden", "8"}};
  for (const auto& command : commands) {
    INFO(command[0]);
    const Outcome outcome = run_octavo(command);
    INFO(outcome.err);
    CHECK(outcome.exit_code == (command[0] == "nonsense" ? 2 : 0));
    CHECK(driver.take_log().empty());
  }
  // Confirms that the log works, so that an empty one is meaningful.
  run_octavo({"devices"});
  if (has_cuda()) CHECK_THAT(driver.take_log(), ContainsSubstring("cuInit"));
}

TEST_CASE("a driver that is too old is reported", "[unit][tools]") {
  if (!has_cuda()) OCTAVO_SKIP("no CUDA backend in this build");
  const TemporaryFolder folder;
  const std::string file = folder / "d.h5";
  pack_digits(file);
  const StubDriver driver("10020");  // older than any supported CUDA version
  const std::string reason = "the NVIDIA driver supports CUDA 10.2 and this build needs ";

  const Outcome listing = run_octavo({"devices"});
  CHECK_THAT(listing.out, ContainsSubstring("CUDA is not usable: " + reason));
  CHECK(listing.err.empty());
  CHECK_THAT(run_octavo({"devices", "--json"}).json()["cuda_problem"].get<std::string>(), ContainsSubstring(reason));

  const Outcome fallen = run_octavo({"plan", file, "--json"});
  CHECK(fallen.exit_code == 0);
  CHECK(fallen.json()["device"] == "cpu");
  CHECK_THAT(fallen.err, ContainsSubstring("octavo: note: --device auto uses the CPU: " + reason));
  CHECK(std::count(fallen.err.begin(), fallen.err.end(), '\n') == 1);

  const Outcome asked = run_octavo({"plan", file, "--device", "cuda"});
  CHECK(asked.exit_code == 1);
  CHECK(asked.is_one_line_error());
  CHECK_THAT(asked.err, ContainsSubstring("use device cuda:0: " + reason) && ContainsSubstring("use the device cpu"));
  CHECK(run_octavo({"plan", file, "--device", "cpu"}).err.empty());
}

TEST_CASE("a driver that does not start is reported in CUDA's words", "[unit][tools]") {
  if (!has_cuda()) OCTAVO_SKIP("no CUDA backend in this build");
  const StubDriver driver("99000", "999");
  CHECK_THAT(run_octavo({"devices"}).out,
             ContainsSubstring("CUDA is not usable: CUDA does not start (cudaErrorUnknown"));
}

TEST_CASE("a driver without a device is not a fault", "[unit][tools]") {
  if (!has_cuda()) OCTAVO_SKIP("no CUDA backend in this build");
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  const StubDriver driver("99000", "100");
  const EnvironmentVariable hidden("CUDA_VISIBLE_DEVICES", "");
  CHECK_THAT(run_octavo({"devices"}).out, ContainsSubstring("CUDA_VISIBLE_DEVICES is \"\""));
  CHECK(run_octavo({"plan", folder / "d.h5"}).err.empty());
}
