// The formats of sources. The command line, Python and the documentation list this table.
#pragma once

#include <array>
#include <string_view>

namespace octavo {

/// The format of a source; `automatic` detects it from the contents.
enum class SourceFormat {
  automatic,
  idx,
  cifar10,   ///< the binary version
  cifar100,  ///< the binary version
  stl10,
  npy,      ///< .npy or .npz
  mat,      ///< MATLAB 5, for example SVHN's cropped digits
  hdf5,     ///< any HDF5 file that is not a dataset file
  octavo,   ///< a dataset file
  list,     ///< an image list: CSV, TSV or JSON Lines
  archive,  ///< tar or zip: images in folders, WebDataset shards, or files of the formats above
  folder,   ///< images in folders
};

struct SourceFormatInfo {
  SourceFormat format;
  std::string_view name;
  std::array<std::string_view, 2> aliases{};  ///< other names for it; the rest is empty
};
inline constexpr std::array<SourceFormatInfo, 12> kSourceFormats = {{
    {SourceFormat::automatic, "auto"},
    {SourceFormat::idx, "idx"},
    {SourceFormat::cifar10, "cifar10"},
    {SourceFormat::cifar100, "cifar100"},
    {SourceFormat::stl10, "stl10"},
    {SourceFormat::npy, "npy", {"npz"}},
    {SourceFormat::mat, "mat"},
    {SourceFormat::hdf5, "hdf5"},
    {SourceFormat::octavo, "octavo"},
    {SourceFormat::list, "list", {"manifest"}},  // "manifest" is the name before 0.2
    {SourceFormat::archive, "archive", {"tar", "zip"}},
    {SourceFormat::folder, "folder"},
}};

}  // namespace octavo
