// A model of a disk that loses power: which states can be found afterwards, for any order of its writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "trace_reader.hpp"

namespace octavo::test {

/// Files by name, as found after a power cut.
using DiskState = std::map<std::string, std::vector<std::byte>>;

/// Applies changes in order and tracks which of them are durable: data written before the last sync of the file, names
/// changed before the last sync of their folder, and everything before the last sync of the whole disk. All other
/// changes may be lost:
/// - each 4 KiB page may hold the state after any of its writes, or be torn into 512-byte sectors of two such states;
/// - the file may have any length that it had since its last sync;
/// - reserved but unwritten bytes may be zeros or stale data;
/// - each change of a name may be missing, and a renamed file may appear under both names.
class DiskModel {
 public:
  /// A disk on which these files are already durable.
  explicit DiskModel(const DiskState& files);

  void apply(const DiskChange& change);
  /// A random state that may be found if the power fails now.
  DiskState after_power_cut(std::mt19937_64& random) const;

 private:
  struct File {
    std::vector<std::byte> durable;
    std::vector<DiskChange> pending;  ///< writes and length changes since the last sync
    /// The content if nothing is lost.
    std::vector<std::byte> current() const;
    void sync();
  };
  using Names = std::map<std::string, std::uint64_t>;

  static void change_names(Names& names, const DiskChange& change, bool keeps_old_name);
  static std::vector<std::byte> after_power_cut(const File& file, std::mt19937_64& random);

  std::map<std::uint64_t, File> files_;
  Names durable_names_;
  std::vector<DiskChange> pending_names_;
};

}  // namespace octavo::test
