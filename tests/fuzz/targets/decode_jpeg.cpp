// Fuzzes the JPEG decoder, at full size and at one eighth.
#include "images/jpeg/jpeg_decoder.hpp"

#include "support/decode_format.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fuzz::bytes_of(data, size);
  fuzz::refuse_or_read([&] {
    const auto header = images::parse_header(file, true);
    if (header->codec->name != "JPEG") return;
    images::check_claim(*header, std::ssize(file), fuzz::kSmallImages);
    images::decode_jpeg(file, *header, {.reduction = 8});
  });
  return fuzz::decode_format(file, "JPEG");
}
