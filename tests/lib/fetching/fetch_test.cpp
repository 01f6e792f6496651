// Fetching a set: results, progress, and errors before any work.
#include <algorithm>
#include <octavo/errors.hpp>
#include <stdexcept>

#include "catch.hpp"
#include "fetching.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("a file is fetched only once", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  const FetchSummary first = fetch(served_set({server.url()}), folder / "new" / "set", hasty());
  CHECK(bytes_of(folder / "new/set/a.bin") == served_content());
  CHECK(names_in(folder / "new/set") == Names{"a.bin"});
  REQUIRE(first.files.size() == 1);
  CHECK(first.files[0].name == "a.bin");
  CHECK(first.files[0].bytes == 300'000);
  CHECK_FALSE(first.files[0].was_there);
  CHECK(first.files[0].url == server.url() + "a.bin");
  CHECK(first.received_bytes == 300'000);
  const FetchSummary second = fetch(served_set({server.url()}), folder / "new" / "set", hasty());
  CHECK(second.files[0].was_there);
  CHECK(second.received_bytes == 0);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("progress is reported in bytes while receiving and while checking", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  std::vector<std::string> stages;
  std::int64_t most_received = 0;
  FetchOptions options = hasty();
  options.on_progress = [&](const Progress& progress) {
    if (stages.empty() || stages.back() != progress.stage) stages.emplace_back(progress.stage);
    CHECK(progress.total_bytes == 300'000);
    if (progress.stage == "fetching a.bin") most_received = std::max(most_received, progress.done_bytes);
  };
  fetch(served_set({server.url()}), folder / "set", options);
  CHECK(stages == Names{"fetching a.bin", "checking a.bin"});
  CHECK(most_received == 300'000);
}

TEST_CASE("invalid options and sets are refused before any work", "[unit][fetch]") {
  const TemporaryFolder folder;
  const RemoteSet good = served_set({closed_url()});
  FetchOptions options = hasty();
  options.mirrors = {"ftp://127.0.0.1/"};
  CHECK_THROWS_AS(fetch(good, folder / "set", options), InvalidArgument);
  CHECK_THROWS_AS(fetch(good, folder / "set", with_retries(-1)), InvalidArgument);
  options = hasty();
  options.stall_seconds = 0;
  CHECK_THROWS_AS(fetch(good, folder / "set", options), InvalidArgument);
  CHECK_THROWS_AS(fetch(good, "", hasty()), InvalidArgument);
  RemoteSet bad = good;
  bad.files[0].name = "../a.bin";
  CHECK_THROWS_AS(fetch(bad, folder / "set", hasty()), InvalidArgument);
  CHECK_THROWS_AS(fetch("no-such-set", folder / "set"), InvalidArgument);
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("an exception from the progress function stops a fetch that can be resumed", "[unit][fetch]") {
  const TemporaryFolder folder;
  StallingServer server;
  FetchOptions options = hasty();
  options.stall_seconds = 60;
  options.on_progress = [](const Progress& progress) {
    if (progress.done_bytes > 0) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH(fetch(served_set({server.url()}), folder.path(), options), "enough");
  CHECK(names_in(folder.path()) == Names{"a.bin.part"});
  server.stall_no_more();
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(summary.received_bytes < 300'000);
  CHECK(bytes_of(folder / "a.bin") == served_content());
}
