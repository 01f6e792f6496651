// Load: the first stage of a gather reads the codes of a sample.
//
// A Rows policy finds the codes of a row: sample(row) is an object whose operator[](index) is the code c*P + p.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::kernels {

/// Rows whose codes are stored as they are, one byte each.
class PlainRows {
 public:
  OCTAVO_HOST_DEVICE explicit PlainRows(const PackedRows& packed) : packed_(packed) {}

  OCTAVO_HOST_DEVICE const std::int8_t* sample(std::int64_t row) const { return codes_of(packed_, row); }

 private:
  const PackedRows& packed_;
};

}  // namespace octavo::kernels
