// What every fuzz target begins with: its one function, and the rule for what it may let pass.
#pragma once

#include <octavo/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// Feeds `size` bytes to one parser. Returns 0. libFuzzer calls it with made bytes, replay/ with files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace octavo::fuzz {

using Bytes = std::span<const std::byte>;

inline Bytes bytes_of(const std::uint8_t* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

inline std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// How many inputs run_input() has seen read to their end. replay/ asks that a corpus holds such: a target that refuses
/// everything tests nothing behind its first check.
inline std::int64_t inputs_read = 0;

/// Runs `parse`, which may refuse its bytes by an error of ours and in no other way: std::bad_alloc, too, ends the
/// process, because no claim of a small file is to ask for that much memory.
template <typename Parse>
void refuse_or_read(const Parse& parse) {
  try {
    parse();
  } catch (const Error&) {
    // What the bytes deserve.
  }
}

/// refuse_or_read() for what a target is about: `parse` returns whether it took the bytes for such a thing. Returns 0,
/// as libFuzzer wants it.
template <typename Parse>
int run_input(const Parse& parse) {
  refuse_or_read([&] { inputs_read += parse() ? 1 : 0; });
  return 0;
}

}  // namespace octavo::fuzz
