// CIFAR batches as they are published for Python: a pickled dictionary of an array and lists.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// 10 or 100 if the stream begins as a pickle and, in what is read of it, names the labels of CIFAR-10 or CIFAR-100.
std::optional<int> detect_cifar_pickle(files::ByteStream& stream);

struct CifarPickle {
  std::unique_ptr<Array> images;  ///< uint8 [N,3,32,32]
  std::unique_ptr<Array> labels;  ///< [N]; of CIFAR-100 the fine ones
};

/// Reads a pickled batch. A pickle is a program; of its instructions only those are known here that make lists,
/// dictionaries, strings and NumPy arrays, and nothing is ever called. Throws FormatError for any other.
CifarPickle open_cifar_pickle(std::shared_ptr<files::ByteStream> stream);

/// The class names in "batches.meta" or "meta"; empty if there are none.
std::vector<std::string> read_cifar_names(files::ByteStream& stream);

}  // namespace octavo::arrays
