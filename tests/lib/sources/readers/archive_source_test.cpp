// Sources in archives: images in folders, WebDataset shards, array files.
#include <algorithm>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "report/origin.hpp"
#include "sources/lists/numbered_paths.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

TEST_CASE("images in an archive come from its folders in the archive's order", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"./dog/2.png", gray_png(3)},   {"cat/1.png", gray_png(1)},       {"dog/1.png", gray_png(2)},
      {"../cat/up.png", gray_png(9)}, {"cat/.hidden.png", gray_png(9)}, {"readme.txt", "hello"}};
  for (const auto& [name, kind] : {std::pair("a.tar", ArchiveKind::tar), std::pair("a.tgz", ArchiveKind::tar_gz),
                                   std::pair("a.zip", ArchiveKind::zip)}) {
    INFO(name);
    write_archive(folder / name, kind, files);
    const auto source = open(folder / name);
    REQUIRE(source->class_names() == std::vector<std::string>{"cat", "dog"});
    REQUIRE(source->splits()[0].name == "train");
    REQUIRE(source->sample_name(0, 0) == "dog/2.png");
    const Samples samples = read_all(*source);
    REQUIRE(samples.values == std::vector<std::uint8_t>{3, 3, 1, 1, 2, 2});
    REQUIRE(samples.labels == std::vector<std::int32_t>{1, 0, 1});
    // Out of order, and again from the beginning.
    REQUIRE(read(*source, 0, 2, 1).values[0] == 2);
    REQUIRE(read(*source, 0, 0, 1).values[0] == 3);
  }
}

TEST_CASE("files of an archive whose names lead out of their folder are left out and counted", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto notes_with = [&](const std::vector<MadeEntry>& added) {
    // The name of the last is only hidden.
    std::vector<MadeEntry> entries = {
        {"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}, {"dog/..1.png", gray_png(2)}};
    entries.insert(entries.end(), added.begin(), added.end());
    write_entries(folder / "a.tar", ArchiveKind::tar, entries);
    const auto source = open(folder / "a.tar");
    CHECK(source->splits()[0].sample_count == 2);
    return packing_notes(*source);
  };
  CHECK(notes_with({}).empty());
  REQUIRE(notes_with({{"../2.png", gray_png(2)}}).size() == 1);
  CHECK_THAT(notes_with({{"../2.png", gray_png(2)}})[0],
             ContainsSubstring("left out 1 file of \"") && ContainsSubstring("with \"..\" in its name: ../2.png"));
  const auto several = notes_with({{"../", ""}, {"cat/../2.png", gray_png(2)}, {"../l", "x", MadeLink::symbolic}});
  REQUIRE(several.size() == 1);
  CHECK_THAT(several[0], ContainsSubstring("2 files") && ContainsSubstring("in their names, first cat/../2.png"));
}

TEST_CASE("class folders in a zip archive may have names marked as UTF-8", "[unit][pack]") {
  const TemporaryFolder folder;
  write_flagged_zip(folder / "a.zip", {{"ds/b/1.png", gray_png(1)},
                                       {"ds/caf\xC3\xA9/1.png", gray_png(2)},
                                       {"ds/\xE6\x97\xA5\xE6\x9C\xAC/1.png", gray_png(3)}});
  CHECK(open(folder / "a.zip")->class_names() ==
        std::vector<std::string>{"b", "caf\xC3\xA9", "\xE6\x97\xA5\xE6\x9C\xAC"});
  CHECK(read_all(*open(folder / "a.zip")).values == std::vector<std::uint8_t>{1, 1, 2, 2, 3, 3});
}

TEST_CASE("an export in an archive keeps its labels and classes", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string manifest =
      R"({"format":"octavo-export","version":1,"classes":["x","y"],"splits":{"val":[
         {"file":"1-y/0.png","label":1},{"file":"0-x/1.png","label":0}]}})";
  for (const std::string below : {"", "export/"}) {
    write_archive(
        folder / "a.tar", ArchiveKind::tar,
        {{below + "0-x/1.png", gray_png(1)}, {below + "1-y/0.png", gray_png(2)}, {below + "octavo.json", manifest}});
    const auto source = open(folder / "a.tar");
    REQUIRE(source->splits()[0].name == "val");
    REQUIRE(source->class_names() == std::vector<std::string>{"x", "y"});
    REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{0, 1});  // in the archive's order
    REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{1, 1, 2, 2});
  }
  write_archive(folder / "b.tar", ArchiveKind::tar, {{"octavo.json", manifest}, {"1-y/0.png", gray_png(2)}});
  REQUIRE_THROWS_WITH(open(folder / "b.tar"),
                      ContainsSubstring("b.tar: octavo.json\": ") && ContainsSubstring("0-x/1.png\" is missing"));
}

TEST_CASE("the bytes of a source in an archive are those of the archive", "[unit][report]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar,
                {{"x/1.png", gray_png(1)}, {"x/bad.png", "no image"}, {"y/1.png", gray_png(2)}});
  write_archive(folder / "b.zip", ArchiveKind::zip,
                {{"train/x/1.png", gray_png(1)}, {"val/x/1.png", gray_png(2)}, {"val/x/2.png", gray_png(3)}});
  for (const char* name : {"a.tar", "b.zip"}) {
    pack(*open(folder / name, {.skip_unreadable = true}), folder / "a.h5",
         {.skip_bad_samples = true, .replace_existing = true});
    const report::Origin origin = report::origin_of(Dataset::open(folder / "a.h5"), "train");
    CHECK(report::bytes_of_files(origin) == static_cast<std::int64_t>(file_size(folder / name)));
  }
  std::filesystem::remove(folder / "b.zip");
  CHECK_FALSE(report::bytes_of_files(report::origin_of(Dataset::open(folder / "a.h5"), "train")));
}

TEST_CASE("split folders in an archive become splits", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.zip", ArchiveKind::zip,
                {{"train/a/1.png", gray_png(1)}, {"test/a/1.png", gray_png(2)}, {"train/b/1.png", gray_png(3)}});
  const auto source = open(folder / "a.zip");
  REQUIRE(source->splits().size() == 2);
  REQUIRE(read_all(*source, 0).values[2] == 3);
  REQUIRE(read_all(*source, 1).values[0] == 2);
}

TEST_CASE("a folder that holds only one folder of folders is replaced by it", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar,
                {{"ds/pets/train/a/1.png", gray_png(1)},
                 {"ds/pets/train/b/1.png", gray_png(1)},
                 {"ds/pets/test/b/1.png", gray_png(2)}});
  REQUIRE(open(folder / "a.tar")->splits().size() == 2);
  REQUIRE(open(folder / "a.tar")->class_names() == std::vector<std::string>{"a", "b"});
  write_archive(folder / "b.tar", ArchiveKind::tar, {{"ds/a/1.png", gray_png(1)}, {"ds/b/1.png", gray_png(2)}});
  REQUIRE(open(folder / "b.tar")->class_names() == std::vector<std::string>{"a", "b"});
  // A single class stays a class.
  write_archive(folder / "c.tar", ArchiveKind::tar, {{"a/1.png", gray_png(1)}, {"a/2.png", gray_png(2)}});
  REQUIRE(open(folder / "c.tar")->class_names() == std::vector<std::string>{"a"});
  write_archive(folder / "d.tar", ArchiveKind::tar,
                {{"d/list.csv", "path,label\nimages/1.png,1.5\n"}, {"d/images/1.png", gray_png(1)}});
  REQUIRE(open(folder / "d.tar")->splits()[0].labels.kind == LabelKind::target);
  // As in a folder, this leaves out the list.
  REQUIRE(open(folder / "d.tar", {.format = "folder"})->format() == "folder");
}

TEST_CASE("an image in an archive that cannot be decoded is a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"2.png", gray_png(2).substr(0, 45)}});
  const Samples samples = read_all(*open(folder / "a.tar", {.skip_unreadable = true}));
  REQUIRE(samples.failures.size() == 1);
  REQUIRE(samples.failures[0].name == "2.png");
}

TEST_CASE("an archive that holds an archive and no images is refused by the name of the inner one", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.zip", ArchiveKind::zip, {{"ds/b.tar", "bytes"}, {"readme.txt", ""}});
  CHECK_THROWS_WITH(open(folder / "a.zip"), ContainsSubstring("a.zip: ds/b.tar\": archives in an archive are not read; "
                                                              "unpack the outer one, and pack the folder"));
  write_archive(folder / "a.zip", ArchiveKind::zip, {{"ds/b.tar", "bytes"}, {"ds/1.png", gray_png(1)}});
  CHECK(open(folder / "a.zip")->splits()[0].sample_count == 1);
}

TEST_CASE("damaged and truncated archives are refused by name", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.zip", ArchiveKind::zip, {{"a/1.png", gray_png(1)}, {"b/1.png", gray_png(2)}});
  const auto whole = fs::file_size(folder / "a.zip");
  fs::resize_file(folder / "a.zip", whole / 2);
  REQUIRE_THROWS_WITH(read_all(*open(folder / "a.zip")), ContainsSubstring("a.zip\": it starts like a zip archive"));
  write_archive(folder / "b.tgz", ArchiveKind::tar_gz, {{"a/1.png", gray_png(1)}, {"b/1.png", gray_png(2)}});
  fs::resize_file(folder / "b.tgz", fs::file_size(folder / "b.tgz") - 20);
  REQUIRE_THROWS_WITH(read_all(*open(folder / "b.tgz")), ContainsSubstring("b.tgz"));
}

TEST_CASE("samples before the damage in an archive are kept if bad samples are skipped", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto shard = [&](const std::string& name, ArchiveKind kind, char first) {
    std::vector<std::pair<std::string, std::string>> files;
    for (char i = first; i < first + 3; ++i) {
      const std::string key(1, static_cast<char>('0' + i));
      files.insert(files.end(), {{key + ".cls", key}, {key + ".png", gray_png(i)}});
    }
    write_archive(folder / name, kind, files);
  };
  // Each file in a tar archive has a header of 512 bytes, followed by its data in blocks of 512.
  constexpr std::uintmax_t kSampleBytes = 4 * 512;
  const auto [archive_bytes, kept_count] = GENERATE(
      table<std::uintmax_t, std::int64_t>({{kSampleBytes + 1024 + 100, 1},  // within the header of the second image
                                           {kSampleBytes + 1536 + 50, 1},   // within the second image
                                           {2 * kSampleBytes + 512, 2},     // after the header of the third label
                                           {2 * kSampleBytes + 1536 + 50, 2}}));  // within the third image
  shard("s-0.tar", ArchiveKind::tar, 1);
  shard("s-1.tar", ArchiveKind::tar, 4);
  fs::resize_file(folder / "s-0.tar", archive_bytes);
  CHECK_THROWS_WITH(open(folder / "s-{0..1}.tar"), ContainsSubstring("s-0.tar\": "));
  const auto source = open(folder / "s-{0..1}.tar", {.skip_unreadable = true});
  const auto left_out = source->left_out();
  REQUIRE_FALSE(left_out.empty());
  CHECK(left_out.back().name == (folder / "s-0.tar").string());
  CHECK_THAT(left_out.back().reason, ContainsSubstring("Truncated ") && ContainsSubstring("everything after its") &&
                                         ContainsSubstring("is lost; get the file again"));
  const PackSummary summary = pack(*source, folder / "packed.h5", {.skip_bad_samples = true, .replace_existing = true});
  CHECK(summary.splits[0].sample_count == kept_count + 3);
}

TEST_CASE("only damaged WebDataset shards are read in part and only if a sample is complete", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar, {{"a/1.png", gray_png(1)}, {"b/1.png", gray_png(2)}});
  fs::resize_file(folder / "a.tar", 300);
  CHECK_THROWS_WITH(open(folder / "a.tar", {.skip_unreadable = true}), ContainsSubstring("a.tar"));
  const std::string list = "path,label\n1.png,5\n";
  write_archive(folder / "list.tar", ArchiveKind::tar, {{"images/1.png", gray_png(1)}, {"list.csv", list}});
  fs::resize_file(folder / "list.tar", 1024 + 100);
  CHECK_THROWS_WITH(open(folder / "list.tar", {.skip_unreadable = true}),
                    ContainsSubstring("list.tar\": Truncated") && ContainsSubstring("only WebDataset shards"));
  const std::string images = idx({40, 1, 20}, counting(800));
  write_archive(folder / "mnist.tar", ArchiveKind::tar,
                {{"train-images-idx3-ubyte", images}, {"t10k-images-idx3-ubyte", images}});
  fs::resize_file(folder / "mnist.tar", 512 + 1024 + 512 + 700);
  CHECK_THROWS_WITH(
      open(folder / "mnist.tar", {.skip_unreadable = true}),
      ContainsSubstring("mnist.tar\": Truncated") && ContainsSubstring("only WebDataset shards can be read partially"));
}

TEST_CASE("an archive that claims far more than it holds is refused before it is read", "[unit][pack]") {
  const TemporaryFolder folder;
  // gzip compresses 64 MiB of zeros to 64 KiB or less, over a thousand to one. Compressed twice, they are a bomb.
  write_archive(folder / "inner.tgz", ArchiveKind::tar_gz, {{"a/1.png", std::string(64 << 20, '\0')}});
  std::string bytes(fs::file_size(folder / "inner.tgz"), '\0');
  std::ifstream(folder / "inner.tgz", std::ios::binary).read(bytes.data(), std::ssize(bytes));
  write_file(folder / "bomb.tgz", gzipped(bytes));
  REQUIRE_THROWS_WITH(open(folder / "bomb.tgz"), ContainsSubstring("claims to hold more than 1100 times"));
}

TEST_CASE("the name of a part of an archive of images is refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar, {{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}});
  write_archive(folder / "w.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"1.cls", "0"}});
  for (const char* const name : {"a.tar", "w.tar"}) {
    SourceSpec spec = {folder / name};
    spec.images = "cat";
    CHECK_THROWS_WITH(open_source({spec}, {}), ContainsSubstring(std::string(name) + "\"::cat: only .npz, HDF5 and "));
    spec.labels = "label";
    CHECK_THROWS_WITH(open_source({spec}, {}),
                      ContainsSubstring("omit the names, or name a file of labels that exists"));
  }
}

TEST_CASE("a kind of labels is refused if no labels have it", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.tar", ArchiveKind::tar, {{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}});
  write_archive(folder / "w.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"1.cls", "0"}});
  const SourceOptions options = {.label_kind = LabelKind::target};
  CHECK_THROWS_WITH(open_source({{folder / "a.tar"}}, options),
                    ContainsSubstring("`label_kind` reads the labels of image lists, arrays and WebDataset shards, "));
  CHECK(open_source({{folder / "w.tar"}}, options)->splits()[0].labels.kind == LabelKind::target);
}

TEST_CASE("WebDataset shards are one split with the labels stored next to the images", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "train-000.tar", ArchiveKind::tar,
                {{"b.png", gray_png(1)}, {"b.cls", "7\n"}, {"a.png", gray_png(2)}, {"a.cls", "3"}});
  write_archive(folder / "train-001.tar", ArchiveKind::tar, {{"a.cls", "5"}, {"a.png", gray_png(3)}});
  for (const fs::path& path : {folder / "train-{000..001}.tar", fs::path(folder.path())}) {
    INFO(path);
    const auto source = open(path);
    REQUIRE(source->format() == "webdataset");
    REQUIRE(source->splits().size() == 1);
    const Samples samples = read_all(*source);
    REQUIRE(samples.values == std::vector<std::uint8_t>{1, 1, 2, 2, 3, 3});
    REQUIRE(samples.labels == std::vector<std::int32_t>{7, 3, 5});
  }
}

TEST_CASE("WebDataset shards that are named one by one are one split", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"train-000.tar", "train-001.tar", "val-000.tar"}) {
    write_archive(folder / name, ArchiveKind::tar, {{"a.png", gray_png(1)}, {"a.cls", "5"}});
  }
  const auto source =
      open_source({{folder / "train-000.tar"}, {folder / "train-001.tar"}, {folder / "val-000.tar"}}, SourceOptions());
  REQUIRE(source->splits().size() == 2);
  REQUIRE(source->splits()[0].sample_count == 2);
  REQUIRE(source->splits()[1].name == "val");
}

TEST_CASE("the image with the plainest name of a WebDataset sample is used", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "x.tar", ArchiveKind::tar,
                {{"a.seg.png", gray_png(9)},
                 {"a.png", gray_png(1)},
                 {"a.cls", "0"},
                 {"b.png", gray_png(2)},
                 {"b.seg.png", gray_png(9)},
                 {"b.cls", "1"}});
  const auto source = open(folder / "x.tar");
  REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{1, 1, 2, 2});
}

TEST_CASE("WebDataset labels in JSON may be names that are numbered", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "x.tar", ArchiveKind::tar,
                {{"1.png", gray_png(1)},
                 {"1.json", R"({"label": "owl"})"},
                 {"2.png", gray_png(2)},
                 {"2.json", R"({"label": "ant", "width": 3})"}});
  const auto source = open(folder / "x.tar");
  REQUIRE(source->class_names() == std::vector<std::string>{"ant", "owl"});
  REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{1, 0});
  write_archive(folder / "y.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"1.cls", "1"}, {"2.png", gray_png(2)}});
  REQUIRE_THROWS_WITH(open(folder / "y.tar"), ContainsSubstring("2.png") && ContainsSubstring("no label"));
}

TEST_CASE("a note names what is not packed of WebDataset samples", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "x.tar", ArchiveKind::tar,
                {{"1.png", gray_png(1)},
                 {"1.seg.png", gray_png(9)},
                 {"1.txt", "a cat"},
                 {"1.json", R"({"label": 0, "caption": "a cat", "bbox": [1, 2]})"},
                 {"2.png", gray_png(2)},
                 {"2.json", R"({"label": 4, "class": 4, "bbox": []})"},
                 {"3.png", gray_png(2)},
                 {"3.cls", "5"},
                 {"3.json", "{}"},
                 {"README", "hello"},
                 {"4.cls", "6"}});
  using Remarks = std::vector<std::string>;
  CHECK(
      open(folder / "x.tar")->notes().remarks ==
      Remarks{"left out the members .json, .seg.png and .txt of 2 samples, and the JSON keys \"bbox\", \"caption\" and "
              "\"class\"",
              "left out 2 samples without an image: 4 and README"});
  write_archive(folder / "y.tar", ArchiveKind::tar,
                {{"1.png", gray_png(1)}, {"1.cls", "0"}, {"1.a\x1B[m", "x"}, {"2.png", gray_png(1)}, {"2.cls", "0"}});
  CHECK(open(folder / "y.tar")->notes().remarks == Remarks{"left out the member .a?[m of 1 sample"});
  write_archive(folder / "z.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"1.cls", "0"}});
  CHECK(open(folder / "z.tar")->notes().remarks.empty());
}

TEST_CASE("the note on WebDataset samples shows at most 20 names and cuts long ones", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string keys;
  for (int i = 10; i < 40; ++i) keys += ", \"k" + std::to_string(i) + "\": 0";
  // The name is cut between characters: 59 bytes and half of the next one fit.
  const std::string long_name = std::string(59, 'a') + "\u00e4" + std::string(1000, 'b');
  write_archive(folder / "x.tar", ArchiveKind::tar,
                {{"1.png", gray_png(1)}, {"1.json", "{\"label\": 0, \"" + long_name + "\": 0}"}});
  CHECK(open(folder / "x.tar")->notes().remarks.at(0) == "left out the JSON key \"" + std::string(59, 'a') + "...\"");
  write_archive(folder / "y.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"1.json", "{\"label\": 0" + keys + "}"}});
  const std::string remark = open(folder / "y.tar")->notes().remarks.at(0);
  CHECK(remark.ends_with("\"k28\", \"k29\", ..."));
  CHECK(std::ranges::count(remark, ',') == 20);
}

TEST_CASE("array files are read from an archive even in its only folder", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string batch;
  for (int i = 0; i < 5; ++i) batch += cifar_record(std::string(1, static_cast<char>(i)), i, 0, 0);
  write_archive(folder / "cifar-10-binary.tar.gz", ArchiveKind::tar_gz,
                {{"cifar-10-batches-bin/data_batch_1.bin", batch},
                 {"cifar-10-batches-bin/test_batch.bin", batch},
                 {"cifar-10-batches-bin/data_batch_2.bin", batch}});
  const auto source = open(folder / "cifar-10-binary.tar.gz");
  REQUIRE(source->format() == "cifar10");
  REQUIRE(source->splits()[0].sample_count == 10);
  REQUIRE(source->splits()[1].sample_count == 5);
  REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
  REQUIRE(read(*source, 0, 7, 1).values[0] == 2);

  write_archive(folder / "mnist.zip", ArchiveKind::zip,
                {{"train-images-idx3-ubyte.gz", gzipped(idx({2, 1, 2}, counting(4)))},
                 {"train-labels-idx1-ubyte", idx({2}, "ab")}});
  REQUIRE(read_all(*open(folder / "mnist.zip")).labels == std::vector<std::int32_t>{'a', 'b'});
}

TEST_CASE("archives in a folder are read as if they were named one by one", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "train.tar", ArchiveKind::tar, {{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}});
  write_archive(folder / "test.zip", ArchiveKind::zip, {{"dog/2.png", gray_png(3)}});
  const auto source = open(folder.path());
  REQUIRE(source->class_names() == std::vector<std::string>{"cat", "dog"});
  REQUIRE(source->splits().size() == 2);
  REQUIRE(source->splits()[1].name == "test");
  REQUIRE(read_all(*source, 1).labels == std::vector<std::int32_t>{1});

  const TemporaryFolder single;
  write_archive(single / "data.tgz", ArchiveKind::tar_gz,
                {{"train/cat/1.png", gray_png(1)}, {"val/cat/1.png", gray_png(2)}});
  REQUIRE(open(single.path())->splits()[1].name == "val");
  REQUIRE(open(single.path())->class_names() == std::vector<std::string>{"cat"});
  // Images next to the archive are preferred: they were probably extracted from it.
  fs::create_directories(single / "train/owl");
  write_file(single / "train/owl/1.png", gray_png(4));
  REQUIRE(open(single.path())->class_names() == std::vector<std::string>{"owl"});

  // A damaged archive is not silently ignored.
  write_file(folder / "train.tar", "<html>not found</html>");
  REQUIRE_THROWS_WITH(open(folder.path()), ContainsSubstring("train.tar") && ContainsSubstring("it is an archive"));
  REQUIRE_THROWS_WITH(open_source({{folder.path(), "val"}}, {}), ContainsSubstring("train.tar"));
}

TEST_CASE("a .npz file in a folder keeps its splits", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2), }";
  header.resize(117, ' ');
  const std::string start = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n";
  write_archive(folder / "data.npz", ArchiveKind::zip, {{"x_train.npy", start + "ab"}, {"x_test.npy", start + "cd"}});
  const auto source = open(folder.path());
  REQUIRE(source->splits().size() == 2);
  REQUIRE(read_all(*source, 1).values == std::vector<std::uint8_t>{'c', 'd'});
  // Two files are not mixed into one split, and images next to such files are preferred.
  fs::rename(folder / "data.npz", folder / "train.npz");
  fs::copy_file(folder / "train.npz", folder / "test.npz");
  REQUIRE_THROWS_WITH(open_source({{folder.path(), "val"}}, {}), ContainsSubstring("it holds \"train\" and \"test\""));
  fs::create_directories(folder / "cat");
  write_file(folder / "cat/1.png", gray_png(4));
  REQUIRE(open(folder.path())->format() == "folder");
}

TEST_CASE("WebDataset samples without a usable label can be left out", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "x.tar", ArchiveKind::tar,
                {{"1.png", gray_png(1)},
                 {"1.json", R"({"label": 4})"},
                 {"2.png", gray_png(2)},
                 {"3.png", gray_png(3)},
                 {"3.json", "{label: 4}"}});
  REQUIRE_THROWS_WITH(open(folder / "x.tar"), ContainsSubstring("2.png") && ContainsSubstring("it has no label"));
  const auto source = open(folder / "x.tar", {.skip_unreadable = true});
  REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{4});
  const auto left_out = source->left_out();
  REQUIRE(left_out.size() == 2);
  REQUIRE(left_out[0].name == "2.png");
  REQUIRE_THAT(left_out[1].reason, ContainsSubstring("not JSON"));
  write_archive(folder / "z.tar", ArchiveKind::tar,
                {{"1.png", gray_png(1)},
                 {"1.cls", ""},
                 {"2.png", gray_png(2)},
                 {"2.cls", "owl"},
                 {"3.png", gray_png(3)},
                 {"3.cls", "ant"}});
  REQUIRE_THROWS_WITH(open(folder / "z.tar"),
                      ContainsSubstring("1.cls") && ContainsSubstring("its label is missing (\"\")"));
  const auto known = open(folder / "z.tar", {.class_names = {"bee", "ant"}, .skip_unreadable = true});
  REQUIRE(read_all(*known).labels == std::vector<std::int32_t>{1});
  REQUIRE(read_all(*known).values == std::vector<std::uint8_t>{3, 3});
  REQUIRE(known->left_out().size() == 2);
  REQUIRE_THROWS_WITH(open(folder / "z.tar", {.class_names = {"bee", "cow"}, .skip_unreadable = true}),
                      ContainsSubstring("z.tar") && ContainsSubstring("no sample has an image and a label"));
  write_archive(folder / "y.tar", ArchiveKind::tar, {{"1.png", gray_png(1)}, {"1.json", "{}"}});
  // Without any label, it is not a shard, but a folder of images.
  REQUIRE(open(folder / "y.tar")->splits()[0].labels.kind == LabelKind::none);
}

TEST_CASE("an empty archive is not mistaken for an array", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "data.tar", std::string(10240, '\0'));
  REQUIRE_THROWS_WITH(open(folder / "data.tar"), ContainsSubstring("data.tar") && ContainsSubstring("unknown format"));
}

TEST_CASE("numbered paths expand to files with leading zeros", "[unit][pack]") {
  using sources::expand_numbers;
  REQUIRE(expand_numbers("a-{08..10}.tar") == std::vector<fs::path>{"a-08.tar", "a-09.tar", "a-10.tar"});
  REQUIRE(expand_numbers("a.tar") == std::vector<fs::path>{"a.tar"});
  REQUIRE_THROWS_AS(expand_numbers("a{5..4}"), InvalidArgument);
  REQUIRE_THROWS_AS(expand_numbers("a{0..99999999}"), InvalidArgument);
}

TEST_CASE("a list next to an archive with its images is not passed over", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "train.zip", ArchiveKind::zip, {{"train/1.png", gray_png(1)}, {"train/2.png", gray_png(2)}});
  write_file(folder / "sample_submission.csv", "id,label\n1,0\n");
  CHECK(open(folder.path())->splits()[0].labels.kind == LabelKind::none);
  write_file(folder / "labels.csv", "id,label\n1,a\n2,b\n");
  const std::string problem =
      "labels.csv is not used as a list of images: the images are in archives, such as train.zip; unpack them next to "
      "it";
  CHECK_THROWS_WITH(open(folder.path()),
                    ContainsSubstring(problem + ", or pack the images without it with `format=archive`"));
  CHECK(open_source({{folder.path()}}, {.format = "archive"})->splits()[0].sample_count == 2);
  // The folders in the archive are classes.
  write_archive(folder / "train.zip", ArchiveKind::zip, {{"cat/1.png", gray_png(1)}, {"dog/2.png", gray_png(2)}});
  const auto notes = open(folder.path())->notes().remarks;
  CHECK(std::ranges::find(notes, problem) != notes.end());
}
