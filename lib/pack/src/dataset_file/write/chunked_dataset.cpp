#include "dataset_file/write/chunked_dataset.hpp"

#include <algorithm>
#include <array>

#include <octavo/errors.hpp>

#include "hdf5/session.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

constexpr std::size_t kRank = 4;
/// Bit mask of the filters that were not applied.
constexpr std::uint32_t kAllApplied = 0;
constexpr std::uint32_t kCodecSkipped = 1;

hdf5::PropertiesHandle chunked_properties(const std::array<hsize_t, kRank>& chunk_axes, const Codec& codec, int level) {
  auto list = own<hdf5::PropertiesHandle>(H5Pcreate(H5P_DATASET_CREATE), "create a property list");
  check(H5Pset_chunk(list.get(), kRank, chunk_axes.data()), "choose the shape of chunks");
  const auto hdf5_level = static_cast<unsigned>(std::min(level, codec.most_hdf5_level));
  check(H5Pset_filter(list.get(), static_cast<H5Z_filter_t>(codec.hdf5_filter), H5Z_FLAG_OPTIONAL, 1, &hdf5_level),
        "choose the filter of chunks");
  check(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), "disable filling");
  check(H5Pset_obj_track_times(list.get(), false), "disable timestamps");
  return list;
}

}  // namespace

ChunkedDataset::ChunkedDataset(hid_t file, const std::string& path, const std::vector<std::int64_t>& axes,
                               std::int64_t samples_per_chunk, const Codec& codec, int level)
    : path_(path) {
  const hdf5::Session session;
  std::array<hsize_t, kRank> shape{};
  std::copy(axes.begin(), axes.end(), shape.begin());
  const auto space = own<hdf5::SpaceHandle>(H5Screate_simple(kRank, shape.data(), nullptr), "make a shape");
  shape[0] = static_cast<hsize_t>(samples_per_chunk);
  const auto list = chunked_properties(shape, codec, level);
  dataset_ = own<hdf5::DatasetHandle>(
      H5Dcreate2(file, path.c_str(), H5T_STD_I8LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      "create the dataset " + path);
}

ChunkedDataset::~ChunkedDataset() {
  const hdf5::Session session;
  dataset_.reset();
}

void ChunkedDataset::write(std::int64_t first_row, std::span<const std::byte> bytes, bool is_encoded) const {
  const hdf5::Session session;
  const std::array<hsize_t, kRank> place = {static_cast<hsize_t>(first_row), 0, 0, 0};
  check(H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, is_encoded ? kAllApplied : kCodecSkipped, place.data(),
                       bytes.size(), bytes.data()),
        "write a chunk of " + path_);
}

std::int64_t ChunkedDataset::offset_in_hdf5(std::int64_t first_row) const {
  const hdf5::Session session;
  const std::array<hsize_t, kRank> place = {static_cast<hsize_t>(first_row), 0, 0, 0};
  unsigned filter_mask = 0;
  haddr_t offset = HADDR_UNDEF;
  hsize_t bytes = 0;
  check(H5Dget_chunk_info_by_coord(dataset_.get(), place.data(), &filter_mask, &offset, &bytes),
        "find a chunk of " + path_);
  if (offset == HADDR_UNDEF) throw IoError("HDF5 allocated no space for a chunk of " + path_);
  return static_cast<std::int64_t>(offset);
}

}  // namespace octavo::dataset_file
