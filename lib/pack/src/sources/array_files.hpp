// Opening files as arrays: one function per format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays/array_set.hpp"
#include "sources/lists/discovery.hpp"

namespace octavo::sources {

/// All functions throw FormatError, IoError or InvalidArgument, naming the file.

/// An IDX file of images and its file of labels in the same folder: "x-images-idx3-ubyte", "x-labels-idx1-ubyte".
std::vector<arrays::ArraySet> open_idx_files(const Finding& finding);

/// A CIFAR-10 or CIFAR-100 batch, binary or pickled, and the class names in the same folder.
std::vector<arrays::ArraySet> open_cifar_files(const Finding& finding);

/// An STL-10 file of images and its file of labels: "train_X.bin", "train_y.bin".
std::vector<arrays::ArraySet> open_stl10_files(const Finding& finding);

/// A .npy file of images and its file of labels, or the pairs of arrays in a .npz file.
std::vector<arrays::ArraySet> open_npy_files(const Finding& finding);

/// The pairs of arrays in a MATLAB 5 file.
std::vector<arrays::ArraySet> open_mat_file(const Finding& finding);

/// The pairs of datasets in an HDF5 file.
std::vector<arrays::ArraySet> open_hdf5_file(const Finding& finding);

/// The contents of a CIFAR file.
struct CifarKind {
  bool is_pickled = false;
  int class_count = 10;  ///< or 100
};

/// Detects the kind of CIFAR file by content; nothing if it is not one. Pickled batches are recognized by their first
/// bytes, binary ones by the record length that divides the file length; if both do, the labels decide. If neither
/// does, returns the kind whose first records have labels in range, so that a truncated file is reported as such.
std::optional<CifarKind> detect_cifar(files::ByteStream& stream);

/// Whether a file has the name and the length of an STL-10 file of images.
bool is_stl10_images(const std::string& name, const files::ByteStream& stream);

/// The file of labels for `images`, in the same folder: its name has the word for labels in place of the word for
/// images, and possibly ".gz" at the end. Nothing if there is no such file.
std::optional<std::string> label_file_of(const files::FileTree& tree, const std::string& images);

}  // namespace octavo::sources
