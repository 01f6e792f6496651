// Helpers for tests that fetch from a server on the loopback interface.
#pragma once

#include <filesystem>
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "set_server.hpp"
#include "temporary_folder.hpp"

namespace octavo::test {

using Names = std::vector<std::string>;

/// Serves the file correctly, and 404 for everything else.
inline void serve_well(const HttpRequest& request, const HttpReply& reply) {
  request.path == "/a.bin" ? serve_content(request, reply) : serve_nothing(request, reply);
}

/// Options without retries and with short timeouts.
inline FetchOptions hasty() {
  FetchOptions options;
  options.retries = 0;
  options.stall_seconds = 1;
  return options;
}

inline FetchOptions with_retries(int retries) {
  FetchOptions options = hasty();
  options.retries = retries;
  return options;
}

/// The error message when fetching from these servers fails.
inline std::string failure(const std::vector<std::string>& mirrors, const std::filesystem::path& folder,
                           const FetchOptions& options = hasty()) {
  try {
    fetch(served_set(mirrors), folder, options);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "nothing";
}

/// Same, for a server with this handler.
inline std::string failure(const HttpServer::Handler& handler, const std::filesystem::path& folder,
                           const FetchOptions& options = hasty()) {
  const HttpServer server(handler);
  return failure({server.url()}, folder, options);
}

}  // namespace octavo::test
