// The kinds of order in which an epoch visits the samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

/// A kind of order, defined in docs/numerics.md, "Order 1". Converts from bool: true is global, false is none.
///
///     LoaderOptions{.shuffle = true}                     // all samples, in a new order each epoch
///     LoaderOptions{.shuffle = Shuffle::blocks()}        // batches are slices of the file, in a new order each epoch
class Shuffle {
 public:
  enum class Kind { none, global, blocks, windows };

  /// false: file order. true: a new order of all samples each epoch.
  constexpr Shuffle(bool shuffled = false) : kind_(shuffled ? Kind::global : Kind::none) {}
  /// Each batch is a contiguous slice of the file. Full batches come in a new order each epoch; a short one comes last.
  /// This is the cheapest shuffle and the weakest: the same samples always share a batch.
  static constexpr Shuffle blocks() { return Shuffle(Kind::blocks, 0); }
  /// Windows of `window_samples` samples come in a new order each epoch, a short one last. The samples inside each
  /// window are shuffled too. This is the order that the residency `window` serves.
  static constexpr Shuffle windows(std::int64_t window_samples) { return Shuffle(Kind::windows, window_samples); }

  constexpr Kind kind() const { return kind_; }
  /// Samples in a window; 0 unless the kind is `windows`.
  constexpr std::int64_t window_samples() const { return window_samples_; }
  constexpr bool operator==(const Shuffle&) const = default;

 private:
  constexpr Shuffle(Kind kind, std::int64_t window_samples) : kind_(kind), window_samples_(window_samples) {}
  Kind kind_;
  std::int64_t window_samples_ = 0;
};

/// "none", "global", "blocks" or "windows:1000".
std::string to_string(Shuffle shuffle);
/// Parses what to_string() returns. Throws InvalidArgument for anything else.
Shuffle parse_shuffle(std::string_view text);

}  // namespace octavo
