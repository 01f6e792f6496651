#include "dataset_file/write/skeleton.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "format/index/header.hpp"
#include "hdf5/session.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

constexpr hsize_t kPage = 4096;

hdf5::PropertiesHandle properties(hid_t kind) {
  return own<hdf5::PropertiesHandle>(H5Pcreate(kind), "create a property list");
}

hdf5::PropertiesHandle access_properties(Alignment alignment) {
  auto list = properties(H5P_FILE_ACCESS);
  // Format 1.10: every structure has a checksum, and damaged ones were not seen to crash readers.
  check(H5Pset_libver_bounds(list.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the file format");
  const hsize_t multiple = alignment == Alignment::pages ? kPage : 1;
  check(H5Pset_alignment(list.get(), multiple, multiple), "set the alignment");
  check(H5Pset_fclose_degree(list.get(), H5F_CLOSE_SEMI), "set how files are closed");
  // The writer has its own lock, and some network file systems do not support locks.
  check(H5Pset_file_locking(list.get(), false, true), "disable file locks");
  return list;
}

hdf5::PropertiesHandle creation_properties() {
  auto list = properties(H5P_FILE_CREATE);
  check(H5Pset_userblock(list.get(), kHeaderBytes), "reserve room for the header");
  check(H5Pset_obj_track_times(list.get(), false), "disable timestamps");
  return list;
}

hdf5::PropertiesHandle dataset_properties() {
  auto list = properties(H5P_DATASET_CREATE);
  check(H5Pset_layout(list.get(), H5D_CONTIGUOUS), "choose the layout");
  check(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY), "choose early allocation");
  check(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), "disable filling");
  check(H5Pset_obj_track_times(list.get(), false), "disable timestamps");
  return list;
}

hdf5::TypeHandle text_type(std::int64_t bytes) {
  auto type = own<hdf5::TypeHandle>(H5Tcopy(H5T_C_S1), "create a text type");
  check(H5Tset_size(type.get(), static_cast<std::size_t>(std::max<std::int64_t>(1, bytes))),
        "set the length of a text");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "choose UTF-8");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "choose the padding");
  return type;
}

hid_t number_type(StoredType element) {
  switch (element) {
    case StoredType::int8:
      return H5T_STD_I8LE;
    case StoredType::uint8:
      return H5T_STD_U8LE;
    case StoredType::int32:
      return H5T_STD_I32LE;
    case StoredType::uint32:
      return H5T_STD_U32LE;
    case StoredType::int64:
      return H5T_STD_I64LE;
    case StoredType::uint64:
      return H5T_STD_U64LE;
    case StoredType::float32:
      return H5T_IEEE_F32LE;
    case StoredType::text:
      break;
  }
  throw InvalidArgument("a text is not a number");
}

hdf5::SpaceHandle simple_space(const std::vector<hsize_t>& axes) {
  return own<hdf5::SpaceHandle>(H5Screate_simple(static_cast<int>(axes.size()), axes.data(), nullptr), "make a shape");
}

hdf5::SpaceHandle scalar_space() { return own<hdf5::SpaceHandle>(H5Screate(H5S_SCALAR), "make a shape"); }

}  // namespace

hdf5::TypeHandle type_of(StoredType element, std::int64_t text_bytes) {
  if (element == StoredType::text) return text_type(text_bytes);
  return own<hdf5::TypeHandle>(H5Tcopy(number_type(element)), "copy a type");
}

Skeleton::Skeleton(const std::filesystem::path& path, Alignment alignment) {
  const hdf5::Session session;
  const auto creation = creation_properties();
  const auto access = access_properties(alignment);
  file_ = own<hdf5::FileHandle>(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation.get(), access.get()),
                                "create " + quoted(path));
}

Skeleton::~Skeleton() {
  const hdf5::Session session;
  file_.reset();
}

void Skeleton::add_group(const std::string& path) {
  const hdf5::Session session;
  const auto list = properties(H5P_GROUP_CREATE);
  check(H5Pset_obj_track_times(list.get(), false), "disable timestamps");
  own<hdf5::GroupHandle>(H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         "create the group " + path);
}

std::int64_t Skeleton::add_dataset(const std::string& path, StoredType element, const std::vector<std::int64_t>& axes,
                                   std::int64_t text_bytes) {
  const hdf5::Session session;
  const auto type = type_of(element, text_bytes);
  const auto space = simple_space({axes.begin(), axes.end()});
  const auto list = dataset_properties();
  const auto dataset = own<hdf5::DatasetHandle>(
      H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      "create the dataset " + path);
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset == HADDR_UNDEF) throw IoError("HDF5 allocated no space for " + path);
  return static_cast<std::int64_t>(offset);
}

std::unique_ptr<ChunkedDataset> Skeleton::add_chunked_dataset(const std::string& path,
                                                              const std::vector<std::int64_t>& axes,
                                                              std::int64_t samples_per_chunk, const Codec& codec,
                                                              int level) {
  return std::make_unique<ChunkedDataset>(file_.get(), path, axes, samples_per_chunk, codec, level);
}

void Skeleton::write_attribute(const std::string& path, const std::string& name, hid_t type, hid_t space,
                               const void* value) {
  const auto object = own<hdf5::ObjectHandle>(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), "open " + path);
  const auto attribute = own<hdf5::AttributeHandle>(
      H5Acreate2(object.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "create the attribute " + name);
  check(H5Awrite(attribute.get(), type, value), "write the attribute " + name);
}

void Skeleton::add_attribute(const std::string& path, const std::string& name, std::string_view text) {
  const hdf5::Session session;
  const std::string terminated(text);  // with its zero byte, so that an empty text has the one byte its type needs
  const auto type = text_type(static_cast<std::int64_t>(text.size()));
  write_attribute(path, name, type.get(), scalar_space().get(), terminated.c_str());
}

void Skeleton::add_attribute(const std::string& path, const std::string& name, std::int32_t number) {
  const hdf5::Session session;
  write_attribute(path, name, H5T_STD_I32LE, scalar_space().get(), &number);
}

void Skeleton::add_attribute(const std::string& path, const std::string& name, double number) {
  const hdf5::Session session;
  write_attribute(path, name, H5T_IEEE_F64LE, scalar_space().get(), &number);
}

void Skeleton::add_attribute(const std::string& path, const std::string& name, std::span<const double> numbers) {
  const hdf5::Session session;
  const auto space = simple_space({static_cast<hsize_t>(numbers.size())});
  write_attribute(path, name, H5T_IEEE_F64LE, space.get(), numbers.data());
}

void Skeleton::close() {
  const hdf5::Session session;
  check(H5Fclose(file_.release()), "complete the file");
}

}  // namespace octavo::dataset_file
