// Dataset files of random samples, in a folder that is removed when the benchmark ends.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <octavo/writer.hpp>
#include <random>
#include <string>
#include <vector>

namespace octavo::bench {

/// A temporary folder; the destructor removes it and its contents.
class ScratchFolder {
 public:
  ScratchFolder() : path_(std::filesystem::temp_directory_path() / ("octavo-bench-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Writes `sample_count` samples of `shape` with labels 0 ... 9 as split `train`. The pixels repeat after a few
/// megabytes, which does not make any checksum, copy or gather faster.
inline void write_random_file(const std::filesystem::path& path, const SampleShape& shape, std::int64_t sample_count) {
  WriterOptions options;
  options.splits = {
      {.name = "train", .shape = shape, .labels = {LabelKind::class_index, 1}, .row_capacity = sample_count}};
  options.replace_existing = true;
  Writer writer(path, options);
  const std::int64_t block = std::max<std::int64_t>(1, (std::int64_t{4} << 20) / shape.values());
  std::mt19937_64 random(1);
  std::vector<std::uint8_t> pattern(static_cast<std::size_t>(block * shape.values()));
  for (std::uint8_t& value : pattern) value = static_cast<std::uint8_t>(random() >> 56);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(block));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 10);
  for (std::int64_t first = 0; first < sample_count; first += block) {
    const std::int64_t count = std::min(block, sample_count - first);
    std::vector<std::uint8_t> values(pattern.begin(), pattern.begin() + count * shape.values());
    writer.write(0, first, values, std::as_bytes(std::span(labels).first(static_cast<std::size_t>(count))));
  }
  writer.finish("{}");
}

}  // namespace octavo::bench
