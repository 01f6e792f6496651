// Outputs of tests as undefined memory of the interpreter.
#include "unwritten.hpp"

#include "launch/heap.hpp"

void octavo::test::mark_unwritten(void* begin, std::size_t bytes) {
  if (bytes > 0) device_code::mark_undefined(begin, bytes);
}
std::size_t octavo::test::unwritten_bytes(const void* begin, std::size_t bytes) {
  return bytes == 0 ? 0 : device_code::undefined_bytes(begin, bytes);
}
