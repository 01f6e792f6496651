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

/// Runs `parse`, which may refuse its bytes by an error of ours and in no other way: std::bad_alloc, too, ends the
/// process, because no claim of a small file is to ask for that much memory.
template <typename Parse>
int refuse_or_read(const Parse& parse) {
  try {
    parse();
  } catch (const Error&) {
    // What the bytes deserve.
  }
  return 0;
}

}  // namespace octavo::fuzz
