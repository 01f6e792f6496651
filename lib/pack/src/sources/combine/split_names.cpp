#include "sources/combine/split_names.hpp"

#include <algorithm>
#include <array>

#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

struct SplitWord {
  std::string_view name;
  std::string_view split;
};

// Beginnings of words in file names; "data" as in data_batch_1.bin.
constexpr std::array<SplitWord, 5> kBeginnings = {
    {{"train", "train"}, {"data", "train"}, {"t10k", "test"}, {"test", "test"}, {"val", "val"}}};

// Complete folder names.
constexpr std::array<SplitWord, 9> kFolders = {{{"train", "train"},
                                                {"training", "train"},
                                                {"test", "test"},
                                                {"testing", "test"},
                                                {"val", "val"},
                                                {"valid", "val"},
                                                {"validation", "val"},
                                                {"eval", "val"},
                                                {"dev", "val"}}};

std::optional<std::string> split_of_word(std::string_view word) {
  for (const SplitWord& beginning : kBeginnings) {
    if (word.starts_with(beginning.name)) return std::string(beginning.split);
  }
  return std::nullopt;
}

std::optional<std::string> split_of_list_word(std::string_view word) {
  if (word.starts_with("data")) return std::nullopt;
  const auto split = split_of_word(word);
  return split ? split : split_of_folder_name(word);
}

/// The split of the first word that has one.
template <typename SplitOfWord>
std::optional<std::string> split_of_words(std::string_view name, const SplitOfWord& split_of) {
  const std::string lower = lower_case(name);
  auto at = lower.begin();
  while (at != lower.end()) {
    const auto begin = std::find_if(at, lower.end(), is_word_character);
    const auto end = std::find_if_not(begin, lower.end(), is_word_character);
    if (auto split = split_of(std::string_view(begin, end))) return split;
    at = end;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> split_of_file_name(std::string_view name) { return split_of_words(name, &split_of_word); }

std::optional<std::string> split_of_list_name(std::string_view name) {
  return split_of_words(name, &split_of_list_word);
}

std::optional<std::string> split_of_folder_name(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const SplitWord& folder : kFolders) {
    if (lower == folder.name) return std::string(folder.split);
  }
  return std::nullopt;
}

int split_rank(std::string_view split) {
  if (split == "train") return 0;
  if (split == "val") return 1;
  return split == "test" ? 2 : 3;
}

}  // namespace octavo::sources
