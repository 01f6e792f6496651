// Running code that may crash or hang, such as the HDF5 library on an untrusted file, in a child process.
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

/// Resource limits of a child. A child that exceeds a limit is killed.
struct ChildLimits {
  std::int64_t memory_bytes = std::int64_t{1} << 30;  ///< beyond what this process has mapped; off in sanitizer builds
  std::int64_t cpu_seconds = 60;
  int silent_seconds = 60;  ///< longest time without a message
};

/// The writing end of the pipe from a child to its parent.
class ChildOutput {
 public:
  explicit ChildOutput(int descriptor) : descriptor_(descriptor) {}
  /// Sends one message: a letter for its kind, and its bytes.
  void send(char kind, std::span<const std::byte> bytes) const;
  void send(char kind, std::string_view text) const;

 private:
  int descriptor_;
};

/// A forked child and its messages. An exception in the child arrives as a message of kind kFailure. If the system
/// failed rather than the file, receive() throws IoError instead.
class ChildProcess {
 public:
  static constexpr char kFailure = '!';
  static constexpr char kSystemFailure = '$';

  /// Runs `work` in a child. Throws IoError if the child cannot be started.
  ChildProcess(const std::function<void(const ChildOutput&)>& work, const ChildLimits& limits);
  /// Kills the child if it is still running.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  struct Message {
    char kind = 0;
    std::string bytes;
  };
  /// The next message, of at most `most_bytes`; nothing after the child has ended successfully. Throws FormatError if
  /// it crashed, exceeded a limit, was silent for too long, or sent invalid data; IoError if the system failed.
  std::optional<Message> receive(std::size_t most_bytes);

 private:
  /// Fills `out`; false if the child closed its end before the first byte.
  bool read_exactly(std::span<std::byte> out);
  void wait_for_data() const;
  /// Waits for the child. Throws FormatError unless it ended successfully.
  void finish();

  ChildLimits limits_;
  pid_t child_ = -1;
  FileDescriptor input_;
};

}  // namespace octavo::hdf5
