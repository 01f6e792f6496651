// Requests to an object store, whose server checks the signature with another library.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <ctime>
#include <sstream>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "served_files.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr const char* kSecret = "secret/key+of=test";
constexpr const char* kToken = "session/token==";

std::string digest_of(const std::string& text) {
  std::string digest(32, '\0');
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr, EVP_sha256(), nullptr);
  return digest;
}

std::string code_of(const std::string& key, const std::string& text) {
  std::string code(32, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), reinterpret_cast<unsigned char*>(code.data()), nullptr);
  return code;
}

std::string in_hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    text += digits;
  }
  return text;
}

std::string field(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find(name + "=");
  return begin == std::string::npos
             ? ""
             : text.substr(begin + name.size() + 1, text.find(',', begin) - begin - name.size() - 1);
}

/// What is wrong with the signature of a request as it was received; empty if nothing is.
std::string signature_problem(const HttpRequest& request, const std::string& region) {
  const std::string authorization = request.header("Authorization");
  if (!authorization.starts_with("AWS4-HMAC-SHA256 ")) return "no signature";
  const std::string when = request.header("x-amz-date"), hash = request.header("x-amz-content-sha256");
  std::tm time = {};
  if (::strptime(when.c_str(), "%Y%m%dT%H%M%SZ", &time) == nullptr) return "no time";
  if (std::abs(std::difftime(::timegm(&time), std::time(nullptr))) > 900) return "a wrong time";
  const std::string scope = when.substr(0, 8) + "/" + region + "/s3/aws4_request";
  if (field(authorization, "Credential") != std::string("TESTKEY/") + scope) return "another credential";
  const std::string names = field(authorization, "SignedHeaders");
  for (const char* name : {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"}) {
    if ((";" + names + ";").find(std::string(";") + name + ";") == std::string::npos)
      return std::string(name) + " is not signed";
  }
  if (request.header("x-amz-security-token") != kToken) return "another token";
  std::string headers;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ';');) headers += name + ":" + request.header(name) + "\n";
  const std::string text = "GET\n" + request.path + "\n\n" + headers + "\n" + names + "\n" + hash;
  std::string key = code_of(std::string("AWS4") + kSecret, when.substr(0, 8));
  for (const std::string& part : {region, std::string("s3"), std::string("aws4_request")}) key = code_of(key, part);
  const std::string expected =
      in_hex(code_of(key, "AWS4-HMAC-SHA256\n" + when + "\n" + scope + "\n" + in_hex(digest_of(text))));
  return field(authorization, "Signature") == expected ? "" : "another signature";
}

/// A store that answers like S3, and requires the signature of a region.
class ObjectStore {
 public:
  explicit ObjectStore(std::string region) : region_(std::move(region)) {}

  std::string endpoint() const { return files_.url(""); }
  std::vector<HttpRequest> requests() const { return files_.requests(); }

 private:
  bool refuse(const HttpRequest& request, const HttpReply& reply) {
    const std::string problem = signature_problem(request, region_);
    if (problem.empty()) return false;
    const std::string body = "<Error><Code>SignatureDoesNotMatch</Code></Error>";
    reply.head("403 Forbidden", body.size(), "x-amz-bucket-region: " + region_ + "\r\n");
    reply.send(body);
    return true;
  }

  std::string region_;
  ServedFiles files_{
      {{"bucket/a%20b/%C3%A9+%2B.h5", pattern(200'000)}, {"bucket/a%20b/%C3%A9%20%2B.h5", pattern(200'000)}},
      [this](const auto& request, const auto& reply) { return refuse(request, reply); }};
};

}  // namespace

TEST_CASE("requests to an object store are signed", "[unit][remote]") {
  const EnvironmentVariable id("AWS_ACCESS_KEY_ID", "TESTKEY"), secret("AWS_SECRET_ACCESS_KEY", kSecret),
      token("AWS_SESSION_TOKEN", kToken), region("AWS_REGION", "eu-test-1");
  const ObjectStore store("eu-test-1");
  remote::SourceOptions options = quick_options();
  options.endpoint = store.endpoint();
  const auto source = remote::open_source("s3://bucket/a b/\xC3\xA9 +.h5", options);
  CHECK(source->name() == "s3://bucket/a b/\xC3\xA9 +.h5");
  CHECK(read_text(*source, 100'000, 50) == pattern(200'000).substr(100'000, 50));
  CHECK(store.requests().back().header("If-Match") == "\"v1\"");

  // Without credentials, the message says how to set them; nothing secret is shown.
  options.is_anonymous = true;
  CHECK_THROWS_WITH(remote::open_source("s3://bucket/a", options),
                    ContainsSubstring("status 403, SignatureDoesNotMatch") && ContainsSubstring("not signed"));
  options.is_anonymous = false;
  const EnvironmentVariable wrong("AWS_SECRET_ACCESS_KEY", "other-secret");
  CHECK_THROWS_WITH(remote::open_source("s3://bucket/a", options),
                    ContainsSubstring("signed with the key AWS_ACCESS_KEY_ID") && !ContainsSubstring("other-secret") &&
                        !ContainsSubstring("session") && !ContainsSubstring("TESTKEY"));
}

TEST_CASE("the region that the store names is used if none was chosen", "[unit][remote]") {
  const EnvironmentVariable id("AWS_ACCESS_KEY_ID", "TESTKEY"), secret("AWS_SECRET_ACCESS_KEY", kSecret),
      token("AWS_SESSION_TOKEN", kToken);
  const ObjectStore store("ap-test-2");
  remote::SourceOptions options = quick_options();
  options.endpoint = store.endpoint();
  const auto source = remote::open_source("s3://bucket/a b/\xC3\xA9 +.h5", options);
  CHECK(read_text(*source, 100'000, 50) == pattern(200'000).substr(100'000, 50));
  options.region = "us-west-2";
  CHECK_THROWS_WITH(remote::open_source("s3://bucket/a b/\xC3\xA9 +.h5", options),
                    ContainsSubstring("the bucket is in the region ap-test-2"));
}

TEST_CASE("a token is sent to Google, and not to another server", "[unit][remote]") {
  const EnvironmentVariable token("GOOGLE_OAUTH_ACCESS_TOKEN", "the-token");
  ServedFiles other({{"x", pattern(1000)}});
  ServedFiles files({{"bucket/a", pattern(1000)}}, [&](const HttpRequest& request, const HttpReply& reply) {
    CHECK(request.header("Authorization") == "Bearer the-token");
    if (request.path == "/bucket/moved") reply.redirect(other.url("x"));
    return request.path == "/bucket/moved";
  });
  remote::SourceOptions options = quick_options();
  options.endpoint = files.url("");
  CHECK(remote::open_source("gs://bucket/a", options)->length() == 1000);
  CHECK_THROWS_WITH(remote::open_source("gs://bucket/moved", options),
                    ContainsSubstring("redirects the request (status 302)") && !ContainsSubstring("the-token"));
  CHECK(other.requests().empty());
}
