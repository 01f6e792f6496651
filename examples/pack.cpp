// Packs images into one file: a folder of IDX or CIFAR files, or one folder of images per class.
#include <cstdlib>
#include <iostream>

#include <octavo/octavo.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " SOURCE FILE.h5\n";
    return 2;
  }
  try {
    const auto source = octavo::open_source({{argv[1]}}, {});
    const octavo::PackSummary summary = octavo::pack(*source, argv[2], {.replace_existing = true});
    for (const octavo::SourceSplit& split : summary.splits) {
      std::cout << split.name << ": " << split.sample_count << " samples of " << octavo::to_string(split.shape) << '\n';
    }
  } catch (const octavo::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
