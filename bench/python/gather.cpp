// The gather behind a C interface, so that bench/python/peers.py can time it and its peers in one process.
#include <cstdio>
#include <octavo/octavo.hpp>

namespace {

/// A split in memory and the spec of its batches.
struct Resident {
  octavo::Store store;
  octavo::PreparedSpec spec;
};

}  // namespace

extern "C" {

/// The split `train` of the file at `path`, normalized by "standard"; null on failure, with the reason on stderr.
void* octavo_bench_open(const char* path) {
  try {
    octavo::Store store = octavo::Store::load(octavo::Dataset::open(path).split("train"), octavo::Device::cpu());
    octavo::PreparedSpec spec = store.prepare(octavo::BatchSpec::preset("standard"));
    return new Resident{std::move(store), std::move(spec)};
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

/// Gathers `count` rows to `out`, float32 [count,C*H*W]; returns 0 on success.
int octavo_bench_gather(const void* opened, const std::int64_t* rows, std::int64_t count, float* out) {
  try {
    const auto& resident = *static_cast<const Resident*>(opened);
    resident.store.gather({rows, static_cast<std::size_t>(count)}, resident.spec,
                          {out, octavo::DType::float32, {count, resident.store.shape().values()}});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

void octavo_bench_close(void* opened) { delete static_cast<Resident*>(opened); }
}
