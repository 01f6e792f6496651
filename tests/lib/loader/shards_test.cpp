// A dataset of shards serves the bits of one file with the same samples.
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/pack.hpp>
#include <octavo/shards.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"
#include "support/strict_json.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

namespace fs = std::filesystem;

/// Shards of a dataset file.
class Shards {
 public:
  explicit Shards(std::vector<PlainSplit> splits) : whole_(std::move(splits), Compression::none) {}

  std::unique_ptr<Source> source() const { return open_source({{.path = whole_.path()}}, {}); }
  ShardSummary pack(const Shard& shard, const PackOptions& options = {}) const {
    return ShardPacker([&] { return source(); }, "", folder(), shard.count, options).pack(shard.number);
  }
  /// Shard i has encoding i modulo their number.
  void pack_all(std::int64_t count, const std::vector<Compression>& encodings) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const Compression encoding = encodings[static_cast<std::size_t>(i) % encodings.size()];
      CHECK(!pack({i, count}, {.compression = encoding}).was_there);
    }
  }
  const PackedFixture& whole() const { return whole_; }
  fs::path folder() const { return folder_ / "shards"; }
  fs::path file(const Shard& shard) const { return folder() / shard_file_name(shard); }
  Dataset dataset() const { return Dataset::open(folder().string()); }

 private:
  PackedFixture whole_;
  TemporaryFolder folder_;
};

void flip_bit(const fs::path& path, std::int64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const char byte = static_cast<char>(file.get());
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 0x10));
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Those in the provenance.
std::map<std::string, std::string> source_digests(const Dataset& dataset) {
  return parse_strict_json(dataset.provenance()).at("source_digests").get<std::map<std::string, std::string>>();
}

}  // namespace

TEST_CASE("shards serve the bits of one file", "[unit][shards]") {
  const PlainSplit train = masked_split("train", 101, {3, 9, 14}), val = masked_split("val", 4, {3, 9, 14}, 7);
  struct Case {
    std::int64_t count;
    std::vector<Compression> encodings;
  };
  for (const Case& one : {Case{1, {Compression::none}}, Case{7, {Compression::none}}, Case{5, {Compression::lp8}},
                          Case{3, {Compression::lc8}}, Case{3, {Compression::deflate}},
                          Case{6, {Compression::none, Compression::lp8, Compression::lc8, Compression::deflate}}}) {
    INFO(one.count << " shards, " << one.encodings.size() << " encodings from " << to_string(one.encodings[0]));
    const Shards shards({train, val});
    shards.pack_all(one.count, one.encodings);
    const MergeSummary merged = merge_shards(shards.folder());
    CHECK(merged.shard_count == one.count);
    REQUIRE(merged.splits.size() == 2);
    CHECK(merged.splits[0].sample_count == 101);
    CHECK(merged.splits[1].sample_count == 4);

    const Dataset dataset = shards.dataset(), whole = shards.whole().dataset();
    CHECK(source_digests(dataset) == source_digests(whole));
    for (const char* name : {"train", "val"}) {
      const Split split = dataset.split(name), expected = whole.split(name);
      CHECK(split.data()->description().data_hash == expected.data()->description().data_hash);
      const Statistics found = split.statistics(), exact = expected.statistics();
      CHECK(found.histogram == exact.histogram);
      CHECK(found.mean == exact.mean);
      CHECK(found.mean_image == exact.mean_image);
      CHECK(split.class_names() == expected.class_names());
      const Store all = Store::load(expected, Device::cpu(), {.residency = Residency::device});
      const LoaderOptions options{.batch_size = 10, .shuffle = true, .seed = 3};
      const Served batches = serve(all, options, 2);
      for (const LoadOptions& load : {LoadOptions{.residency = Residency::device},
                                      LoadOptions{.thread_count = 3, .residency = Residency::streamed},
                                      LoadOptions{.residency = Residency::hybrid, .resident_count = 2}}) {
        INFO(name << ", " << to_string(load.residency));
        CHECK(serve(Store::load(split, Device::cpu(), load), options, 2) == batches);
      }
      // Nothing else keeps the dataset open.
      const Store alone = Store::load(shards.dataset().split(name), Device::cpu(), {.residency = Residency::streamed});
      CHECK(serve(alone, options, 2) == batches);
      // A run may change from one to the other.
      Loader before(all, options);
      static_cast<void>(before.epoch(1).begin());
      const Store joined = Store::load(split, Device::cpu());
      CHECK_NOTHROW(Loader(joined, options).restore(before.state()));
    }
    CHECK(verify(shards.folder()).defect_count == 0);
  }
}

TEST_CASE("a shard that is there is not packed again", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  REQUIRE(!shards.pack({1, 4}).was_there);
  const std::string bytes = text_of(shards.file({1, 4}));
  CHECK(shards.pack({1, 4}).was_there);
  CHECK_THROWS_WITH(shards.pack({1, 4}, {.compression = Compression::lp8}),
                    ContainsSubstring("packed with other options"));
  // A damaged header or index is not taken for a shard.
  flip_bit(shards.file({1, 4}), 20);
  CHECK_THROWS_AS(shards.pack({1, 4}), InvalidArgument);
  CHECK(!shards.pack({1, 4}, {.replace_existing = true}).was_there);
  CHECK(text_of(shards.file({1, 4})) == bytes);
}

TEST_CASE("shards of other arguments or in their own source are refused", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  shards.pack_all(2, {Compression::none});
  merge_shards(shards.folder());
  const auto open = [&] { return shards.source(); };
  CHECK_THROWS_WITH(ShardPacker(open, "label_column=age", shards.folder(), 2).pack(0),
                    ContainsSubstring("other options"));
  const auto open_shards = [&] { return open_source({{.path = shards.folder()}}, {}); };
  CHECK_THROWS_WITH(ShardPacker(open_shards, "", shards.folder(), 2), ContainsSubstring("it is a source"));
}

TEST_CASE("workers that pack one shard at once leave one file", "[unit][shards]") {
  const Shards shards({smooth_split("train", 400, {3, 32, 32})});
  std::atomic<int> packed = 0, found = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] { ++(shards.pack({0, 2}).was_there ? found : packed); });
  }
  workers.clear();
  CHECK(packed == 1);
  CHECK(found == 3);
  CHECK(std::distance(fs::directory_iterator(shards.folder()), {}) == 1);
}

TEST_CASE("shards that do not belong together are named", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})}), others({smooth_split("train", 41, {1, 8, 8})});
  const auto refuses = [&](const std::string& message) {
    CHECK_THROWS_WITH(merge_shards(shards.folder()), ContainsSubstring(message));
  };
  CHECK_THROWS_AS(merge_shards(shards.folder()), IoError);  // no folder
  shards.pack({0, 4});
  shards.pack({2, 4});
  refuses("2 of 4 shards are missing: 1, 3");
  others.pack({1, 4});
  fs::copy_file(others.file({1, 4}), shards.file({1, 4}));
  shards.pack({3, 4});
  refuses("shard-00001-of-00004.h5\" is a shard of another source");
  fs::remove(shards.file({1, 4}));
  fs::copy_file(shards.file({2, 4}), shards.file({1, 4}));
  refuses("shard-00001-of-00004.h5\" is shard 2 of 4");
  fs::remove(shards.file({1, 4}));
  fs::copy_file(shards.whole().path(), shards.file({1, 4}));
  refuses("is not a shard");
  fs::remove(shards.file({1, 4}));
  shards.pack({1, 4});
  shards.pack({0, 5});
  refuses("shards of two datasets");
  fs::remove(shards.file({0, 5}));
  const MergeSummary merged = merge_shards(shards.folder());
  const std::string manifest = text_of(merged.path);
  CHECK(text_of(merge_shards(shards.folder()).path) == manifest);

  CHECK_THROWS_WITH(shards.pack({4, 4}), ContainsSubstring("expected 0 to 3"));
  CHECK_THROWS_WITH(shards.pack({0, 41}), ContainsSubstring("at most 40 shards"));
}

TEST_CASE("an appended shard serves the bits of one file", "[unit][shards]") {
  const PlainSplit train = masked_split("train", 41, {3, 9, 14}), val = masked_split("val", 4, {3, 9, 14}, 7);
  const PlainSplit more = masked_split("train", 13, {3, 9, 14}, 8), test = masked_split("test", 5, {3, 9, 14}, 9);
  const PackedFixture added({more, test}), last({masked_split("train", 2, {3, 9, 14}, 10)});
  for (const Compression encoding : {Compression::none, Compression::lc8}) {
    INFO(to_string(encoding));
    const Shards shards({train, val});
    shards.pack_all(3, {encoding});
    merge_shards(shards.folder());
    const Dataset before = shards.dataset();
    const Served batches_before = serve(Store::load(before.split("train"), Device::cpu()), {.batch_size = 10});
    for (const PackedFixture* more_samples : {&added, &last}) {
      const auto source = open_source({{.path = more_samples->path()}}, {});
      CHECK(!append_shard(*source, shards.folder()).was_there);
    }
    CHECK(verify(shards.folder()).defect_count == 0);
    CHECK(serve(Store::load(before.split("train"), Device::cpu()), {.batch_size = 10}) == batches_before);

    const TemporaryFolder folder;
    const auto together =
        open_source({{.path = shards.whole().path()}, {.path = added.path()}, {.path = last.path()}}, {});
    pack(*together, folder / "whole.h5");
    const Dataset dataset = shards.dataset(), whole = Dataset::open(folder / "whole.h5");
    CHECK(source_digests(dataset) == source_digests(whole));
    CHECK(dataset.split_names() == std::vector<std::string>{"train", "val", "test"});
    for (const std::string& name : dataset.split_names()) {
      const Split split = dataset.split(name), expected = whole.split(name);
      CHECK(split.data()->description().data_hash == expected.data()->description().data_hash);
      CHECK(split.compression() == encoding);
      const LoaderOptions options{.batch_size = 3, .shuffle = true, .seed = 3};
      CHECK(serve(Store::load(split, Device::cpu()), options) == serve(Store::load(expected, Device::cpu()), options));
    }
  }
}

TEST_CASE("appending again after an interruption adds the samples once", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  shards.pack_all(2, {Compression::none});
  const std::string manifest = text_of(merge_shards(shards.folder()).path);
  const PackedFixture added({smooth_split("train", 7, {1, 8, 8}, 2)}), other({smooth_split("train", 7, {1, 8, 8}, 3)});
  const auto append = [&](const PackedFixture& from) {
    return append_shard(*open_source({{.path = from.path()}}, {}), shards.folder());
  };
  const fs::path file = append(added).path;
  CHECK(file == shards.folder() / "appended-00001.h5");
  const std::string after = text_of(shards.folder() / "dataset.json");
  const auto samples = [&] { return shards.dataset().split("train").sample_count(); };
  CHECK(samples() == 47);
  // It ended before the manifest was written.
  std::ofstream(shards.folder() / "dataset.json") << manifest;
  CHECK(samples() == 40);
  SECTION("it runs again") {
    CHECK(!append(added).was_there);
    CHECK(text_of(shards.folder() / "dataset.json") == after);
  }
  SECTION("another source is appended") {
    CHECK(!append(other).was_there);
    CHECK(samples() == 47);
    CHECK(text_of(shards.folder() / "dataset.json") != after);
  }
  SECTION("it is merged, and runs again") {
    merge_shards(shards.folder());
    const ShardSummary again = append(added);
    CHECK(again.was_there);
    CHECK(again.path == file);
    CHECK(text_of(shards.folder() / "dataset.json") == after);
    CHECK(!append(other).was_there);
    CHECK(samples() == 54);
    fs::remove(file);
    CHECK_THROWS_WITH(merge_shards(shards.folder()), ContainsSubstring("appended-00001.h5 is missing"));
  }
  CHECK(std::ranges::none_of(fs::directory_iterator(shards.folder()), [](const auto& entry) {
    return entry.path().extension() != ".h5" && entry.path().extension() != ".json";
  }));
}

TEST_CASE("samples that do not suit the shards are not appended", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  shards.pack_all(2, {Compression::none});
  const std::string manifest = text_of(merge_shards(shards.folder()).path);
  const auto refuses = [&](PlainSplit split, const std::string& message, bool allow_mismatch = false) {
    const PackedFixture added({std::move(split)});
    const auto source = open_source({{.path = added.path()}}, {});
    CHECK_THROWS_WITH(append_shard(*source, shards.folder(), {.allow_mismatch = allow_mismatch}),
                      ContainsSubstring(message));
    CHECK(text_of(shards.folder() / "dataset.json") == manifest);
    CHECK(std::distance(fs::directory_iterator(shards.folder()), {}) == 3);
  };
  refuses(smooth_split("train", 4, {1, 8, 9}), "1x8x9");
  refuses(smooth_split("train", 4, {1, 8, 9}), "1x8x9", true);
  refuses(masked_split("train", 4, {1, 8, 8}), "masks");
  const PackedFixture one({smooth_split("train", 4, {1, 8, 8})});
  const auto source = open_source({{.path = one.path()}}, {});
  CHECK_THROWS_WITH(append_shard(*source, one.path()), ContainsSubstring("no dataset of shards"));
}

TEST_CASE("programs that append at once all add their samples", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  shards.pack_all(1, {Compression::none});
  merge_shards(shards.folder());
  const PackedFixture a({smooth_split("train", 3, {1, 8, 8}, 2)}), b({smooth_split("train", 5, {1, 8, 8}, 3)});
  {
    std::vector<std::jthread> workers;
    for (const PackedFixture* added : {&a, &b}) {
      workers.emplace_back([&, added] { append_shard(*open_source({{.path = added->path()}}, {}), shards.folder()); });
    }
  }
  CHECK(shards.dataset().split("train").sample_count() == 48);
}

TEST_CASE("a damaged shard is named, and the others are verified", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  shards.pack_all(4, {Compression::none});
  const fs::path manifest = merge_shards(shards.folder()).path;
  const Dataset dataset = shards.dataset();
  // Sample 5 of shard 2: each has 10 samples.
  const std::string bytes = text_of(shards.file({2, 4}));
  const std::vector<std::uint8_t>& values = shards.whole().plain().values;
  std::string sample;
  for (int i = 0; i < 64; ++i) sample += static_cast<char>(values[25 * 64 + i] ^ 0x80);
  const std::size_t at = bytes.find(sample);
  REQUIRE(at != std::string::npos);
  flip_bit(shards.file({2, 4}), static_cast<std::int64_t>(at));
  flip_bit(shards.file({0, 4}), static_cast<std::int64_t>(fs::file_size(shards.file({0, 4}))) - 1);
  const VerifyResult found = verify(manifest);
  CHECK(found.defect_count >= 2);
  CHECK(found.defects.front().where.starts_with("shard-00000-of-00004.h5: "));
  CHECK(found.defects.back().where == "shard-00002-of-00004.h5: /train/images sample 5");
  CHECK(found.checked_samples >= 20);
  const auto load = [&] { Store::load(shards.dataset().split("train"), Device::cpu()); };
  CHECK_THROWS_WITH(load(), ContainsSubstring("shard-0000"));

  fs::remove(shards.file({0, 4}));
  CHECK_THROWS_WITH(shards.dataset(), ContainsSubstring("shard-00000-of-00004.h5"));
  CHECK(verify(manifest).defects.front().where == "shard-00000-of-00004.h5: header");
}

TEST_CASE("the statistics of large shards are exact", "[unit][shards]") {
  // The float32 means of so many large values do not give their sums.
  PlainSplit split = random_split("train", 80'000, {1, 1, 2});
  for (std::uint8_t& value : split.values) value |= 0xC0;
  const Shards shards({split});
  shards.pack_all(2, {Compression::none});
  merge_shards(shards.folder());
  const Statistics found = shards.dataset().split("train").statistics();
  const Statistics exact = shards.whole().dataset().split("train").statistics();
  CHECK(found.mean_image == exact.mean_image);
  CHECK(found.mean == exact.mean);
}

TEST_CASE("more shards than open files are allowed are opened", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 4, 4})});
  shards.pack_all(40, {Compression::none});
  merge_shards(shards.folder());
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit low{std::min<rlim_t>(limit.rlim_max, 30), limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  CHECK_NOTHROW(shards.dataset());
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

TEST_CASE("manifests from elsewhere are checked", "[unit][shards]") {
  const Shards shards({smooth_split("train", 40, {1, 8, 8})});
  shards.pack_all(2, {Compression::none});
  const fs::path path = merge_shards(shards.folder()).path;
  const std::string good = text_of(path);
  const auto refuses = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    std::ofstream(path) << text;
    INFO(text);
    CHECK_THROWS_AS(Dataset::open(path.string()), Error);
    CHECK(verify(path).defect_count > 0);
  };
  refuses("\"shard-00001", "\"../shard-00001");
  refuses("\"shard-00001", "\"shard-00000");
  refuses("\"samples\":40", "\"samples\":41");
  refuses("\"format_version\": 1", "\"format_version\": 2");
  refuses("\"splits\": [", "\"splits\": 3, \"x\": [");
  refuses("\"name\":\"train\"", "\"name\":\"test\"");
  refuses("\"histogram\":[", "\"histogram\":[1,");
  refuses("\"bytes\":", "\"bytes\":1");
  refuses("shard-00001-of-00002.h5", "dataset.json");
  std::ofstream(path) << good;
  CHECK(Dataset::open(path.string()).split("train").sample_count() == 40);
  // Another JSON file of that name is a list of images.
  std::ofstream(path) << "{\"images\": []}";
  CHECK_THROWS_AS(shards.dataset(), Error);
  CHECK_THROWS_WITH(merge_shards(shards.folder()), ContainsSubstring("exists"));
  CHECK(text_of(path) == "{\"images\": []}");
}

TEST_CASE("a dataset of shards is repacked to one file", "[unit][shards]") {
  const Shards shards({masked_split("train", 40, {3, 8, 8}), masked_split("val", 5, {3, 8, 8})});
  shards.pack_all(3, {Compression::lp8});
  merge_shards(shards.folder());
  for (const fs::path& path : {shards.folder(), shards.folder() / "dataset.json"}) {
    TemporaryFolder folder;
    pack(*open_source({{.path = path}}, {}), folder / "one.h5", {.compression = Compression::none});
    const Dataset one = Dataset::open((folder / "one.h5").string());
    for (const char* name : {"train", "val"}) {
      CHECK(one.split(name).data()->description().data_hash ==
            shards.whole().dataset().split(name).data()->description().data_hash);
    }
  }
}
