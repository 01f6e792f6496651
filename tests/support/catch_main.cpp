// The main function of every test executable. On the fake CUDA runtime, each test case must leave nothing behind.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif

#if OCTAVO_FAKE_CUDA
#include <cstdlib>
#include <iostream>
#include <string>

#include "fake_cuda.hpp"

namespace {

/// Aborts with a report if a test case leaves new objects on the device.
class LeakCheck : public Listener {
 public:
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    name_ = info.name;
    fake_cuda::reset();
    before_ = fake_cuda::counts();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    // Also called while the fake CUDA runtime aborts the process with a report, when the runtime is locked.
    if (!stats.totals.testCases.allOk()) return;
    fake_cuda::finish_all();
    const fake_cuda::Counts after = fake_cuda::counts();
    if (after == before_) return;
    std::cerr << "test case \"" << name_ << "\" leaves objects on the devices: " << describe(after)
              << "\nbefore: " << describe(before_) << std::endl;
    std::abort();
  }

 private:
  std::string name_;
  fake_cuda::Counts before_;
};
CATCH_REGISTER_LISTENER(LeakCheck)

}  // namespace
#endif
