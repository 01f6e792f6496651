// A dataset of several files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

#include "dataset_file/shards/shard_rows.hpp"
#include "dataset_file/split_data.hpp"
#include "format/shards/manifest.hpp"

namespace octavo::dataset_file {

/// The samples of a split in all shards. Thread-safe.
class ShardedSplit final : public SplitData {
 public:
  /// `parts` are in order, at least one. Throws FormatError if they cannot be one split, or do not fit the totals of
  /// the manifest; the message names the shard.
  ShardedSplit(const ManifestSplit& totals, std::vector<std::shared_ptr<const SplitData>> parts,
               const std::vector<std::filesystem::path>& paths);

  const SplitDescription& description() const override { return description_; }
  Statistics statistics() const override;
  std::optional<std::string> sample_name(std::int64_t row) const override;
  std::string metadata() const override;
  void read_rows(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const override;
  void read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const override;
  void read_masks(std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) const override;
  void check_samples(std::int64_t first_row, std::int64_t count, std::span<const std::byte> rows,
                     std::span<const std::byte> labels, std::span<const std::byte> masks) const override;
  std::int64_t rows_per_block(std::int64_t block_bytes) const override;
  std::unique_ptr<const RowSource> open_rows(const RowReading& reading) const override;
  void ensure_unchanged() const override;

 private:
  /// Calls work(part, its first row, rows before these of all `count`, rows) for each part with some of the rows.
  template <typename Work>
  void for_parts(std::int64_t first_row, std::int64_t count, const Work& work) const;

  std::vector<std::int64_t> histogram_, value_sums_;  ///< of all samples
  std::vector<ShardPart> parts_;
  SplitDescription description_;
};

/// A manifest and its shards.
class ShardedDataset final : public DatasetData {
 public:
  /// Opens all shards of the manifest at `path`. Throws IoError or FormatError, naming the shard, if one is missing,
  /// damaged, or no longer the one that the manifest lists.
  static std::shared_ptr<const ShardedDataset> open(const std::filesystem::path& path);
  /// The same for a manifest that is somewhere else. Over a network, several shards are opened at a time.
  static std::shared_ptr<const ShardedDataset> open(const ByteSource& manifest, const ShardOpener& open_shard);

  ShardedDataset(std::filesystem::path path, Manifest manifest,
                 const std::vector<std::shared_ptr<const DatasetData>>& shards);

  const std::vector<std::shared_ptr<const SplitData>>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return manifest_.class_names; }
  std::string provenance() const override { return manifest_.provenance; }
  std::string digest() const override;
  const std::string& uuid() const override { return manifest_.uuid; }
  const std::string& created() const override { return manifest_.created; }
  const std::string& writer() const override { return manifest_.writer; }
  std::int64_t format_version() const override { return manifest_.version; }
  std::int64_t file_bytes() const override;
  const std::filesystem::path& path() const override { return path_; }

 private:
  std::filesystem::path path_;
  Manifest manifest_;
  std::vector<std::shared_ptr<const SplitData>> splits_;
};

}  // namespace octavo::dataset_file
