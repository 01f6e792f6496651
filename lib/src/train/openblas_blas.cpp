// Matrix products on the CPU by OpenBLAS.
#include <cblas.h>

#include "support/threads.hpp"
#include "train/blas.hpp"

namespace octavo::training {
namespace {

int as_int(std::int64_t extent) { return static_cast<int>(extent); }
CBLAS_TRANSPOSE operation(const Matrix& matrix) { return matrix.is_transposed ? CblasTrans : CblasNoTrans; }

class OpenBlas final : public Blas {
 public:
  /// The number of threads belongs to the process: it is put back afterwards.
  OpenBlas() : saved_thread_count_(openblas_get_num_threads()) { openblas_set_num_threads(available_threads()); }
  ~OpenBlas() override { openblas_set_num_threads(saved_thread_count_); }
  OpenBlas(const OpenBlas&) = delete;
  OpenBlas& operator=(const OpenBlas&) = delete;

  void multiply(const Matrix& a, const Matrix& b, float* out) override {
    const int rows = as_int(a.effective_rows()), columns = as_int(b.effective_columns());
    cblas_sgemm(CblasRowMajor, operation(a), operation(b), rows, columns, as_int(a.effective_columns()), 1.0f, a.data,
                as_int(a.columns), b.data, as_int(b.columns), 0.0f, out, columns);
  }

  void multiply_vector(const Matrix& a, const float* x, float* out) override {
    cblas_sgemv(CblasRowMajor, operation(a), as_int(a.rows), as_int(a.columns), 1.0f, a.data, as_int(a.columns), x, 1,
                0.0f, out, 1);
  }

  std::string name() const override {
    const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    const std::size_t version_end = config.find(' ', config.find(' ') + 1);
    return config.substr(0, version_end) + " (" + openblas_get_corename() + ", " +
           std::to_string(openblas_get_num_threads()) + " threads)";
  }

 private:
  int saved_thread_count_;
};

}  // namespace

std::unique_ptr<Blas> make_openblas() { return std::make_unique<OpenBlas>(); }

}  // namespace octavo::training
