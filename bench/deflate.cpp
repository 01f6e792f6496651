// Packing and loading deflated files, compared with h5py with gzip at the same level, and with libdeflate alone on as
// many threads. Samples come from memory, so that no source is timed; packing is synced.
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <octavo/octavo.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "support/packed_file.hpp"
#include "support/python.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;
namespace fs = std::filesystem;

constexpr int kLevel = octavo::kDefaultCompressionLevel;

/// Samples in memory, repeated: sample i is sample i mod M of the M that exist.
class MemorySource final : public octavo::Source {
 public:
  MemorySource(std::vector<std::uint8_t> values, const octavo::SampleShape& shape, std::int64_t sample_count)
      : values_(std::move(values)), splits_{{"train", sample_count, shape, {}, octavo::Color::other}} {}

  const std::vector<octavo::SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t, std::int64_t row) const override { return std::to_string(row); }
  std::vector<std::string> files() const override { return {}; }
  std::vector<octavo::SampleFailure> read(std::size_t, std::int64_t first_row, std::int64_t count,
                                          std::span<std::uint8_t> values, std::span<std::byte>) override {
    const auto bytes = static_cast<std::size_t>(splits_[0].shape.values());
    const std::size_t distinct = values_.size() / bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(values.data() + static_cast<std::size_t>(i) * bytes,
                  values_.data() + static_cast<std::size_t>(first_row + i) % distinct * bytes, bytes);
    }
    return {};
  }

 private:
  std::vector<std::uint8_t> values_;
  std::vector<octavo::SourceSplit> splits_;
  std::vector<std::string> class_names_;
};

/// All samples of the training split of `path`, which must fit into memory, repeated up to about `bytes` bytes.
std::unique_ptr<MemorySource> read_source(const fs::path& path, const octavo::SourceOptions& options,
                                          std::int64_t bytes, const ScratchFolder& folder) {
  octavo::pack(*octavo::open_source({{path, ""}}, options), folder / "plain.h5");
  const octavo::Split split = octavo::Dataset::open(folder / "plain.h5").training_split();
  std::vector<std::uint8_t> values(static_cast<std::size_t>(split.packed_bytes()));
  split.read(0, split.sample_count(), {reinterpret_cast<std::int8_t*>(values.data()), values.size()});
  for (std::uint8_t& value : values) value ^= 0x80;
  fs::remove(folder / "plain.h5");
  const std::int64_t count = std::max<std::int64_t>(split.sample_count(), bytes / split.shape().values());
  return std::make_unique<MemorySource>(std::move(values), split.shape(), count);
}

void pack(MemorySource& source, const fs::path& path, octavo::Compression compression) {
  octavo::PackOptions options;
  options.replace_existing = true;
  options.compression = compression;
  octavo::pack(source, path, options);
}

/// Runs the script and returns the numbers that it prints.
std::vector<double> run_h5py(const std::string& arguments) { return run_python("deflate_h5py.py", arguments); }

// ---- libdeflate alone ---------------------------------------------------------

struct FreeCodec {
  void operator()(libdeflate_compressor* codec) const { libdeflate_free_compressor(codec); }
  void operator()(libdeflate_decompressor* codec) const { libdeflate_free_decompressor(codec); }
};

/// The same samples in memory, in the chunks that Octavo would choose, deflated and inflated.
class BareChunks {
 public:
  BareChunks(const std::vector<std::int8_t>& codes, std::size_t chunk_bytes)
      : codes_(codes), chunk_bytes_(chunk_bytes) {
    for (std::size_t at = 0; at < codes.size(); at += chunk_bytes) streams_.emplace_back(chunk_bytes + 1024);
    inflated_.resize(codes.size());
  }

  double deflate(int thread_count) {
    return run_team(thread_count, [&](int thread) {
      const std::unique_ptr<libdeflate_compressor, FreeCodec> codec(libdeflate_alloc_compressor(kLevel));
      for (auto i = static_cast<std::size_t>(thread); i < streams_.size();
           i += static_cast<std::size_t>(thread_count)) {
        streams_[i].resize(chunk_bytes_ + 1024);
        streams_[i].resize(libdeflate_zlib_compress(codec.get(), codes_.data() + i * chunk_bytes_, bytes_of(i),
                                                    streams_[i].data(), streams_[i].size()));
      }
    });
  }
  /// Call after deflate(). Writes to memory that was touched before.
  double inflate(int thread_count) {
    return run_team(thread_count, [&](int thread) {
      const std::unique_ptr<libdeflate_decompressor, FreeCodec> codec(libdeflate_alloc_decompressor());
      for (auto i = static_cast<std::size_t>(thread); i < streams_.size();
           i += static_cast<std::size_t>(thread_count)) {
        require(
            libdeflate_zlib_decompress(codec.get(), streams_[i].data(), streams_[i].size(),
                                       inflated_.data() + i * chunk_bytes_, bytes_of(i), nullptr) == LIBDEFLATE_SUCCESS,
            "libdeflate");
      }
    });
  }

 private:
  std::size_t bytes_of(std::size_t chunk) const { return std::min(chunk_bytes_, codes_.size() - chunk * chunk_bytes_); }

  const std::vector<std::int8_t>& codes_;
  std::size_t chunk_bytes_;
  std::vector<std::vector<std::byte>> streams_;
  std::vector<std::int8_t> inflated_;
};

// ---- The measurement ------------------------------------------------------------

/// The chunk size that Octavo chooses (docs/format.md): at least 1 MiB, and at most 8,000 chunks.
std::int64_t samples_per_chunk(const octavo::SampleShape& shape, std::int64_t sample_count) {
  const std::int64_t bytes = std::max<std::int64_t>(1 << 20, sample_count * shape.values() / 8000);
  return std::min(sample_count, (bytes + shape.values() - 1) / shape.values());
}

void measure_source(MemorySource& source, const ScratchFolder& folder, int rounds, Results& results) {
  const octavo::SourceSplit layout = source.splits()[0];
  const int threads = thread_count_of_process();
  const auto bytes = static_cast<double>(layout.sample_count * layout.shape.values());
  const fs::path deflated = folder / "deflated.h5", foreign = folder / "h5py.h5", raw = folder / "raw";

  // Check before timing: the samples, for Octavo and for the others, and the size.
  pack(source, deflated, octavo::Compression::deflate);
  require(octavo::verify(deflated).defect_count == 0, "packing");
  const octavo::Split split = octavo::Dataset::open(deflated).split("train");
  std::vector<std::int8_t> codes(static_cast<std::size_t>(bytes));
  split.read(0, layout.sample_count, codes);
  std::int64_t sum = 0;
  for (const std::int8_t code : codes) sum += code;
  std::ofstream(raw, std::ios::binary)
      .write(reinterpret_cast<const char*>(codes.data()), static_cast<std::streamsize>(codes.size()));
  const std::int64_t per_chunk = samples_per_chunk(layout.shape, layout.sample_count);
  std::ostringstream write_arguments;
  write_arguments << "write '" << raw.string() << "' '" << foreign.string() << "' " << layout.sample_count << ' '
                  << layout.shape.channels << ' ' << layout.shape.height << ' ' << layout.shape.width << ' '
                  << per_chunk << ' ' << kLevel;
  const std::string read_arguments = "read '" + deflated.string() + "' train/images";
  const bool with_h5py = has_python_modules("h5py, numpy");
  if (with_h5py) require(run_h5py(read_arguments)[1] == static_cast<double>(sum), "h5py's reading");
  BareChunks bare(codes, static_cast<std::size_t>(per_chunk * layout.shape.values()));
  bare.deflate(threads);
  const std::string all = std::to_string(threads) + " threads of libdeflate, in memory";

  std::vector<Subject> packing = {{"1 thread of libdeflate, in memory", bytes, [&] { return bare.deflate(1); }},
                                  {all, bytes, [&] { return bare.deflate(threads); }},
                                  {"octavo pack --compress deflate, synced", bytes, [&] {
                                     return seconds_of([&] { pack(source, deflated, octavo::Compression::deflate); });
                                   }}};
  const auto load = [&](bool verify) {
    return seconds_of([&] {
      const octavo::Store store =
          octavo::Store::load(octavo::Dataset::open(deflated).split("train"), octavo::Device::cpu(),
                              {.verify_checksums = verify, .residency = octavo::Residency::device});
      require(store.sample_count() == layout.sample_count, "loading");
    });
  };
  std::vector<Subject> loading = {{"1 thread of libdeflate, in memory", bytes, [&] { return bare.inflate(1); }},
                                  {all, bytes, [&] { return bare.inflate(threads); }},
                                  {"Store::load, unchecked", bytes, [&] { return load(false); }},
                                  {"Store::load, every sample checked", bytes, [&] { return load(true); }}};
  if (with_h5py) {
    packing.push_back({"h5py, gzip, synced", bytes, [&] { return run_h5py(write_arguments.str())[0]; }});
    loading.push_back({"h5py, the same file", bytes, [&] { return run_h5py(read_arguments)[0]; }});
  } else {
    std::printf("SKIPPED: %s has no h5py or no NumPy\n", python_program().c_str());
  }
  for (const auto& [name, subjects] : {std::pair("packing", &packing), std::pair("loading", &loading)}) {
    const auto measured = measure(*subjects, rounds);
    const std::string head =
        std::string(name) + " " + to_string(layout.shape) + ", " + std::to_string(threads) + " threads; of ";
    results.section(head + "as many of one thread of libdeflate");
    for (const Measurement& one : measured) results.add(one, threads * measured[0].bytes_per_second());
    if (!with_h5py) continue;
    results.section(head + "h5py");
    for (const Measurement& one : measured) results.add(one, measured.back().bytes_per_second());
  }
  std::printf("\n  ratio %.3f", bytes / static_cast<double>(fs::file_size(deflated)));
  if (with_h5py) {
    const double share = static_cast<double>(fs::file_size(deflated)) / static_cast<double>(fs::file_size(foreign));
    std::printf("; the file is %.3f of h5py's", share);
    results.note("bytes of h5py, " + to_string(layout.shape), share);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const fs::path path = argc > 1 && argv[1][0] != '-' ? argv[1] : "/usr/share/datasets/fashion-mnist";
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  const long mebibytes = option(argc, argv, "--mib", 512);
  const long side = option(argc, argv, "--side", 0);  // images of a folder are resized to this many pixels
  Results results("deflate", argc, argv);
  if (!fs::exists(path)) {
    std::printf("SKIPPED: there is no %s\n", path.c_str());
    return 0;
  }
  const ScratchFolder folder;
  octavo::SourceOptions options;
  if (side > 0) options.size = {side, side};
  const auto source = read_source(path, options, std::int64_t{mebibytes} << 20, folder);
  measure_source(*source, folder, rounds, results);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_deflate: %s\n", error.what());
  return 1;
}
