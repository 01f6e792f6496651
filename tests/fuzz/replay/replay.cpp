// Runs one fuzz target over files: fuzz_replay TARGET FOLDER... Prints each file name first, so that a crash shows the
// file. The exit status is 1 if the target reads none of the files completely.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/fuzz_target.hpp"

#define OCTAVO_REPLAYED(name) extern "C" int octavo_fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "replayed.inc"
#undef OCTAVO_REPLAYED

namespace {

namespace fs = std::filesystem;
using Target = int (*)(const std::uint8_t*, std::size_t);

Target find_target(const std::string& name) {
#define OCTAVO_REPLAYED(target) \
  if (name == #target) return &octavo_fuzz_##target;
#include "replayed.inc"
#undef OCTAVO_REPLAYED
  return nullptr;
}

/// All files below those folders that exist, in byte order.
std::vector<fs::path> files_in(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The bytes of a file in a buffer of exactly that size, so that AddressSanitizer detects reads past the end.
std::vector<std::uint8_t> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return {text.begin(), text.end()};
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const Target target = words.empty() ? nullptr : find_target(words[0]);
  if (target == nullptr) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FOLDER...\n");
    return 2;
  }
  // The target's own corpus must always exist.
  if (words.size() < 2 || files_in({words[1]}).empty()) {
    std::fprintf(stderr, "fuzz_replay: the corpus of %s is empty\n", words[0].c_str());
    return 1;
  }
  const auto files = files_in({words.begin() + 1, words.end()});
  for (const fs::path& path : files) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    const auto bytes = bytes_of(path);
    target(bytes.data(), bytes.size());
  }
  if (octavo::fuzz::inputs_read == 0) {
    std::fprintf(stderr, "fuzz_replay: %s reads none of these files completely\n", words[0].c_str());
    return 1;
  }
  std::printf("%zu files, %lld read\n", files.size(), static_cast<long long>(octavo::fuzz::inputs_read));
  return 0;
}
