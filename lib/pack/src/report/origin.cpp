#include "report/origin.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <system_error>

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "sources/recorded_loss.hpp"
#include "support/strict_json.hpp"

namespace octavo::report {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> parse_hex(const Json& text) {
  if (!text.is_string()) return std::nullopt;
  const auto& digits = text.get_ref<const std::string&>();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.size() != 16) return std::nullopt;
  return value;
}

/// Whether the notes record a conversion of samples. The note on missing labels does not.
bool tells_of_conversion(const Json& notes) {
  if (!notes.is_object()) return true;
  for (const auto& [key, value] : notes.items()) {
    if (key != "labels") return true;
  }
  return false;
}

/// Whether files of a format hold the samples as they were read.
bool is_raw_format(const std::string& name) { return name == "idx" || name == "cifar10" || name == "cifar100"; }

/// Whether image lists are among the sources. The formats of several sources are joined by "+".
bool has_lists(const std::string& format) { return format.find("manifest") != std::string::npos; }

/// IDX label files are in the folder of their images and are found by name.
bool is_labels_file(const fs::path& file) { return file.filename().string().find("labels") != std::string::npos; }

std::optional<ReopenedSource> find_split(std::unique_ptr<Source> source, const Split& wanted) {
  const auto& splits = source->splits();
  const auto found =
      std::find_if(splits.begin(), splits.end(), [&](const SourceSplit& split) { return split.name == wanted.name(); });
  if (found == splits.end() || found->sample_count != wanted.sample_count() || !(found->shape == wanted.shape())) {
    return std::nullopt;
  }
  const auto number = static_cast<std::size_t>(found - splits.begin());
  return ReopenedSource{std::move(source), number};
}

/// Bytes of a file, or of all files below a folder; empty if it does not exist.
std::optional<std::int64_t> bytes_below(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (!error) return static_cast<std::int64_t>(bytes);
  std::optional<std::int64_t> total;
  for (fs::recursive_directory_iterator file(path, fs::directory_options::skip_permission_denied, error), end;
       !error && file != end; file.increment(error)) {
    std::error_code ignored;  // a file that was removed meanwhile does not count
    if (!file->is_regular_file(ignored)) continue;
    const auto file_bytes = file->file_size(ignored);
    if (!ignored) total = total.value_or(0) + static_cast<std::int64_t>(file_bytes);
  }
  return total;
}

/// The file or folder, or for a path in an archive, the archive; empty if there is none any more.
fs::path on_disk(fs::path path) {
  std::error_code ignored;
  if (!path.has_filename()) path = path.parent_path();
  if (fs::exists(path, ignored)) return path;
  while (path.has_relative_path() && !fs::exists(path, ignored)) path = path.parent_path();
  return fs::is_regular_file(path, ignored) ? path : fs::path();
}

std::vector<std::string> strings_from(const Json& list) {
  std::vector<std::string> strings;
  if (!list.is_array()) return strings;
  for (const Json& text : list) {
    if (text.is_string()) strings.push_back(text);
  }
  return strings;
}

/// Nothing if no files can have this number of bytes.
std::optional<std::int64_t> listed_bytes_from(const Json& provenance) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
  const Json::json_pointer place("/notes/listed_bytes");
  if (!provenance.contains(place) || !provenance[place].is_number_integer()) return std::nullopt;
  const auto bytes = provenance[place].get<std::int64_t>();
  return bytes >= 0 && bytes <= kMostBytes ? std::optional(bytes) : std::nullopt;
}

void add_sizes(const Json& provenance, const std::string& split_name, Origin& origin) {
  const Json::json_pointer place = Json::json_pointer() / "notes" / "source_sizes";
  if (!provenance.contains(place) || !provenance[place].is_array()) return;
  for (const Json& sizes : provenance[place]) {
    if (!sizes.is_object() || sizes.value("split", Json()) != split_name) continue;
    origin.size_deciles = strings_from(sizes.value("deciles", Json()));
    const Json count = sizes.value("outliers", Json());
    if (count.is_number_integer()) origin.size_outliers = count;
    for (const Json& outlier : sizes.value("first_outliers", Json::array())) {
      if (!outlier.is_object()) continue;
      const Json name = outlier.value("name", Json()), size = outlier.value("size", Json());
      if (!name.is_string() || !size.is_string()) continue;
      origin.first_size_outliers.push_back(name.get<std::string>() + " (" + size.get<std::string>() + ")");
    }
  }
}

}  // namespace

Origin origin_of(const Dataset& dataset, const std::string& split_name) {
  Origin origin;
  const Json json = Json::parse(dataset.provenance(), nullptr, false);
  if (!json.is_object()) return origin;
  if (json.contains("format") && json["format"].is_string()) origin.format = json["format"];
  for (const Json& file : json.value("sources", Json::array())) {
    if (file.is_string() && fs::path(file.get<std::string>()).is_absolute()) {
      origin.files.emplace_back(file.get<std::string>());
    }
  }
  origin.listed_bytes = listed_bytes_from(json);
  const Json skipped = json.value("skipped", Json::array());
  origin.is_as_read = skipped.empty() && !tells_of_conversion(json.value("notes", Json::object()));
  origin.is_converted = json.contains(Json::json_pointer("/notes/size"));
  origin.loss = sources::recorded_loss(json, split_name, dataset.split(split_name).sample_count());
  add_sizes(json, split_name, origin);
  const Json digests = json.value("source_digests", Json::object());
  if (digests.is_object() && digests.contains(split_name)) origin.digest = parse_hex(digests[split_name]);
  return origin;
}

std::optional<std::int64_t> bytes_of_files(const Origin& origin) {
  // The file of a list says nothing about the size of its images.
  if (has_lists(origin.format) && !origin.listed_bytes) return std::nullopt;
  std::optional<std::int64_t> total;
  std::set<fs::path> files;  // several sources may be in one archive
  std::ranges::transform(origin.files, std::inserter(files, files.end()), on_disk);
  for (const fs::path& file : files) {
    if (const auto bytes = bytes_below(file)) total = total.value_or(0) + *bytes;
  }
  if (total) *total += origin.listed_bytes.value_or(0);
  return total;
}

std::optional<ReopenedSource> reopen(const Origin& origin, const Split& split) {
  if (!is_raw_format(origin.format) || !origin.is_as_read) return std::nullopt;
  std::vector<SourceSpec> specs;
  for (const fs::path& file : origin.files) {
    if (!is_labels_file(file)) specs.push_back({file});
  }
  if (specs.empty()) return std::nullopt;
  SourceOptions options;
  options.format = origin.format;
  try {
    return find_split(open_source(specs, options), split);
  } catch (const Error&) {
    return std::nullopt;  // removed, changed or not readable in this way: fall back to the digest
  }
}

}  // namespace octavo::report
