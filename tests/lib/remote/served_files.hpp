// Files on a server of the loopback interface.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <octavo/remote.hpp>

#include "http_server.hpp"

namespace octavo::test {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Bytes that differ from place to place.
inline std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

/// Serves files like a correct server, with a tag, unless `answer` does something else first: it returns true for a
/// request that it has answered.
class ServedFiles {
 public:
  using Answer = std::function<bool(const HttpRequest&, const HttpReply&)>;

  explicit ServedFiles(std::map<std::string, std::string> files, Answer answer = {})
      : files_(std::move(files)), answer_(std::move(answer)), server_([this](const auto& request, const auto& reply) {
          if (!answer_ || !answer_(request, reply)) serve(request, reply);
        }) {}

  std::string url(const std::string& name) const { return server_.url() + name; }
  std::vector<HttpRequest> requests() const { return server_.requests(); }
  /// Replaces a file by one with another tag.
  void replace(const std::string& name, std::string content) {
    const std::lock_guard lock(mutex_);
    files_[name] = std::move(content);
    ++version_;
  }
  bool has_tags = true;  ///< set it before the first request

  void serve(const HttpRequest& request, const HttpReply& reply) {
    std::string content, tag;
    {
      const std::lock_guard lock(mutex_);
      const auto found = files_.find(request.path.substr(1, request.path.find('?') - 1));
      if (found == files_.end()) return reply.fail("404 Not Found");
      content = found->second;
      tag = "\"v" + std::to_string(version_) + "\"";
    }
    const std::string wanted = request.header("If-Match");
    if (has_tags && !wanted.empty() && wanted != tag) return reply.fail("412 Precondition Failed");
    reply.serve_part(request, content, has_tags ? "ETag: " + tag + "\r\n" : "");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> files_;
  int version_ = 1;
  Answer answer_;
  HttpServer server_;
};

/// Short waits, so that tests are quick.
inline remote::SourceOptions quick_options() { return {.attempts = 3, .first_wait_ms = 1}; }

inline std::string read_text(const ByteSource& source, std::int64_t offset, std::int64_t bytes) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  source.read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace octavo::test
