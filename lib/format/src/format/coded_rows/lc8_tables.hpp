// The prefix codes of LC8 residuals: as they are stored, as decoders use them, and how they are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/codec.hpp"
#include "kernels/codecs/lc8_format.hpp"

namespace octavo::dataset_file {

/// How often each residual, modulo 256, came in each class.
using Lc8Counts = std::array<std::array<std::int64_t, 256>, kernels::kLc8Classes>;

/// The tables that code the counted residuals in few bits. Deterministic.
std::shared_ptr<const RowTables> make_lc8_tables(const Lc8Counts& counts);
/// The same for a few samples, which may lack residuals: as if others had come that `general` tables expect. Returns
/// `general` if it needs no more bits.
std::shared_ptr<const RowTables> fit_lc8_tables(const Lc8Counts& counts, std::shared_ptr<const RowTables> general);

/// As Codec::read_tables and Codec::default_tables.
std::shared_ptr<const RowTables> read_lc8_tables(std::span<const std::byte> stored);
std::shared_ptr<const RowTables> default_lc8_tables(const SampleShape& shape);

/// The bits of each residual, modulo 256, in each class: `bits`, from the lowest one on, and their number.
struct Lc8Code {
  std::uint16_t bits = 0;
  std::uint8_t bit_count = 0;
};
using Lc8Codes = std::array<std::array<Lc8Code, 256>, kernels::kLc8Classes>;
Lc8Codes lc8_codes(const RowTables& tables);

}  // namespace octavo::dataset_file
