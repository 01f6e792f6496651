#include "images/png/png_decoder.hpp"

#include <png.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "images/color.hpp"
#include "png/png_errors.hpp"

namespace octavo::images {
namespace {

/// The state of libpng's callbacks.
struct State {
  std::span<const std::byte> unread;
  PngErrors errors;
};

void on_read(png_structp png, png_bytep out, std::size_t count) {
  State& state = *static_cast<State*>(png_get_io_ptr(png));
  if (count > state.unread.size()) png_error(png, "the file is cut short");
  std::memcpy(out, state.unread.data(), count);
  state.unread = state.unread.subspan(count);
}

/// Owns a libpng reader. Warnings are ignored because they do not affect pixels; CRC errors in any chunk are errors.
/// Only run() calls its functions, and turns their errors into FormatError.
class PngDecoder {
 public:
  explicit PngDecoder(std::span<const std::byte> file) : state_{file, {}} {
    png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &state_.errors, &PngErrors::on_error, &PngErrors::on_warning,
                                    &state_.errors, &PngErrors::on_allocate, &PngErrors::on_free);
    if (png_ == nullptr) throw std::bad_alloc();
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// What the values of rows are: colors, 8 or 16 bits, with alpha if there is transparency; or as they are stored, one
  /// in each byte.
  enum class Values { colors, stored };
  /// Reads up to the pixels.
  void start(const ImageHeader& header, Values values) {
    run([&] {
      png_set_read_fn(png_, &state_, &on_read);
      png_set_user_limits(png_, static_cast<png_uint_32>(header.stored_width()),
                          static_cast<png_uint_32>(header.stored_height()));
      // Skip all chunks that change no pixel: libpng would allocate as much memory as they claim to have.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
      png_read_info(png_, info_);
      if (values == Values::colors)
        png_set_expand(png_);
      else
        png_set_packing(png_);
      passes_ = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
    });
    check_stored_size(header, png_get_image_width(png_, info_), png_get_image_height(png_, info_));
  }

  void read_row(std::uint8_t* row) {
    run([&] { png_read_row(png_, row, nullptr); });
  }

  /// Reads to the end of the file, which checks that it is complete.
  void finish() {
    run([&] { png_read_end(png_, nullptr); });
  }

  int passes() const { return passes_; }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  int depth() const { return png_get_bit_depth(png_, info_); }
  int stored_channels() const { return png_get_channels(png_, info_); }

 private:
  /// Calls libpng. `call` and its callees must not own anything: an error jumps over their destructors.
  /// Not inlined, so that the frame that setjmp returns to has no variables of the caller.
  template <typename Call>
  [[gnu::noinline]] void run(const Call& call) {
    if (setjmp(png_jmpbuf(png_)) != 0) state_.errors.raise<FormatError>("its PNG data are damaged");
    call();
  }

  State state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

/// Converts rows from libpng to 8-bit rows without alpha. Transparent gray over a colored background becomes RGB.
class RowConverter {
 public:
  RowConverter(int depth, int stored_channels, const std::array<std::uint8_t, 3>& background)
      : bytes_a_value_(depth == 16 ? 2 : 1),
        stored_channels_(stored_channels),
        has_alpha_(stored_channels % 2 == 0),
        colors_(has_alpha_ ? stored_channels - 1 : stored_channels),
        channels_(has_alpha_ && !is_gray(background) ? 3 : colors_),
        background_(background) {}

  int channels() const { return channels_; }

  void convert(const std::uint8_t* from, std::int64_t width, std::uint8_t* to) const {
    const int channels = std::min(channels_, 3);  // 1 or 3, which the compiler cannot know
    for (std::int64_t x = 0; x < width; ++x, from += stored_channels_ * bytes_a_value_, to += channels) {
      const int alpha = has_alpha_ ? value(from, colors_) : 255;
      for (int channel = 0; channel < channels; ++channel) {
        const int color = value(from, std::min(channel, colors_ - 1));
        to[channel] = over(color, alpha, background_[static_cast<std::size_t>(channel)]);
      }
    }
  }

 private:
  int value(const std::uint8_t* pixel, int channel) const {
    if (bytes_a_value_ == 1) return pixel[channel];
    return narrow_16(pixel[2 * channel] << 8 | pixel[2 * channel + 1]);
  }

  int bytes_a_value_;
  int stored_channels_;
  bool has_alpha_;
  int colors_;    ///< stored, without alpha
  int channels_;  ///< of the result
  std::array<std::uint8_t, 3> background_;
};

/// Calls take(row, y) for each row of the image, then reads to the end of the file.
template <typename Take>
void read_rows(PngDecoder& decoder, const ImageHeader& header, const Take& take) {
  // An interlaced file delivers its rows several times, each time with more of their pixels.
  const bool is_interlaced = decoder.passes() > 1;
  const std::size_t row_bytes = decoder.row_bytes();
  std::vector<std::uint8_t> rows(row_bytes * static_cast<std::size_t>(is_interlaced ? header.stored_height() : 1));
  for (int pass = 0; pass < decoder.passes(); ++pass) {
    for (std::int64_t y = 0; y < header.stored_height(); ++y) {
      std::uint8_t* const row = rows.data() + (is_interlaced ? row_bytes * static_cast<std::size_t>(y) : 0);
      decoder.read_row(row);
      if (pass + 1 == decoder.passes()) take(row, y);
    }
  }
  decoder.finish();
}

}  // namespace

Pixels decode_png(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  PngDecoder decoder(file);
  decoder.start(header, PngDecoder::Values::colors);
  const RowConverter converter(decoder.depth(), decoder.stored_channels(), options.background);
  Pixels image(header.stored_width(), header.stored_height(), converter.channels());
  read_rows(decoder, header, [&](const std::uint8_t* row, std::int64_t y) {
    converter.convert(row, header.stored_width(), image.row(y));
  });
  return image;
}

DeepPixels decode_deep_png(std::span<const std::byte> file, const ImageHeader& header) {
  PngDecoder decoder(file);
  decoder.start(header, PngDecoder::Values::colors);
  if (decoder.depth() != 16) refuse_changed();
  const int stored_channels = decoder.stored_channels();
  const bool has_alpha = stored_channels % 2 == 0;
  DeepPixels image(header.stored_width(), header.stored_height(), has_alpha ? stored_channels - 1 : stored_channels,
                   has_alpha);
  float* value = image.values.data();
  std::uint8_t* alpha = image.alpha.data();
  read_rows(decoder, header, [&](const std::uint8_t* row, std::int64_t) {
    for (std::int64_t x = 0; x < header.stored_width(); ++x) {
      for (std::int64_t channel = 0; channel < image.channels; ++channel, row += 2) {
        *value++ = static_cast<float>(row[0] << 8 | row[1]);
      }
      if (!has_alpha) continue;
      *alpha++ = narrow_16(row[0] << 8 | row[1]);
      row += 2;
    }
  });
  return image;
}

Pixels decode_png_mask(std::span<const std::byte> file, const ImageHeader& header) {
  PngDecoder decoder(file);
  decoder.start(header, PngDecoder::Values::stored);
  if (decoder.depth() > 8) throw FormatError("it has more than 8 bits; the values of a mask are 0 to 255");
  const int stored = decoder.stored_channels(), kept = stored % 2 == 0 ? stored - 1 : stored;  // the last one is alpha
  Pixels mask(header.stored_width(), header.stored_height(), kept);
  bool is_opaque = true;
  read_rows(decoder, header, [&](const std::uint8_t* row, std::int64_t y) {
    std::uint8_t* out = mask.row(y);
    for (std::int64_t x = 0; x < mask.width; ++x, row += stored, out += kept) {
      std::copy_n(row, kept, out);
      is_opaque = is_opaque && (stored == kept || row[kept] == 255);
    }
  });
  if (!is_opaque) throw FormatError("it has transparent pixels; a mask has one channel, without transparency");
  return mask;
}

}  // namespace octavo::images
