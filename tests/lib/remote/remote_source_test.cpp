// Reading a file of a server that is correct, slow, damaged or hostile.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "served_files.hpp"

using namespace octavo;
using namespace octavo::test;
using remote::open_source;

namespace {

constexpr std::int64_t kFileBytes = 300'000;
/// Not in the beginning, which is read when a file is opened.
constexpr std::int64_t kFar = 100'000;

/// What a server does with the requests after the first one.
ServedFiles::Answer after_opening(std::function<void(const HttpRequest&, const HttpReply&)> answer) {
  return [count = std::make_shared<std::atomic<int>>(0), answer = std::move(answer)](const auto& request,
                                                                                     const auto& reply) {
    if (count->fetch_add(1) == 0) return false;
    answer(request, reply);
    return true;
  };
}

/// The error of a read, whose first request the server answers so.
std::string error_of_read(std::function<void(const HttpRequest&, const HttpReply&)> answer,
                          const remote::SourceOptions& options = quick_options()) {
  ServedFiles files({{"a.h5", pattern(kFileBytes)}}, after_opening(std::move(answer)));
  const auto source = open_source(files.url("a.h5"), options);
  try {
    read_text(*source, kFar, 1000);
  } catch (const IoError& error) {
    const std::string text = error.what();
    CHECK_THAT(text, ContainsSubstring(files.url("a.h5")));
    CHECK(text.find('\n') == std::string::npos);
    return text;
  }
  return "no error";
}

std::string error_of_open(const std::string& url, const remote::SourceOptions& options = quick_options()) {
  try {
    static_cast<void>(open_source(url, options));
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("ranges of a remote file are read", "[unit][remote]") {
  const std::string content = pattern(kFileBytes);
  ServedFiles files({{"a.h5", content}});
  const auto source = open_source(files.url("a.h5?token=secret"), quick_options());
  CHECK(source->name() == files.url("a.h5"));
  CHECK(source->length() == kFileBytes);
  CHECK(files.requests().size() == 1);
  CHECK(read_text(*source, 0, 100) == content.substr(0, 100));
  CHECK(files.requests().size() == 1);  // the beginning is there
  for (const auto& [offset, bytes] : {std::pair{kFar, 5000}, {16'000, 1000}, {kFileBytes - 1, 1}, {kFileBytes, 0}}) {
    CHECK(read_text(*source, offset, bytes) == content.substr(static_cast<std::size_t>(offset), bytes));
  }
  std::string a(3, ' '), b(5, ' ');
  const std::vector<std::span<std::byte>> parts = {
      std::as_writable_bytes(std::span(a)), {}, std::as_writable_bytes(std::span(b))};
  source->read_parts_at(kFar, parts);
  CHECK(a + b == content.substr(kFar, 8));
  for (const auto& [offset, bytes] : {std::pair{kFileBytes, 1}, {kFileBytes + 1, 0}, {kFar, kFileBytes}, {-1, 1}}) {
    CHECK_THROWS_AS(read_text(*source, offset, bytes), IoError);
  }
  for (const HttpRequest& request : files.requests()) {
    CHECK(request.path == "/a.h5?token=secret");
    CHECK(request.header("Accept-Encoding") == "identity");
  }
  CHECK(files.requests().back().header("If-Match") == "\"v1\"");
}

TEST_CASE("a file shorter than the first request is read", "[unit][remote]") {
  ServedFiles files({{"a.h5", "abc"}, {"empty", ""}});
  const auto source = open_source(files.url("a.h5"), quick_options());
  CHECK(source->length() == 3);
  CHECK(read_text(*source, 1, 2) == "bc");
  CHECK_THAT(error_of_open(files.url("empty")), ContainsSubstring("the file is empty"));
}

TEST_CASE("a large read is several requests, and equal bytes", "[unit][remote]") {
  const std::string content = pattern(13'000'001);
  ServedFiles files({{"a", content}});
  const auto source = open_source(files.url("a"), quick_options());
  CHECK(read_text(*source, 20'000, 12'900'000) == content.substr(20'000, 12'900'000));
  CHECK(files.requests().size() >= 5);  // of at most 4 MiB
}

TEST_CASE("bytes that were requested before are at hand", "[unit][remote]") {
  const std::string content = pattern(kFileBytes);
  ServedFiles files({{"a", content}});
  const auto source = open_source(files.url("a"), quick_options());
  std::string out(2000, ' ');
  const std::span<std::byte> part = std::as_writable_bytes(std::span(out));
  CHECK(source->read_parts_at_hand(kFar, std::span(&part, 1)) == AtHand::no);
  source->start_read(kFar, 1000);
  source->start_read(kFar + 1000, 1000);
  source->start_read(kFar, 2000);  // again
  AtHand result = AtHand::no;
  while (result != AtHand::yes) {
    result = source->read_parts_at_hand(kFar, std::span(&part, 1));
    std::this_thread::yield();
  }
  CHECK(out == content.substr(kFar, 2000));
  CHECK(files.requests().size() <= 3);
  // They are kept only until they are read.
  CHECK(source->read_parts_at_hand(kFar, std::span(&part, 1)) == AtHand::no);
  // A read may wait for a part, and fetch the rest.
  source->start_read(kFar + 500, 100);
  CHECK(read_text(*source, kFar, 2000) == content.substr(kFar, 2000));
  source->start_read(kFileBytes - 10, 1000);
  source->start_read(-5, 10);
  CHECK(read_text(*source, kFileBytes - 20, 20) == content.substr(kFileBytes - 20));
}

TEST_CASE("hints that do not fit are dropped", "[unit][remote]") {
  const std::string content = pattern(kFileBytes);
  ServedFiles files({{"a", content}});
  remote::SourceOptions options = quick_options();
  options.most_kept_bytes = 10'000;
  const auto source = open_source(files.url("a"), options);
  for (std::int64_t at = 20'000; at < 280'000; at += 3000) source->start_read(at, 2000);
  for (std::int64_t at = 20'000; at < 280'000; at += 3000) {
    REQUIRE(read_text(*source, at, 2000) == content.substr(static_cast<std::size_t>(at), 2000));
  }
}

TEST_CASE("near ranges that wait are one request", "[unit][remote]") {
  std::atomic<bool> is_open = false, may_answer = false;
  const std::string content = pattern(kFileBytes);
  ServedFiles files({{"a", content}}, [&](const HttpRequest&, const HttpReply&) {
    while (is_open && !may_answer) std::this_thread::yield();
    return false;
  });
  remote::SourceOptions options = quick_options();
  options.most_requests_in_flight = 1;
  const auto source = open_source(files.url("a"), options);
  is_open = true;
  source->start_read(20'000, 10);  // may be on its way alone
  for (std::int64_t at = 100'000; at < 110'000; at += 1000) source->start_read(at, 100);
  may_answer = true;
  for (std::int64_t at = 100'000; at < 110'000; at += 1000) {
    CHECK(read_text(*source, at, 100) == content.substr(static_cast<std::size_t>(at), 100));
  }
  CHECK(files.requests().size() <= 4);
}

TEST_CASE("failures that pass are tried again", "[unit][remote]") {
  const std::string content = pattern(kFileBytes);
  for (const std::string kind : {"503", "429", "500", "reset", "short", "close"}) {
    INFO(kind);
    std::atomic<int> count = 0;
    ServedFiles files({{"a", content}}, [&](const HttpRequest& request, const HttpReply& reply) {
      const int number = count++;
      if (number == 0 || number > 2) return false;
      if (kind == "reset") {
        reply.reset();
      } else if (kind == "short") {
        reply.head("206 Partial Content", 1000,
                   HttpReply::content_range(request.first(), request.end(kFileBytes), kFileBytes));
        reply.send(content.substr(request.first(), 300));
      } else if (kind != "close") {
        reply.head(kind + " Busy", 0, "Retry-After: 0\r\n");
      }
      return true;
    });
    const auto source = open_source(files.url("a"), quick_options());
    CHECK(read_text(*source, kFar, 1000) == content.substr(kFar, 1000));
    CHECK(files.requests().size() == 4);
  }
}

TEST_CASE("failures end after the allowed attempts", "[unit][remote]") {
  std::atomic<int> count = 0;
  const std::string error = error_of_read([&](const auto&, const auto& reply) {
    ++count;
    reply.fail("503 Busy");
  });
  CHECK_THAT(error, ContainsSubstring("(3 attempts): the server failed (status 503)"));
  CHECK(count == 3);
  CHECK_THAT(error_of_open(closed_url() + "a.h5"), ContainsSubstring("(3 attempts)"));
}

TEST_CASE("failures that last are not tried again", "[unit][remote]") {
  for (const std::string status : {"400 Bad", "401 No", "403 No", "404 No", "410 Gone", "416 Range", "501 No"}) {
    INFO(status);
    std::atomic<int> count = 0;
    const std::string error = error_of_read([&](const auto&, const auto& reply) {
      ++count;
      reply.fail(status);
    });
    CHECK_THAT(error, ContainsSubstring("(status " + status.substr(0, 3)));
    CHECK(count == 1);
  }
}

TEST_CASE("a server without ranges is refused", "[unit][remote]") {
  ServedFiles files({}, [](const HttpRequest& request, const HttpReply& reply) {
    const bool is_page = request.path == "/page";
    reply.head("200 OK", 3'000'000, is_page ? "Content-Type: text/html\r\n" : "");
    reply.send(std::string(3'000'000, 'x'));
    return true;
  });
  CHECK_THAT(error_of_open(files.url("a.h5")), ContainsSubstring("whole file instead of a range"));
  CHECK_THAT(error_of_open(files.url("page")), ContainsSubstring("HTML page"));
  CHECK(files.requests().size() == 2);
}

TEST_CASE("answers that are not the requested bytes are refused", "[unit][remote]") {
  const auto part = [](const HttpReply& reply, std::size_t bytes, const std::string& headers) {
    reply.head("206 Partial Content", bytes, headers);
    reply.send(std::string(bytes, 'x'));
  };
  using Reply = const HttpReply&;
  using Request = const HttpRequest&;
  CHECK_THAT(error_of_read([&](Request, Reply reply) { part(reply, 1000, ""); }),
             ContainsSubstring("without the header Content-Range"));
  CHECK_THAT(error_of_read([&](Request, Reply reply) {
               part(reply, 1000, HttpReply::content_range(kFar + 1, kFar + 1001, kFileBytes));
             }),
             ContainsSubstring("expected bytes 100000-100999"));
  CHECK_THAT(error_of_read([&](Request, Reply reply) {
               part(reply, 1001, HttpReply::content_range(kFar, kFar + 1000, kFileBytes));
             }),
             ContainsSubstring("more than the 1000 bytes"));
  CHECK_THAT(error_of_read([&](Request, Reply reply) {
               part(reply, 999, HttpReply::content_range(kFar, kFar + 1000, kFileBytes));
             }),
             ContainsSubstring("999 of 1000 bytes"));
  CHECK_THAT(error_of_read([&](Request, Reply reply) {
               part(reply, 1000,
                    HttpReply::content_range(kFar, kFar + 1000, kFileBytes) + "Content-Encoding: gzip\r\n");
             }),
             ContainsSubstring("encoded with gzip"));
  CHECK_THAT(error_of_read([&](Request, Reply reply) {
               std::string many;
               for (int i = 0; i < 400; ++i)
                 many += "X-Header-" + std::to_string(i) + ": " + std::string(1000, 'x') + "\r\n";
               part(reply, 1000, many);
             }),
             ContainsSubstring("too many headers") || ContainsSubstring("oo large"));
  CHECK_THAT(error_of_read([&](Request, Reply reply) { reply.send("not HTTP at all\r\n\r\n"); }),
             ContainsSubstring("HTTP/0.9"));
}

TEST_CASE("a server that stalls is given up", "[unit][remote]") {
  remote::SourceOptions options = quick_options();
  options.attempts = 1;
  options.stall_seconds = 1;
  CHECK_THAT(error_of_read([](const auto&, const auto& reply) { reply.stall(); }, options),
             ContainsSubstring("less than 1 KiB/s for 1 s"));
}

TEST_CASE("a changed file is an error", "[unit][remote]") {
  const std::string content = pattern(kFileBytes), other = pattern(kFileBytes + 1).substr(1);
  for (const bool has_tags : {true, false}) {
    INFO("tags: " << has_tags);
    ServedFiles files({{"a", content}});
    files.has_tags = has_tags;
    const auto source = open_source(files.url("a"), quick_options());
    const std::string identity = source->identity();
    CHECK(source->identity() == identity);
    files.replace("a", other);
    CHECK_THROWS_WITH(source->identity(), ContainsSubstring("changed since it was opened"));
    if (has_tags) CHECK_THROWS_WITH(read_text(*source, kFar, 10), ContainsSubstring("changed since it was opened"));
    CHECK(open_source(files.url("a"), quick_options())->identity() != identity);
    files.replace("a", other + "x");
    CHECK_THROWS_WITH(read_text(*source, kFar, 10), ContainsSubstring("changed since it was opened"));
  }
}

TEST_CASE("a file that changes its tag without a condition is an error", "[unit][remote]") {
  CHECK_THAT(error_of_read([](const HttpRequest& request, const HttpReply& reply) {
               reply.serve_part(request, pattern(kFileBytes), "ETag: \"v2\"\r\n");
             }),
             ContainsSubstring("changed since it was opened"));
}

TEST_CASE("the identity is asked for only if nothing was read since", "[unit][remote]") {
  ServedFiles files({{"a", pattern(kFileBytes)}});
  const auto source = open_source(files.url("a"), quick_options());
  static_cast<void>(source->identity());
  CHECK(files.requests().size() == 1);
  static_cast<void>(source->identity());
  CHECK(files.requests().size() == 2);
  CHECK(files.requests().back().range == "bytes=0-0");
  read_text(*source, kFar, 10);
  static_cast<void>(source->identity());
  CHECK(files.requests().size() == 3);
}

TEST_CASE("redirects are followed once, and again when they expire", "[unit][remote]") {
  const std::string content = pattern(kFileBytes);
  std::atomic<int> signed_with = 1;
  ServedFiles storage({{"stored", content}}, [&](const HttpRequest& request, const HttpReply& reply) {
    if (request.path.ends_with("key=" + std::to_string(signed_with))) return false;
    reply.fail("403 Expired");
    return true;
  });
  ServedFiles front({}, [&](const HttpRequest&, const HttpReply& reply) {
    reply.redirect(storage.url("stored?key=" + std::to_string(signed_with)));
    return true;
  });
  const auto source = open_source(front.url("a"), quick_options());
  CHECK(read_text(*source, kFar, 10) == content.substr(kFar, 10));
  CHECK(front.requests().size() == 1);
  signed_with = 2;
  CHECK(read_text(*source, 2 * kFar, 10) == content.substr(2 * kFar, 10));
  CHECK(front.requests().size() == 2);
  CHECK(source->name() == front.url("a"));
}

TEST_CASE("redirects to other schemes and endless ones are refused", "[unit][remote]") {
  ServedFiles files({}, [](const HttpRequest& request, const HttpReply& reply) {
    reply.redirect(request.path == "/file" ? "file:///etc/passwd" : request.path);
    return true;
  });
  CHECK_THAT(error_of_open(files.url("file")), ContainsSubstring("neither http nor https"));
  CHECK_THAT(error_of_open(files.url("loop")), ContainsSubstring("redirected more than 5 times"));
}

TEST_CASE("user and password are sent to their server only", "[unit][remote]") {
  ServedFiles other({{"a", pattern(kFileBytes)}});
  ServedFiles files({{"a", pattern(kFileBytes)}}, [&](const HttpRequest& request, const HttpReply& reply) {
    if (request.header("Authorization") != "Basic dXNlcjpzZWNyZXQ=") {  // base64 of user:secret
      reply.fail("401 Unauthorized");
      return true;
    }
    if (request.path == "/moved") reply.redirect(other.url("a"));
    return request.path == "/moved";
  });
  const std::string with_user = "http://user:secret@" + files.url("").substr(7);
  const auto source = open_source(with_user + "a", quick_options());
  CHECK(source->name() == files.url("a"));
  read_text(*source, kFar, 10);
  const auto moved = open_source(with_user + "moved", quick_options());
  read_text(*moved, kFar, 10);
  for (const HttpRequest& request : other.requests()) CHECK(request.header("Authorization").empty());
  CHECK(other.requests().size() == 2);

  remote::SourceOptions anonymous = quick_options();
  anonymous.is_anonymous = true;
  for (const std::string& error : {error_of_open(files.url("a")), error_of_open(with_user + "a?key=secret", anonymous),
                                   error_of_open("http://user:secret2@" + files.url("a?key=secret").substr(7))}) {
    CHECK_THAT(error, ContainsSubstring("refuses access (status 401)"));
    CHECK_THAT(error, !ContainsSubstring("secret"));
  }
}

TEST_CASE("the certificate of a server is verified", "[unit][remote]") {
  // Plain HTTP instead of TLS: the handshake fails.
  ServedFiles files({{"a", pattern(kFileBytes)}});
  CHECK_THAT(error_of_open("https" + files.url("a").substr(4)), ContainsSubstring("open \"https://127.0.0.1"));
  const EnvironmentVariable authorities("SSL_CERT_FILE", "/there/is/no/such.pem");
  CHECK_THAT(error_of_open("https" + files.url("a").substr(4)), ContainsSubstring("open \"https://127.0.0.1"));
}

TEST_CASE("many threads read one source", "[unit][remote]") {
  const std::string content = pattern(kFileBytes);
  ServedFiles files({{"a", content}});
  const auto source = open_source(files.url("a"), quick_options());
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 4; ++number) {
      threads.emplace_back([&, number] {
        for (std::int64_t i = 0; i < 40; ++i) {
          const std::int64_t at = (number * 37'000 + i * 4999) % (kFileBytes - 3000);
          source->start_read(at + 1000, 3000);
          if (read_text(*source, at, 3000) != content.substr(static_cast<std::size_t>(at), 3000)) ++wrong;
          if (i % 8 == 0) static_cast<void>(source->identity());
        }
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a child of fork reads with connections of its own", "[unit][remote]") {
#if defined(__SANITIZE_THREAD__)
  WARN("skipped: ThreadSanitizer does not allow threads in a child of a process with threads");
  return;
#endif
  const std::string content = pattern(kFileBytes);
  ServedFiles files({{"a", content}});
  const auto source = open_source(files.url("a"), quick_options());
  read_text(*source, kFar, 10);
  source->start_read(2 * kFar, 1000);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_equal = read_text(*source, 2 * kFar, 500) == content.substr(2 * kFar, 500) &&
                          read_text(*source, kFar, 500) == content.substr(kFar, 500);
    ::_exit(is_equal ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(read_text(*source, 2 * kFar, 1000) == content.substr(2 * kFar, 1000));
}

TEST_CASE("options out of range are refused", "[unit][remote]") {
  for (const remote::SourceOptions& options : {remote::SourceOptions{.attempts = 0},
                                               {.most_requests_in_flight = -1},
                                               {.stall_seconds = 0},
                                               {.first_wait_ms = -1}}) {
    CHECK_THROWS_AS(open_source("http://127.0.0.1:1/a", options), InvalidArgument);
  }
  CHECK_THROWS_AS(open_source("/a/file.h5"), InvalidArgument);
}
