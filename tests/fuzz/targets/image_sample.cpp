// Fuzzes the conversion of image files of all formats to samples: decoding, orientation, resizing and channel
// conversion. The first byte selects the options.
#include <array>

#include "support/decode_format.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return fuzz::run_input([&] {
    constexpr std::array<Fit, 3> kFits = {Fit::crop, Fit::pad, Fit::stretch};
    const auto file = fuzz::bytes_of(data + 1, size - 1);
    const images::ImageHeader header = images::checked_header(file, fuzz::kSmallImages);
    const std::int64_t colors = data[0] % 2 == 0 ? 1 : 3;
    const images::Target target = {.shape = {header.has_bands ? header.channels : colors, 1 + data[0] / 32, 5},
                                   .may_resize = true,
                                   .fit = kFits[data[0] / 2 % kFits.size()],
                                   .background = {7, 8, 9}};
    std::vector<std::uint8_t> values(static_cast<std::size_t>(target.shape.values()));
    const std::vector<ChannelQuantization> ranges(static_cast<std::size_t>(target.shape.channels), {2.0, 1.0});
    arrays::Quantizer quantizer(ranges, header.element, 1);
    arrays::Quantizer::Sample quantized(quantizer);
    images::read_sample(file, header, target, &quantized, values);
    quantizer.add(0, quantized);
    return true;
  });
}
