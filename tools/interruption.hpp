// Ending early: SIGINT, SIGTERM, SIGHUP, and a reader of our output who goes away.
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

/// From here on SIGINT, SIGTERM and SIGHUP end the program with 130, 143 and 129: at once, or, while a
/// CleanUpOnInterruption lives, when the work next calls throw_if_interrupted(). A second signal always ends it at
/// once. A signal that was ignored before (nohup, a background job of a script) stays so. SIGPIPE is ignored: what
/// cannot be written to a pipe shows when stdout is flushed.
void install_signal_handlers();

/// Lives while there is something that has to be removed, or left in order, if the program ends early.
class CleanUpOnInterruption {
 public:
  /// `message`: what the program says when it ends so; must live as long as the program.
  explicit CleanUpOnInterruption(const char* message = "interrupted; what was written so far is removed");
  ~CleanUpOnInterruption();
  CleanUpOnInterruption(const CleanUpOnInterruption&) = delete;
  CleanUpOnInterruption& operator=(const CleanUpOnInterruption&) = delete;
};

/// The signal that has come, or 0.
int received_signal_number();

/// Throws Interrupted if a signal has come.
void throw_if_interrupted();

}  // namespace octavo::tools
