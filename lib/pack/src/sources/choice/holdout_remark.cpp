#include "sources/choice/holdout_remark.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

#include "support/text/text_units.hpp"

namespace octavo::sources {
namespace {

std::string percent(double share) { return formatted("%.3g %%", 100.0 * share); }

/// The samples of a class, or of a group, and how many of them are held out.
struct Part {
  std::int64_t all = 0, held_out = 0;
  std::int32_t group = -1;      ///< of its first sample
  bool is_in_one_group = true;  ///< false without groups

  double share() const { return static_cast<double>(held_out) / static_cast<double>(all); }
};

std::string total_text(double share, const Holdout& holdout) {
  switch (holdout.kind) {
    case Holdout::Kind::none:
    case Holdout::Kind::fraction:
      return "val has " + percent(share) + " of the samples (asked: " + percent(holdout.fraction) + ")";
    case Holdout::Kind::fold:
      return "val is fold " + std::to_string(holdout.fold) + " of folds 0 to " +
             std::to_string(holdout.fold_count - 1) + ": " + percent(share) + " of the samples";
    case Holdout::Kind::column:
      return "val has the samples with " + printable(format_holdout(holdout)) + ": " + percent(share);
  }
  return "";
}

std::string groups_text(const std::vector<std::int32_t>& groups, const std::vector<bool>& is_held_out) {
  if (groups.empty()) return "";
  std::unordered_map<std::int32_t, bool> known;
  for (std::size_t at = 0; at < groups.size(); ++at) known[groups[at]] = is_held_out[at];
  const auto held_out = std::ranges::count_if(known, [](const auto& group) { return group.second; });
  return " in " + format_count(held_out) + " of " + counted(std::ssize(known), "group") +
         (known.size() == groups.size() ? ", each a single sample" : "");
}

std::map<std::int32_t, Part> classes_of(const Source& source, const ChosenSplit& part,
                                        const std::vector<bool>& is_held_out, const std::vector<std::int32_t>& groups) {
  std::map<std::int32_t, Part> classes;
  for (std::size_t at = 0; at < part.rows.size(); ++at) {
    for (const std::int32_t label : source.class_indices(part.source_split, part.rows[at])) {
      Part& one = classes[label];
      if (one.all++ == 0 && !groups.empty()) one.group = groups[at];
      one.held_out += is_held_out[at] ? 1 : 0;
      one.is_in_one_group = one.is_in_one_group && !groups.empty() && groups[at] == one.group;
    }
  }
  return classes;
}

std::string classes_text(const Source& source, const std::map<std::int32_t, Part>& classes) {
  const auto quoted_name = [&](std::int32_t label) { return "\"" + printable(class_text(source, label)) + "\""; };
  const std::pair<const std::int32_t, Part>*least = nullptr, *most = nullptr, *undivided = nullptr;
  std::int64_t undivided_count = 0;
  for (const auto& entry : classes) {
    const Part& one = entry.second;
    if (one.is_in_one_group) {
      if (undivided_count++ == 0) undivided = &entry;
      continue;
    }
    if (least == nullptr || one.share() < least->second.share()) least = &entry;
    if (most == nullptr || one.share() > most->second.share()) most = &entry;
  }
  std::string text;
  if (least != most) {
    text += "; the share of a class is from " + percent(least->second.share()) + " (" + quoted_name(least->first) +
            ") to " + percent(most->second.share()) + " (" + quoted_name(most->first) + ")";
  }
  if (undivided_count == 1) text += "; all samples of the class " + quoted_name(undivided->first) + " are in one group";
  if (undivided_count > 1) {
    text += "; " + format_count(undivided_count) + " classes, such as " + quoted_name(undivided->first) +
            ", are in one group each";
  }
  return text;
}

}  // namespace

std::string remark_on_holdout(const Source& source, const ChosenSplit& part, const std::vector<bool>& is_held_out,
                              const std::vector<std::int32_t>& groups, const Holdout& holdout) {
  const auto held_out = static_cast<double>(std::ranges::count(is_held_out, true));
  std::string text = total_text(held_out / static_cast<double>(is_held_out.size()), holdout) +
                     groups_text(groups, is_held_out) +
                     classes_text(source, classes_of(source, part, is_held_out, groups));
  const bool has_targets = source.splits()[part.source_split].labels.kind == LabelKind::target;
  return has_targets && holdout.kind != Holdout::Kind::column ? text + "; targets are not stratified" : text;
}

}  // namespace octavo::sources
