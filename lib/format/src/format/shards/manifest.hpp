// The manifest of a dataset of several files: its shards, in order, and what is known of all their samples together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/byte_source.hpp>

namespace octavo::dataset_file {

inline constexpr std::string_view kManifestName = "dataset.json";
inline constexpr std::int64_t kManifestVersion = 1;

/// A shard as it was when the manifest was written.
struct ManifestShard {
  std::string file;        ///< the name in the folder of the manifest
  std::int64_t bytes = 0;  ///< length of the file
  std::string digest;      ///< Dataset::digest()
};

/// All samples of a split, in the order of the shards. A shard without samples of the split does not have it.
struct ManifestSplit {
  std::string name;
  std::int64_t sample_count = 0;
  std::uint64_t data_hash = 0;           ///< SplitDescription::data_hash of one file with these samples
  std::vector<std::int64_t> histogram;   ///< [C,256], by value (code + 128)
  std::vector<std::int64_t> value_sums;  ///< [C,H,W]
};

struct Manifest {
  std::int64_t version = kManifestVersion;
  std::string uuid, created, writer;
  std::vector<std::string> class_names;
  std::string provenance = "{}";  ///< as JSON
  std::vector<ManifestShard> shards;
  std::vector<ManifestSplit> splits;
};

std::string encode_manifest(const Manifest& manifest);
/// Throws FormatError (the message does not name the file).
Manifest decode_manifest(std::string_view text);

/// The manifest that a location names: the file itself, or the one in a folder. Empty if there is none, or if a JSON
/// file of that name is something else.
std::filesystem::path find_manifest(const std::filesystem::path& location);
/// Throws IoError, or FormatError with the file.
Manifest read_manifest(const std::filesystem::path& path);
Manifest read_manifest(const ByteSource& source);

}  // namespace octavo::dataset_file
