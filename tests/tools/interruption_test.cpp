// SIGINT, SIGTERM and SIGHUP while the program writes files.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "catch.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

namespace {

constexpr std::uint32_t kImages = 4096;
constexpr std::uint32_t kSide = 512;

/// A sparse IDX file of a gigabyte of zeros, which takes long enough to pack to be interrupted.
void write_large_source(const std::filesystem::path& path) {
  std::string header = {0, 0, 8, 3};
  for (const std::uint32_t axis : {kImages, kSide, kSide}) {
    for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(axis >> shift & 0xFF);
  }
  std::ofstream(path, std::ios::binary) << header;
  std::filesystem::resize_file(path, header.size() + std::uintmax_t{kImages} * kSide * kSide);
}

}  // namespace

TEST_CASE("an interrupted pack leaves nothing behind", "[unit][tools]") {
  const auto [signal_number, exit_code] = GENERATE(table<int, int>({{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}));
  const TemporaryFolder folder;
  write_large_source(folder / "train-images-idx3-ubyte");
  RunningProgram program(
      {"pack", folder / "train-images-idx3-ubyte", "-o", folder / "large.h5", "--jobs", "1", "--quiet"});
  while (!program.has_ended() && !std::filesystem::exists(folder / "large.h5.partial")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.send(signal_number);
  const Outcome outcome = program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.is_one_line_error());
  CHECK(names_in(folder.path()) == std::vector<std::string>{"train-images-idx3-ubyte"});
}

TEST_CASE("an interrupted export leaves nothing behind", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  RunningProgram program({"export", folder / "d.h5", "-o", folder / "images", "--quiet"});
  while (!program.has_ended() && !std::filesystem::exists(folder / "images" / "octavo.json")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  // It may have finished before the signal.
  if (outcome.exit_code == 0) return;
  CHECK(outcome.exit_code == 130);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"d.h5"});
}
