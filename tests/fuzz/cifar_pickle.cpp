// Fuzzes pickles: CIFAR batches as published for Python, and their class-name files.
#include "arrays/cifar_pickle.hpp"

#include "support/fuzz_target.hpp"
#include "support/read_array.hpp"

using namespace octavo;

namespace {

void read_batch(const std::string& text) {
  auto pickle = arrays::open_cifar_pickle(files::stream_in_memory("\"fuzz\"", text));
  fuzz::read_array(*pickle.images);
  fuzz::read_array(*pickle.labels);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
  fuzz::refuse_or_read([&] { arrays::detect_cifar_pickle(*files::stream_in_memory("\"fuzz\"", text)); });
  fuzz::refuse_or_read([&] { arrays::read_cifar_names(*files::stream_in_memory("\"fuzz\"", text)); });
  return fuzz::run_input([&] {
    read_batch(text);
    return true;
  });
}
