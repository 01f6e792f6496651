// Where a batch goes.
#pragma once

#include "kernels/labels.hpp"

namespace octavo::store {

/// Destination and type of labels. Null if they are not needed.
struct LabelTarget {
  void* data = nullptr;
  kernels::LabelType type = kernels::LabelType::words;
};

/// Memory on the device, for images, labels and masks of the types that the spec and the labels have.
struct BatchTarget {
  void* images = nullptr;
  LabelTarget labels = {};
  void* masks = nullptr;  ///< null if they are not needed
};

}  // namespace octavo::store
