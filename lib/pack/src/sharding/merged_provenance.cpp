#include "sharding/merged_provenance.hpp"

#include <algorithm>
#include <cmath>

#include "support/hash.hpp"
#include "support/json_fields.hpp"

namespace octavo::sharding {
namespace {

constexpr std::size_t kMostSkipped = 1000;
constexpr std::string_view kLossKey = "quantized ";

double number_in(const Json& object, const char* key) {
  const Json number = object.value(key, Json());
  return number.is_number() ? number.get<double>() : 0.0;
}

std::int64_t count_in(const Json& object, const char* key) {
  const Json number = object.value(key, Json());
  return number.is_number_integer() ? number.get<std::int64_t>() : 0;
}

/// Keeps the greater number, or with `sign` -1 the smaller one; leaves it out if one of them is missing.
void unite_extreme(Json& channel, const Json& more, const char* key, int sign) {
  const Json ours = channel.value(key, Json()), theirs = more.value(key, Json());
  if (!ours.is_number() || !theirs.is_number()) {
    channel.erase(key);
  } else if (sign * theirs.get<double>() > sign * ours.get<double>()) {
    channel[key] = theirs;
  }
}

void unite_channel(Json& channel, const Json& more, double share) {
  unite_extreme(channel, more, "largest_error", 1);
  unite_extreme(channel, more, "smallest", -1);
  unite_extreme(channel, more, "largest", 1);
  channel["mean_rounding"] =
      (1.0 - share) * number_in(channel, "mean_rounding") + share * number_in(more, "mean_rounding");
  channel["clipped"] = count_in(channel, "clipped") + count_in(more, "clipped");
  for (const char* key : {"levels", "effective_bits"}) channel.erase(key);
}

/// Averages the mean square errors.
void unite_psnr(Json& loss, const Json& more, double share) {
  const Json ours = loss.value("psnr_db", Json()), theirs = more.value("psnr_db", Json());
  if (!ours.is_number() || !theirs.is_number()) {
    loss.erase("psnr_db");  // one of them is exact, and its samples are not known
    return;
  }
  const auto error = [](const Json& psnr) { return std::pow(10.0, -psnr.get<double>() / 10.0); };
  loss["psnr_db"] = -10.0 * std::log10((1.0 - share) * error(ours) + share * error(theirs));
}

void unite_loss(Json& loss, const Json& more) {
  const std::int64_t before = count_in(loss, "samples"), samples = before + count_in(more, "samples");
  const double share = samples > 0 ? static_cast<double>(samples - before) / static_cast<double>(samples) : 0.0;
  loss["samples"] = samples;
  unite_psnr(loss, more, share);
  for (const char* key : {"levels", "level_use", "worst"}) loss.erase(key);
  const Json theirs = more.value("channels", Json::array());
  Json& ours = loss["channels"];
  if (!ours.is_array() || !theirs.is_array() || ours.size() != theirs.size()) return;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].is_object() && theirs[i].is_object()) unite_channel(ours[i], theirs[i], share);
  }
}

/// What quantizing the splits of one more shard lost.
void unite_losses(Json& notes, const Json& more) {
  for (const auto& [key, loss] : more.items()) {
    if (!key.starts_with(kLossKey) || !loss.is_object()) continue;
    if (notes.contains(key) && notes[key].is_object()) {
      unite_loss(notes[key], loss);
    } else {
      notes[key] = loss;
    }
  }
}

/// Appended shards have other sources.
void unite_sources(Json& merged, const Json& provenance) {
  const Json more = provenance.value("sources", Json::array());
  if (!more.is_array() || merged.value("sources", Json::array()) == more) return;
  Json& all = merged["sources"];
  for (const Json& source : more) {
    if (std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
  }
}

void append_skipped(Json& all, const Json& more) {
  for (const Json& sample : more) {
    if (all.size() == kMostSkipped) return;
    all.push_back(sample);
  }
}

}  // namespace

void MergedProvenance::add(const Json& provenance) {
  const Json skipped = provenance.value("skipped", Json::array());
  skipped_count_ += skipped.is_array() ? std::ssize(skipped) : 0;
  if (shard_count_++ == 0) {
    merged_ = provenance;
    merged_.erase("shard");
    merged_.erase("source_digests");
    merged_.erase("dataset_digests");
    if (!merged_.contains("notes") || !merged_["notes"].is_object()) merged_["notes"] = Json::object();
    merged_["skipped"] = Json::array();
  } else {
    merged_["sample_count"] = count_in(merged_, "sample_count") + count_in(provenance, "sample_count");
    unite_losses(merged_["notes"], provenance.value("notes", Json::object()));
    unite_sources(merged_, provenance);
  }
  if (skipped.is_array()) append_skipped(merged_["skipped"], skipped);
  add_digests(provenance);
}

void MergedProvenance::add_digests(const Json& provenance) {
  const Json digests = provenance.value("dataset_digests", Json());
  // Samples behind a skipped one are not at the rows that the packer expected.
  has_digests_ = has_digests_ && digests.is_object() && skipped_count_ == 0;
  if (!has_digests_) return;
  const JsonFields fields(digests, "its provenance: dataset_digests");
  for (const auto& [split, digest] : digests.items()) {
    digests_[split] += fields.optional_hash(split.c_str()).value_or(0);
  }
}

std::string MergedProvenance::merged() const {
  Json merged = merged_;
  merged["shards"] = shard_count_;
  if (has_digests_) {
    for (const auto& [split, digest] : digests_) merged["source_digests"][split] = to_hex(digest);
  }
  if (skipped_count_ > std::ssize(merged["skipped"])) merged["skipped_count"] = skipped_count_;
  return merged.dump();
}

}  // namespace octavo::sharding
