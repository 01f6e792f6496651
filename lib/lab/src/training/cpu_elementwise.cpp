// The elementwise operations of training on the CPU.
#include <algorithm>

#include "backend/thread_pool.hpp"
#include "support/threads.hpp"
#include "training/elementwise.hpp"
#include "training/kernels/cpu_arithmetic.hpp"

namespace octavo::training {
namespace {

/// The number of elements below which another thread does not pay: about 10 microseconds of work.
constexpr std::int64_t kPieceNumbers = std::int64_t{64} << 10;

class CpuElementwise final : public Elementwise {
 public:
  void add_bias(const BiasArgs& args) override {
    for_pieces(args.row_count, args.width,
               [&](std::int64_t first, std::int64_t last) { training::add_bias(args, first, last); });
  }
  void relu_gradient(const ReluGradientArgs& args) override {
    for_pieces(args.count, 1,
               [&](std::int64_t first, std::int64_t last) { training::relu_gradient(args, first, last); });
  }
  void softmax(const SoftmaxArgs& args) override {
    constexpr std::int64_t kExponentialCost = 16;  // relative to an addition
    for_pieces(args.row_count, args.class_count * kExponentialCost,
               [&](std::int64_t first, std::int64_t last) { training::softmax(args, first, last); });
  }
  void momentum_step(const MomentumArgs& args) override {
    for_pieces(args.count, 1,
               [&](std::int64_t first, std::int64_t last) { training::momentum_step(args, first, last); });
  }

 private:
  /// Divides items [0, count) among the threads. The result of an item does not depend on the division.
  template <typename Work>
  void for_pieces(std::int64_t count, std::int64_t numbers_per_item, const Work& work) {
    const std::int64_t worthwhile = count * numbers_per_item / kPieceNumbers;
    const std::int64_t pieces = std::min({count, worthwhile, std::int64_t{pool_.thread_count()}});
    if (pieces <= 1) return work(0, count);
    pool_.run(pieces, [&](std::int64_t piece) { work(count * piece / pieces, count * (piece + 1) / pieces); });
  }

  backend::ThreadPool pool_{available_threads()};
};

}  // namespace

std::unique_ptr<Elementwise> make_cpu_elementwise() { return std::make_unique<CpuElementwise>(); }

}  // namespace octavo::training
