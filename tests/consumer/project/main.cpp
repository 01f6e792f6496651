// Prints the version of the installed library. Given the path of a dataset file, also prints its contents.
#include <exception>
#include <iostream>
#include <string>

#include <octavo/octavo.hpp>

namespace {

void print_splits(const octavo::Dataset& dataset) {
  for (const std::string& name : dataset.split_names()) {
    const octavo::Split split = dataset.split(name);
    std::cout << name << ": " << split.sample_count() << " samples, " << split.packed_bytes() << " bytes\n";
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  std::cout << "octavo " << octavo::kVersion << "\n";
  if (argc < 2) return 0;
  try {
    print_splits(octavo::Dataset::open(argv[1]));
  } catch (const octavo::Error& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
