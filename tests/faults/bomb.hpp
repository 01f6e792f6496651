// Hostile sources: what packing one must come to, whatever it claims to be.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../tools/program.hpp"

namespace octavo::test {

/// What refusing any of them may take in memory, beside the program itself; the sanitizers' own memory aside.
inline constexpr std::int64_t kMostMebibytes = 128;

inline std::string little_endian(std::uint64_t value, int count = 4) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

/// A hostile source: `make` writes it into a folder, and gives the arguments that name it.
struct Bomb {
  const char* name;
  std::function<std::vector<std::string>(const std::filesystem::path&)> make;
  const char* said = "";  ///< in the error: the file or its member, or what is wrong with it
};

/// A bomb that is one file of these bytes, and is named itself.
std::vector<std::string> file_with(const std::filesystem::path& folder, const std::string& name,
                                   const std::string& bytes);
/// Likewise, where the folder is what is packed.
std::vector<std::string> folder_with(const std::filesystem::path& folder, const std::string& name,
                                     const std::string& bytes);

enum class Framing { zlib = 15, gzip = 15 + 16, none = -15 };  // what zlib calls window bits

/// Compresses what is added piece by piece: what this process takes itself would be counted as the program's.
class Compressor {
 public:
  explicit Compressor(Framing framing);
  ~Compressor() { deflateEnd(&stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void add(const std::string& piece) { put(piece, Z_NO_FLUSH); }
  void add_zeros(std::size_t count);
  /// All of it.
  std::string finish();

 private:
  void put(const std::string& piece, int flush);
  z_stream stream_ = {};
  std::string out_;
};

/// `head` and `count` zeros, compressed.
std::string compressed(Framing framing, const std::string& head, std::size_t count);

/// Whether what the program took, beside what it takes to say its version (more than 200 MiB where it is linked with
/// cuBLAS), is no more than this. Sanitizers take memory of their own.
bool took_at_most(std::int64_t mebibytes, const Outcome& outcome);

/// Packs each of them: an error of a line, in bounded memory and time, and nothing is made anywhere. Returns what is
/// wrong, as Tally::failures() does.
std::vector<std::string> problems_of_packing(std::span<const Bomb> bombs);

}  // namespace octavo::test
