#include "arrays/hdf5_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <octavo/errors.hpp>
#include <random>

#include "catch.hpp"
#include "deflated.hpp"
#include "made_arrays.hpp"
#include "made_hdf5.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

using Path = std::filesystem::path;
using Names = std::vector<std::string>;

Names names_of(const std::vector<Hdf5Array>& arrays) {
  Names names;
  for (const Hdf5Array& array : arrays) names.push_back(array.name);
  return names;
}

/// A uint8 array entry, as if it were listed.
Hdf5Array bytes_named(const std::string& name, std::vector<std::int64_t> axes) {
  return {name, Element::uint8, std::move(axes)};
}

/// The error message when reading the array's first row fails, or "read".
std::string refusal(const Path& path, const Hdf5Array& array) {
  try {
    rows(*open_hdf5_array(path, array), 0, 1);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "read";
}

/// Same for the only array of a file that `fill` creates.
std::string refusal(const std::function<void(hid_t)>& fill) {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, fill);
  const auto arrays = list_hdf5(path);
  REQUIRE(arrays.size() == 1);
  return refusal(path, arrays[0]);
}

}  // namespace

// ---- Listing -----------------------------------------------------------------------

TEST_CASE("an HDF5 file is recognized by its signature even after a user block", "[unit][arrays]") {
  const std::string signature = "\x89HDF\r\n\x1A\n";
  const auto begins_at = [&](std::size_t offset) {
    return begins_as_hdf5(*stream_of(std::string(offset, '\0') + signature + "more"));
  };
  CHECK(begins_at(0));
  CHECK(begins_at(512));
  CHECK(begins_at(1024));
  CHECK(begins_at(1 << 20));
  CHECK_FALSE(begins_at(1));
  CHECK_FALSE(begins_at(256));
  CHECK_FALSE(begins_at(1536));
  CHECK_FALSE(begins_at(1 << 21));
  CHECK_FALSE(begins_as_hdf5(*stream_of("")));
  CHECK_FALSE(begins_as_hdf5(*stream_of(signature.substr(0, 7))));
}

TEST_CASE("arrays are listed in all groups with their axes", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [](hid_t file) {
    add(file, "images", {5, 2, 3});
    add(file, "train/deep/labels", {7});
    add(file, "with a blank \xC3\xA4", {1, 1});
    add(file, "of 32 axes", Axes(32, 1));
  });
  const auto arrays = list_hdf5(path);
  REQUIRE(names_of(arrays) == Names{"images", "of 32 axes", "train/deep/labels", "with a blank \xC3\xA4"});
  CHECK(arrays[0].axes == std::vector<std::int64_t>{5, 2, 3});
  CHECK(arrays[1].axes == std::vector<std::int64_t>(32, 1));
  CHECK(arrays[2].axes == std::vector<std::int64_t>{7});
}

TEST_CASE("integers and floats and h5py booleans are read in both byte orders", "[unit][arrays]") {
  const auto half = half_type(), boolean = enumeration(H5T_STD_I8LE);
  struct Case {
    Element element;
    hid_t little, big;
    std::string bytes;  ///< two numbers, little-endian
  };
  const std::string floats = bytes_of_numbers<float>({1, 2}), doubles = bytes_of_numbers<double>({1, 2});
  const Case cases[] = {
      {Element::boolean, boolean.get(), boolean.get(), std::string("\0\1", 2)},
      {Element::int8, H5T_STD_I8LE, H5T_STD_I8BE, "\xFF\2"},
      {Element::uint8, H5T_STD_U8LE, H5T_STD_U8BE, "\xFF\2"},
      {Element::int16, H5T_STD_I16LE, H5T_STD_I16BE, "\1\x80\3\4"},
      {Element::uint16, H5T_STD_U16LE, H5T_STD_U16BE, "\1\x80\3\4"},
      {Element::int32, H5T_STD_I32LE, H5T_STD_I32BE, "\1\2\3\x84\5\6\7\x08"},
      {Element::uint32, H5T_STD_U32LE, H5T_STD_U32BE, "\1\2\3\x84\5\6\7\x08"},
      {Element::int64, H5T_STD_I64LE, H5T_STD_I64BE, "\1\2\3\4\5\6\7\x88\1\2\3\4\5\6\7\x08"},
      {Element::uint64, H5T_STD_U64LE, H5T_STD_U64BE, "\1\2\3\4\5\6\7\x88\1\2\3\4\5\6\7\x08"},
      {Element::float16, half.get(), half.get(), std::string("\x00\x3C\x00\x40", 4)},
      {Element::float32, H5T_IEEE_F32LE, H5T_IEEE_F32BE, floats},
      {Element::float64, H5T_IEEE_F64LE, H5T_IEEE_F64BE, doubles},
  };
  for (const Case& one : cases) {
    INFO(name_of(one.element));
    std::string turned = one.bytes;
    if (one.big != one.little) swap_bytes(one.element, std::as_writable_bytes(std::span(turned)));
    const TemporaryFolder folder;
    const Path path = hdf5_in(folder, [&](hid_t file) {
      add_with(turned, file, "big", {2}, one.big);
      add_with(one.bytes, file, "little", {2}, one.little);
    });
    const auto arrays = list_hdf5(path);
    REQUIRE(names_of(arrays) == Names{"big", "little"});
    for (const Hdf5Array& array : arrays) {
      CHECK(array.element == one.element);
      CHECK(rows(*open_hdf5_array(path, array), 0, 2) == one.bytes);
    }
  }
}

TEST_CASE("only arrays of plain numbers are listed", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [](hid_t file) {
    const hdf5::TypeHandle text(H5Tcopy(H5T_C_S1)), texts(H5Tcopy(H5T_C_S1)), record(H5Tcreate(H5T_COMPOUND, 4)),
        opaque(H5Tcreate(H5T_OPAQUE, 1)), three_bytes(H5Tcopy(H5T_STD_U32LE)), lists(H5Tvlen_create(H5T_STD_U8LE)),
        wide = enumeration(H5T_STD_I16LE);
    const hsize_t two = 2;
    const hdf5::TypeHandle pairs(H5Tarray_create2(H5T_STD_U8LE, 1, &two));
    H5Tset_size(texts.get(), H5T_VARIABLE);
    H5Tinsert(record.get(), "x", 0, H5T_STD_U32LE);
    H5Tset_precision(three_bytes.get(), 24);
    H5Tset_size(three_bytes.get(), 3);
    for (const auto& [name, type] : {std::pair<const char*, hid_t>{"text", text.get()},
                                     {"texts", texts.get()},
                                     {"record", record.get()},
                                     {"opaque", opaque.get()},
                                     {"three bytes", three_bytes.get()},
                                     {"lists", lists.get()},
                                     {"enumeration of two bytes", wide.get()},
                                     {"pairs", pairs.get()},
                                     {"bits", H5T_STD_B8LE},
                                     {"references", H5T_STD_REF_OBJ},
                                     {"long double", H5T_NATIVE_LDOUBLE}}) {
      add(file, name, {2, 2, 2}, type);
    }
    add(file, "empty", {0, 2, 2});
    add(file, "empty below", {2, 0});
    for (const auto& [name, kind] : {std::pair{"number", H5S_SCALAR}, {"nothing", H5S_NULL}}) {
      const hdf5::SpaceHandle space(H5Screate(kind));
      const hdf5::DatasetHandle dataset(
          H5Dcreate2(file, name, H5T_STD_U8LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Tcommit2(file, "a type", record.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add(file, "x", {1});
  });
  CHECK(names_of(list_hdf5(path)) == Names{"x"});
  CHECK(list_hdf5(hdf5_in(folder, [](hid_t) {})).empty());
}

TEST_CASE("links are left out and groups that contain themselves are visited once", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add(file, "group/x", {1});
    H5Lcreate_hard(file, "group/x", file, "another name", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/group/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external((folder / "a.h5").c_str(), "/group/x", file, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "/group", file, "group/itself", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "/", file, "group/root", H5P_DEFAULT, H5P_DEFAULT);
  });
  const auto names = names_of(list_hdf5(path));
  CHECK(std::count(names.begin(), names.end(), "another name") == 1);
  CHECK(std::count(names.begin(), names.end(), "group/x") == 1);
  for (const std::string& name : names) {
    INFO(name);
    CHECK((name.ends_with("/x") || name.ends_with("another name")));
    CHECK(std::count(name.begin(), name.end(), '/') <= 3);
  }
}

TEST_CASE("groups are searched down to the sixteenth level", "[unit][arrays]") {
  const TemporaryFolder folder;
  std::string way;
  for (int i = 0; i < 16; ++i) way += "g/";
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add(file, way + "x", {1});
    add(file, way + "g/x", {1});
  });
  CHECK(names_of(list_hdf5(path)) == Names{way + "x"});
}

TEST_CASE("a file that the HDF5 library cannot open is an error with its name", "[unit][arrays]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(list_hdf5(folder / "none.h5"), ContainsSubstring("none.h5"));
  CHECK_THAT(refusal(folder / "none.h5", bytes_named("x", {1})), ContainsSubstring("none.h5: /x\""));
  const Path path = hdf5_in(folder, [](hid_t file) { add_with(counting(200), file, "x", {200}); });
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), std::ssize(bytes));
  for (const std::string& damaged : {std::string(), std::string("no HDF5"), bytes.substr(0, 8), bytes.substr(0, 100),
                                     bytes.substr(0, bytes.size() - 1)}) {
    write_file(path, damaged);
    CHECK_THROWS_WITH(list_hdf5(path), ContainsSubstring("a.h5"));
  }
}

// ---- Reading -----------------------------------------------------------------------

TEST_CASE("rows are read from every storage layout forward and over gaps and backward", "[unit][arrays]") {
  // 3,000 rows of 1,000 bytes: three blocks of the size that the child sends at a time.
  constexpr std::size_t kRows = 3000, kRowBytes = 1000;
  std::string bytes(kRows * kRowBytes, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i / 7 + i / 1000);
  const std::string way = GENERATE(std::string("contiguous"), std::string("chunked"), std::string("deflated"));
  const auto properties = way == "contiguous" ? creation() : chunked(way == "chunked" ? Axes{7, 333} : Axes{64, 1000});
  if (way == "deflated") {
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), 1);
    H5Pset_fletcher32(properties.get());
  }
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_with(bytes, file, "group/x", {kRows, kRowBytes}, H5T_STD_U8LE, properties.get());
  });
  const auto arrays = list_hdf5(path);
  REQUIRE(names_of(arrays) == Names{"group/x"});
  const auto array = open_hdf5_array(path, arrays[0]);
  CHECK(array->name() == "\"" + path.string() + ": /group/x\"");
  CHECK_FALSE(array->is_random_access());
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2000}, {2999, 1}, {5, 10}}) {
    INFO("rows from " << first);
    CHECK((rows(*array, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)) ==
           bytes.substr(first * kRowBytes, count * kRowBytes)));
  }
}

TEST_CASE("compact rows and rows that were never written are read", "[unit][arrays]") {
  const TemporaryFolder folder;
  const auto compact = creation(), filled = creation();
  H5Pset_layout(compact.get(), H5D_COMPACT);
  const std::uint8_t value = 9;
  H5Pset_fill_value(filled.get(), H5T_STD_U8LE, &value);
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_with(counting(6), file, "compact", {2, 3}, H5T_STD_U8LE, compact.get());
    add(file, "filled", {2, 3}, H5T_STD_U8LE, filled.get());
  });
  const auto arrays = list_hdf5(path);
  REQUIRE(arrays.size() == 2);
  CHECK(rows(*open_hdf5_array(path, arrays[0]), 1, 1) == counting(3, 3));
  CHECK(rows(*open_hdf5_array(path, arrays[1]), 0, 2) == std::string(6, 9));
}

TEST_CASE("data stored in other files are refused", "[unit][arrays]") {
  const TemporaryFolder folder;
  write_file(folder / "secret", std::string(64, 's'));
  CHECK_THAT(refusal([&](hid_t file) {
               const auto properties = creation();
               H5Pset_external(properties.get(), (folder / "secret").c_str(), 0, 64);
               add(file, "x", {8, 8}, H5T_STD_U8LE, properties.get());
             }),
             ContainsSubstring("a.h5: /x\"") && ContainsSubstring("is stored in another file"));
  CHECK_THAT(refusal([&](hid_t file) {
               const hsize_t axes[] = {8, 8};
               const hdf5::SpaceHandle space(H5Screate_simple(2, axes, nullptr));
               const auto properties = creation();
               H5Pset_virtual(properties.get(), space.get(), (folder / "b.h5").c_str(), "/x", space.get());
               add(file, "x", {8, 8}, H5T_STD_U8LE, properties.get());
             }),
             ContainsSubstring("a.h5: /x\"") && ContainsSubstring("is stored in other files"));
}

TEST_CASE("a path that is missing or crosses a link or is not a dataset is refused", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_with(counting(1), file, "group/x", {1});
    H5Lcreate_soft("/group/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/group", file, "way", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external((folder / "b.h5").c_str(), "/x", file, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external((folder / "b.h5").c_str(), "/", file, "far", H5P_DEFAULT, H5P_DEFAULT);
  });
  std::filesystem::copy_file(path, folder / "b.h5");
  CHECK(refusal(path, bytes_named("group/x", {1})) == "read");
  for (const char* missing : {"x", "group/y", "nowhere/x", "", "group/x/y"}) {
    INFO(missing);
    CHECK_THAT(refusal(path, bytes_named(missing, {1})), ContainsSubstring("a.h5: /" + std::string(missing) + "\""));
  }
  for (const char* link : {"soft", "external", "way/x", "far/group/x"}) {
    INFO(link);
    CHECK_THAT(refusal(path, bytes_named(link, {1})), ContainsSubstring("is a link to another location or file"));
  }
  CHECK_THAT(refusal(path, bytes_named("group", {1})), ContainsSubstring("is not a dataset"));
}

TEST_CASE("unknown filters and huge chunks and datasets far larger than the file are refused", "[unit][arrays]") {
  CHECK_THAT(refusal([](hid_t file) {
               const auto properties = chunked({1, 2});
               H5Pset_nbit(properties.get());
               add(file, "x", {1, 2}, H5T_STD_U8LE, properties.get());
             }),
             ContainsSubstring("a filter that is not part of HDF5"));
  CHECK_THAT(refusal([](hid_t file) {
               add(file, "x", {4, (1 << 28) + 1}, H5T_STD_U8LE, chunked({1, (1 << 28) + 1}).get());
             }),
             ContainsSubstring("chunks of more than 256 MiB"));
  CHECK_THAT(refusal([](hid_t file) {
               add(file, "x", {1 << 30, 1 << 10}, H5T_STD_U8LE, chunked({1, 1024}).get());
             }),
             ContainsSubstring("declared far larger than the file"));
}

TEST_CASE("a file with fewer rows than were listed is an error", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [](hid_t file) { add_with(counting(6), file, "x", {3, 2}); });
  const auto array = open_hdf5_array(path, bytes_named("x", {5, 2}));
  CHECK(rows(*array, 0, 3) == counting(6));
  CHECK_THROWS_WITH(rows(*array, 3, 1), ContainsSubstring("fewer rows"));
  // An error does not affect later reads.
  CHECK(rows(*array, 2, 1) == counting(2, 4));
}

TEST_CASE("a truncated or damaged or invalid deflated chunk is an error", "[unit][arrays]") {
  const std::string whole = zlib_stream(counting(200));
  std::string wrong = whole;
  wrong[wrong.size() / 2] = static_cast<char>(wrong[wrong.size() / 2] ^ 0x40);
  for (const std::string& stored :
       {whole.substr(0, whole.size() - 1), wrong, std::string("no stream"), std::string()}) {
    if (stored.empty()) continue;
    CHECK_THAT(refusal([&](hid_t file) { add_stored(stored, file, "x", {2, 100}); }), ContainsSubstring("a.h5: /x\""));
  }
  CHECK(refusal([&](hid_t file) { add_stored(whole, file, "x", {2, 100}); }) == "read");
}

TEST_CASE("a chunk that does not inflate to exactly its size is refused before HDF5 inflates it", "[unit][arrays]") {
  const std::string bytes = counting(4096);
  const auto result = [&](const std::string& stored, const Filters& filters = {}) {
    const TemporaryFolder folder;
    const Path path = hdf5_in(folder, [&](hid_t file) { add_stored(stored, file, "x", {4, 32, 32}, filters); });
    return refusal(path, bytes_named("x", {4, 32, 32}));
  };
  const auto is_refused = ContainsSubstring("bytes that does not inflate to the expected 4096 bytes");
  CHECK_THAT(result(zlib_stream(bytes + std::string(64 << 20, '\0'))), is_refused);
  CHECK_THAT(result(zlib_stream(bytes + "x")), is_refused);
  CHECK_THAT(result(zlib_stream(bytes.substr(1))), is_refused);
  CHECK_THAT(result(zlib_stream("x")), is_refused);
  CHECK_THAT(result("no stream"), is_refused);
  CHECK(result(zlib_stream(bytes)) == "read");
  // Incompressible data takes a few bytes more.
  std::string noise(4096, '\0');
  std::minstd_rand random(1);
  for (char& byte : noise) byte = static_cast<char>(random() >> 8);
  CHECK(result(zlib_stream(noise)) == "read");
  // Stored without the filter, according to the chunk's filter mask.
  CHECK(result(bytes, {.left_out = 1}) == "read");
  CHECK_THAT(result(bytes.substr(1), {.left_out = 1}), is_refused);
  CHECK_THAT(result(bytes + "x", {.left_out = 1}), is_refused);
  CHECK(result(bytes, {.is_shuffled = true, .is_deflated = false}) == "read");
  CHECK_THAT(result(bytes.substr(1), {.is_shuffled = true, .is_deflated = false}), is_refused);
}

TEST_CASE("a chunk without filters whose index entry has a wrong size is refused", "[unit][arrays]") {
  const std::string bytes = counting(8 * 16);
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_with(bytes, file, "x", {8, 4, 4}, H5T_STD_U8LE, chunked({2, 4, 4}).get());
  });
  const Hdf5Array array = bytes_named("x", {8, 4, 4});
  CHECK(refusal(path, array) == "read");
  // A B-tree node holds a signature, the type (1: chunks), the level, the number of entries and two addresses. An entry
  // holds size, mask, four offsets and address.
  constexpr std::size_t kFirstEntry = 24, kEntryBytes = 48, kEntries = 4;
  std::ifstream file(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(file), {});
  const std::size_t node = content.find(std::string("TREE\1\0\4\0", 8));
  REQUIRE(node != std::string::npos);
  std::uint32_t size = 0;
  std::memcpy(&size, content.data() + node + kFirstEntry, sizeof size);
  REQUIRE(size == 32);
  const auto with_sizes = [&](std::array<std::uint32_t, kEntries> sizes) {
    for (std::size_t i = 0; i < kEntries; ++i) {
      std::memcpy(content.data() + node + kFirstEntry + i * kEntryBytes, &sizes[i], sizeof sizes[i]);
    }
    std::ofstream(path, std::ios::binary) << content;
    return refusal(path, array);
  };
  CHECK_THAT(with_sizes({32, 32, 16, 32}), ContainsSubstring("has chunks whose sizes do not match its shape"));
  CHECK_THAT(with_sizes({32, 48, 16, 32}), ContainsSubstring("has a chunk of 48 bytes"));  // their sum is correct
  CHECK(with_sizes({32, 32, 32, 32}) == "read");
}

TEST_CASE("chunks with every HDF5 filter are read including rows across chunks and repeated reads", "[unit][arrays]") {
  const TemporaryFolder folder;
  const std::string bytes = counting(5 * 6 * 7);
  const Path path = hdf5_in(folder, [&](hid_t file) {
    for (const bool sums_first : {false, true}) {
      const auto properties = chunked({2, 4, 3});
      H5Pset_shuffle(properties.get());
      if (sums_first) H5Pset_fletcher32(properties.get());
      H5Pset_deflate(properties.get(), 4);
      if (!sums_first) H5Pset_fletcher32(properties.get());
      add_with(bytes, file, sums_first ? "a" : "b", {5, 6, 7}, H5T_STD_U8LE, properties.get());
    }
  });
  for (const char* const name : {"a", "b"}) {
    const auto array = open_hdf5_array(path, bytes_named(name, {5, 6, 7}));
    CHECK(rows(*array, 0, 5) == bytes);
    CHECK(rows(*array, 3, 2) == bytes.substr(3 * 42));
    CHECK(rows(*array, 0, 1) == bytes.substr(0, 42));
    CHECK(rows(*array, 1, 3) == bytes.substr(42, 3 * 42));
  }
}

TEST_CASE("edge chunks without filters are read and a filter after deflate is refused", "[unit][arrays]") {
  const TemporaryFolder folder;
  const std::string bytes = counting(5 * 6 * 7);
  const Path path = hdf5_in(folder, [&](hid_t file) {
    const auto raw_edges = chunked({2, 4, 3});
    H5Pset_chunk_opts(raw_edges.get(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    H5Pset_deflate(raw_edges.get(), 4);
    add_with(bytes, file, "edges", {5, 6, 7}, H5T_STD_U8LE, raw_edges.get());
    const auto shuffled_after = chunked({2, 4, 3});
    H5Pset_deflate(shuffled_after.get(), 4);
    H5Pset_shuffle(shuffled_after.get());
    add_with(bytes, file, "shuffled", {5, 6, 7}, H5T_STD_U8LE, shuffled_after.get());
    const auto empty = chunked({2, 4, 3});
    H5Pset_deflate(empty.get(), 4);
    add(file, "unwritten", {5, 6, 7}, H5T_STD_U8LE, empty.get());
  });
  CHECK(rows(*open_hdf5_array(path, bytes_named("edges", {5, 6, 7})), 0, 5) == bytes);
  CHECK(rows(*open_hdf5_array(path, bytes_named("unwritten", {5, 6, 7})), 0, 5) == std::string(bytes.size(), '\0'));
  CHECK_THAT(refusal(path, bytes_named("shuffled", {5, 6, 7})), ContainsSubstring("has a filter after deflate"));
}

TEST_CASE("the time per chunk does not grow with the number of chunks", "[unit][arrays]") {
  // If it grew, the child would exceed its limit of CPU time.
  constexpr std::int64_t kRows = 80'000;
  const TemporaryFolder folder;
  const std::string chunk = zlib_stream(counting(16));
  const Path path = hdf5_in(folder, [&](hid_t file) {
    const auto properties = chunked({1, 4, 4});
    H5Pset_deflate(properties.get(), 4);
    const auto dataset = add(file, "x", {kRows, 4, 4}, H5T_STD_U8LE, properties.get());
    for (hsize_t row = 0; row < kRows; ++row) {
      const hsize_t place[3] = {row, 0, 0};
      REQUIRE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, place, chunk.size(), chunk.data()) >= 0);
    }
  });
  const auto array = open_hdf5_array(path, bytes_named("x", {kRows, 4, 4}));
  for (std::int64_t first = 0; first < kRows; first += kRows / 8) {
    CHECK(rows(*array, first, kRows / 8).substr(0, 16) == counting(16));
  }
}
