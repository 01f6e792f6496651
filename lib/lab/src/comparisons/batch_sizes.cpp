// Measures batch sizes: loading, and one matrix product computed in ways that use more and more of the machine.
#include <octavo/batch_sizes.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>

#include "measuring/timing.hpp"
#include "store/stored_samples.hpp"
#include "training/compute.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kUnits = 256;
/// Minimum duration of a timing. The best of kRounds counts, to exclude disturbances by other work.
constexpr double kTimedSeconds = 0.02;
constexpr int kRounds = 5;
/// The slow ways are timed on at most this many multiplications: their speed does not depend on the number.
constexpr std::int64_t kSlowProducts = std::int64_t{100} << 20;
/// The side of a block. Three blocks of 64x64 floats fit in the second cache level several times.
constexpr std::int64_t kBlock = 64;

/// [B,V] x [V,U], row-major.
struct Product {
  const float* a;
  const float* b;
  float* out;
  std::int64_t B, V, U;
};

void by_element(const Product& p) {
  for (std::int64_t i = 0; i < p.B; ++i) {
    for (std::int64_t j = 0; j < p.U; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.V; ++k) sum += p.a[i * p.V + k] * p.b[k * p.U + j];
      p.out[i * p.U + j] = sum;
    }
  }
}

void in_blocks(const Product& p) {
  std::fill_n(p.out, p.B * p.U, 0.0f);
  for (std::int64_t i0 = 0; i0 < p.B; i0 += kBlock) {
    for (std::int64_t k0 = 0; k0 < p.V; k0 += kBlock) {
      for (std::int64_t j0 = 0; j0 < p.U; j0 += kBlock) {
        const std::int64_t i1 = std::min(p.B, i0 + kBlock), k1 = std::min(p.V, k0 + kBlock),
                           j1 = std::min(p.U, j0 + kBlock);
        for (std::int64_t i = i0; i < i1; ++i) {
          for (std::int64_t k = k0; k < k1; ++k) {
            const float factor = p.a[i * p.V + k];
            for (std::int64_t j = j0; j < j1; ++j) p.out[i * p.U + j] += factor * p.b[k * p.U + j];
          }
        }
      }
    }
  }
}

/// Billions of multiplications and additions a second; `work` does `products` of both.
template <typename Work>
double gflops(std::int64_t products, const Work& work) {
  std::int64_t repeats = 1;
  while (measuring::seconds_of([&] {
           for (std::int64_t i = 0; i < repeats; ++i) work();
         }) < kTimedSeconds) {
    repeats *= 2;
  }
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double seconds = measuring::seconds_of([&] {
      for (std::int64_t i = 0; i < repeats; ++i) work();
    });
    best = std::max(best, 2.0 * static_cast<double>(products * repeats) / seconds / 1e9);
  }
  return best;
}

/// The operands on the device: the first batch as the loader makes it, and weights.
class Bench {
 public:
  Bench(const Store& store, const BatchSizeOptions& options)
      : store_(store),
        options_(options),
        backend_(store.samples()->backend),
        compute_(training::make_compute(backend_, {})),
        V_(store.shape().values()) {
    std::vector<float> weights(static_cast<std::size_t>(V_ * kUnits));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 17) / 16 - 0.5f;
    weights_ = backend::DeviceBuffer(backend_, weights.size() * sizeof(float), "weights");
    backend_->copy_to_device(weights_.data(), weights.data(), weights_.bytes(), {});
  }

  std::string blas_name() const { return compute_.blas->name(); }

  BatchSizeSpeed measure(std::int64_t batch_size) {
    Loader loader(store_, {.batch_size = batch_size, .shuffle = true, .seed = options_.seed});
    const Batch& batch = *loader.epoch(0).begin();
    const backend::DeviceBuffer out(backend_, static_cast<std::size_t>(batch_size * kUnits) * sizeof(float),
                                    "a product");
    const Product product{
        static_cast<const float*>(batch.images().data), weights_.as<float>(), out.as<float>(), batch_size, V_, kUnits};
    check(product);

    BatchSizeSpeed speed;
    speed.batch_size = batch_size;
    const std::int64_t products = batch_size * V_ * kUnits;
    speed.whole_gflops = gflops(products, [&] { whole(product); });
    // Time the slow ways on fewer samples.
    Product part = product;
    part.B = std::clamp<std::int64_t>(kSlowProducts / (V_ * kUnits), 1, batch_size);
    const std::int64_t part_products = part.B * V_ * kUnits;
    speed.by_column_gflops = gflops(part_products, [&] { by_column(part); });
    if (backend_->is_host()) {
      speed.by_element_gflops = gflops(part_products, [&] { by_element(part); });
      speed.in_blocks_gflops = gflops(part_products, [&] { in_blocks(part); });
    }
    speed.images_per_second = images_per_second(loader);
    return speed;
  }

 private:
  void whole(const Product& p) {
    compute_.blas->multiply({p.a, p.B, p.V}, {p.b, p.V, p.U}, p.out);
    backend_->synchronize({});
  }
  /// One sample at a time: out_i = W^T a_i.
  void by_column(const Product& p) {
    for (std::int64_t i = 0; i < p.B; ++i) {
      compute_.blas->multiply_vector(training::transpose({p.b, p.V, p.U}), p.a + i * p.V, p.out + i * p.U);
    }
    backend_->synchronize({});
  }

  std::vector<float> on_host(const float* memory, std::int64_t count) const {
    std::vector<float> host(static_cast<std::size_t>(count));
    backend_->copy_to_host(host.data(), memory, host.size() * sizeof(float), {});
    return host;
  }

  /// Checks that every way gives the plain sum, up to rounding.
  void check(const Product& product) {
    Product p = product;
    p.B = std::min<std::int64_t>(p.B, 3);
    const std::vector<float> a = on_host(p.a, p.B * p.V), b = on_host(p.b, p.V * p.U);
    std::vector<double> expected;
    double scale = 1;
    for (std::int64_t i = 0; i < p.B; ++i) {
      for (std::int64_t j = 0; j < p.U; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.V; ++k) {
          sum += static_cast<double>(a[static_cast<std::size_t>(i * p.V + k)]) *
                 static_cast<double>(b[static_cast<std::size_t>(k * p.U + j)]);
        }
        expected.push_back(sum);
        scale = std::max(scale, std::abs(sum));
      }
    }
    const auto compare = [&](const char* way) {
      const std::vector<float> out = on_host(p.out, p.B * p.U);
      for (std::size_t i = 0; i < out.size(); ++i) {
        // V terms of at most `scale`, each rounded to 24 bits.
        if (std::abs(static_cast<double>(out[i]) - expected[i]) <= scale * static_cast<double>(p.V) * 0x1p-22) continue;
        throw Error(std::string("compare batch sizes: the product ") + way + " is wrong; please report this");
      }
    };
    whole(p);
    compare("as a whole");
    by_column(p);
    compare("by columns");
    if (!backend_->is_host()) return;
    by_element(p);
    compare("by elements");
    in_blocks(p);
    compare("in blocks");
  }

  /// The speed of loading, over a fraction of a second.
  double images_per_second(Loader& loader) const {
    std::int64_t images = 0, epoch = 1;
    double seconds = 0;
    while (seconds < 5 * kTimedSeconds) {
      seconds += measuring::seconds_of([&] {
        for (const Batch& batch : loader.epoch(epoch)) {
          images += batch.size();
          if (batch.step() >= 20000) break;
        }
        backend_->synchronize({});
      });
      ++epoch;
    }
    return static_cast<double>(images) / seconds;
  }

  const Store& store_;
  const BatchSizeOptions& options_;
  std::shared_ptr<backend::Backend> backend_;
  training::Compute compute_;
  std::int64_t V_;
  backend::DeviceBuffer weights_;
};

}  // namespace

BatchSizeComparison compare_batch_sizes(const Dataset& dataset, const BatchSizeOptions& options) {
  const Split split = options.split.empty() ? dataset.training_split() : dataset.split(options.split);
  const Device device = chosen(options.device);
  const Store store = Store::load(split, device, {.residency = Residency::device});
  Bench bench(store, options);
  BatchSizeComparison comparison;
  comparison.file = dataset.path().string();
  comparison.split = split.name();
  comparison.device = to_string(device);
  comparison.device_name = device_name(device);
  comparison.blas = bench.blas_name();
  comparison.values = split.shape().values();
  comparison.units = kUnits;

  const std::int64_t room = backend::make_backend(device)->memory().free_bytes / 4;
  const std::int64_t largest = std::clamp<std::int64_t>(room / (4 * split.shape().values()), 1, split.sample_count());
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size < largest; size *= 10) sizes.push_back(size);
  sizes.push_back(largest);
  for (const std::int64_t size : sizes) {
    comparison.sizes.push_back(bench.measure(size));
    if (options.on_progress) {
      options.on_progress({"timing batch sizes", static_cast<std::int64_t>(comparison.sizes.size()),
                           static_cast<std::int64_t>(sizes.size()), 0, 0});
    }
  }
  return comparison;
}

}  // namespace octavo
