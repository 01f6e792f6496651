// What stands in for archives in a build without libarchive.
#include <octavo/errors.hpp>

#include "files/file_tree.hpp"
#include "support/file.hpp"

namespace octavo::files {

bool is_archive(const std::filesystem::path&) { return false; }

std::shared_ptr<const FileTree> open_archive(const std::filesystem::path& archive, std::int64_t) {
  throw Unavailable("read the archive " + quoted(archive) +
                    ": this build has no libarchive; unpack it, or install libarchive-dev and build again");
}

}  // namespace octavo::files
