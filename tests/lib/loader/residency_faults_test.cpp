// Failures while an epoch is read from its file, and loaders that are created and destroyed meanwhile.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>
#include <thread>

#include "catch.hpp"
#include "dataset_file/file_dataset.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"
#include "support/file.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

const dataset_file::FileSplit& in_file(const Split& split) {
  return dynamic_cast<const dataset_file::FileSplit&>(*split.data());
}

/// While alive, reading the file of a split fails.
class UnreadableFile {
 public:
  explicit UnreadableFile(const Split& split)
      : descriptor_(dynamic_cast<const File&>(in_file(split).reader().source()).descriptor()) {
    saved_ = ::dup(descriptor_);
    const int write_only = ::open("/dev/null", O_WRONLY);
    REQUIRE(::dup2(write_only, descriptor_) == descriptor_);
    ::close(write_only);
  }
  ~UnreadableFile() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }
  UnreadableFile(const UnreadableFile&) = delete;

 private:
  int descriptor_;
  int saved_;
};

/// Where `row` begins in the file.
std::int64_t offset_of(const Split& split, std::int64_t row) {
  const dataset_file::SplitEntry& entry = in_file(split).entry();
  return entry.images.offset + entry.rows[row];
}

void flip_byte(const std::filesystem::path& path, std::int64_t offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(offset);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(offset);
  file.put(byte);
}

}  // namespace

TEST_CASE("a damaged sample is reported at its batch", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 100, {1, 8, 8})});
  flip_byte(fixture.path(), offset_of(fixture.dataset().split("train"), 42));
  for (const int prefetch : {0, 1, 5}) {
    const Store store =
        Store::load(fixture.dataset().split("train"), Device::cpu(), {.residency = Residency::streamed});
    LoaderOptions options{.batch_size = 10};
    options.prefetch = prefetch;
    Loader loader(store, options);
    auto place = loader.epoch(0).begin();
    for (int step = 0; step < 3; ++step) ++place;
    for (int tries = 0; tries < 2; ++tries) {
      REQUIRE_THROWS_WITH(++place, ContainsSubstring("train/images sample 42 is damaged"));
      REQUIRE(loader.state().step == 4);
    }
    // A new epoch begins as usual.
    REQUIRE(loader.epoch(1).begin()->step() == 0);
  }
}

TEST_CASE("after a read error a loop can continue with the same batch", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 100, {1, 8, 8})});
  const Split split = fixture.dataset().split("train");
  const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
  const Served expected = serve(store, {.batch_size = 10, .shuffle = true}, 1);
  for (const int prefetch : {0, 2}) {
    LoaderOptions options{.batch_size = 10, .shuffle = true};
    options.prefetch = prefetch;
    Loader loader(store, options);
    Served served;
    auto place = loader.epoch(0).begin();
    served.add(*place);
    ++place;
    served.add(*place);
    {
      const UnreadableFile unreadable(split);
      // Prefetched batches are still served; then the error is thrown for the next batch.
      bool has_failed = false;
      for (int i = 0; i < 6 && !has_failed; ++i) {
        try {
          ++place;
          served.add(*place);
        } catch (const IoError& error) {
          REQUIRE_THAT(error.what(), ContainsSubstring("data.h5"));
          has_failed = true;
        }
      }
      REQUIRE(has_failed);
      REQUIRE(loader.state().step == static_cast<std::int64_t>(served.sizes.size()));
    }
    while (served.sizes.size() < 10) {
      ++place;
      served.add(*place);
    }
    REQUIRE(served == expected);
  }
}

TEST_CASE("a file that is truncated or changed while it is streamed is an error", "[unit][loader][residency]") {
  for (const bool cut : {true, false}) {
    const PackedFixture fixture({random_split("train", 100, {1, 8, 8})});
    const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(),
                                    {.verify_checksums = false, .residency = Residency::streamed});
    LoaderOptions options{.batch_size = 10};
    options.prefetch = 1;
    Loader loader(store, options);
    auto place = loader.epoch(0).begin();
    const auto length = std::filesystem::file_size(fixture.path());
    if (cut) {
      std::filesystem::resize_file(fixture.path(), length / 4);
    } else {
      // Set the modification time explicitly, so that the clock's granularity does not hide the change.
      std::filesystem::last_write_time(fixture.path(),
                                       std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2));
    }
    const auto finish = [&] {
      while (place != std::default_sentinel) ++place;
    };
    REQUIRE_THROWS_WITH(finish(), ContainsSubstring("was changed while it was read; open it again"));
  }
}

TEST_CASE("a replaced file is still read with its old contents", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 100, {1, 8, 8})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(), {.residency = Residency::streamed});
  const Served expected = serve(store, {.batch_size = 10}, 1);
  write_packed(fixture.path(), {random_split("train", 100, {1, 8, 8}, 77)});
  REQUIRE(serve(store, {.batch_size = 10}, 1) == expected);
}

TEST_CASE("destroying a loader during an epoch ends its prefetch", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 500, {1, 8, 8})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(), {.residency = Residency::streamed});
  for (int i = 0; i < 50; ++i) {
    LoaderOptions options{.batch_size = 5, .shuffle = true};
    options.prefetch = 1 + i % 7;
    Loader loader(store, options);
    auto place = loader.epoch(i).begin();
    for (int step = 0; step < i % 5; ++step) ++place;
  }
}

TEST_CASE("loaders in several threads can use one store", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 200, {1, 8, 8})});
  for (const LoadOptions& load : {LoadOptions{.residency = Residency::streamed},
                                  LoadOptions{.residency = Residency::hybrid, .resident_count = 90},
                                  LoadOptions{.residency = Residency::window, .window_samples = 40}}) {
    const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(), load);
    const LoaderOptions options{.batch_size = 16, .shuffle = true, .seed = 3};
    const Served expected = serve(store, options);
    std::vector<Served> served(4);
    {
      std::vector<std::jthread> threads;
      for (Served& one : served) threads.emplace_back([&] { one = serve(store, options); });
    }
    for (const Served& one : served) REQUIRE(one == expected);
  }
}
