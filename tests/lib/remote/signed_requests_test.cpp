// Requests to an object store, whose server checks the signature with another library.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "served_files.hpp"
#include "temporary_folder.hpp"

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

namespace {

/// The time in so many seconds, as the services of roles write it.
std::string time_in(int seconds) {
  const std::time_t time = std::time(nullptr) + seconds;
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

std::string key_as_json(const std::string& expiration) {
  return R"({"AccessKeyId": "TESTKEY", "SecretAccessKey": ")" + std::string(kSecret) + R"(", "Token": ")" + kToken +
         R"(", "Expiration": ")" + expiration + "\"}";
}

/// The service of an instance of EC2, of a container, and of the Security Token Service.
class RoleService {
 public:
  std::string url() const { return server_.url(); }
  std::int64_t keys_given() const { return keys_given_; }
  std::string expiration = time_in(3600);
  std::atomic<bool> fails = false;

 private:
  void give(const HttpReply& reply, const std::string& body) {
    ++keys_given_;
    reply.head("200 OK", body.size());
    reply.send(body);
  }
  void answer(const HttpRequest& request, const HttpReply& reply) {
    const auto is_method = [&](const char* method) { return request.head.starts_with(method); };
    if (fails) return reply.fail("503 Service Unavailable");
    if (request.path == "/latest/api/token" && is_method("PUT ")) {
      if (request.header("X-aws-ec2-metadata-token-ttl-seconds").empty()) return reply.fail("400 Bad Request");
      reply.head("200 OK", 5);
      return reply.send("proof");
    }
    const std::string roles = "/latest/meta-data/iam/security-credentials/";
    if (request.path.starts_with(roles) && request.header("X-aws-ec2-metadata-token") == "proof") {
      if (request.path != roles) return give(reply, key_as_json(expiration));
      reply.head("200 OK", 8);
      return reply.send("my-role\n");
    }
    if (request.path == "/container" && request.header("Authorization") == "container-token")
      return give(reply, key_as_json(expiration));
    if (request.path == "/" && is_method("POST ")) {
      return give(reply,
                  "<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>TESTKEY</AccessKeyId>"
                  "<SecretAccessKey>" +
                      std::string(kSecret) + "</SecretAccessKey><SessionToken>" + kToken +
                      "</SessionToken><Expiration>" + expiration +
                      "</Expiration></Credentials>"
                      "</AssumeRoleWithWebIdentityResponse>");
    }
    reply.fail("403 Forbidden");
  }

  std::atomic<std::int64_t> keys_given_ = 0;
  HttpServer server_{[this](const auto& request, const auto& reply) { answer(request, reply); }};
};

/// No credentials but those of a role.
struct OnlyRoles {
  TemporaryFolder home;
  EnvironmentVariable no_files{"HOME", (home / "").string()}, no_key{"AWS_ACCESS_KEY_ID", ""},
      region{"AWS_REGION", "eu-test-1"};
};

constexpr const char* kObject = "s3://bucket/a b/\xC3\xA9 +.h5";

}  // namespace

TEST_CASE("requests are signed with the key of the role of an instance", "[unit][remote]") {
  RoleService service;
  const OnlyRoles roles;
  const EnvironmentVariable address("AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url());
  const ObjectStore store("eu-test-1");
  remote::SourceOptions options = quick_options();
  options.endpoint = store.endpoint();
  const auto source = remote::open_source(kObject, options);
  CHECK(read_text(*source, 100'000, 50) == pattern(200'000).substr(100'000, 50));
  CHECK(service.keys_given() == 1);

  // A key that expires soon is replaced; if that fails, it serves as long as it is valid.
  service.expiration = time_in(60);
  const auto brief = remote::open_source(kObject, options);
  const std::int64_t given = service.keys_given();
  CHECK(read_text(*brief, 150'000, 50) == pattern(200'000).substr(150'000, 50));
  CHECK(service.keys_given() > given);
  service.fails = true;
  CHECK(read_text(*brief, 199'000, 50) == pattern(200'000).substr(199'000, 50));

  // An expired key is not sent, and the service is asked again.
  service.fails = false;
  service.expiration = time_in(-1);
  const auto expired = remote::open_source(kObject, options);
  service.fails = true;
  CHECK_THROWS_WITH(read_text(*expired, 199'000, 50), ContainsSubstring("the old one has expired"));
  service.fails = false;
  service.expiration = time_in(3600);
  CHECK(read_text(*expired, 199'000, 50) == pattern(200'000).substr(199'000, 50));
  service.fails = true;

  // Without the service, requests are not signed.
  CHECK_THROWS_WITH(remote::open_source(kObject, options),
                    ContainsSubstring("status 403") &&
                        ContainsSubstring("the role of this instance signed the request, if it has one"));
}

TEST_CASE("requests are signed with the key of the role of a container", "[unit][remote]") {
  RoleService service;
  const OnlyRoles roles;
  const EnvironmentVariable address("AWS_CONTAINER_CREDENTIALS_FULL_URI", service.url() + "container"),
      token("AWS_CONTAINER_AUTHORIZATION_TOKEN", "container-token");
  const ObjectStore store("eu-test-1");
  remote::SourceOptions options = quick_options();
  options.endpoint = store.endpoint();
  CHECK(remote::open_source(kObject, options)->length() == 200'000);
  CHECK(service.keys_given() == 1);
  {
    const EnvironmentVariable wrong("AWS_CONTAINER_AUTHORIZATION_TOKEN", "other-token");
    CHECK_THROWS_WITH(
        remote::open_source(kObject, options),
        ContainsSubstring("get a key of the role of this container: status 403") && !ContainsSubstring("other-token"));
  }
  const EnvironmentVariable elsewhere("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/keys");
  CHECK_THROWS_WITH(remote::open_source(kObject, options), ContainsSubstring("neither https nor on this machine"));
}

TEST_CASE("requests are signed with the key for the token of a pod", "[unit][remote]") {
  RoleService service;
  const OnlyRoles roles;
  const auto token = roles.home / "token";
  std::ofstream(token) << "the.token\n";
  const EnvironmentVariable file("AWS_WEB_IDENTITY_TOKEN_FILE", token.string()),
      arn("AWS_ROLE_ARN", "arn:aws:iam::1:role/reader"), address("AWS_ENDPOINT_URL_STS", service.url());
  const ObjectStore store("eu-test-1");
  remote::SourceOptions options = quick_options();
  options.endpoint = store.endpoint();
  CHECK(remote::open_source(kObject, options)->length() == 200'000);
  CHECK(service.keys_given() == 1);
  service.expiration = "soon";
  CHECK_THROWS_WITH(remote::open_source(kObject, options),
                    ContainsSubstring("get a key of the role AWS_ROLE_ARN: the answer has no key"));
  std::filesystem::remove(token);
  CHECK_THROWS_WITH(remote::open_source(kObject, options), ContainsSubstring("cannot be read or is empty"));
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
