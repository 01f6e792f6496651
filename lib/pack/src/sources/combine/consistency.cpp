#include "sources/combine/consistency.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <octavo/errors.hpp>

#include "files/unicode.hpp"
#include "sources/choice/row_choice.hpp"
#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

/// "a", "b" and 3 more.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? "\"" : ", \"") + names[i] + "\"";
  }
  return names.size() > kMostNamed ? text + " and " + std::to_string(names.size() - kMostNamed) + " more" : text;
}

/// A known class that differs from `name` only in case or Unicode normalization, for the message; empty if there is
/// none.
std::string similar_to(const std::string& name, const std::vector<std::string>& known) {
  const auto key = [](const std::string& text) { return lower_case(files::normalized(text)); };
  const auto found = std::ranges::find(known, key(name), key);
  if (found == known.end()) return "";
  const bool looks_equal = files::normalized(*found) == files::normalized(name);
  return " (there is \"" + *found + "\"" + (looks_equal ? " in another Unicode normalization)" : ")");
}

/// "café" (NFC)
std::string with_form(const std::string& name) {
  return "\"" + name + "\"" + (files::normalized(name) == name ? " (NFC)" : " (NFD)");
}

/// Names that look the same are one class, probably from macOS and from another system.
void check_normalization(const std::vector<std::string>& class_names) {
  std::unordered_map<std::string, const std::string*> known;
  for (const std::string& name : class_names) {
    const auto [found, is_new] = known.try_emplace(files::normalized(name), &name);
    if (is_new || *found->second == name) continue;
    throw DataError("number the classes: " + with_form(*found->second) + " and " + with_form(name) +
                    " differ only in Unicode normalization; rename one, or merge them with `class_map`");
  }
}

[[noreturn]] void refuse_classes(const std::string& doing, const std::vector<std::string>& missing,
                                 const std::vector<std::string>& known, const std::string& where) {
  throw DataError(doing + (missing.size() == 1 ? ": the class " : ": the classes ") + listed(missing) +
                  (missing.size() == 1 ? " is" : " are") + " not in " + where + similar_to(missing[0], known) +
                  "; rename classes with `class_map`, or accept this with `allow_mismatch`");
}

/// For each class, whether a split has samples of it.
std::vector<bool> classes_in(const Source& source, std::size_t split, const std::string& select) {
  std::vector<bool> found(source.class_names().size());
  for (std::int64_t row = 0; row < source.splits()[split].sample_count; ++row) {
    const auto label = source.class_index(split, row);
    if (!label || *label < 0 || static_cast<std::size_t>(*label) >= found.size()) continue;
    const auto at = static_cast<std::size_t>(*label);
    if (!found[at] && is_selected(source, split, row, select)) found[at] = true;
  }
  return found;
}

std::vector<std::string> names_of(const Source& source, const std::vector<bool>& classes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i]) names.push_back(source.class_names()[i]);
  }
  return names;
}

void check_shapes(const Source& source) {
  const auto& splits = source.splits();
  for (const SourceSplit& split : splits) {
    if (split.shape == splits[0].shape) continue;
    throw DataError("open the sources: the samples of split \"" + split.name + "\" are " + to_string(split.shape) +
                    ", those of \"" + splits[0].name + "\" " + to_string(splits[0].shape) +
                    (source.format() == "octavo" ? "; convert them with `octavo pack`, which has `size` and `channels`"
                                                 : "; convert them with `size` and `channels`") +
                    ", or accept this with `allow_mismatch`");
  }
}

void check_classes(const Source& source, const SourceOptions& options) {
  const auto& splits = source.splits();
  const auto train = std::ranges::find(splits, "train", &SourceSplit::name);
  if (source.class_names().empty() || train == splits.end() || splits.size() < 2) return;
  if (train->labels.kind != LabelKind::class_index) return;
  const auto in_train = classes_in(source, static_cast<std::size_t>(train - splits.begin()), options.select);
  for (std::size_t split = 0; split < splits.size(); ++split) {
    // In arrays, classes are numbers with one meaning everywhere; only names of folders and lists are misspelled.
    if (!source.has_sample_paths(split)) continue;
    std::vector<bool> missing = classes_in(source, split, options.select);
    for (std::size_t i = 0; i < missing.size(); ++i) missing[i] = missing[i] && !in_train[i];
    const auto names = names_of(source, missing);
    if (names.empty()) continue;
    refuse_classes("check split \"" + splits[split].name + "\"", names, names_of(source, in_train), "split \"train\"");
  }
}

}  // namespace

void check_consistency(const Source& source, const SourceOptions& options) {
  check_normalization(source.class_names());
  check_shapes(source);
  check_classes(source, options);
}

void check_fits(const Source& there, const Source& added, const std::filesystem::path& path) {
  const auto& names = there.class_names();
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  std::vector<std::string> missing;
  for (const std::string& name : added.class_names()) {
    if (!known.empty() && !known.contains(name)) missing.push_back(name);
  }
  if (!missing.empty()) refuse_classes("append to " + quoted(path), missing, names, "the file");
  for (const SourceSplit& split : added.splits()) {
    const auto& splits = there.splits();
    if (std::ranges::find(splits, split.shape, &SourceSplit::shape) != splits.end()) continue;
    throw DataError("append to " + quoted(path) + ": the samples of split \"" + split.name + "\" are " +
                    to_string(split.shape) + ", those of the file " + to_string(splits[0].shape) +
                    "; convert them with `size` and `channels`, or accept this with `allow_mismatch`");
  }
}

}  // namespace octavo::sources
