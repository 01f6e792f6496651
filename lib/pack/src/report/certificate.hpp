// Whether the packed values are the source's.
#pragma once

#include <cstdint>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/report.hpp>

#include "report/origin.hpp"

namespace octavo::report {

/// Compares `split` with its source, else with the digest of its origin; see QuantizationCertificate.
QuantizationCertificate certify(const Split& split, const Origin& origin);

/// The sum modulo 2^64 over the rows of XXH3-64, seeded with the row, of the sample's uint8 values: what a Writer
/// stores as "source_digests".
std::uint64_t digest_of(const Split& split);

}  // namespace octavo::report
