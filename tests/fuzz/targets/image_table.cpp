// Fuzzes image lists. The first byte selects CSV, TSV, JSON Lines or JSON.
#include "sources/lists/table/image_table.hpp"

#include <array>

#include "support/fuzz_target.hpp"
#include "support/memory_tree.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<const char*, 4> kNames = {"list.csv", "list.tsv", "list.jsonl", "list.json"};
  if (size == 0) return 0;
  return fuzz::run_input([&] {
    const std::string name = kNames[data[0] % kNames.size()];
    const std::string text = fuzz::text_of(fuzz::bytes_of(data + 1, size - 1));
    const auto tree = std::make_shared<fuzz::MemoryTree>(std::vector<std::pair<std::string, std::string>>{
        {name, text}, {"a.png", ""}, {"images/b.jpg", ""}, {"c.jpeg", ""}});
    if (sources::judge_table(*tree, name, {}, std::make_shared<sources::FolderImages>()).kind !=
        sources::TableVerdict::Kind::labeled)
      return false;
    fuzz::refuse_or_read([&] {
      const SourceOptions options = {.columns = {"all"}, .class_names = {"cat", "dog"}, .skip_unreadable = true};
      sources::read_image_table(tree, name, {"train", false}, options);
    });
    sources::read_image_table(tree, name, {}, {});
    return true;
  });
}
