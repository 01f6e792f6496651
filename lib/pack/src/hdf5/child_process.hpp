// Running code that may crash or hang, such as the HDF5 library on a file of unknown origin, in a process of its own.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/file.hpp"

namespace octavo::hdf5 {

/// What a child may use. A child that exceeds a limit is ended.
struct ChildLimits {
  std::int64_t memory_bytes = std::int64_t{1} << 30;  ///< beyond what this process has mapped; off in sanitizer builds
  std::int64_t cpu_seconds = 60;
  int silent_seconds = 60;  ///< without a message from it
};

/// The writing end of the way from a child to its parent.
class ChildOutput {
 public:
  explicit ChildOutput(int descriptor) : descriptor_(descriptor) {}
  /// Sends one message: a letter that tells its kind, and its bytes.
  void send(char kind, std::span<const std::byte> bytes) const;
  void send(char kind, std::string_view text) const;

 private:
  int descriptor_;
};

/// A forked child and what it sends. An exception in the child arrives as a message of kind kFailure; if the
/// system had failed and not the file, receive() throws it as an IoError.
class ChildProcess {
 public:
  static constexpr char kFailure = '!';
  static constexpr char kSystemFailure = '$';

  /// Starts `work` in a child. Throws IoError if there can be none.
  ChildProcess(const std::function<void(const ChildOutput&)>& work, const ChildLimits& limits);
  /// Ends the child, if it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  struct Message {
    char kind = 0;
    std::string bytes;
  };
  /// The next message, of at most `most_bytes`; nothing once the child has ended well. Throws FormatError if it
  /// crashed, exceeded a limit, was silent for too long, or sent what makes no sense; IoError if the system failed it.
  std::optional<Message> receive(std::size_t most_bytes);

 private:
  /// Fills `out`; false if the child closed its end before the first byte.
  bool read_exactly(std::span<std::byte> out);
  void wait_for_data() const;
  /// Waits for the child. Throws FormatError unless it ended well.
  void finish();

  ChildLimits limits_;
  pid_t child_ = -1;
  FileDescriptor input_;
};

}  // namespace octavo::hdf5
