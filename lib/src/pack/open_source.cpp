// Opening what the specs name as one source.
#include <array>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "pack/cifar_source.hpp"
#include "pack/discovery.hpp"
#include "pack/idx_source.hpp"
#include "pack/merged_source.hpp"

namespace octavo {
namespace {

using sources::Finding;

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

std::unique_ptr<Source> open_findings(const std::vector<Finding>& findings, const SourceOptions& options) {
  std::vector<std::unique_ptr<Source>> parts;
  for (const Finding& finding : findings) parts.push_back(open_file(finding, options));
  if (parts.size() == 1) return std::move(parts[0]);
  return std::make_unique<sources::MergedSource>(std::move(parts));
}

}  // namespace

std::unique_ptr<Source> open_source(const std::vector<SourceSpec>& specs, const SourceOptions& options) {
  return open_findings(discover_all(specs, options.format), options);
}

}  // namespace octavo
