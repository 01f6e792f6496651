// Finding out what a path holds: which files to read, in which format, and which split each becomes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

namespace octavo::sources {

/// One thing to open: an IDX or CIFAR file, or a folder of images.
struct Finding {
  std::filesystem::path path;
  SourceFormat format = SourceFormat::automatic;  ///< never automatic
  std::string split;                              ///< empty for a folder of images that may hold several splits
};

/// What `spec` names: one file, or a folder with IDX files, CIFAR files or images. Formats are found by content, splits
/// by convention unless the spec names one; splits come in the order train, val, test. Only `wanted` is looked for
/// unless that is automatic. Throws InvalidArgument, FormatError or IoError, naming the path and what to do.
std::vector<Finding> discover(const SourceSpec& spec, SourceFormat wanted);

}  // namespace octavo::sources
