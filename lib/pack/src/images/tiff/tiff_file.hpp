// A TIFF file in memory, opened by libtiff.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace octavo::images {

/// Owns a libtiff reader. libtiff reports errors by return values, and their reason through handlers of this reader:
/// nothing is printed, and the host program's handlers are not changed.
class TiffFile {
 public:
  /// Opens the file and reads its first directory. `most_bytes` bounds each of libtiff's own allocations. Throws
  /// FormatError with the reason only. `file` must outlive this.
  TiffFile(std::span<const std::byte> file, std::int64_t most_bytes);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_.get(); }

  /// After this call, warnings are errors too, because they report damaged pixels.
  void expect_pixels() { state_.warnings_count = true; }

  /// Throws FormatError if `succeeded` is false, or if there was an error or a warning that counts.
  void check(bool succeeded) const;

  /// The value of a tag of 16 bits, or its default.
  std::uint16_t value(std::uint32_t tag) const;

  /// The state of libtiff's callbacks.
  struct State {
    std::span<const std::byte> file;
    std::int64_t at = 0;
    bool warnings_count = false;
    bool failed = false;
    char message[256] = {};
  };

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };

  State state_;
  std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace octavo::images
