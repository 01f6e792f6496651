#include <octavo/holdout.hpp>

#include <charconv>
#include <optional>
#include <utility>

#include <octavo/errors.hpp>

#include "support/text/text_units.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kMostFolds = 1000;

/// The number that the whole text is; nothing if it is none.
template <typename Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

Holdout Holdout::of_fold(std::int64_t number, std::int64_t count) {
  Holdout holdout;
  holdout.kind = Kind::fold;
  holdout.fold = number;
  holdout.fold_count = count;
  return holdout;
}

Holdout Holdout::of_column(std::string name, std::string value) {
  Holdout holdout;
  holdout.kind = Kind::column;
  holdout.column = std::move(name);
  holdout.value = std::move(value);
  return holdout;
}

Holdout parse_holdout(std::string_view text) {
  std::optional<Holdout> holdout;
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    holdout = Holdout::of_column(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto number = parsed<std::int64_t>(text.substr(0, colon));
    const auto count = parsed<std::int64_t>(text.substr(colon + 1));
    if (number && count) holdout = Holdout::of_fold(*number, *count);
  } else if (const auto fraction = parsed<double>(text)) {
    holdout = Holdout(*fraction);
  }
  if (!holdout) {
    throw InvalidArgument("read the holdout \"" + std::string(text) +
                          "\": it is not a fraction (0.2), a fold of a number of folds (0:5), or a column with a value "
                          "(fold=0)");
  }
  check_holdout(*holdout);
  return *holdout;
}

void check_holdout(const Holdout& holdout) {
  switch (holdout.kind) {
    case Holdout::Kind::none:
      return;
    case Holdout::Kind::fraction:
      if (holdout.fraction >= 0.0 && holdout.fraction < 1.0) return;
      throw InvalidArgument("`holdout` is " + format_holdout(holdout) + "; it must be at least 0 and below 1");
    case Holdout::Kind::fold:
      if (holdout.fold_count < 2 || holdout.fold_count > kMostFolds) {
        throw InvalidArgument("hold out fold " + format_holdout(holdout) + ": the number of folds must be from 2 to " +
                              format_count(kMostFolds));
      }
      if (holdout.fold >= 0 && holdout.fold < holdout.fold_count) return;
      throw InvalidArgument("hold out fold " + format_holdout(holdout) + ": the folds are numbered from 0 to " +
                            std::to_string(holdout.fold_count - 1));
    case Holdout::Kind::column:
      if (!holdout.column.empty() && !holdout.value.empty()) return;
      throw InvalidArgument("hold out \"" + format_holdout(holdout) +
                            "\": the name or the value of the column is missing; give both, as in fold=0");
  }
}

std::string format_holdout(const Holdout& holdout) {
  switch (holdout.kind) {
    case Holdout::Kind::none:
      return "0";
    case Holdout::Kind::fraction:
      return formatted("%.6g", holdout.fraction);
    case Holdout::Kind::fold:
      return std::to_string(holdout.fold) + ":" + std::to_string(holdout.fold_count);
    case Holdout::Kind::column:
      return holdout.column + "=" + holdout.value;
  }
  return "";
}

}  // namespace octavo
