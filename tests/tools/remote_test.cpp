// The verbs on datasets of a server on the loopback interface.
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "http_server.hpp"
#include "program.hpp"

using namespace octavo::test;

namespace {

/// Serves the project's digits, for a user with a password and a token in the query.
class ServedDigits {
 public:
  ServedDigits() {
    pack_digits(path());
    std::ifstream file(path(), std::ios::binary);
    content_.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::filesystem::path path() const { return folder_ / "digits.h5"; }
  std::filesystem::path folder() const { return folder_ / ""; }
  std::string shown() const { return server_.url() + "digits.h5"; }
  std::string url() const { return "http://user:secret1@" + shown().substr(7) + "?token=secret2"; }

 private:
  TemporaryFolder folder_;
  std::string content_;
  HttpServer server_{[this](const HttpRequest& request, const HttpReply& reply) {
    const bool is_known = request.header("Authorization") == "Basic dXNlcjpzZWNyZXQx" &&  // base64 of user:secret1
                          request.path == "/digits.h5?token=secret2";
    is_known ? reply.serve_part(request, content_, "ETag: \"a\"\r\n") : reply.fail("403 Forbidden");
  }};
};

void check_is_silent(const Outcome& outcome) { CHECK_THAT(outcome.out + outcome.err, !ContainsSubstring("secret")); }

}  // namespace

TEST_CASE("verbs read a dataset of a URL, and show nothing secret", "[tools]") {
  const ServedDigits digits;
  const Outcome local = run_octavo({"info", digits.path(), "--json"}),
                info = run_octavo({"info", digits.url(), "--json"});
  REQUIRE(info.exit_code == 0);
  auto expected = local.json(), found = info.json();
  CHECK(found["splits"] == expected["splits"]);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"info", digits.url(), "-v"},
        {"verify", digits.url()},
        {"verify", digits.url(), "--json"},
        {"report", digits.url(), "--json"},
        {"plan", digits.url(), "--memory", "1GiB", "--json"},
        {"doctor", digits.url(), "--json"},
        {"train", digits.url(), "--device", "cpu", "--epochs", "1", "--json"},
        {"view", digits.url(), "-o", digits.folder() / "view.png"},
        {"export", digits.url(), "-o", digits.folder() / "exported", "--as", "npy"}}) {
    INFO(arguments[0]);
    const Outcome outcome = run_octavo(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    check_is_silent(outcome);
  }
  const Outcome verified = run_octavo({"verify", digits.url()});
  CHECK_THAT(verified.out, ContainsSubstring(digits.shown() + " is intact"));
  CHECK_THAT(verified.out, ContainsSubstring("not checked over a network: what other HDF5 programs see"));
}

TEST_CASE("a dataset of a URL is repacked, and its provenance has nothing secret", "[tools]") {
  const ServedDigits digits;
  const std::string output = digits.folder() / "new.h5";
  const std::string split = run_octavo({"info", digits.path(), "--json"}).json()["splits"][0]["name"];
  const Outcome outcome =
      run_octavo({"repack", "val=" + digits.url() + "::" + split, "-o", output, "--compress", "lp8"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  check_is_silent(outcome);
  const Outcome info = run_octavo({"info", output, "-v"});
  check_is_silent(info);
  CHECK_THAT(info.out, ContainsSubstring(digits.shown()));
  CHECK(run_octavo({"verify", output}).exit_code == 0);
}

TEST_CASE("a URL that cannot be read is one line without secrets", "[tools]") {
  const ServedDigits digits;
  for (const std::string& url : {"http://user:secret9@" + digits.shown().substr(7) + "?token=secret2",
                                 std::string("s3://secret:secret@bucket/key"), std::string("ftp://secret@host/a")}) {
    for (const char* verb : {"info", "verify"}) {
      const Outcome outcome = run_octavo({verb, url});
      INFO(outcome.err);
      CHECK(outcome.exit_code != 0);
      CHECK(outcome.is_one_line_error());
      check_is_silent(outcome);
    }
  }
}
