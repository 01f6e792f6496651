// IDX files (MNIST's format): bytes 0, 0, type, number of axes; each axis as a big-endian 32-bit number; the numbers.
#pragma once

#include <memory>
#include <span>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// Whether these first four bytes of a file, or of what is inflated from it, are those of an IDX file.
bool is_idx_magic(std::span<const std::byte> first_four);

/// The array in an IDX file. Throws FormatError if it is no IDX file, holds nothing, or has another length than it
/// says; nothing is allocated on its word.
std::unique_ptr<Array> open_idx(std::shared_ptr<files::ByteStream> stream);

}  // namespace octavo::arrays
