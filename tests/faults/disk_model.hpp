// A disk that loses its power: what may be found on it afterwards, whatever order it had written things in.
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

/// Files by name, as they are found after a power cut.
using DiskState = std::map<std::string, std::vector<std::byte>>;

/// Takes changes one after another and knows which of them are certain to last. Of a file that is what came before its
/// last sync; of names what came before the last sync of their folder; of both what came before the last sync of all.
/// All else may be there or not: of the bytes written since, each page of 4 KiB may hold the state after any of the
/// writes to it, or be torn into sectors of 512 bytes of two such states; the file may have any of the lengths that it
/// had since; what was reserved and never written may be zeros or what somebody else had left there; of the names, each
/// change may be missing, and a rename may show under both names.
class DiskModel {
 public:
  /// A disk on which these files last already.
  explicit DiskModel(const DiskState& files);

  void apply(const DiskChange& change);
  /// What may be found if the power fails now.
  DiskState after_power_cut(std::mt19937_64& random) const;

 private:
  struct File {
    std::vector<std::byte> durable;
    std::vector<DiskChange> pending;  ///< writes and lengths since the last sync
    /// What is there when nothing is lost.
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
