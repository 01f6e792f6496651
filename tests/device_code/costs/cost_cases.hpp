// Typical launches of the kernels, whose work is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coded_case.hpp"
#include "kernels/gather.hpp"

namespace device_code {

/// A gather of a batch, with its memory.
struct CostCase {
  std::string name;
  octavo::kernels::GatherArgs args;
  std::vector<std::int8_t> codes;
  std::optional<octavo::test::CodedRows> coded;  ///< whose rows `codes` has then
  std::vector<std::uint32_t> labels, out_labels;
  std::vector<octavo::kernels::Affine> maps;
  std::unique_ptr<octavo::kernels::AugmentProgram> program;
  std::vector<std::byte> values, block_memory, decoded_memory;

  std::int64_t value_count() const { return args.batch_count * args.batch.values(); }
  /// The bytes that the gather must move: a code and a value for each value.
  std::int64_t ideal_bytes() const;
};

/// The launches of the table in docs/performance.md, in its order.
std::vector<std::unique_ptr<CostCase>> cost_cases();

}  // namespace device_code
