// The operations of a model, matrix products and elementwise ones, on one stream of one device.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "training/blas/blas.hpp"
#include "training/elementwise.hpp"

namespace octavo::training {

struct Compute {
  std::shared_ptr<backend::Backend> backend;
  StreamRef stream;
  std::unique_ptr<Blas> blas;
  std::unique_ptr<Elementwise> elementwise;
};

/// Throws Unavailable if this build lacks a library that the device needs.
inline Compute make_compute(std::shared_ptr<backend::Backend> backend, StreamRef stream) {
  const Device device = backend->device();
  if (device.is_cpu()) return {std::move(backend), stream, make_openblas(), make_cpu_elementwise()};
  auto blas = make_cublas(backend, stream);
  return {std::move(backend), stream, std::move(blas), make_cuda_elementwise(device, stream)};
}

/// Device memory that the BLAS itself uses, in bytes.
inline std::int64_t workspace_bytes(Device device) { return device.is_cpu() ? 0 : kCublasWorkspaceBytes; }

}  // namespace octavo::training
