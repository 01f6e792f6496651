// How fetch() sends its requests, for programs that have an HTTP client of their own.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

/// A GET request.
struct HttpRequest {
  std::string url;                        ///< http or https
  std::vector<std::string> headers = {};  ///< "Name: value"
  int stall_seconds = 30;                 ///< give up after this time without a connection or below 1 KiB/s
};

/// What becomes of a response. A function that returns false ends the request.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  /// Takes the status line ("HTTP/1.1 206 Partial Content") or a header ("ETag: ..."), of each response in turn if the
  /// request is redirected.
  virtual bool take_header(std::string_view line) = 0;
  /// Takes the next bytes of the last response's body.
  virtual bool take_body(std::span<const std::byte> bytes) = 0;
  /// Called several times a second while the client waits.
  virtual bool go_on() = 0;
};

/// How a request ended.
struct HttpOutcome {
  enum class End {
    complete,  ///< the response ended, even if early, or the receiver ended the request
    broken,    ///< another attempt may succeed
    refused,   ///< another attempt would fail in the same way
  };
  End end = End::complete;
  std::string reason = {};  ///< unless complete: what is wrong, on one line
};

/// Sends the request, follows up to five redirects to http and https, and passes the response to the receiver.
using HttpClient = std::function<HttpOutcome(const HttpRequest&, HttpReceiver&)>;

/// Makes fetch() use this client instead of libcurl, or libcurl again if it is empty. Call it before fetch().
void set_http_client(HttpClient client);

/// Whether fetch() can send requests: with libcurl, or with a client that was set.
bool has_http_client();

}  // namespace octavo
