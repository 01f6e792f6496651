// Fuzzes the header parsers of all image formats, with the bytes as a whole file and as the beginning of one.
#include "images/image_header.hpp"

#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::bytes_of(data, size);
  fuzz::refuse_or_read([&] { images::parse_header(bytes, false); });
  return fuzz::run_input([&] {
    const auto header = images::parse_header(bytes, true);
    images::check_claim(*header, std::ssize(bytes), {});
    if (header->width < 1 || header->height < 1) __builtin_trap();
    const bool are_colors = header->channels == 1 || header->channels == 3;
    const bool are_bands = header->channels > 1 && header->channels <= images::kMostBands;
    if (header->has_bands ? !are_bands : !are_colors) __builtin_trap();
    return true;
  });
}
