#include <octavo/verify.hpp>

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "dataset_file/check/defect_list.hpp"
#include "dataset_file/check/hdf5_view.hpp"
#include "dataset_file/check/verify_names.hpp"
#include "dataset_file/check/verify_samples.hpp"
#include "format/hashed_read.hpp"
#include "format/index/metadata_hash.hpp"
#include "format/limits.hpp"
#include "format/reader.hpp"
#include "format/shards/manifest.hpp"
#include "hdf5/child_process.hpp"
#include "sharding/verify_shards.hpp"
#include "support/strict_json.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

using dataset_file::Extent;
using dataset_file::Reader;
using dataset_file::SplitEntry;

/// One run of verify(), from the header inwards: each step relies only on data that an earlier step has checked.
class Verification {
 public:
  Verification(std::shared_ptr<const ByteSource> source, const VerifyOptions& options)
      : source_(std::move(source)), options_(options) {}

  VerifyResult run();

 private:
  /// Reads header and index. Returns null and records one defect if they are damaged; nothing else can be read then.
  std::shared_ptr<const Reader> open();
  bool metadata_is_whole(const Reader& reader);
  void check_small_datasets(const Reader& reader);
  void check_split(const Reader& reader, const SplitEntry& split);
  /// Returns whether the names are stored and intact.
  bool check_names(const Reader& reader, const SplitEntry& split);
  void check_columns(const Reader& reader, const SplitEntry& split);
  void check_hdf5_view(const Reader& reader);
  bool hash_matches(const Reader& reader, const Extent& extent, const std::string& path);
  void append(dataset_file::DefectList&& defects);

  const std::shared_ptr<const ByteSource> source_;
  const VerifyOptions& options_;
  VerifyResult result_;
};

void Verification::append(dataset_file::DefectList&& defects) {
  result_.defect_count += defects.count();
  for (Defect& defect : defects.kept()) {
    if (result_.defects.size() < dataset_file::DefectList::kMostKept) result_.defects.push_back(std::move(defect));
  }
}

VerifyResult Verification::run() {
  const auto reader = open();
  if (!reader) return std::move(result_);
  const bool hdf5_may_be_asked = metadata_is_whole(*reader);
  check_small_datasets(*reader);
  for (const SplitEntry& split : reader->index().splits) check_split(*reader, split);
  if (options_.with_hdf5 && hdf5_may_be_asked) check_hdf5_view(*reader);
  reader->ensure_unchanged();
  result_.checked_bytes = reader->header().file_length;
  return std::move(result_);
}

std::shared_ptr<const Reader> Verification::open() {
  dataset_file::DefectList defects;
  const char* where = "header";
  try {
    const dataset_file::Header header = dataset_file::read_header(*source_);
    where = "/index";
    dataset_file::Index index = dataset_file::read_index(*source_, header);
    return std::make_shared<const Reader>(source_, header, std::move(index));
  } catch (const FormatError& problem) {
    defects.add(where, problem.what());
  }
  append(std::move(defects));
  return nullptr;
}

bool Verification::metadata_is_whole(const Reader& reader) {
  dataset_file::DefectList defects;
  try {
    dataset_file::check_metadata(reader.source(), reader.header(), reader.index());
  } catch (const FormatError& problem) {
    defects.add("metadata", problem.what());
  }
  const bool is_whole = defects.count() == 0;
  append(std::move(defects));
  return is_whole;
}

bool Verification::hash_matches(const Reader& reader, const Extent& extent, const std::string& path) {
  if (dataset_file::matches_hash(reader.source(), extent)) return true;
  dataset_file::DefectList defects;
  defects.add(path, "its hash does not match");
  append(std::move(defects));
  return false;
}

void Verification::check_small_datasets(const Reader& reader) {
  const dataset_file::Index& index = reader.index();
  dataset_file::DefectList defects;
  if (hash_matches(reader, index.provenance, "/provenance")) {
    try {
      static_cast<void>(reader.provenance());
    } catch (const FormatError& problem) {
      defects.add("/provenance", problem.what());
    }
  }
  if (index.classes && hash_matches(reader, *index.classes, "/classes")) {
    const auto stored = reader.read_small(*index.classes, "/classes");
    const std::string expected = dataset_file::class_name_table(index.class_names);
    if (std::memcmp(stored.data(), expected.data(), expected.size()) != 0) {
      defects.add("/classes", "its names differ from the index");
    }
  }
  append(std::move(defects));
}

void Verification::check_split(const Reader& reader, const SplitEntry& split) {
  hash_matches(reader, split.checksums, dataset_path(split, "checksums"));
  SplitEntry checked = split;
  if (split.decoded_checksums &&
      !hash_matches(reader, *split.decoded_checksums, dataset_path(split, "decoded_checksums"))) {
    checked.decoded_checksums.reset();  // they say nothing about the samples
  }
  const bool histogram = hash_matches(reader, split.histogram, dataset_path(split, "histogram"));
  const bool mean_image = hash_matches(reader, split.mean_image, dataset_path(split, "mean_image"));
  const bool has_names = split.names && check_names(reader, split);
  if (split.columns_dataset) check_columns(reader, split);
  std::optional<Statistics> statistics;
  if (histogram && mean_image) statistics = reader.statistics(split);
  auto defects = dataset_file::verify_samples(reader, checked, statistics ? &*statistics : nullptr,
                                              resolve_thread_count(options_.thread_count), options_.on_progress);
  if (has_names) defects.name_samples([&](std::int64_t row) { return reader.sample_name(split, row); });
  append(std::move(defects));
  result_.checked_samples += split.sample_count;
}

bool Verification::check_names(const Reader& reader, const SplitEntry& split) {
  const bool offsets = hash_matches(reader, *split.name_offsets, dataset_path(split, "name_offsets"));
  const bool names = hash_matches(reader, *split.names, dataset_path(split, "names"));
  if (!offsets || !names) return false;
  dataset_file::DefectList defects;
  try {
    dataset_file::check_sample_names(reader.source(), split);
  } catch (const FormatError& problem) {
    defects.add(dataset_path(split, "name_offsets"), problem.what());
  }
  const bool are_whole = defects.count() == 0;
  append(std::move(defects));
  return are_whole;
}

void Verification::check_columns(const Reader& reader, const SplitEntry& split) {
  const std::string path = dataset_path(split, "columns");
  if (!hash_matches(reader, *split.columns_dataset, path)) return;
  dataset_file::DefectList defects;
  try {
    static_cast<void>(reader.columns(split));
  } catch (const FormatError& problem) {
    defects.add(path, problem.what());
  }
  append(std::move(defects));
}

void Verification::check_hdf5_view(const Reader& reader) {
  constexpr std::size_t kMostBytes = 4096;
  dataset_file::DefectList defects;
  const auto compare = [&](const hdf5::ChildOutput& output) {
    dataset_file::compare_hdf5_view(
        source_->name(), reader.header(), reader.index(),
        [&](const std::string& where, const std::string& what) { output.send('d', where + '\n' + what); });
  };
  try {
    hdf5::ChildProcess child(compare, hdf5::ChildLimits{});
    while (const auto message = child.receive(kMostBytes)) {
      const std::size_t end = message->bytes.find('\n');
      if (message->kind != 'd' || end == std::string::npos) throw FormatError(message->bytes);
      defects.add(message->bytes.substr(0, end), message->bytes.substr(end + 1));
    }
    result_.hdf5_checked = true;
  } catch (const FormatError& problem) {
    defects.add("HDF5", problem.what());
  }
  append(std::move(defects));
}

}  // namespace

std::string describe_place(const Defect& defect) {
  return defect.sample_name.empty() ? defect.where : defect.where + " (\"" + printable(defect.sample_name) + "\")";
}

VerifyResult verify(const std::filesystem::path& path, const VerifyOptions& options) {
  const std::filesystem::path manifest = dataset_file::find_manifest(path);
  if (!manifest.empty()) return sharding::verify_shards(manifest, options);
  return Verification(dataset_file::open_dataset_file(path), options).run();
}

VerifyResult verify(const std::shared_ptr<const ByteSource>& source, const ShardOpener& open_shard,
                    const VerifyOptions& options) {
  VerifyOptions without_hdf5 = options;
  without_hdf5.with_hdf5 = false;
  if (open_shard) return sharding::verify_shards(source, open_shard, without_hdf5);
  return Verification(source, without_hdf5).run();
}

}  // namespace octavo
