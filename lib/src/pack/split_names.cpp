#include "pack/split_names.hpp"

#include <algorithm>
#include <array>

namespace octavo::sources {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

struct Convention {
  std::string_view beginning;
  std::string_view split;
};

// "data" as in data_batch_1.bin.
constexpr std::array<Convention, 5> kConventions = {
    {{"train", "train"}, {"data", "train"}, {"t10k", "test"}, {"test", "test"}, {"val", "val"}}};

std::optional<std::string> split_of_word(std::string_view word) {
  for (const Convention& convention : kConventions) {
    if (word.starts_with(convention.beginning)) return std::string(convention.split);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> split_of_file_name(std::string_view name) {
  const std::string lower = lower_case(name);
  auto at = lower.begin();
  while (at != lower.end()) {
    const auto begin = std::find_if(at, lower.end(), is_word_character);
    const auto end = std::find_if_not(begin, lower.end(), is_word_character);
    if (auto split = split_of_word(std::string_view(begin, end))) return split;
    at = end;
  }
  return std::nullopt;
}

std::optional<std::string> split_of_folder_name(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower == "train" || lower == "test" || lower == "val") return lower;
  if (lower == "valid" || lower == "validation") return "val";
  return std::nullopt;
}

int split_rank(std::string_view split) {
  if (split == "train") return 0;
  if (split == "val") return 1;
  return split == "test" ? 2 : 3;
}

}  // namespace octavo::sources
