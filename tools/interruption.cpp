#include "interruption.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "exit_code.hpp"

namespace octavo::tools {
namespace {

// Lock-free, and therefore allowed in a signal handler.
std::atomic<int> received_signal = 0;
std::atomic<bool> must_clean_up = false;
const char* interruption_message = "interrupted";
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int signal_number) {
  if (!must_clean_up || received_signal != 0) ::_exit(kSignalBase + signal_number);
  received_signal = signal_number;
}

void handle(int signal_number) {
  struct sigaction action = {};
  if (::sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal_number, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT);
  handle(SIGTERM);
  handle(SIGHUP);
  ::signal(SIGPIPE, SIG_IGN);
  // Exceeding the file size limit is then an error of the write, like a full disk.
  ::signal(SIGXFSZ, SIG_IGN);
}

CleanUpOnInterruption::CleanUpOnInterruption(const char* message) {
  interruption_message = message;
  must_clean_up = true;
}
CleanUpOnInterruption::~CleanUpOnInterruption() { must_clean_up = false; }

int received_signal_number() { return received_signal; }

void throw_if_interrupted() {
  if (const int signal_number = received_signal_number(); signal_number != 0)
    throw Interrupted(signal_number, interruption_message);
}

}  // namespace octavo::tools
