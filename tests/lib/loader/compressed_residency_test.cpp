// Batches of a compressed file have the same bits as those of a plain one, for every residency, order and thread count.
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include <octavo/loader.hpp>
#include <octavo/residency.hpp>

#include "catch.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::vector<LoadOptions> residencies(std::int64_t N, Device device) {
  std::vector<LoadOptions> all;
  // Threads read and decode on the host, whatever the device is.
  for (const int thread_count : device.is_cpu() ? std::vector{1, 2, 5} : std::vector{5}) {
    all.push_back({.thread_count = thread_count, .residency = Residency::device});
    all.push_back({.thread_count = thread_count, .residency = Residency::streamed});
    all.push_back({.thread_count = thread_count, .residency = Residency::hybrid, .resident_count = N / 3});
  }
  if (!device.is_cpu()) return all;
  all.push_back({.verify_checksums = false, .residency = Residency::device});
  all.push_back({.verify_checksums = false, .residency = Residency::streamed});
  return all;
}

void compressed_files_serve_the_same_bits(Device device, Compression compression) {
  // If there are chunks: 4, the last one short; some that are stored unchanged; and samples larger than a chunk.
  const bool has_chunks = compression == Compression::deflate;
  std::vector<Shuffle> orders = {Shuffle(true)};
  // Deflated rows are decoded on the host, so one order shows what the device gets.
  if (device.is_cpu() || !has_chunks) orders.push_back(Shuffle::blocks());
  const PlainSplit many = rounded(smooth_split("train", has_chunks ? 4500 : 450, {1, 28, 28}), 1);
  const PlainSplit noise = random_split("train", has_chunks ? 600 : 60, {3, 27, 29});
  const PlainSplit large = smooth_split("train", 3, has_chunks ? SampleShape{3, 600, 601} : SampleShape{3, 150, 151});
  for (const PlainSplit& plain : {many, noise, large}) {
    const std::int64_t N = plain.sample_count();
    const PackedFixture as_it_is({plain}), compressed({plain}, compression);
    const Store whole = Store::load(as_it_is.dataset().split("train"), device, {.residency = Residency::device});
    std::vector<std::pair<LoaderOptions, Served>> all;
    for (const Shuffle& shuffle : orders) {
      const LoaderOptions options{.batch_size = std::max<std::int64_t>(1, N / 7), .shuffle = shuffle, .seed = 5};
      all.emplace_back(options, serve(whole, options, 1));
    }
    for (const LoadOptions& load : residencies(N, device)) {
      const Store store = Store::load(compressed.dataset().split("train"), device, load);
      INFO(to_string(store.residency()) << ", " << load.thread_count << " threads, " << N << " samples");
      for (const auto& [options, expected] : all) REQUIRE(serve(store, options, 1) == expected);
    }
    const std::int64_t window = (N + 2) / 3;
    const Store store = Store::load(compressed.dataset().split("train"), device,
                                    {.residency = Residency::window, .window_samples = window});
    const LoaderOptions options{.batch_size = std::max<std::int64_t>(1, window / 4),
                                .shuffle = Shuffle::windows(window)};
    REQUIRE(serve(store, options) == serve(whole, options));
  }
}

void deflated_files_serve_the_same_bits(Device device) {
  compressed_files_serve_the_same_bits(device, Compression::deflate);
}
void lp8_files_serve_the_same_bits(Device device) { compressed_files_serve_the_same_bits(device, Compression::lp8); }
void lc8_files_serve_the_same_bits(Device device) { compressed_files_serve_the_same_bits(device, Compression::lc8); }

}  // namespace

OCTAVO_CONTRACT(lp8_files_serve_the_same_bits, "an LP8 file serves the same bits from every residency",
                "[unit][loader][many-batches]")
OCTAVO_CONTRACT(lc8_files_serve_the_same_bits, "an LC8 file serves the same bits from every residency",
                "[unit][loader][many-batches]")
OCTAVO_CONTRACT(deflated_files_serve_the_same_bits, "a deflated file serves the same bits from every residency",
                "[unit][loader][many-batches]")

TEST_CASE("a child of fork() streams from a deflated file that its parent also streams from", "[unit][loader]") {
#if defined(__SANITIZE_THREAD__)
  OCTAVO_SKIP("ThreadSanitizer ends a child of fork() that starts threads");
#elif defined(__SANITIZE_ADDRESS__)
  OCTAVO_SKIP("a child of fork() waits forever if another thread was inside AddressSanitizer's allocator");
#endif
  const PackedFixture fixture({smooth_split("train", 4500, {1, 28, 28})}, Compression::deflate);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(), {.residency = Residency::streamed});
  const LoaderOptions options{.batch_size = 300, .shuffle = true};
  const Served expected = serve(store, options, 1);
  Loader loader(store, options);  // its prefetch thread sometimes holds the cache's lock
  auto place = loader.epoch(0).begin();
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::alarm(60);
      ::_exit(serve(store, options, 1) == expected ? 0 : 1);
    }
    ++place;
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
  }
}
