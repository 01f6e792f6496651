// The cost of packing as the number of samples grows: time and memory for 10^4 to 10^7 samples; and the same through a
// spool, which is used if their number is unknown. Each run is a separate process, so that its memory can be measured.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <octavo/octavo.hpp>

#include "support/packed_file.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
namespace fs = std::filesystem;

constexpr octavo::SampleShape kShape = {1, 8, 8};

/// Samples computed from their index, in ten classes; every `skipped_every`-th one is unreadable.
class GeneratedSource final : public octavo::Source {
 public:
  GeneratedSource(std::int64_t sample_count, std::int64_t skipped_every)
      : splits_{{"train", sample_count, kShape, {octavo::LabelKind::class_index, 1}, octavo::Color::gray}},
        skipped_every_(skipped_every) {}

  const std::vector<octavo::SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t, std::int64_t row) const override { return std::to_string(row); }
  std::vector<std::string> files() const override { return {}; }
  std::vector<octavo::SampleFailure> read(std::size_t, std::int64_t first_row, std::int64_t count,
                                          std::span<std::uint8_t> values, std::span<std::byte> labels) override {
    std::vector<octavo::SampleFailure> failures;
    auto* words = reinterpret_cast<std::uint64_t*>(values.data());
    auto* classes = reinterpret_cast<std::int32_t*>(labels.data());
    for (std::int64_t row = first_row; row < first_row + count; ++row) {
      std::uint64_t state = static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15U + 1;
      for (std::int64_t i = 0; i < kShape.values() / 8; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        *words++ = state;
      }
      *classes++ = static_cast<std::int32_t>(row % 10);
      if (skipped_every_ > 0 && row % skipped_every_ == 0) failures.push_back({row, std::to_string(row), "left out"});
    }
    return failures;
  }

 private:
  std::vector<octavo::SourceSplit> splits_;
  std::vector<std::string> class_names_;
  std::int64_t skipped_every_;
};

/// Runs `work` in a separate process; returns its peak memory in bytes.
template <typename Work>
double peak_bytes_of(Work&& work) {
  const pid_t child = ::fork();
  require(child >= 0, "fork");
  if (child == 0) {
    try {
      work();
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
  int status = 0;
  struct rusage usage {};
  require(::wait4(child, &status, 0, &usage) == child && status == 0, "packing");
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void pack(std::int64_t sample_count, bool is_spooled, const fs::path& path) {
  // One sample in a thousand is skipped, so the number of samples is not known in advance.
  GeneratedSource source(sample_count, is_spooled ? 1000 : 0);
  octavo::PackOptions options;
  options.replace_existing = true;
  options.skip_bad_samples = is_spooled;
  octavo::pack(source, path, options);
}

void check(std::int64_t sample_count, bool is_spooled, const fs::path& path) {
  const std::int64_t expected = is_spooled ? sample_count - (sample_count + 999) / 1000 : sample_count;
  require(octavo::verify(path).defect_count == 0, "packing");
  require(octavo::Dataset::open(path).split("train").sample_count() == expected, "packing");
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  const long largest = option(argc, argv, "--largest", 10'000'000);
  Results results("pack_scale", argc, argv);
  const ScratchFolder folder;
  const fs::path path = folder / "packed.h5";
  for (const bool is_spooled : {false, true}) {
    std::vector<Subject> subjects;
    std::vector<std::pair<std::string, double>> memory;
    for (std::int64_t count = 10'000; count <= largest; count *= 10) {
      peak_bytes_of([&] {
        pack(count, is_spooled, path);
        check(count, is_spooled, path);
      });
      const std::string name = std::to_string(count) + " samples of 8x8, a million of them";
      memory.emplace_back(std::to_string(count), peak_bytes_of([&] { pack(count, is_spooled, path); }));
      subjects.push_back({name, 0, [=] {
                            const double seconds =
                                seconds_of([&] { peak_bytes_of([&] { pack(count, is_spooled, path); }); });
                            return seconds / static_cast<double>(count) * 1e6;
                          }});
    }
    const auto measured = measure(subjects, rounds);
    const std::string how = is_spooled ? "packing with a sample in 1,000 skipped" : "packing";
    results.section(how + ", synced, time of 10^6 / time");
    const std::size_t reference = std::min<std::size_t>(2, measured.size() - 1);
    for (const Measurement& one : measured) results.add_time(one, measured[reference].median_seconds);
    for (const auto& [count, bytes] : memory) {
      std::printf("  %10s samples: %.1f MiB at most\n", count.c_str(), bytes / 1048576);
      results.note("peak_bytes, " + how + ", " + count, bytes);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_pack_scale: %s\n", error.what());
  return 1;
}
