// Matrix products on a CUDA device by cuBLAS.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <octavo/errors.hpp>

#include "cuda/check.hpp"
#include "support/unique_handle.hpp"
#include "train/blas.hpp"

namespace octavo::training {
namespace {

using Handle = UniqueHandle<cublasHandle_t, nullptr, &cublasDestroy>;

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(std::string(doing) + ": cuBLAS says " + cublasGetStatusString(status));
}

int cublas_int(std::int64_t extent) { return static_cast<int>(extent); }

class CuBlas final : public Blas {
 public:
  CuBlas(const std::shared_ptr<backend::Backend>& backend, StreamRef stream)
      : ordinal_(backend->device().ordinal()),
        workspace_(backend, static_cast<std::size_t>(kCublasWorkspaceBytes), "the workspace of cuBLAS") {
    select();
    cublasHandle_t created = nullptr;
    check(cublasCreate(&created), "start cuBLAS");
    handle_ = Handle(created);
    // The stream first: setting it takes a workspace away.
    check(cublasSetStream(handle(), static_cast<cudaStream_t>(stream.handle())), "give cuBLAS a stream");
    check(cublasSetWorkspace(handle(), workspace_.data(), workspace_.bytes()), "give cuBLAS a workspace");
    check(cublasSetMathMode(handle(), CUBLAS_PEDANTIC_MATH), "set the arithmetic of cuBLAS");
    check(cublasSetAtomicsMode(handle(), CUBLAS_ATOMICS_NOT_ALLOWED), "forbid atomics to cuBLAS");
  }

  // cuBLAS is column-major: what is row-major to us is its transpose, and (a b)^T = b^T a^T.
  void multiply(const Matrix& a, const Matrix& b, float* out) override {
    select();
    const float one = 1.0f, zero = 0.0f;
    const int rows = cublas_int(a.effective_rows()), columns = cublas_int(b.effective_columns());
    check(cublasSgemm(handle(), operation(b), operation(a), columns, rows, cublas_int(a.effective_columns()), &one,
                      b.data, cublas_int(b.columns), a.data, cublas_int(a.columns), &zero, out, columns),
          "multiply matrices");
  }

  void multiply_vector(const Matrix& a, const float* x, float* out) override {
    select();
    const float one = 1.0f, zero = 0.0f;
    check(cublasSgemv(handle(), a.is_transposed ? CUBLAS_OP_N : CUBLAS_OP_T, cublas_int(a.columns), cublas_int(a.rows),
                      &one, a.data, cublas_int(a.columns), x, 1, &zero, out, 1),
          "multiply a matrix by a vector");
  }

  std::string name() const override {
    int major = 0, minor = 0, patch = 0;
    check(cublasGetProperty(MAJOR_VERSION, &major), "ask for the version of cuBLAS");
    check(cublasGetProperty(MINOR_VERSION, &minor), "ask for the version of cuBLAS");
    check(cublasGetProperty(PATCH_LEVEL, &patch), "ask for the version of cuBLAS");
    return "cuBLAS " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch) + " (float32)";
  }

 private:
  static cublasOperation_t operation(const Matrix& matrix) { return matrix.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
  cublasHandle_t handle() const { return handle_.get(); }
  void select() const { cuda::check(cudaSetDevice(ordinal_), "select the device"); }

  int ordinal_;
  backend::DeviceBuffer workspace_;
  Handle handle_;  // after the workspace, so that it goes first
};

}  // namespace

std::unique_ptr<Blas> make_cublas(const std::shared_ptr<backend::Backend>& backend, StreamRef stream) {
  return std::make_unique<CuBlas>(backend, stream);
}

}  // namespace octavo::training
