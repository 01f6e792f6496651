// Correct and faulty server handlers for the set in served_set.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "http_server.hpp"
#include "served_set.hpp"

namespace octavo::test {

/// Serves the content for any path.
inline void serve_content(const HttpRequest& request, const HttpReply& reply) {
  reply.serve(request, served_content());
}

/// Same, with one byte changed.
inline void serve_damaged(const HttpRequest& request, const HttpReply& reply) {
  reply.serve(request, damaged_content());
}

/// Answers 404 to every request.
inline void serve_nothing(const HttpRequest&, const HttpReply& reply) { reply.fail("404 Not Found"); }

/// Announces the whole content, but sends only `bytes` of it. `headers`: additional lines, each ending in \r\n.
inline void serve_beginning(const HttpReply& reply, std::size_t bytes, const std::string& headers = "") {
  reply.head("200 OK", served_content().size(), headers);
  reply.send(served_content().substr(0, bytes));
}

/// A server that stalls after the first 50,000 bytes, until stall_no_more() is called.
class StallingServer {
 public:
  std::string url() const { return server_.url(); }
  void stall_no_more() { is_stalling_ = false; }

 private:
  std::atomic<bool> is_stalling_ = true;
  HttpServer server_{[this](const HttpRequest& request, const HttpReply& reply) {
    if (!is_stalling_) return serve_content(request, reply);
    serve_beginning(reply, 50'000);
    reply.stall();
  }};
};

}  // namespace octavo::test
