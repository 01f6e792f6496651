// How processes that hold the samples of a split together exchange them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <octavo/device.hpp>

namespace octavo {

/// Bytes for each rank, or from each rank: those of rank 0 first, then those of rank 1, and so on, without gaps.
struct Parcels {
  std::byte* memory = nullptr;         ///< on the device of the store
  std::span<const std::int64_t> bytes  ///< [world_size]
      = {};
};

/// Moves bytes between processes ("ranks"), for the residency `sharded`. Implement it with a library such as MPI or
/// NCCL; examples/mpi is one. All ranks call the collective functions in the same order. A store calls them on one
/// thread of its own, from Store::load() until its last owner is gone, several times a second.
///
/// Every call must end: if a rank does not take part within some seconds, throw an IoError that names it.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// The number of this process, in [0, world_size()).
  virtual std::int64_t rank() const = 0;
  /// The number of processes.
  virtual std::int64_t world_size() const = 0;

  /// Collective. Passes `own` to every rank: `all` receives world_size() blocks of own.size() bytes, in order of rank.
  /// All ranks pass as many bytes. Both are in host memory. Throws IoError.
  virtual void all_gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;

  /// Collective. Sends the bytes for each rank and receives those from each rank. A rank sends itself nothing, and what
  /// one rank receives is as many bytes as the other one sends. Ordered on `stream` of `device`, on which the memory
  /// is; on the CPU, done on return. Throws IoError.
  virtual void all_to_all(const Parcels& send, const Parcels& receive, Device device, StreamRef stream) = 0;
};

}  // namespace octavo
