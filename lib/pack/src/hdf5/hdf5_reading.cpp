#include "hdf5/hdf5_reading.hpp"

#include <cstring>

#include "format/limits.hpp"
#include "hdf5/session.hpp"
#include "support/file.hpp"

namespace octavo::hdf5 {
namespace {

using hdf5::check;
using hdf5::own;

constexpr std::size_t kMostTextBytes = std::size_t{1} << 16;

hdf5::AttributeHandle open_attribute(hid_t object, const char* name) {
  if (check(H5Aexists(object, name), "look for an attribute") == 0) return {};
  return own<hdf5::AttributeHandle>(H5Aopen(object, name, H5P_DEFAULT), "open an attribute");
}

std::string read_variable_text(hid_t attribute, hid_t type) {
  char* text = nullptr;
  check(H5Aread(attribute, type, static_cast<void*>(&text)), "read an attribute");
  std::string result = text == nullptr ? "" : text;
  check(H5free_memory(text), "free a text");
  return result;
}

}  // namespace

hdf5::FileHandle open_hdf5(const std::filesystem::path& path) {
  // HDF5 would load filters that are not built in from a path in the environment.
  check(H5PLset_loading_state(0), "disable plug-ins");
  const auto access = own<hdf5::PropertiesHandle>(H5Pcreate(H5P_FILE_ACCESS), "create a property list");
  // Some network file systems do not support locks, and nothing is written.
  check(H5Pset_file_locking(access.get(), false, true), "disable file locks");
  return own<hdf5::FileHandle>(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), "open " + quoted(path));
}

std::filesystem::path file_name_of(hid_t object) {
  std::string name(static_cast<std::size_t>(check(H5Fget_name(object, nullptr, 0), "read a file name")) + 1, '\0');
  check(H5Fget_name(object, name.data(), name.size()), "read a file name");
  name.pop_back();
  return name;
}

std::vector<std::int64_t> axes_of(hid_t dataset) {
  const auto space = own<hdf5::SpaceHandle>(H5Dget_space(dataset), "read a shape");
  std::vector<hsize_t> axes(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.get()), "read a shape")));
  check(H5Sget_simple_extent_dims(space.get(), axes.data(), nullptr), "read a shape");
  return {axes.begin(), axes.end()};
}

std::optional<std::string> read_text_attribute(hid_t object, const char* name) {
  const auto attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const auto type = own<hdf5::TypeHandle>(H5Aget_type(attribute.get()), "read a type");
  const auto space = own<hdf5::SpaceHandle>(H5Aget_space(attribute.get()), "read a shape");
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) return std::nullopt;
  if (H5Tis_variable_str(type.get()) > 0) return read_variable_text(attribute.get(), type.get());
  std::string text(H5Tget_size(type.get()), '\0');
  if (text.size() > kMostTextBytes) return std::nullopt;
  check(H5Aread(attribute.get(), type.get(), text.data()), "read an attribute");
  text.resize(::strnlen(text.data(), text.size()));
  return text;
}

std::optional<std::vector<double>> read_number_attribute(hid_t object, const char* name) {
  const auto attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const auto type = own<hdf5::TypeHandle>(H5Aget_type(attribute.get()), "read a type");
  const auto space = own<hdf5::SpaceHandle>(H5Aget_space(attribute.get()), "read a shape");
  const H5T_class_t kind = H5Tget_class(type.get());
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > dataset_file::kMostChannels)
    return std::nullopt;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, numbers.data()), "read an attribute");
  return numbers;
}

}  // namespace octavo::hdf5
