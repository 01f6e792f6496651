#include "sharding/verify_shards.hpp"

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>

#include "dataset_file/check/defect_list.hpp"
#include "format/shards/manifest.hpp"
#include "sharding/merged_manifest.hpp"

namespace octavo::sharding {
namespace {

void add(VerifyResult& all, const std::string& file, VerifyResult more) {
  all.defect_count += more.defect_count;
  all.checked_bytes += more.checked_bytes;
  all.checked_samples += more.checked_samples;
  all.hdf5_checked &= more.hdf5_checked;
  for (Defect& defect : more.defects) {
    if (all.defects.size() == dataset_file::DefectList::kMostKept) return;
    defect.where = file + ": " + defect.where;
    all.defects.push_back(std::move(defect));
  }
}

/// One defect of a file.
VerifyResult defective(const std::string& where, const std::string& what) {
  VerifyResult result;
  result.defects.push_back({where, what});
  result.defect_count = 1;
  result.hdf5_checked = true;  // says nothing about the others
  return result;
}

/// Checks a shard that verify_it() has checked by itself: whether it is the one that the manifest lists.
template <typename VerifyIt, typename OpenIt>
VerifyResult verify_shard(const dataset_file::ManifestShard& listed, const VerifyIt& verify_it, const OpenIt& open_it) {
  VerifyResult result;
  try {
    result = verify_it();
    if (result.defect_count > 0) return result;
    const Dataset shard = open_it();
    if (shard.file_bytes() != listed.bytes || shard.digest() != listed.digest) {
      return defective("header", "it is not the shard that the manifest lists; run octavo merge");
    }
  } catch (const IoError& error) {
    return defective("header", error.what());
  }
  return result;
}

VerifyResult verify_shard_file(const std::filesystem::path& path, const dataset_file::ManifestShard& listed,
                               const VerifyOptions& options) {
  // A folder may have the name of a shard, and a manifest.
  if (!dataset_file::find_manifest(path).empty()) return defective("header", "it is not a dataset file");
  return verify_shard(
      listed, [&] { return verify(path, options); }, [&] { return Dataset::open(path.string()); });
}

}  // namespace

VerifyResult verify_shards(const std::filesystem::path& path, const VerifyOptions& options) {
  VerifyResult all;
  all.hdf5_checked = options.with_hdf5;
  const std::string name = path.filename().string();
  dataset_file::Manifest manifest;
  try {
    manifest = dataset_file::read_manifest(path);
  } catch (const FormatError& error) {
    add(all, name, defective("manifest", error.what()));
    return all;
  }
  for (const dataset_file::ManifestShard& shard : manifest.shards) {
    add(all, shard.file, verify_shard_file(path.parent_path() / shard.file, shard, options));
  }
  if (all.defect_count > 0) return all;
  try {
    const dataset_file::Manifest expected = merged_manifest(local_shards(path.parent_path()), {}).manifest;
    if (encode_manifest(expected) != encode_manifest(manifest)) {
      add(all, name, defective("manifest", "it is not that of the shards in the folder; run octavo merge"));
    }
  } catch (const Error& error) {
    add(all, name, defective("manifest", error.what()));
  }
  return all;
}

VerifyResult verify_shards(const std::shared_ptr<const ByteSource>& source, const ShardOpener& open_shard,
                           const VerifyOptions& options) {
  VerifyResult all;
  all.hdf5_checked = false;
  const std::string name = std::filesystem::path(source->name()).filename().string();
  dataset_file::Manifest manifest;
  try {
    manifest = dataset_file::read_manifest(*source);
  } catch (const FormatError& error) {
    add(all, name, defective("manifest", error.what()));
    return all;
  }
  for (const dataset_file::ManifestShard& listed : manifest.shards) {
    std::shared_ptr<const ByteSource> bytes;
    const auto verify_it = [&] {
      bytes = open_shard(listed.file);
      return verify(bytes, {}, options);
    };
    add(all, listed.file, verify_shard(listed, verify_it, [&] { return Dataset::open(bytes); }));
  }
  if (all.defect_count > 0) return all;
  try {
    // Compares the totals with those of the shards.
    static_cast<void>(Dataset::open_manifest(source, open_shard));
  } catch (const FormatError& error) {
    add(all, name, defective("manifest", error.what()));
  }
  return all;
}

}  // namespace octavo::sharding
