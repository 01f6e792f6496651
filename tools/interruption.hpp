// Ending early: SIGINT, SIGTERM, SIGHUP, and a closed output pipe.
#pragma once

#include <exception>

namespace octavo::tools {

/// Thrown by throw_if_interrupted().
class Interrupted : public std::exception {
 public:
  Interrupted(int signal_number, const char* message) : signal_number_(signal_number), message_(message) {}
  const char* what() const noexcept override { return message_; }
  int signal_number() const { return signal_number_; }

 private:
  int signal_number_;
  const char* message_;
};

/// After this call, SIGINT, SIGTERM and SIGHUP end the program with exit codes 130, 143 and 129: immediately, or, while
/// a CleanUpOnInterruption exists, at the next call of throw_if_interrupted(). A second signal always ends it
/// immediately. A signal that was already ignored (nohup, a background job of a script) stays ignored. SIGPIPE is
/// ignored: a failed write to a pipe is found when stdout is flushed.
void install_signal_handlers();

/// Exists while something must be removed or completed if the program ends early.
class CleanUpOnInterruption {
 public:
  /// `message`: printed when a signal ends the program; must stay valid until the program ends.
  explicit CleanUpOnInterruption(const char* message = "interrupted; partial output was removed");
  ~CleanUpOnInterruption();
  CleanUpOnInterruption(const CleanUpOnInterruption&) = delete;
  CleanUpOnInterruption& operator=(const CleanUpOnInterruption&) = delete;
};

/// The signal that was received, or 0.
int received_signal_number();

/// Throws Interrupted if a signal was received.
void throw_if_interrupted();

}  // namespace octavo::tools
