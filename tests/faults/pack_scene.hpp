// A small set of images to be packed while something goes wrong, and what may be found afterwards.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// Which way the packer takes.
enum class PackKind {
  fresh,       ///< there is no file yet
  replacing,   ///< --force, and there is an older file of other samples
  skipping,    ///< likewise, with a sample that is left out and with names: everything goes through the spool
  appending,   ///< --append: the older file gets a split more
  reindexing,  ///< `reindex` of another file, --force, and there is an older file of other samples
  repacking,   ///< likewise `repack`
};

constexpr PackKind kPackKinds[] = {PackKind::fresh,     PackKind::replacing,  PackKind::skipping,
                                   PackKind::appending, PackKind::reindexing, PackKind::repacking};
const char* to_text(PackKind kind);

/// A source, a folder for the dataset file, and the bytes of the file before and after.
class PackScene {
 public:
  /// `image_count` images of 16x16; each packs in some milliseconds.
  explicit PackScene(PackKind kind, int image_count = 24);

  PackKind kind() const { return kind_; }
  /// The arguments of `octavo` that pack the source.
  std::vector<std::string> arguments(int jobs = 1) const;
  /// The folder where the dataset file is; in the beginning, and after reset(), only the older file is in it, if any.
  std::filesystem::path folder() const { return folder_ / "out"; }
  std::filesystem::path source() const { return folder_ / "source"; }
  std::filesystem::path target() const { return folder() / "data.h5"; }
  void reset() const;

  /// The bytes that the file has before, if there is one, and after. Packing is reproducible, so they are known; a
  /// reindexed file differs in its uuid and its time.
  bool has_old() const { return kind_ != PackKind::fresh; }
  const std::vector<std::byte>& old_bytes() const { return old_bytes_; }
  const std::vector<std::byte>& new_bytes() const { return new_bytes_; }

  /// Whether these are the bytes of a new file, whole and with all its samples.
  bool is_new(const std::vector<std::byte>& bytes) const;
  /// Whether the final name has it.
  bool has_new() const;

  /// What is wrong if the final name has neither the old file nor the whole new one; else nothing.
  std::string problem_with_target() const;
  /// Likewise, also if there is anything else in the folder.
  std::string problem_after_error() const;
  /// Packs without a fault over what is there; what is wrong if that fails, has another result or leaves something.
  std::string problem_with_next_pack() const;

 private:
  void make_source(int image_count) const;
  PackKind kind_;
  TemporaryFolder folder_;
  std::vector<std::byte> old_bytes_;
  std::vector<std::byte> new_bytes_;
};

}  // namespace octavo::test
