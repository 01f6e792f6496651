// Stands in for cublas_blas.cpp in a build without CUDA or without cuBLAS.
#include <octavo/errors.hpp>

#include "training/blas/blas.hpp"

namespace octavo::training {

std::unique_ptr<Blas> make_cublas(const std::shared_ptr<backend::Backend>&, StreamRef) {
  throw Unavailable(
      "train on a CUDA device: this build has no cuBLAS; build with a CUDA toolkit that includes it, or use the device "
      "cpu");
}

}  // namespace octavo::training
