// Small PNG and JPEG files with known values, for the image tests.
#pragma once

#include <cstdint>
#include <cstdio>
// jpeglib.h needs cstdio before it.
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace octavo::test {

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A PNG file to make. `rows` holds the rows as stored: packed bits, or 16 bits big-endian.
struct MadePng {
  int width = 1;
  int height = 1;
  int color_type = PNG_COLOR_TYPE_GRAY;
  int depth = 8;
  bool is_interlaced = false;
  std::vector<png_color> palette = {};
  std::vector<std::uint8_t> palette_alpha = {};
  int transparent_gray = -1;
  std::vector<std::uint8_t> rows = {};
};

inline std::string made_png(const MadePng& made) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  const auto append = [](png_structp writer, png_bytep data, std::size_t count) {
    static_cast<std::string*>(png_get_io_ptr(writer))->append(reinterpret_cast<const char*>(data), count);
  };
  png_set_write_fn(png, &file, append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(made.width), static_cast<png_uint_32>(made.height), made.depth,
               made.color_type, made.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!made.palette.empty()) png_set_PLTE(png, info, made.palette.data(), static_cast<int>(made.palette.size()));
  if (!made.palette_alpha.empty()) {
    png_set_tRNS(png, info, made.palette_alpha.data(), static_cast<int>(made.palette_alpha.size()), nullptr);
  }
  if (made.transparent_gray >= 0) {
    png_color_16 transparent = {};
    transparent.gray = static_cast<png_uint_16>(made.transparent_gray);
    png_set_tRNS(png, info, nullptr, 0, &transparent);
  }
  png_write_info(png, info);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t y = 0; y < static_cast<std::size_t>(made.height); ++y) {
      png_write_row(png, made.rows.data() + y * row_bytes);
    }
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

/// A JPEG file to make, without chroma subsampling. `values` are interleaved; inks are stored as given.
struct MadeJpeg {
  int width = 8;
  int height = 8;
  int components = 1;
  bool with_adobe_marker = false;
  bool is_progressive = false;
  int orientation = 0;  ///< EXIF; 0: none
  std::vector<std::uint8_t> values = {};
  int quality = 100;
};

/// A big-endian EXIF block whose first directory holds only the orientation.
inline std::string exif_block(int orientation) {
  std::string block("Exif\0\0MM\0\x2A\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\0\0\0\0\0\0\0", 32);
  block[25] = static_cast<char>(orientation);
  return block;
}

/// An XMP packet with the orientation as an attribute.
inline std::string xmp_packet(int orientation) {
  return "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description tiff:Orientation=\"" + std::to_string(orientation) +
         "\"/></x:xmpmeta>";
}

/// What precedes an XMP packet in JPEG.
inline std::string xmp_mark() { return {"http://ns.adobe.com/xap/1.0/\0", 29}; }

/// The JPEG file with this APP1 segment at its beginning.
inline std::string with_app1(const std::string& jpeg, const std::string& body) {
  const std::size_t length = body.size() + 2;
  const std::string head = {'\xFF', '\xE1', static_cast<char>(length >> 8), static_cast<char>(length)};
  return jpeg.substr(0, 2) + head + body + jpeg.substr(2);
}

/// The PNG file with another chunk after its header chunk, which ends at byte 33.
inline std::string with_png_chunk(const std::string& png, const std::string& name, const std::string& body) {
  const auto number = [](unsigned long value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  const std::string named = name + body;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size()));
  return png.substr(0, 33) + number(body.size()) + named + number(crc) + png.substr(33);
}

inline std::string made_jpeg(const MadeJpeg& made) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long length = 0;
  jpeg_mem_dest(&info, &buffer, &length);
  info.image_width = static_cast<JDIMENSION>(made.width);
  info.image_height = static_cast<JDIMENSION>(made.height);
  info.input_components = made.components;
  info.in_color_space = made.components == 1 ? JCS_GRAYSCALE : made.components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, made.quality, TRUE);
  for (int i = 0; i < made.components; ++i) info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  if (made.components == 4) info.write_Adobe_marker = made.with_adobe_marker ? TRUE : FALSE;
  if (made.is_progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  if (made.orientation != 0) {
    const std::string block = exif_block(made.orientation);
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(block.data()),
                      static_cast<unsigned>(block.size()));
  }
  while (info.next_scanline < info.image_height) {
    const std::size_t at =
        static_cast<std::size_t>(info.next_scanline) * static_cast<std::size_t>(made.width * made.components);
    JSAMPROW row = const_cast<JSAMPROW>(made.values.data() + at);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(buffer), length);
  jpeg_destroy_compress(&info);
  std::free(buffer);
  return file;
}

/// A gray image of 16 x 8 with halves of values `left` and `right`. Its blocks are flat, so JPEG preserves it.
inline MadeJpeg two_halves(std::uint8_t left, std::uint8_t right) {
  MadeJpeg made = {.width = 16, .height = 8};
  for (int y = 0; y < 8; ++y) {
    made.values.insert(made.values.end(), 8, left);
    made.values.insert(made.values.end(), 8, right);
  }
  return made;
}

/// A flat 8 x 8 image with one pixel's values.
inline MadeJpeg flat(const std::vector<std::uint8_t>& pixel) {
  MadeJpeg made = {.components = static_cast<int>(pixel.size())};
  for (int i = 0; i < 64; ++i) made.values.insert(made.values.end(), pixel.begin(), pixel.end());
  return made;
}

/// A gray PNG with 2 x 1 pixels of one value.
inline std::string gray_png(std::uint8_t value) { return made_png({.width = 2, .rows = {value, value}}); }

}  // namespace octavo::test
