// Fuzzes the names and contents of files in a WebDataset shard: "name\ncontents" entries separated by 0xFF bytes.
#include "sources/lists/web_dataset.hpp"

#include "support/fuzz_target.hpp"
#include "support/memory_tree.hpp"

using namespace octavo;

namespace {

std::vector<std::pair<std::string, std::string>> files_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> named;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\xFF', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::size_t line = std::min(one.find('\n'), one.size());
    named.emplace_back(one.substr(0, line), one.substr(std::min(line + 1, one.size())));
    at = end + 1;
  }
  return named;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    const auto tree = std::make_shared<fuzz::MemoryTree>(files_in(fuzz::text_of(fuzz::bytes_of(data, size))));
    sources::is_web_dataset(*tree);
    fuzz::refuse_or_read([&] {
      sources::list_web_dataset({{tree}}, {.class_names = {"cat", "dog"}, .skip_unreadable = true});
    });
    sources::list_web_dataset({{tree}}, {});
    return true;
  });
}
