// Opens remote files and datasets.
#include <octavo/remote.hpp>

#include <utility>

#include <octavo/errors.hpp>

#include "remote/remote_source.hpp"
#include "support/file.hpp"

namespace octavo::remote {
namespace {

constexpr std::string_view kManifest = "dataset.json";

void check_options(const SourceOptions& options) {
  const auto refuse = [](const std::string& problem) { throw InvalidArgument("open a remote file: " + problem); };
  if (options.attempts < 1) refuse("got " + std::to_string(options.attempts) + " attempts; expected at least 1");
  if (options.most_requests_in_flight < 0) refuse("the number of requests in flight is negative; 0 adapts it");
  if (options.connect_seconds < 1 || options.stall_seconds < 1) refuse("got no time to wait; expected at least 1 s");
  if (options.first_wait_ms < 0 || options.most_kept_bytes < 0) refuse("got a negative limit; expected 0 or more");
}

std::shared_ptr<const RemoteSource> open_file(RemoteFile file, const SourceOptions& options) {
  std::shared_ptr<Transfers> transfers = make_transfers(file, options);
  return RemoteSource::open(std::move(file), std::move(transfers), options);
}

/// The source, through the cache if there is one.
std::shared_ptr<const ByteSource> with_cache(std::shared_ptr<const ByteSource> source, const SourceOptions& options) {
  if (options.cache.folder.empty()) return source;
  return cached(std::move(source), options.cache);
}

}  // namespace

std::shared_ptr<const ByteSource> open_source(const std::string& url, const SourceOptions& options) {
  check_options(options);
  return with_cache(open_file(locate(url, options), options), options);
}

DatasetBytes open_bytes(const std::string& url, const SourceOptions& options) {
  check_options(options);
  RemoteFile file = locate(url, options);
  if (file.url.path.ends_with('/')) file = sibling_of(file, std::string(kManifest));
  if (!file.url.path.ends_with(".json")) return {with_cache(open_file(std::move(file), options), options), nullptr};
  const std::shared_ptr<Transfers> transfers = make_transfers(file, options);
  const auto manifest = RemoteSource::open(std::move(file), transfers, options);
  return {manifest, [manifest, transfers, options](const std::string& name) -> std::shared_ptr<const ByteSource> {
            return with_cache(RemoteSource::open(sibling_of(manifest->file(), name), transfers, options), options);
          }};
}

Dataset open_dataset(const std::string& location, const SourceOptions& options) {
  // A URL of another kind is refused by locate(), without what may be secret.
  if (location.find("://") == std::string::npos) return Dataset::open(location);
  const DatasetBytes bytes = open_bytes(location, options);
  return bytes.open_shard ? Dataset::open_manifest(bytes.source, bytes.open_shard) : Dataset::open(bytes.source);
}

}  // namespace octavo::remote
