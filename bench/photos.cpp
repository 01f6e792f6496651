// Packing a folder of JPEGs or PNGs, compared with only decoding and resizing them on as many threads, with the same
// plus writing the result, and with Pillow and h5py in one process per core. Images come from the page cache; packing
// is synced.
#include <fcntl.h>
#include <png.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>
// jpeglib.h needs the header above it.
#include <jpeglib.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <octavo/octavo.hpp>
#include <string>

#include "images/geometry/resize.hpp"
#include "support/packed_file.hpp"
#include "support/python.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;
namespace fs = std::filesystem;

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes(fs::file_size(path));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// ---- The decoders alone --------------------------------------------------------

/// An image, possibly decoded at 1/2, 1/4 or 1/8 of its size.
struct Decoded {
  octavo::images::Pixels pixels;
  int reduction = 1;
  std::int64_t full_width = 0, full_height = 0;
};

/// Decodes at the smallest scale that gives at least twice the target size, as in Octavo.
Decoded decode_jpeg(const std::vector<std::uint8_t>& bytes, unsigned side) {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes.data(), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  for (const unsigned reduction : {8U, 4U, 2U}) {
    if (info.image_width < reduction * 2 * side || info.image_height < reduction * 2 * side) continue;
    info.scale_num = 1;
    info.scale_denom = reduction;
    break;
  }
  jpeg_start_decompress(&info);
  Decoded picture = {{info.output_width, info.output_height, 3}, 1, info.image_width, info.image_height};
  if (info.scale_denom != 8 || info.scale_num == 1) picture.reduction = static_cast<int>(info.scale_denom);
  while (info.output_scanline < info.output_height) {
    std::uint8_t* row = picture.pixels.row(info.output_scanline);
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return picture;
}

struct Cursor {
  const std::uint8_t* at;
};

void read_from(png_structp png, png_bytep out, std::size_t count) {
  auto* cursor = static_cast<Cursor*>(png_get_io_ptr(png));
  std::memcpy(out, cursor->at, count);
  cursor->at += count;
}

Decoded decode_png(const std::vector<std::uint8_t>& bytes) {
  Cursor cursor = {bytes.data()};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  require(setjmp(png_jmpbuf(png)) == 0, "libpng");
  png_set_read_fn(png, &cursor, &read_from);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_read_update_info(png, info);
  const std::int64_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
  Decoded picture = {{width, height, 3}, 1, width, height};
  for (std::int64_t y = 0; y < height; ++y) png_read_row(png, picture.pixels.row(y), nullptr);
  png_destroy_read_struct(&png, &info, nullptr);
  return picture;
}

// ---- What is measured ----------------------------------------------------------

class Photos {
 public:
  Photos(const fs::path& folder, int side, int threads) : folder_(folder), side_(side), threads_(threads) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) paths_.push_back(entry.path());
    }
    std::sort(paths_.begin(), paths_.end());
    for (const fs::path& path : paths_) source_bytes_ += static_cast<double>(fs::file_size(path));
  }

  std::size_t count() const { return paths_.size(); }
  double source_bytes() const { return source_bytes_; }
  double packed_bytes() const { return static_cast<double>(count() * sample_bytes()); }

  double decode_alone() const {
    std::atomic<std::size_t> next = 0;
    return run_team(threads_, [&](int) {
      std::vector<std::uint8_t> values(sample_bytes());
      for (std::size_t at = next++; at < count(); at = next++) decode(at, values);
    });
  }

  /// The same, with the result written and synced, which is the minimum for anyone who stores it.
  double decode_and_write(const fs::path& path) const {
    fs::remove(path);
    return seconds_of([&] {
      const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      require(file >= 0, "creating a file");
      std::atomic<std::size_t> next = 0;
      run_team(threads_, [&](int) {
        std::vector<std::uint8_t> values(sample_bytes());
        for (std::size_t at = next++; at < count(); at = next++) {
          decode(at, values);
          const auto offset = static_cast<off_t>(at * sample_bytes());
          require(::pwrite(file, values.data(), values.size(), offset) == std::ssize(values), "writing");
        }
      });
      require(::fsync(file) == 0, "fsync");
      ::close(file);
    });
  }

  /// Every image is stretched to side x side; no classes are used, so the folder may be flat.
  double pack(const fs::path& path) const {
    octavo::SourceOptions options;
    options.size = {side_, side_};
    options.fit = octavo::Fit::stretch;
    options.channels = 3;
    fs::remove(path);  // an older file would stay until the new one is complete, and double the use of the page cache
    return seconds_of([&] { octavo::pack(*octavo::open_source({{folder_, "train"}}, options), path); });
  }

  /// Checks the packed samples against the output of the decoder and the resizer.
  void require_equal(const fs::path& packed) const {
    require(octavo::verify(packed).defect_count == 0, "packing");
    const octavo::Split split = octavo::Dataset::open(packed).split("train");
    require(split.sample_count() == static_cast<std::int64_t>(count()), "packing");
    std::vector<std::int8_t> codes(sample_bytes());
    std::vector<std::uint8_t> values(sample_bytes());
    for (std::size_t at = 0; at < count(); at += std::max<std::size_t>(1, count() / 100)) {
      split.read(static_cast<std::int64_t>(at), 1, codes);
      decode(at, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        require(codes[i] == static_cast<std::int8_t>(values[i] ^ 0x80), "packing " + paths_[at].string());
      }
    }
  }

 private:
  std::size_t sample_bytes() const { return std::size_t{3} * static_cast<std::size_t>(side_ * side_); }

  void decode(std::size_t at, std::vector<std::uint8_t>& values) const {
    const auto bytes = bytes_of(paths_[at]);
    const Decoded picture = bytes[0] == 0xFF ? decode_jpeg(bytes, static_cast<unsigned>(side_)) : decode_png(bytes);
    octavo::images::resize(picture.pixels, picture.reduction, {0, 0, picture.full_width, picture.full_height}, side_,
                           side_, {values.data(), side_, std::int64_t{side_} * side_});
  }

  fs::path folder_;
  int side_;
  int threads_;
  std::vector<fs::path> paths_;
  double source_bytes_ = 0;
};

/// `count` files in one folder: repeated copies of the images below `source`.
void make_folder(const fs::path& source, const fs::path& folder, std::size_t count) {
  std::vector<fs::path> images;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const auto extension = entry.path().extension();
    if (extension == ".jpg" || extension == ".jpeg" || extension == ".png")
      images.push_back(fs::absolute(entry.path()));
  }
  require(!images.empty(), "finding images in " + source.string());
  std::sort(images.begin(), images.end());
  fs::create_directory(folder);
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path& image = images[i % images.size()];
    fs::copy_file(image, folder / (std::to_string(1'000'000'000 + i) + image.extension().string()));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const fs::path source = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  const auto count = static_cast<std::size_t>(option(argc, argv, "--count", 2000));
  const int side = static_cast<int>(option(argc, argv, "--side", 224));
  Results results("photos", argc, argv);
  if (source.empty() || !fs::exists(source)) {
    std::printf("SKIPPED: give a folder of JPEGs or PNGs: bench_photos FOLDER [--count N] [--side PIXELS]\n");
    return 0;
  }
  const ScratchFolder folder;
  make_folder(source, folder / "images", count);
  const int threads = thread_count_of_process();
  const Photos photos(folder / "images", side, threads);
  photos.pack(folder / "packed.h5");
  photos.require_equal(folder / "packed.h5");

  std::vector<Subject> subjects = {
      {"decoder and resizer alone", photos.source_bytes(), [&] { return photos.decode_alone(); }},
      {"the same, written and synced", photos.source_bytes(),
       [&] { return photos.decode_and_write(folder / "written"); }},
      {"octavo pack, synced", photos.source_bytes(), [&] { return photos.pack(folder / "packed.h5"); }}};
  if (has_python_modules("h5py, numpy, PIL")) {
    for (const std::string how : {"full", "draft"}) {
      const std::string arguments = "'" + (folder / "images").string() + "' '" + (folder / "h5py.h5").string() + "' " +
                                    std::to_string(side) + " " + std::to_string(side) + " " + std::to_string(threads) +
                                    " " + how;
      subjects.push_back(
          {"Pillow (" + how + ") and h5py, synced", photos.source_bytes(), [arguments, file = folder / "h5py.h5"] {
             fs::remove(file);
             return run_python("pack_photos.py", arguments)[0];
           }});
    }
  } else {
    std::printf("SKIPPED: %s has no h5py, NumPy or Pillow\n", python_program().c_str());
  }
  const auto measured = measure(subjects, rounds);
  results.section(std::to_string(count) + " images of " + source.filename().string() + " to " + std::to_string(side) +
                  "x" + std::to_string(side) + ", " + std::to_string(threads) + " threads; of the decoder alone");
  for (const Measurement& one : measured) results.add(one, measured[0].bytes_per_second());
  std::printf("\n  %.0f images/s packed, %.2f GB\n", static_cast<double>(count) / measured[2].median_seconds,
              photos.packed_bytes() / 1e9);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_photos: %s\n", error.what());
  return 1;
}
