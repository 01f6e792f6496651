// The URLs of a file are tried in turn, with several attempts each.
#include <atomic>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "fetching.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("a temporary error is retried and a permanent one is not", "[unit][fetch]") {
  const TemporaryFolder folder;
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (++count == 1) return reply.fail("503 Service Unavailable");
    serve_content(request, reply);
  });
  fetch(served_set({server.url()}), folder / "set", with_retries(1));
  CHECK(server.requests().size() == 2);
  const HttpServer missing(&serve_nothing);
  CHECK_THROWS_AS(fetch(served_set({missing.url()}), folder / "other", with_retries(3)), IoError);
  CHECK(missing.requests().size() == 1);
}

TEST_CASE("mirrors are tried in order and each failure is reported", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer damaged(&serve_damaged);
  const HttpServer good(&serve_well);
  const FetchSummary summary = fetch(served_set({closed_url(), damaged.url(), good.url()}), folder / "set", hasty());
  CHECK(summary.files[0].url == good.url() + "a.bin");
  CHECK(summary.received_bytes == 600'000);
  CHECK_THAT(failure({closed_url(), damaged.url() + "x"}, folder / "other"),
             ContainsSubstring(closed_url() + "a.bin: ") && ContainsSubstring(damaged.url() + "x/a.bin: its SHA-256"));
}

TEST_CASE("a download from one mirror is resumed from another", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer cut(
      [](const HttpRequest&, const HttpReply& reply) { serve_beginning(reply, 70'000, "ETag: \"mine\"\r\n"); });
  const HttpServer good(&serve_well);
  fetch(served_set({cut.url(), good.url()}), folder.path(), hasty());
  REQUIRE(good.requests().size() == 1);
  CHECK(good.requests()[0].range == "bytes=70000-");
  // Entity tags of one server are meaningless to another.
  CHECK(good.requests()[0].if_range.empty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("a file's own URLs precede mirrors and given mirrors replace both", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_content);
  RemoteSet set = served_set({server.url() + "mirror"});
  set.files[0].urls = {server.url() + "download?id=5"};
  fetch(set, folder / "own", hasty());
  FetchOptions options = hasty();
  options.mirrors = {server.url() + "given/"};
  fetch(set, folder / "given", options);
  set.files[0].urls.clear();
  fetch(set, folder / "mirror", hasty());
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].path == "/download?id=5");
  CHECK(requests[1].path == "/given/a.bin");
  CHECK(requests[2].path == "/mirror/a.bin");
}
