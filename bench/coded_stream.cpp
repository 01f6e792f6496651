// Shuffled batches streamed from compressed files, compared with a plain file of the same samples: the samples of a
// dataset file, repeated. Cold: files are dropped from the page cache before each epoch. Warm: they are in it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <octavo/octavo.hpp>
#include <vector>

#include "support/packed_file.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo;
using namespace octavo::bench;

constexpr std::int64_t kBatchBytes = std::int64_t{8} << 20;  ///< of the codes of a batch, about

/// Writes the samples of `split`, again and again, `count` in all.
void write_repeated(const std::filesystem::path& path, const Split& split, Compression compression,
                    std::int64_t count) {
  WriterOptions options;
  options.splits = {{.name = "train", .shape = split.shape(), .labels = {}, .row_capacity = count}};
  options.compression = compression;
  Writer writer(path, options);
  const auto values = static_cast<std::size_t>(split.shape().values());
  const std::int64_t N = split.sample_count(), block = std::max<std::int64_t>(1, kBatchBytes / split.shape().values());
  for (std::int64_t row = 0; row < count;) {
    const std::int64_t from = row % N, rows = std::min({block, N - from, count - row});
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(rows) * values);
    split.read(from, rows, {reinterpret_cast<std::int8_t*>(codes.data()), codes.size()});
    for (std::uint8_t& code : codes) code ^= 0x80;  // as values
    if (row == 0) writer.train(0, codes);
    writer.write(0, row, codes, {});
    row += rows;
  }
  writer.finish("{}");
}

/// A file, streamed.
class Streamed {
 public:
  Streamed(const std::filesystem::path& path, std::int64_t batch_size)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        store_(Store::load(Dataset::open(path.string()).split("train"), Device::cpu(),
                           {.residency = Residency::streamed})),
        loader_(store_, {.batch_size = batch_size, .shuffle = true, .seed = 1}) {
    require(descriptor_ >= 0 && ::fsync(descriptor_) == 0, "opening the file");
  }
  ~Streamed() { ::close(descriptor_); }
  Streamed(const Streamed&) = delete;
  Streamed& operator=(const Streamed&) = delete;

  void drop_from_page_cache() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

  double serve(std::int64_t epoch) {
    return seconds_of([&] {
      std::int64_t samples = 0;
      for (const Batch& batch : loader_.epoch(epoch)) samples += batch.size();
      require(samples == store_.sample_count(), "serving");
    });
  }
  /// The first values of the first batch.
  std::vector<float> sample() {
    const Batch batch = *loader_.epoch(0).begin();
    const auto floats = batch.images().floats();
    return {floats.begin(), floats.begin() + std::min<std::ptrdiff_t>(std::ssize(floats), 1 << 20)};
  }

 private:
  int descriptor_;
  Store store_;
  Loader loader_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argv[1][0] == '-') {
    throw std::runtime_error("usage: bench_coded_stream FILE.h5 [--mib M] [--rounds R]");
  }
  const long mebibytes = option(argc, argv, "--mib", 512);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  Results results("coded_stream", argc, argv);
  const Split split = Dataset::open(argv[1]).training_split();
  const std::int64_t sample_bytes = split.shape().values(), count = (std::int64_t{mebibytes} << 20) / sample_bytes;
  const std::int64_t batch_size = std::max<std::int64_t>(1, std::min<std::int64_t>(512, kBatchBytes / sample_bytes));
  const ScratchFolder folder;
  std::vector<std::unique_ptr<Streamed>> files;
  std::vector<std::string> names;
  for (const CompressionInfo& info : kCompressions) {
    if (info.compression != Compression::none && !info.stays_compressed) continue;
    const auto path = folder / (std::string(info.name) + ".h5");
    write_repeated(path, split, info.compression, count);
    files.push_back(std::make_unique<Streamed>(path, batch_size));
    names.push_back(std::string(info.name) + ", file of " + format_bytes(Dataset::open(path.string()).file_bytes()));
    require(files.back()->sample() == files.front()->sample(), "decoding");
  }
  std::int64_t epoch = 0;
  for (const bool cold : {true, false}) {
    std::vector<Subject> subjects;
    for (std::size_t i = 0; i < files.size(); ++i) {
      subjects.push_back({names[i], static_cast<double>(count * sample_bytes), [&, i, cold] {
                            if (cold) files[i]->drop_from_page_cache();
                            return files[i]->serve(++epoch);
                          }});
    }
    const auto measured = measure(subjects, rounds);
    results.section(std::string(cold ? "cold" : "warm") + ", " + std::to_string(thread_count_of_process()) +
                    " threads, codes, of the plain file");
    for (const Measurement& one : measured) results.add(one, measured[0].bytes_per_second());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_coded_stream: %s\n", error.what());
  return 1;
}
