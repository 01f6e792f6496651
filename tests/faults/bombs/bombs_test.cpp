// Sources that claim or expand to far more than their own size, and names that point elsewhere. Each is refused with a
// one-line error, in bounded memory and time, and nothing is created outside the named file.
#include <sys/stat.h>

#include "../../lib/images/made_images.hpp"
#include "../../lib/sources/made_files.hpp"
#include "../tally.hpp"
#include "bomb.hpp"
#include "catch.hpp"

using namespace octavo::test;

namespace {

/// Memory that decoding the largest accepted image may use.
constexpr std::int64_t kMostImageMebibytes = 2048;

std::string gzipped_zeros(const std::string& head, std::size_t count) { return compressed(Framing::gzip, head, count); }

/// The bytes of a PNG chunk, with its CRC.
std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(crc));
}

std::string zlib_of_zeros(std::size_t count) { return compressed(Framing::zlib, "", count); }

/// A gray PNG that claims this width and height and holds `pixels` zeros. `extra` chunks precede the pixels.
std::string png_claiming(std::uint32_t width, std::uint32_t height, std::size_t pixels, const std::string& extra = "") {
  const std::string header = big_endian(width) + big_endian(height) + std::string("\x08\0\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + extra + png_chunk("IDAT", zlib_of_zeros(pixels)) +
         png_chunk("IEND", "");
}

/// A JPEG whose frame header claims a larger size than it has.
std::string jpeg_claiming(std::uint16_t width, std::uint16_t height) {
  std::string jpeg = made_jpeg({.width = 16, .height = 16, .values = std::vector<std::uint8_t>(256)});
  const std::size_t frame = jpeg.find("\xFF\xC0");
  if (frame == std::string::npos) throw std::runtime_error("no frame header");
  const char size[] = {static_cast<char>(height >> 8), static_cast<char>(height & 0xFF), static_cast<char>(width >> 8),
                       static_cast<char>(width & 0xFF)};
  return jpeg.replace(frame + 5, 4, size, 4);
}

const std::string kExportIndexHead = R"({"format":"octavo-export","version":1,"splits":{"train":[)";

const Bomb kBombs[] = {
    {"an IDX file of 2^32 - 1 images",
     [](const auto& folder) {
       return folder_with(folder, "train-images-idx3-ubyte", idx({0xFFFFFFFF, 28, 28}, "x"));
     }},
    {"an IDX file whose size wraps to 0 in 64 bits",
     [](const auto& folder) {
       return folder_with(folder, "train-images-idx3-ubyte", idx({0x80000000, 0x80000000, 4}, "x"));
     }},
    {"an IDX file with 255 axes",
     [](const auto& folder) {
       return folder_with(folder, "train-images-idx3-ubyte", std::string("\0\0\x08\xFF", 4) + std::string(1020, '\2'));
     }},
    {"a gzip IDX file of 2^31 images of 2^15 x 2^15",
     [](const auto& folder) {
       return folder_with(folder, "train-images-idx3-ubyte.gz",
                          gzipped_zeros(idx({0x80000000, 0x8000, 0x8000}, ""), 1 << 20));
     }},
    {"a gzip IDX file with 200 MB behind its one image",
     [](const auto& folder) {
       return folder_with(folder, "train-images-idx3-ubyte.gz", gzipped_zeros(idx({1, 2, 2}, ""), 200'000'000));
     }},
    {"gzip labels with 200 MB behind the one that belongs to an image",
     [](const auto& folder) {
       write_file(folder / "train-images-idx3-ubyte", idx({1, 2, 2}, "abcd"));
       return folder_with(folder, "train-labels-idx1-ubyte.gz", gzipped_zeros(idx({1}, ""), 200'000'000));
     }},
    {"a gzip IDX file of 100,000 members with nothing in them",
     [](const auto& folder) {
       std::string bytes;
       for (int i = 0; i < 100'000; ++i) bytes += gzipped("");
       return folder_with(folder, "train-images-idx3-ubyte.gz", bytes);
     }},
    {"a PNG of 60,000 x 60,000",
     [](const auto& folder) { return folder_with(folder, "c/a.png", png_claiming(60'000, 60'000, 100)); }},
    {"a PNG of 2^31 - 1 x 2^31 - 1",
     [](const auto& folder) { return folder_with(folder, "c/a.png", png_claiming(0x7FFFFFFF, 0x7FFFFFFF, 100)); }},
    {"a PNG of 16,000 x 16,000 with too little in it",
     [](const auto& folder) { return folder_with(folder, "c/a.png", png_claiming(16'000, 16'000, 1000)); }},
    {"a PNG with 200 MB of text",
     [](const auto& folder) {
       const std::string text = png_chunk("zTXt", std::string("key\0\0", 5) + zlib_of_zeros(200'000'000));
       return folder_with(folder, "c/a.png", png_claiming(4, 4, 3, text));
     }},
    {"a PNG with 200 MB of color profile",
     [](const auto& folder) {
       const std::string profile = png_chunk("iCCP", std::string("key\0\0", 5) + zlib_of_zeros(200'000'000));
       return folder_with(folder, "c/a.png", png_claiming(4, 4, 3, profile));
     }},
    {"a PNG whose text is said to have 1 GiB",
     [](const auto& folder) {
       return folder_with(folder, "c/a.png", png_claiming(4, 4, 3, big_endian(1u << 30) + "iTXtkey"));
     }},
    {"a JPEG of 65,500 x 65,500",
     [](const auto& folder) { return folder_with(folder, "c/a.jpg", jpeg_claiming(65'500, 65'500)); }},
    {"a JPEG of 16,000 x 16,000 with too little in it",
     [](const auto& folder) { return folder_with(folder, "c/a.jpg", jpeg_claiming(16'000, 16'000)); }},
    {"an image that is a link to /dev/zero",
     [](const auto& folder) {
       std::filesystem::create_directory(folder / "c");
       std::filesystem::create_symlink("/dev/zero", folder / "c" / "a.png");
       return std::vector<std::string>{folder};
     }},
    {"an image that is a pipe",
     [](const auto& folder) {
       std::filesystem::create_directory(folder / "c");
       if (::mkfifo((folder / "c" / "a.png").c_str(), 0600) != 0) throw std::runtime_error("no pipe");
       return std::vector<std::string>{folder};
     }},
    {"an image that is a link to itself",
     [](const auto& folder) {
       std::filesystem::create_directory(folder / "c");
       std::filesystem::create_symlink("a.png", folder / "c" / "a.png");
       return std::vector<std::string>{folder};
     }},
    {"a source that is a pipe",
     [](const auto& folder) {
       if (::mkfifo((folder / "pipe").c_str(), 0600) != 0) throw std::runtime_error("no pipe");
       return std::vector<std::string>{folder / "pipe"};
     }},
    {"a source that is /dev/zero", [](const auto&) { return std::vector<std::string>{"/dev/zero"}; }},
    {"class names from /dev/zero",
     [](const auto& folder) {
       write_file(folder / "train-images-idx3-ubyte", idx({1, 2, 2}, "abcd"));
       return std::vector<std::string>{folder, "--classes", "/dev/zero"};
     }},
    {"a manifest that names a file outside",
     [](const auto& folder) {
       write_file(folder / "secret.png", png_claiming(1, 1, 2));
       write_file(folder / "in" / "octavo.json", kExportIndexHead + R"({"file":"../secret.png","label":0}]}})");
       return std::vector<std::string>{folder / "in"};
     }},
    {"a manifest that names a file by its absolute path",
     [](const auto& folder) {
       write_file(folder / "octavo.json", kExportIndexHead + R"({"file":"/etc/hostname","label":0}]}})");
       return std::vector<std::string>{folder};
     }},
    {"a manifest that is nested a million deep",
     [](const auto& folder) { return folder_with(folder, "octavo.json", std::string(1'000'000, '[')); }},
    {"a manifest of a gibibyte and more",
     [](const auto& folder) {
       write_file(folder / "octavo.json", "{}");
       std::filesystem::resize_file(folder / "octavo.json", (std::uintmax_t{1} << 30) + 1);
       return std::vector<std::string>{folder};
     }},
};

}  // namespace

TEST_CASE("sources that claim too much or point elsewhere are refused in little memory", "[faults][bombs]") {
  CHECK(problems_of_packing(kBombs) == kNone);
}

TEST_CASE("memory does not grow with the expanded size of a small source", "[faults][bombs]") {
  const TemporaryFolder folder;
  // 300 MB of pixels in 300 KB. They match the header, so they are packed.
  constexpr std::uint32_t kCount = 300'000;
  write_file(folder / "train-images-idx3-ubyte.gz",
             gzipped_zeros(idx({kCount, 25, 40}, ""), std::size_t{kCount} * 1000));
  const Outcome outcome = run_octavo({"pack", folder.path(), "-o", folder / "a.h5", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK(took_at_most(kMostMebibytes, outcome));
}

TEST_CASE("the largest accepted image is decoded in bounded memory", "[faults][bombs]") {
  const TemporaryFolder folder;
  // 144 million pixels in 140 KB, one channel, resized to 8x8.
  write_file(folder / "c" / "a.png", png_claiming(12'000, 12'000, std::size_t{12'001} * 12'000));
  const Outcome outcome = run_octavo({"pack", folder.path(), "-o", folder / "a.h5", "--quiet", "--size", "8x8"});
  INFO(outcome.err);
  CHECK((outcome.exit_code == 0 || (outcome.exit_code == 1 && outcome.is_one_line_error())));
  CHECK(took_at_most(kMostImageMebibytes, outcome));
}
