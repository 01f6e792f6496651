#include "arrays/hdf5_file.hpp"

#include <sys/stat.h>

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

/// The names of the usable arrays.
Names names_of(const std::vector<Hdf5Array>& arrays) {
  Names names;
  for (const Hdf5Array& array : arrays) {
    if (array.is_usable()) names.push_back(array.name);
  }
  return names;
}

const Hdf5Array& named(const std::vector<Hdf5Array>& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &Hdf5Array::name);
  REQUIRE(found != arrays.end());
  return *found;
}

/// A uint8 array entry, as if it were listed.
Hdf5Array bytes_named(const std::string& name, std::vector<std::int64_t> axes) {
  return {{name, Element::uint8, std::move(axes)}};
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

TEST_CASE("arrays of anything but plain numbers are listed with what they hold", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [](hid_t file) {
    const hdf5::TypeHandle text(H5Tcopy(H5T_C_S1)), texts(H5Tcopy(H5T_C_S1)), record(H5Tcreate(H5T_COMPOUND, 4)),
        complex(H5Tcreate(H5T_COMPOUND, 8)), opaque(H5Tcreate(H5T_OPAQUE, 1)), date(H5Tcreate(H5T_OPAQUE, 8)),
        three_bytes(H5Tcopy(H5T_STD_U32LE)), lists(H5Tvlen_create(H5T_STD_U8LE)), bfloat16(H5Tcopy(H5T_IEEE_F32LE));
    const hsize_t two = 2;
    const hdf5::TypeHandle pairs(H5Tarray_create2(H5T_STD_U8LE, 1, &two));
    H5Tset_size(texts.get(), H5T_VARIABLE);
    H5Tinsert(record.get(), "x", 0, H5T_STD_U32LE);
    H5Tinsert(complex.get(), "r", 0, H5T_IEEE_F32LE);
    H5Tinsert(complex.get(), "i", 4, H5T_IEEE_F32LE);
    H5Tset_tag(date.get(), "NUMPY:datetime64[s]");
    H5Tset_precision(three_bytes.get(), 24);
    H5Tset_size(three_bytes.get(), 3);
    H5Tset_fields(bfloat16.get(), 15, 7, 8, 0, 7);
    H5Tset_size(bfloat16.get(), 2);
    for (const auto& [name, type] : {std::pair<const char*, hid_t>{"text", text.get()},
                                     {"texts", texts.get()},
                                     {"record", record.get()},
                                     {"complex", complex.get()},
                                     {"opaque", opaque.get()},
                                     {"date", date.get()},
                                     {"three bytes", three_bytes.get()},
                                     {"lists", lists.get()},
                                     {"pairs", pairs.get()},
                                     {"bits", H5T_STD_B8LE},
                                     {"references", H5T_STD_REF_OBJ},
                                     {"bfloat16", bfloat16.get()},
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
  const auto arrays = list_hdf5(path);
  CHECK(names_of(arrays) == Names{"x"});
  CHECK(arrays.size() == 18);
  for (const auto& [name, holds] : {std::pair{"text", "text"},
                                    {"texts", "text"},
                                    {"record", "records"},
                                    {"complex", "complex numbers"},
                                    {"opaque", "opaque bytes"},
                                    {"date", "dates"},
                                    {"three bytes", "integers of 24 bits"},
                                    {"lists", "lists of different lengths"},
                                    {"pairs", "arrays in an array"},
                                    {"bits", "bit fields"},
                                    {"references", "references"},
                                    {"empty", "empty"},
                                    {"empty below", "empty"},
                                    {"number", "a single value"},
                                    {"nothing", "a single value"}}) {
    CHECK(named(arrays, name).unusable == holds);
  }
  CHECK_THAT(named(arrays, "bfloat16").unusable, ContainsSubstring("floats of 16 bits in another format"));
  CHECK_THAT(named(arrays, "long double").unusable, ContainsSubstring("floats of 128 bits"));
  CHECK(list_hdf5(hdf5_in(folder, [](hid_t) {})).empty());
}

TEST_CASE("enumerations are the numbers that they store and name them if they count from 0", "[unit][arrays]") {
  const TemporaryFolder folder;
  const auto animals = enumeration_of({{"dog", 1}, {"cat", 0}, {"eel", 2}}), gap = enumeration_of({{"a", 0}, {"b", 2}});
  const auto boolean = enumeration(H5T_STD_I8LE);
  const hdf5::TypeHandle big(H5Tenum_create(H5T_STD_U16BE));
  const std::uint16_t one = 0x0100, none = 0;  // big-endian: 1, 0
  H5Tenum_insert(big.get(), "one", &one);
  H5Tenum_insert(big.get(), "none", &none);
  const std::string numbers = bytes_of_numbers<std::int32_t>({2, 0, 1});
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_with(numbers, file, "animals", {3}, animals.get());
    add_with(numbers, file, "gap", {3}, gap.get());
    add_with(std::string("\0\1\0\0", 4), file, "big", {2}, big.get());
    add_with(std::string("\1\0", 2), file, "boolean", {2}, boolean.get());
  });
  const auto arrays = list_hdf5(path);
  CHECK(named(arrays, "animals").element == Element::int32);
  CHECK(named(arrays, "animals").value_names == Names{"cat", "dog", "eel"});
  CHECK(rows(*open_hdf5_array(path, named(arrays, "animals")), 0, 3) == numbers);
  CHECK(named(arrays, "gap").value_names.empty());
  CHECK(rows(*open_hdf5_array(path, named(arrays, "gap")), 0, 3) == numbers);
  CHECK(named(arrays, "big").value_names == Names{"none", "one"});
  CHECK(rows(*open_hdf5_array(path, named(arrays, "big")), 0, 2) == bytes_of_numbers<std::uint16_t>({1, 0}));
  CHECK(named(arrays, "boolean").element == Element::boolean);
  CHECK(named(arrays, "boolean").value_names.empty());
}

TEST_CASE("integers of fewer bits than their bytes keep their sign", "[unit][arrays]") {
  const TemporaryFolder folder;
  const hdf5::TypeHandle twelve(H5Tcopy(H5T_STD_I16LE));
  H5Tset_precision(twelve.get(), 12);
  const Path path = hdf5_in(folder, [&](hid_t file) {
    const auto dataset = add(file, "x", {2}, twelve.get());
    const std::int16_t numbers[] = {-5, 2047};
    REQUIRE(H5Dwrite(dataset.get(), H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  });
  CHECK(rows(*open_hdf5_array(path, list_hdf5(path)[0]), 0, 2) == bytes_of_numbers<std::int16_t>({-5, 2047}));
}

TEST_CASE("texts of fixed and variable length are read without their padding", "[unit][arrays]") {
  const TemporaryFolder folder;
  Names texts = {"cat", "", "\xC3\xA4 b"};
  for (int i = 0; i < 2000; ++i) texts.push_back("text " + std::to_string(i));
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_texts(texts, file, "variable");
    add_texts(texts, file, "zeros", 12);
    add_texts(texts, file, "blanks", 12, H5T_STR_SPACEPAD);
    add_texts({"a", std::string(1025, 'b')}, file, "long");
    add_texts({"a", "b"}, file, "wide", 1026);
    const hdf5::TypeHandle one(H5Tcopy(H5T_C_S1));
    add(file, "pairs", {2, 2}, one.get());
  });
  const auto arrays = list_hdf5(path);
  for (const char* name : {"variable", "zeros", "blanks"}) {
    INFO(name);
    CHECK(named(arrays, name).is_text);
    CHECK(named(arrays, name).unusable == "text");
    CHECK(read_hdf5_texts(path, named(arrays, name)) == texts);
  }
  for (const char* name : {"long", "wide"}) {
    CHECK_THROWS_WITH(read_hdf5_texts(path, named(arrays, name)), ContainsSubstring("texts of more than 1024 bytes"));
  }
  CHECK_THROWS_WITH(read_hdf5_texts(path, named(arrays, "pairs")), ContainsSubstring("is not a list of texts"));
}

// ---- Links ---------------------------------------------------------------------------

TEST_CASE("links in a file are other names and groups that contain themselves are visited once", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    add_with(counting(1, 7), file, "group/x", {1});
    H5Lcreate_hard(file, "group/x", file, "another name", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/group/x", file, "absolute", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("x", file, "group/relative", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("absolute", file, "of a link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("group", file, "linked", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/group", file, "group/way back", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("linked/x", file, "over a link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "/group", file, "group/itself", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "/", file, "group/root", H5P_DEFAULT, H5P_DEFAULT);
  });
  const auto arrays = list_hdf5(path);
  for (const char* name :
       {"group/x", "another name", "absolute", "group/relative", "of a link", "linked/x", "over a link"}) {
    INFO(name);
    CHECK(named(arrays, name).object == arrays[0].object);
    CHECK(named(arrays, name).file.empty());
    CHECK(rows(*open_hdf5_array(path, named(arrays, name)), 0, 1) == counting(1, 7));
  }
  CHECK(arrays.size() < 40);
}

TEST_CASE("links to nothing and links in circles are listed with the reason", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("b", file, "a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("a", file, "b", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("self/x", file, "self", H5P_DEFAULT, H5P_DEFAULT);
  });
  const auto arrays = list_hdf5(path);
  CHECK(arrays.size() == 4);
  CHECK(named(arrays, "dangling").unusable == "a soft link to /nowhere, which is missing");
  for (const char* name : {"a", "b", "self"}) {
    CHECK_THAT(named(arrays, name).unusable, ContainsSubstring("leads in a circle"));
    CHECK_THAT(refusal(path, bytes_named(name, {1})), ContainsSubstring("leads in a circle"));
  }
}

TEST_CASE("external links lead to files in the folder and never out of it", "[unit][arrays]") {
  const TemporaryFolder outside, folder;
  const auto with_x = [](hid_t file) { add_with(counting(1, 7), file, "x", {1}); };
  std::filesystem::create_directory(folder / "sub");
  hdf5_in(folder, with_x, "near.h5");
  hdf5_in(folder, with_x, "sub/below.h5");
  const Path secret = hdf5_in(outside, with_x, "secret.h5");
  std::filesystem::create_symlink(secret, folder / "out.h5");
  std::filesystem::create_directory_symlink(outside.path(), folder / "away");
  write_file(folder / "text.txt", "no HDF5");
  REQUIRE(::mkfifo((folder / "pipe.h5").c_str(), 0600) == 0);
  const Path path = hdf5_in(folder, [&](hid_t file) {
    const auto link = [&](const std::string& name, const std::string& target) {
      H5Lcreate_external(target.c_str(), "/x", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    };
    link("near", "near.h5");
    link("below", "sub/below.h5");
    link("own", "a.h5");
    link("absolute", secret.string());
    link("absolute near", (folder / "near.h5").string());
    link("upward", "../" + outside.path().filename().string() + "/secret.h5");
    link("over a link", "out.h5");
    link("over a linked folder", "away/secret.h5");
    link("missing", "none.h5");
    link("no HDF5", "text.txt");
    link("pipe", "pipe.h5");
    add_with(counting(1, 7), file, "x", {1});
  });
  const auto arrays = list_hdf5(path);
  for (const char* name : {"near", "below", "own"}) {
    INFO(name);
    CHECK(rows(*open_hdf5_array(path, named(arrays, name)), 0, 1) == counting(1, 7));
  }
  CHECK(named(arrays, "near").file == std::filesystem::canonical(folder / "near.h5"));
  for (const auto& [name, problem] : {std::pair{"absolute", "links out of it are refused"},
                                      {"absolute near", "links out of it are refused"},
                                      {"upward", "links out of it are refused"},
                                      {"over a link", "\"out.h5\", which leads out of the folder"},
                                      {"over a linked folder", "leads out of the folder"},
                                      {"missing", "\"none.h5\", which is missing"},
                                      {"no HDF5", "cannot be read"},
                                      {"pipe", "is missing"}}) {
    INFO(name);
    CHECK_THAT(named(arrays, name).unusable, ContainsSubstring(problem));
    CHECK_THAT(refusal(path, bytes_named(name, {1})), ContainsSubstring("a.h5: /" + std::string(name)));
  }
}

TEST_CASE("a linked file may link to files of the same folder only", "[unit][arrays]") {
  const TemporaryFolder outer;
  std::filesystem::create_directory(outer / "in");
  hdf5_in(
      outer, [](hid_t file) { add_with(counting(1, 7), file, "x", {1}); }, "x.h5");
  hdf5_in(
      outer, [](hid_t file) { add_with(counting(1, 7), file, "x", {1}); }, "in/x.h5");
  hdf5_in(
      outer,
      [](hid_t file) {
        H5Lcreate_external("x.h5", "/x", file, "here", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("../x.h5", "/x", file, "above", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("a.h5", "/here", file, "circle", H5P_DEFAULT, H5P_DEFAULT);
      },
      "in/b.h5");
  const Path path = hdf5_in(
      outer,
      [](hid_t file) {
        H5Lcreate_external("b.h5", "/here", file, "here", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("b.h5", "/above", file, "above", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("b.h5", "/circle", file, "circle", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("a.h5", "/round", file, "round", H5P_DEFAULT, H5P_DEFAULT);
      },
      "in/a.h5");
  const auto arrays = list_hdf5(path);
  CHECK(named(arrays, "here").is_usable());
  CHECK(named(arrays, "circle").is_usable());
  CHECK_THAT(named(arrays, "above").unusable, ContainsSubstring("links out of it are refused"));
  CHECK_THAT(named(arrays, "round").unusable, ContainsSubstring("leads in a circle"));
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

TEST_CASE("a path that is missing or is not a dataset is refused", "[unit][arrays]") {
  const TemporaryFolder folder;
  const Path path = hdf5_in(folder, [&](hid_t file) { add_with(counting(1), file, "group/x", {1}); });
  CHECK(refusal(path, bytes_named("group/x", {1})) == "read");
  for (const char* missing : {"x", "group/y", "nowhere/x", "", "group/x/y"}) {
    INFO(missing);
    CHECK_THAT(refusal(path, bytes_named(missing, {1})), ContainsSubstring("a.h5: /" + std::string(missing) + "\""));
  }
  CHECK_THAT(refusal(path, bytes_named("group", {1})), ContainsSubstring("is not a dataset"));
}

TEST_CASE("unknown filters and huge chunks and datasets far larger than the file are refused", "[unit][arrays]") {
  // Optional filters can be declared without a library that has them.
  const std::string command = "h5repack -f SHUF -f GZIP=4 \"";
  for (const auto& [filter, name] : {std::pair{32000, "LZF"}, {32001, "Blosc"}, {300, "the unknown filter 300"}}) {
    CHECK_THAT(refusal([&, id = filter](hid_t file) {
                 const auto properties = chunked({1, 2});
                 H5Pset_filter(properties.get(), id, H5Z_FLAG_OPTIONAL, 0, nullptr);
                 add(file, "x", {1, 2}, H5T_STD_U8LE, properties.get());
               }),
               ContainsSubstring("/x is compressed with " + std::string(name) +
                                 ", a filter that is not part of HDF5; save it with gzip: ") &&
                   ContainsSubstring(command) && ContainsSubstring("-gzip.h5\"`"));
  }
  CHECK_THAT(refusal([](hid_t file) {
               add(file, "x", {4, (1 << 28) + 1}, H5T_STD_U8LE, chunked({1, (1 << 28) + 1}).get());
             }),
             ContainsSubstring("chunks of more than 256 MiB"));
  const auto add_huge = [](hid_t file) { add(file, "x", {1 << 30, 1 << 10}, H5T_STD_U8LE, chunked({1, 1024}).get()); };
  CHECK_THAT(refusal(add_huge), ContainsSubstring("declared far larger than the file"));
  // Listed as unusable, so that nobody allocates memory for its rows.
  const TemporaryFolder folder;
  CHECK(list_hdf5(hdf5_in(folder, add_huge)).at(0).unusable == "declared far larger than the file");
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

TEST_CASE("n-bit and scale-offset and szip are read if the library has them", "[unit][arrays]") {
  const TemporaryFolder folder;
  const std::string filter = GENERATE(std::string("n-bit"), std::string("scale-offset"), std::string("szip"));
  const hdf5::TypeHandle ten_bits(H5Tcopy(H5T_STD_U16LE));
  H5Tset_precision(ten_bits.get(), 10);
  std::vector<std::uint16_t> numbers;
  for (std::uint16_t i = 0; i < 4 * 32; ++i) numbers.push_back(static_cast<std::uint16_t>(i * 7));
  const auto properties = chunked({2, 32});
  if (filter == "n-bit") H5Pset_nbit(properties.get());
  if (filter == "scale-offset") H5Pset_scaleoffset(properties.get(), H5Z_SO_INT, 0);
  if (filter == "szip" && H5Pset_szip(properties.get(), H5_SZIP_NN_OPTION_MASK, 16) < 0) return;
  const Path path = hdf5_in(folder, [&](hid_t file) {
    const auto dataset = add(file, "x", {4, 32}, filter == "n-bit" ? ten_bits.get() : H5T_STD_U16LE, properties.get());
    REQUIRE(H5Dwrite(dataset.get(), H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
  });
  CHECK(rows(*open_hdf5_array(path, list_hdf5(path)[0]), 0, 4) == bytes_of_numbers(numbers));
}

TEST_CASE("a chunk that is shorter than its filter will read is refused", "[unit][arrays]") {
  const std::string filter = GENERATE(std::string("n-bit"), std::string("scale-offset"), std::string("szip"));
  const auto properties = chunked({2, 32});
  if (filter == "n-bit") H5Pset_nbit(properties.get());
  if (filter == "scale-offset") H5Pset_scaleoffset(properties.get(), H5Z_SO_INT, 0);
  if (filter == "szip" && H5Pset_szip(properties.get(), H5_SZIP_NN_OPTION_MASK, 16) < 0) return;
  // n-bit needs 64 bytes for uint8. Scale-offset claims 9 bits per number; szip, 65 bytes.
  for (const std::string& stored :
       {std::string(5, '\x09'), std::string("\x41\0\0\0", 4) + std::string(59, '\0'), "\x09" + std::string(62, '\0')}) {
    CHECK_THAT(refusal([&](hid_t file) {
                 const auto dataset = add(file, "x", {2, 32}, H5T_STD_U8LE, properties.get());
                 const hsize_t first[] = {0, 0};
                 REQUIRE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, first, stored.size(), stored.data()) >= 0);
               }),
               ContainsSubstring("bytes that does not inflate to the expected 64 bytes"));
  }
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

TEST_CASE("the time per chunk does not grow with the number of chunks", "[unit][arrays][plain-only]") {
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
