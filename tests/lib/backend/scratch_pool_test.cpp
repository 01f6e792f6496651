#include "backend/scratch_pool.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"

using namespace octavo;
using namespace octavo::backend;

TEST_CASE("scratch memory is reused and grows", "[unit][backend]") {
  const auto backend = make_cpu_backend(1);
  ScratchPool pool(*backend);
  std::byte* first = nullptr;
  {
    const ScratchPool::Loan loan(pool, 100);
    first = loan.data();
    first[99] = std::byte{1};
    const ScratchPool::Loan other(pool, 100);
    REQUIRE(other.data() != first);
  }
  const ScratchPool::Loan smaller(pool, 50);
  REQUIRE(smaller.data() == first);  // given back last
  const ScratchPool::Loan larger(pool, 1 << 20);
  larger.data()[(1 << 20) - 1] = std::byte{1};
  REQUIRE(ScratchPool::Loan(pool, 0).data() == nullptr);
}

TEST_CASE("an augmentation without enough memory fails where it is enqueued", "[unit][backend]") {
  // In the queue of the stream, nobody could catch the error.
  const auto backend = make_cpu_backend(1);
  const OwnedStream stream(backend);
  kernels::AugmentProgram program{};
  program.most_pixels = std::int64_t{1} << 50;
  kernels::GatherArgs args{};
  args.set_shapes({1, 1, 1}, DType::float32, Layout::nchw);
  args.batch_count = 1;
  args.augment.program = &program;
  REQUIRE_THROWS_AS(backend->gather(args, StreamRef(stream.get())), OutOfMemory);
}
