// Writes the dataset file for bench/python/peers.py, with random samples, which do not compress.
#include <cstdio>
#include <stdexcept>

#include "support/packed_file.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: make_peers_file FILE.h5");
  octavo::bench::write_random_file(argv[1], {3, 32, 32}, 200000);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "make_peers_file: %s\n", error.what());
  return 1;
}
