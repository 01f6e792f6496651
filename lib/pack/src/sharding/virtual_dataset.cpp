#include "sharding/virtual_dataset.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>

#include "hdf5/handles.hpp"
#include "hdf5/session.hpp"
#include "support/file.hpp"

namespace octavo::sharding {
namespace {

using Axes = std::vector<hsize_t>;

/// The samples of a split that are in one shard.
struct Part {
  std::string file;
  hsize_t count;
};

struct VirtualSplit {
  SampleShape shape;
  LabelLayout labels;
  bool has_masks = false;
  std::vector<Part> parts;
};

constexpr std::string_view kDoing = "write a virtual dataset";

/// Axis 0 has the samples; `axes` are those of a sample.
Axes with_samples(hsize_t count, const Axes& axes) {
  Axes all = {count};
  all.insert(all.end(), axes.begin(), axes.end());
  return all;
}

hdf5::SpaceHandle space_of(const Axes& axes) {
  return hdf5::own<hdf5::SpaceHandle>(H5Screate_simple(static_cast<int>(axes.size()), axes.data(), nullptr), kDoing);
}

void add_dataset(hid_t group, const std::string& split, const char* name, hid_t type, const std::vector<Part>& parts,
                 const Axes& axes) {
  hsize_t total = 0;
  for (const Part& part : parts) total += part.count;
  const hdf5::SpaceHandle whole = space_of(with_samples(total, axes));
  const auto properties = hdf5::own<hdf5::PropertiesHandle>(H5Pcreate(H5P_DATASET_CREATE), kDoing);
  Axes first(axes.size() + 1, 0);
  for (const Part& part : parts) {
    const Axes there = with_samples(part.count, axes);
    const hdf5::SpaceHandle source = space_of(there);
    hdf5::check(H5Sselect_hyperslab(whole.get(), H5S_SELECT_SET, first.data(), nullptr, there.data(), nullptr), kDoing);
    const std::string path = "/" + split + "/" + name;
    hdf5::check(H5Pset_virtual(properties.get(), whole.get(), part.file.c_str(), path.c_str(), source.get()), kDoing);
    first[0] += part.count;
  }
  hdf5::check(H5Sselect_all(whole.get()), kDoing);
  hdf5::own<hdf5::DatasetHandle>(H5Dcreate2(group, name, type, whole.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                                 kDoing);
}

void add_split(hid_t file, const std::string& name, const VirtualSplit& split) {
  const auto group =
      hdf5::own<hdf5::GroupHandle>(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), kDoing);
  const auto axis = [](std::int64_t length) { return static_cast<hsize_t>(length); };
  const SampleShape& shape = split.shape;
  add_dataset(group.get(), name, "images", H5T_STD_I8LE, split.parts,
              {axis(shape.channels), axis(shape.height), axis(shape.width)});
  if (split.labels.kind != LabelKind::none) {
    const hid_t type = split.labels.kind == LabelKind::target ? H5T_IEEE_F32LE : H5T_STD_I32LE;
    const bool is_scalar = split.labels.kind == LabelKind::class_index;
    add_dataset(group.get(), name, "labels", type, split.parts, is_scalar ? Axes() : Axes{axis(split.labels.width)});
  }
  if (split.has_masks) {
    add_dataset(group.get(), name, "masks", H5T_STD_U8LE, split.parts, {1, axis(shape.height), axis(shape.width)});
  }
}

std::map<std::string, VirtualSplit> splits_of(const std::vector<std::filesystem::path>& shards) {
  std::map<std::string, VirtualSplit> splits;
  for (const std::filesystem::path& path : shards) {
    const Dataset shard = Dataset::open(path.string());
    for (const std::string& name : shard.split_names()) {
      const Split split = shard.split(name);
      if (stays_compressed(split.compression())) {
        throw InvalidArgument("write a virtual dataset: the images of " + quoted(path) + " are compressed with " +
                              to_string(split.compression()) +
                              ", which HDF5 cannot read; pack the shards with none or "
                              "deflate");
      }
      VirtualSplit& whole = splits[name];
      whole.shape = split.shape();
      whole.labels = split.labels();
      whole.has_masks = split.has_masks();
      whole.parts.push_back({path.filename().string(), static_cast<hsize_t>(split.sample_count())});
    }
  }
  return splits;
}

}  // namespace

void write_virtual_dataset(const std::filesystem::path& path, const std::vector<std::filesystem::path>& shards) {
  const std::map<std::string, VirtualSplit> splits = splits_of(shards);
  std::filesystem::path partial = path;
  partial += ".partial";
  std::error_code ignored;
  try {
    const hdf5::Session session;
    const auto access = hdf5::own<hdf5::PropertiesHandle>(H5Pcreate(H5P_FILE_ACCESS), kDoing);
    // Only newer versions of the format have virtual datasets.
    hdf5::check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), kDoing);
    const auto file =
        hdf5::own<hdf5::FileHandle>(H5Fcreate(partial.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), kDoing);
    for (const auto& [name, split] : splits) add_split(file.get(), name, split);
    hdf5::check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), kDoing);
  } catch (...) {
    std::filesystem::remove(partial, ignored);
    throw;
  }
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  if (!error) return;
  std::filesystem::remove(partial, ignored);
  throw_io_error("give its name to", path, error.value());
}

}  // namespace octavo::sharding
