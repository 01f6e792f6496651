// Row-major matrix products on one device, computed by the BLAS of this build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <octavo/device.hpp>

#include "backend/backend.hpp"

namespace octavo::training {

/// A dense, row-major matrix on the device, or the transpose of one. Rows and columns are below 2^31.
struct Matrix {
  const float* data;
  std::int64_t rows;     ///< as stored
  std::int64_t columns;  ///< as stored
  bool is_transposed = false;

  std::int64_t effective_rows() const { return is_transposed ? columns : rows; }
  std::int64_t effective_columns() const { return is_transposed ? rows : columns; }
};

inline Matrix transpose(Matrix matrix) {
  matrix.is_transposed = !matrix.is_transposed;
  return matrix;
}

/// Ordered on the stream given at construction. Equal calls give equal bits on the same machine. Not thread-safe.
class Blas {
 public:
  virtual ~Blas() = default;

  /// out = a b, row-major without gaps. The columns of a must equal the rows of b.
  virtual void multiply(const Matrix& a, const Matrix& b, float* out) = 0;
  /// out = a x.
  virtual void multiply_vector(const Matrix& a, const float* x, float* out) = 0;

  /// Library, version and whatever else the bits may depend on.
  virtual std::string name() const = 0;
};

/// Size of cuBLAS's workspace: NVIDIA's recommendation for Hopper (cuBLAS documentation, cublasSetWorkspace). It is set
/// explicitly, so that products do not depend on other work of the process.
inline constexpr std::int64_t kCublasWorkspaceBytes = std::int64_t{32} << 20;

/// OpenBLAS on all threads that this process may use. Throws Unavailable if this build or machine has none.
std::unique_ptr<Blas> make_openblas();

/// cuBLAS in full float32. Throws Unavailable if this build or machine has none, DeviceError if it fails.
std::unique_ptr<Blas> make_cublas(const std::shared_ptr<backend::Backend>& backend, StreamRef stream);

}  // namespace octavo::training
