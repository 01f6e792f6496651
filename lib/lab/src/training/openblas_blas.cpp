// Matrix products on the CPU with OpenBLAS, loaded on first use: loading it starts a thread per core.
#include <cblas.h>

#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "backend/host_memory.hpp"
#include "support/threads.hpp"
#include "training/blas.hpp"
#include "training/loaded_library.hpp"

namespace octavo::training {
namespace {

int as_int(std::int64_t extent) { return static_cast<int>(extent); }
CBLAS_TRANSPOSE operation(const Matrix& matrix) { return matrix.is_transposed ? CblasTrans : CblasNoTrans; }

/// The functions that we call.
struct OpenBlasLibrary {
  decltype(&::cblas_sgemm) sgemm;
  decltype(&::cblas_sgemv) sgemv;
  decltype(&::openblas_get_num_threads) thread_count;
  decltype(&::openblas_set_num_threads) set_thread_count;
  decltype(&::openblas_get_config) config;
  decltype(&::openblas_get_corename) core_name;
};

OpenBlasLibrary load() {
  // The library found by the build, else one that the system has.
  const LoadedLibrary library("train on the CPU", {OCTAVO_OPENBLAS_LIBRARY, "libopenblas.so.0"},
                              "install OpenBLAS (libopenblas0 on Debian and Ubuntu), or use a CUDA device");
  OpenBlasLibrary found{};
  library.find(found.sgemm, "cblas_sgemm");
  library.find(found.sgemv, "cblas_sgemv");
  library.find(found.thread_count, "openblas_get_num_threads");
  library.find(found.set_thread_count, "openblas_set_num_threads");
  library.find(found.config, "openblas_get_config");
  library.find(found.core_name, "openblas_get_corename");
  return found;
}

const OpenBlasLibrary& openblas() {
  static const OpenBlasLibrary library = load();
  return library;
}

/// OpenBLAS maps this much for each thread, and once more (BUFFER_SIZE of its x86-64 builds is 128 MiB).
constexpr std::int64_t kBufferBytes = std::int64_t{128} << 20;

/// Checks before OpenBLAS is loaded or used, because it retries forever if it gets no buffer.
void check_address_space(int thread_count) {
  const std::int64_t needed = kBufferBytes * (thread_count + 1), left = backend::free_address_space();
  if (left >= needed) return;
  throw OutOfMemory("multiply matrices: OpenBLAS reserves " + std::to_string(needed) + " bytes of address space on " +
                    std::to_string(thread_count) + " threads, but the limit leaves " + std::to_string(left) +
                    "; raise `ulimit -v`, or use fewer threads");
}

/// Runs a product on all threads, so that they get their buffers before anything else uses the memory.
void take_buffers() {
  constexpr int kSide = 256;
  const std::vector<float> a(kSide * kSide), b(kSide * kSide);
  std::vector<float> out(kSide * kSide);
  openblas().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1.0f, a.data(), kSide, b.data(),
                   kSide, 0.0f, out.data(), kSide);
}

class OpenBlas final : public Blas {
 public:
  /// The number of threads is global to the process: the destructor restores it.
  OpenBlas() {
    check_address_space(available_threads());
    saved_thread_count_ = openblas().thread_count();
    openblas().set_thread_count(available_threads());
    take_buffers();
  }
  ~OpenBlas() override { openblas().set_thread_count(saved_thread_count_); }
  OpenBlas(const OpenBlas&) = delete;
  OpenBlas& operator=(const OpenBlas&) = delete;

  void multiply(const Matrix& a, const Matrix& b, float* out) override {
    const int rows = as_int(a.effective_rows()), columns = as_int(b.effective_columns());
    openblas().sgemm(CblasRowMajor, operation(a), operation(b), rows, columns, as_int(a.effective_columns()), 1.0f,
                     a.data, as_int(a.columns), b.data, as_int(b.columns), 0.0f, out, columns);
  }

  void multiply_vector(const Matrix& a, const float* x, float* out) override {
    openblas().sgemv(CblasRowMajor, operation(a), as_int(a.rows), as_int(a.columns), 1.0f, a.data, as_int(a.columns), x,
                     1, 0.0f, out, 1);
  }

  std::string name() const override {
    const std::string config = openblas().config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    const std::size_t version_end = config.find(' ', config.find(' ') + 1);
    return config.substr(0, version_end) + " (" + openblas().core_name() + ", " +
           std::to_string(openblas().thread_count()) + " threads)";
  }

 private:
  int saved_thread_count_ = 0;
};

}  // namespace

std::unique_ptr<Blas> make_openblas() { return std::make_unique<OpenBlas>(); }

}  // namespace octavo::training
