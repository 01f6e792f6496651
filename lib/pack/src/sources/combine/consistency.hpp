// Checks that the splits of a source fit together.
#pragma once

#include <octavo/pack.hpp>

namespace octavo::sources {

/// Throws InvalidArgument if two class names differ only in Unicode normalization, splits differ in the shape of their
/// samples, or if a split has a named class that `train` lacks: probably a misspelled folder, or images that were not
/// resized. Counts only samples that options.select keeps.
void check_consistency(const Source& source, const SourceOptions& options);

/// The same for `added` splits of a dataset file: throws InvalidArgument, naming `path`, if they have a named class or
/// a shape that `there`, the splits of the file, lack.
void check_fits(const Source& there, const Source& added, const std::filesystem::path& path);

}  // namespace octavo::sources
