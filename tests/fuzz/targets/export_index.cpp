// Fuzzes octavo.json, the index that `octavo export` writes next to images.
#include "sources/lists/export_index.hpp"

#include "support/fuzz_target.hpp"
#include "support/memory_file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  static const test::TemporaryFolder folder;
  static const bool is_linked = [] {
    std::filesystem::create_symlink(file.path(), folder / sources::kExportIndexName);
    return true;
  }();
  file.write(fuzz::bytes_of(data, size));
  return fuzz::run_input([&] {
    if (is_linked) sources::read_export_index(files::open_folder(folder.path()), "");
    return true;
  });
}
