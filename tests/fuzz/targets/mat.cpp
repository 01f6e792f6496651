// Fuzzes MATLAB 5 files.
#include "arrays/matlab/mat.hpp"

#include "support/fuzz_target.hpp"
#include "support/memory_file.hpp"
#include "support/read_array.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write(fuzz::bytes_of(data, size));
  return fuzz::run_input([&] {
    for (const auto& variable : arrays::list_mat(file.path())) {
      if (variable.is_usable()) fuzz::read_array(*arrays::open_mat_array(file.path(), variable));
      if (variable.is_text) arrays::read_mat_texts(file.path(), variable);
    }
    return true;
  });
}
