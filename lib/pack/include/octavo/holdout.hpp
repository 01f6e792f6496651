// Which samples of the split "train" become the split "val".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

/// What of `train` becomes `val`. In all kinds but `column`, samples with the same path stay together, and so do the
/// groups of SourceOptions::group_by.
struct Holdout {
  enum class Kind {
    none,
    /// The fraction `fraction` of the samples, and of each class: exactly or, of multi-labels and groups, as far as
    /// whole samples and groups allow. Targets are not balanced.
    fraction,
    fold,    ///< fold `fold` of `fold_count`, with the same share of each class: of all folds, each sample is in one
    column,  ///< the samples whose column `column` has the value `value`
  };

  Holdout() = default;
  /// A fraction in [0,1); 0: nothing.
  Holdout(double fraction_of_all)
      : kind(fraction_of_all == 0.0 ? Kind::none : Kind::fraction), fraction(fraction_of_all) {}
  /// Fold `number`, from 0, of `count`.
  static Holdout of_fold(std::int64_t number, std::int64_t count);
  /// The samples whose column has this value.
  static Holdout of_column(std::string name, std::string value);

  // Only those of `kind` count.
  Kind kind = Kind::none;
  double fraction = 0.0;        ///< in (0,1)
  std::int64_t fold = 0;        ///< from 0
  std::int64_t fold_count = 0;  ///< from 2 to 1000
  std::string column = {};      ///< of image lists or dataset files
  std::string value = {};       ///< as text: "0" also for the number 0
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
