// Stands in for openblas_blas.cpp in a build without OpenBLAS.
#include <octavo/errors.hpp>

#include "training/blas/blas.hpp"

namespace octavo::training {

std::unique_ptr<Blas> make_openblas() {
  throw Unavailable(
      "train on the CPU: this build has no OpenBLAS; install libopenblas-dev and build again, or use a CUDA device");
}

}  // namespace octavo::training
