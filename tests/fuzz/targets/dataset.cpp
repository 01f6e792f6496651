// Fuzzes dataset files: opening, statistics, names, every sample, and verify() without its child process. The mutator
// changes header, index and data, and repairs our checksums.
#include <octavo/dataset.hpp>
#include <octavo/verify.hpp>

#include <algorithm>
#include <vector>

#include "support/fuzz_target.hpp"
#include "support/memory_file.hpp"

using namespace octavo;

namespace {

constexpr std::int64_t kMostBytesAtOnce = std::int64_t{1} << 20;

void read_rows(const Split& split, std::int64_t first, std::int64_t count) {
  std::vector<std::int8_t> codes(static_cast<std::size_t>(count * split.shape().values()));
  std::vector<std::byte> labels(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
  fuzz::refuse_or_read([&] { split.read(first, count, codes); });
  split.read_checked(first, count, codes, labels);
}

void read_split(const Split& split) {
  fuzz::refuse_or_read([&] { split.statistics(); });
  fuzz::refuse_or_read([&] { split.sample_name(0); });
  fuzz::refuse_or_read([&] { split.sample_name(split.sample_count() - 1); });
  const std::int64_t row_bytes = split.shape().values() + split.labels().bytes_per_sample();
  if (row_bytes > kMostBytesAtOnce) return;
  const std::int64_t count = std::min(split.sample_count(), kMostBytesAtOnce / row_bytes);
  fuzz::refuse_or_read([&] { read_rows(split, 0, count); });
  fuzz::refuse_or_read([&] { read_rows(split, count - 1, 1); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write(fuzz::bytes_of(data, size));
  fuzz::refuse_or_read([&] { verify(file.path(), {.thread_count = 1, .with_hdf5 = false}); });
  return fuzz::run_input([&] {
    const Dataset dataset = Dataset::open(file.path());
    fuzz::refuse_or_read([&] { dataset.provenance(); });
    for (const std::string& name : dataset.split_names()) read_split(dataset.split(name));
    return true;
  });
}
