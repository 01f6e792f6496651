// A small HTTP server on the loopback interface. Each test defines its responses, including invalid ones.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace octavo::test {

/// The request of a client.
struct HttpRequest {
  std::string path;   ///< "/a.bin"
  std::string range;  ///< "bytes=100-"; empty: all
  std::string if_range;
  std::string head;  ///< all lines, each with \r\n

  /// The first byte of the range; 0 without a range.
  std::size_t first() const { return range.empty() ? 0 : std::stoul(range.substr(range.find('=') + 1)); }
  /// The end of the range in a file of `total` bytes.
  std::size_t end(std::size_t total) const {
    const std::size_t dash = range.find('-');
    const bool is_open = dash == std::string::npos || dash + 1 == range.size();
    return is_open ? total : std::min(total, std::stoul(range.substr(dash + 1)) + 1);
  }
  /// The value of a header; empty if there is none. Names are compared without case.
  std::string header(const std::string& name) const {
    const auto lower = [](std::string text) {
      for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return text;
    };
    const std::size_t at = lower(head).find("\r\n" + lower(name) + ": ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

/// The connection of one request. Data sent after the client has disconnected is dropped.
class HttpReply {
 public:
  HttpReply(int socket, const std::atomic<bool>& is_ending) : socket_(socket), is_ending_(is_ending) {}

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// `headers`: additional lines, each ending in \r\n.
  void head(const std::string& status, std::size_t length, const std::string& headers = "") const {
    send("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\nConnection: close\r\n" +
         headers + "\r\n");
  }
  void fail(const std::string& status) const { head(status, 0); }
  void redirect(const std::string& to) const { head("302 Found", 0, "Location: " + to + "\r\n"); }
  /// Sends `content` like a correct server: the requested range, if any.
  void serve(const HttpRequest& request, std::string_view content, const std::string& headers = "") const {
    const std::size_t first = request.first();
    if (request.range.empty()) return head("200 OK", content.size(), headers), send(content);
    if (first >= content.size()) return fail("416 Range Not Satisfiable");
    head("206 Partial Content", content.size() - first, headers + content_range(first, content.size()));
    send(content.substr(first));
  }
  static std::string content_range(std::size_t first, std::size_t total) { return content_range(first, total, total); }
  static std::string content_range(std::size_t first, std::size_t end, std::size_t total) {
    return "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(end - 1) + "/" +
           std::to_string(total) + "\r\n";
  }
  /// Sends the requested part of `content` like a correct server, and keeps the connection for further requests.
  void serve_part(const HttpRequest& request, std::string_view content, const std::string& headers = "") const {
    const std::size_t first = request.first(), end = request.end(content.size());
    if (first >= content.size()) return fail("416 Range Not Satisfiable");
    keeps_connection_ = true;
    send("HTTP/1.1 206 Partial Content\r\nContent-Length: " + std::to_string(end - first) + "\r\n" + headers +
         content_range(first, end, content.size()) + "\r\n");
    send(content.substr(first, end - first));
  }
  bool keeps_connection() const { return keeps_connection_; }
  /// Ends the connection with a reset, which drops what was sent.
  void reset() const {
    const linger now = {1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  /// Waits until the client disconnects or the server stops.
  void stall() const {
    for (pollfd client = {socket_, POLLIN | POLLRDHUP, 0}; !is_ending_;) {
      if (::poll(&client, 1, 20) > 0) return;
    }
  }

 private:
  int socket_;
  const std::atomic<bool>& is_ending_;
  mutable bool keeps_connection_ = false;
};

/// Answers each connection by calling a handler on a separate thread.
class HttpServer {
 public:
  using Handler = std::function<void(const HttpRequest&, const HttpReply&)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    // Do not use the environment's proxy for the loopback interface.
    ::setenv("no_proxy", "127.0.0.1", 1);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t address_bytes = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, name, address_bytes) != 0 || ::listen(listener_, 128) != 0 ||
        ::getsockname(listener_, name, &address_bytes) != 0) {
      throw std::runtime_error("cannot listen on the loopback interface");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] {
      is_accepting_.count_down();
      accept_all();
    });
    // A test may fork after this. A starting thread holds AddressSanitizer's locks, and a forked child would deadlock.
    is_accepting_.wait();
  }
  ~HttpServer() {
    is_ending_ = true;
    acceptor_.join();
    for (std::thread& connection : connections_) connection.join();
    ::close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "http://127.0.0.1:PORT/".
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  /// The requests so far, in order.
  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    for (pollfd waiting = {listener_, POLLIN, 0}; !is_ending_;) {
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      // A small answer must not wait for the client to confirm the one before it.
      constexpr int kYes = 1;
      if (client >= 0) ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
      if (client >= 0) connections_.emplace_back([this, client] { answer(client); });
    }
  }

  void answer(int client) {
    for (bool goes_on = true; goes_on;) {
      const HttpRequest request = parse(read_head(client));
      if (request.path.empty()) break;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      const HttpReply reply(client, is_ending_);
      handler_(request, reply);
      goes_on = reply.keeps_connection();
    }
    // Shut down first: a reset while the client still sends would discard the data sent to it.
    ::shutdown(client, SHUT_WR);
    ::close(client);
  }

  /// Reads the request up to the empty line. Returns an empty string if that never comes, as with a TLS client.
  std::string read_head(int client) const {
    std::string text;
    char bytes[4096];
    for (pollfd waiting = {client, POLLIN, 0}; !is_ending_;) {
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const ssize_t count = ::recv(client, bytes, sizeof bytes, 0);
      if (count <= 0) return "";
      text.append(bytes, static_cast<std::size_t>(count));
      if (text.find("\r\n\r\n") != std::string::npos) return text;
      if (!text.starts_with("GET ")) return "";
    }
    return "";
  }

  static HttpRequest parse(const std::string& head) {
    if (head.empty()) return {};
    const std::size_t begin = head.find(' ') + 1;
    return {head.substr(begin, head.find(' ', begin) - begin), header(head, "\r\nRange: "),
            header(head, "\r\nIf-Range: "), head};
  }

  static std::string header(const std::string& head, const std::string& name) {
    const std::size_t at = head.find(name);
    if (at == std::string::npos) return "";
    return head.substr(at + name.size(), head.find("\r\n", at + name.size()) - at - name.size());
  }

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::latch is_accepting_{1};
  std::atomic<bool> is_ending_ = false;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

/// A URL on the loopback interface that refuses connections.
inline std::string closed_url() {
  // Port 1 is reserved, so nothing listens there.
  ::setenv("no_proxy", "127.0.0.1", 1);
  return "http://127.0.0.1:1/";
}

}  // namespace octavo::test
