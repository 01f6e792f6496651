#include "images/webp/webp_decoder.hpp"

#include <webp/decode.h>

#include <new>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "images/alpha.hpp"
#include "images/webp/webp_header.hpp"

namespace octavo::images {
namespace {

const std::uint8_t* data_of(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

void check(VP8StatusCode status) {
  if (status == VP8_STATUS_OK) return;
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED) {
    throw FormatError("its WebP data are cut short");
  }
  if (status == VP8_STATUS_UNSUPPORTED_FEATURE) throw FormatError("it uses a WebP feature that libwebp does not know");
  throw FormatError("its WebP data are damaged");
}

/// Whether an image has alpha. Throws FormatError unless it has the expected size.
bool has_alpha(std::span<const std::byte> image, std::int64_t width, std::int64_t height) {
  WebPBitstreamFeatures features;
  check(WebPGetFeatures(data_of(image), image.size(), &features));
  if (features.width != width || features.height != height) throw FormatError("its WebP headers disagree");
  return features.has_alpha != 0;
}

/// Decodes into rows of `values_a_pixel` values: R, G, B and, with four, alpha.
void decode_into(std::span<const std::byte> image, std::int64_t width, std::int64_t values_a_pixel,
                 std::span<std::uint8_t> values) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    throw Unavailable("decode WebP: the loaded libwebp is incompatible with this build; install a matching one");
  config.output.colorspace = values_a_pixel == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = values.data();
  config.output.u.RGBA.stride = static_cast<int>(width * values_a_pixel);
  config.output.u.RGBA.size = values.size();
  check(WebPDecode(data_of(image), image.size(), &config));
}

/// Decodes one image with alpha and composites it over the background at (x, y).
void compose(const WebpFrame& frame, const std::array<std::uint8_t, 3>& background, Pixels& canvas) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(4 * frame.width * frame.height));
  decode_into(frame.data, frame.width, 4, values);
  const std::uint8_t* from = values.data();
  for (std::int64_t y = 0; y < frame.height; ++y) {
    std::uint8_t* to = canvas.row(frame.y + y) + 3 * frame.x;
    for (std::int64_t x = 0; x < frame.width; ++x, from += 4, to += 3) put_over(from, 3, from[3], background, 3, to);
  }
}

}  // namespace

Pixels decode_webp(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  const bool is_animated = is_animated_webp(file);
  const WebpFrame frame =
      is_animated ? first_webp_frame(file) : WebpFrame{0, 0, header.stored_width(), header.stored_height(), file};
  const bool with_alpha = has_alpha(frame.data, frame.width, frame.height);
  Pixels image(header.stored_width(), header.stored_height(), 3);
  if (!is_animated && !with_alpha) {
    decode_into(file, image.width, 3, image.values);
    return image;
  }
  fill_with(options.background, image);
  compose(frame, options.background, image);
  return image;
}

}  // namespace octavo::images
