// Prints what a GPU would do for typical launches, and fails if a count is above its recorded bound.
//
//   DEVICE_CODE=ptx=FOLDER,races=no,counts=yes kernel_costs [BOUNDS.tsv]
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "costs/cost_cases.hpp"
#include "kernels/cuda/block/geometry.hpp"
#include "kernels/cuda/gather.hpp"
#include "launch/launch_generated.hpp"

using namespace device_code;

namespace {

/// An eighth of an H200: with an eighth of a batch, its multiprocessors have as much to do.
constexpr octavo::kernels::cuda::DeviceTraits kDevice{16, 50 << 20};

/// The counts, in the order of the columns.
struct Costs {
  double instructions;    ///< of a lane, for a value
  double loads;           ///< sectors of loads, for each sector that the codes fill
  double stores;          ///< sectors of stores, for each sector that the values fill
  double bank_conflicts;  ///< wavefronts of shared memory, for each wavefront that its words fill
  double local;           ///< requests to local memory, for 1,000 values

  std::array<double, 5> columns() const { return {instructions, loads, stores, bank_conflicts, local}; }
};

double ratio(u64 a, double b) { return b == 0 ? 0 : static_cast<double>(a) / b; }

Costs costs_of(CostCase& one) {
  machine().counts = {};
  if (octavo::kernels::cuda::launch_gather(one.args, kDevice, nullptr) != cudaSuccess) {
    throw std::runtime_error(one.name + ": the launch failed");
  }
  const WorkCounts& counts = machine().counts;
  constexpr double kSector = 32;
  const auto values = static_cast<double>(one.value_count());
  const double value_bytes = values * static_cast<double>(octavo::bytes_of(one.args.batch.dtype));
  return {ratio(kWarpLanes * counts.warp_instructions, values), ratio(counts.global_loads.units, values / kSector),
          ratio(counts.global_stores.units, value_bytes / kSector),
          ratio(counts.shared_loads.units + counts.shared_stores.units,
                static_cast<double>(counts.shared_loads.ideal_units + counts.shared_stores.ideal_units)),
          ratio(1000 * counts.local_requests, values)};
}

/// The bounds of each launch: its name, then a number for each column, separated by tabs.
std::map<std::string, std::array<double, 5>> read_bounds(const char* path) {
  std::map<std::string, std::array<double, 5>> bounds;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("read ") + path + ": the file cannot be opened");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name;
    std::getline(fields, name, '\t');
    for (double& bound : bounds[name]) fields >> bound;
  }
  return bounds;
}

/// The number of counts above their bounds.
int exceeded(const CostCase& one, const Costs& costs, const std::array<double, 5>& bounds) {
  constexpr const char* kColumns[] = {"instructions for a value", "sectors loaded", "sectors stored", "wavefronts",
                                      "local requests"};
  // Compilers differ a little.
  constexpr double kTolerance = 1.02;
  int count = 0;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    if (costs.columns()[k] <= bounds[k] * kTolerance + 0.005) continue;
    std::cerr << one.name << ": " << kColumns[k] << ": " << costs.columns()[k] << ", at most " << bounds[k]
              << " allowed\n";
    ++count;
  }
  return count;
}

int run(const char* bounds_path) {
  std::map<std::string, std::array<double, 5>> bounds;
  if (bounds_path != nullptr) bounds = read_bounds(bounds_path);
  int exceeded_count = 0;
  for (const auto& one : cost_cases()) {
    const Costs costs = costs_of(*one);
    std::printf("%s", one->name.c_str());
    for (const double column : costs.columns()) std::printf("\t%.2f", column);
    std::printf("\n");
    std::fflush(stdout);
    if (bounds_path == nullptr) continue;
    const auto found = bounds.find(one->name);
    if (found == bounds.end()) throw std::runtime_error(one->name + ": has no bounds");
    exceeded_count += exceeded(*one, costs, found->second);
  }
  return exceeded_count == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
