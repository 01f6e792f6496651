// TIFF, WebP, GIF, BMP and PNM images that claim more than they hold. PNG and JPEG are in bombs_test.cpp.
#include "../../lib/images/made_tiff.hpp"
#include "../../lib/sources/made_files.hpp"
#include "../tally.hpp"
#include "bomb.hpp"
#include "catch.hpp"

using namespace octavo::test;
using namespace std::string_literals;

namespace {

using Path = std::filesystem::path;

std::vector<std::string> tiff_bomb(const Path& folder, const MadeTiff& made) {
  return folder_with(folder, "c/a.tif", made_tiff(made));
}

const Bomb kTiffs[] = {
    {"a TIFF of 60,000 x 60,000",
     [](const Path& folder) { return tiff_bomb(folder, {.width = 60'000, .height = 60'000, .blocks = {"x"}}); },
     "a.tif"},
    {"a TIFF of 2^31 - 1 x 2^31 - 1",
     [](const Path& folder) { return tiff_bomb(folder, {.width = 0x7FFFFFFF, .height = 0x7FFFFFFF, .blocks = {"x"}}); },
     "a.tif"},
    {"a TIFF of 16,000 x 16,000 with one byte in it",
     [](const Path& folder) { return tiff_bomb(folder, {.width = 16'000, .height = 16'000, .blocks = {"x"}}); },
     "a.tif"},
    {"a deflated TIFF of 15,000 x 15,000 with too little in it",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 15'000,
                                 .height = 15'000,
                                 .tags = {{259, {8}}},
                                 .blocks = {compressed(Framing::zlib, "", 1000) + std::string(100'000, 'x')}});
     },
     "a.tif"},
    {"a TIFF of 4 x 4 with tiles of 65,520 x 65,520",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 4, .height = 4, .tags = {{322, {65'520}}, {323, {65'520}}}, .blocks = {"x"}});
     },
     "a.tif"},
    {"a deflated TIFF of 4 x 4 with tiles of 8,192 x 8,192",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 4,
                                 .height = 4,
                                 .tags = {{259, {8}}, {322, {8192}}, {323, {8192}}},
                                 .blocks = {compressed(Framing::zlib, "", 100)}});
     },
     "a.tif"},
    {"a TIFF of 4 x 4 with tiles of 0 x 0",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 4, .height = 4, .tags = {{322, {0}}, {323, {0}}}, .blocks = {"x"}});
     },
     "a.tif"},
    {"a TIFF of 4 x 4 with strips of 0 rows",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 4, .height = 4, .tags = {{278, {0}}}, .blocks = {"x"}});
     },
     "a.tif"},
    {"a TIFF whose strip is behind its end",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 4, .height = 4, .tags = {{273, {0xFFFFFFF0}}, {279, {0xFFFFFFFF}}}});
     },
     "a.tif"},
    {"a TIFF of 65,535 samples a pixel",
     [](const Path& folder) {
       return tiff_bomb(folder, {.width = 4, .height = 4, .tags = {{277, {65'535}}, {258, {8}}}, .blocks = {"x"}});
     },
     "a.tif"},
    {"a TIFF whose directory is said to have 65,535 entries",
     [](const Path& folder) { return folder_with(folder, "c/a.tif", "II*\0\x08\0\0\0\xFF\xFFxx"s); }, "a.tif"},
    {"a TIFF whose directory is behind its end",
     [](const Path& folder) { return folder_with(folder, "c/a.tif", "II*\0\xF0\xFF\xFF\xFFxx"s); }, "a.tif"},
    {"a BigTIFF whose directory is said to have 2^63 entries",
     [](const Path& folder) {
       return folder_with(folder, "c/a.tif",
                          "II+\0\x08\0\0\0"s + little_endian(16, 8) + little_endian(1ull << 63, 8) + "xxxx");
     },
     "a.tif"},
    {"a TIFF whose width is said to have 2^32 - 1 values",
     [](const Path& folder) {
       return folder_with(folder, "c/a.tif",
                          "II*\0\x08\0\0\0\1\0"s + little_endian(256, 2) + little_endian(4, 2) +
                              little_endian(0xFFFFFFFF, 4) + little_endian(0, 4) + little_endian(0, 4));
     },
     "a.tif"},
};

/// A RIFF file of these chunks.
std::string webp(const std::string& chunks) { return "RIFF" + little_endian(chunks.size() + 4, 4) + "WEBP" + chunks; }
std::string webp_chunk(const std::string& name, const std::string& data) {
  return name + little_endian(data.size(), 4) + data + std::string(data.size() % 2, '\0');
}
/// A VP8X chunk: flags, then canvas width - 1 and height - 1 in three bytes each.
std::string canvas(int flags, std::uint32_t width, std::uint32_t height) {
  return webp_chunk("VP8X", little_endian(static_cast<std::uint64_t>(flags), 4) + little_endian(width - 1, 3) +
                                little_endian(height - 1, 3));
}
/// A lossless image that claims this size and holds `bytes` zero bytes.
std::string lossless(std::uint32_t width, std::uint32_t height, std::size_t bytes) {
  return webp_chunk("VP8L", "\x2F" + little_endian((width - 1) | (height - 1) << 14, 4) + std::string(bytes, '\0'));
}

/// A GIF with this screen size, frame size and codes. `before` holds the blocks before the frame.
std::string gif(std::uint16_t screen, std::uint16_t frame, const std::string& codes, const std::string& before = "") {
  return "GIF89a" + little_endian(screen, 2) + little_endian(screen, 2) + "\x80\0\0"s + std::string(6, '\0') + before +
         "," + std::string(4, '\0') + little_endian(frame, 2) + little_endian(frame, 2) + "\0\2"s + codes + "\0;"s;
}

/// A BMP of this size. `compression` 1 is 8-bit run-length encoding.
std::string bmp(std::uint32_t width, std::uint32_t height, int bits, int compression, const std::string& pixels) {
  return "BM" + little_endian(54 + pixels.size(), 4) + little_endian(0, 4) + little_endian(54, 4) +
         little_endian(40, 4) + little_endian(width, 4) + little_endian(height, 4) + little_endian(1, 2) +
         little_endian(static_cast<std::uint64_t>(bits), 2) +
         little_endian(static_cast<std::uint64_t>(compression), 4) + std::string(20, '\0') + pixels;
}

const Bomb kOthers[] = {
    {"a WebP of 2^24 x 2^24",
     [](const Path& folder) { return folder_with(folder, "c/a.webp", webp(canvas(0, 1 << 24, 1 << 24))); }, "a.webp"},
    {"a WebP of 16,384 x 16,384 with too little in it",
     [](const Path& folder) { return folder_with(folder, "c/a.webp", webp(lossless(16'384, 16'384, 100))); }, "a.webp"},
    {"a WebP of 12,000 x 12,000 of zeros",
     [](const Path& folder) { return folder_with(folder, "c/a.webp", webp(lossless(12'000, 12'000, 100'000))); },
     "a.webp"},
    {"a WebP of 4 x 4 by its canvas, of 16,384 x 16,384 by its image",
     [](const Path& folder) {
       return folder_with(folder, "c/a.webp", webp(canvas(0, 4, 4) + lossless(16'384, 16'384, 100)));
     },
     "a.webp"},
    {"a WebP animation of 4 x 4 whose frame is of 2^24 x 2^24",
     [](const Path& folder) {
       const std::string frame = std::string(6, '\0') + little_endian((1 << 24) - 1, 3) +
                                 little_endian((1 << 24) - 1, 3) + std::string(4, '\0');
       return folder_with(folder, "c/a.webp", webp(canvas(2, 4, 4) + webp_chunk("ANMF", frame + lossless(4, 4, 10))));
     },
     "a.webp"},
    {"a WebP animation of a million empty chunks",
     [](const Path& folder) {
       std::string chunks = canvas(2, 4, 4);
       for (int i = 0; i < 1'000'000; ++i) chunks += "NONE" + little_endian(0, 4);
       return folder_with(folder, "c/a.webp", webp(chunks));
     },
     "a.webp"},
    {"a WebP whose chunk is said to have 4 GiB",
     [](const Path& folder) {
       return folder_with(folder, "c/a.webp", webp(canvas(10, 4, 4) + "EXIF\xFF\xFF\xFF\xFFxx"));
     },
     "a.webp"},
    {"a GIF of 65,535 x 65,535",
     [](const Path& folder) { return folder_with(folder, "c/a.gif", gif(65'535, 65'535, "\1\0"s)); }, "a.gif"},
    {"a GIF of 15,000 x 15,000 with a frame of 4 x 4",
     [](const Path& folder) { return folder_with(folder, "c/a.gif", gif(15'000, 4, "\1\0"s)); }, "a.gif"},
    {"a GIF of 4 x 4 whose frame is of 60,000 x 60,000",
     [](const Path& folder) { return folder_with(folder, "c/a.gif", gif(4, 60'000, "\1\0"s)); }, "a.gif"},
    {"a GIF with a million extensions before its frame, which is cut",
     [](const Path& folder) {
       std::string before;
       for (int i = 0; i < 1'000'000; ++i) before += "!\xFE\0"s;
       return folder_with(folder, "c/a.gif", gif(4, 4, "\1\0"s, before));
     },
     "a.gif"},
    {"a BMP of 60,000 x 60,000",
     [](const Path& folder) { return folder_with(folder, "c/a.bmp", bmp(60'000, 60'000, 24, 0, "xxx")); }, "a.bmp"},
    {"a BMP of 2^31 rows downwards",
     [](const Path& folder) { return folder_with(folder, "c/a.bmp", bmp(4, 0x80000000, 24, 0, "xxx")); }, "a.bmp"},
    {"a BMP of 15,000 x 15,000 in run lengths of nothing",
     [](const Path& folder) { return folder_with(folder, "c/a.bmp", bmp(15'000, 15'000, 8, 1, "\0\1"s)); }, "a.bmp"},
    {"a BMP of 60,000 colors",
     [](const Path& folder) {
       std::string bytes = bmp(4, 4, 8, 0, "xxxx");
       bytes.replace(46, 4, little_endian(60'000, 4));
       return folder_with(folder, "c/a.bmp", bytes);
     },
     "a.bmp"},
    {"a PGM of 60,000 x 60,000",
     [](const Path& folder) { return folder_with(folder, "c/a.pgm", "P5 60000 60000 255\nxxx"); }, "a.pgm"},
    {"a PGM of 10^30 x 1",
     [](const Path& folder) { return folder_with(folder, "c/a.pgm", "P5 1" + std::string(30, '0') + " 1 255\nx"); },
     "a.pgm"},
    {"a plain PGM of 15,000 x 15,000 with little in it",
     [](const Path& folder) { return folder_with(folder, "c/a.pgm", "P2 15000 15000 255\n1 2 3"); }, "a.pgm"},
    {"a PBM of 60,000 x 4,000, a bit a pixel, with little in it",
     [](const Path& folder) { return folder_with(folder, "c/a.pbm", "P4 60000 4000\nxxx"); }, "a.pbm"},
    {"a PGM with a comment of 200 MB",
     [](const Path& folder) {
       write_file(folder / "c/a.pgm", "P5 #");
       std::filesystem::resize_file(folder / "c/a.pgm", 200'000'000);
       return std::vector<std::string>{folder};
     },
     "a.pgm"},
    {"a PAM of 2^31 - 1 channels",
     [](const Path& folder) {
       return folder_with(folder, "c/a.pam", "P7\nWIDTH 4\nHEIGHT 4\nDEPTH 2147483647\nMAXVAL 255\nENDHDR\nx");
     },
     "a.pam"},
};

}  // namespace

TEST_CASE("TIFF files that claim more than they hold are refused in little memory", "[faults][bombs]") {
  CHECK(problems_of_packing(kTiffs) == kNone);
}

TEST_CASE("WebP, GIF, BMP and PNM files that claim more than they hold are refused in little memory",
          "[faults][bombs]") {
  CHECK(problems_of_packing(kOthers) == kNone);
}
