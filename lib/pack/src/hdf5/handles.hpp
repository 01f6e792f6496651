// Owners of HDF5 identifiers. Create and destroy them inside an hdf5::Session.
#pragma once

#include <hdf5.h>

#include "support/unique_handle.hpp"

namespace octavo::hdf5 {

using FileHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Fclose>;
using GroupHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Gclose>;
using ObjectHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Oclose>;
using DatasetHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Dclose>;
using SpaceHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Sclose>;
using TypeHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Tclose>;
using AttributeHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Aclose>;
using PropertiesHandle = UniqueHandle<hid_t, hid_t{-1}, &H5Pclose>;

}  // namespace octavo::hdf5
