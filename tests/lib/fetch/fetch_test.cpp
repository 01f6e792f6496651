// Fetching from servers on the loopback, good ones and bad ones.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>

#include "catch.hpp"
#include "http_server.hpp"
#include "served_set.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Serves the file well; everything else is not there.
void serve_well(const HttpRequest& request, const HttpReply& reply) {
  if (request.path != "/a.bin") return reply.fail("404 Not Found");
  reply.serve(request, served_content());
}

/// No second attempts, and no patience.
FetchOptions hasty() {
  FetchOptions options;
  options.retries = 0;
  options.stall_seconds = 1;
  return options;
}

FetchOptions with_retries(int retries) {
  FetchOptions options = hasty();
  options.retries = retries;
  return options;
}

using Names = std::vector<std::string>;

/// The message with which fetching from these servers fails.
std::string failure(const std::vector<std::string>& mirrors, const std::filesystem::path& folder,
                    const FetchOptions& options = hasty()) {
  try {
    fetch(served_set(mirrors), folder, options);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "nothing";
}

/// The same for a server with this handler.
std::string failure(const HttpServer::Handler& handler, const std::filesystem::path& folder,
                    const FetchOptions& options = hasty()) {
  const HttpServer server(handler);
  return failure({server.url()}, folder, options);
}

}  // namespace

TEST_CASE("a file is fetched, once", "[unit][fetch]") {
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

TEST_CASE("progress is told in bytes, of receiving and of checking", "[unit][fetch]") {
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

TEST_CASE("either checksum is enough, in letters of any case", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  RemoteSet set = served_set({server.url()});
  std::string upper = kServedMd5;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  set.files = {{.name = "a.bin", .bytes = 300'000, .md5 = upper}};
  CHECK_NOTHROW(fetch(set, folder / "md5", hasty()));
  set.files = {{.name = "a.bin", .bytes = 300'000, .sha256 = kServedSha256}};
  CHECK_NOTHROW(fetch(set, folder / "sha256", hasty()));
}

// ---- Going on from where it stopped ------------------------------------------------

TEST_CASE("a part is gone on with, by a range", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  write_bytes(folder / "a.bin.part", served_content().substr(0, 100'001));
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(server.requests().at(0).range == "bytes=100001-");
  CHECK(summary.received_bytes == 199'999);
  CHECK(bytes_of(folder / "a.bin") == served_content());
  CHECK(names_in(folder.path()) == Names{"a.bin"});
}

TEST_CASE("a part that has everything already is only checked", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  write_bytes(folder / "a.bin.part", served_content());
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(server.requests().empty());
  CHECK(summary.received_bytes == 0);
  CHECK(summary.files[0].url.empty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("a part that cannot be gone on with is fetched from the beginning", "[unit][fetch]") {
  const auto [part, handler, requests] = GENERATE(table<std::string, HttpServer::Handler, std::size_t>({
      // The server knows no ranges.
      {served_content().substr(0, 1000),
       [](const HttpRequest&, const HttpReply& reply) { reply.serve({}, served_content()); }, 1},
      // It answers with another one.
      {served_content().substr(0, 1000),
       [](const HttpRequest& request, const HttpReply& reply) {
         if (request.range.empty()) return reply.serve(request, served_content());
         reply.head("206 Partial Content", 10, HttpReply::content_range(5, 300'000));
         reply.send("0123456789");
       },
       2},
      // It says that there is no such range.
      {served_content().substr(0, 1000),
       [](const HttpRequest& request, const HttpReply& reply) {
         if (request.range.empty()) return reply.serve(request, served_content());
         reply.fail("416 Range Not Satisfiable");
       },
       2},
      // The part is longer than the file.
      {served_content() + "more", &serve_well, 1},
      // The part is wrong, which shows at the end.
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

TEST_CASE("of a part that a server sends anew nothing is left, also if that is cut", "[unit][fetch]") {
  const TemporaryFolder folder;
  write_bytes(folder / "a.bin.part", std::string(200'000, 'x'));
  failure(
      [](const HttpRequest&, const HttpReply& reply) {
        reply.head("200 OK", 300'000);
        reply.send(served_content().substr(0, 70'000));
      },
      folder.path());
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 70'000));
}

TEST_CASE("a connection that ends early is taken up again, by range and tag", "[unit][fetch]") {
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    const std::string tag = "ETag: \"v1\"\r\n";
    if (++count > 1) return reply.serve(request, served_content(), tag);
    reply.head("200 OK", served_content().size(), tag);
    reply.send(served_content().substr(0, 70'000));
  });
  const TemporaryFolder folder;
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), with_retries(1));
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].range == "bytes=70000-");
  CHECK(server.requests()[1].if_range == "\"v1\"");
  CHECK(summary.received_bytes == 300'000);
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("a weak tag is not asked for", "[unit][fetch]") {
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (++count > 1) return reply.serve(request, served_content());
    reply.head("200 OK", served_content().size(), "ETag: W/\"v1\"\r\n");
    reply.send(served_content().substr(0, 70'000));
  });
  const TemporaryFolder folder;
  fetch(served_set({server.url()}), folder.path(), with_retries(1));
  CHECK(server.requests().at(1).if_range.empty());
}

TEST_CASE("a file that changed between two pieces is fetched once more in one", "[unit][fetch]") {
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (++count > 1) return reply.serve(request, served_content());
    reply.head("200 OK", served_content().size());
    reply.send(std::string(70'000, 'x'));
  });
  const TemporaryFolder folder;
  fetch(served_set({server.url()}), folder.path(), with_retries(1));
  REQUIRE(server.requests().size() == 3);
  CHECK(server.requests()[2].range.empty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

// ---- Bad servers ---------------------------------------------------------------------

TEST_CASE("a cut answer is an error that keeps what came", "[unit][fetch]") {
  // With and without a Content-Length that tells.
  const bool tells_length = GENERATE(true, false);
  const TemporaryFolder folder;
  const std::string message = failure(
      [&](const HttpRequest&, const HttpReply& reply) {
        tells_length ? reply.head("200 OK", 300'000) : reply.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        reply.send(served_content().substr(0, 70'000));
      },
      folder.path());
  CHECK_THAT(message, ContainsSubstring("the connection ended after 70000 of 300000 bytes") &&
                          ContainsSubstring("try again to go on from there"));
  CHECK(names_in(folder.path()) == Names{"a.bin.part"});
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 70'000));
}

TEST_CASE("a wrong checksum is an error that names both, and leaves nothing", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(
      [](const HttpRequest& request, const HttpReply& reply) { reply.serve(request, damaged_content()); });
  CHECK_THROWS_AS(fetch(served_set({server.url()}), folder / "set", hasty()), FormatError);
  CHECK(server.requests().size() == 1);
  CHECK_THAT(failure({server.url()}, folder / "set"),
             ContainsSubstring("/set/a.bin\"") && ContainsSubstring("its SHA-256 is ") &&
                 ContainsSubstring(std::string(", not ") + kServedSha256) && ContainsSubstring("--mirror"));
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("both checksums have to be right where both are known", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  RemoteSet set = served_set({server.url()});
  set.files[0].md5.back() = 'e';
  CHECK_THROWS_WITH(fetch(set, folder / "set", hasty()), ContainsSubstring("its MD5 is " + std::string(kServedMd5)));
}

TEST_CASE("an answer longer than the file is stopped at once", "[unit][fetch]") {
  const TemporaryFolder folder;
  // Told beforehand.
  CHECK_THAT(failure([](const HttpRequest&, const HttpReply& reply) { reply.serve({}, served_content() + "x"); },
                     folder / "set"),
             ContainsSubstring("the server has 300001 bytes, and the file has 300000"));
  // Or a stream without end.
  const auto endless = [](const HttpRequest&, const HttpReply& reply) {
    reply.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    for (int i = 0; i < 1000; ++i) reply.send(served_content());
  };
  CHECK_THAT(failure(endless, folder / "set"), ContainsSubstring("sends more than the 300000 bytes"));
  const std::string part = bytes_of(folder / "set" / "a.bin.part");
  CHECK(part.size() <= 300'000);
}

TEST_CASE("an answer that is no such file is an error", "[unit][fetch]") {
  using Case = std::tuple<HttpServer::Handler, std::string>;
  const auto [handler, reason] = GENERATE(values<Case>({
      {[](const HttpRequest&, const HttpReply& reply) { reply.fail("404 Not Found"); }, "HTTP status 404"},
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
       "a part where all was asked for"},
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
  // The folder that was made for it is gone too.
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("an answer that stalls is given up, and what came is kept", "[unit][fetch]") {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  CHECK_THAT(failure(
                 [](const HttpRequest&, const HttpReply& reply) {
                   reply.head("200 OK", 300'000);
                   reply.send(served_content().substr(0, 50'000));
                   reply.stall();
                 },
                 folder.path()),
             ContainsSubstring("less than 1 KiB a second, for 1 s"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 50'000));
}

TEST_CASE("a server that cannot be reached, or speaks no TLS, is an error", "[unit][fetch]") {
  const TemporaryFolder folder;
  CHECK_THAT(failure({closed_url()}, folder / "set"), ContainsSubstring("onnect"));
  const HttpServer server(&serve_well);
  std::string secure = server.url();
  secure.insert(4, "s");
  CHECK_THAT(failure({secure}, folder / "set"), ContainsSubstring(secure + "a.bin: "));
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("an error that may pass is tried again, and one that lasts is not", "[unit][fetch]") {
  const TemporaryFolder folder;
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (++count == 1) return reply.fail("503 Service Unavailable");
    reply.serve(request, served_content());
  });
  fetch(served_set({server.url()}), folder / "set", with_retries(1));
  CHECK(server.requests().size() == 2);
  const HttpServer missing([](const HttpRequest&, const HttpReply& reply) { reply.fail("404 Not Found"); });
  CHECK_THROWS_AS(fetch(served_set({missing.url()}), folder / "other", with_retries(3)), IoError);
  CHECK(missing.requests().size() == 1);
}

TEST_CASE("redirects are followed", "[unit][fetch]") {
  const HttpServer server([](const HttpRequest& request, const HttpReply& reply) {
    if (request.path == "/a.bin") return reply.redirect("/elsewhere");
    reply.serve(request, served_content());
  });
  const TemporaryFolder folder;
  write_bytes(folder / "a.bin.part", served_content().substr(0, 1000));
  fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(server.requests().at(1).path == "/elsewhere");
  CHECK(server.requests().at(1).range == "bytes=1000-");
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

// ---- Addresses -------------------------------------------------------------------------

TEST_CASE("mirrors are tried in order, and each failure is told", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer damaged(
      [](const HttpRequest& request, const HttpReply& reply) { reply.serve(request, damaged_content()); });
  const HttpServer good(&serve_well);
  const FetchSummary summary = fetch(served_set({closed_url(), damaged.url(), good.url()}), folder / "set", hasty());
  CHECK(summary.files[0].url == good.url() + "a.bin");
  CHECK(summary.received_bytes == 600'000);
  CHECK_THAT(failure({closed_url(), damaged.url() + "x"}, folder / "other"),
             ContainsSubstring(closed_url() + "a.bin: ") && ContainsSubstring(damaged.url() + "x/a.bin: its SHA-256"));
}

TEST_CASE("what one mirror began another one ends", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer cut([](const HttpRequest&, const HttpReply& reply) {
    reply.head("200 OK", 300'000, "ETag: \"mine\"\r\n");
    reply.send(served_content().substr(0, 70'000));
  });
  const HttpServer good(&serve_well);
  fetch(served_set({cut.url(), good.url()}), folder.path(), hasty());
  REQUIRE(good.requests().size() == 1);
  CHECK(good.requests()[0].range == "bytes=70000-");
  // Tags of one server mean nothing to another.
  CHECK(good.requests()[0].if_range.empty());
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("a file's own addresses go before mirrors, and given mirrors replace both", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(
      [](const HttpRequest& request, const HttpReply& reply) { reply.serve(request, served_content()); });
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

// ---- The folder ----------------------------------------------------------------------------

TEST_CASE("a file that is there and is another one is replaced only if that is allowed", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  const std::string there = GENERATE(std::string("mine"), damaged_content());
  write_bytes(folder / "a.bin", there);
  CHECK_THROWS_AS(fetch(served_set({server.url()}), folder.path(), hasty()), InvalidArgument);
  CHECK_THAT(failure({server.url()}, folder.path()),
             ContainsSubstring("is not the published one: its SHA-256 is") ||
                 ContainsSubstring("is not the published one: it has 4 bytes, not 300000"));
  CHECK(server.requests().empty());
  CHECK(bytes_of(folder / "a.bin") == there);
  FetchOptions options = hasty();
  options.replace_existing = true;
  fetch(served_set({server.url()}), folder.path(), options);
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

TEST_CASE("nothing is written through a link, nor into a pipe or a folder", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  FetchOptions options = hasty();
  options.replace_existing = true;
  write_bytes(folder / "precious", "precious");
  for (const char* name : {"a.bin", "a.bin.part"}) {
    const TemporaryFolder target;
    std::filesystem::create_symlink(folder / "precious", target / name);
    CHECK_THROWS_AS(fetch(served_set({server.url()}), target.path(), options), Error);
    std::filesystem::remove(target / name);
    std::filesystem::create_directory(target / name);
    CHECK_THROWS_AS(fetch(served_set({server.url()}), target.path(), options), Error);
    CHECK(names_in(target.path()) == Names{name});
  }
  CHECK(bytes_of(folder / "precious") == "precious");
  CHECK_THROWS_AS(fetch(served_set({server.url()}), folder / "precious", options), IoError);
}

TEST_CASE("a link to the published file is as good as the file", "[unit][fetch]") {
  const TemporaryFolder folder;
  write_bytes(folder / "elsewhere", served_content());
  std::filesystem::create_directory(folder / "set");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "set" / "a.bin");
  CHECK(fetch(served_set({closed_url()}), folder / "set", hasty()).files[0].was_there);
}

TEST_CASE("two fetches do not work in one folder at the same time", "[unit][fetch]") {
  const TemporaryFolder folder;
  std::latch has_begun(1);
  std::latch may_end(1);
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    has_begun.count_down();
    may_end.wait();
    reply.serve(request, served_content());
  });
  FetchOptions patient = hasty();
  patient.stall_seconds = 60;
  std::thread first([&] { fetch(served_set({server.url()}), folder.path(), patient); });
  has_begun.wait();
  CHECK_THAT(failure({server.url()}, folder.path()), ContainsSubstring("another fetch is at work there"));
  may_end.count_down();
  first.join();
  CHECK(server.requests().size() == 1);
  CHECK(bytes_of(folder / "a.bin") == served_content());
  CHECK(names_in(folder.path()) == Names{"a.bin"});
}

TEST_CASE("an exception of the progress function stops a fetch, which can be gone on with", "[unit][fetch]") {
  const TemporaryFolder folder;
  std::atomic<bool> is_slow = true;
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    if (!is_slow) return reply.serve(request, served_content());
    reply.head("200 OK", 300'000);
    reply.send(served_content().substr(0, 50'000));
    reply.stall();
  });
  FetchOptions options = hasty();
  options.stall_seconds = 60;
  options.on_progress = [](const Progress& progress) {
    if (progress.done_bytes > 0) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH(fetch(served_set({server.url()}), folder.path(), options), "enough");
  CHECK(names_in(folder.path()) == Names{"a.bin.part"});
  is_slow = false;
  const FetchSummary summary = fetch(served_set({server.url()}), folder.path(), hasty());
  CHECK(summary.received_bytes < 300'000);
  CHECK(bytes_of(folder / "a.bin") == served_content());
}

namespace {

/// What fetching says in a child process that was made ready by `prepare`.
std::string failure_in_child(const std::string& mirror, const std::filesystem::path& folder, void (*prepare)()) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    prepare();
    std::string message = "nothing";
    try {
      fetch(served_set({mirror}), folder, hasty());
    } catch (const std::exception& error) {
      message = error.what();
    }
    static_cast<void>(::write(ends[1], message.data(), message.size()));
    ::_exit(0);
  }
  ::close(ends[1]);
  char text[4096];
  const ssize_t count = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

constexpr uid_t kNobody = 65534;

}  // namespace

TEST_CASE("a limit on the size of files is an error that names the part", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  CHECK_THAT(failure_in_child(server.url(), folder.path(),
                              [] {
                                const rlimit limit = {100'000, 100'000};
                                ::setrlimit(RLIMIT_FSIZE, &limit);
                                ::signal(SIGXFSZ, SIG_IGN);
                              }),
             ContainsSubstring("a.bin.part\": File too large"));
  CHECK(names_in(folder.path()) == Names{"a.bin.part"});
  // More than the limit allows is not there, and the next call goes on.
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 100'000));
  CHECK(fetch(served_set({server.url()}), folder.path(), hasty()).received_bytes == 200'000);
}

TEST_CASE("a folder that cannot be written is an error, unless nothing is missing in it", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const auto as_nobody = [] {
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(99);
  };
  const std::string message = failure_in_child(server.url(), folder.path(), as_nobody);
  CHECK_THAT(message, ContainsSubstring("Permission denied; check its permissions"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  write_bytes(folder / "a.bin", served_content());
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  CHECK(failure_in_child(server.url(), folder.path(), as_nobody) == "nothing");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  CHECK(server.requests().empty());
}

TEST_CASE("options and sets that make no sense are refused before anything is done", "[unit][fetch]") {
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
