// Where the bytes of a dataset file are: on a disk, in memory or at another machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace octavo {

/// Whether bytes can be read without waiting for a disk or a network.
enum class AtHand {
  yes,
  no,
  unknown,  ///< the source cannot say
};

/// How reads of a source are planned.
struct ReadCost {
  /// Gaps of up to this many bytes are read too, rather than making another call.
  std::int64_t most_gap_bytes = 4096;
  /// Whether each read waits for a network. Then all are started before the first one is waited for.
  bool waits_for_network = false;
};

/// The bytes of a dataset file. Dataset::open() reads a file of this machine; octavo/remote.hpp reads URLs. For
/// anything else, implement this class and pass it there. Thread-safe: several threads read at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// A path or a URL, for messages.
  virtual std::string name() const = 0;
  /// The number of bytes. Throws IoError.
  virtual std::int64_t length() const = 0;
  /// A text that changes when the bytes change, such as a modification time or an ETag. A dataset asks when it is
  /// opened and after long reads. Throws IoError.
  virtual std::string identity() const = 0;

  /// The default is that of a file.
  virtual ReadCost read_cost() const noexcept { return {}; }

  /// Fills `out` from `offset`. Throws IoError, also if the bytes end before that.
  virtual void read_at(std::int64_t offset, std::span<std::byte> out) const = 0;
  /// Fills the parts, one after another, from `offset`. Throws IoError like read_at().
  virtual void read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const;
  /// The same if all bytes are at hand. The contents of the parts are unspecified unless the result is `yes`.
  virtual AtHand read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept;
  /// Starts to fetch [offset, offset + length), so that reading it later is faster. Only a hint.
  virtual void start_read(std::int64_t offset, std::int64_t length) const noexcept;
};

}  // namespace octavo
