// Fuzzes the sources that `octavo pack` opens, of any format: detects the format by content and reads all samples. The
// first byte selects the file name. HDF5 files are skipped, because a child process reads them.
#include <octavo/pack.hpp>

#include <algorithm>
#include <array>
#include <fstream>

#include "support/fuzz_target.hpp"
#include "temporary_folder.hpp"

using namespace octavo;

namespace {

// Some names include class folders.
constexpr std::array<const char*, 10> kNames = {"train-images-idx3-ubyte",
                                                "data_batch_1.bin",
                                                "x.npy",
                                                "x.npz",
                                                "train_32x32.mat",
                                                "train_X.bin",
                                                "data_batch_1",
                                                "shard.tar",
                                                "train/cat/a.jpg",
                                                "train-images-idx3-ubyte.gz"};
constexpr char kHdf5Signature[] = "\x89HDF\r\n\x1a\n";
constexpr std::int64_t kMostReadBytes = std::int64_t{1} << 20;

void read_source(Source& source) {
  for (std::size_t number = 0; number < source.splits().size(); ++number) {
    const SourceSplit& split = source.splits()[number];
    const std::int64_t row_bytes = split.shape.values() + split.labels.bytes_per_sample();
    if (row_bytes > kMostReadBytes) return;
    const std::int64_t rows = std::min(split.sample_count, kMostReadBytes / row_bytes);
    std::vector<std::uint8_t> values(static_cast<std::size_t>(rows * split.shape.values()));
    std::vector<std::byte> labels(static_cast<std::size_t>(rows * split.labels.bytes_per_sample()));
    source.read(number, 0, rows, values, labels);
    source.sample_name(number, 0);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes = fuzz::text_of(fuzz::bytes_of(data + 1, size - 1));
  if (bytes.find(std::string(kHdf5Signature, 8)) != std::string::npos) return 0;
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / kNames[data[0] % kNames.size()];
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return fuzz::run_input([&] {
    const bool is_folder = path.extension() == ".jpg";
    SourceOptions options;
    options.largest_image_pixels = 1 << 16;
    options.thread_count = 1;
    read_source(*open_source({{is_folder ? folder.path() : path}}, options));
    return true;
  });
}
