// Opening what the specs name as one source.
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "pack/chosen_source.hpp"
#include "pack/cifar_source.hpp"
#include "pack/converted_source.hpp"
#include "pack/discovery.hpp"
#include "pack/export_manifest.hpp"
#include "pack/folder_listing.hpp"
#include "pack/folder_source.hpp"
#include "pack/idx_source.hpp"
#include "pack/merged_source.hpp"
#include "pack/row_choice.hpp"
#include "support/file.hpp"

namespace octavo {
namespace {

using sources::Finding;

constexpr std::int64_t kLargestSide = 16384;

std::vector<Finding> discover_all(const std::vector<SourceSpec>& specs, SourceFormat wanted) {
  if (specs.empty()) throw InvalidArgument("open the sources: none was named; name a file or a folder");
  std::vector<Finding> all;
  for (const SourceSpec& spec : specs) {
    for (Finding& finding : sources::discover(spec, wanted)) all.push_back(std::move(finding));
  }
  return all;
}

std::unique_ptr<Source> open_file(const Finding& finding, const SourceOptions& options) {
  if (finding.format == SourceFormat::idx) {
    return std::make_unique<sources::IdxSource>(finding.path, finding.split, options.class_names);
  }
  const auto layout = finding.format == SourceFormat::cifar10 ? sources::kCifar10 : sources::kCifar100;
  return std::make_unique<sources::CifarSource>(finding.path, layout, finding.split, options.class_names);
}

bool is_exported(const Finding& finding) {
  return std::filesystem::exists(finding.path / sources::kExportManifestName);
}

std::unique_ptr<Source> open_exported(const Finding& finding, const SourceOptions& options) {
  auto contents = sources::read_export_manifest(finding.path);
  if (!options.class_names.empty()) contents.class_names = options.class_names;
  if (!finding.split.empty()) {
    if (contents.splits.size() != 1) {
      throw InvalidArgument("read " + quoted(finding.path) + " as split \"" + finding.split + "\": it holds " +
                            std::to_string(contents.splits.size()) + " splits; leave the name out");
    }
    contents.splits[0].split = finding.split;
  }
  return std::make_unique<sources::FolderSource>(std::move(contents), options);
}

/// All folders without octavo.json are one source, so that their classes and channels are found together.
std::vector<std::unique_ptr<Source>> open_parts(const std::vector<Finding>& findings, const SourceOptions& options) {
  std::vector<std::unique_ptr<Source>> parts;
  std::vector<SourceSpec> folders;
  for (const Finding& finding : findings) {
    if (finding.format != SourceFormat::folder) {
      parts.push_back(sources::converted(open_file(finding, options), options));
    } else if (is_exported(finding)) {
      parts.push_back(open_exported(finding, options));
    } else {
      folders.push_back({finding.path, finding.split});
    }
  }
  if (!folders.empty()) {
    auto contents = sources::list_image_folders(folders, options.class_order, options.class_names);
    parts.push_back(std::make_unique<sources::FolderSource>(std::move(contents), options));
  }
  return parts;
}

std::unique_ptr<Source> merged(std::vector<std::unique_ptr<Source>> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  return std::make_unique<sources::MergedSource>(std::move(parts));
}

void check_options(const SourceOptions& options) {
  if (options.channels && *options.channels != 1 && *options.channels != 3) {
    throw InvalidArgument("open the sources: " + std::to_string(*options.channels) + " channels; 1 and 3 can be made");
  }
  if (!options.size) return;
  const auto [height, width] = *options.size;
  if (height < 1 || width < 1 || height > kLargestSide || width > kLargestSide) {
    throw InvalidArgument("open the sources: the size " + std::to_string(height) + "x" + std::to_string(width) +
                          "; each side is 1 to " + std::to_string(kLargestSide));
  }
}

}  // namespace

std::unique_ptr<Source> open_source(const std::vector<SourceSpec>& specs, const SourceOptions& options) {
  check_options(options);
  auto source = merged(open_parts(discover_all(specs, options.format), options));
  if (!sources::chooses_rows(options)) return source;
  auto chosen = sources::choose_rows(*source, options);
  return std::make_unique<sources::ChosenSource>(std::move(source), std::move(chosen), options);
}

}  // namespace octavo
