// Answers of servers.
#include <initializer_list>
#include <string_view>

#include "catch.hpp"
#include "remote/answer.hpp"

using namespace octavo::remote;

namespace {

Answer answer_of(std::initializer_list<std::string_view> lines) {
  Answer answer;
  for (const std::string_view line : lines) CHECK(answer.take_line(line));
  return answer;
}

std::string problem_of(const Answer& answer, const FileVersion& version = {.length = 200}, std::string_view body = "") {
  RemoteFile file;
  file.credentials = "set a key";
  const auto failure = check_answer(answer, file, version, 100, 50, body);
  return failure ? failure->problem : "";
}

}  // namespace

TEST_CASE("Content-Range is parsed strictly", "[unit][remote]") {
  const auto range = parse_content_range("bytes 100-149/200");
  REQUIRE(range);
  CHECK(range->first == 100);
  CHECK(range->last == 149);
  CHECK(range->total == 200);
  for (const char* invalid : {"", "bytes", "bytes ", "bytes 1-2", "bytes 1-2/*", "bytes */200", "bytes 2-1/200",
                              "bytes 1-200/200", "bytes -1-2/3", "bytes 1-2/3x", "bytes 1 -2/3", "items 1-2/3",
                              "bytes 1-99999999999999999999/99999999999999999999"}) {
    INFO(invalid);
    CHECK(!parse_content_range(invalid));
  }
}

TEST_CASE("an answer with the range is accepted", "[unit][remote]") {
  CHECK(problem_of(answer_of({"HTTP/1.1 206 Partial\r\n", "content-RANGE: bytes 100-149/200\r\n"})) == "");
  // With a strong tag, or another header of the same meaning.
  const FileVersion version{.length = 200, .etag = "\"a\"", .last_modified = "x"};
  CHECK(problem_of(answer_of({"HTTP/2 206\r\n", "Content-Range: bytes 100-149/200\r\n", "ETag: \"a\"\r\n"}), version) ==
        "");
  // When the file is opened, its length is not known yet.
  CHECK(problem_of(answer_of({"HTTP/2 206\r\n", "Content-Range: bytes 100-119/120\r\n"}), {}) == "");
  // rclone's server for S3 has the wrong status.
  CHECK(problem_of(answer_of({"HTTP/1.1 200 OK\r\n", "Content-Range: bytes 100-149/200\r\n"})) == "");
}

TEST_CASE("an answer with anything else is refused", "[unit][remote]") {
  const auto with = [](std::string_view range, std::string_view more = "X: y\r\n") {
    return answer_of({"HTTP/1.1 206 Partial\r\n", range, more});
  };
  CHECK_THAT(problem_of(with("Content-Range: bytes 100-148/200\r\n")), ContainsSubstring("expected bytes 100-149"));
  CHECK_THAT(problem_of(with("Content-Range: bytes 101-150/200\r\n")), ContainsSubstring("expected bytes 100-149"));
  CHECK_THAT(problem_of(with("Content-Range: bytes 100-149/201\r\n")), ContainsSubstring("changed"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 200 OK\r\n", "Content-Range: bytes 0-49/200\r\n"})),
             ContainsSubstring("expected bytes 100-149"));
  CHECK_THAT(problem_of(with("Content-Range: bytes 1-2/*\r\n")), ContainsSubstring("invalid header Content-Range"));
  CHECK_THAT(problem_of(with("Content-Type: a\r\n")), ContainsSubstring("without the header Content-Range"));
  CHECK_THAT(problem_of(with("Content-Range: bytes 100-149/200\r\n", "Content-Encoding: gzip\r\n")),
             ContainsSubstring("encoded with gzip"));
  const FileVersion tagged{.length = 200, .etag = "\"a\"", .last_modified = "x"};
  CHECK_THAT(problem_of(with("Content-Range: bytes 100-149/200\r\n", "ETag: \"b\"\r\n"), tagged),
             ContainsSubstring("changed"));
  const FileVersion dated{.length = 200, .etag = "", .last_modified = "x"};
  CHECK_THAT(problem_of(with("Content-Range: bytes 100-149/200\r\n", "Last-Modified: y\r\n"), dated),
             ContainsSubstring("changed"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 200 OK\r\n"})), ContainsSubstring("whole file instead of a range"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 200 OK\r\n", "Content-Type: text/HTML; charset=x\r\n"})),
             ContainsSubstring("HTML page"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 412 No\r\n"})), ContainsSubstring("changed"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 404 No\r\n"}), {}, "<Error><Code>NoSuchKey</Code></Error>"),
             ContainsSubstring("status 404, NoSuchKey"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 403 No\r\n"}), {}, "<Code>secret text, not a code</Code>"),
             ContainsSubstring("status 403); set a key"));
  CHECK_THAT(problem_of(answer_of({"HTTP/1.1 301 No\r\n", "x-amz-bucket-region: eu-west-1\r\n"})),
             ContainsSubstring("region eu-west-1"));
}

TEST_CASE("only strong tags identify a version", "[unit][remote]") {
  const auto condition = [](std::string_view tag) {
    return version_of(answer_of({"HTTP/1.1 206 P\r\n", tag, "Last-Modified: Tue\r\n"})).condition();
  };
  CHECK(condition("ETag: \"a b\"\r\n") == "If-Match: \"a b\"");
  CHECK(condition("ETag: W/\"a\"\r\n") == "If-Unmodified-Since: Tue");
  CHECK(condition("ETag: a\r\n") == "If-Unmodified-Since: Tue");
  CHECK(condition("ETag: \"a\x01\"\r\n") == "If-Unmodified-Since: Tue");
}

TEST_CASE("which failures pass is known by the status", "[unit][remote]") {
  for (const auto& [status, is_passing] : {std::pair{400, false},
                                           {401, false},
                                           {403, false},
                                           {404, false},
                                           {408, true},
                                           {412, false},
                                           {416, false},
                                           {429, true},
                                           {500, true},
                                           {501, false},
                                           {502, true},
                                           {503, true},
                                           {504, true}}) {
    INFO(status);
    const std::string line = "HTTP/1.1 " + std::to_string(status) + " X\r\n";
    const auto failure = check_answer(answer_of({line, "Retry-After: 7\r\n"}), RemoteFile(), FileVersion(), 0, 1, "");
    REQUIRE(failure);
    CHECK(failure->is_passing == is_passing);
    if (is_passing) CHECK(failure->wait_seconds == 7);
  }
}

TEST_CASE("a new status line forgets the headers of a redirect, and endless headers end", "[unit][remote]") {
  Answer answer = answer_of({"HTTP/1.1 302 Found\r\n", "ETag: \"a\"\r\n", "HTTP/1.1 206 Partial\r\n"});
  CHECK(answer.etag.empty());
  CHECK(answer.status == 206);
  const std::string line(1000, 'x');
  int lines = 0;
  while (answer.take_line(line)) REQUIRE(++lines < 1000);
  CHECK(lines > 200);
}
