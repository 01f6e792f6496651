#include "training/blas/cublas_library.hpp"

#include "training/blas/loaded_library.hpp"

namespace octavo::training {
namespace {

CublasLibrary load() {
  const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  // The library of the toolkit used for this build, else one that the system has or that is already loaded.
  const LoadedLibrary library("multiply matrices on a GPU", {std::string(OCTAVO_CUBLAS_FOLDER) + "/" + name, name},
                              "install cuBLAS, or use the device cpu");
  CublasLibrary found{};
  library.find(found.create, "cublasCreate_v2");
  library.find(found.destroy, "cublasDestroy_v2");
  library.find(found.set_stream, "cublasSetStream_v2");
  library.find(found.set_workspace, "cublasSetWorkspace_v2");
  library.find(found.set_math_mode, "cublasSetMathMode");
  library.find(found.set_atomics_mode, "cublasSetAtomicsMode");
  library.find(found.sgemm, "cublasSgemm_v2");
  library.find(found.sgemv, "cublasSgemv_v2");
  library.find(found.get_property, "cublasGetProperty");
  library.find(found.status_string, "cublasGetStatusString");
  return found;
}

}  // namespace

const CublasLibrary& cublas_library() {
  static const CublasLibrary library = load();
  return library;
}

}  // namespace octavo::training
