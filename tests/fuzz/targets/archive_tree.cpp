// Fuzzes tar and zip archives, also with links: lists them and reads every file in both ways. The mutator repairs
// checksums.
#include "files/file_tree.hpp"
#include "support/fuzz_target.hpp"
#include "support/memory_file.hpp"

using namespace octavo;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
// Reading a file as a stream skips over all files before it, so only a few are read that way.
constexpr std::size_t kFilesAtLeisure = 4;

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write(fuzz::bytes_of(data, size));
  fuzz::refuse_or_read([&] { files::is_archive(file.path()); });
  return fuzz::run_input([&] {
    // Also reads the undamaged part of a damaged archive.
    const auto tree = files::open_archive(file.path(), 1100, files::OnDamage::stop_there);
    const auto paths = tree->files_below("");
    for (const std::string& name : tree->entries("").folders) fuzz::refuse_or_read([&] { tree->files_below(name); });
    tree->remarks();
    for (const std::string& path : paths) fuzz::refuse_or_read([&] { tree->read_whole(path, kMostBytes); });
    for (std::size_t i = 0; i < paths.size() && i < kFilesAtLeisure; ++i) {
      fuzz::refuse_or_read([&] { tree->open(paths[i])->read_whole(kMostBytes); });
    }
    return !paths.empty();
  });
}
