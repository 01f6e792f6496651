// Hostile sources, and checks that packing refuses each of them safely.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../../tools/program.hpp"

namespace octavo::test {

/// Memory that refusing a bomb may use in addition to the idle program. Not checked with sanitizers.
inline constexpr std::int64_t kMostMebibytes = 128;

inline std::string little_endian(std::uint64_t value, int count = 4) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

/// A hostile source. `make` writes it into a folder and returns the arguments that name it.
struct Bomb {
  const char* name;
  std::function<std::vector<std::string>(const std::filesystem::path&)> make;
  const char* said = "";  ///< text that the error must contain: the file or its member, or the problem
};

/// A bomb of one file with these bytes; the argument is the file.
std::vector<std::string> file_with(const std::filesystem::path& folder, const std::string& name,
                                   const std::string& bytes);
/// Same, but the argument is the folder.
std::vector<std::string> folder_with(const std::filesystem::path& folder, const std::string& name,
                                     const std::string& bytes);

enum class Framing { zlib = 15, gzip = 15 + 16, none = -15 };  // zlib's window bits

/// Compresses data piece by piece, because memory of this process would count as the program's.
class Compressor {
 public:
  explicit Compressor(Framing framing);
  ~Compressor() { deflateEnd(&stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void add(const std::string& piece) { put(piece, Z_NO_FLUSH); }
  void add_zeros(std::size_t count);
  /// Returns all compressed bytes.
  std::string finish();

 private:
  void put(const std::string& piece, int flush);
  z_stream stream_ = {};
  std::string out_;
};

/// `head` followed by `count` zeros, compressed.
std::string compressed(Framing framing, const std::string& head, std::size_t count);

/// Whether the program used at most `mebibytes` more than `octavo --version` does (over 200 MiB if linked with
/// cuBLAS). Always true with sanitizers, which use memory of their own.
bool took_at_most(std::int64_t mebibytes, const Outcome& outcome);

/// Packs each bomb and expects a one-line error, bounded memory and time, and no new files. Returns the failures, as
/// Tally::failures() does.
std::vector<std::string> problems_of_packing(std::span<const Bomb> bombs);

}  // namespace octavo::test
