// The replacement for archive_tree.cpp in a build without libarchive.
#include <array>
#include <span>
#include <string_view>

#include <octavo/errors.hpp>

#include "files/file_tree.hpp"
#include "support/file.hpp"

namespace octavo::files {

/// Recognizes archives so that open_archive() can report what is missing. Compressed tar archives are not recognized.
bool is_archive(const std::filesystem::path& path) {
  constexpr std::size_t kTarMagicAt = 257;
  std::array<char, kTarMagicAt + 5> bytes{};
  const std::size_t count = File::open_for_reading(path).read_some_at(0, std::as_writable_bytes(std::span(bytes)));
  const std::string_view start(bytes.data(), count);
  return start.starts_with("PK\x03\x04") || (count == bytes.size() && start.substr(kTarMagicAt) == "ustar");
}

std::shared_ptr<const FileTree> open_archive(const std::filesystem::path& archive, std::int64_t, OnDamage) {
  throw Unavailable("read the archive " + quoted(archive) +
                    ": this build has no libarchive; unpack it, or install libarchive-dev and build again");
}

}  // namespace octavo::files
