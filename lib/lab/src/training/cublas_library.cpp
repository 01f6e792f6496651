#include "training/cublas_library.hpp"

#include <dlfcn.h>

#include <string>

#include <octavo/errors.hpp>

namespace octavo::training {
namespace {

/// Loads the library of the toolkit used for this build, else one that the system has or that is already loaded.
void* open_library() {
  const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  for (const std::string& path : {std::string(OCTAVO_CUBLAS_FOLDER) + "/" + name, name}) {
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw Unavailable("multiply matrices on a GPU: " + name +
                    " not found; install cuBLAS, or use the device cpu");
}

template <typename Function>
void find(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) {
    throw Unavailable(std::string("multiply matrices on a GPU: cuBLAS has no ") + name + "; install another version");
  }
}

CublasLibrary load() {
  void* library = open_library();
  CublasLibrary found{};
  find(found.create, library, "cublasCreate_v2");
  find(found.destroy, library, "cublasDestroy_v2");
  find(found.set_stream, library, "cublasSetStream_v2");
  find(found.set_workspace, library, "cublasSetWorkspace_v2");
  find(found.set_math_mode, library, "cublasSetMathMode");
  find(found.set_atomics_mode, library, "cublasSetAtomicsMode");
  find(found.sgemm, library, "cublasSgemm_v2");
  find(found.sgemv, library, "cublasSgemv_v2");
  find(found.get_property, library, "cublasGetProperty");
  find(found.status_string, library, "cublasGetStatusString");
  return found;
}

}  // namespace

const CublasLibrary& cublas_library() {
  static const CublasLibrary library = load();
  return library;
}

}  // namespace octavo::training
