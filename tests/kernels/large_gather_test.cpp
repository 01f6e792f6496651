// Rows and outputs beyond 2^31 and 2^32 bytes, in sparse memory with few touched pages.
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "gather_cases.hpp"
#include "kernels/cpu/gather.hpp"

using namespace octavo::kernels;
using octavo::DType;
using octavo::Layout;

namespace {

/// Address space that uses memory only where it is written.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes)
      : bytes_(bytes),
        memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~SparseMemory() {
    if (is_mapped()) ::munmap(memory_, bytes_);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  bool is_mapped() const { return memory_ != MAP_FAILED; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

TEST_CASE("rows and outputs beyond 2^32 bytes are at the right addresses", "[unit][kernels][large]") {
  constexpr std::int64_t S = 3072, N = (std::int64_t{5} << 30) / S, B = N;
  const SparseMemory codes(static_cast<std::size_t>(N * S)), values(static_cast<std::size_t>(B * S * 4));
  if (!codes.is_mapped() || !values.is_mapped()) OCTAVO_SKIP("25 GiB of address space are not available");
  // Positions around the boundaries. Each one reads the row at the mirrored position.
  const std::int64_t border_31 = (std::int64_t{1} << 31) / S, border_32 = (std::int64_t{1} << 32) / S;
  const Affine map{0.5f, 1.0f};
  for (const std::int64_t b : {border_31 / 4, border_32 / 4, border_31, border_32, B - 3}) {
    std::vector<std::int64_t> rows(3);
    for (std::int64_t i = 0; i < 3; ++i) {
      rows[static_cast<std::size_t>(i)] = N - 1 - (b + i);
      for (std::int64_t v = 0; v < S; ++v) {
        codes.as<std::int8_t>()[(N - 1 - (b + i)) * S + v] = static_cast<std::int8_t>(b * 31 + i * 7 + v);
      }
    }
    GatherArgs args{};
    args.packed = {codes.as<std::int8_t>(), nullptr, N, nullptr, nullptr, S, 0};
    args.set_shapes({3, 32, 32}, DType::float32, Layout::nchw);
    // `rows` holds only the rows of positions b to b + 2, so the pointer is moved back by b.
    args.selection = given_rows(rows.data() - b, N);
    args.batch_count = B;
    args.maps = &map;
    args.uniform_map = true;
    args.values = values.as<void>();
    cpu::gather(args, b, b + 3, cpu::Stores::streaming);
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t v = 0; v < S; ++v) {
        const auto code = static_cast<std::int8_t>(b * 31 + i * 7 + v);
        if (values.as<float>()[(b + i) * S + v] != octavo::test::exact_value(code, map))
          FAIL("position " << b + i << " value " << v);
      }
    }
  }
}

TEST_CASE("more than 2^32 samples are drawn and read by the order", "[unit][kernels][large]") {
  constexpr std::int64_t N = (std::int64_t{1} << 32) + 12345, kPlaces = 1000;
  const SparseMemory codes(static_cast<std::size_t>(N));
  if (!codes.is_mapped()) OCTAVO_SKIP("4 GiB of address space are not available");
  const OrderKey order = make_order_key(N, 5, 2, true);
  const Affine map{1.0f, 0.0f};
  // The first and the last positions of an epoch; some of their rows are beyond 2^31 and 2^32.
  for (const std::int64_t first_position : {std::int64_t{0}, N - kPlaces}) {
    std::int64_t largest_row = 0;
    for (std::int64_t i = 0; i < kPlaces; ++i) {
      const std::int64_t row = permute(order, first_position + i);
      largest_row = std::max(largest_row, row);
      codes.as<std::int8_t>()[row] = static_cast<std::int8_t>(row * 37);
    }
    REQUIRE(largest_row > std::int64_t{1} << 31);
    std::vector<float> values(kPlaces);
    GatherArgs args{};
    args.packed = {codes.as<std::int8_t>(), nullptr, N, nullptr, nullptr, 1, 0};
    args.set_shapes({1, 1, 1}, DType::float32, Layout::nchw);
    args.selection = rows_in_order(order, first_position, 2);
    args.batch_count = kPlaces;
    args.maps = &map;
    args.uniform_map = true;
    args.values = values.data();
    cpu::gather(args, 0, kPlaces, cpu::Stores::cached);
    for (std::int64_t i = 0; i < kPlaces; ++i) {
      const auto code = static_cast<std::int8_t>(permute(order, first_position + i) * 37);
      REQUIRE(values[static_cast<std::size_t>(i)] == static_cast<float>(code));
    }
  }
}
