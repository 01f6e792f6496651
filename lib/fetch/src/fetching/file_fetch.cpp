#include "fetching/file_fetch.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <octavo/errors.hpp>

#include "fetching/content_check.hpp"
#include "fetching/part_file.hpp"
#include "fetching/transfer.hpp"
#include "support/file.hpp"

namespace octavo::fetching {
namespace {

using Clock = std::chrono::steady_clock;

class FileFetch {
 public:
  FileFetch(const RemoteFile& published, const std::filesystem::path& path, const FetchOptions& options)
      : published_(published),
        path_(path),
        options_(options),
        stage_("fetching " + published.name),
        part_(path, published.bytes),
        is_patched_(part_.length() > 0) {
    result_.name = published.name;
    result_.bytes = published.bytes;
  }

  FetchedFile run(const std::vector<std::string>& addresses) {
    for (const std::string& address : addresses) {
      etag_.clear();
      if (bring_from(address)) return result_;
    }
    fail();
  }

 private:
  /// Receives, checks and publishes the file. Returns false and notes the reason if this URL does not have it.
  bool bring_from(const std::string& address) {
    while (true) {
      if (part_.length() < published_.bytes && !receive_from(address)) return false;
      const auto problem = content_problem(part_.file(), published_, options_.on_progress);
      if (!problem) {
        part_.publish();
        return true;
      }
      part_.clear();
      // If the pieces may come from different versions of the file, try once more in one piece.
      if (std::exchange(is_patched_, false)) continue;
      note(address, *problem);
      has_wrong_content_ = true;
      return false;
    }
  }

  /// Receives until the part file is complete. Returns false and notes the reason if this URL fails.
  bool receive_from(const std::string& address) {
    for (int attempt = 0;;) {
      const TransferResult result = receive_once(address);
      if (result.end == TransferEnd::complete) return true;
      if (result.end == TransferEnd::no_range) {
        part_.clear();
        is_patched_ = false;
        continue;  // cannot repeat immediately: the next attempt starts at 0
      }
      if (result.end == TransferEnd::refused || attempt == options_.retries) {
        note(address, result.reason);
        return false;
      }
      pause(attempt++);
    }
  }

  TransferResult receive_once(const std::string& address) {
    const std::int64_t offset = part_.length();
    if (offset > 0) is_patched_ = true;
    TransferResult result = receive({.url = address,
                                     .part = part_,
                                     .offset = offset,
                                     .total_bytes = published_.bytes,
                                     .etag = etag_,
                                     .stall_seconds = options_.stall_seconds,
                                     .on_bytes = [this](std::int64_t bytes) { tell(bytes); }});
    if (result.began_anew) is_patched_ = false;
    if (result.received_bytes == 0) return result;
    etag_ = result.etag;
    result_.received_bytes += result.received_bytes;
    result_.url = address;
    return result;
  }

  /// Waits longer after each attempt, up to eight seconds. Ends early if on_progress throws.
  void pause(int attempt) const {
    const auto until = Clock::now() + std::chrono::milliseconds(500 << std::min(attempt, 4));
    while (Clock::now() < until) {
      tell(part_.length());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  void tell(std::int64_t bytes) const {
    if (!options_.on_progress) return;
    options_.on_progress({.stage = stage_, .done_bytes = bytes, .total_bytes = published_.bytes});
  }

  void note(const std::string& address, const std::string& reason) { problems_ += address + ": " + reason + "; "; }

  [[noreturn]] void fail() const {
    const std::string what = "fetch " + quoted(path_) + ": " + problems_;
    if (has_wrong_content_) {
      throw FormatError(what +
                        "the content differs from the published file; use another URL (`mirror`), or try again later");
    }
    if (part_.length() > 0) {
      throw IoError(what + "received data is kept: try again to resume, or use another URL (`mirror`)");
    }
    throw IoError(what + "check the network, try again later, or use another URL (`mirror`)");
  }

  const RemoteFile& published_;
  const std::filesystem::path& path_;
  const FetchOptions& options_;
  const std::string stage_;
  PartFile part_;
  bool is_patched_;   ///< the part may consist of pieces from several responses
  std::string etag_;  ///< of the response that the part came from, at the current URL
  std::string problems_;
  bool has_wrong_content_ = false;
  FetchedFile result_;
};

}  // namespace

FetchedFile fetch_file(const RemoteFile& published, const std::filesystem::path& path,
                       const std::vector<std::string>& addresses, const FetchOptions& options) {
  return FileFetch(published, path, options).run(addresses);
}

}  // namespace octavo::fetching
