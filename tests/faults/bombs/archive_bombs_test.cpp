// Tar and zip archives that point outside themselves, lie about their sizes, or expand far beyond their own size.
#include "../../lib/images/made_images.hpp"
#include "../../lib/sources/made_files.hpp"
#include "../tally.hpp"
#include "bomb.hpp"
#include "catch.hpp"
#include "hostile_archive.hpp"

using namespace octavo::test;

namespace {

using Path = std::filesystem::path;

/// A gray PNG of 4x4.
std::string small_png() { return made_png({.width = 4, .height = 4, .rows = std::vector<std::uint8_t>(16)}); }

/// `count` empty tar members, with names in descending order.
std::string empty_members(int count, const std::string& before) {
  std::string archive;
  for (int i = count; i > 0; --i) archive += tar_entry({.name = before + std::to_string(1'000'000 + i) + ".png"});
  return archive + std::string(1024, '\0');
}

/// A pax record: its own length in decimal, key, value.
std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

/// A tar of a pax header with this record, followed by a PNG.
std::string tar_with_pax(const std::string& key, const std::string& value) {
  return tar_of(
      {{.name = "pax", .bytes = pax_record(key, value), .type = 'x'}, {.name = "c/a.png", .bytes = small_png()}});
}

std::string tar_of_size(const std::string& size) {
  return tar_of({{.name = "c/a.png", .bytes = small_png(), .size = size}});
}

const Bomb kTars[] = {
    {"a tar of members with parent paths",
     [](const Path& folder) {
       return file_with(folder, "a.tar",
                        tar_of({{.name = "../x.png", .bytes = small_png()},
                                {.name = "c/../../x.png", .bytes = small_png()},
                                {.name = "c/..", .bytes = small_png()}}));
     },
     "a.tar"},
    {"a tar of a member with an absolute name that is not an image",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_of({{.name = "/etc/x.png", .bytes = "x"}})); },
     "a.tar: etc/x.png"},
    {"a tar of links, devices and a pipe",
     [](const Path& folder) {
       return file_with(folder, "a.tar",
                        tar_of({{.name = "c/a.png", .type = '1', .target = "/etc/hostname"},
                                {.name = "c/b.png", .type = '2', .target = "/etc/hostname"},
                                {.name = "c/c.png", .type = '3'},
                                {.name = "c/d.png", .type = '4'},
                                {.name = "c/e.png", .type = '5'},
                                {.name = "c/f.png", .type = '6'}}));
     },
     "a.tar"},
    {"a tar that writes through a link to a folder",
     [](const Path& folder) {
       return file_with(
           folder, "a.tar",
           tar_of({{.name = "c", .type = '2', .target = "/tmp"}, {.name = "c/a.png", .bytes = "no image"}}));
     },
     "a.tar: c/a.png"},
    {"a tar member of 2^62 bytes",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_of_size(wide_tar_size(0x80, 1ull << 62))); },
     "a.tar"},
    {"a tar member with a size beyond 64 bits",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_of_size(wide_tar_size(0xBF, ~0ull))); }, "a.tar"},
    {"a tar member of -1 bytes",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_of_size(wide_tar_size(0xFF, ~0ull))); }, "a.tar"},
    {"a tar member of -2^63 bytes",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_of_size(wide_tar_size(0xFF, 1ull << 63))); },
     "a.tar"},
    {"a tar member of 8 GiB less one byte",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_of_size("77777777777")); }, "a.tar"},
    {"a tar cut inside a header",
     [](const Path& folder) {
       return file_with(folder, "a.tar", tar_entry({.name = "c/a.png", .bytes = small_png()}) + std::string(300, 'x'));
     },
     "a.tar"},
    {"a tar cut inside a member",
     [](const Path& folder) {
       return file_with(folder, "a.tar",
                        tar_entry({.name = "c/a.png", .bytes = small_png(), .size = "00000010000"}).substr(0, 600));
     },
     "a.tar"},
    {"a tar whose second header has a wrong checksum",
     [](const Path& folder) {
       std::string bytes =
           tar_of({{.name = "c/a.png", .bytes = small_png()}, {.name = "c/b.png", .bytes = small_png()}});
       bytes[1024 + 3] ^= 1;
       return file_with(folder, "a.tar", bytes);
     },
     "a.tar"},
    {"a tar whose pax header claims a member size beyond 64 bits",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_with_pax("size", std::string(40, '9'))); },
     "a.tar"},
    {"a tar whose pax header claims a member of -5 bytes",
     [](const Path& folder) { return file_with(folder, "a.tar", tar_with_pax("size", "-5")); }, "a.tar"},
    {"a tar with a sparse member that claims 2^60 bytes",
     [](const Path& folder) {
       const std::string pax = pax_record("GNU.sparse.major", "1") + pax_record("GNU.sparse.minor", "0") +
                               pax_record("GNU.sparse.name", "c/a.png") +
                               pax_record("GNU.sparse.realsize", "1152921504606846976");
       return file_with(folder, "a.tar",
                        tar_of({{.name = "pax", .bytes = pax, .type = 'x'},
                                {.name = "c/a.png", .bytes = "0\n" + std::string(510, '\0')}}));
     },
     "a.tar"},
    {"a tar with a pax header of 8 GiB",
     [](const Path& folder) {
       return file_with(folder, "a.tar", tar_of({{.name = "pax", .bytes = "x", .type = 'x', .size = "77777777777"}}));
     },
     "a.tar"},
    {"a tar whose member has a name of 500 KB",
     [](const Path& folder) {
       return file_with(folder, "a.tar", tar_with_pax("path", "c/" + std::string(500'000, 'x') + ".png"));
     },
     "a.tar"},
    {"a tar in a tar",
     [](const Path& folder) {
       return file_with(folder, "a.tar",
                        tar_of({{.name = "b.tar", .bytes = tar_of({{.name = "c/a.png", .bytes = small_png()}})}}));
     },
     "a.tar"},
    {"a tar in 40 layers of gzip",
     [](const Path& folder) {
       std::string bytes = tar_of({{.name = "c/a.png", .bytes = small_png()}});
       for (int i = 0; i < 40; ++i) bytes = gzipped(bytes);
       return file_with(folder, "a.tar.gz", bytes);
     },
     "a.tar.gz"},
    {"a tar of 100,000 empty members in descending order",
     [](const Path& folder) { return file_with(folder, "a.tar", empty_members(100'000, "c/")); }, "a.tar: c/1"},
    {"a tar.gz of 300,000 empty members, each in three folders of its own",
     [](const Path& folder) {
       Compressor archive(Framing::gzip);
       for (int i = 0; i < 300'000; ++i) {
         const std::string one = std::to_string(1'000'000 + i) + std::string(20, 'x') + "/";
         archive.add(tar_entry({.name = one + one + one + "a.png"}));
       }
       archive.add_zeros(1024);
       return file_with(folder, "a.tar.gz", archive.finish());
     },
     "a.tar.gz"},
    {"a tar.gz of shards whose label has 200 MB",
     [](const Path& folder) {
       const std::string head =
           tar_entry({.name = "a.png", .bytes = small_png()}) + tar_entry({.name = "a.cls", .size = "01371741000"});
       return file_with(folder, "a.tar.gz", compressed(Framing::gzip, head, 201'000'000));
     },
     "a.tar.gz: a.cls"},
    {"a tar of shards whose labels are texts of a megabyte",
     [](const Path& folder) {
       Compressor archive(Framing::gzip);
       for (int i = 0; i < 200; ++i) {
         const std::string number = std::to_string(i);
         archive.add(tar_entry({.name = number + ".png", .bytes = small_png()}));
         archive.add(tar_entry({.name = number + ".cls", .bytes = number + std::string(1'000'000, 'x')}));
       }
       archive.add_zeros(1024);
       return file_with(folder, "a.tar.gz", archive.finish());
     },
     "a.tar.gz: 0.cls"},
    {"a tar of shards whose label is nested a million levels deep",
     [](const Path& folder) {
       return file_with(folder, "a.tar",
                        tar_of({{.name = "a.png", .bytes = small_png()},
                                {.name = "a.json", .bytes = std::string(1'000'000, '[')},
                                {.name = "b.png", .bytes = small_png()},
                                {.name = "b.cls", .bytes = "1"}}));
     },
     "a.tar: a.json"},
};

/// A zip whose directory entry does not match its member.
std::vector<std::string> lying_zip(const Path& folder, std::int64_t packed, std::int64_t claimed,
                                   const std::vector<std::uint64_t>& wide = {}) {
  ZipMember member = stored_member("c/a.png", small_png());
  member.packed_bytes = packed, member.bytes_claimed = claimed;
  if (!wide.empty()) member.extra = zip64_extra(wide);
  return file_with(folder, "a.zip", zip_of({member}));
}

constexpr std::int64_t kWide = 0xFFFFFFFF;  // marks a size that the zip64 field holds

const Bomb kZips[] = {
    {"a zip of members with parent paths",
     [](const Path& folder) {
       return file_with(folder, "a.zip",
                        zip_of({stored_member("../x.png", small_png()), stored_member("c/../../x.png", small_png())}));
     },
     "a.zip"},
    {"a zip whose directory claims too few bytes", [](const Path& folder) { return lying_zip(folder, 20, 20); },
     "a.zip: c/a.png"},
    {"a zip whose directory claims too many bytes",
     [](const Path& folder) { return lying_zip(folder, 100'000, 100'000); }, "a.zip"},
    {"a zip whose member claims 4 GiB", [](const Path& folder) { return lying_zip(folder, kWide - 1, kWide - 1); },
     "a.zip"},
    {"a zip64 whose member claims 2^63 bytes",
     [](const Path& folder) {
       return lying_zip(folder, kWide, kWide, {1ull << 63, 1ull << 63});
     },
     "a.zip"},
    {"a zip64 whose member claims 2^64 - 1 bytes",
     [](const Path& folder) {
       return lying_zip(folder, kWide, kWide, {~0ull, ~0ull});
     },
     "a.zip"},
    {"a zip64 whose extra field is cut",
     [](const Path& folder) {
       ZipMember member = stored_member("c/a.png", small_png());
       member.packed_bytes = member.bytes_claimed = kWide;
       member.extra = zip64_extra({1}).substr(0, 7);
       return file_with(folder, "a.zip", zip_of({member}));
     },
     "a.zip"},
    {"a zip whose member offset is past the end of the file",
     [](const Path& folder) {
       ZipMember member = stored_member("c/a.png", small_png());
       member.offset = 0x7FFFFFFF;
       return file_with(folder, "a.zip", zip_of({member}));
     },
     "a.zip"},
    {"a zip of a PNG followed by 200 MB that its directory does not mention",
     [](const Path& folder) {
       ZipMember member = deflated_member("c/a.png", small_png(), 200'000'000);
       member.bytes_claimed = 100;
       return file_with(folder, "a.zip", zip_of({member}));
     },
     "a.zip"},
    {"a zip whose member is encrypted",
     [](const Path& folder) {
       ZipMember member = stored_member("c/a.png", small_png());
       member.flags = 1;
       return file_with(folder, "a.zip", zip_of({member}));
     },
     "a.zip"},
    {"a zip whose member has an unknown compression method",
     [](const Path& folder) {
       ZipMember member = stored_member("c/a.png", small_png());
       member.method = 77;
       return file_with(folder, "a.zip", zip_of({member}));
     },
     "a.zip"},
    {"a zip whose member has a wrong checksum",
     [](const Path& folder) {
       ZipMember member = stored_member("c/a.png", small_png());
       member.crc ^= 1;
       return file_with(folder, "a.zip", zip_of({member}));
     },
     "a.zip"},
    {"a zip that is cut before its directory",
     [](const Path& folder) {
       return file_with(folder, "a.zip", zip_of({stored_member("c/a.png", small_png())}).substr(0, 60));
     },
     "a.zip"},
    {"a zip in a zip",
     [](const Path& folder) {
       return file_with(folder, "a.zip",
                        zip_of({stored_member("b.zip", zip_of({stored_member("c/a.png", small_png())}))}));
     },
     "a.zip"},
};

/// A tar.gz of a PNG that is followed by zeros in the same member.
std::string tar_of_long_png(std::size_t zeros) {
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", small_png().size() + zeros);
  std::string head = tar_entry({.name = "c/a.png", .bytes = small_png(), .size = size});
  head.resize(512 + small_png().size());
  return compressed(Framing::gzip, head, zeros + 2048);
}

/// A zip of `names` names for one member.
std::string zip_of_one_member(int names) {
  std::vector<ZipMember> members = {deflated_member("c/0.png", small_png(), 1 << 20)};
  for (int i = 1; i < names; ++i) {
    ZipMember again = members[0];
    again.name = "c/" + std::to_string(i) + ".png", again.offset = 0, again.has_local_part = false;
    members.push_back(std::move(again));
  }
  return zip_of(members);
}

}  // namespace

TEST_CASE("hostile tar archives are refused in little memory", "[faults][bombs]") {
  CHECK(problems_of_packing(kTars) == kNone);
}

TEST_CASE("hostile zip archives are refused in little memory", "[faults][bombs]") {
  CHECK(problems_of_packing(kZips) == kNone);
}

TEST_CASE("an image with much trailing data is packed in memory proportional to the file", "[faults][bombs]") {
  const TemporaryFolder folder;
  constexpr std::size_t kZeros = 200'000'000;
  const bool is_zip = GENERATE(false, true);
  write_file(folder / "a",
             is_zip ? zip_of({deflated_member("c/a.png", small_png(), kZeros)}) : tar_of_long_png(kZeros));
  const Outcome outcome = run_octavo({"pack", folder / "a", "-o", folder / "a.h5", "--quiet"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  // The buffer doubles as it grows.
  CHECK(took_at_most(3 * static_cast<std::int64_t>(kZeros >> 20), outcome));
}

TEST_CASE("many zip names for one member count as one member", "[faults][bombs]") {
  const TemporaryFolder folder;
  write_file(folder / "a.zip", zip_of_one_member(20'000));
  const Outcome outcome = run_octavo({"pack", folder / "a.zip", "-o", folder / "a.h5", "--quiet", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.json()["splits"].dump().find("\"sample_count\":1,") != std::string::npos);
  CHECK(took_at_most(kMostMebibytes, outcome));
}
