#include <locale.h>

#include <map>
#include <random>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "files/file_tree.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

using Names = std::vector<std::string>;

namespace {

/// 300,000 bytes: more than the block size in which files are read.
std::string large() { return counting(300'000); }

std::shared_ptr<const FileTree> made(const TemporaryFolder& folder) {
  const auto kind = GENERATE(ArchiveKind::tar, ArchiveKind::tar_gz, ArchiveKind::zip);
  write_archive(
      folder / "a.x", kind,
      {{"b/large", large()}, {"b/empty", ""}, {"../up", "1"}, {"a/small", "abc"}, {"c.gz", gzipped("inner")}});
  return open_archive(folder / "a.x", 1100);
}

}  // namespace

TEST_CASE("an archive is a tree of files that can be read in any order", "[unit][files]") {
  const TemporaryFolder folder;
  const auto tree = made(folder);
  CHECK(tree->files_below("") == Names{"c.gz", "a/small", "b/empty", "b/large"});
  CHECK(tree->read_whole("a/small", 3) == "abc");
  CHECK(tree->read_whole("b/large", 300'000) == large());
  CHECK(tree->read_whole("b/empty", 0).empty());
  CHECK(tree->read_whole("a/small", 3) == "abc");
  CHECK(tree->reading_rank("b/large") < tree->reading_rank("a/small"));
  CHECK_FALSE(tree->disk_path("a/small").has_value());
  CHECK(tree->file_of("a/small") == folder / "a.x");
  CHECK_THAT(tree->name_of("a/small"), ContainsSubstring("a.x: a/small\""));
}

TEST_CASE("a file in an archive is a stream and gzip files are inflated", "[unit][files]") {
  const TemporaryFolder folder;
  const auto tree = made(folder);
  const auto stream = tree->open("b/large");
  CHECK(stream->length() == 300'000);
  std::string bytes(10, '?');
  stream->read_at(299'990, std::as_writable_bytes(std::span(bytes)));
  CHECK(bytes == large().substr(299'990));
  stream->read_at(5, std::as_writable_bytes(std::span(bytes)));
  CHECK(bytes == large().substr(5, 10));
  CHECK(tree->open("c.gz")->read_whole(100) == "inner");
}

TEST_CASE("a file that is missing from the archive or too large is refused by name", "[unit][files]") {
  const TemporaryFolder folder;
  const auto tree = made(folder);
  CHECK_THROWS_WITH(tree->read_whole("none", 10), ContainsSubstring("it has no file \"none\""));
  CHECK_THROWS_AS(tree->open("b"), InvalidArgument);
  CHECK_THROWS_WITH(tree->read_whole("b/large", 299'999), ContainsSubstring("b/large"));
}

namespace {

constexpr MadeLink kHard = MadeLink::hard, kSymbolic = MadeLink::symbolic;

std::string bytes_in(const std::filesystem::path& path) { return read_whole_file(path, 1 << 20); }

/// The contents of all files by path.
std::map<std::string, std::string> contents_of(const FileTree& tree, const std::string& folder = "") {
  std::map<std::string, std::string> contents;
  for (const std::string& path : tree.files_below(folder)) {
    const std::string whole = join_path(folder, path);
    // On disk, a link that leads nowhere is listed as a file.
    if (tree.has_file(whole)) contents[path] = tree.read_whole(whole, 1000);
  }
  return contents;
}

/// Files, and links to names of files, folders and links. Some of these do not exist or come later.
std::vector<MadeEntry> random_entries(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto one_of = [&](const Names& names) { return names[random() % names.size()]; };
  // All in one folder, so that ".." in it stays within the archive.
  const Names folders = {"r/", "r/a/", "r/b/", "r/a/c/"}, files = {"1", "2", "3"}, links = {"l", "m", "n"};
  const Names targets = {"1",   "../a/1", "a/c/2",  "../b", "a",   ".",  "..", "../l", "l",
                         "a/l", "m/1",    "../n/3", "c",    "c/1", "/a", "m",  "../m", "none"};
  std::vector<MadeEntry> entries = {{"r/a/", ""}, {"r/b/", ""}, {"r/a/c/", ""}};
  Names added;
  for (int i = 0; i < 12; ++i) {
    const std::string name = one_of(folders) + one_of(random() % 2 == 0 ? files : links);
    switch (random() % 3) {
      case 0:
        entries.push_back({name, "contents " + std::to_string(i)});
        added.push_back(name);
        break;
      case 1:
        entries.push_back({one_of(folders) + one_of(links), one_of(targets), kSymbolic});
        break;
      default:
        if (!added.empty()) entries.push_back({name, one_of(added), kHard});
    }
  }
  return entries;
}

}  // namespace

TEST_CASE("an archive shows the files that unpacking it makes", "[unit][files]") {
  const TemporaryFolder folder;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    const std::string name = std::to_string(seed);
    write_entries(folder / (name + ".tar"), ArchiveKind::tar, random_entries(seed));
    unpack_archive(folder / (name + ".tar"), folder / name);
    const auto archive = open_archive(folder / (name + ".tar"), 1100);
    const auto unpacked = open_folder(folder / name);
    REQUIRE(contents_of(*archive) == contents_of(*unpacked));
    for (const std::string& name_below : unpacked->entries("r").folders) {
      const std::string below = "r/" + name_below;
      INFO(below);
      CHECK(contents_of(*archive, below) == contents_of(*unpacked, below));
    }
  }
}

TEST_CASE("symbolic links in a zip archive lead to files and folders", "[unit][files]") {
  const TemporaryFolder folder;
  write_entries(folder / "a.zip", ArchiveKind::zip,
                {{"cat/1", "one"}, {"cat/2", "1", kSymbolic}, {"dog", "cat", kSymbolic}});
  const auto tree = open_archive(folder / "a.zip", 1100);
  CHECK(contents_of(*tree) == std::map<std::string, std::string>{{"cat/1", "one"}, {"cat/2", "one"}});
  CHECK(tree->read_whole("dog/2", 10) == "one");
  CHECK(tree->open("dog/2")->read_whole(10) == "one");
  CHECK(tree->reading_rank("cat/2") == tree->reading_rank("cat/1"));
  CHECK(tree->remarks().empty());
}

TEST_CASE("the remark on lost links is short and printable", "[unit][files]") {
  const TemporaryFolder folder;
  // libarchive passes on a target of 100 KB, and replaces one of a megabyte.
  const auto [target_bytes, shown] =
      GENERATE(table<std::size_t, std::string>({{100'000, ", first ?[m -> ttt"}, {1'000'000, ", first ?[m -> "}}));
  write_entries(folder / "a.tar", ArchiveKind::tar,
                {{"x", "1"}, {"\x1B[m", std::string(target_bytes, 't'), kSymbolic}, {"m", "/etc/passwd", kSymbolic}});
  const auto tree = open_archive(folder / "a.tar", 1100);
  CHECK(tree->files_below("") == Names{"x"});
  REQUIRE(tree->remarks().size() == 1);
  CHECK_THAT(tree->remarks()[0], ContainsSubstring("left out 2 links of ") && ContainsSubstring(shown));
  CHECK(tree->remarks()[0].size() < 500);
}

TEST_CASE("files that later ones with the same name replace are counted", "[unit][files]") {
  const TemporaryFolder folder;
  // Hidden files and folders that are listed twice do not count.
  write_entries(folder / "a.tar", ArchiveKind::tar,
                {{"d/", ""}, {"d/1", "old"}, {"d/", ""}, {"./d/1", "new"}, {".x", ""}, {".x", ""}});
  const auto remarks = open_archive(folder / "a.tar", 1100)->remarks();
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0], ContainsSubstring("left out 1 file of ") &&
                             ContainsSubstring("a.tar\" that a later one with the same name replaces: d/1"));
  write_entries(folder / "b.tar", ArchiveKind::tar,
                {{"x", "1"}, {"l", "x", kSymbolic}, {"l", "2"}, {"x", "3"}, {"x", "l", kHard}, {"x", "l", kSymbolic}});
  const auto tree = open_archive(folder / "b.tar", 1100);
  CHECK(tree->read_whole("x", 10) == "2");
  REQUIRE(tree->remarks().size() == 1);
  CHECK_THAT(tree->remarks()[0], ContainsSubstring("left out 4 files of ") &&
                                     ContainsSubstring("b.tar\" that later ones with the same name replace, first l"));
}

TEST_CASE("of archives that follow one another in a file the last counts", "[unit][files]") {
  const TemporaryFolder folder;
  const auto kind = GENERATE(ArchiveKind::tar, ArchiveKind::tar_gz);
  write_archive(folder / "1", kind, {{"a", "first"}, {"b", "second"}});
  write_archive(folder / "2", kind, {{"b", "other"}, {"c", large()}});
  write_file(folder / "both", bytes_in(folder / "1") + bytes_in(folder / "2"));
  const auto tree = open_archive(folder / "both", 1100);
  CHECK(tree->files_below("") == Names{"a", "b", "c"});
  CHECK(tree->read_whole("b", 10) == "other");
  CHECK(tree->read_whole("a", 10) == "first");
  CHECK(tree->read_whole("c", 1 << 20) == large());
  REQUIRE(tree->remarks().size() == 2);
  CHECK_THAT(tree->remarks()[0], ContainsSubstring("left out 1 file of ") &&
                                     ContainsSubstring("both\" that a later one with the same name replaces: b"));
  CHECK_THAT(tree->remarks()[1], ContainsSubstring("both\" holds several archives, one after another; also read the 2 "
                                                   "entries after the end of the first"));
}

TEST_CASE("zeros after an archive are padding", "[unit][files]") {
  const TemporaryFolder folder;
  const bool is_compressed = GENERATE(false, true);
  const auto count = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{512}, std::size_t{100'000});
  write_archive(folder / "a", ArchiveKind::tar, {{"a", "first"}});
  std::string bytes = bytes_in(folder / "a") + std::string(count, '\0');
  if (is_compressed) bytes = gzipped(bytes) + std::string(count, '\0');
  write_file(folder / "a", bytes);
  const auto tree = open_archive(folder / "a", 1100);
  CHECK(tree->read_whole("a", 10) == "first");
  CHECK(tree->remarks().empty());
}

TEST_CASE("other bytes after an archive are reported and not read", "[unit][files]") {
  const TemporaryFolder folder;
  // In the tar archive, and after the compressed data.
  const auto [inside, outside] =
      GENERATE(table<std::size_t, std::size_t>({{10, 0}, {512, 0}, {5000, 0}, {0, 10}, {0, 5000}}));
  const bool is_compressed = outside > 0 || GENERATE(false, true);
  write_archive(folder / "a", ArchiveKind::tar, {{"a", "first"}});
  std::string bytes = bytes_in(folder / "a") + std::string(inside, 'g');
  if (is_compressed) bytes = gzipped(bytes) + std::string(outside, 'g');
  write_file(folder / "a", bytes);
  const auto tree = open_archive(folder / "a", 1100);
  CHECK(tree->read_whole("a", 10) == "first");
  REQUIRE(tree->remarks().size() == 1);
  CHECK_THAT(tree->remarks()[0], ContainsSubstring("something else follows the end of the archive \""));
}

TEST_CASE("a zip archive that is really encrypted is refused by its first file", "[unit][files]") {
  const TemporaryFolder folder;
  const std::string encryption = GENERATE("traditional", "aes256");
  write_entries(folder / "a.zip", ArchiveKind::zip, {{"cat/1.png", "bytes"}}, encryption);
  CHECK(is_archive(folder / "a.zip"));
  CHECK_THROWS_WITH(open_archive(folder / "a.zip", 1100),
                    ContainsSubstring("a.zip: cat/1.png\": it is encrypted; unpack the archive with its password"));
}

TEST_CASE("a file that many links lead to is read from the archive once", "[unit][files]") {
  // Starting again for each of them would pass 20,000 entries 1,000 times.
  const TemporaryFolder folder;
  std::vector<MadeEntry> entries;
  for (int i = 0; i < 20'000; ++i) entries.push_back({"filler/" + std::to_string(i), ""});
  entries.push_back({"x", "bytes"});
  for (int i = 0; i < 1000; ++i) entries.push_back({"l" + std::to_string(i), "x", kHard});
  write_entries(folder / "a.tgz", ArchiveKind::tar_gz, entries);
  const auto tree = open_archive(folder / "a.tgz", 1100);
  int equal_count = 0;
  for (int i = 0; i < 1000; ++i) equal_count += tree->read_whole("l" + std::to_string(i), 10) == "bytes" ? 1 : 0;
  CHECK(equal_count == 1000);
  CHECK_THROWS_WITH(tree->read_whole("l1", 4), ContainsSubstring("it is larger than 4 bytes"));
}

namespace {

constexpr char kComposed[] = "\xC3\xA9", kDecomposed[] = "e\xCC\x81";  // "é" in NFC and in NFD

/// The archive `path` of these files, whose contents are their names.
std::map<std::string, std::string> read_names(const TemporaryFolder& folder, const Names& names) {
  std::vector<MadeEntry> entries;
  for (const std::string& name : names) entries.push_back({name, name});
  write_flagged_zip(folder / "a.zip", entries);
  return contents_of(*open_archive(folder / "a.zip", 1100));
}

}  // namespace

TEST_CASE("names in a zip archive that are marked as UTF-8 are read as stored", "[unit][files]") {
  const TemporaryFolder folder;
  const std::string composed = kComposed, decomposed = kDecomposed;
  const Names names =
      GENERATE_COPY(Names{"\xE6\x97\xA5.png"}, Names{"\xE6\x97\xA5/1", "\xE6\x9C\xAC/1", "b/1"},
                    Names{composed + "/1", composed + "/2"}, Names{decomposed + "/1", "b/" + decomposed},
                    Names{composed + "/1", decomposed + "/1"}, Names{"\xF0\x9F\x90\xB1"});
  std::map<std::string, std::string> expected;
  for (const std::string& name : names) expected[name] = name;
  CHECK(read_names(folder, names) == expected);
  CHECK(is_archive(folder / "a.zip"));
}

TEST_CASE("names in a zip archive that are wrongly marked as UTF-8 keep their bytes", "[unit][files]") {
  const TemporaryFolder folder;
  // Latin-1, an overlong slash, and half of a surrogate pair.
  const std::string name = GENERATE("caf\xE9/1",
                                    "a\xC0\xAF"
                                    "b",
                                    "\xED\xA0\x80");
  CHECK(read_names(folder, {"b/1", name}) == std::map<std::string, std::string>{{"b/1", "b/1"}, {name, name}});
}

TEST_CASE("a name in a zip archive that cannot be read is an error that names its entry", "[unit][files]") {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& entry) {
    CHECK(is_archive(folder / "a.zip"));
    CHECK_THROWS_WITH(open_archive(folder / "a.zip", 1100),
                      ContainsSubstring("a.zip\": the name of its entry " + entry + " cannot be read") &&
                          ContainsSubstring("; unpack it and pack the folder"));
  };
  // Not UTF-8, and with a zero.
  write_flagged_zip(folder / "a.zip", {{"b/1", "x"}, {std::string("\xE9\0.png", 6), "x"}});
  refuses("2");
  write_flagged_zip(folder / "a.zip", {{std::string("\xE9\0.png", 6), "x"}});
  refuses("1");
}

TEST_CASE("symbolic links in a zip archive lead to files with names marked as UTF-8", "[unit][files]") {
  const TemporaryFolder folder;
  const std::string name = std::string(kComposed) + ".png";
  write_flagged_zip(folder / "a.zip", {{"\xE6\x97\xA5/" + name, "one"}, {"\xE6\x97\xA5/l", name, kSymbolic}});
  const auto tree = open_archive(folder / "a.zip", 1100);
  CHECK(contents_of(*tree) ==
        std::map<std::string, std::string>{{"\xE6\x97\xA5/" + name, "one"}, {"\xE6\x97\xA5/l", "one"}});
}

namespace {

/// A tar header block with a checksum.
std::string tar_header(const std::string& name, char type, std::size_t bytes, const std::string& target = "") {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  const auto octal = [](std::size_t number) {
    std::string digits(11, '0');
    for (std::size_t at = digits.size(); number > 0; number >>= 3) digits[--at] = static_cast<char>('0' + number % 8);
    return digits;
  };
  put(0, name);
  put(100, "0000644");
  put(124, octal(bytes));
  put(148, "        ");
  put(156, std::string(1, type));
  put(157, target);
  put(257, std::string("ustar\00000", 8));
  std::size_t sum = 0;
  for (const unsigned char c : block) sum += c;
  put(148, octal(sum).substr(5) + '\0');
  return block;
}

/// A file or link whose name or target is in a pax header, and ASCII in its own header, as Python writes them.
std::string pax_entry(const std::string& key, const std::string& value, const std::string& entry) {
  std::string record = " " + key + "=" + value + "\n";
  const std::size_t bytes = record.size() + 2;
  record = std::to_string(bytes) + record;
  return tar_header("pax", 'x', record.size()) + record + std::string(512 - record.size(), '\0') + entry;
}

}  // namespace

TEST_CASE("names and targets in the pax headers of a tar archive are read as stored", "[unit][files]") {
  const TemporaryFolder folder;
  const bool is_compressed = GENERATE(false, true);
  const std::string name = GENERATE("\xE6\x97\xA5/\xC3\xA9", "\xE6\x97\xA5/e\xCC\x81", "\xE6\x97\xA5/\xE9");
  const std::string text = "one" + std::string(509, '\0');
  const std::string tar = pax_entry("path", name, tar_header("file", '0', 3) + text) +
                          pax_entry("linkpath", name, tar_header("hard", '1', 0, "x")) +
                          pax_entry("linkpath", name, tar_header("soft", '2', 0, "x")) + std::string(1024, '\0');
  write_file(folder / "a.tar", is_compressed ? gzipped(tar) : tar);
  const auto tree = open_archive(folder / "a.tar", 1100);
  CHECK(contents_of(*tree) == std::map<std::string, std::string>{{name, "one"}, {"hard", "one"}, {"soft", "one"}});
  CHECK(tree->remarks().empty());
}

TEST_CASE("reading an archive leaves the locale of the process and the thread alone", "[unit][files]") {
  const TemporaryFolder folder;
  const std::string process = ::setlocale(LC_ALL, nullptr);
  const locale_t own = ::newlocale(LC_ALL_MASK, "C", nullptr);
  REQUIRE(own != nullptr);
  const locale_t before = ::uselocale(own);
  read_names(folder, {"\xE6\x97\xA5/1"});
  const locale_t after = ::uselocale(before);
  CHECK(after == own);
  CHECK(process == ::setlocale(LC_ALL, nullptr));
  ::freelocale(own);
}
