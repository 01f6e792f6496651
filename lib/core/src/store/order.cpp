#include <octavo/order.hpp>

#include <string>

#include <octavo/errors.hpp>

#include "kernels/permute.hpp"

namespace octavo {

std::int64_t shuffled_sample(std::uint64_t seed, std::uint64_t epoch, std::int64_t position,
                             std::int64_t sample_count) {
  if (position < 0 || position >= sample_count) {
    throw InvalidArgument("look up the order: position " + std::to_string(position) + " is not in [0, " +
                          std::to_string(sample_count) + ")");
  }
  return kernels::permute(kernels::make_order_key(sample_count, seed, epoch, true), position);
}

}  // namespace octavo
