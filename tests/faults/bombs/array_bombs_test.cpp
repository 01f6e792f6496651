// Array files that claim, refer to or expand to far more than their own size: NumPy, MATLAB, Python pickles.
#include "../../lib/sources/made_files.hpp"
#include "../tally.hpp"
#include "bomb.hpp"
#include "catch.hpp"
#include "hostile_archive.hpp"

using namespace octavo::test;
using namespace std::string_literals;

namespace {

using Path = std::filesystem::path;

/// A .npy file with this version and header text.
std::string npy(const std::string& header, const std::string& data = "", int version = 1) {
  return "\x93NUMPY"s + static_cast<char>(version) + '\0' + little_endian(header.size(), version == 1 ? 2 : 4) +
         header + data;
}

std::string npy_header(const std::string& type, const std::string& shape, bool is_fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") + ", 'shape': (" + shape +
         "), }\n";
}

std::vector<std::string> npy_bomb(const Path& folder, const std::string& type, const std::string& shape,
                                  bool is_fortran = false) {
  return file_with(folder, "a.npy", npy(npy_header(type, shape, is_fortran), "some data"));
}

/// A .npz file of one deflated array that expands to `zeros` zeros. `bytes_claimed` is its size in the directory.
std::vector<std::string> npz_bomb(const Path& folder, const std::string& header, std::size_t zeros,
                                  std::int64_t bytes_claimed = -1) {
  ZipMember member = deflated_member("images.npy", npy(header), zeros);
  if (bytes_claimed >= 0) member.bytes_claimed = bytes_claimed;
  return file_with(folder, "a.npz", zip_of({member}));
}

const Bomb kNumPy[] = {
    {"a .npy file of 2^40 numbers", [](const Path& folder) { return npy_bomb(folder, "|u1", "1099511627776, 28, 28"); },
     "a.npy"},
    {"a .npy file whose size wraps to 0 in 64 bits",
     [](const Path& folder) { return npy_bomb(folder, "<f8", "4294967296, 65536, 65536"); }, "a.npy"},
    {"a .npy file with an image count beyond 64 bits",
     [](const Path& folder) { return npy_bomb(folder, "|u1", std::string(60, '9') + ", 28, 28"); }, "a.npy"},
    {"a .npy file of -1 images", [](const Path& folder) { return npy_bomb(folder, "|u1", "-1, 28, 28"); }, "a.npy"},
    {"a .npy file of 0 images", [](const Path& folder) { return npy_bomb(folder, "|u1", "0, 28, 28"); }, "a.npy"},
    {"a .npy file of 10,000 axes",
     [](const Path& folder) {
       std::string shape;
       for (int i = 0; i < 10'000; ++i) shape += "1, ";
       return npy_bomb(folder, "|u1", shape);
     },
     "a.npy"},
    {"a .npy file in Fortran order of 2^40 images",
     [](const Path& folder) { return npy_bomb(folder, "|u1", "1099511627776, 1, 1", true); }, "a.npy"},
    {"a .npy file in Fortran order of one image of 2^20 x 2^20",
     [](const Path& folder) { return npy_bomb(folder, "|u1", "1, 1048576, 1048576", true); }, "a.npy"},
    {"a .npy file of Python objects", [](const Path& folder) { return npy_bomb(folder, "|O", "1, 2, 2"); },
     "Python objects"},
    {"a .npy file of records",
     [](const Path& folder) {
       return file_with(folder, "a.npy",
                        npy("{'descr': [('a', '|u1'), ('b', '|O')], 'fortran_order': False, 'shape': (1, 2, 2), }\n"));
     },
     "records"},
    {"a .npy file whose header claims 2^32 - 1 bytes",
     [](const Path& folder) { return file_with(folder, "a.npy", "\x93NUMPY\2\0\xFF\xFF\xFF\xFF{"s); }, "a.npy"},
    {"a .npy file with a header of a gigabyte",
     [](const Path& folder) {
       const std::string start = "\x93NUMPY\2\0"s + little_endian(1u << 30);
       write_file(folder / "a.npy", start);
       std::filesystem::resize_file(folder / "a.npy", (std::uintmax_t{1} << 30) + start.size());
       return std::vector<std::string>{folder / "a.npy"};
     },
     "a.npy"},
    {"a .npy file whose header is cut",
     [](const Path& folder) { return file_with(folder, "a.npy", "\x93NUMPY\1\0\xFF\xFF{'descr"s); }, "a.npy"},
    {"a .npy file of version 9",
     [](const Path& folder) { return file_with(folder, "a.npy", npy(npy_header("|u1", "1, 2, 2"), "data", 9)); },
     "version 9"},
    {"a .npy file whose header is nested",
     [](const Path& folder) { return file_with(folder, "a.npy", npy("{'shape': " + std::string(60'000, '(') + "}")); },
     "a.npy"},
    {"a .npz file of an array of 2^40 images",
     [](const Path& folder) { return npz_bomb(folder, npy_header("|u1", "1099511627776, 28, 28"), 100); },
     "a.npz: images.npy"},
    {"a .npz file of an array with 200 MB of trailing data",
     [](const Path& folder) {
       const std::string header = npy_header("|u1", "1, 2, 2");
       return npz_bomb(folder, header, 200'000'000);
     },
     "a.npz: images.npy"},
    {"a .npz file of an array that is larger than its directory says",
     [](const Path& folder) {
       const std::string header = npy_header("|u1", "1, 2, 2");
       return npz_bomb(folder, header, 200'000'000, static_cast<std::int64_t>(4 + npy(header).size()));
     },
     "a.npz"},
    {"a .npz file of an array that is smaller than its directory says",
     [](const Path& folder) {
       const std::string header = npy_header("|u1", "50, 1000, 1000");
       return npz_bomb(folder, header, 100'000, static_cast<std::int64_t>(50'000'000 + npy(header).size()));
     },
     "a.npz"},
    {"a .npz file of 200 million labels for one image",
     [](const Path& folder) {
       return file_with(folder, "a.npz",
                        zip_of({stored_member("images.npy", npy(npy_header("|u1", "1, 2, 2"), "abcd")),
                                deflated_member("labels.npy", npy(npy_header("|u1", "1, 200000000")), 200'000'000)}));
     },
     "a.npz: labels"},
    {"a .npz file of 2,000 arrays of Python objects",
     [](const Path& folder) {
       std::vector<ZipMember> members;
       for (int i = 0; i < 2000; ++i) {
         members.push_back({.name = std::to_string(i) + ".npy", .bytes = npy(npy_header("|O", "1, 2, 2"))});
       }
       return file_with(folder, "a.npz", zip_of(members));
     },
     "a.npz"},
};

/// An element of a MATLAB 5 file: tag, data, padding to 8 bytes.
std::string mat_element(std::uint32_t type, const std::string& data) {
  return little_endian(type) + little_endian(data.size()) + data + std::string((8 - data.size() % 8) % 8, '\0');
}

/// The beginning of a uint8 variable: everything but its numbers. It announces `announced` numbers.
std::string mat_variable(const std::vector<std::uint32_t>& axes, std::uint32_t announced,
                         const std::string& name = "X") {
  std::string shape;
  for (const std::uint32_t axis : axes) shape += little_endian(axis);
  return mat_element(6, little_endian(9) + little_endian(0)) + mat_element(5, shape) + mat_element(1, name) +
         little_endian(2) + little_endian(announced);
}

std::string mat_header(const std::string& order = "IM") {
  std::string header = "MATLAB 5.0 MAT-file, made for a test";
  header.resize(124, ' ');
  return header + "\x00\x01"s + order;
}

std::vector<std::string> mat_bomb(const Path& folder, const std::string& variables) {
  return file_with(folder, "a.mat", mat_header() + variables);
}

/// A deflated variable: `beginning`, then `zeros` zeros.
std::string deflated_variable(const std::string& beginning, std::size_t zeros) {
  const std::string data =
      compressed(Framing::zlib, little_endian(14) + little_endian(beginning.size() + zeros) + beginning, zeros);
  return little_endian(15) + little_endian(data.size()) + data;
}

const Bomb kMat[] = {
    {"a MATLAB file of the opposite byte order",
     [](const Path& folder) {
       return file_with(folder, "a.mat", mat_header("MI") + mat_element(14, mat_variable({2, 2, 1}, 4) + "abcd"));
     },
     "little-endian"},
    {"a MATLAB file without a byte order",
     [](const Path& folder) { return file_with(folder, "a.mat", mat_header("XX") + std::string(64, '\0')); }, "a.mat"},
    {"a MATLAB variable of 4 GiB less one byte in a small file",
     [](const Path& folder) { return mat_bomb(folder, little_endian(14) + "\xFF\xFF\xFF\xFF" + "abc"); }, "a.mat"},
    {"a MATLAB variable whose axes multiply to 0 in 64 bits",
     [](const Path& folder) {
       return mat_bomb(folder, mat_element(14, mat_variable({1u << 30, 1u << 30, 1u << 4}, 4) + "abcd"));
     },
     "a.mat"},
    {"a MATLAB variable whose axes are negative",
     [](const Path& folder) {
       return mat_bomb(folder, mat_element(14, mat_variable({0xFFFFFFFF, 0xFFFFFFFF, 4}, 4) + "abcd"));
     },
     "a.mat"},
    {"a MATLAB variable of 4,000 axes",
     [](const Path& folder) {
       return mat_bomb(folder, mat_element(14, mat_variable(std::vector<std::uint32_t>(4000, 1), 1) + "a"));
     },
     "a.mat"},
    {"a MATLAB variable with a name of a megabyte",
     [](const Path& folder) {
       return mat_bomb(folder, mat_element(14, mat_variable({2, 2, 1}, 4, std::string(1 << 20, 'x')) + "abcd"));
     },
     "a.mat"},
    {"a MATLAB variable whose numbers extend past the end of the file",
     [](const Path& folder) {
       return mat_bomb(folder, mat_element(14, mat_variable({1000, 1000, 4000}, 4'000'000'000) + "abcd"));
     },
     "a.mat"},
    {"a deflated MATLAB variable that claims 4 GB and has 1 MB",
     [](const Path& folder) {
       return mat_bomb(folder, deflated_variable(mat_variable({1000, 1000, 4000}, 4'000'000'000), 1'000'000));
     },
     "a.mat"},
    {"a deflated MATLAB variable whose name begins after 4 GB",
     [](const Path& folder) {
       const std::string beginning =
           mat_element(6, little_endian(9) + little_endian(0)) + little_endian(5) + little_endian(0xFFFFFFF8);
       return mat_bomb(folder, deflated_variable(beginning, 1'000'000));
     },
     "a.mat"},
    {"a deflated MATLAB variable in a deflated one",
     [](const Path& folder) { return mat_bomb(folder, deflated_variable(deflated_variable("x", 100), 100)); }, "a.mat"},
    {"a MATLAB file of 4,000 deflated variables",
     [](const Path& folder) {
       std::string variables;
       for (int i = 0; i < 4000; ++i) {
         variables += deflated_variable(mat_variable({2, 2}, 4, "v" + std::to_string(i)), 4);
       }
       return mat_bomb(folder, variables);
     },
     "a.mat"},
    {"a MATLAB file of 500,000 empty elements",
     [](const Path& folder) { return mat_bomb(folder, std::string(4'000'000, '\0')); }, "a.mat"},
    {"a MATLAB file of a cell array that is nested 100,000 levels deep",
     [](const Path& folder) {
       std::string nested;
       for (std::uint32_t i = 100'000; i > 0; --i) {
         nested += little_endian(14) + little_endian(i * 24) + mat_element(6, little_endian(1) + little_endian(0));
       }
       return mat_bomb(folder, nested);
     },
     "a.mat"},
};

/// The program never interprets a pickle, whatever it says.
const Bomb kPickles[] = {
    {"a pickle that calls os.system",
     [](const Path& folder) { return file_with(folder, "data_batch_1", "\x80\x02}cos\nsystem\n(U\x09touch pwntR."s); },
     "Python pickle"},
    {"a pickle that is nested two million levels deep",
     [](const Path& folder) { return file_with(folder, "data_batch_1", "\x80\x02}"s + std::string(2'000'000, '(')); },
     "Python pickle"},
};

}  // namespace

TEST_CASE("hostile NumPy files are refused", "[faults][bombs]") { CHECK(problems_of_packing(kNumPy) == kNone); }

TEST_CASE("hostile MATLAB files are refused", "[faults][bombs]") { CHECK(problems_of_packing(kMat) == kNone); }

TEST_CASE("hostile pickles are refused", "[faults][bombs]") { CHECK(problems_of_packing(kPickles) == kNone); }
