#include "format/coded_rows/divide_codes.hpp"

#include <octavo/compression.hpp>

#include "kernels/codecs/value_step.hpp"

namespace octavo::dataset_file {

void divide_codes(int max_error, std::span<std::byte> codes) {
  if (max_error == 0) return;
  const auto step = static_cast<std::uint32_t>(value_step(max_error));
  for (std::byte& code : codes) {
    code = static_cast<std::byte>(kernels::divide_code(std::to_integer<std::int8_t>(code), step));
  }
}

}  // namespace octavo::dataset_file
