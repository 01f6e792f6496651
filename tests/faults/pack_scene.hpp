// A small set of images to pack while something fails, and checks of the files afterwards.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// Which path through the packer a scene exercises.
enum class PackKind {
  fresh,       ///< the file does not exist yet
  replacing,   ///< --force over an older file with other samples
  skipping,    ///< same, with names and a skipped sample, so that all data goes through the spool
  appending,   ///< --append: adds a split to the older file
  reindexing,  ///< `reindex --force` of another file over an older file with other samples
  repacking,   ///< same with `repack`
};

constexpr PackKind kPackKinds[] = {PackKind::fresh,     PackKind::replacing,  PackKind::skipping,
                                   PackKind::appending, PackKind::reindexing, PackKind::repacking};
const char* to_text(PackKind kind);

/// A source, a folder for the dataset file, and the bytes of the file before and after packing.
class PackScene {
 public:
  /// `image_count` images of 16x16, which pack within milliseconds.
  explicit PackScene(PackKind kind, int image_count = 24);

  PackKind kind() const { return kind_; }
  /// The arguments of `octavo` that pack the source.
  std::vector<std::string> arguments(int jobs = 1) const;
  /// The folder of the dataset file. Initially and after reset() it holds only the older file, if any.
  std::filesystem::path folder() const { return folder_ / "out"; }
  std::filesystem::path source() const { return folder_ / "source"; }
  std::filesystem::path target() const { return folder() / "data.h5"; }
  void reset() const;

  /// The bytes of the file before packing, if it exists, and after. They are known because packing is reproducible,
  /// except that a reindexed file differs in its UUID and time.
  bool has_old() const { return kind_ != PackKind::fresh; }
  const std::vector<std::byte>& old_bytes() const { return old_bytes_; }
  const std::vector<std::byte>& new_bytes() const { return new_bytes_; }

  /// Whether these are the bytes of a complete new file.
  bool is_new(const std::vector<std::byte>& bytes) const;
  /// Whether the complete new file is at the final name.
  bool has_new() const;

  /// The problem if the final name holds neither the old file nor the complete new one; else empty.
  std::string problem_with_target() const;
  /// Same, but any other file in the folder is also a problem.
  std::string problem_after_error() const;
  /// Packs again without faults. Returns the problem if that fails, has a different result or leaves other files.
  std::string problem_with_next_pack() const;

 private:
  void make_source(int image_count) const;
  PackKind kind_;
  TemporaryFolder folder_;
  std::vector<std::byte> old_bytes_;
  std::vector<std::byte> new_bytes_;
};

}  // namespace octavo::test
