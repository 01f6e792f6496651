// Rank 1 stops, as a process that a debugger or a full disk holds: the others name it.
#include <csignal>
#include <iostream>
#include <vector>

#include "mpi_exchange.hpp"

int main(int argument_count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  {
    MpiExchange exchange(std::chrono::milliseconds(4000));
    const std::vector<std::byte> own(8);
    std::vector<std::byte> all(static_cast<std::size_t>(8 * exchange.world_size()));
    exchange.all_gather(own, all);
    if (exchange.rank() == 1) std::raise(SIGSTOP);
    try {
      exchange.all_gather(own, all);
      std::cout << "rank " << exchange.rank() << " has waited for nobody\n";
    } catch (const octavo::IoError& error) {
      std::cout << "rank " << exchange.rank() << ": " << error.what() << std::endl;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));  // the others report it, too
  }
  MPI_Abort(MPI_COMM_WORLD, 3);
}
