// Matrix products on a CUDA device with cuBLAS.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "cuda/check.hpp"
#include "cuda/device_scope.hpp"
#include "training/blas/blas.hpp"
#include "training/blas/cublas_library.hpp"

namespace octavo::training {
namespace {

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(std::string(doing) + ": cuBLAS error: " + cublas_library().status_string(status));
}

int cublas_int(std::int64_t extent) { return static_cast<int>(extent); }

class CuBlas final : public Blas {
 public:
  CuBlas(const std::shared_ptr<backend::Backend>& backend, StreamRef stream)
      : backend_(backend),
        stream_(stream),
        context_(cuda::primary_context(backend->device().ordinal())),
        workspace_(backend, static_cast<std::size_t>(kCublasWorkspaceBytes), "the cuBLAS workspace") {
    const cuda::DeviceScope scope(context_);
    cublasHandle_t created = nullptr;
    check(cublas_library().create(&created), "start cuBLAS");
    handle_ = Handle(created, HandleDeleter{context_});
    // Set the stream first: setting it resets the workspace.
    check(cublas_library().set_stream(handle(), static_cast<cudaStream_t>(stream.handle())), "set cuBLAS's stream");
    check(cublas_library().set_workspace(handle(), workspace_.data(), workspace_.bytes()), "set its workspace");
    check(cublas_library().set_math_mode(handle(), CUBLAS_PEDANTIC_MATH), "set the math mode of cuBLAS");
    check(cublas_library().set_atomics_mode(handle(), CUBLAS_ATOMICS_NOT_ALLOWED), "disable atomics in cuBLAS");
  }
  ~CuBlas() override { backend::finish(*backend_, stream_); }

  // cuBLAS is column-major: it sees our row-major matrices as transposed, and (a b)^T = b^T a^T.
  void multiply(const Matrix& a, const Matrix& b, float* out) override {
    const cuda::DeviceScope scope(context_);
    const float one = 1.0f, zero = 0.0f;
    const int rows = cublas_int(a.effective_rows()), columns = cublas_int(b.effective_columns());
    check(
        cublas_library().sgemm(handle(), operation(b), operation(a), columns, rows, cublas_int(a.effective_columns()),
                               &one, b.data, cublas_int(b.columns), a.data, cublas_int(a.columns), &zero, out, columns),
        "multiply matrices");
  }

  void multiply_vector(const Matrix& a, const float* x, float* out) override {
    const cuda::DeviceScope scope(context_);
    const float one = 1.0f, zero = 0.0f;
    check(cublas_library().sgemv(handle(), a.is_transposed ? CUBLAS_OP_N : CUBLAS_OP_T, cublas_int(a.columns),
                                 cublas_int(a.rows), &one, a.data, cublas_int(a.columns), x, 1, &zero, out, 1),
          "multiply a matrix by a vector");
  }

  std::string name() const override {
    int major = 0, minor = 0, patch = 0;
    check(cublas_library().get_property(MAJOR_VERSION, &major), "query the cuBLAS version");
    check(cublas_library().get_property(MINOR_VERSION, &minor), "query the cuBLAS version");
    check(cublas_library().get_property(PATCH_LEVEL, &patch), "query the cuBLAS version");
    return "cuBLAS " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch) + " (float32)";
  }

 private:
  static cublasOperation_t operation(const Matrix& matrix) { return matrix.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
  cublasHandle_t handle() const { return handle_.get(); }

  struct HandleDeleter {
    CUcontext context;
    void operator()(cublasHandle_t handle) const noexcept {
      try {
        const cuda::DeviceScope scope(context);
        static_cast<void>(cublas_library().destroy(handle));
      } catch (const DeviceError&) {
        static_cast<void>(cublas_library().destroy(handle));
      }
    }
  };
  using Handle = std::unique_ptr<cublasContext, HandleDeleter>;

  std::shared_ptr<backend::Backend> backend_;
  StreamRef stream_;
  CUcontext context_;
  backend::DeviceBuffer workspace_;
  Handle handle_{nullptr, HandleDeleter{nullptr}};  // after the workspace, so that it is destroyed first
};

}  // namespace

std::unique_ptr<Blas> make_cublas(const std::shared_ptr<backend::Backend>& backend, StreamRef stream) {
  return std::make_unique<CuBlas>(backend, stream);
}

}  // namespace octavo::training
