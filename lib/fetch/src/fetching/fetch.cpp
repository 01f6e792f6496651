// Fetches a set: finds the missing files and downloads each of them.
#include <octavo/fetch.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>

#include <octavo/errors.hpp>

#include "fetching/content_check.hpp"
#include "fetching/fetch_folder.hpp"
#include "fetching/file_fetch.hpp"
#include "fetching/set_check.hpp"
#include "support/file.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kMostRetries = 1000;
constexpr int kMostStallSeconds = 24 * 60 * 60;

void check_options(const FetchOptions& options) {
  for (const std::string& mirror : options.mirrors) {
    if (const auto problem = fetching::address_problem(mirror)) {
      throw InvalidArgument("fetch from a mirror: the URL " + quoted(fs::path(mirror)) + " " + *problem);
    }
  }
  if (options.retries < 0 || options.retries > kMostRetries) {
    throw InvalidArgument("fetch: retries is " + std::to_string(options.retries) + "; expected 0 to 1000");
  }
  if (options.stall_seconds < 1 || options.stall_seconds > kMostStallSeconds) {
    throw InvalidArgument("fetch: the timeout is " + std::to_string(options.stall_seconds) +
                          " s; expected 1 to 86400 s");
  }
}

std::string below(const std::string& mirror, const std::string& name) {
  return mirror + (mirror.ends_with('/') ? "" : "/") + name;
}

/// The URLs of a file, in the order in which they are tried.
std::vector<std::string> addresses_of(const RemoteFile& file, const RemoteSet& set, const FetchOptions& options) {
  const bool has_own = options.mirrors.empty();
  std::vector<std::string> addresses = has_own ? file.urls : std::vector<std::string>();
  for (const std::string& mirror : has_own ? set.mirrors : options.mirrors) {
    addresses.push_back(below(mirror, file.name));
  }
  return addresses;
}

/// How the file on disk differs from the published one; empty if it does not.
std::optional<std::string> problem_of(const fs::path& path, const RemoteFile& file, const FetchOptions& options) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "the file is missing";
  return fetching::content_problem(File::open_for_reading(path), file, options.on_progress);
}

/// Throws InvalidArgument if `path` exists and may not be replaced.
void check_place(const fs::path& path, const std::string& problem, const FetchOptions& options) {
  check_is_plain_or_free(path);
  std::error_code ignored;
  if (options.replace_existing || !fs::exists(path, ignored)) return;
  throw InvalidArgument("fetch " + quoted(path) + ": the file exists and is not the published one: " + problem +
                        "; remove it, choose another folder, or allow replacing it (`force`)");
}

/// Finds the files that are already there; fetch_missing() handles the others.
std::vector<FetchedFile> look_around(const RemoteSet& set, const fs::path& folder, const FetchOptions& options) {
  std::vector<FetchedFile> files;
  for (const RemoteFile& file : set.files) {
    const fs::path path = folder / file.name;
    const auto problem = problem_of(path, file, options);
    if (problem) check_place(path, *problem, options);
    files.push_back({.name = file.name, .bytes = file.bytes, .was_there = !problem.has_value()});
  }
  return files;
}

void fetch_missing(const RemoteSet& set, const fs::path& folder, const FetchOptions& options,
                   std::vector<FetchedFile>& files) {
  const fetching::FetchFolder held(folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].was_there) continue;
    const RemoteFile& file = set.files[i];
    const fs::path path = folder / file.name;
    // Another fetch may have downloaded it before this one got the lock.
    const auto problem = problem_of(path, file, options);
    files[i].was_there = !problem.has_value();
    if (!problem) continue;
    check_place(path, *problem, options);
    files[i] = fetching::fetch_file(file, path, addresses_of(file, set, options), options);
  }
}

bool are_all_there(const std::vector<FetchedFile>& files) {
  return std::all_of(files.begin(), files.end(), [](const FetchedFile& file) { return file.was_there; });
}

}  // namespace

FetchSummary fetch(const RemoteSet& set, const fs::path& folder, const FetchOptions& options) {
  const auto start = Clock::now();
  if (const auto problem = fetching::set_problem(set)) {
    throw InvalidArgument("fetch a set: its description is invalid: " + *problem);
  }
  check_options(options);
  if (folder.empty()) throw InvalidArgument("fetch \"" + set.name + "\": no folder was given; name one");
  FetchSummary summary;
  summary.folder = folder;
  summary.files = look_around(set, folder, options);
  // A folder with all files may be read-only.
  if (!are_all_there(summary.files)) fetch_missing(set, folder, options, summary.files);
  for (const FetchedFile& file : summary.files) summary.received_bytes += file.received_bytes;
  summary.elapsed_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return summary;
}

FetchSummary fetch(std::string_view name, const fs::path& folder, const FetchOptions& options) {
  return fetch(known_set(name), folder, options);
}

}  // namespace octavo
