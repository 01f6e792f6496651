// Matrix products on the CPU with OpenBLAS, loaded on first use: loading it starts a thread per core.
#include <cblas.h>

#include <cstdlib>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <octavo/errors.hpp>

#include "backend/host_memory.hpp"
#include "support/threads.hpp"
#include "training/blas/blas.hpp"
#include "training/blas/loaded_library.hpp"

namespace octavo::training {
namespace {

CBLAS_TRANSPOSE operation(const Matrix& matrix) { return matrix.is_transposed ? CblasTrans : CblasNoTrans; }

/// The products, in a library whose integers have this width: 32 bits usually, 64 in NumPy's wheels.
template <typename Integer>
struct Products {
  void (*sgemm)(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, Integer, Integer, Integer, float, const float*, Integer,
                const float*, Integer, float, float*, Integer);
  void (*sgemv)(CBLAS_ORDER, CBLAS_TRANSPOSE, Integer, Integer, float, const float*, Integer, const float*, Integer,
                float, float*, Integer);
};
static_assert(std::is_same_v<decltype(&::cblas_sgemm), decltype(Products<blasint>::sgemm)>);
static_assert(std::is_same_v<decltype(&::cblas_sgemv), decltype(Products<blasint>::sgemv)>);

/// The functions that we call.
struct OpenBlasLibrary {
  std::variant<Products<std::int32_t>, Products<std::int64_t>> products;
  decltype(&::openblas_get_num_threads) thread_count;
  decltype(&::openblas_set_num_threads) set_thread_count;
  decltype(&::openblas_get_config) config;
  decltype(&::openblas_get_corename) core_name;
};

/// How a build of the library changes the names of its functions.
struct Spelling {
  std::string prefix;
  std::string suffix;
  std::string of(const char* name) const { return prefix + name + suffix; }
};

/// As in distributions; in NumPy's wheels before 1.26; in later ones, with integers of 64 and of 32 bits. The suffix
/// 64_ means integers of 64 bits.
Spelling spelling_in(const LoadedLibrary& library) {
  for (const Spelling& spelling : {Spelling{"", "64_"}, Spelling{"scipy_", "64_"}, Spelling{"scipy_", ""}}) {
    if (library.has(spelling.of("cblas_sgemm"))) return spelling;
  }
  return {};
}

/// The library that OCTAVO_OPENBLAS names, the one found by the build, or one that the system has.
std::vector<std::string> candidates() {
  std::vector<std::string> paths = {OCTAVO_OPENBLAS_LIBRARY, "libopenblas.so.0"};
  const char* const chosen = std::getenv("OCTAVO_OPENBLAS");
  if (chosen != nullptr && *chosen != '\0') paths.insert(paths.begin(), chosen);
  return paths;
}

OpenBlasLibrary load() {
  const LoadedLibrary library("train on the CPU", candidates(),
                              "install OpenBLAS (libopenblas0 on Debian and Ubuntu), or use a CUDA device");
  const Spelling spelling = spelling_in(library);
  OpenBlasLibrary found{};
  if (spelling.suffix == "64_") found.products = Products<std::int64_t>{};
  std::visit(
      [&](auto& products) {
        library.find(products.sgemm, spelling.of("cblas_sgemm"));
        library.find(products.sgemv, spelling.of("cblas_sgemv"));
      },
      found.products);
  library.find(found.thread_count, spelling.of("openblas_get_num_threads"));
  library.find(found.set_thread_count, spelling.of("openblas_set_num_threads"));
  library.find(found.config, spelling.of("openblas_get_config"));
  library.find(found.core_name, spelling.of("openblas_get_corename"));
  return found;
}

const OpenBlasLibrary& openblas() {
  static const OpenBlasLibrary library = load();
  return library;
}

/// out = a b.
void sgemm(const Matrix& a, const Matrix& b, float* out) {
  std::visit(
      [&]<typename Integer>(const Products<Integer>& products) {
        const auto as_integer = [](std::int64_t extent) { return static_cast<Integer>(extent); };
        const Integer rows = as_integer(a.effective_rows()), columns = as_integer(b.effective_columns());
        products.sgemm(CblasRowMajor, operation(a), operation(b), rows, columns, as_integer(a.effective_columns()),
                       1.0f, a.data, as_integer(a.columns), b.data, as_integer(b.columns), 0.0f, out, columns);
      },
      openblas().products);
}

/// out = a x.
void sgemv(const Matrix& a, const float* x, float* out) {
  std::visit(
      [&]<typename Integer>(const Products<Integer>& products) {
        const auto rows = static_cast<Integer>(a.rows), columns = static_cast<Integer>(a.columns);
        products.sgemv(CblasRowMajor, operation(a), rows, columns, 1.0f, a.data, columns, x, 1, 0.0f, out, 1);
      },
      openblas().products);
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
  sgemm({a.data(), kSide, kSide}, {b.data(), kSide, kSide}, out.data());
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

  void multiply(const Matrix& a, const Matrix& b, float* out) override { sgemm(a, b, out); }
  void multiply_vector(const Matrix& a, const float* x, float* out) override { sgemv(a, x, out); }

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
