// Opening what was found as arrays: one function a format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays/array_set.hpp"
#include "sources/lists/discovery.hpp"

namespace octavo::sources {

/// All throw FormatError, IoError or InvalidArgument, naming the file.

/// An IDX file of images, and the file of labels beside it: "x-images-idx3-ubyte", "x-labels-idx1-ubyte".
std::vector<arrays::ArraySet> open_idx_files(const Finding& finding);

/// A CIFAR-10 or CIFAR-100 batch, binary or pickled, and the class names beside it.
std::vector<arrays::ArraySet> open_cifar_files(const Finding& finding);

/// An STL-10 file of images, and the file of labels beside it: "train_X.bin", "train_y.bin".
std::vector<arrays::ArraySet> open_stl10_files(const Finding& finding);

/// A .npy file of images and the one of labels beside it, or the pairs of arrays in a .npz file.
std::vector<arrays::ArraySet> open_npy_files(const Finding& finding);

/// The pairs of arrays in a MATLAB 5 file.
std::vector<arrays::ArraySet> open_mat_file(const Finding& finding);

/// The pairs of datasets in an HDF5 file.
std::vector<arrays::ArraySet> open_hdf5_file(const Finding& finding);

/// What is in a CIFAR file.
struct CifarKind {
  bool is_pickled = false;
  int class_count = 10;  ///< or 100
};

/// The kind of CIFAR file by its content: pickled batches by their beginning, binary ones by the record length that
/// divides the file's, of which both do only where labels tell them apart. Where none does, the one whose first records
/// have labels in range, so that a cut file is named as such. Nothing if it is none.
std::optional<CifarKind> detect_cifar(files::ByteStream& stream);

/// Whether a file has the length of STL-10 images, and the name.
bool is_stl10_images(const std::string& name, const files::ByteStream& stream);

/// The file beside `images` whose name is one of these with the word for images replaced by the one for labels; and
/// perhaps ".gz" behind it. Nothing if there is none.
std::optional<std::string> labels_beside(const files::FileTree& tree, const std::string& images);

}  // namespace octavo::sources
