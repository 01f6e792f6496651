// Makes the tables of LC8 from the samples of dataset files, and prints them as bytes: the default tables of
// lib/format/src/format/coded_rows/lc8_default_tables.hpp. All samples must have equally many channels.
#include <algorithm>
#include <cstdio>
#include <octavo/octavo.hpp>
#include <vector>

#include "dataset_file/read_codes.hpp"
#include "format/coded_rows/lc8_codec.hpp"

namespace {

using namespace octavo;

constexpr std::int64_t kMostValues = std::int64_t{40} << 20;  // of a file

/// Counts the residuals of evenly spaced samples.
void count(const Split& split, dataset_file::Lc8Counts& counts) {
  const std::int64_t N = split.sample_count(), most = std::max<std::int64_t>(1, kMostValues / split.shape().values());
  const std::int64_t step = (N + most - 1) / most;
  std::vector<std::byte> codes(static_cast<std::size_t>(split.shape().values()));
  for (std::int64_t row = 0; row < N; row += step) {
    dataset_file::read_codes(*split.data(), row, 1, codes);
    dataset_file::count_lc8_residuals(split.shape(), codes, counts);
  }
}

double bits_per_residual(const dataset_file::Lc8Counts& counts, const dataset_file::RowTables& tables) {
  const dataset_file::Lc8Codes codes = dataset_file::lc8_codes(tables);
  double bits = 0, all = 0;
  for (std::size_t class_number = 0; class_number < counts.size(); ++class_number) {
    for (std::size_t residual = 0; residual < 256; ++residual) {
      const auto times = static_cast<double>(counts[class_number][residual]);
      bits += times * codes[class_number][residual].bit_count;
      all += times;
    }
  }
  return bits / all;
}

}  // namespace

int main(int argc, char** argv) {
  dataset_file::Lc8Counts counts{};
  for (int i = 1; i < argc; ++i) {
    const Dataset dataset = Dataset::open(argv[i]);
    for (const std::string& name : dataset.split_names()) count(dataset.split(name), counts);
  }
  const auto tables = dataset_file::make_lc8_tables(counts);
  std::printf("// %zu bytes, %.4f bits per residual\n", tables->stored.size(), bits_per_residual(counts, *tables));
  std::size_t column = 0;
  for (const std::byte byte : tables->stored) {
    std::printf("%s0x%02X,", column++ % 19 == 0 ? "\n    " : " ", std::to_integer<unsigned>(byte));
  }
  std::printf("\n");
}
