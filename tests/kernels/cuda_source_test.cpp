// The CUDA sources themselves, compiled for the host: every thread of every block, on exact-size buffers.
#include <vector>

#include "catch.hpp"
#include "cpu/batch_mean.hpp"
#include "cuda/batch_mean.hpp"
#include "cuda/gather.hpp"
#include "cuda/geometry.hpp"
#include "cuda/order_cursor.hpp"
#include "cuda/row_copy.hpp"
#include "gather_cases.hpp"

using namespace octavo::kernels;
using namespace octavo::test;

namespace {

constexpr int kOneMultiprocessor = 1;      // makes blocks serve several samples
constexpr int kManyMultiprocessors = 132;  // makes them serve one

}  // namespace

TEST_CASE("the CUDA gather gives the exact values of every case", "[unit][shim]") {
  for (const GatherCase& parameters : gather_cases()) {
    for (const int multiprocessors : {kOneMultiprocessor, kManyMultiprocessors}) {
      INFO(parameters.name() << " multiprocessors=" << multiprocessors);
      GatherData data(parameters);
      REQUIRE(cuda::launch_gather(data.args(), multiprocessors, nullptr) == cudaSuccess);
      REQUIRE(data.values() == data.expected_values());
      if (parameters.label_words > 0) REQUIRE(data.out_labels() == data.expected_labels());
      REQUIRE(data.error() == 0);
    }
  }
}

TEST_CASE("the CUDA gather serves batches that its blocks divide unevenly", "[unit][shim]") {
  for (const std::int64_t B : {1, 7, 8, 9, 15, 16, 17, 40}) {
    for (const std::int64_t P : {16, 17, 4096, 4100}) {
      const GatherCase parameters{.N = 50, .C = 2, .P = P, .B = B, .layout = Layout::nchw};
      INFO(parameters.name());
      GatherData data(parameters);
      REQUIRE(cuda::launch_gather(data.args(), kOneMultiprocessor, nullptr) == cudaSuccess);
      REQUIRE(data.values() == data.expected_values());
      REQUIRE(data.out_labels() == data.expected_labels());
    }
  }
}

TEST_CASE("the CUDA gather zeroes and reports a row out of range, and reads nothing for it", "[unit][shim]") {
  for (const std::int64_t P : {64, 65}) {
    const GatherCase parameters{.N = 10, .C = 1, .P = P, .B = 4, .uniform_map = true};
    GatherData data(parameters);
    data.set_rows({1, 10, -1, std::int64_t{1} << 62});
    REQUIRE(cuda::launch_gather(data.args(), kOneMultiprocessor, nullptr) == cudaSuccess);
    REQUIRE(data.values() == data.expected_values());
    REQUIRE(data.out_labels() == data.expected_labels());
    REQUIRE(data.error() == 1);
  }
}

TEST_CASE("the CUDA gather goes on by its cursor, over the end of an epoch", "[unit][shim]") {
  for (const std::int64_t P : {64, 65}) {
    // 5 batches of 9 an epoch; the second of two ranks draws places 4 to 8. Three batches a launch.
    const GatherCase parameters{.N = 47, .C = 1, .P = P, .B = 15};
    GatherData data(parameters);
    data.set_cursor(make_order_cursor(47, 3, true, 9, batch_share(9, 1, 2), 4, 1));
    for (int launch = 0; launch < 5; ++launch) {
      data.clear_outputs();
      REQUIRE(cuda::launch_gather(data.args(), kOneMultiprocessor, nullptr) == cudaSuccess);
      REQUIRE(data.values() == data.expected_values());
      REQUIRE(data.out_labels() == data.expected_labels());
      REQUIRE(cuda::launch_advance(&data.cursor(), 3, nullptr) == cudaSuccess);
    }
    // 1 + 5 * 3 = 3 epochs and 1 batch.
    REQUIRE(data.cursor().epoch == 7);
    REQUIRE(data.cursor().step == 1);
  }
}

TEST_CASE("the CUDA copy of float32 rows copies values and labels", "[unit][shim]") {
  for (const std::int64_t S : {1, 4, 7, 1024, 1026, 5000}) {
    for (const int multiprocessors : {kOneMultiprocessor, kManyMultiprocessors}) {
      constexpr std::int64_t N = 11, B = 11;  // all rows: the last one has nothing behind it
      std::vector<float> rows(static_cast<std::size_t>(N * S)), out(static_cast<std::size_t>(B * S), -1.0f);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i) / 3;
      std::vector<std::uint32_t> labels(N), out_labels(B);
      for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(100 + i);
      std::uint32_t error = 0;
      const OrderKey order = make_order_key(N, 5, 0, true);
      const RowCopyArgs args{rows.data(),   S, {nullptr, order, 0}, B,     out.data(),
                             labels.data(), 1, out_labels.data(),   &error};
      REQUIRE(cuda::launch_row_copy(args, multiprocessors, nullptr) == cudaSuccess);
      for (std::int64_t b = 0; b < B; ++b) {
        const std::int64_t row = permute(order, b);
        REQUIRE(out_labels[static_cast<std::size_t>(b)] == static_cast<std::uint32_t>(100 + row));
        REQUIRE(std::equal(out.begin() + b * S, out.begin() + (b + 1) * S, rows.begin() + row * S));
      }
      REQUIRE(error == 0);
    }
  }
}

TEST_CASE("the CUDA mean of a batch has the bits of the CPU's", "[unit][shim]") {
  for (const std::int64_t P : {1, 3, 4, 64, 1021, 1024}) {
    for (const std::int64_t C : {1, 3, 130}) {
      const GatherCase parameters{.N = 20, .C = C, .P = P, .B = 13, .staged_count = 6};
      GatherData data(parameters);
      const GatherArgs gather = data.args();
      const auto channels = static_cast<std::size_t>(C);
      std::vector<Quantisation> quantisation(channels);
      std::vector<double> divisors(channels, 128.0);
      for (std::size_t c = 0; c < channels; ++c) {
        quantisation[c] = {1.0 + static_cast<double>(c) / 7, static_cast<double>(c) / 3};
        divisors[c] += static_cast<double>(c);
      }
      std::vector<std::int64_t> sums(channels), expected_sums(channels);
      std::vector<Affine> maps(channels), expected_maps(channels);
      BatchMeanArgs args{
          gather.packed,       C, P, gather.selection, 13, quantisation.data(), divisors.data(), expected_sums.data(),
          expected_maps.data()};
      cpu::add_batch_sums(args, 0, 13, expected_sums.data());
      cpu::fold_batch_maps(args);
      args.sums = sums.data();
      args.maps = maps.data();
      for (const int multiprocessors : {kOneMultiprocessor, kManyMultiprocessors}) {
        INFO("C " << C << " P " << P);
        REQUIRE(cuda::launch_batch_mean(args, multiprocessors, nullptr) == cudaSuccess);
        REQUIRE(sums == expected_sums);
        for (std::size_t c = 0; c < channels; ++c) {
          REQUIRE(bits_of(maps[c].scale) == bits_of(expected_maps[c].scale));
          REQUIRE(bits_of(maps[c].shift) == bits_of(expected_maps[c].shift));
        }
      }
    }
  }
}

TEST_CASE("a grid covers its work and stays within the limits of every device", "[unit][shim]") {
  using cuda::batch_geometry;
  const auto covers = [](std::int64_t batch, std::int64_t runs, std::int64_t units) {
    const cuda::BatchGeometry geometry = batch_geometry(batch, runs, units, 132);
    REQUIRE(geometry.block_threads % 32 == 0);
    REQUIRE(geometry.block_threads <= cuda::kLargestBlock);
    REQUIRE(geometry.tiles >= 1);
    REQUIRE(geometry.tiles <= 65535);
    REQUIRE(geometry.samples_per_block <= cuda::kMostSamplesPerBlock);
    REQUIRE(geometry.samples_per_block <= static_cast<int>(geometry.block_threads));
    REQUIRE(static_cast<std::int64_t>(geometry.groups) * geometry.samples_per_block >= batch);
    REQUIRE((static_cast<std::int64_t>(geometry.groups) - 1) * geometry.samples_per_block < batch);
  };
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{8}, std::int64_t{65536}, std::int64_t{2147483647}}) {
    for (const std::int64_t units :
         {std::int64_t{1}, std::int64_t{196}, std::int64_t{37632}, std::int64_t{536870911}}) {
      covers(batch, 1, units);
      covers(batch, 4096, units);
    }
  }
}
