// The parts of a URL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo::remote {

/// SCHEME://USER:PASSWORD@HOST:PORT/PATH?QUERY. All parts but the credentials are as they are sent.
struct Url {
  std::string scheme;          ///< in lower case
  std::string user, password;  ///< decoded
  std::string host;            ///< in lower case; an IPv6 address in brackets
  int port = 0;                ///< 0: that of the scheme
  std::string path;            ///< begins with '/'; bytes that may not be in a URL are encoded
  std::string query;           ///< with '?', or empty

  /// HOST or HOST:PORT, as in the header Host: without the port of the scheme.
  std::string authority() const;
  /// SCHEME://HOST:PORT.
  std::string origin() const { return scheme + "://" + authority(); }
  /// The URL without credentials.
  std::string address() const { return origin() + path + query; }
  /// The URL for messages: the query may have a signature.
  std::string public_name() const { return origin() + path; }
};

/// The scheme of "scheme://...", in lower case; empty if there is none.
std::string scheme_of(std::string_view location);

/// Parses a URL with the scheme http or https. The fragment is dropped. Throws InvalidArgument; the message has no
/// credentials and no query.
Url parse_url(std::string_view text);

/// The URL without its credentials, query and fragment, valid or not, for messages.
std::string without_secrets(std::string_view text);

/// Encodes all bytes but A-Z a-z 0-9 - . _ ~ and '/' as %XX: the path of an object (AWS Signature Version 4,
/// "URI encode").
std::string percent_encoded(std::string_view key);

/// The file `name`, not yet encoded, in the folder of the file at `path`, which is encoded.
std::string sibling_path(std::string_view path, std::string_view name);

}  // namespace octavo::remote
