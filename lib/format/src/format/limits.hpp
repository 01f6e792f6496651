// Limits of the format: the largest counts and sizes, and the rules for names and layouts (docs/format.md, "Limits").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

namespace octavo::dataset_file {

inline constexpr std::int64_t kMostChannels = 4096;
inline constexpr std::int64_t kMostSampleBytes = (std::int64_t{1} << 31) - 1;
/// Keeps counts of values exact as doubles.
inline constexpr std::int64_t kMostSplitBytes = (std::int64_t{1} << 53) - 1;
inline constexpr std::int64_t kMostLabelWidth = std::int64_t{1} << 20;
inline constexpr std::size_t kMostSplits = 1024;
/// A byte for each of 256 residuals in 16 classes.
inline constexpr std::int64_t kMostRowTableBytes = 4096;
inline constexpr std::int64_t kMostColumnBytes = std::int64_t{1} << 30;
inline constexpr std::int64_t kMostIndexBytes = std::int64_t{64} << 20;
/// HDF5's own structures and alignment gaps; a few kilobytes in practice.
inline constexpr std::int64_t kMostMetadataBytes = std::int64_t{64} << 20;
/// The largest piece that a reader of deflated images inflates at a time, per thread.
inline constexpr std::int64_t kMostChunkBytes = std::int64_t{256} << 20;

/// Returns what is wrong with a split of this layout, or nothing.
std::optional<std::string> layout_problem(const SampleShape& shape, const LabelLayout& labels,
                                          std::int64_t sample_count);
/// Returns what is wrong with these mappings to source units, or nothing.
std::optional<std::string> quantization_problem(const std::vector<ChannelQuantization>& quantization,
                                                std::int64_t channels);

/// Convert to and from the words used in the file.
std::string_view to_text(LabelKind kind);
std::string_view to_text(Color color);
std::optional<LabelKind> label_kind_of(std::string_view text);
std::optional<Color> color_of(std::string_view text);

}  // namespace octavo::dataset_file
