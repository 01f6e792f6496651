// A dataset whose bytes are not in a file of this machine.
#include <octavo/batch_maker.hpp>
#include <octavo/byte_source.hpp>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/store.hpp>

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Bytes in memory, which can say neither what is at hand nor read several parts at once.
class BytesInMemory final : public ByteSource {
 public:
  explicit BytesInMemory(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  std::string name() const override { return "memory://bytes"; }
  std::int64_t length() const override { return std::ssize(bytes_); }
  std::string identity() const override { return version; }
  void read_at(std::int64_t offset, std::span<std::byte> out) const override {
    ++reads;
    if (offset + std::ssize(out) > length()) throw IoError("read " + name() + ": it ends before that");
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }

  std::string version = "1";
  mutable std::atomic<int> reads = 0;

 private:
  std::string bytes_;
};

}  // namespace

TEST_CASE("a dataset in memory serves the batches of its file", "[unit][store]") {
  const auto compression = GENERATE(Compression::none, Compression::deflate);
  const PackedFixture fixture({random_split("train", 300, {3, 8, 8})}, compression);
  const auto source = std::make_shared<const BytesInMemory>(fixture.path());
  const Dataset dataset = Dataset::open(source);
  REQUIRE(dataset.path() == "memory://bytes");
  REQUIRE(dataset.digest() == fixture.dataset().digest());
  for (const Residency residency : {Residency::device, Residency::streamed}) {
    const LoaderOptions options{.batch_size = 32, .shuffle = true, .seed = 3};
    const auto served = [&](const Dataset& from) {
      return BatchMaker(Store::load(from.split("train"), Device::cpu(), {.residency = residency}), options)
          .fingerprint(0, true);
    };
    REQUIRE(served(dataset) == served(fixture.dataset()));
  }
  REQUIRE(source->reads > 0);
}

TEST_CASE("bytes that change while a dataset is open are detected", "[unit][store]") {
  const PackedFixture fixture({random_split("train", 20, {1, 4, 4})});
  const auto source = std::make_shared<BytesInMemory>(fixture.path());
  const Split split = Dataset::open(source).split("train");
  REQUIRE_NOTHROW(split.ensure_unchanged());
  source->version = "2";
  REQUIRE_THROWS_WITH(split.ensure_unchanged(), ContainsSubstring("read \"memory://bytes\": the file was changed"));
}

TEST_CASE("a URL is not a file name", "[unit][store]") {
  REQUIRE_THROWS_WITH(
      Dataset::open("s3://bucket/train.h5"),
      ContainsSubstring("open \"s3://bucket/train.h5\": a URL, but this opens files; use octavo::remote"));
}
