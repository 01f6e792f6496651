// Loads the first split of a dataset file, given by its path, and prints the size of a batch.
#include <iostream>

#include <octavo/loader.hpp>

#if __has_include(<octavo/pack.hpp>)
#error "the component core installs headers of pack"
#endif

int main(int argc, char* argv[]) {
  if (argc < 2) return 0;
  const octavo::Dataset dataset = octavo::Dataset::open(argv[1]);
  const octavo::Store store = octavo::Store::load(dataset.split(dataset.split_names()[0]), octavo::Device::cpu());
  octavo::Loader loader(store, {.batch_size = 10});
  for (const octavo::Batch& batch : loader.epoch(0)) {
    std::cout << batch.images().shape[0] << " images\n";
    break;
  }
  return 0;
}
