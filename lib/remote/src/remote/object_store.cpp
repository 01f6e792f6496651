#include "remote/object_store.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <octavo/errors.hpp>

#include "remote/profile_file.hpp"
#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo::remote {
namespace {

constexpr std::int64_t kMostSettingsBytes = std::int64_t{1} << 20;
constexpr const char* kUsualRegion = "us-east-1";

struct ObjectName {
  std::string bucket, key;
};

ObjectName parse_object(const std::string& location) {
  const auto refuse = [&](const std::string& problem) {
    throw InvalidArgument("open " + quoted(without_secrets(location)) + ": " + problem + "; expected " +
                          scheme_of(location) + "://BUCKET/KEY");
  };
  const std::string rest = location.substr(location.find("://") + 3);
  const std::size_t slash = rest.find('/');
  ObjectName name{rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
  const bool is_bucket = !name.bucket.empty() && std::ranges::all_of(name.bucket, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
  if (!is_bucket) refuse("no name of a bucket");
  if (name.key.empty()) refuse("no key of an object");
  return name;
}

// ---- Settings ------------------------------------------------------------------

/// The settings of a profile in both files; those of the file of credentials take precedence.
struct ProfileSettings {
  std::string name;
  std::map<std::string, std::string> values;
  bool exists = false;

  std::string value(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
  }
};

/// An empty path if neither `variable` nor HOME is set.
std::filesystem::path settings_path(const Environment& environment, const char* variable, const char* usual) {
  if (const auto chosen = environment(variable)) return *chosen;
  const auto home = environment("HOME");
  return home ? std::filesystem::path(*home) / usual : std::filesystem::path();
}

Profiles read_profiles(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
  return parse_profiles(read_whole_file(path, kMostSettingsBytes));
}

ProfileSettings read_profile(const Environment& environment) {
  ProfileSettings profile;
  const auto chosen = environment("AWS_PROFILE");
  profile.name = chosen ? *chosen : environment("AWS_DEFAULT_PROFILE").value_or("default");
  for (const auto& [variable, usual] :
       {std::pair{"AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"}, std::pair{"AWS_CONFIG_FILE", ".aws/config"}}) {
    const Profiles profiles = read_profiles(settings_path(environment, variable, usual));
    const auto found = profiles.find(profile.name);
    if (found == profiles.end()) continue;
    profile.exists = true;
    profile.values.insert(found->second.begin(), found->second.end());
  }
  if (chosen && !profile.exists) {
    throw InvalidArgument("read the settings of AWS: there is no profile " + quoted(*chosen) +
                          "; check AWS_PROFILE, ~/.aws/credentials and ~/.aws/config");
  }
  return profile;
}

/// Ways to get credentials that this library does not have, in a profile.
bool needs_other_program(const ProfileSettings& profile) {
  return std::ranges::any_of(std::array{"sso_session", "sso_start_url", "credential_process", "role_arn",
                                        "web_identity_token_file", "login_session"},
                             [&](const char* key) { return !profile.value(key).empty(); });
}

bool is_yes(const std::optional<std::string>& value) { return value && lower_case(*value) != "false" && *value != "0"; }

void choose_s3_key(RemoteFile& file, const Environment& environment, const ProfileSettings& profile) {
  constexpr const char* kSetThem =
      "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; "
      "`aws configure export-credentials --format env` exports those of any profile";
  file.key = {environment("AWS_ACCESS_KEY_ID").value_or(""), environment("AWS_SECRET_ACCESS_KEY").value_or(""),
              environment("AWS_SESSION_TOKEN").value_or("")};
  if (file.key) {
    file.credentials =
        "the request was signed with the key AWS_ACCESS_KEY_ID; check its permissions and the region " + file.region;
    return;
  }
  file.key = {profile.value("aws_access_key_id"), profile.value("aws_secret_access_key"),
              profile.value("aws_session_token")};
  if (file.key) {
    file.credentials = "the request was signed with the key of profile " + quoted(profile.name) +
                       "; check its permissions and the region " + file.region;
    return;
  }
  file.key = {};
  const bool needs_other = needs_other_program(profile);
  if (!needs_other) {
    // The key of an instance does not go to the services of others.
    const std::string& host = file.url.host;
    const NamedRole role =
        find_role(environment, file.region, host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn"));
    file.role_key = role.key;
    if (role.key) {
      file.credentials = "no credentials were found in the environment and the files of AWS, so the key of " +
                         role.name + " signed the request, if it has one; check its permissions and the region " +
                         file.region + ", or " + kSetThem;
      return;
    }
  }
  file.credentials = needs_other
                         ? "profile " + quoted(profile.name) + " has no key, but a way to get one that is not " +
                               "supported, so the request was not signed; " + kSetThem
                         : std::string("no credentials were found, so the request was not signed; ") + kSetThem;
}

// ---- Addresses -----------------------------------------------------------------

Url parse_endpoint(const std::string& endpoint) {
  const std::string text = endpoint.find("://") == std::string::npos ? "https://" + endpoint : endpoint;
  Url url = parse_url(text);
  if (!url.user.empty() || !url.query.empty()) {
    throw InvalidArgument("use the endpoint " + quoted(url.public_name()) +
                          ": it has a user or a query; expected https://HOST");
  }
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

/// PATH/BUCKET/KEY.
Url with_object(Url endpoint, const ObjectName& object) {
  endpoint.path += "/" + percent_encoded(object.bucket) + "/" + percent_encoded(object.key);
  return endpoint;
}

/// Whether the bucket can be a part of the host: a certificate covers only names without dots.
bool can_be_host(const std::string& bucket) {
  return std::ranges::all_of(bucket,
                             [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

Url amazon_url(const ObjectName& object, const std::string& region) {
  const bool is_region = !region.empty() && std::ranges::all_of(region, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!is_region)
    throw InvalidArgument("use the S3 region " + quoted(region) + ": not a region; expected one as us-east-1");
  const std::string host = "s3." + region + ".amazonaws.com" + (region.starts_with("cn-") ? ".cn" : "");
  if (!can_be_host(object.bucket)) return with_object(parse_endpoint(host), object);
  Url url = parse_endpoint(object.bucket + "." + host);
  url.path = "/" + percent_encoded(object.key);
  return url;
}

}  // namespace

RemoteFile locate_s3_file(const std::string& location, const SourceOptions& options, const Environment& environment) {
  const ObjectName object = parse_object(location);
  const bool signs = !options.is_anonymous && !is_yes(environment("AWS_NO_SIGN_REQUEST"));
  const ProfileSettings profile = read_profile(environment);
  const auto first_of = [&](const std::string& option, std::initializer_list<const char*> variables,
                            const char* setting) {
    if (!option.empty()) return option;
    for (const char* variable : variables) {
      if (const auto value = environment(variable)) return *value;
    }
    return profile.value(setting);
  };
  RemoteFile file;
  file.name = "s3://" + object.bucket + "/" + object.key;
  file.region = first_of(options.region, {"AWS_REGION", "AWS_DEFAULT_REGION"}, "region");
  file.is_region_chosen = !options.region.empty();
  if (file.region.empty()) file.region = kUsualRegion;
  const std::string endpoint = first_of(options.endpoint, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "endpoint_url");
  file.url = endpoint.empty() ? amazon_url(object, file.region) : with_object(parse_endpoint(endpoint), object);
  if (signs)
    choose_s3_key(file, environment, profile);
  else
    file.credentials = "the request was not signed, as chosen; the bucket may not be public";
  return file;
}

RemoteFile in_region(const RemoteFile& file, const std::string& region) {
  RemoteFile moved = file;
  moved.region = region;
  const std::size_t at = moved.url.host.find("s3." + file.region + ".amazonaws.com");
  if (at != std::string::npos) moved.url = amazon_url(parse_object(file.name), region);
  return moved;
}

RemoteFile locate_gs_file(const std::string& location, const SourceOptions& options, const Environment& environment) {
  const ObjectName object = parse_object(location);
  RemoteFile file;
  file.name = "gs://" + object.bucket + "/" + object.key;
  file.region = "auto";
  file.is_region_chosen = true;
  const std::string endpoint = options.endpoint.empty()
                                   ? environment("STORAGE_EMULATOR_HOST").value_or("storage.googleapis.com")
                                   : options.endpoint;
  file.url = with_object(parse_endpoint(endpoint), object);
  if (options.is_anonymous) {
    file.credentials = "no credentials were sent, as chosen; the bucket may not be public";
    return file;
  }
  file.bearer_token = environment("GOOGLE_OAUTH_ACCESS_TOKEN").value_or("");
  if (!file.bearer_token.empty()) {
    file.credentials = "the token GOOGLE_OAUTH_ACCESS_TOKEN was sent; it may have expired, or lack permissions";
    return file;
  }
  file.key = {environment("GS_ACCESS_KEY_ID").value_or(""), environment("GS_SECRET_ACCESS_KEY").value_or(""), ""};
  file.credentials =
      file.key
          ? "the request was signed with the HMAC key GS_ACCESS_KEY_ID; check its permissions"
          : "no credentials were found; set GOOGLE_OAUTH_ACCESS_TOKEN (`gcloud auth print-access-token` prints one), "
            "or the HMAC key GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY";
  return file;
}

}  // namespace octavo::remote
