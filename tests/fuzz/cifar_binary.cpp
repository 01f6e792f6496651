// Fuzzes binary CIFAR-10 and CIFAR-100 batches: detection, labels, images.
#include "sources/array_files.hpp"
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
    const auto kind = sources::detect_cifar(*tree->open(name));
    if (!kind || kind->is_pickled) return false;
    const auto format = kind->class_count == 10 ? SourceFormat::cifar10 : SourceFormat::cifar100;
    read_sets(sources::open_cifar_files({format, "train", tree, name, "", ""}));
    return true;
  });
}
