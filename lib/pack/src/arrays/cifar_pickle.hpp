// CIFAR batches in the published Python version: a pickled dictionary of an array and lists.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// 10 or 100 if the stream is a pickle with the labels of CIFAR-10 or CIFAR-100; otherwise nothing.
std::optional<int> detect_cifar_pickle(files::ByteStream& stream);

struct CifarPickle {
  std::unique_ptr<Array> images;  ///< uint8 [N,3,32,32]
  std::unique_ptr<Array> labels;  ///< [N]; the fine labels of CIFAR-100
};

/// Reads a pickled batch. A pickle is a program. Only the instructions that make lists, dictionaries, strings and NumPy
/// arrays are supported, and nothing is ever called. Throws FormatError for any other instruction.
CifarPickle open_cifar_pickle(std::shared_ptr<files::ByteStream> stream);

/// The class names in "batches.meta" or "meta"; empty if there are none.
std::vector<std::string> read_cifar_names(files::ByteStream& stream);

}  // namespace octavo::arrays
