#include <octavo/sample.hpp>

namespace octavo {

std::string to_string(const SampleShape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" + std::to_string(shape.width);
}

}  // namespace octavo
