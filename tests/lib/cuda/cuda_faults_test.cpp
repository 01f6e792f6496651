// Every CUDA failure causes a documented exception or does no harm. Nothing leaks or hangs, and the process can
// continue.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <set>

#include <octavo/errors.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "cuda_scenarios.hpp"
#include "device_tensor.hpp"
#include "fake_cuda.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Whether to make every call fail in turn, as tools/soak.sh does, instead of only some.
bool is_exhaustive() {
  const char* scope = std::getenv("OCTAVO_FAULTS");
  return scope != nullptr && std::string(scope) == "night";
}

/// The numbers of the calls to fail, out of `count`.
std::set<int> chosen_calls(std::int64_t count) {
  const int last = static_cast<int>(count);
  std::set<int> chosen;
  if (is_exhaustive()) {
    for (int nth = 1; nth <= last; ++nth) chosen.insert(nth);
  } else {
    chosen = {1, (last + 2) / 3, (2 * last + 2) / 3, last};
  }
  return chosen;
}

/// Memory sizes to try, from 0 to 32 MiB.
std::vector<std::size_t> budgets() {
  std::vector<std::size_t> bytes = {0};
  for (std::size_t next = 512; next <= std::size_t{32} << 20; next *= is_exhaustive() ? 2 : 8) bytes.push_back(next);
  return bytes;
}

/// How a scenario ended.
struct Outcome {
  std::string error;  ///< empty: no failure
  bool is_out_of_memory = false;
  Seen seen;
};

/// Runs a scenario. It may fail, but only with documented exceptions, and must leave nothing behind.
Outcome run(const Scenario& scenario, Device device) {
  Outcome outcome;
  std::string violations;
  const auto before_handler = fake_cuda::on_violation([&](const std::string& report) { violations += report + "\n"; });
  const fake_cuda::Counts before = fake_cuda::counts();
  std::string undocumented;
  try {
    outcome.seen = scenario.run(device);
  } catch (const OutOfMemory& error) {
    outcome.error = error.what();
    outcome.is_out_of_memory = true;
  } catch (const DeviceError& error) {
    outcome.error = error.what();
  } catch (const Unavailable& error) {
    outcome.error = error.what();
  } catch (const std::exception& error) {
    undocumented = error.what();
  }
  const fake_cuda::Counts after = fake_cuda::counts();
  fake_cuda::finish_all();
  fake_cuda::on_violation(before_handler);
  INFO(scenario.name << " on " << to_string(device) << ": " << outcome.error);
  CHECK(undocumented == "");
  CHECK(violations == "");
  CHECK((after == before ? "" : describe(after)) == "");
  return outcome;
}

/// The result of the scenario without failures.
Seen expected(const Scenario& scenario, Device device) {
  const Outcome outcome = run(scenario, device);
  CHECK(outcome.error == "");
  return outcome.seen;
}

/// Checks that the CPU still works after a failure.
void check_cpu(const Scenario& scenario) {
  if (scenario.has_same_bits_everywhere && scenario.name != "report") expected(scenario, Device::cpu());
}

/// Calls `work` for each scenario whose name contains the value of OCTAVO_FAULT_SCENARIO, or for all if it is not set.
template <typename Work>
void for_each_scenario(const Work& work) {
  const char* part = std::getenv("OCTAVO_FAULT_SCENARIO");
  for (const Scenario& scenario : scenarios()) {
    if (part == nullptr || scenario.name.find(part) != std::string::npos) work(scenario);
  }
}

/// Whether the failure of call `nth` of `count` must have caused an exception.
bool must_fail(const Scenario& scenario, const std::string& name, int nth, std::int64_t count) {
  // These calls release resources, query what is known anyway, are retried, or are also made by destructors.
  static const std::set<std::string> harmless = {"cudaFree",
                                                 "cudaFreeHost",
                                                 "cudaStreamDestroy",
                                                 "cudaEventDestroy",
                                                 "cudaEventQuery",
                                                 "cudaGraphDestroy",
                                                 "cudaGraphExecDestroy",
                                                 "cublasDestroy",
                                                 "cuCtxPopCurrent",
                                                 "cuCtxPushCurrent",
                                                 "cudaEventSynchronize",
                                                 "cudaStreamSynchronize",
                                                 "cudaEventRecord",
                                                 "cudaThreadExchangeStreamCaptureMode"};
  const bool has_happened = fake_cuda::forget_failures() == 0;  // with threads, the number of calls varies
  // The last calls come from destructors, which do not throw.
  const bool is_early = nth == 1 || 3 * nth <= 2 * count;
  return has_happened && is_early && scenario.needs_every_call && !harmless.contains(name);
}

}  // namespace

TEST_CASE("every scenario gives the same results on CUDA and on the CPU", "[unit][faults]") {
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    const Seen on_cuda = expected(scenario, Device::cuda(0));
    INFO(scenario.name);
    CHECK_FALSE(on_cuda.empty());
    if (scenario.has_same_bits_everywhere) CHECK(on_cuda == expected(scenario, Device::cpu()));
  });
}

TEST_CASE("a failing call throws an exception and the next attempt succeeds", "[unit][faults]") {
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    const Seen seen = expected(scenario, Device::cuda(0));
    for (const auto& [name, count] : fake_cuda::calls()) {
      for (const int nth : chosen_calls(count)) {
        fake_cuda::reset();
        fake_cuda::fail_call(name, nth, cudaErrorUnknown);
        INFO(scenario.name << ": call " << nth << " of " << count << " of " << name << " fails");
        const Outcome outcome = run(scenario, Device::cuda(0));
        if (outcome.error.empty()) CHECK(outcome.seen == seen);
        if (must_fail(scenario, name, nth, count)) CHECK_FALSE(outcome.error.empty());
        CHECK(expected(scenario, Device::cuda(0)) == seen);
      }
    }
    check_cpu(scenario);
  });
}

TEST_CASE("a failed allocation on the device or the host is out of memory or changes no bit", "[unit][faults]") {
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    const Seen seen = expected(scenario, Device::cuda(0));
    for (const auto& [name, count] : fake_cuda::calls()) {
      if (name != "cudaMalloc" && name != "cudaHostAlloc") continue;
      for (const int nth : chosen_calls(count)) {
        fake_cuda::reset();
        fake_cuda::fail_call(name, nth, cudaErrorMemoryAllocation);
        INFO(scenario.name << ": call " << nth << " of " << count << " of " << name << " fails");
        const Outcome outcome = run(scenario, Device::cuda(0));
        CHECK(outcome.is_out_of_memory == !outcome.error.empty());
        if (outcome.error.empty()) CHECK(outcome.seen == seen);
      }
    }
  });
}

TEST_CASE("a device with too little memory is out of memory or changes no bit", "[unit][faults]") {
  constexpr std::size_t kContext = std::size_t{8} << 20;
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    const Seen seen = expected(scenario, Device::cuda(0));
    for (const std::size_t bytes : budgets()) {
      fake_cuda::Config config = fake_cuda::config();
      config.memory_bytes = kContext + bytes;
      fake_cuda::reset(config);
      INFO(scenario.name << ": " << bytes << " bytes of device memory");
      const Outcome outcome = run(scenario, Device::cuda(0));
      CHECK(outcome.is_out_of_memory == !outcome.error.empty());
      if (outcome.error.empty()) CHECK(outcome.seen == seen);
    }
  });
}

TEST_CASE("a host with too little pinned memory is out of memory or changes no bit", "[unit][faults]") {
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    const Seen seen = expected(scenario, Device::cuda(0));
    for (const std::size_t bytes : budgets()) {
      fake_cuda::Config config = fake_cuda::config();
      config.pinned_bytes = bytes;
      fake_cuda::reset(config);
      INFO(scenario.name << ": " << bytes << " bytes of pinned memory");
      const Outcome outcome = run(scenario, Device::cuda(0));
      CHECK(outcome.is_out_of_memory == !outcome.error.empty());
      if (outcome.error.empty()) CHECK(outcome.seen == seen);
    }
  });
}

TEST_CASE("a permanently failing device throws an exception and the CPU still works", "[unit][faults]") {
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    expected(scenario, Device::cuda(0));
    const auto calls = fake_cuda::calls();
    for (const char* name :
         {"cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaStreamSynchronize", "cudaEventSynchronize"}) {
      const auto found = calls.find(name);
      if (found == calls.end()) continue;
      for (const int nth : chosen_calls(found->second)) {
        fake_cuda::reset();
        fake_cuda::fail_call(name, nth, cudaErrorIllegalAddress, true);
        INFO(scenario.name << ": the device fails at call " << nth << " of " << name);
        const Outcome outcome = run(scenario, Device::cuda(0));
        if (must_fail(scenario, name, nth, found->second)) CHECK_FALSE(outcome.error.empty());
      }
    }
    check_cpu(scenario);
  });
}

TEST_CASE("a failing kernel throws an exception and the CPU still works", "[unit][faults]") {
  for_each_scenario([](const Scenario& scenario) {
    fake_cuda::reset();
    expected(scenario, Device::cuda(0));
    const auto calls = fake_cuda::calls();
    const auto found = calls.find("cudaLaunchKernelExC");
    if (found == calls.end()) return;
    for (const int nth : chosen_calls(found->second)) {
      fake_cuda::reset();
      fake_cuda::fail_kernel(nth, cudaErrorIllegalAddress);
      INFO(scenario.name << ": kernel " << nth << " fails");
      const Outcome outcome = run(scenario, Device::cuda(0));
      if (must_fail(scenario, found->first, nth, found->second)) CHECK_FALSE(outcome.error.empty());
    }
    check_cpu(scenario);
  });
}

TEST_CASE("a busy or broken device is an error and the next device and the CPU still work", "[unit][faults]") {
  for (const fake_cuda::DeviceFault fault : {fake_cuda::DeviceFault::busy, fake_cuda::DeviceFault::broken}) {
    for_each_scenario([&](const Scenario& scenario) {
      if (scenario.name.find("captured") != std::string::npos) return;  // its stream is on device 0
      fake_cuda::Config config = fake_cuda::config();
      config.faults[0] = fault;
      fake_cuda::reset(config);
      INFO(scenario.name);
      CHECK_FALSE(run(scenario, Device::cuda(0)).error.empty());
      const Seen seen = expected(scenario, Device::cuda(1));
      for (const fake_cuda::Context& context : fake_cuda::contexts()) CHECK(context.device == 1);
      if (scenario.has_same_bits_everywhere) CHECK(seen == expected(scenario, Device::cpu()));
      fake_cuda::reset();
    });
  }
}

TEST_CASE("an old or missing driver is unavailable and the CPU still works", "[unit][faults]") {
  for (const bool is_old : {true, false}) {
    for_each_scenario([&](const Scenario& scenario) {
      fake_cuda::Config config = fake_cuda::config();
      if (is_old)
        config.driver_version = 11080;
      else
        config.device_count = 0;
      fake_cuda::reset(config);
      INFO(scenario.name);
      CHECK_FALSE(run(scenario, Device::cuda(0)).error.empty());
      expected(scenario, Device::cpu());
      fake_cuda::reset();
    });
  }
}

TEST_CASE("a child of fork() cannot use a store of its parent and does not hang", "[unit][faults]") {
  const PackedFixture fixture({random_split("train", 20, {1, 2, 3})});
  for (const Residency residency : {Residency::device, Residency::hybrid, Residency::streamed}) {
    LoadOptions options;
    options.residency = residency;
    options.thread_count = 2;
    const Store store = Store::load(fixture.dataset().split("train"), Device::cuda(0), options);
    const PreparedSpec spec = store.prepare({});
    const DeviceTensor images(Device::cuda(0), DType::float32, {1, 1, 2, 3});
    const std::vector<std::int64_t> rows = {19};
    const auto is_refused = [](const std::function<void()>& use) {
      try {
        use();
        return false;
      } catch (const DeviceError&) {
        return true;
      } catch (const Unavailable&) {
        return true;
      }
    };
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      const bool is_right = is_refused([&] { store.gather(rows, spec, images.view()); }) &&
                            is_refused([&] { static_cast<void>(store.prepare({})); }) &&
                            is_refused([&] { static_cast<void>(Loader(store, {.batch_size = 4})); }) &&
                            is_refused([&] { Store::load(fixture.dataset().split("train"), Device::cuda(1)); });
      ::_exit(is_right ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    INFO("status " << status << " of a child with a store that is " << to_string(residency));
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    store.gather(rows, spec, images.view());
    CHECK(images.to_host<float>().size() == 6);
  }
}
