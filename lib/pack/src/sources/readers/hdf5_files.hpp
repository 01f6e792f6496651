// HDF5 files as containers of arrays, also for MATLAB 7.3 files, which are HDF5 files.
#pragma once

#include <memory>

#include "sources/readers/array_container.hpp"

namespace octavo::sources {

/// The arrays in an HDF5 file: as MATLAB's variables if it has MATLAB's header, or marks of MATLAB on its datasets.
std::unique_ptr<ArrayContainer> open_hdf5_container(SourceEntry& entry);

}  // namespace octavo::sources
