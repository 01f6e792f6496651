// Image lists, exported folders and numbered paths that point elsewhere or expand to far more than their own size.
#include "../../lib/images/made_images.hpp"
#include "../../lib/sources/made_files.hpp"
#include "../tally.hpp"
#include "bomb.hpp"
#include "catch.hpp"
#include "hostile_archive.hpp"

using namespace octavo::test;
using namespace std::string_literals;

namespace {

using Path = std::filesystem::path;

std::string tiny_png() { return made_png({.width = 4, .height = 4, .rows = std::vector<std::uint8_t>(16)}); }

/// A list with this name next to the image "a.png"; the list is packed. Another image is outside its folder.
std::vector<std::string> list_bomb(const Path& folder, const std::string& name, const std::string& text) {
  write_file(folder / "in" / "a.png", tiny_png());
  write_file(folder / "b.png", tiny_png());
  return file_with(folder / "in", name, text);
}

/// A list that begins with `begin` and ends with a hole of zeros, `bytes` bytes in total.
std::vector<std::string> hollow_list(const Path& folder, const std::string& name, const std::string& begin,
                                     std::uintmax_t bytes) {
  const auto words = list_bomb(folder, name, begin);
  std::filesystem::resize_file(words[0], bytes);
  return words;
}

/// A tar.gz of an image and a list: `begin`, then `repeated` `times` times.
std::vector<std::string> packed_list(const Path& folder, const std::string& name, const std::string& begin,
                                     const std::string& repeated, std::size_t times) {
  const std::size_t bytes = begin.size() + repeated.size() * times;
  char size[12];
  std::snprintf(size, sizeof size, "%011llo", static_cast<unsigned long long>(bytes));
  Compressor archive(Framing::gzip);
  archive.add(tar_entry({.name = "a.png", .bytes = tiny_png()}));
  archive.add(tar_entry({.name = name, .size = size}));
  archive.add(begin);
  for (std::size_t i = 0; i < times; ++i) archive.add(repeated);
  archive.add_zeros((512 - bytes % 512) % 512 + 1024);
  return file_with(folder, "a.tar.gz", archive.finish());
}

const Bomb kLists[] = {
    {"a CSV list that names an image outside",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path,label\na.png,0\n../b.png,0\n"); },
     "l.csv\": line 3: the image"},
    {"a CSV list that leads outside through a path inside",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path,label\na.png,0\nx/../../b.png,0\n"); },
     "l.csv\": line 3: the image"},
    {"a CSV list that names an image by its absolute path",
     [](const Path& folder) {
       return list_bomb(folder, "l.csv", "path,label\n" + (folder / "b.png").string() + ",0\n");
     },
     "l.csv\": line 2: the image"},
    {"a CSV list of a missing image",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path,label\na.png,0\nc.png,0\n"); },
     "l.csv\": line 3: the image"},
    {"a CSV list of a name that spans lines",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path,label\n\"a\nb\x1b[31m.png\",0\n"); }, "l.csv"},
    {"a CSV list of a name that ends in a zero byte and more",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path,label\na.png\0b.png,0\n"s); },
     "l.csv\": line 2: the image"},
    {"a CSV list of only zero bytes",
     [](const Path& folder) { return list_bomb(folder, "l.csv", std::string(100'000, '\0')); }, "l.csv"},
    {"a CSV list with a first line of a gigabyte",
     [](const Path& folder) { return hollow_list(folder, "l.csv", "path,label", std::uintmax_t{1} << 30); }, "l.csv"},
    {"a CSV list with a second line of a gigabyte",
     [](const Path& folder) { return hollow_list(folder, "l.csv", "path,label\na.png,", std::uintmax_t{1} << 30); },
     "l.csv"},
    {"a CSV list that ends inside quotes",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path,label\n\"a.png"); }, "l.csv"},
    {"a CSV list with a million fields in a line",
     [](const Path& folder) { return list_bomb(folder, "l.csv", "path" + std::string(1'000'000, ',')); }, "l.csv"},
    {"a CSV list of 40 million lines in a small archive",
     [](const Path& folder) {
       std::string lines;
       for (int i = 0; i < 10'000; ++i) lines += "a.png,0\n";
       return packed_list(folder, "l.csv", "path,label\n", lines, 4'000);
     },
     "a.tar.gz: l.csv"},
    {"a list of JSON lines that names an image outside",
     [](const Path& folder) { return list_bomb(folder, "l.jsonl", R"({"path":"../b.png","label":0})"); },
     "l.jsonl\": line 1: the image"},
    {"a list of JSON lines of a name with a zero byte",
     [](const Path& folder) { return list_bomb(folder, "l.jsonl", R"({"path":"a.png\u0000.png","label":0})"); },
     "l.jsonl\": line 1: the image"},
    {"a list of JSON lines that is nested a million levels deep",
     [](const Path& folder) { return list_bomb(folder, "l.jsonl", std::string(1'000'000, '[')); }, "l.jsonl"},
    {"a list of JSON lines whose label is nested a million levels deep",
     [](const Path& folder) {
       return list_bomb(folder, "l.jsonl", R"({"path":"a.png","label":)" + std::string(1'000'000, '['));
     },
     "l.jsonl"},
    {"a list of JSON lines with a line of a gigabyte",
     [](const Path& folder) { return hollow_list(folder, "l.jsonl", R"({"path":")", std::uintmax_t{1} << 30); },
     "l.jsonl"},
    {"a list of JSON lines with 100,000 keys that all other lines lack",
     [](const Path& folder) {
       std::string text = R"({"path":"a.png")";
       for (int i = 0; i < 100'000; ++i) text += ",\"k" + std::to_string(i) + "\":0";
       text += "}\n";
       for (int i = 0; i < 2'000; ++i) text += "{}\n";
       return list_bomb(folder, "l.jsonl", text);
     },
     "l.jsonl"},
    {"a list of JSON lines with 300,000 empty objects in a cell",
     [](const Path& folder) {
       std::string text = "{\"path\":\"c.png\",\"label\":0,\"m\":[{}";
       for (int i = 0; i < 300'000; ++i) text += ",{}";
       return list_bomb(folder, "l.jsonl", text + "]}\n");
     },
     "l.jsonl"},
    {"a list of JSON lines in a small archive, with 400,000 numbers in a nested cell of each",
     [](const Path& folder) {
       std::string line = "{\"path\":\"a.png\",\"label\":0,\"m\":[[0";
       for (int i = 0; i < 400'000; ++i) line += ",0";
       return packed_list(folder, "l.jsonl", "", line + "]]}\n", 100);
     },
     "a.tar.gz: l.jsonl"},
    {"a list of JSON lines with a key that only later lines have",
     [](const Path& folder) {
       std::string text = "{\"path\":\"a.png\",\"label\":0}\n";
       for (int i = 0; i < 1000; ++i)
         text += "{\"path\":\"a.png\",\"label\":0,\"later" + std::to_string(i % 500) + "\":1}\n";
       return list_bomb(folder, "l.jsonl", text + "{\"path\":\"c.png\",\"label\":0}\n");
     },
     "l.jsonl\": line 1002: the image"},
};

const std::string kExportHead = R"({"format":"octavo-export","version":1,"splits":{"train":[)";

std::vector<std::string> export_bomb(const Path& folder, const std::string& text) {
  return folder_with(folder, "octavo.json", text);
}

/// An octavo.json of `begin`, then `repeated` `times` times, then `end`.
std::vector<std::string> long_export(const Path& folder, const std::string& begin, const std::string& repeated,
                                     int times, const std::string& end) {
  std::ofstream file(folder / "octavo.json", std::ios::binary);
  file << begin;
  for (int i = 0; i < times; ++i) file << repeated;
  file << end;
  return {folder};
}

std::vector<std::string> hollow_export(const Path& folder, const std::string& begin, std::uintmax_t bytes) {
  export_bomb(folder, begin);
  std::filesystem::resize_file(folder / "octavo.json", bytes);
  return {folder};
}

const Bomb kExports[] = {
    {"an octavo.json that is a list of 50 million numbers",
     [](const Path& folder) { return long_export(folder, "[0", ",0", 50'000'000, "]"); }, "octavo.json"},
    {"an octavo.json of a sample with half a million empty objects",
     [](const Path& folder) {
       return long_export(folder, kExportHead + R"({"file":"a.png","x":[{})", ",{}", 500'000, "]}]}}");
     },
     "octavo.json"},
    {"an octavo.json that names a file outside",
     [](const Path& folder) {
       write_file(folder / "b.png", tiny_png());
       return export_bomb(folder / "in", kExportHead + R"({"file":"../b.png"}]}})");
     },
     "octavo.json"},
    {"an octavo.json that names a file by its absolute path",
     [](const Path& folder) { return export_bomb(folder, kExportHead + R"({"file":"/etc/hostname"}]}})"); },
     "octavo.json"},
    {"an octavo.json with a name that contains a zero byte",
     [](const Path& folder) {
       write_file(folder / "a.png", tiny_png());
       return export_bomb(folder, kExportHead + R"({"file":"a.png\u0000.png"}]}})");
     },
     "octavo.json"},
    {"an octavo.json of a gibibyte and more",
     [](const Path& folder) { return hollow_export(folder, "{}", (std::uintmax_t{1} << 30) + 1); }, "octavo.json"},
    {"an octavo.json of a gibibyte of zero bytes",
     [](const Path& folder) { return hollow_export(folder, "{", std::uintmax_t{1} << 30); }, "octavo.json"},
    {"an octavo.json with a string of a gibibyte",
     [](const Path& folder) { return hollow_export(folder, "{\"format\":\"", std::uintmax_t{1} << 30); },
     "octavo.json"},
    {"an octavo.json that is nested a million levels deep",
     [](const Path& folder) { return export_bomb(folder, std::string(1'000'000, '[')); }, "octavo.json"},
    {"an octavo.json of 30 million samples without a file",
     [](const Path& folder) { return long_export(folder, kExportHead + "{}", ",{}", 30'000'000, "]}}"); },
     "octavo.json"},
    {"an octavo.json with 30 million invalid class names",
     [](const Path& folder) { return long_export(folder, "{\"classes\":[[]", ",[]", 30'000'000, "]}"); },
     "octavo.json"},
    {"an octavo.json of 30 million class names",
     [](const Path& folder) { return long_export(folder, "{\"classes\":[\"\"", ",\"\"", 30'000'000, "]}"); },
     "octavo.json"},
    {"an octavo.json whose format is 30 million numbers",
     [](const Path& folder) { return long_export(folder, "{\"format\":[0", ",0", 30'000'000, "]}"); }, "octavo.json"},
    {"an octavo.json whose splits are 30 million numbers",
     [](const Path& folder) { return long_export(folder, "{\"splits\":[0", ",0", 30'000'000, "]}"); }, "octavo.json"},
    {"an octavo.json with a label of 30 million numbers",
     [](const Path& folder) {
       return long_export(folder, kExportHead + "{\"file\":\"a.png\",\"label\":[0", ",0", 30'000'000, "]}]}}");
     },
     "octavo.json"},
    {"an octavo.json with 30 million unknown members",
     [](const Path& folder) { return long_export(folder, "{\"x\":[0]", ",\"x\":[]", 30'000'000, "}"); }, "octavo.json"},
    {"an octavo.json of 2,000 splits",
     [](const Path& folder) {
       std::string text = R"({"format":"octavo-export","splits":{"s":[{"file":"a.png"}])";
       for (int i = 0; i < 2000; ++i) text += ",\"s" + std::to_string(i) + "\":[{\"file\":\"a.png\"}]";
       return export_bomb(folder, text + "}}");
     },
     "octavo.json"},
    {"an octavo.json with two splits of the same name",
     [](const Path& folder) {
       return export_bomb(folder, kExportHead + R"({"file":"a.png"}],"train":[{"file":"b.png"}]}})");
     },
     "twice"},
    {"an octavo.json of 200,000 missing samples",
     [](const Path& folder) {
       return long_export(folder, kExportHead + R"({"file":"a.png","label":0})", R"(,{"file":"a.png","label":0})",
                          200'000, "]}}");
     },
     "a.png"},
};

const Bomb kPaths[] = {
    {"numbered paths of 10^12 files",
     [](const Path& folder) { return std::vector<std::string>{folder / "a{0..999999999999}.tar"}; },
     "a{0..999999999999}.tar"},
    {"numbered paths of more digits than 64 bits have",
     [](const Path& folder) { return std::vector<std::string>{folder / ("a{0.." + std::string(40, '9') + "}.tar")}; },
     "a{0..9999"},
    {"numbered paths that count down",
     [](const Path& folder) { return std::vector<std::string>{folder / "a{9..0}.tar"}; }, "a{9..0}.tar"},
};

}  // namespace

TEST_CASE("hostile image lists are refused in little memory", "[faults][bombs]") {
  CHECK(problems_of_packing(kLists) == kNone);
}

TEST_CASE("a hostile octavo.json is refused in little memory", "[faults][bombs]") {
  CHECK(problems_of_packing(kExports) == kNone);
}

TEST_CASE("numbered paths with an excessive range are refused", "[faults][bombs]") {
  CHECK(problems_of_packing(kPaths) == kNone);
}
