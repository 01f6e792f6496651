#include "sources/choice/value_holdout.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/choice/sample_column.hpp"
#include "support/text/utf8.hpp"

namespace octavo::sources {
namespace {

/// The first values of a column, for messages.
std::string values_text(const std::set<std::string>& values) {
  constexpr std::size_t kMostShown = 8, kMostShownBytes = 64;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& value : values) {
    if (shown++ == kMostShown) return text + ", ...";
    text += (text.empty() ? "" : ", ") + printable(cut_utf8(value, kMostShownBytes));
  }
  return text;
}

void check_images(const Source& source, const ChosenSplit& part, const std::vector<bool>& is_held_out,
                  const std::string& doing) {
  std::unordered_map<std::string, bool> known;
  for (std::size_t at = 0; at < part.rows.size(); ++at) {
    const auto path = source.sample_path(part.source_split, part.rows[at]);
    if (!path || known.try_emplace(*path, is_held_out[at]).first->second == is_held_out[at]) continue;
    throw DataError(doing + "\"" + printable(*path) +
                    "\" is listed with this value and with another, so it would be in train and in val; give all "
                    "lines of an image one value");
  }
}

}  // namespace

std::vector<bool> hold_out_value(const Source& source, const ChosenSplit& part, const Holdout& holdout) {
  const std::string doing = "hold out " + printable(format_holdout(holdout)) + ": ";
  const SampleColumn column(source, part.source_split, holdout.column, doing.substr(0, doing.size() - 2));
  std::vector<bool> is_held_out;
  std::set<std::string> other_values;
  std::int64_t missing = 0, first_missing = 0;
  for (const std::int64_t row : part.rows) {
    const auto text = column.text(row);
    if (!text && missing++ == 0) first_missing = row;
    is_held_out.push_back(text == holdout.value);
    if (text && !is_held_out.back()) other_values.insert(*text);
  }
  if (missing > 0) {
    throw DataError(doing + counted(missing, "sample") + " of train " + (missing == 1 ? "has" : "have") +
                    " no value in this column, such as \"" +
                    printable(source.sample_name(part.source_split, first_missing)) + "\"; give all samples one");
  }
  if (std::ranges::count(is_held_out, true) == 0) {
    throw DataError(doing + "no sample of train has this value; expected one of " + values_text(other_values));
  }
  check_images(source, part, is_held_out, doing);
  return is_held_out;
}

}  // namespace octavo::sources
