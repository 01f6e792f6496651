// What servers of the set in served_set.hpp answer, well or badly.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "http_server.hpp"
#include "served_set.hpp"

namespace octavo::test {

/// The content, whatever the file is called.
inline void serve_content(const HttpRequest& request, const HttpReply& reply) {
  reply.serve(request, served_content());
}

/// Likewise, with one byte changed.
inline void serve_damaged(const HttpRequest& request, const HttpReply& reply) {
  reply.serve(request, damaged_content());
}

/// Says that there is nothing.
inline void serve_nothing(const HttpRequest&, const HttpReply& reply) { reply.fail("404 Not Found"); }

/// Announces all of the content, and sends so many bytes of it. `headers`: further lines, each with its \r\n.
inline void serve_beginning(const HttpReply& reply, std::size_t bytes, const std::string& headers = "") {
  reply.head("200 OK", served_content().size(), headers);
  reply.send(served_content().substr(0, bytes));
}

/// A server that stalls after the first 50,000 bytes, until it is told to be a good one.
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
