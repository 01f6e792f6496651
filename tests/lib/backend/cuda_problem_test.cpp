#include "backend/cuda_problem.hpp"

#include "catch.hpp"

using octavo::backend::CudaAnswer;
using octavo::backend::describe_cuda_problem;

namespace {

// From driver_types.h.
constexpr int kInitializationError = 3;
constexpr int kInsufficientDriver = 35;
constexpr int kNoDevice = 100;
constexpr int kSystemNotReady = 802;

/// A driver and a build for CUDA 13.0, which match except for `status`.
CudaAnswer answer_of(int status) {
  CudaAnswer answer;
  answer.status = status;
  answer.status_text = "cudaErrorExample, an example";
  answer.driver_version = 13000;
  answer.runtime_version = 13000;
  return answer;
}

}  // namespace

TEST_CASE("a CUDA device means no problem", "[unit][backend]") {
  CudaAnswer answer = answer_of(0);
  answer.device_count = 1;
  REQUIRE(!describe_cuda_problem(answer));
  answer.is_forked_child = true;
  answer.visible_devices = "0";
  REQUIRE(!describe_cuda_problem(answer));
}

TEST_CASE("a driver that is too old is reported with both versions and the remedy", "[unit][backend]") {
  CudaAnswer answer = answer_of(kInsufficientDriver);
  answer.driver_version = 12020;
  const auto problem = describe_cuda_problem(answer);
  REQUIRE(problem);
  REQUIRE(problem->text ==
          "the NVIDIA driver supports CUDA 12.2 and this build needs 13.0; update the driver or install a build for "
          "CUDA 12");
  REQUIRE(problem->is_fault);
}

TEST_CASE("a machine without a driver is not faulty", "[unit][backend]") {
  CudaAnswer answer = answer_of(kInsufficientDriver);  // the runtime's answer in that case
  answer.driver_version = 0;
  const auto problem = describe_cuda_problem(answer);
  REQUIRE(problem);
  REQUIRE(problem->text == "there is no NVIDIA driver; install one if this machine has an NVIDIA GPU");
  REQUIRE(!problem->is_fault);
}

TEST_CASE("a machine without a device is not faulty and CUDA_VISIBLE_DEVICES is named if set", "[unit][backend]") {
  for (const int status : {kNoDevice, 0}) {  // 0: success, but no devices
    CudaAnswer answer = answer_of(status);
    const auto problem = describe_cuda_problem(answer);
    REQUIRE(problem);
    REQUIRE(problem->text == "CUDA finds no device; check nvidia-smi");
    REQUIRE(!problem->is_fault);
    answer.visible_devices = "-1";
    REQUIRE(describe_cuda_problem(answer)->text ==
            "CUDA finds no device, and CUDA_VISIBLE_DEVICES is \"-1\", which may hide all of them; unset it or name a "
            "device");
    REQUIRE(!describe_cuda_problem(answer)->is_fault);
  }
}

TEST_CASE("an initialization error is explained by fork() only in a child", "[unit][backend]") {
  CudaAnswer answer = answer_of(kInitializationError);
  REQUIRE_THAT(describe_cuda_problem(answer)->text, ContainsSubstring("(cudaErrorExample, an example)"));
  answer.is_forked_child = true;
  REQUIRE_THAT(describe_cuda_problem(answer)->text, ContainsSubstring("does not work after fork()"));
  REQUIRE(describe_cuda_problem(answer)->is_fault);
}

TEST_CASE("any other problem is described in CUDA's words", "[unit][backend]") {
  const auto problem = describe_cuda_problem(answer_of(kSystemNotReady));
  REQUIRE(problem);
  REQUIRE(problem->text == "CUDA does not start (cudaErrorExample, an example); check nvidia-smi and the driver");
  REQUIRE(problem->is_fault);
}

TEST_CASE("CUDA versions are formatted in the usual way", "[unit][backend]") {
  REQUIRE(octavo::backend::cuda_version_text(12040) == "12.4");
  REQUIRE(octavo::backend::cuda_version_text(13000) == "13.0");
  REQUIRE(octavo::backend::cuda_version_text(12100) == "12.10");
}
