// A remote dataset serves the bits of the local one.
#include <filesystem>
#include <memory>

#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/pack.hpp>
#include <octavo/shards.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"
#include "served_files.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void compare(const Split& local, const Split& remote,
             const LoaderOptions& options = {.batch_size = 16, .shuffle = true, .seed = 5}) {
  const Served expected = serve(Store::load(local, Device::cpu(), {.residency = Residency::device}), options, 2);
  for (const LoadOptions& load :
       {LoadOptions{.residency = Residency::device}, LoadOptions{.thread_count = 2, .residency = Residency::streamed},
        LoadOptions{.residency = Residency::hybrid, .resident_count = 20}}) {
    INFO(to_string(load.residency));
    CHECK(serve(Store::load(remote, Device::cpu(), load), options, 2) == expected);
  }
}

}  // namespace

TEST_CASE("a remote dataset serves the bits of the local file", "[unit][remote]") {
  for (const Compression compression : {Compression::none, Compression::lp8, Compression::lc8, Compression::deflate}) {
    INFO(to_string(compression));
    PlainSplit train = masked_split("train", 90, {3, 17, 13});
    for (std::size_t i = 0; i < train.values.size(); i += 2) train.values[i] = 7;  // compressible
    const PackedFixture fixture({train, random_split("val", 5, {3, 17, 13}, 2)}, compression);
    ServedFiles files({{"data.h5", file_text(fixture.path())}});
    const Dataset dataset = remote::open_dataset(files.url("data.h5"), quick_options());
    CHECK(dataset.path() == files.url("data.h5"));
    CHECK(dataset.digest() == fixture.dataset().digest());
    CHECK(dataset.split("train").statistics().histogram == fixture.dataset().split("train").statistics().histogram);
    compare(fixture.dataset().split("train"), dataset.split("train"));
    CHECK_NOTHROW(dataset.split("train").ensure_unchanged());
  }
}

TEST_CASE("a batch of a remote dataset is requested in whole before any of it is waited for", "[unit][remote]") {
  const PackedFixture fixture({random_split("train", 400, {3, 64, 64})}, Compression::none);
  ServedFiles files({{"data.h5", file_text(fixture.path())}});
  const Dataset dataset = remote::open_dataset(files.url("data.h5"), quick_options());
  const LoaderOptions options{.batch_size = 8, .shuffle = true, .seed = 5, .prefetch = 0};
  const Store store =
      Store::load(dataset.split("train"), Device::cpu(), {.thread_count = 1, .residency = Residency::streamed});
  const std::size_t before = files.requests().size();
  Loader loader(store, options);
  static_cast<void>(loader.epoch(0).begin());
  // A request for each sample, or fewer for neighbors, and none to ask whether the file has changed.
  CHECK(files.requests().size() - before <= 8);
}

TEST_CASE("a remote dataset of several files serves the bits of one", "[unit][remote]") {
  const PackedFixture fixture({masked_split("train", 60, {1, 12, 12}), random_split("val", 3, {1, 12, 12}, 2)},
                              Compression::none);
  const TemporaryFolder folder;
  const std::filesystem::path shards = folder / "shards";
  const auto open = [&] { return open_source({{.path = fixture.path()}}, {}); };
  for (std::int64_t i = 0; i < 3; ++i) {
    ShardPacker(open, "", shards, 3, {.compression = i == 1 ? Compression::lp8 : Compression::none}).pack(i);
  }
  merge_shards(shards);
  std::map<std::string, std::string> content;
  for (const auto& entry : std::filesystem::directory_iterator(shards)) {
    content["set/" + entry.path().filename().string()] = file_text(entry.path());
  }
  ServedFiles files(content);
  for (const std::string name : {"set/", "set/dataset.json", "set/?token=1"}) {
    INFO(name);
    const Dataset dataset = remote::open_dataset(files.url(name), quick_options());
    CHECK(dataset.path() == files.url("set/dataset.json"));
    compare(fixture.dataset().split("train"), dataset.split("train"));
  }
  const remote::DatasetBytes bytes = remote::open_bytes(files.url("set/"), quick_options());
  const VerifyResult result = verify(bytes.source, bytes.open_shard);
  CHECK(result.defect_count == 0);
  CHECK(!result.hdf5_checked);
  CHECK(result.checked_samples == 63);

  // A shard that is not the one of the manifest, and one that is missing.
  const std::string shard =
      content.begin()->first == "set/dataset.json" ? std::next(content.begin())->first : content.begin()->first;
  files.replace(shard, file_text(fixture.path()));
  CHECK_THROWS_WITH(remote::open_dataset(files.url("set/"), quick_options()),
                    ContainsSubstring("is not the one that the manifest lists"));
  files.replace("set/dataset.json", "{\"format\": \"octavo-shards\"}");
  CHECK_THROWS_AS(remote::open_dataset(files.url("set/"), quick_options()), FormatError);
  CHECK_THROWS_WITH(remote::open_dataset(files.url("other/"), quick_options()), ContainsSubstring("status 404"));
}

TEST_CASE("damage of a remote file is found like that of a local one", "[unit][remote]") {
  const PackedFixture fixture({random_split("train", 50, {3, 16, 16})}, Compression::none);
  std::string content = file_text(fixture.path());
  ServedFiles files({{"whole.h5", content}, {"page.h5", "<html>" + std::string(1000, 'x')}});
  const auto whole = remote::open_bytes(files.url("whole.h5"), quick_options());
  CHECK(verify(whole.source).defect_count == 0);
  content[content.size() / 2] ^= 1;
  files.replace("damaged.h5", content);
  const auto damaged = remote::open_bytes(files.url("damaged.h5"), quick_options());
  CHECK(verify(damaged.source).defect_count > 0);
  CHECK_THROWS_WITH(remote::open_dataset(files.url("page.h5"), quick_options()),
                    ContainsSubstring("not an Octavo file"));
}

TEST_CASE("a remote file that changes while it is read is an error", "[unit][remote]") {
  const PackedFixture fixture({random_split("train", 50, {3, 16, 16})}, Compression::none);
  ServedFiles files({{"a.h5", file_text(fixture.path())}});
  const Split split = remote::open_dataset(files.url("a.h5"), quick_options()).split("train");
  files.replace("a.h5", file_text(fixture.path()));  // another tag
  CHECK_THROWS_WITH(split.ensure_unchanged(), ContainsSubstring("changed since it was opened"));
  CHECK_THROWS_WITH(Store::load(split, Device::cpu(), {.residency = Residency::device}),
                    ContainsSubstring("changed since it was opened"));
}

TEST_CASE("a location that is no URL is a path", "[unit][remote]") {
  const PackedFixture fixture({random_split("train", 5, {1, 4, 4})});
  CHECK(remote::open_dataset(fixture.path().string()).digest() == fixture.dataset().digest());
}
