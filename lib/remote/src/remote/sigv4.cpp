// libcurl can sign too, but only versions from 7.88 on sign the headers that S3 demands, and what they encode differs.
#include "remote/sigv4.hpp"

#include <array>
#include <map>

#include <octavo/text.hpp>

#include "remote/sha256.hpp"
#include "support/text/ascii.hpp"

namespace octavo::remote {
namespace {

std::string time_text(std::time_t time, const char* format) {
  std::tm parts = {};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

std::vector<std::string> signature_headers(const Url& url, const AccessKey& key, const std::string& region,
                                           std::time_t time, const std::vector<std::string>& headers,
                                           const std::string& payload_hash) {
  const std::string when = time_text(time, "%Y%m%dT%H%M%SZ"), day = time_text(time, "%Y%m%d");
  std::map<std::string, std::string> fields;
  for (const std::string& line : headers) {
    const std::size_t colon = line.find(':');
    fields[lower_case(line.substr(0, colon))] = trimmed(std::string_view(line).substr(colon + 1));
  }
  fields["host"] = url.authority();
  fields["x-amz-content-sha256"] = payload_hash;
  fields["x-amz-date"] = when;
  if (!key.session_token.empty()) fields["x-amz-security-token"] = key.session_token;

  std::string names, lines;
  for (const auto& [name, value] : fields) {
    names += (names.empty() ? "" : ";") + name;
    lines += name + ":" + value + "\n";
  }
  const std::string request = "GET\n" + url.path + "\n\n" + lines + "\n" + names + "\n" + payload_hash;
  const std::string scope = day + "/" + region + "/s3/aws4_request";
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + when + "\n" + scope + "\n" + hex_text(sha256(request));
  Sha256 signing_key = hmac_sha256("AWS4" + key.secret, day);
  for (const std::string& part : {region, std::string("s3"), std::string("aws4_request")}) {
    signing_key = hmac_sha256(as_text(signing_key), part);
  }
  std::vector<std::string> signed_headers = {"x-amz-content-sha256: " + payload_hash, "x-amz-date: " + when,
                                             "Authorization: AWS4-HMAC-SHA256 Credential=" + key.id + "/" + scope +
                                                 ",SignedHeaders=" + names +
                                                 ",Signature=" + hex_text(hmac_sha256(as_text(signing_key), to_sign))};
  if (!key.session_token.empty()) signed_headers.push_back("x-amz-security-token: " + key.session_token);
  return signed_headers;
}

}  // namespace octavo::remote
