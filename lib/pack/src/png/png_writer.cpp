#include "png/png_writer.hpp"

#include <png.h>

#include <new>
#include <string>

#include <octavo/errors.hpp>

#include "png/png_errors.hpp"

namespace octavo::png {
namespace {

constexpr png_uint_32 kLargestSide = 0x7FFFFFFF;

/// The state of libpng's callbacks.
struct State {
  std::vector<std::byte> file;
  PngErrors errors;
};

/// Returns false if memory ran out. A separate function: png_error must not jump out of a frame that catches.
bool append(std::vector<std::byte>& file, png_const_bytep bytes, std::size_t count) noexcept {
  try {
    const auto* const first = reinterpret_cast<const std::byte*>(bytes);
    file.insert(file.end(), first, first + count);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void on_write(png_structp png, png_bytep bytes, std::size_t count) {
  State& state = *static_cast<State*>(png_get_io_ptr(png));
  if (append(state.file, bytes, count)) return;
  state.errors.is_out_of_memory = true;
  png_error(png, "not enough memory");
}

void on_flush(png_structp) {}

/// Owns a libpng writer. Only run() calls its functions, and turns their errors into InvalidArgument.
class Encoder {
 public:
  Encoder() {
    png_ =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &state_.errors, &PngErrors::on_error, &PngErrors::on_warning,
                                  &state_.errors, &PngErrors::on_allocate, &PngErrors::on_free);
    if (png_ == nullptr) throw std::bad_alloc();
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
  }
  ~Encoder() { png_destroy_write_struct(&png_, &info_); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  std::vector<std::byte> encode(const ImageView& image) {
    run([&] {
      png_set_write_fn(png_, &state_, &on_write, &on_flush);
      png_set_user_limits(png_, kLargestSide, kLargestSide);
      png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
                   image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                   PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_write_info(png_, info_);
      const std::size_t row_bytes = static_cast<std::size_t>(image.width * image.channels);
      for (std::int64_t y = 0; y < image.height; ++y) {
        png_write_row(png_, image.values.data() + static_cast<std::size_t>(y) * row_bytes);
      }
      png_write_end(png_, info_);
    });
    return std::move(state_.file);
  }

 private:
  /// Calls libpng. `call` and its callees must not own anything: an error jumps over their destructors.
  /// Not inlined, so that the frame that setjmp returns to has no variables of the caller.
  template <typename Call>
  [[gnu::noinline]] void run(const Call& call) {
    if (setjmp(png_jmpbuf(png_)) != 0) state_.errors.raise<InvalidArgument>("make a PNG image");
    call();
  }

  State state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

std::vector<std::byte> encode(const ImageView& image) { return Encoder().encode(image); }

}  // namespace octavo::png
