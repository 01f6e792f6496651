#include "packing/max_error.hpp"

#include <string>

#include <octavo/errors.hpp>

namespace octavo::packing {

void check_max_error(std::optional<int> max_error) {
  if (!max_error || (*max_error >= 0 && *max_error <= kMostMaxError)) return;
  throw InvalidArgument("pack: `max_error` is " + std::to_string(*max_error) + "; expected 0 to " +
                        std::to_string(kMostMaxError));
}

void check_max_error(std::optional<int> max_error, Compression compression) {
  check_max_error(max_error);
  if (max_error.value_or(0) == 0 || stays_compressed(compression)) return;
  throw InvalidArgument("pack with `max_error` " + std::to_string(*max_error) + ": files with compression " +
                        to_string(compression) + " store values exactly; choose lp8 or lc8, or omit `max_error`");
}

}  // namespace octavo::packing
