// Checks whether the packed values equal the source's.
#pragma once

#include <cstdint>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/report.hpp>

#include "report/origin.hpp"

namespace octavo::report {

/// Compares `split` with its source or, if that cannot be read, with the digest of its origin. See
/// QuantizationCertificate.
QuantizationCertificate certify(const Split& split, const Origin& origin);

/// The sum modulo 2^64, over all rows, of XXH3-64 of the sample's uint8 values, seeded with the row. A Writer stores it
/// as "source_digests".
std::uint64_t digest_of(const Split& split);

}  // namespace octavo::report
