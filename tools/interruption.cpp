#include "interruption.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "exit_code.hpp"

namespace octavo::tools {
namespace {

// Lock-free, and so allowed in a signal handler.
std::atomic<int> received_signal = 0;
std::atomic<bool> must_clean_up = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int signal_number) {
  if (!must_clean_up || received_signal != 0) ::_exit(kSignalBase + signal_number);
  received_signal = signal_number;
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

CleanUpOnInterruption::CleanUpOnInterruption() { must_clean_up = true; }
CleanUpOnInterruption::~CleanUpOnInterruption() { must_clean_up = false; }

void throw_if_interrupted() {
  if (const int signal_number = received_signal; signal_number != 0) throw Interrupted(signal_number);
}

}  // namespace octavo::tools
