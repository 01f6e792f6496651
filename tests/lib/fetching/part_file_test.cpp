// Resuming a partly received file.
#include <atomic>

#include "catch.hpp"
#include "fetching.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("a part file is resumed with a range request", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  write_bytes(folder / "a.bin.part", served_content().substr(0, 100'001));
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(server.requests().at(0).range == "bytes=100001-");
  CHECK(summary.received_bytes == 199'999);
  CHECK(bytes_of(folder / "a.bin") == served_content());
  CHECK(names_in(folder.path()) == Names{"a.bin"});
}

TEST_CASE("a complete part file is only checked", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  write_bytes(folder / "a.bin.part", served_content());
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(server.requests().empty());
  CHECK(summary.received_bytes == 0);
  CHECK(summary.files[0].url.empty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("a part file that cannot be resumed is fetched from the beginning", "[unit][fetch]") {
  const auto [part, handler, requests] = GENERATE(table<std::string, HttpServer::Handler, std::size_t>({
      // The server does not support ranges.
      {served_content().substr(0, 1000),
       [](const HttpRequest&, const HttpReply& reply) { reply.serve({}, served_content()); }, 1},
      // It answers with a different range.
      {served_content().substr(0, 1000),
       [](const HttpRequest& request, const HttpReply& reply) {
         if (request.range.empty()) return serve_content(request, reply);
         reply.head("206 Partial Content", 10, HttpReply::content_range(5, 300'000));
         reply.send("0123456789");
       },
       2},
      // It answers that the range does not exist.
      {served_content().substr(0, 1000),
       [](const HttpRequest& request, const HttpReply& reply) {
         if (request.range.empty()) return serve_content(request, reply);
         reply.fail("416 Range Not Satisfiable");
       },
       2},
      // The part file is longer than the file.
      {served_content() + "more", &serve_well, 1},
      // The part file has wrong bytes, which is detected at the end.
      {"wrong" + served_content().substr(5, 1000), &serve_well, 2},
      {damaged_content(), &serve_well, 1},
  }));
  const TemporaryFolder folder;
  const HttpServer server(handler);
  write_bytes(folder / "a.bin.part", part);
  fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
  CHECK(server.requests().size() == requests);
  CHECK(server.requests().back().range.empty() == (requests == 2 || part.size() >= 300'000));
  CHECK(names_in(folder.path()) == Names{"a.bin"});
}

TEST_CASE("a part file that the server sends again is discarded even if the new transfer is cut", "[unit][fetch]") {
  const TemporaryFolder folder;
  write_bytes(folder / "a.bin.part", std::string(200'000, 'x'));
  failure([](const HttpRequest&, const HttpReply& reply) { serve_beginning(reply, 70'000); }, folder.path());
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 70'000));
}

TEST_CASE("a connection that ends early is resumed by range and tag", "[unit][fetch]") {
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    const std::string tag = "ETag: \"v1\"\r\n";
    if (++count > 1) return reply.serve(request, served_content(), tag);
    serve_beginning(reply, 70'000, tag);
  });
  const TemporaryFolder folder;
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), with_retries(1));
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].range == "bytes=70000-");
  CHECK(server.requests()[1].if_range == "\"v1\"");
  CHECK(summary.received_bytes == 300'000);
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("a weak tag is not used in requests", "[unit][fetch]") {
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (++count > 1) return serve_content(request, reply);
    serve_beginning(reply, 70'000, "ETag: W/\"v1\"\r\n");
  });
  const TemporaryFolder folder;
  fetch(served_set({server.url()}), folder.path(), with_retries(1));
  CHECK(server.requests().at(1).if_range.empty());
}

TEST_CASE("a file that changed between two pieces is fetched again in one piece", "[unit][fetch]") {
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (++count > 1) return serve_content(request, reply);
    reply.head("200 OK", served_content().size());
    reply.send(std::string(70'000, 'x'));
  });
  const TemporaryFolder folder;
  fetch(served_set({server.url()}), folder.path(), with_retries(1));
  REQUIRE(server.requests().size() == 3);
  CHECK(server.requests()[2].range.empty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
}
