#include "remote/remote_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <octavo/errors.hpp>

#include "remote/object_store.hpp"
#include "support/file.hpp"

namespace octavo::remote {
namespace {

constexpr std::array<std::string_view, 4> kSchemes = {"http", "https", "s3", "gs"};

RemoteFile locate_web_file(const std::string& location, const SourceOptions& options) {
  RemoteFile file;
  file.url = parse_url(location);
  file.name = file.url.public_name();
  if (options.is_anonymous) file.url.user = file.url.password = "";
  file.credentials = file.url.user.empty()
                         ? "no credentials were sent; if the server needs them, give https://USER:PASSWORD@HOST/PATH "
                           "or a URL that is signed"
                         : "the user and the password of the URL were sent; check both";
  return file;
}

/// Credentials are sent in headers, which end with the line.
void check_credentials(const RemoteFile& file) {
  for (const std::string& text :
       {file.key.id, file.key.secret, file.key.session_token, file.bearer_token, file.region}) {
    if (std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; })) continue;
    throw InvalidArgument("open " + quoted(file.name) +
                          ": its credentials or its region have blanks or line breaks; set them again");
  }
}

}  // namespace

bool is_url(std::string_view location) { return std::ranges::find(kSchemes, scheme_of(location)) != kSchemes.end(); }

std::string shown_location(std::string_view location) {
  return location.find("://") != std::string_view::npos ? without_secrets(location) : std::string(location);
}

std::optional<std::string> process_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::vector<std::string> RemoteFile::authorization(std::time_t now) const {
  const AccessKey current = key || !role_key ? key : role_key->get();
  if (current) return signature_headers(url, current, region, now);
  if (!bearer_token.empty()) return {"Authorization: Bearer " + bearer_token};
  return {};
}

RemoteFile locate(const std::string& location, const SourceOptions& options, const Environment& environment) {
  const std::string scheme = scheme_of(location);
  if (!is_url(location)) {
    throw InvalidArgument("open " + quoted(without_secrets(location)) +
                          ": not a URL that can be read; expected http://, https://, s3:// or gs://");
  }
  RemoteFile file = scheme == "s3"   ? locate_s3_file(location, options, environment)
                    : scheme == "gs" ? locate_gs_file(location, options, environment)
                                     : locate_web_file(location, options);
  check_credentials(file);
  for (const char* variable : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
    if (const auto authorities = environment(variable)) file.authorities = *authorities;
  }
  return file;
}

RemoteFile sibling_of(const RemoteFile& file, const std::string& name) {
  RemoteFile sibling = file;
  sibling.url.path = sibling_path(file.url.path, name);
  sibling.name = file.name.substr(0, file.name.rfind('/') + 1) + name;
  return sibling;
}

}  // namespace octavo::remote
