// Feeds tar and zip archives: listing them, and reading every file in both ways. The mutator makes checksums right
// again.
#include "files/file_tree.hpp"
#include "support/fuzz_target.hpp"
#include "support/memory_file.hpp"

using namespace octavo;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
// Reading a file at leisure passes over all before it.
constexpr std::size_t kFilesAtLeisure = 4;

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write(fuzz::bytes_of(data, size));
  fuzz::refuse_or_read([&] { files::is_archive(file.path()); });
  return fuzz::run_input([&] {
    // What can be read of a damaged one, too.
    const auto tree = files::open_archive(file.path(), 1100, files::OnDamage::stop_there);
    const auto paths = tree->files_below("");
    for (const std::string& path : paths) fuzz::refuse_or_read([&] { tree->read_whole(path, kMostBytes); });
    for (std::size_t i = 0; i < paths.size() && i < kFilesAtLeisure; ++i) {
      fuzz::refuse_or_read([&] { tree->open(paths[i])->read_whole(kMostBytes); });
    }
    return !paths.empty();
  });
}
