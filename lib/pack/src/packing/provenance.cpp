#include "packing/provenance.hpp"

#include <hdf5.h>
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include <octavo/text.hpp>
#include <octavo/version.hpp>

namespace octavo::packing {
namespace {

using OrderedJson = nlohmann::ordered_json;

#define OCTAVO_TEXT_OF(x) #x
#define OCTAVO_TEXT(x) OCTAVO_TEXT_OF(x)

/// The versions of the libraries that decoded the sources. libjpeg-turbo gives its version only at compile time.
OrderedJson library_versions() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return {{"octavo", std::string(kVersion)},
          {"libjpeg-turbo", OCTAVO_TEXT(LIBJPEG_TURBO_VERSION)},
          {"libpng", png_get_libpng_ver(nullptr)},
          {"zlib", zlibVersion()},
          {"hdf5", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release)}};
}

OrderedJson files_of(const Source& source, bool names_only) {
  OrderedJson files = OrderedJson::array();
  for (const std::string& file : source.files()) {
    std::filesystem::path path(file);
    if (!names_only && file.find("://") != std::string::npos) {
      files.push_back(as_utf8(file));  // a URL
      continue;
    }
    // A folder may be given with a trailing slash, and that of an archive has one.
    if (!path.has_filename()) path = path.parent_path();
    if (!names_only) {
      files.push_back(as_utf8(std::filesystem::absolute(path).lexically_normal().string()));
    } else {
      files.push_back(as_utf8(path.filename().string()));
    }
  }
  return files;
}

OrderedJson skipped_samples(const PackSummary& summary) {
  OrderedJson skipped = OrderedJson::array();
  for (const SampleFailure& failure : summary.skipped) {
    skipped.push_back({{"name", as_utf8(failure.name)}, {"reason", as_utf8(failure.reason)}});
  }
  return skipped;
}

}  // namespace

std::string describe_provenance(const Source& source, const PackOptions& options, const PackSummary& summary,
                                const Json& shard) {
  std::int64_t sample_count = 0;
  for (const SourceSplit& split : summary.splits) sample_count += split.sample_count;
  OrderedJson provenance = OrderedJson::object();
  if (!options.reproducible && !options.command_line.empty())
    provenance["command_line"] = as_utf8(options.command_line);
  provenance["format"] = source.format();
  provenance["sources"] = files_of(source, options.reproducible);
  provenance["notes"] = OrderedJson::parse(to_json(source.notes()));
  provenance["sample_count"] = sample_count;
  provenance["skipped"] = skipped_samples(summary);
  if (!shard.is_null()) provenance["shard"] = shard;
  provenance["libraries"] = library_versions();
  // Other bytes that are not UTF-8 become U+FFFD.
  return provenance.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace octavo::packing
