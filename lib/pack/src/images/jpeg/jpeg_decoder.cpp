#include "images/jpeg/jpeg_decoder.hpp"

#include <csetjmp>
#include <cstdio>
// jpeglib.h needs the two above it.
#include <jerror.h>
#include <jpeglib.h>

#include <new>
#include <optional>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "images/color.hpp"

namespace octavo::images {
namespace {

// A progressive file has about ten scans; each costs a pass over the whole image, however few bytes it has.
constexpr int kMostScans = 100;
// Coefficients of a progressive file take two bytes per value, for at most four components, with padded edges.
constexpr long kJpegBytesAPixel = 10;
constexpr long kMemoryBytesAlways = 64L << 20;

/// libjpeg's error handler. Errors jump out of libjpeg's C frames to the setjmp in JpegDecoder::run, because no
/// exception may pass through them.
struct ErrorManager {
  jpeg_error_mgr base;  ///< first: libjpeg hands out a pointer to it
  std::jmp_buf jump;
  bool decoding = false;  ///< past the header, where warnings mean damaged pixels
  Oddities oddities;      ///< warnings that do not
  char message[JMSG_LENGTH_MAX];
};

ErrorManager& manager_of(j_common_ptr info) { return *reinterpret_cast<ErrorManager*>(info->err); }

[[noreturn]] void fail(j_common_ptr info) {
  ErrorManager& errors = manager_of(info);
  errors.base.format_message(info, errors.message);
  std::longjmp(errors.jump, 1);
}

/// Whether a scan out of sequence loses nothing of a coefficient: it sends the first bits of it once more, and as many
/// as before or more. Or it precedes the scan of the mean (coefficient 0), which finish() expects to come.
bool is_harmless_scan(const jpeg_decompress_struct& info, int component, int coefficient) {
  if (coefficient == 0 && info.Ss > 0) return true;
  return info.Ah == 0 && info.Al <= info.coef_bits[component][coefficient];
}

/// What libjpeg warns of if no pixel is affected; nullopt if the warning reports damaged pixels.
std::optional<Oddity> harmless_warning(const jpeg_decompress_struct& info, const ErrorManager& errors) {
  const int* const numbers = errors.base.msg_parm.i;
  switch (errors.base.msg_code) {
    case JWRN_NOT_SEQUENTIAL:
      // In a sequential file, nothing but these values is possible, and the decoder does not use what the file has.
      return Oddity::scan_header;
    case JWRN_BOGUS_PROGRESSION:
      if (is_harmless_scan(info, numbers[0], numbers[1])) return Oddity::scan_sequence;
      return std::nullopt;
    case JWRN_ADOBE_XFORM:
      return Oddity::adobe_transform;
    case JWRN_EXTRANEOUS_DATA:
      // Between the last block and the end marker: padding by some cameras.
      if (errors.decoding && numbers[1] == JPEG_EOI) return Oddity::bytes_after_scan;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  ErrorManager& errors = manager_of(info);
  if (const auto oddity = harmless_warning(*reinterpret_cast<j_decompress_ptr>(info), errors)) {
    errors.oddities.add(*oddity);
  } else if (errors.decoding || errors.base.msg_code == JWRN_JPEG_EOF) {
    fail(info);
  }
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  std::snprintf(manager_of(info).message, JMSG_LENGTH_MAX, "more than %d scans", kMostScans);
  std::longjmp(manager_of(info).jump, 1);
}

/// Owns a decompressor. Only run() calls its C functions, and turns their errors into FormatError.
class JpegDecoder {
 public:
  JpegDecoder() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = &fail;
    errors_.base.emit_message = &on_message;
    progress_.progress_monitor = &on_progress;
    run([this] { jpeg_create_decompress(&info_); });
    info_.progress = &progress_;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  void start(std::span<const std::byte> file, const ImageHeader& header, int reduction) {
    info_.mem->max_memory_to_use = kMemoryBytesAlways + kJpegBytesAPixel * (header.width * header.height);
    run([&] {
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
      jpeg_read_header(&info_, TRUE);
    });
    check_agrees(header);
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned>(reduction);
    info_.out_color_space = output_space();
    errors_.decoding = true;
    run([&] { jpeg_start_decompress(&info_); });
  }

  void read_row(std::uint8_t* row) {
    run([&] { jpeg_read_scanlines(&info_, &row, 1); });
  }

  void finish() {
    check_means();
    run([&] { jpeg_finish_decompress(&info_); });
  }

  const jpeg_decompress_struct& info() const { return info_; }
  Oddities oddities() const { return errors_.oddities; }

 private:
  /// Calls libjpeg. `call` and its callees must not own anything: an error jumps over their destructors.
  template <typename Call>
  void run(const Call& call) {
    if (setjmp(errors_.jump) != 0) {
      if (errors_.base.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
      throw FormatError(std::string("its JPEG data are damaged: ") + errors_.message);
    }
    call();
  }

  void check_agrees(const ImageHeader& header) const {
    const bool is_turned = header.orientation >= 5;
    const std::int64_t width = is_turned ? header.height : header.width;
    const std::int64_t height = is_turned ? header.width : header.height;
    if (info_.image_width != width || info_.image_height != height || info_.data_precision != 8) {
      throw FormatError("its JPEG frame headers disagree");
    }
  }

  /// Throws unless a progressive file has a scan with the means of the blocks of each component.
  void check_means() const {
    for (int i = 0; info_.progressive_mode && i < info_.num_components; ++i) {
      if (info_.coef_bits[i][0] < 0) throw FormatError("its JPEG data are damaged: a color component has no scan");
    }
  }

  J_COLOR_SPACE output_space() const {
    if (info_.num_components == 1) return JCS_GRAYSCALE;
    if (info_.num_components == 3) return JCS_RGB;
    if (info_.num_components == 4) return JCS_CMYK;
    throw FormatError("it has " + std::to_string(info_.num_components) + " color components; 1, 3 and 4 can be read");
  }

  jpeg_decompress_struct info_ = {};
  ErrorManager errors_ = {};
  jpeg_progress_mgr progress_ = {};
};

/// Inks are stored inverted, as Adobe programs write them. Files without Adobe's marker are no exception: Pillow and
/// the browsers invert all.
void inks_to_rgb(std::span<const std::uint8_t> inks, std::uint8_t* rgb) {
  for (std::size_t at = 0; at < inks.size(); at += 4, rgb += 3) {
    for (std::size_t i = 0; i < 3; ++i) rgb[i] = ink_to_light(255 - inks[at + i], 255 - inks[at + 3]);
  }
}

}  // namespace

Pixels decode_jpeg(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  JpegDecoder decoder;
  decoder.start(file, header, options.reduction);
  const jpeg_decompress_struct& info = decoder.info();
  Pixels image(info.output_width, info.output_height, info.out_color_space == JCS_GRAYSCALE ? 1 : 3);
  std::vector<std::uint8_t> inks(info.out_color_space == JCS_CMYK ? std::size_t{4} * info.output_width : 0);
  for (std::int64_t y = 0; y < image.height; ++y) {
    decoder.read_row(inks.empty() ? image.row(y) : inks.data());
    if (!inks.empty()) inks_to_rgb(inks, image.row(y));
  }
  decoder.finish();
  image.oddities = decoder.oddities();
  return image;
}

}  // namespace octavo::images
