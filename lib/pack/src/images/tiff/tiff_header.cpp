#include "images/tiff/tiff_header.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "images/byte_view.hpp"
#include "images/image_codec.hpp"
#include "images/tiff/tiff_decoder.hpp"
#include "images/tiff/tiff_samples.hpp"
#include "images/xmp_orientation.hpp"
#include "support/checked_math.hpp"

namespace octavo::images {
namespace {

// TIFF 6.0, section 2: byte order, 42 (BigTIFF: 43), offset of the first directory.
constexpr int kTiff = 42, kBigTiff = 43;

/// The tags that are read here; values are part of the format.
enum Tag : int {
  kPageKind = 254,
  kWidth = 256,
  kHeight = 257,
  kBits = 258,
  kCompression = 259,
  kColorModel = 262,
  kOrientation = 274,
  kSamples = 277,
  kExtraSamples = 338,
  kSampleFormat = 339,
  kXmp = 700
};

constexpr int kKnownTags[] = {kPageKind,   kWidth,       kHeight,  kBits,         kCompression,
                              kColorModel, kOrientation, kSamples, kExtraSamples, kSampleFormat};

// The types that an XMP packet has.
constexpr int kByte = 1, kUndefined = 7;
// Bits of the page kind: a smaller version of another page, or its mask.
constexpr std::uint64_t kIsReduced = 1, kIsMask = 4;
// Pages that are looked at: more than one image has smaller versions.
constexpr int kMostDirectories = 64;
// More than any camera writes.
constexpr std::uint64_t kLargestXmp = std::uint64_t{1} << 20;

// Color models: gray with white as 0, gray with black as 0; YCbCr, whose color may have fewer samples.
constexpr std::uint64_t kWhiteIsZero = 0, kBlackIsZero = 1, kRgb = 2, kYCbCr = 6;
// Sample formats.
constexpr std::uint64_t kUnsigned = 1, kSigned = 2, kFloat = 3;

/// Sizes of the fields in directories of TIFF and BigTIFF.
struct Sizes {
  std::int64_t count, entry, value_at, value;
};
constexpr Sizes kTiffSizes = {2, 12, 8, 4}, kBigTiffSizes = {8, 20, 12, 8};

ByteOrder order_of(std::byte first) { return first == std::byte{'M'} ? ByteOrder::big : ByteOrder::little; }

/// Bytes of one value of an integer type: BYTE, SHORT, LONG, LONG8; 0 for other types.
std::int64_t integer_bytes(int type) { return type == 1 ? 1 : type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 0; }

class Directory {
 public:
  /// The first directory of a file.
  explicit Directory(const FileBytes& file) : file_(file) {
    const auto start = file.read(0, std::min<std::int64_t>(16, file.length()));
    order_ = order_of(start[0]);
    const ByteView view(start, order_);
    is_big_ = view.u16(2) == kBigTiff;
    sizes_ = is_big_ ? kBigTiffSizes : kTiffSizes;
    read(is_big_ ? view.u64(8) : view.u32(4));
  }

  /// The first value of a tag.
  std::uint64_t value(Tag tag, std::uint64_t otherwise) const {
    const auto found = values_.find(tag);
    return found == values_.end() ? otherwise : found->second;
  }

  bool has(Tag tag) const { return values_.contains(tag); }

  /// Reads the next directory; returns false if there is none.
  bool go_to_next() {
    if (next_ == 0) return false;
    values_.clear();
    xmp_.clear();
    read(next_);
    return true;
  }

  /// The XMP packet; empty if there is none.
  const std::vector<std::byte>& xmp() const { return xmp_; }

  std::int64_t side(Tag tag) const {
    const std::uint64_t pixels = value(tag, 0);
    if (pixels > UINT32_MAX) throw FormatError("it claims a side of " + std::to_string(pixels) + " pixels");
    return static_cast<std::int64_t>(pixels);
  }

 private:
  void read(std::uint64_t at) {
    if (at > static_cast<std::uint64_t>(file_.length())) throw CutShort();
    const auto head = file_.read(static_cast<std::int64_t>(at), sizes_.count);
    const ByteView view(head, order_);
    const std::uint64_t count = is_big_ ? view.u64(0) : view.u16(0);
    if (count > 65535) throw FormatError("its TIFF directory claims " + std::to_string(count) + " entries");
    const auto entries =
        file_.read(static_cast<std::int64_t>(at) + sizes_.count, static_cast<std::int64_t>(count) * sizes_.entry);
    for (std::size_t i = 0; i < count; ++i) read_entry(ByteView(entries, order_), i);
    read_next(static_cast<std::int64_t>(at) + sizes_.count + std::ssize(entries));
  }

  /// The offset of the next directory follows the entries. At the end of a file it may be missing.
  void read_next(std::int64_t at) {
    next_ = 0;
    if (file_.length() - at < sizes_.value) return;
    const auto offset = file_.read(at, sizes_.value);
    next_ = is_big_ ? ByteView(offset, order_).u64(0) : ByteView(offset, order_).u32(0);
  }

  void read_entry(const ByteView& entries, std::size_t i) {
    const std::size_t at = i * static_cast<std::size_t>(sizes_.entry);
    const int tag = entries.u16(at), type = entries.u16(at + 2);
    const std::int64_t bytes = integer_bytes(type);
    const std::uint64_t count = is_big_ ? entries.u64(at + 4) : entries.u32(at + 4);
    if (tag == kXmp && (type == kByte || type == kUndefined)) return read_xmp(entries, at, count);
    const bool is_known = std::ranges::find(kKnownTags, tag) != std::end(kKnownTags);
    // If a tag occurs twice, the first counts, as in libtiff.
    if (!is_known || bytes == 0 || count == 0 || values_.contains(tag)) return;
    const std::size_t value_at = at + static_cast<std::size_t>(sizes_.value_at);
    if (count <= static_cast<std::uint64_t>(sizes_.value / bytes)) {
      values_[tag] = integer(entries, value_at, bytes);
      return;
    }
    const std::uint64_t elsewhere = is_big_ ? entries.u64(value_at) : entries.u32(value_at);
    if (elsewhere > static_cast<std::uint64_t>(file_.length())) throw CutShort();
    const auto value = file_.read(static_cast<std::int64_t>(elsewhere), bytes);
    values_[tag] = integer(ByteView(value, order_), 0, bytes);
  }

  void read_xmp(const ByteView& entries, std::size_t at, std::uint64_t byte_count) {
    const std::size_t value_at = at + static_cast<std::size_t>(sizes_.value_at);
    const std::uint64_t elsewhere = is_big_ ? entries.u64(value_at) : entries.u32(value_at);
    const auto length = static_cast<std::uint64_t>(file_.length());
    // A packet that fits into the entry has no orientation.
    const bool is_usable = xmp_.empty() && byte_count > 8 && byte_count <= kLargestXmp && elsewhere <= length;
    if (!is_usable || byte_count > length - elsewhere) return;
    xmp_ = file_.read(static_cast<std::int64_t>(elsewhere), static_cast<std::int64_t>(byte_count));
  }

  static std::uint64_t integer(const ByteView& view, std::size_t at, std::int64_t bytes) {
    return bytes == 1 ? view.u8(at) : bytes == 2 ? view.u16(at) : bytes == 4 ? view.u32(at) : view.u64(at);
  }

  const FileBytes& file_;
  ByteOrder order_ = ByteOrder::little;
  bool is_big_ = false;
  Sizes sizes_ = kTiffSizes;
  std::uint64_t next_ = 0;  ///< where the next directory is; 0: there is none
  std::map<int, std::uint64_t> values_;
  std::vector<std::byte> xmp_;
};

/// Whether there is another page: a directory that is neither a smaller version of a page nor a mask.
bool has_more_pages(Directory directory) {
  try {
    for (int count = 0; count < kMostDirectories && directory.go_to_next(); ++count) {
      if ((directory.value(kPageKind, 0) & (kIsReduced | kIsMask)) == 0) return true;
    }
  } catch (const FormatError&) {  // a damaged directory is not a page
  }
  return false;
}

void set_channels(const Directory& directory, ImageHeader& header) {
  const std::uint64_t model = directory.value(kColorModel, kWhiteIsZero);
  header.channels = model == kWhiteIsZero || model == kBlackIsZero ? 1 : 3;
  if (model > kRgb) return;
  const std::uint64_t samples = directory.value(kSamples, 1);
  const auto first_extra =
      directory.has(kExtraSamples) ? std::optional(directory.value(kExtraSamples, 0)) : std::nullopt;
  header.has_bands = samples_of(static_cast<std::uint64_t>(header.channels), samples, first_extra).are_bands;
  if (header.has_bands) header.channels = static_cast<std::int64_t>(std::min<std::uint64_t>(samples, 65535));
}

int orientation_of(const Directory& directory) {
  if (!directory.has(kOrientation)) return xmp_orientation(directory.xmp()).value_or(1);
  const std::uint64_t orientation = directory.value(kOrientation, 1);
  return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
}

/// The largest number of pixel bytes per file byte for a compression.
std::int64_t largest_ratio(std::uint64_t compression, std::int64_t row_bytes, std::int64_t usual) {
  switch (compression) {
    case 1:
      return 1;  // none
    case 2:
    case 3:
    case 4:
      return std::max<std::int64_t>(8 * row_bytes, 1);  // fax: one bit for a row that equals the one above
    case 5:
      return 2600;  // LZW: a code of 12 bits for less than 3,840 values
    case 32773:
      return 64;  // PackBits: two bytes for 128
    default:
      return usual;
  }
}

/// The minimum bytes of a row: in YCbCr one value per pixel, as for JPEG.
std::int64_t row_bytes_of(const Directory& directory, std::int64_t width) {
  const std::uint64_t samples = std::min<std::uint64_t>(directory.value(kSamples, 1), 65535);
  const std::uint64_t bits = std::min<std::uint64_t>(directory.value(kBits, 1), 64);
  if (directory.value(kColorModel, 0) == kYCbCr) return width;
  return (width * static_cast<std::int64_t>(samples * bits) + 7) / 8;
}

/// Sets the type of the values. Other types and color models are converted to 8 bits, or refused by the decoder.
void set_element(const Directory& directory, ImageHeader& header) {
  if (directory.value(kColorModel, kWhiteIsZero) > kRgb) return;
  const std::uint64_t format = directory.value(kSampleFormat, kUnsigned), bits = directory.value(kBits, 1);
  if (format == kUnsigned && bits > 8 && bits <= 16) {
    header.element = arrays::Element::uint16;
    header.white = static_cast<double>((1 << bits) - 1);
  } else if ((format == kSigned && bits == 16) || (format == kFloat && bits == 32)) {
    header.element = format == kSigned ? arrays::Element::int16 : arrays::Element::float32;
    header.white = 0.0;
  }
}

}  // namespace

bool is_tiff(std::span<const std::byte> bytes) {
  if (bytes.size() < 4 || bytes[0] != bytes[1]) return false;
  if (bytes[0] != std::byte{'I'} && bytes[0] != std::byte{'M'}) return false;
  const int version = ByteView(bytes, order_of(bytes[0])).u16(2);
  return version == kTiff || version == kBigTiff;
}

ImageHeader parse_tiff_header(const FileBytes& file) {
  Directory directory(file);
  ImageHeader header;
  header.width = directory.side(kWidth);
  header.height = directory.side(kHeight);
  set_channels(directory, header);
  const std::int64_t row_bytes = row_bytes_of(directory, header.width);
  header.raw_bytes = checked_product({header.height, row_bytes}).value_or(INT64_MAX);
  header.largest_ratio = largest_ratio(directory.value(kCompression, 1), row_bytes, header.largest_ratio);
  set_element(directory, header);
  header.orientation = orientation_of(directory);
  if (has_more_pages(std::move(directory))) header.oddities.add(Oddity::more_pages);
  if (header.orientation >= 5) std::swap(header.width, header.height);
  return header;
}

const ImageCodec kTiffCodec = {
    .name = "TIFF",
    .extensions = {".tif", ".tiff"},
    .matches = &is_tiff,
    .header_in_file = &parse_tiff_header,
    .decode = &decode_tiff,
    .decode_deep = &decode_deep_tiff,
};

}  // namespace octavo::images
