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

VerifyResult verify_shard(const std::filesystem::path& path, const dataset_file::ManifestShard& listed,
                          const VerifyOptions& options) {
  VerifyResult result;
  // A folder may have the name of a shard, and a manifest.
  if (!dataset_file::find_manifest(path).empty()) return defective("header", "it is not a dataset file");
  try {
    result = verify(path, options);
    if (result.defect_count > 0) return result;
    const Dataset shard = Dataset::open(path.string());
    if (shard.file_bytes() != listed.bytes || shard.digest() != listed.digest) {
      return defective("header", "it is not the shard that the manifest lists; run octavo merge");
    }
  } catch (const IoError& error) {
    return defective("header", error.what());
  }
  return result;
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
    add(all, shard.file, verify_shard(path.parent_path() / shard.file, shard, options));
  }
  if (all.defect_count > 0) return all;
  try {
    const dataset_file::Manifest expected = merged_manifest(path.parent_path(), {}).manifest;
    if (encode_manifest(expected) != encode_manifest(manifest)) {
      add(all, name, defective("manifest", "it is not that of the shards in the folder; run octavo merge"));
    }
  } catch (const Error& error) {
    add(all, name, defective("manifest", error.what()));
  }
  return all;
}

}  // namespace octavo::sharding
