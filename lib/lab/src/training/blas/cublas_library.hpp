// cuBLAS, loaded on first use: it is large, and only training needs it.
#pragma once

#include <cublas_v2.h>

namespace octavo::training {

/// The functions that we call.
struct CublasLibrary {
  decltype(&::cublasCreate_v2) create;
  decltype(&::cublasDestroy_v2) destroy;
  decltype(&::cublasSetStream_v2) set_stream;
  decltype(&::cublasSetWorkspace_v2) set_workspace;
  decltype(&::cublasSetMathMode) set_math_mode;
  decltype(&::cublasSetAtomicsMode) set_atomics_mode;
  decltype(&::cublasSgemm_v2) sgemm;
  decltype(&::cublasSgemv_v2) sgemv;
  decltype(&::cublasGetProperty) get_property;
  decltype(&::cublasGetStatusString) status_string;
};

/// Throws Unavailable if the library is not on this machine.
const CublasLibrary& cublas_library();

}  // namespace octavo::training
