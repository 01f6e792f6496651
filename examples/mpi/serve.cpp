// The ranks of an MPI program hold a split together: mpirun -n 4 example_mpi FILE
//
// Prints a digest of all batches, which does not depend on the number of ranks.
#include <cstring>
#include <iostream>
#include <memory>

#include "mpi_exchange.hpp"

namespace {

/// A digest of one image at a position of the order. Their sum does not depend on who adds it.
std::uint64_t digest(const float* values, std::int64_t count, std::uint64_t position) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ position;
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
  octavo::BatchMaker maker(store, options);

  std::uint64_t own = 0, position = 0;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    for (std::int64_t step = 0; step < maker.batches_per_epoch(epoch); ++step) {
      const octavo::RankShare share = maker.share(epoch, step);
      octavo::OwnedTensor images(store.device(), octavo::DType::float32, {share.own, store.shape().values()});
      maker.make(epoch, step, images.view());
      const std::int64_t first = share.batch * rank / world_size;
      const float* values = images.view().floats().data();
      for (std::int64_t i = 0; i < share.own; ++i) {
        own += digest(values + i * store.shape().values(), store.shape().values(),
                      position + static_cast<std::uint64_t>(first + i));
      }
      position += static_cast<std::uint64_t>(share.batch);
    }
  }
  std::uint64_t all = 0;
  MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::cout << position << " samples, " << store.resident_count() << " of " << store.sample_count()
              << " on rank 0, digest " << std::hex << all << "\n";
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  int status = 0;
  try {
    if (argument_count != 2) throw octavo::InvalidArgument("usage: example_mpi FILE");
    if (provided < MPI_THREAD_MULTIPLE) throw octavo::Unavailable("this MPI does not support threads");
    serve(arguments[1]);
  } catch (const octavo::Error& error) {
    std::cerr << error.what() << "\n";
    status = 1;
  }
  MPI_Finalize();
  return status;
}
