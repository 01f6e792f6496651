// A program for tests of faults: reads random ranges of a source in memory through a cache.
//
//   cached_reads FOLDER MOST_BYTES SEED
//
// Prints how many blocks were fetched and kept, how many were damaged, and the problem. Exits with 3 if a byte is wrong
// and with 4 if a read fails, which must not happen whatever fails in the folder.
#include <octavo/cached_source.hpp>

#include <cstdio>
#include <cstdlib>

#include "counted_source.hpp"

int main(int count, char** arguments) {
  using namespace octavo;
  if (count != 4) return 2;
  try {
    const auto plain = std::make_shared<test::CountedSource>(10 * 131072 + 1000);
    const auto source = cached(plain, {arguments[1], std::atoll(arguments[2])});
    std::mt19937_64 random(static_cast<std::uint64_t>(std::atoll(arguments[3])));
    for (int i = 0; i < 25; ++i) {
      if (!test::reads_a_random_range(*source, *plain, random, 150'000)) return 3;
    }
    const CacheStatistics statistics = source->statistics();
    std::printf("fetched %lld kept %lld damaged %lld problem %s\n", static_cast<long long>(statistics.fetched_blocks),
                static_cast<long long>(statistics.kept_blocks), static_cast<long long>(statistics.damaged_blocks),
                source->problem().c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "cached_reads: %s\n", problem.what());
    return 4;
  }
}
