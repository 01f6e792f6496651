// Runs the CUDA gathers of LP8 rows, compiled for the host.
#include "catch.hpp"
#include "coded_case.hpp"
#include "cuda_devices.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "unwritten.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::DType;
using octavo::Layout;
using octavo::SampleShape;

namespace {

void require_defined(CodedCase& data) {
  const std::vector<std::byte> values = data.expected_values();
  const GatherArgs args = data.args();
  mark_unwritten(args);
  REQUIRE(cuda::launch_gather(args, kSmallDevice, nullptr) == cudaSuccess);
  REQUIRE(unwritten_bytes(args) == 0);
  REQUIRE(data.values() == values);
  REQUIRE(data.out_labels() == data.expected_labels());
}

}  // namespace

TEST_CASE("the CUDA gather of whole LP8 tiles gives the values of the definition", "[unit][order]") {
  for (const DType type : {DType::float32, DType::float16, DType::bfloat16}) {
    for (const SampleShape& shape : {SampleShape{1, 8, 8}, SampleShape{1, 33, 24}, SampleShape{3, 32, 32},
                                     SampleShape{3, 65, 40}, SampleShape{2, 5, 16}, SampleShape{5, 34, 8}}) {
      for (const std::int64_t count : {1, 6}) {
        CodedCase data(static_cast<std::uint32_t>(shape.values() + count), shape, type, Layout::nchw, count);
        INFO(to_string(type) << ", " << shape.channels << "x" << shape.height << "x" << shape.width);
        REQUIRE(cuda::takes_lp8<float>(data.args()));
        require_defined(data);
      }
    }
  }
}

TEST_CASE("the CUDA gather of any LP8 rows gives the values of the definition", "[unit][order]") {
  for (const SampleShape& shape : {SampleShape{1, 1, 1}, SampleShape{1, 28, 28}, SampleShape{3, 37, 21}, SampleShape{4, 33, 9}}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      CodedCase data(static_cast<std::uint32_t>(shape.values()), shape, DType::float32, layout, 5);
      require_defined(data);
    }
  }
  CodedCase interleaved(3, {3, 16, 16}, DType::float16, Layout::nhwc, 4);
  require_defined(interleaved);
  CodedCase shifted(4, {3, 16, 16}, DType::bfloat16, Layout::nchw, 4, true);
  require_defined(shifted);
}
