// The host does not know which bytes of its memory are undefined.
#include "unwritten.hpp"

void octavo::test::mark_unwritten(void*, std::size_t) {}
std::size_t octavo::test::unwritten_bytes(const void*, std::size_t) { return 0; }
