// The ranks of an MPI program hold a split together: mpirun -n 4 example_mpi FILE
//
// Prints a digest of all batches, which does not depend on the number of ranks.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>

#include "mpi_exchange.hpp"

namespace {

constexpr std::int64_t kEpochs = 3;

/// A digest of one image at a position of the order. Their sum does not depend on who adds it.
std::uint64_t digest(const float* values, std::int64_t count, std::int64_t position) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ static_cast<std::uint64_t>(position);
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof(bits));
    hash = (hash ^ bits) * 0x100000001b3;
  }
  return hash;
}

void serve(const char* file) {
  octavo::LoadOptions load;
  load.residency = octavo::Residency::sharded;
  load.shares_host_memory = false;  // for the sake of the example: exchange samples on one machine, too
  load.exchange = [] { return std::make_shared<MpiExchange>(); };
  // Each rank loads its part of the samples.
  const octavo::Store store =
      octavo::Store::load(octavo::Dataset::open(file).split("train"), octavo::Device::cpu(), load);

  octavo::LoaderOptions options{.batch_size = 128, .shuffle = true, .seed = 7};
  int rank, world_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  options.rank = rank;
  options.world_size = world_size;
  octavo::Loader loader(store, options);

  std::uint64_t own = 0;
  const std::int64_t N = store.sample_count(), values = store.shape().values();
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    for (const octavo::Batch& batch : loader.epoch(epoch)) {
      // This rank has positions [rb/R, (r+1)b/R) of a batch of b samples.
      const std::int64_t begin = batch.step() * options.batch_size;
      const std::int64_t b = std::min(options.batch_size, N - begin);
      const std::int64_t first = epoch * N + begin + b * rank / world_size;
      const float* images = batch.images().floats().data();
      for (std::int64_t i = 0; i < batch.size(); ++i) own += digest(images + i * values, values, first + i);
    }
  }
  std::uint64_t all = 0;
  MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::cout << kEpochs * N << " samples, " << store.resident_count() << " of " << store.sample_count()
              << " on rank 0, digest " << std::hex << all << "\n";
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  try {
    if (argument_count != 2) throw octavo::InvalidArgument("usage: example_mpi FILE");
    if (provided < MPI_THREAD_MULTIPLE) throw octavo::Unavailable("this MPI does not support threads");
    serve(arguments[1]);
  } catch (const octavo::Error& error) {
    std::cerr << error.what() << "\n";
    // Not MPI_Finalize(), which waits for all ranks: one that does not answer never comes.
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
