// The JSON documents that the verbs write, and the parts that several of them share.
#pragma once

#include <nlohmann/json.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/sample.hpp>
#include <octavo/source.hpp>
#include <optional>
#include <string>

namespace octavo::tools {

using Json = nlohmann::ordered_json;

/// Writes the document to stdout, indented. Bytes that are not UTF-8, as in some file names, become U+FFFD.
void print_json(const Json& document);

/// [C,H,W].
Json as_json(const SampleShape& shape);
/// {"kind": "class", "width": 1}.
Json as_json(const LabelLayout& labels);
/// "gray", "rgb" or "other".
std::string name_of(Color color);
/// "class", "multi-label x 20", "3 targets" or "none", for people.
std::string describe(const LabelLayout& labels, bool has_masks = false);
/// "class; masks, 21 classes", without `masks` what describe() above returns.
std::string describe(const LabelLayout& labels, const std::optional<MaskCounts>& masks);
/// Name, sample_count, shape, labels, color, packed_bytes, mask_bytes and float32_bytes of a split. Of these, only
/// packed_bytes leaves out masks.
Json describe_split(const SourceSplit& split);

}  // namespace octavo::tools
