// How the records of a CIFAR binary file are laid out, and finding that out from the file.
#pragma once

#include <cstdint>
#include <optional>

#include "support/file.hpp"

namespace octavo::sources {

/// A record: its label bytes, of which the last counts, then 3 x 32 x 32 bytes in planes R, G, B.
struct CifarLayout {
  std::int64_t label_bytes = 1;  ///< 1: CIFAR-10; 2: CIFAR-100, coarse and fine
  std::int32_t class_count = 10;

  std::int64_t record_bytes() const { return label_bytes + 3 * 32 * 32; }
  const char* name() const { return label_bytes == 1 ? "cifar10" : "cifar100"; }
};

inline constexpr CifarLayout kCifar10 = {1, 10};
inline constexpr CifarLayout kCifar100 = {2, 100};

/// The layout that divides the file's length into whole records; where both do, the one whose labels are in range.
/// Where none does, the one whose first records have labels in range, so that a cut file is named as such.
std::optional<CifarLayout> detect_cifar(const File& file);

}  // namespace octavo::sources
