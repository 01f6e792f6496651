// Which samples of the split "train" become the split "val".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

struct Holdout {
  enum class Kind {
    none,
    fraction,  ///< the fraction `fraction` of the samples, and of each class
    fold,      ///< fold `fold` of `fold_count`: of all folds, each sample is in exactly one
    column,    ///< the samples whose column `column` has the value `value`
  };

  Holdout() = default;
  /// A fraction in [0,1); 0: nothing.
  Holdout(double fraction_of_all)
      : kind(fraction_of_all == 0.0 ? Kind::none : Kind::fraction), fraction(fraction_of_all) {}
  /// Fold `number`, from 0, of `count`.
  static Holdout of_fold(std::int64_t number, std::int64_t count);
  /// The samples whose column has this value.
  static Holdout of_column(std::string name, std::string value);

  Kind kind = Kind::none;
  double fraction = 0.0;
  std::int64_t fold = 0;
  std::int64_t fold_count = 0;
  std::string column = {};
  std::string value = {};
};

/// Parses a fraction ("0.2"), a fold ("0:5") or a column and its value ("fold=0"). Throws InvalidArgument for other
/// text, and for what check_holdout() refuses.
Holdout parse_holdout(std::string_view text);

/// Throws InvalidArgument unless a fraction is in [0,1), a fold count is from 2 to 1000 and the fold below it, and the
/// name and the value of a column are not empty.
void check_holdout(const Holdout& holdout);

/// As parse_holdout() reads it; a fraction is rounded to 6 digits.
std::string format_holdout(const Holdout& holdout);

}  // namespace octavo
