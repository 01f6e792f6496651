// Packing gzip-compressed IDX files, compared with `gzip -dc` of the same files; and packing a plain IDX file, compared
// with writing as many bytes. Everything is synced.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <octavo/octavo.hpp>
#include <string>

#include "support/big_memory.hpp"
#include "support/packed_file.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
namespace fs = std::filesystem;

constexpr std::size_t kWriteBytes = std::size_t{1} << 20;

void pack(const fs::path& source, const fs::path& packed) {
  octavo::PackOptions options;
  options.replace_existing = true;
  octavo::pack(*octavo::open_source({{source, ""}}, {}), packed, options);
}

double packed_bytes(const fs::path& packed) {
  require(octavo::verify(packed).defect_count == 0, "packing");
  const octavo::Dataset dataset = octavo::Dataset::open(packed);
  double bytes = 0;
  for (const std::string& name : dataset.split_names()) {
    bytes += static_cast<double>(dataset.split(name).packed_bytes());
  }
  return bytes;
}

/// The text, quoted as one word for the shell.
std::string quoted(const fs::path& path) {
  std::string word = "'";
  for (const char c : path.string()) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

void inflate_and_sync(const fs::path& folder, const fs::path& out) {
  std::string command = "gzip -dc";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") command += " " + quoted(entry.path());
  }
  require(::system((command + " > " + quoted(out)).c_str()) == 0, "gzip");
  const int descriptor = ::open(out.c_str(), O_RDONLY);
  require(descriptor >= 0 && ::fsync(descriptor) == 0, "fsync");
  ::close(descriptor);
}

void measure_compressed(const fs::path& source, const ScratchFolder& folder, int rounds, Results& results) {
  pack(source, folder / "packed.h5");
  const double bytes = packed_bytes(folder / "packed.h5");
  const auto inflate = [&] { return seconds_of([&] { inflate_and_sync(source, folder / "inflated"); }); };
  const auto measured =
      measure({{"gzip -dc, written and synced", bytes, inflate},
               {"octavo pack, synced", bytes, [&] { return seconds_of([&] { pack(source, folder / "packed.h5"); }); }}},
              rounds);
  results.section("packing " + source.filename().string() + ", gzip-compressed; of gzip");
  for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
}

/// An IDX file [count,32,32] of random bytes.
void write_idx(const fs::path& path, const std::byte* values, std::uint32_t count) {
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](std::uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) file.put(static_cast<char>(number >> shift));
  };
  put(0x00000803);
  put(count);
  put(32);
  put(32);
  file.write(reinterpret_cast<const char*>(values), std::int64_t{count} * 1024);
  require(static_cast<bool>(file), "writing the source");
}

void write_and_sync(const fs::path& path, const std::byte* bytes, std::size_t count) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  require(descriptor >= 0, "creating a file");
  for (std::size_t at = 0; at < count; at += kWriteBytes) {
    const std::size_t part = std::min(kWriteBytes, count - at);
    require(::write(descriptor, bytes + at, part) == static_cast<ssize_t>(part), "writing");
  }
  require(::fsync(descriptor) == 0, "fsync");
  ::close(descriptor);
}

void measure_plain(std::size_t bytes, const ScratchFolder& folder, int rounds, Results& results) {
  const BigMemory values = make_big_memory(bytes);
  const fs::path source = folder / "train-images-idx3-ubyte";
  write_idx(source, values.get(), static_cast<std::uint32_t>(bytes / 1024));
  pack(source, folder / "plain.h5");
  require(packed_bytes(folder / "plain.h5") == static_cast<double>(bytes), "packing");
  const auto fresh = [&](const char* name) {
    fs::remove(folder / name);
    return folder / name;
  };
  const auto measured = measure({{"written in 1 MiB blocks, synced", static_cast<double>(bytes),
                                  [&] {
                                    const fs::path out = fresh("written");
                                    return seconds_of([&] { write_and_sync(out, values.get(), bytes); });
                                  }},
                                 {"octavo pack, synced", static_cast<double>(bytes),
                                  [&] {
                                    const fs::path out = fresh("plain.h5");
                                    return seconds_of([&] { pack(source, out); });
                                  }}},
                                rounds);
  results.section("packing a plain IDX file; of writing as many bytes");
  for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
}

}  // namespace

int main(int argc, char** argv) try {
  const fs::path source = argc > 1 && argv[1][0] != '-' ? argv[1] : "/usr/share/datasets/fashion-mnist";
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  const long mebibytes = option(argc, argv, "--mib", 512);
  Results results("pack", argc, argv);
  const ScratchFolder folder;
  if (fs::exists(source))
    measure_compressed(source, folder, rounds, results);
  else
    std::printf("SKIPPED: there is no %s\n", source.c_str());
  measure_plain(static_cast<std::size_t>(mebibytes) << 20, folder, rounds, results);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_pack: %s\n", error.what());
  return 1;
}
