// Servers that send something other than the file, or nothing, or redirect.
#include <chrono>

#include "catch.hpp"
#include "fetching.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("a truncated response is an error that keeps the received bytes", "[unit][fetch]") {
  // With and without a Content-Length that reveals it.
  const bool tells_length = GENERATE(true, false);
  const TemporaryFolder folder;
  const std::string message = failure(
      [&](const HttpRequest&, const HttpReply& reply) {
        tells_length ? reply.head("200 OK", 300'000) : reply.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        reply.send(served_content().substr(0, 70'000));
      },
      folder.path());
  CHECK_THAT(message, ContainsSubstring("the connection ended after 70000 of 300000 bytes") &&
                          ContainsSubstring("try again to resume"));
  CHECK(names_in(folder.path()) == Names{"a.bin.part"});
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 70'000));
}

TEST_CASE("a response longer than the file is stopped immediately", "[unit][fetch]") {
  const TemporaryFolder folder;
  // Announced by Content-Length.
  CHECK_THAT(failure([](const HttpRequest&, const HttpReply& reply) { reply.serve({}, served_content() + "x"); },
                     folder / "set"),
             ContainsSubstring("the server has 300001 bytes, and the file has 300000"));
  // An endless stream.
  const auto endless = [](const HttpRequest&, const HttpReply& reply) {
    reply.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    for (int i = 0; i < 1000; ++i) reply.send(served_content());
  };
  CHECK_THAT(failure(endless, folder / "set"), ContainsSubstring("sends more than the 300000 bytes"));
  const std::string part = bytes_of(folder / "set" / "a.bin.part");
  CHECK(part.size() <= 300'000);
}

TEST_CASE("a response other than the file is an error", "[unit][fetch]") {
  using Case = std::tuple<HttpServer::Handler, std::string>;
  const auto [handler, reason] = GENERATE(values<Case>({
      {&serve_nothing, "HTTP status 404"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.fail("500 Oops"); }, "HTTP status 500"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.fail("200 OK"); }, "the server has 0 bytes"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.send("HTTP/1.1 204 No Content\r\n\r\n"); },
       "HTTP status 204"},
      {[](const HttpRequest&, const HttpReply& reply) {
         reply.head("404 Not Found", 20);
         reply.send("<html>nothing</html>");
       },
       "HTTP status 404"},
      {[](const HttpRequest&, const HttpReply& reply) {
         reply.head("206 Partial Content", 10, HttpReply::content_range(0, 300'000));
         reply.send("0123456789");
       },
       "only a part of the file"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.send("SSH-2.0-OpenSSH_9.2\r\n"); }, "http"},
      {[](const HttpRequest&, const HttpReply&) {}, "Empty reply"},
      {[](const HttpRequest&, const HttpReply& reply) {
         reply.send("HTTP/1.1 200 OK\r\n");
         for (int i = 0; i < 20'000; ++i) reply.send("X-Header: " + std::string(100, 'x') + "\r\n");
       },
       "header"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.stall(); }, "for 1 s"},
      {[](const HttpRequest& request, const HttpReply& reply) { reply.redirect(request.path); },
       "redirected more than 5 times"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.redirect("file:///etc/passwd"); },
       "neither http nor https"},
      {[](const HttpRequest&, const HttpReply& reply) { reply.redirect("ftp://127.0.0.1/a.bin"); },
       "neither http nor https"},
  }));
  const TemporaryFolder folder;
  const std::string message = failure(handler, folder / "set");
  INFO(message);
  CHECK_THAT(message, ContainsSubstring(reason) || ContainsSubstring("H" + reason.substr(1)));
  // The folder that was created for it is removed too.
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a stalled response is aborted and the received bytes are kept", "[unit][fetch]") {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  CHECK_THAT(failure(
                 [](const HttpRequest&, const HttpReply& reply) {
                   serve_beginning(reply, 50'000);
                   reply.stall();
                 },
                 folder.path()),
             ContainsSubstring("less than 1 KiB/s, for 1 s"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 50'000));
}

TEST_CASE("an unreachable server or one without TLS is an error", "[unit][fetch]") {
  const TemporaryFolder folder;
  CHECK_THAT(failure({closed_url()}, folder / "set"), ContainsSubstring("onnect"));
  const HttpServer server(&serve_well);
  std::string secure = server.url();
  secure.insert(4, "s");
  CHECK_THAT(failure({secure}, folder / "set"), ContainsSubstring(secure + "a.bin: "));
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("redirects are followed", "[unit][fetch]") {
  const HttpServer server([](const HttpRequest& request, const HttpReply& reply) {
    if (request.path == "/a.bin") return reply.redirect("/elsewhere");
    serve_content(request, reply);
  });
  const TemporaryFolder folder;
  write_bytes(folder / "a.bin.part", served_content().substr(0, 1000));
  fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(server.requests().at(1).path == "/elsewhere");
  CHECK(server.requests().at(1).range == "bytes=1000-");
  CHECK(bytes_of(folder / "a.bin") == served_content());
}
