// Reading objects of an HDF5 file with the HDF5 library. Use in a child process, inside an hdf5::Session.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hdf5/handles.hpp"

namespace octavo::hdf5 {

/// Opens `path` for reading, without locking it and with plug-ins disabled.
hdf5::FileHandle open_hdf5(const std::filesystem::path& path);

/// The path of the file that holds an open object, as it was opened.
std::filesystem::path file_name_of(hid_t object);

/// The lengths of the axes of a dataset; empty for a scalar.
std::vector<std::int64_t> axes_of(hid_t dataset);

/// Attributes of an open object; nothing if there is none with that name and kind. Texts may have a fixed or a variable
/// length; numbers are a scalar or a list of at most 4096.
std::optional<std::string> read_text_attribute(hid_t object, const char* name);
std::optional<std::vector<double>> read_number_attribute(hid_t object, const char* name);

}  // namespace octavo::hdf5
