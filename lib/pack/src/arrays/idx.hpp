// IDX files (MNIST's format): bytes 0, 0, type, number of axes; each axis as a big-endian 32-bit number; the numbers.
#pragma once

#include <memory>
#include <span>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// Whether these are the first four bytes of an IDX file, after inflating if it is compressed.
bool is_idx_magic(std::span<const std::byte> first_four);

/// The array in an IDX file. Throws FormatError if it is not an IDX file, is empty, or its length does not match its
/// header; checks this before allocating.
std::unique_ptr<Array> open_idx(std::shared_ptr<files::ByteStream> stream);

}  // namespace octavo::arrays
