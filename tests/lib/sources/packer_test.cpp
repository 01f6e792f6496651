#include <cstring>
#include <nlohmann/json.hpp>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "made_files.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

// Large enough for several blocks: 3,000 images of 28 x 28.
constexpr int kImageCount = 3000;
constexpr int kPixels = 28 * 28;

/// Values keep only the bits of `mask`.
std::string noisy_images(int mask = 0xFF) {
  std::string data;
  std::uint32_t state = 1;
  for (int i = 0; i < kImageCount * kPixels; ++i)
    data += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24 & static_cast<unsigned>(mask));
  return idx({kImageCount, 28, 28}, data);
}

std::string labels() {
  std::string data;
  for (int i = 0; i < kImageCount; ++i) data += static_cast<char>(i % 10);
  return idx({kImageCount}, data);
}

void write_idx(const TemporaryFolder& folder, bool is_compressed) {
  const std::string ending = is_compressed ? ".gz" : "";
  write_file(folder / ("train-images-idx3-ubyte" + ending), is_compressed ? gzipped(noisy_images()) : noisy_images());
  write_file(folder / "train-labels-idx1-ubyte", labels());
}

std::string packed(const TemporaryFolder& folder, int thread_count) {
  const auto source = open_source({{folder.path(), ""}}, {});
  const fs::path path = folder / ("packed" + std::to_string(thread_count) + ".h5");
  pack(*source, path, {.reproducible = true, .thread_count = thread_count});
  return read_whole_file(path, 1 << 30);
}

int files_in(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Claims to have samples of one pixel with columns; reads none of them.
class ManyRows final : public Source {
 public:
  ManyRows(std::int64_t sample_count, std::vector<std::string> columns)
      : splits_{{.name = "train",
                 .sample_count = sample_count,
                 .shape = {1, 1, 1},
                 .labels = {},
                 .columns = std::move(columns)}} {}

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t, std::int64_t) const override { return ""; }
  std::vector<SampleFailure> read(std::size_t, std::int64_t, std::int64_t, std::span<std::uint8_t>,
                                  std::span<std::byte>) override {
    throw IoError("read a sample");
  }
  std::vector<std::string> files() const override { return {}; }

 private:
  std::vector<SourceSplit> splits_;
  std::vector<std::string> class_names_;
};

}  // namespace

TEST_CASE("any number of threads packs the same bytes from plain and gzip files", "[unit][pack]") {
  const bool is_compressed = GENERATE(false, true);
  const TemporaryFolder folder;
  write_idx(folder, is_compressed);
  const std::string one = packed(folder, 1);
  REQUIRE(one == packed(folder, 4));
  const Dataset dataset = Dataset::open(folder / "packed1.h5");
  const Split split = dataset.split("train");
  REQUIRE(split.sample_count() == kImageCount);
  std::vector<std::int8_t> codes(kPixels);
  std::int32_t label = -1;
  split.read_checked(2777, 1, codes, std::as_writable_bytes(std::span(&label, 1)));
  REQUIRE(label == 7);
  const std::string images = noisy_images();
  for (int i = 0; i < kPixels; ++i) {
    const auto value = static_cast<std::uint8_t>(images[static_cast<std::size_t>(16 + 2777 * kPixels + i)]);
    REQUIRE(codes[static_cast<std::size_t>(i)] == value - 128);
  }
  const auto defects = verify(folder / "packed1.h5").defects;
  for (const Defect& defect : defects) FAIL(defect.where << ": " << defect.what);
}

TEST_CASE("any number of threads deflates to the same bytes from plain and gzip files", "[unit][pack]") {
  const bool is_compressed = GENERATE(false, true);
  const TemporaryFolder folder;
  write_idx(folder, is_compressed);
  const auto pack_with = [&](int thread_count, bool skips) {
    const fs::path path = folder / "deflated.h5";
    const auto source = open_source({{folder.path(), ""}}, {});
    pack(*source, path,
         {.skip_bad_samples = skips,
          .reproducible = true,
          .compression = Compression::deflate,
          .replace_existing = true,
          .thread_count = thread_count});
    return read_whole_file(path, 1 << 30);
  };
  const std::string one = pack_with(1, false);
  for (const int thread_count : {2, 5}) REQUIRE(pack_with(thread_count, false) == one);
  for (const int thread_count : {1, 3}) REQUIRE(pack_with(thread_count, true) == one);
  REQUIRE(verify(folder / "deflated.h5").defect_count == 0);
  const Split split = Dataset::open(folder / "deflated.h5").split("train");
  REQUIRE(split.compression() == Compression::deflate);
  std::vector<std::int8_t> codes(kImageCount * kPixels);
  split.read(0, kImageCount, codes);
  const std::string images = noisy_images();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) wrong += codes[i] + 128 != static_cast<std::uint8_t>(images[16 + i]);
  REQUIRE(wrong == 0);
}

TEST_CASE("any number of threads encodes to the same bytes, with tables for the samples", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string images = noisy_images(0xF0);  // which general tables do not shrink
  write_file(folder / "train-images-idx3-ubyte", images);
  write_file(folder / "train-labels-idx1-ubyte", labels());
  const auto pack_with = [&](int thread_count, bool skips) {
    const fs::path path = folder / "encoded.h5";
    const auto source = open_source({{folder.path(), ""}}, {});
    pack(*source, path,
         {.skip_bad_samples = skips,
          .reproducible = true,
          .compression = Compression::lc8,
          .replace_existing = true,
          .thread_count = thread_count});
    return read_whole_file(path, 1 << 30);
  };
  const std::string one = pack_with(1, false);
  REQUIRE(pack_with(3, false) == one);
  REQUIRE(pack_with(2, true) == one);
  REQUIRE(verify(folder / "encoded.h5").defect_count == 0);
  const Split split = Dataset::open(folder / "encoded.h5").split("train");
  REQUIRE(4 * split.stored_bytes() < 3 * split.packed_bytes());
  std::vector<std::int8_t> codes(kImageCount * kPixels);
  split.read(0, kImageCount, codes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) wrong += codes[i] + 128 != static_cast<std::uint8_t>(images[16 + i]);
  REQUIRE(wrong == 0);
}

TEST_CASE("values are rounded by at most the largest error, and repacking keeps them", "[unit][pack]") {
  const TemporaryFolder folder;
  write_idx(folder, false);
  const int max_error = GENERATE(1, 2, 3);
  const int step = value_step(max_error);
  const auto source = open_source({{folder.path(), ""}}, {});
  const PackSummary summary =
      pack(*source, folder / "a.h5", {.compression = Compression::lc8, .max_error = max_error, .thread_count = 3});
  CHECK_THAT(summary.notes.at(0),
             ContainsSubstring("train: values are rounded to multiples of " + std::to_string(step) +
                               " (largest error " + std::to_string(max_error) + ", PSNR "));
  REQUIRE(verify(folder / "a.h5").defect_count == 0);
  const auto values_of = [&](const fs::path& path) {
    std::vector<std::int8_t> codes(kImageCount * kPixels);
    Dataset::open(path).split("train").read(0, kImageCount, codes);
    return codes;
  };
  const std::vector<std::int8_t> codes = values_of(folder / "a.h5");
  const std::string images = noisy_images();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const int value = codes[i] + 128;
    REQUIRE(value % step == 0);
    REQUIRE(std::abs(value - static_cast<std::uint8_t>(images[16 + i])) <= max_error);
  }
  const auto repack = [&](const char* name, const PackOptions& options) {
    const auto packed = open_source({{folder / "a.h5"}}, {});
    const PackSummary repacked = pack(*packed, folder / name, options);
    CHECK(values_of(folder / name) == codes);
    for (const std::string& note : repacked.notes) CHECK_THAT(note, !ContainsSubstring("error"));  // nothing else
    return Dataset::open(folder / name).split("train").max_error();
  };
  CHECK(repack("plain.h5", {}) == 0);
  CHECK(repack("lp8.h5", {.compression = Compression::lp8}) == max_error);
  CHECK(repack("exact.h5", {.compression = Compression::lp8, .max_error = 0}) == 0);
}

TEST_CASE("a largest error needs compression that stays in memory", "[unit][pack]") {
  const TemporaryFolder folder;
  write_idx(folder, false);
  const auto source = open_source({{folder.path(), ""}}, {});
  CHECK_THROWS_WITH(pack(*source, folder / "a.h5", {.max_error = 1}),
                    ContainsSubstring("files with compression none store values exactly; choose lp8 or lc8"));
  CHECK_THROWS_WITH(pack(*source, folder / "a.h5", {.compression = Compression::lp8, .max_error = 4}),
                    ContainsSubstring("`max_error` is 4; expected 0 to 3"));
}

TEST_CASE("appended samples are exact unless a largest error is given", "[unit][pack]") {
  const TemporaryFolder folder;
  write_idx(folder, false);
  const auto source = open_source({{folder.path(), ""}}, {});
  pack(*source, folder / "a.h5", {.compression = Compression::lp8, .max_error = 1});
  for (const auto& [name, max_error] : {std::pair<std::string, int>{"b", 0}, {"c", 2}}) {
    const auto more = open_source({{folder / "train-images-idx3-ubyte", name}}, {});
    append(*more, folder / "a.h5", {.max_error = max_error > 0 ? std::optional(max_error) : std::nullopt});
  }
  const Dataset dataset = Dataset::open(folder / "a.h5");
  CHECK(dataset.split("train").max_error() == 1);
  CHECK(dataset.split("b").max_error() == 0);
  CHECK(dataset.split("c").max_error() == 2);
}

TEST_CASE("the summary and the provenance describe what was packed", "[unit][pack]") {
  const TemporaryFolder folder;
  write_idx(folder, false);
  const auto source = open_source({{folder / "train-images-idx3-ubyte", ""}}, {});
  const PackSummary summary = pack(*source, folder / "a.h5", {.with_names = true, .command_line = "octavo pack x"});
  REQUIRE(summary.packed_bytes == kImageCount * kPixels);
  REQUIRE(summary.file_bytes == static_cast<std::int64_t>(fs::file_size(folder / "a.h5")));
  REQUIRE(summary.splits.size() == 1);
  REQUIRE(summary.splits[0].sample_count == kImageCount);
  const Dataset dataset = Dataset::open(folder / "a.h5");
  REQUIRE(dataset.split("train").sample_name(12) == "train-images-idx3-ubyte#12");
  const auto provenance = nlohmann::json::parse(dataset.provenance());
  REQUIRE(provenance["command_line"] == "octavo pack x");
  REQUIRE(provenance["format"] == "idx");
  REQUIRE(provenance["sources"][0] == (folder / "train-images-idx3-ubyte").string());
  REQUIRE(provenance["sample_count"] == kImageCount);
  REQUIRE(provenance["libraries"].contains("libpng"));
}

TEST_CASE("a reproducible provenance contains no folder and no command", "[unit][pack]") {
  const TemporaryFolder folder;
  write_idx(folder, false);
  const auto source = open_source({{folder.path(), ""}}, {});
  pack(*source, folder / "a.h5", {.reproducible = true, .command_line = "octavo pack x"});
  const std::string provenance = Dataset::open(folder / "a.h5").provenance();
  REQUIRE_THAT(provenance, !ContainsSubstring(folder.path().string()));
  REQUIRE_THAT(provenance, !ContainsSubstring("command_line"));
}

TEST_CASE("a bad sample stops packing and leaves nothing or is skipped and recorded", "[unit][pack]") {
  const Compression compression = GENERATE(Compression::none, Compression::lc8);  // which reads some samples before
  const TemporaryFolder folder;
  const fs::path path = folder / "out/a.h5";
  fs::create_directories(folder / "out");
  for (int i = 0; i < 5; ++i) {
    const auto value = static_cast<std::uint8_t>(10 * i);
    write_file(folder / ("images/c/" + std::to_string(i) + ".png"), made_png({.width = 1, .rows = {value}}));
  }
  write_file(folder / "images/c/2.png", "no image");
  const auto source = open_source({{folder / "images", ""}}, {.skip_unreadable = true});
  REQUIRE_THROWS_WITH(pack(*source, path, {.compression = compression}),
                      ContainsSubstring("\"c/2.png\": it is not a JPEG, PNG, WebP, TIFF, GIF, BMP or PNM file"));
  REQUIRE(files_in(folder / "out") == 0);
  const PackSummary summary =
      pack(*source, path, {.skip_bad_samples = true, .compression = compression, .thread_count = 2});
  REQUIRE(summary.splits[0].sample_count == 4);
  REQUIRE(summary.skipped.size() == 1);
  REQUIRE(summary.skipped[0].name == "c/2.png");
  const Dataset dataset = Dataset::open(path);
  std::vector<std::int8_t> codes(4);
  dataset.split("train").read(0, 4, codes);
  REQUIRE(codes == std::vector<std::int8_t>{-128, -118, -98, -88});
  const auto provenance = nlohmann::json::parse(dataset.provenance());
  REQUIRE(provenance["skipped"][0]["name"] == "c/2.png");
  REQUIRE(provenance["sample_count"] == 4);
  REQUIRE(files_in(folder / "out") == 1);
}

TEST_CASE("a split is refused with the reason if all of its samples are skipped", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string cut = gray_png(2);
  cut.resize(cut.size() - 20);
  for (const char* const name : {"train/c/0.png", "train/c/1.png"}) write_file(folder / "in" / name, gray_png(1));
  for (const char* const name : {"test/c/0.png", "test/c/1.png"}) write_file(folder / "in" / name, cut);
  const auto source = open_source({{folder / "in"}}, {.skip_unreadable = true});
  CHECK_THROWS_WITH(
      pack(*source, folder / "a.h5", {.skip_bad_samples = true}),
      ContainsSubstring("pack split \"test\": no samples are left, because all 2 samples were skipped, the "
                        "first, \"test/c/0.png\": "));
  CHECK_FALSE(fs::exists(folder / "a.h5"));
}

TEST_CASE("progress reaches its end and an exception from it cancels and leaves nothing", "[unit][pack]") {
  const TemporaryFolder folder;
  write_idx(folder, true);
  fs::create_directories(folder / "out");
  const auto source = open_source({{folder.path(), ""}}, {});
  Progress last;
  pack(*source, folder / "a.h5", {.thread_count = 3, .on_progress = [&](const Progress& now) { last = now; }});
  REQUIRE(last.done_samples == kImageCount);
  REQUIRE(last.total_bytes == kImageCount * kPixels);
  struct Cancelled {};
  const auto cancel = [](const Progress&) { throw Cancelled(); };
  REQUIRE_THROWS_AS(pack(*source, folder / "out/b.h5", {.thread_count = 3, .on_progress = cancel}), Cancelled);
  REQUIRE(files_in(folder / "out") == 0);
}

TEST_CASE("a gzip file that turns out to be damaged leaves nothing behind", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string bytes = gzipped(noisy_images());
  bytes[bytes.size() - 5] ^= 1;
  write_file(folder / "train-images-idx3-ubyte.gz", bytes);
  fs::create_directories(folder / "out");
  const auto source = open_source({{folder.path(), ""}}, {});
  REQUIRE_THROWS_AS(pack(*source, folder / "out/a.h5", {.thread_count = 2}), FormatError);
  REQUIRE(files_in(folder / "out") == 0);
}

TEST_CASE("too many column values are refused before a sample is read", "[unit][pack]") {
  const TemporaryFolder folder;
  // Of 2^24 JSON values, one is the object and one is the list of each column.
  constexpr std::int64_t kMostRows = (std::int64_t{1} << 24) / 2 - 2;
  ManyRows source(kMostRows + 1, {"a", "b"});
  CHECK_THROWS_WITH(pack(source, folder / "a.h5"),
                    ContainsSubstring("split train: 2 columns of 8,388,607 samples") &&
                        ContainsSubstring("at most 16,777,216 values; keep fewer columns with `columns`"));
  CHECK(fs::is_empty(folder.path()));
}
