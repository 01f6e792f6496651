// The options of the environment variable DEVICE_CODE.
#pragma once

#include <filesystem>
#include <string_view>

#include "machine/machine.hpp"

namespace device_code {

struct Configuration {
  std::filesystem::path folder;  ///< of the PTX files
  MachineOptions options;
};

/// Parses "ptx=FOLDER,order=random,seed=3,blocks=4,races=no,counts=yes". Throws std::invalid_argument.
Configuration parse_configuration(std::string_view text);
/// The configuration of this process. Throws std::invalid_argument if it names no folder.
const Configuration& configuration();

}  // namespace device_code
