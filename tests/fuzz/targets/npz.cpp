// Fuzzes .npz files: zip archives of .npy files. The mutator repairs checksums of stored members.
#include "sources/source_reader.hpp"
#include "support/fuzz_target.hpp"
#include "support/memory_file.hpp"
#include "support/read_array.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  static const auto tree = files::open_folder(file.folder());
  file.write(fuzz::bytes_of(data, size));
  return fuzz::run_input([&] {
    const auto archive = files::open_archive(file.path(), 1100);
    sources::SourceEntry entry{&sources::kNpyReader, "", tree, file.name(), "", "", archive};
    const SourceOptions options;
    const sources::Opened opened = sources::kNpyReader.open(entry, {options});
    for (const auto& set : std::get<std::vector<arrays::ArraySet>>(opened)) {
      fuzz::read_array(*set.images);
      if (set.labels) fuzz::read_array(*set.labels);
    }
    return true;
  });
}
