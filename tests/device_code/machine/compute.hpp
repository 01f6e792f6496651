// Instructions that compute a value from registers: for each lane, and which bits of the result are undefined.
#pragma once

#include "machine/machine.hpp"

namespace device_code {

/// Executes one of these instructions. Throws std::runtime_error if it is unknown, as do the functions for each kind.
void compute(const Step& step);

/// mov.
void compute_move(const Step& step);
/// cvta: between an address in a memory and the generic address of the same byte.
void compute_address(const Step& step);
/// cvt.
void compute_conversion(const Step& step);
/// mov and logic of whole predicates: a bit for each lane.
void compute_predicate(const Step& step);
/// setp.
void compute_comparison(const Step& step);
/// selp.
void compute_selection(const Step& step);
/// Arithmetic of integers, and operations on bits.
void compute_integers(const Step& step);
/// Arithmetic of floats and doubles.
void compute_reals(const Step& step);

}  // namespace device_code
