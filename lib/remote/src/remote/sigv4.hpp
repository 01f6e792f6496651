// Signs requests for object stores: AWS Signature Version 4.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "remote/url.hpp"

namespace octavo::remote {

/// A key of an object store.
struct AccessKey {
  std::string id;
  std::string secret;
  std::string session_token;  ///< empty: none
  explicit operator bool() const { return !id.empty() && !secret.empty(); }
};

/// The headers that sign a GET of `url`, which has no query, with `key`, as lines without their end: those of AWS
/// Signature Version 4 for the service s3
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html), with an unsigned payload. `headers`
/// are lines that are sent too and become part of the signature. The request is valid for some minutes after `time`.
std::vector<std::string> signature_headers(const Url& url, const AccessKey& key, const std::string& region,
                                           std::time_t time, const std::vector<std::string>& headers = {},
                                           const std::string& payload_hash = "UNSIGNED-PAYLOAD");

}  // namespace octavo::remote
