// Archives are read as the folder that unpacking them would make.
#include <fstream>
#include <sstream>

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "files/unicode.hpp"
#include "images/made_images.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

using Entries = std::vector<MadeEntry>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string all_notes(const Source& source) {
  std::string text;
  for (const std::string& note : packing_notes(source)) text += note + "\n";
  return text;
}

std::string contents_of(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// "cat/1.png=1 ..." of all samples, with the values of their pixels.
std::string samples_of(Source& source) {
  const Samples samples = read_all(source);
  const std::size_t pixels = samples.values.size() / static_cast<std::size_t>(source.splits()[0].sample_count);
  std::string text;
  for (std::int64_t row = 0; row < source.splits()[0].sample_count; ++row) {
    text +=
        source.sample_name(0, row) + "=" + std::to_string(samples.values[static_cast<std::size_t>(row) * pixels]) + " ";
  }
  return text;
}

constexpr MadeLink kHard = MadeLink::hard, kSymbolic = MadeLink::symbolic;

}  // namespace

TEST_CASE("links in an archive lead to their files", "[unit][pack]") {
  const TemporaryFolder folder;
  write_entries(folder / "a.tar", ArchiveKind::tar,
                Entries{{"cat/1.png", gray_png(1)},
                        {"dog/4.png", "../cat/late.png", kSymbolic},  // before its target
                        {"cat/2.png", gray_png(2)},
                        {"dog/1.png", "cat/2.png", kHard},
                        {"dog/2.png", "1.png", kSymbolic},  // a chain
                        {"cat/late.png", gray_png(3)}});
  const auto source = open(folder / "a.tar");
  CHECK(source->splits()[0].sample_count == 6);
  const std::string samples = samples_of(*source);
  for (const char* const sample :
       {"cat/1.png=1 ", "cat/2.png=2 ", "cat/late.png=3 ", "dog/1.png=2 ", "dog/2.png=2 ", "dog/4.png=3 "}) {
    CHECK_THAT(samples, ContainsSubstring(sample));
  }
  CHECK_THAT(all_notes(*source), !ContainsSubstring("link"));
  // Zip files store a link as a file with the path of its target.
  write_entries(folder / "a.zip", ArchiveKind::zip,
                Entries{{"cat/1.png", gray_png(1)}, {"dog/1.png", "../cat/1.png", kSymbolic}});
  CHECK_THAT(samples_of(*open(folder / "a.zip")), ContainsSubstring("dog/1.png=1 "));
}

TEST_CASE("a link to a folder shows its files", "[unit][pack]") {
  const TemporaryFolder folder;
  write_entries(folder / "a.tar", ArchiveKind::tar,
                Entries{{"train/cat/1.png", gray_png(1)},
                        {"train/dog/1.png", gray_png(2)},
                        {"test/cat", "../train/cat", kSymbolic},
                        {"test/dog/2.png", "train/dog/1.png", kHard}});
  const auto source = open(folder / "a.tar");
  REQUIRE(source->splits().size() == 2);
  CHECK(source->splits()[1].name == "test");
  CHECK(read_all(*source, 1).labels == std::vector<std::int32_t>{0, 1});
  CHECK(read_all(*source, 1).values == std::vector<std::uint8_t>{1, 1, 2, 2});
}

TEST_CASE("links that lead nowhere or outside an archive are counted", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "outside.png", gray_png(9));
  write_entries(folder / "a.tar", ArchiveKind::tar,
                Entries{{"cat/1.png", gray_png(1)},
                        {"dog/0.png", gray_png(2)},
                        {"dog/1.png", "../../outside.png", kSymbolic},
                        {"dog/2.png", (folder / "outside.png").string(), kSymbolic},
                        {"dog/3.png", "missing.png", kSymbolic},
                        {"dog/4.png", "5.png", kSymbolic},
                        {"dog/5.png", "4.png", kSymbolic},
                        {"dog/6.png", "cat/missing.png", kHard}});
  const auto source = open(folder / "a.tar");
  CHECK(samples_of(*source) == "cat/1.png=1 dog/0.png=2 ");
  CHECK_THAT(all_notes(*source), ContainsSubstring("6 links") && ContainsSubstring(" -> "));
}

TEST_CASE("links to folders cannot list an archive without end", "[unit][pack]") {
  const TemporaryFolder folder;
  Entries entries = {{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}};
  for (int i = 0; i < 40; ++i) {
    entries.push_back({"cat/" + std::to_string(i), ".", kSymbolic});
    entries.push_back({"dog/" + std::to_string(i), "../cat", kSymbolic});
  }
  write_entries(folder / "a.tar", ArchiveKind::tar, entries);
  const auto source = open(folder / "a.tar");
  // "cat" has its file; "dog" has that file through the first of its links, and its own.
  CHECK(samples_of(*source) == "cat/1.png=1 dog/0/1.png=1 dog/1.png=2 ");
  // A chain that is longer than the 40 links that Linux follows: link 10,000 + i leads through i + 1 links.
  entries = {{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}, {"dog/0.png", "../cat/1.png", kSymbolic}};
  for (int i = 0; i < 1000; ++i) {
    entries.push_back(
        {"dog/" + std::to_string(10'001 + i) + ".png", std::to_string(i == 0 ? 0 : 10'000 + i) + ".png", kSymbolic});
  }
  write_entries(folder / "b.tar", ArchiveKind::tar, entries);
  CHECK_THAT(all_notes(*open(folder / "b.tar")), ContainsSubstring("left out 961 links"));
}

TEST_CASE("a folder that links show in several classes or splits is noted in archives and on disk", "[unit][pack]") {
  const TemporaryFolder folder;
  write_entries(folder / "a.tar", ArchiveKind::tar,
                Entries{{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}, {"cat/up", "..", kSymbolic}});
  write_entries(folder / "b.tar", ArchiveKind::tar,
                Entries{{"train/cat/1.png", gray_png(1)},
                        {"train/dog/1.png", gray_png(2)},
                        {"test/cat", "../train/cat", kSymbolic},
                        {"test/dog", "../train/dog", kSymbolic}});
  // Not in several classes: a folder that is reached twice within a class, and a hidden one that is only linked to.
  write_entries(folder / "c.tar", ArchiveKind::tar,
                Entries{{".store/1.png", gray_png(1)},
                        {"cat", ".store", kSymbolic},
                        {"dog/a/1.png", gray_png(2)},
                        {"dog/b", "a", kSymbolic}});
  for (const char* const name : {"a", "b", "c"}) {
    unpack_archive(folder / (std::string(name) + ".tar"), folder / "unpacked" / name);
  }
  const auto check = [&](const fs::path& a, const fs::path& b, const fs::path& c) {
    const auto source = open(a);
    CHECK(source->splits()[0].sample_count == 3);  // cat: 1.png and up/dog/1.png; dog: 1.png
    CHECK_THAT(all_notes(*source), ContainsSubstring("1 folder of images is in several classes or splits") &&
                                       ContainsSubstring("dog\" is also") && ContainsSubstring("cat/up/dog\""));
    CHECK_THAT(all_notes(*open(b)), ContainsSubstring("2 folders of images are in several classes or splits"));
    CHECK(open(c)->splits()[0].sample_count == 2);
    CHECK_THAT(all_notes(*open(c)), !ContainsSubstring("classes or splits"));
  };
  check(folder / "a.tar", folder / "b.tar", folder / "c.tar");
  check(folder / "unpacked/a", folder / "unpacked/b", folder / "unpacked/c");
}

TEST_CASE("labels of WebDataset samples may be links", "[unit][pack]") {
  const TemporaryFolder folder;
  write_entries(folder / "shard-000.tar", ArchiveKind::tar,
                Entries{{"0.png", gray_png(1)}, {"0.cls", "3"}, {"1.png", gray_png(2)}, {"1.cls", "0.cls", kHard}});
  CHECK(read_all(*open(folder / "shard-000.tar")).labels == std::vector<std::int32_t>{3, 3});
}

TEST_CASE("tar archives in one file are read on", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const auto& [kind, name] : {std::pair(ArchiveKind::tar, "all.tar"), std::pair(ArchiveKind::tar_gz, "all.tgz")}) {
    INFO(name);
    write_archive(folder / "1.tar", kind, Pairs{{"cat/1.png", gray_png(1)}});
    write_archive(folder / "2.tar", kind, Pairs{{"dog/1.png", gray_png(2)}});
    write_file(folder / name, contents_of(folder / "1.tar") + contents_of(folder / "2.tar"));
    const auto source = open(folder / name);
    CHECK(source->class_names() == std::vector<std::string>{"cat", "dog"});
    CHECK(samples_of(*source) == "cat/1.png=1 dog/1.png=2 ");
    CHECK_THAT(all_notes(*source), ContainsSubstring("after the end"));
    CHECK_THAT(all_notes(*open(folder / "1.tar")), !ContainsSubstring("after the end"));
  }
  // Zeros after the end are usual.
  write_archive(folder / "1.tar", ArchiveKind::tar, Pairs{{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}});
  write_file(folder / "zeros.tar", contents_of(folder / "1.tar") + std::string(100'000, '\0'));
  CHECK(all_notes(*open(folder / "zeros.tar")).empty());
}

TEST_CASE("files that systems add are skipped on disk and in archives", "[unit][pack]") {
  const TemporaryFolder folder;
  Pairs files = {{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}};
  for (const char* const name :
       {"__MACOSX/cat/._1.png", "__MACOSX/bird/1.png", "cat/._1.png", ".DS_Store", "cat/Thumbs.db", "dog/desktop.ini",
        "@eaDir/x/1.png", "System Volume Information/1.png"}) {
    files.emplace_back(name, gray_png(9));
  }
  write_archive(folder / "a.zip", ArchiveKind::zip, files);
  for (const auto& [name, bytes] : files) write_file(folder / "f" / name, bytes);
  for (const char* const source : {"a.zip", "f"}) {
    INFO(source);
    const auto opened = open(folder / source);
    CHECK(opened->class_names() == std::vector<std::string>{"cat", "dog"});
    CHECK(opened->splits()[0].sample_count == 2);
    CHECK(all_notes(*opened).empty());
  }
}

TEST_CASE("JSON files without labels do not make an archive a WebDataset", "[unit][pack]") {
  const TemporaryFolder folder;
  Pairs files = {{"cat/1.png", gray_png(1)},
                 {"cat/1.json", R"({"camera": "x"})"},
                 {"dog/1.png", gray_png(2)},
                 {"dog/1.json", R"({"camera": "y"})"}};
  write_archive(folder / "a.tar", ArchiveKind::tar, files);
  CHECK(open(folder / "a.tar")->class_names() == std::vector<std::string>{"cat", "dog"});
  // One file about one of many images.
  files = {{"cat/1.png", gray_png(1)},
           {"cat/1.json", R"({"label": 7})"},
           {"dog/1.png", gray_png(2)},
           {"dog/2.png", gray_png(3)}};
  write_archive(folder / "b.tar", ArchiveKind::tar, files);
  CHECK(open(folder / "b.tar")->class_names() == std::vector<std::string>{"cat", "dog"});
  files = {
      {"1.png", gray_png(1)}, {"1.json", R"({"label": 7})"}, {"2.png", gray_png(2)}, {"2.json", R"({"label": 5})"}};
  write_archive(folder / "c.tar", ArchiveKind::tar, files);
  CHECK(read_all(*open(folder / "c.tar")).labels == std::vector<std::int32_t>{7, 5});
}

TEST_CASE("an encrypted archive is named as such", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "a.zip", ArchiveKind::zip, Pairs{{"cat/1.png", gray_png(1)}, {"dog/1.png", gray_png(2)}});
  std::string bytes = contents_of(folder / "a.zip");
  // Bit 0 of the flags, at byte 6 of the header of a file and byte 8 of its entry in the directory.
  for (const auto& [magic, flags] :
       {std::pair(std::string("PK\x03\x04"), 6), std::pair(std::string("PK\x01\x02"), 8)}) {
    for (std::size_t at = bytes.find(magic); at != std::string::npos; at = bytes.find(magic, at + 1)) {
      bytes[at + static_cast<std::size_t>(flags)] |= 1;
    }
  }
  write_file(folder / "a.zip", bytes);
  CHECK_THROWS_WITH(open(folder / "a.zip"), ContainsSubstring("encrypted") && ContainsSubstring("password") &&
                                                !ContainsSubstring("get the file again"));
}

TEST_CASE("names that are not UTF-8 are shown escaped", "[unit][pack]") {
  const TemporaryFolder folder;
  write_archive(folder / "gbk.tar", ArchiveKind::tar,
                Pairs{{"\xC3\xA8/1.png", gray_png(1)}, {"\xB9\xB7/1.png", gray_png(2)}});
  try {
    open(folder / "gbk.tar");
    CHECK(false);
  } catch (const Error& error) {
    CHECK_THAT(error.what(), ContainsSubstring("\\xB9\\xB7") && ContainsSubstring("not UTF-8"));
  }
}

TEST_CASE("class names that differ only in Unicode normalization are refused", "[unit][pack]") {
  const std::string composed = "caf\xC3\xA9", decomposed = "cafe\xCC\x81";
  if (files::normalized(decomposed) != composed) OCTAVO_SKIP("this build has no utf8proc");
  const TemporaryFolder folder;
  write_file(folder / "train" / composed / "1.png", gray_png(1));
  write_file(folder / "test" / decomposed / "1.png", gray_png(2));
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("differ only in Unicode normalization"));
}
