#include "text/shard_text.hpp"

#include <iostream>

#include "text/human_units.hpp"

namespace octavo::tools {
namespace {

Json described(const std::vector<SourceSplit>& splits) {
  Json list = Json::array();
  for (const SourceSplit& split : splits) list.push_back(describe_split(split));
  return list;
}

/// "train 1,000, val 200".
std::string counts_of(const std::vector<SourceSplit>& splits) {
  std::string text;
  for (const SourceSplit& split : splits) {
    text += (text.empty() ? "" : ", ") + printable(split.name) + " " + format_count(split.sample_count);
  }
  return text;
}

}  // namespace

void print_shard(const ShardSummary& shard) {
  std::cout << printable(shard.path.string());
  if (shard.was_there) {
    std::cout << ": packed before\n";
    return;
  }
  std::cout << ": " << counts_of(shard.packed.splits) << ", " << format_bytes(shard.packed.file_bytes) << ", "
            << format_seconds(shard.packed.elapsed_seconds) << '\n';
  for (const std::string& note : shard.packed.notes) std::cout << "  note: " << printable(note) << '\n';
}

Json as_json(const ShardSummary& shard) {
  return {{"file", as_utf8(shard.path.string())},     {"was_there", shard.was_there},
          {"splits", described(shard.packed.splits)}, {"skipped_count", shard.packed.skipped.size()},
          {"file_bytes", shard.packed.file_bytes},    {"elapsed_seconds", shard.packed.elapsed_seconds}};
}

void print_merge(const MergeSummary& merged) {
  std::cout << printable(merged.path.string()) << ": " << counted(merged.shard_count, "shard") << ", "
            << counts_of(merged.splits) << ", " << format_bytes(merged.file_bytes) << '\n';
  if (merged.skipped > 0) {
    std::cout << "  note: " << counted(merged.skipped, "sample") << " could not be read; octavo info names them\n";
  }
}

Json as_json(const MergeSummary& merged) {
  return {{"file", as_utf8(merged.path.string())}, {"shards", merged.shard_count},
          {"splits", described(merged.splits)},    {"skipped_count", merged.skipped},
          {"file_bytes", merged.file_bytes},       {"elapsed_seconds", merged.elapsed_seconds}};
}

}  // namespace octavo::tools
