// The types of HDF5 datasets from other programs. Use it in a child process, inside an hdf5::Session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// NumPy's name for a type of plain numbers, or for an enumeration of integers; nothing for any other type.
std::optional<std::string> element_name(hid_t type);

/// "text", "records", "references": what a type is that element_name() does not name, for messages.
std::string type_text(hid_t type);

/// The type of the numbers as sent, little-endian and without unused bits.
hdf5::TypeHandle sent_type(hid_t type);

/// The names of the numbers 0, 1, ... of an enumeration; empty if it has other numbers, or is NumPy's bool as h5py
/// stores it.
std::vector<std::string> value_names(hid_t type);

}  // namespace octavo::dataset_file
