// A stream that is not ordered with the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <octavo/device.hpp>

#include "catch.hpp"

namespace octavo::test {

class OwnStream {
 public:
  OwnStream() { REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess); }
  ~OwnStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  OwnStream(const OwnStream&) = delete;
  operator StreamRef() const { return StreamRef(stream_); }
  cudaStream_t handle() const { return stream_; }
  void synchronize() const { REQUIRE(cudaStreamSynchronize(stream_) == cudaSuccess); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace octavo::test
