// Packing gzip-compressed IDX files against `gzip -dc` of the same files, its result written and synced.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <octavo/octavo.hpp>
#include <string>

#include "support/results.hpp"

namespace {

using namespace octavo::bench;
namespace fs = std::filesystem;

/// A word for the shell.
std::string quoted(const fs::path& path) {
  std::string word = "'";
  for (const char c : path.string()) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

void inflate_and_sync(const fs::path& folder, const fs::path& out) {
  std::string command = "gzip -dc";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") command += " " + quoted(entry.path());
  }
  require(::system((command + " > " + quoted(out)).c_str()) == 0, "gzip");
  const int descriptor = ::open(out.c_str(), O_RDONLY);
  require(descriptor >= 0 && ::fsync(descriptor) == 0, "fsync");
  ::close(descriptor);
}

}  // namespace

int main(int argc, char** argv) try {
  const fs::path folder = argc > 1 && argv[1][0] != '-' ? argv[1] : "/usr/share/datasets/fashion-mnist";
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  Results results("pack", argc, argv);
  const fs::path work = fs::temp_directory_path() / ("octavo-bench-pack-" + std::to_string(::getpid()));
  fs::create_directory(work);
  const fs::path inflated = work / "inflated", packed = work / "packed.h5";
  const auto pack = [&] {
    const auto source = octavo::open_source({{folder, ""}}, {});
    octavo::PackOptions options;
    options.replace_existing = true;
    octavo::pack(*source, packed, options);
  };
  pack();
  require(octavo::verify(packed).defect_count == 0, "packing");
  double moved = 0;
  for (const std::string& name : octavo::Dataset::open(packed).split_names()) {
    moved += static_cast<double>(octavo::Dataset::open(packed).split(name).packed_bytes());
  }
  const auto measured = measure(
      {{"gzip -dc, written and synced", moved, [&] { return seconds_of([&] { inflate_and_sync(folder, inflated); }); }},
       {"octavo pack, synced", moved, [&] { return seconds_of(pack); }}},
      rounds);
  results.section("packing " + folder.filename().string());
  for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
  std::printf("  packing takes %.2f x gzip's time\n", measured[1].median_seconds / measured[0].median_seconds);
  fs::remove_all(work);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_pack: %s\n", error.what());
  return 1;
}
