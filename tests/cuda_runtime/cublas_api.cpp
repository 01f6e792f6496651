// The cuBLAS functions that training uses, implemented as plain loops.
#include <cublas_v2.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "capture.hpp"
#include "memory.hpp"
#include "runtime.hpp"

struct cublasContext {
  int device;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace fake_cuda {
namespace {

cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
         : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// Column-major: element (row, column) is at column * leading + row.
struct Operand {
  const float* data;
  int leading;
  bool is_transposed;
  float at(int row, int column) const {
    return is_transposed ? data[static_cast<std::ptrdiff_t>(row) * leading + column]
                         : data[static_cast<std::ptrdiff_t>(column) * leading + row];
  }
};

/// A copy of `rows` x `columns` numbers from the device, row by row.
std::vector<float> dense(const Operand& operand, int rows, int columns) {
  const int stored_columns = operand.is_transposed ? rows : columns;
  const int stored_rows = operand.is_transposed ? columns : rows;
  memory().open(operand.data,
                (static_cast<std::size_t>(stored_columns - 1) * static_cast<std::size_t>(operand.leading) +
                 static_cast<std::size_t>(stored_rows)) *
                    sizeof(float),
                false);
  std::vector<float> numbers;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) numbers.push_back(operand.at(row, column));
  }
  return numbers;
}

void multiply(Operand a, Operand b, int m, int n, int k, float alpha, float beta, float* c, int leading) {
  if (m == 0 || n == 0) return;
  const std::vector<float> left = dense(a, m, k), right = dense(b, k, n);
  std::vector<float> row(static_cast<std::size_t>(n));
  memory().open(c,
                (static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(leading) + static_cast<std::size_t>(m)) *
                    sizeof(float),
                true);
  for (int i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (int p = 0; p < k; ++p) {
      const float factor =
          left[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) + static_cast<std::size_t>(p)];
      const float* from = right.data() + static_cast<std::ptrdiff_t>(p) * n;
      for (int j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += factor * from[j];
    }
    for (int j = 0; j < n; ++j) {
      float& out = c[static_cast<std::ptrdiff_t>(j) * leading + i];
      out = alpha * row[static_cast<std::size_t>(j)] + (beta == 0.0f ? 0.0f : beta * out);
    }
  }
}

cublasStatus_t enqueue_product(cublasHandle_t handle, const char* name, std::function<void()> work) {
  Call call(name, kUsesContext);
  if (call.fails()) return status_of(call.result());
  Runtime& runtime = Runtime::get();
  CUstream_st* stream = runtime.stream(handle->stream, call.name());
  if (stream == nullptr || runtime.current_device() != handle->device) return CUBLAS_STATUS_NOT_INITIALIZED;
  runtime.enqueue(*stream, "a product of matrices", call.name(), false,
                  [work = std::move(work), workspace = handle->workspace, bytes = handle->workspace_bytes] {
                    // A product uses its workspace: touch a small part of it.
                    if (workspace != nullptr) memory().open(workspace, std::min<std::size_t>(bytes, 256), true);
                    work();
                  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  Call call("cublasCreate", kUsesContext | kUnsafeInCapture);
  if (call.fails()) return status_of(call.result());
  *handle = new cublasContext{Runtime::get().current_device()};
  ++Runtime::get().cublas_count;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  Call call("cublasDestroy", kUsesContext | kReleases);
  if (call.is_impossible()) return status_of(call.result());
  delete handle;
  --Runtime::get().cublas_count;
  return status_of(call.result());
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  Call call("cublasSetStream", kUsesContext);
  if (call.fails()) return status_of(call.result());
  // As documented, this restores the default workspace.
  handle->stream = stream;
  handle->workspace = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  Call call("cublasSetWorkspace", kUsesContext);
  if (call.fails()) return status_of(call.result());
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS" : "an error of the fake cuBLAS";
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
                              int m, int n, int k, const float* alpha, const float* a, int a_leading, const float* b,
                              int b_leading, const float* beta, float* c, int c_leading) {
  return enqueue_product(handle, "cublasSgemm", [=, alpha = *alpha, beta = *beta] {
    multiply({a, a_leading, a_operation != CUBLAS_OP_N}, {b, b_leading, b_operation != CUBLAS_OP_N}, m, n, k, alpha,
             beta, c, c_leading);
  });
}

cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t operation, int rows, int columns,
                              const float* alpha, const float* a, int a_leading, const float* x, int x_step,
                              const float* beta, float* y, int y_step) {
  if (x_step != 1 || y_step != 1) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool is_transposed = operation != CUBLAS_OP_N;
  const int m = is_transposed ? columns : rows, k = is_transposed ? rows : columns;
  return enqueue_product(handle, "cublasSgemv", [=, alpha = *alpha, beta = *beta] {
    multiply({a, a_leading, is_transposed}, {x, k, false}, m, 1, k, alpha, beta, y, m);
  });
}

}  // extern "C"
