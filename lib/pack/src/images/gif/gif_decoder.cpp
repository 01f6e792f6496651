#include "images/gif/gif_decoder.hpp"

#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "images/alpha.hpp"
#include "images/gif/gif_header.hpp"

namespace octavo::images {
namespace {

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};

[[noreturn]] void refuse(int error) {
  if (error == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
  const char* const text = GifErrorString(error);
  throw FormatError(std::string("its GIF data are damaged: ") + (text != nullptr ? text : "unknown error"));
}

int on_read(GifFileType* gif, GifByteType* out, int byte_count) {
  auto& unread = *static_cast<std::span<const std::byte>*>(gif->UserData);
  const std::size_t count = std::min(unread.size(), static_cast<std::size_t>(byte_count));
  if (count > 0) std::memcpy(out, unread.data(), count);
  unread = unread.subspan(count);
  return static_cast<int>(count);
}

/// Owns a giflib reader, positioned at the first frame's pixels. giflib reports errors by return values.
class GifFrame {
 public:
  explicit GifFrame(std::span<const std::byte> file) : unread_(file) {
    int error = 0;
    gif_.reset(DGifOpen(&unread_, &on_read, &error));
    if (!gif_) refuse(error);
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    while (next(type) && type != IMAGE_DESC_RECORD_TYPE) skip_extension(type);
    check(DGifGetImageDesc(gif_.get()));
  }

  void check_agrees(const GifLayout& layout) const {
    if (gif_->Image.Width != layout.frame_width || gif_->Image.Height != layout.frame_height) {
      throw FormatError("its GIF headers disagree");
    }
  }

  void read_row(std::vector<std::uint8_t>& numbers) {
    check(DGifGetLine(gif_.get(), numbers.data(), static_cast<int>(numbers.size())));
  }

  /// Whether another frame follows the pixels. Damage after them is not reported.
  bool is_followed_by_frame() {
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    while (DGifGetRecordType(gif_.get(), &type) != GIF_ERROR && type == EXTENSION_RECORD_TYPE) {
      int code = 0;
      GifByteType* block = nullptr;
      int result = DGifGetExtension(gif_.get(), &code, &block);
      while (result != GIF_ERROR && block != nullptr) result = DGifGetExtensionNext(gif_.get(), &block);
      if (result == GIF_ERROR) return false;
    }
    return type == IMAGE_DESC_RECORD_TYPE;
  }

 private:
  bool next(GifRecordType& type) {
    check(DGifGetRecordType(gif_.get(), &type));
    return true;
  }

  void skip_extension(GifRecordType type) {
    if (type != EXTENSION_RECORD_TYPE) throw FormatError("it is a GIF file without an image");
    int code = 0;
    GifByteType* block = nullptr;
    check(DGifGetExtension(gif_.get(), &code, &block));
    while (block != nullptr) check(DGifGetExtensionNext(gif_.get(), &block));
  }

  void check(int result) const {
    if (result == GIF_ERROR) refuse(gif_->Error);
  }

  std::span<const std::byte> unread_;
  std::unique_ptr<GifFileType, CloseGif> gif_;
};

/// The frame's rows in the order in which they are stored.
std::vector<std::int64_t> row_order(const GifLayout& layout) {
  std::vector<std::int64_t> rows;
  const auto add = [&](std::int64_t first, std::int64_t step) {
    for (std::int64_t y = first; y < layout.frame_height; y += step) rows.push_back(y);
  };
  if (layout.is_interlaced) {
    // GIF89a, appendix E: every eighth row, then those half-way between, and so on.
    add(0, 8), add(4, 8), add(2, 4), add(1, 2);
  } else {
    add(0, 1);
  }
  return rows;
}

}  // namespace

Pixels decode_gif(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  const auto layout = read_gif_layout(file);
  if (!layout) throw FormatError("it is cut short inside its header");
  check_stored_size(header, layout->width, layout->height);
  GifFrame frame(file);
  frame.check_agrees(*layout);
  const bool shows_background = layout->transparent >= 0 || !layout->covers_canvas();
  const std::int64_t colors = is_gray(layout->palette) ? 1 : 3;
  Pixels image(layout->width, layout->height, channels_over(colors, shows_background, options.background));
  if (shows_background) fill_with(options.background, image);
  std::vector<std::uint8_t> numbers(static_cast<std::size_t>(layout->frame_width));
  for (const std::int64_t y : row_order(*layout)) {
    frame.read_row(numbers);
    std::uint8_t* to = image.row(layout->frame_y + y) + layout->frame_x * image.channels;
    for (const int number : numbers) {
      if (number != layout->transparent) {
        if (static_cast<std::size_t>(number) >= layout->palette.size()) {
          throw FormatError("its pixels use colors that its palette lacks");
        }
        std::copy_n(layout->palette[static_cast<std::size_t>(number)].begin(), image.channels, to);
      }
      to += image.channels;
    }
  }
  if (frame.is_followed_by_frame()) image.oddities.add(Oddity::more_frames);
  return image;
}

}  // namespace octavo::images
