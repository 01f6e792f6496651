// In which order an epoch visits the samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

/// A kind of order; docs/numerics.md, "Order 1", says what each is. `true` and `false` may stand for the usual two.
///
///     LoaderOptions{.shuffle = true}                     // all samples, in a new order each epoch
///     LoaderOptions{.shuffle = Shuffle::blocks()}        // batches are slices of the file, in a new order each epoch
class Shuffle {
 public:
  enum class Kind { none, global, blocks, windows };

  /// The order of the file, or a new order of all samples each epoch.
  constexpr Shuffle(bool shuffled = false) : kind_(shuffled ? Kind::global : Kind::none) {}
  /// Each batch is a contiguous slice; the whole ones come in a new order each epoch, a short one comes last. The
  /// cheapest order there is, and the weakest: who is in a batch together never changes.
  static constexpr Shuffle blocks() { return Shuffle(Kind::blocks, 0); }
  /// Stretches of `window_samples` samples come in a new order each epoch, a short one last; inside of each, its
  /// samples come in a new order. What the residency `window` serves.
  static constexpr Shuffle windows(std::int64_t window_samples) { return Shuffle(Kind::windows, window_samples); }

  constexpr Kind kind() const { return kind_; }
  /// Samples of a stretch; 0 unless the kind is `windows`.
  constexpr std::int64_t window_samples() const { return window_samples_; }
  constexpr bool operator==(const Shuffle&) const = default;

 private:
  constexpr Shuffle(Kind kind, std::int64_t window_samples) : kind_(kind), window_samples_(window_samples) {}
  Kind kind_;
  std::int64_t window_samples_ = 0;
};

/// "none", "global", "blocks" or "windows:1000".
std::string to_string(Shuffle shuffle);
/// Of what to_string() gives. Throws InvalidArgument for anything else.
Shuffle parse_shuffle(std::string_view text);

}  // namespace octavo
