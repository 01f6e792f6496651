// Addresses and credentials of objects.
#include <fstream>
#include <map>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "remote/profile_file.hpp"
#include "remote/remote_file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::remote;
using octavo::test::TemporaryFolder;

namespace {

/// An environment with these variables only.
RemoteFile found(const std::string& location, std::map<std::string, std::string> variables = {},
                 const SourceOptions& options = {}) {
  return locate(location, options, [variables](const char* name) -> std::optional<std::string> {
    const auto variable = variables.find(name);
    if (variable == variables.end()) return std::nullopt;
    return variable->second;
  });
}

std::string address(const std::string& location, std::map<std::string, std::string> variables = {},
                    const SourceOptions& options = {}) {
  return found(location, std::move(variables), options).url.address();
}

void write_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("objects of S3 have the address of their bucket", "[unit][remote]") {
  CHECK(address("s3://bucket/a b/k+.h5") == "https://bucket.s3.us-east-1.amazonaws.com/a%20b/k%2B.h5");
  CHECK(address("s3://bucket/a", {{"AWS_REGION", "eu-west-1"}}) == "https://bucket.s3.eu-west-1.amazonaws.com/a");
  CHECK(address("s3://bucket/a", {{"AWS_DEFAULT_REGION", "cn-north-1"}}) ==
        "https://bucket.s3.cn-north-1.amazonaws.com.cn/a");
  // Certificates do not cover names with dots.
  CHECK(address("s3://my.bucket/a") == "https://s3.us-east-1.amazonaws.com/my.bucket/a");
  CHECK(address("s3://bucket//a/../b") == "https://bucket.s3.us-east-1.amazonaws.com//a/../b");
  CHECK(address("s3://bucket/a", {}, {.region = "us-west-2"}) == "https://bucket.s3.us-west-2.amazonaws.com/a");
  CHECK(in_region(found("s3://bucket/a"), "us-west-2").url.address() == "https://bucket.s3.us-west-2.amazonaws.com/a");
  CHECK(found("s3://bucket/a?b#c").name == "s3://bucket/a?b#c");
}

TEST_CASE("other object stores have the bucket in the path", "[unit][remote]") {
  CHECK(address("s3://bucket/a", {{"AWS_ENDPOINT_URL", "http://localhost:9000/"}}) == "http://localhost:9000/bucket/a");
  CHECK(address("s3://bucket/a", {{"AWS_ENDPOINT_URL", "http://x"}, {"AWS_ENDPOINT_URL_S3", "https://y/base"}}) ==
        "https://y/base/bucket/a");
  CHECK(address("s3://bucket/a", {{"AWS_ENDPOINT_URL", "http://x"}}, {.endpoint = "z.example"}) ==
        "https://z.example/bucket/a");
  CHECK(address("gs://bucket/a b") == "https://storage.googleapis.com/bucket/a%20b");
  CHECK(address("gs://bucket/a", {{"STORAGE_EMULATOR_HOST", "http://localhost:1234"}}) ==
        "http://localhost:1234/bucket/a");
}

TEST_CASE("invalid objects and endpoints are refused", "[unit][remote]") {
  for (const char* location : {"s3://", "s3://bucket", "s3://bucket/", "s3:///key", "s3://b@d/key", "gs://bucket/"}) {
    INFO(location);
    CHECK_THROWS_AS(found(location), InvalidArgument);
  }
  CHECK_THROWS_AS(found("s3://b/k", {}, {.endpoint = "http://user:secret@host"}), InvalidArgument);
  CHECK_THROWS_AS(found("s3://b/k", {{"AWS_REGION", "evil.example/"}}), InvalidArgument);
  CHECK_THROWS_AS(found("s3://b/k", {{"AWS_ACCESS_KEY_ID", "a\nX: 1"}, {"AWS_SECRET_ACCESS_KEY", "b"}}),
                  InvalidArgument);
}

TEST_CASE("credentials come from the environment first", "[unit][remote]") {
  const std::map<std::string, std::string> variables = {
      {"AWS_ACCESS_KEY_ID", "ID"}, {"AWS_SECRET_ACCESS_KEY", "SECRET"}, {"AWS_SESSION_TOKEN", "TOKEN"}};
  const RemoteFile file = found("s3://bucket/a", variables);
  CHECK(file.key.id == "ID");
  CHECK(file.key.secret == "SECRET");
  CHECK(file.key.session_token == "TOKEN");
  CHECK_THAT(file.credentials, ContainsSubstring("AWS_ACCESS_KEY_ID") && !ContainsSubstring("SECRET"));
  for (const SourceOptions& options : {SourceOptions{.is_anonymous = true}}) {
    CHECK(!found("s3://bucket/a", variables, options).key);
  }
  auto unsigned_variables = variables;
  unsigned_variables["AWS_NO_SIGN_REQUEST"] = "true";
  CHECK(!found("s3://bucket/a", unsigned_variables).key);
  unsigned_variables["AWS_NO_SIGN_REQUEST"] = "false";
  CHECK(found("s3://bucket/a", unsigned_variables).key);
  CHECK_THAT(found("s3://bucket/a").credentials, ContainsSubstring("no credentials were found"));
  CHECK_THAT(found("s3://bucket/a").credentials, ContainsSubstring("set AWS_ACCESS_KEY_ID"));
}

TEST_CASE("credentials come from the files of AWS", "[unit][remote]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / ".aws");
  write_text(folder / ".aws" / "credentials",
             "[default]\naws_access_key_id = D\naws_secret_access_key = DS # comment\n"
             "[work]\naws_access_key_id=W\naws_secret_access_key=WS\naws_session_token=WT\n");
  write_text(folder / ".aws" / "config",
             "[default]\nregion = eu-central-1\n[profile work]\nregion = us-west-1\nendpoint_url = http://minio:9000\n"
             "s3 =\n  endpoint_url = http://nested\n[profile other]\nsso_session = x\n[sso-session x]\nregion = z\n");
  const std::string home = (folder / "").string();
  RemoteFile file = found("s3://bucket/a", {{"HOME", home}});
  CHECK(file.key.id == "D");
  CHECK(file.key.secret == "DS");
  CHECK(file.region == "eu-central-1");
  file = found("s3://bucket/a", {{"HOME", home}, {"AWS_PROFILE", "work"}});
  CHECK(file.key.session_token == "WT");
  CHECK(file.url.address() == "http://minio:9000/bucket/a");
  CHECK_THAT(file.credentials, ContainsSubstring("profile \"work\""));
  CHECK_THAT(found("s3://bucket/a", {{"HOME", home}, {"AWS_PROFILE", "other"}}).credentials,
             ContainsSubstring("export-credentials"));
  CHECK_THROWS_WITH(found("s3://bucket/a", {{"HOME", home}, {"AWS_PROFILE", "none"}}),
                    ContainsSubstring("there is no profile \"none\""));
  write_text(folder / "mine", "[default]\naws_access_key_id = M\naws_secret_access_key = MS\n");
  CHECK(found("s3://bucket/a", {{"HOME", home}, {"AWS_SHARED_CREDENTIALS_FILE", (folder / "mine").string()}}).key.id ==
        "M");
}

TEST_CASE("credentials of Google are a token or a key", "[unit][remote]") {
  RemoteFile file = found("gs://bucket/a", {{"GOOGLE_OAUTH_ACCESS_TOKEN", "T"}, {"GS_ACCESS_KEY_ID", "K"}});
  CHECK(file.authorization(0) == std::vector<std::string>{"Authorization: Bearer T"});
  file = found("gs://bucket/a", {{"GS_ACCESS_KEY_ID", "K"}, {"GS_SECRET_ACCESS_KEY", "S"}});
  CHECK(file.key.id == "K");
  CHECK(found("gs://bucket/a").authorization(0).empty());
  CHECK(found("gs://bucket/a", {{"GOOGLE_OAUTH_ACCESS_TOKEN", "T"}}, {.is_anonymous = true}).authorization(0).empty());
}

TEST_CASE("profiles are parsed without trusting the file", "[unit][remote]") {
  const Profiles profiles =
      parse_profiles("x=1\n[a\nb = 1\r\n#c = 2\n[ p q ]\nd=3\n[profile  e ]\n=4\nf=\ng = h ; i\n");
  CHECK(profiles.at("a").at("b") == "1");
  CHECK(profiles.at("e").at("f").empty());
  CHECK(profiles.at("e").at("g") == "h");
  CHECK(profiles.size() == 2);
}
