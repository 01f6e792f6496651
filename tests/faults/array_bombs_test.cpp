// Array files that claim, refer to or expand to far more than their own size: NumPy, MATLAB, pickled CIFAR.
#include "../lib/sources/made_files.hpp"
#include "bomb.hpp"
#include "catch.hpp"
#include "hostile_archive.hpp"
#include "tally.hpp"

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

/// The beginning of a uint8 variable: everything but its numbers, of which `announced` are announced.
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

/// A pickle of protocol 2 that begins like those of CIFAR.
std::vector<std::string> pickle_bomb(const Path& folder, const std::string& instructions) {
  return file_with(folder, "data_batch_1", "\x80\x02}"s + instructions);
}

/// Same, with `repeated` `times` times. The pickle is in an archive, where it compresses well.
std::vector<std::string> repeated_pickle_bomb(const Path& folder, const std::string& first, const std::string& repeated,
                                              std::int64_t times) {
  const std::int64_t bytes = 3 + std::ssize(first) + times * std::ssize(repeated);
  char size[12];
  std::snprintf(size, sizeof size, "%011llo", static_cast<unsigned long long>(bytes));
  Compressor archive(Framing::gzip);
  archive.add(tar_entry({.name = "cifar/data_batch_1", .size = size}));
  archive.add("\x80\x02}"s + first);
  std::string piece;
  while (std::ssize(piece) < 1 << 16) piece += repeated;
  const std::int64_t piece_times = std::ssize(piece) / std::ssize(repeated);
  for (; times > piece_times; times -= piece_times) archive.add(piece);
  archive.add(piece.substr(0, static_cast<std::size_t>(times) * repeated.size()));
  archive.add_zeros(static_cast<std::size_t>((512 - bytes % 512) % 512 + 1024));
  return file_with(folder, "a.tar.gz", archive.finish());
}

/// Pushes a text of 4,096 bytes.
const std::string kLongText = "X" + little_endian(4096) + std::string(4096, 'x');

const Bomb kPickles[] = {
    {"a pickle that calls os.system",
     [](const Path& folder) { return pickle_bomb(folder, "cos\nsystem\n(U\x09touch pwntR."); }, "os system"},
    {"a pickle that calls a function with another instruction",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "(U\x04true"
                          "ios\nsystem\n.");
     },
     "data_batch_1"},
    {"a pickle that calls eval by NumPy's name",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "cnumpy.core.multiarray\neval\n(U\x01"
                          "1tR.");
     },
     "eval"},
    {"a pickle of 20,000 functions with long names",
     [](const Path& folder) {
       const std::string name(4000, 'x');
       return repeated_pickle_bomb(folder, "", "c" + name + "\n" + name + "\n", 20'000);
     },
     "a.tar.gz"},
    {"a pickle with a text of 2^31 - 1 bytes",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "X\xFF\xFF\xFF\x7F"
                          "abc.");
     },
     "data_batch_1"},
    {"a pickle with a text of -1 bytes",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "X\xFF\xFF\xFF\xFF"
                          "abc.");
     },
     "data_batch_1"},
    {"a pickle with a text of 2^63 bytes",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "\x8D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"
                          "abc.");
     },
     "data_batch_1"},
    {"a pickle with a number of a gigabyte",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "\x8B\xFF\xFF\xFF\x3F"
                          "abc.");
     },
     "data_batch_1"},
    {"a pickle with an unterminated function name",
     [](const Path& folder) { return pickle_bomb(folder, "c" + std::string(10'000'000, 'x')); }, "data_batch_1"},
    {"a pickle that pops from an empty stack", [](const Path& folder) { return pickle_bomb(folder, "000000tttt."); },
     "data_batch_1"},
    {"a pickle that refers to an object that it has not memoized",
     [](const Path& folder) { return pickle_bomb(folder, "j\xFF\xFF\xFF\xFF."); }, "data_batch_1"},
    {"a pickle of a list that contains itself",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "(U\x04"
                          "dataU\x06"
                          "labels]q\1h\1au.");
     },
     "data_batch_1"},
    {"a pickle that is cut",
     [](const Path& folder) {
       return pickle_bomb(folder,
                          "(U\x04"
                          "data");
     },
     "data_batch_1"},
    {"a pickle that is nested two million levels deep",
     [](const Path& folder) { return pickle_bomb(folder, std::string(2'000'000, '(')); }, "data_batch_1"},
    {"a pickle of two million lists, each inside the previous one",
     [](const Path& folder) { return repeated_pickle_bomb(folder, "]", "]a", 2'000'000); }, "data_batch_1"},
    {"a pickle that pushes one object on the stack 100 million times",
     [](const Path& folder) { return repeated_pickle_bomb(folder, "Nq\1", "h\1", 100'000'000); }, "data_batch_1"},
    {"a pickle that puts one object into a list 60 million times",
     [](const Path& folder) { return repeated_pickle_bomb(folder, "Nq\1]", "h\1a", 60'000'000); }, "data_batch_1"},
    {"a pickle that memoizes 60,000 texts of 4,096 bytes",
     [](const Path& folder) { return repeated_pickle_bomb(folder, "", kLongText, 60'000); }, "data_batch_1"},
    {"a pickle that makes 200,000 types of one text of 4,096 bytes",
     [](const Path& folder) {
       return repeated_pickle_bomb(folder, "cnumpy\ndtype\nq\1" + kLongText + "\x85q\2", "h\1h\2R", 200'000);
     },
     "data_batch_1"},
    {"a pickle that gives 1,000 arrays a state of 100,000 objects",
     [](const Path& folder) {
       std::string first = "Nq\1(";
       for (int i = 0; i < 100'000; ++i) first += "h\1";
       first += "tq\2cnumpy.core.multiarray\n_reconstruct\nq\3)q\4";
       return repeated_pickle_bomb(folder, first, "h\3h\4Rh\2b", 1000);
     },
     "data_batch_1"},
    {"a pickle that memoizes an object under 16 million numbers",
     [](const Path& folder) {
       Compressor batch(Framing::gzip);
       batch.add("\x80\x02}N"s);
       for (std::uint32_t block = 0; block < 4096; ++block) {
         std::string piece;
         for (std::uint32_t i = 0; i < 4096; ++i) piece += "r" + little_endian(block << 12 | i);
         batch.add(piece);
       }
       return file_with(folder, "data_batch_1", batch.finish());
     },
     "data_batch_1"},
};

}  // namespace

TEST_CASE("hostile NumPy files are refused", "[faults][bombs]") { CHECK(problems_of_packing(kNumPy) == kNone); }

TEST_CASE("hostile MATLAB files are refused", "[faults][bombs]") { CHECK(problems_of_packing(kMat) == kNone); }

TEST_CASE("hostile pickles are refused", "[faults][bombs]") { CHECK(problems_of_packing(kPickles) == kNone); }

TEST_CASE("class names that a pickle repeats excessively are refused", "[faults][bombs]") {
  const Bomb bomb = {"a list of one name of 4,096 bytes 100,000 times",
                     [](const Path& folder) {
                       std::string meta = "\x80\x02}("s + "U\x0Blabel_names]" + kLongText + "q\1";
                       for (int i = 0; i < 100'000; ++i) meta += "h\1a";
                       write_file(folder / "batches.meta", meta + "u.");
                       const std::string pixels = "X" + little_endian(3072) + std::string(3072, '\5');
                       const std::string dtype = "cnumpy\ndtype\n(U\2u1K\0K\1tR"s;
                       const std::string array =
                           "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\0tU\1btR(K\1(K\1M\0\x0Ct"s +
                           dtype + "\x89" + pixels + "tb";
                       write_file(folder / "data_batch_1", "\x80\x02}(U\6labels](K\6eU\4data"s + array + "u.");
                       return std::vector<std::string>{folder};
                     },
                     "batches.meta"};
  CHECK(problems_of_packing({&bomb, 1}) == kNone);
}
