// Fuzzes binary CIFAR-10 and CIFAR-100 batches: detection, labels, images.
#include "sources/source_reader.hpp"
#include "support/fuzz_target.hpp"
#include "support/memory_tree.hpp"
#include "support/read_array.hpp"

using namespace octavo;

namespace {

void read_sets(const std::vector<arrays::ArraySet>& sets) {
  for (const arrays::ArraySet& set : sets) {
    fuzz::read_array(*set.images);
    fuzz::read_array(*set.labels);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    const std::string name = "data_batch_1.bin";
    const auto tree =
        std::make_shared<fuzz::MemoryTree>(std::vector{std::pair{name, fuzz::text_of(fuzz::bytes_of(data, size))}});
    const sources::FileStart start(tree, name);
    for (const auto* reader : {&sources::kCifar10Reader, &sources::kCifar100Reader}) {
      if (!reader->looks_like(start)) continue;
      sources::SourceEntry entry{reader, "train", tree, name};
      const SourceOptions options;
      read_sets(std::get<std::vector<arrays::ArraySet>>(reader->open(entry, {options})));
      return true;
    }
    return false;
  });
}
