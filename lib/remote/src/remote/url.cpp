#include "remote/url.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <octavo/errors.hpp>

#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo::remote {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_letter_or_digit(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void append_encoded(std::string& to, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += '%';
  to += kHexDigits[byte >> 4];
  to += kHexDigits[byte & 15];
}

std::optional<int> hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : std::nullopt;
    const auto low = high ? hex_value(text[i + 2]) : std::nullopt;
    decoded += low ? static_cast<char>(*high * 16 + *low) : text[i];
    if (low) i += 2;
  }
  return decoded;
}

/// Encodes what may not be in a URL: blanks, quotes and bytes that are not ASCII.
std::string made_sendable(std::string_view text) {
  constexpr std::string_view kNotAllowed = " \"<>\\^`{|}";
  std::string sendable;
  for (const char c : text) {
    const bool is_allowed = c > 0x20 && c < 0x7F && kNotAllowed.find(c) == std::string_view::npos;
    if (is_allowed)
      sendable += c;
    else
      append_encoded(sendable, c);
  }
  return sendable;
}

[[noreturn]] void refuse(std::string_view text, const std::string& problem) {
  throw InvalidArgument("open " + quoted(without_secrets(text)) + ": " + problem + "; expected https://HOST/PATH");
}

/// Cuts `text` before the first of `characters`, and returns the rest from there on.
std::string_view cut_at(std::string_view& text, std::string_view characters) {
  const std::size_t at = std::min(text.find_first_of(characters), text.size());
  const std::string_view rest = text.substr(at);
  text = text.substr(0, at);
  return rest;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.ends_with(']') && host.size() > 2 && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
             return hex_value(c) || c == ':' || c == '.';
           });
  }
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || static_cast<signed char>(c) < 0;
  });
}

}  // namespace

std::string Url::authority() const {
  const int usual = scheme == "http" ? 80 : 443;
  return port == 0 || port == usual ? host : host + ":" + std::to_string(port);
}

std::string scheme_of(std::string_view location) {
  const std::size_t end = location.find("://");
  if (end == std::string_view::npos || end == 0) return "";
  const std::string_view scheme = location.substr(0, end);
  const bool is_one =
      std::ranges::all_of(scheme, [](char c) { return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.'; });
  return is_one ? lower_case(scheme) : "";
}

Url parse_url(std::string_view text) {
  Url url;
  url.scheme = scheme_of(text);
  if (url.scheme != "http" && url.scheme != "https") refuse(text, "not a URL with http or https");
  if (std::ranges::any_of(text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; })) {
    refuse(text, "a URL with control characters");
  }
  std::string_view authority = text.substr(url.scheme.size() + 3);
  std::string_view path = cut_at(authority, "/?#");
  cut_at(path, "#");
  const std::string_view query = cut_at(path, "?");
  url.path = path.empty() ? "/" : made_sendable(path);
  url.query = made_sendable(query);

  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    std::string_view user = authority.substr(0, at);
    const std::string_view password = cut_at(user, ":");
    url.user = percent_decoded(user);
    url.password = percent_decoded(password.substr(std::min<std::size_t>(1, password.size())));
    authority = authority.substr(at + 1);
  }
  const std::size_t colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  url.host = lower_case(authority.substr(0, colon));
  if (!is_host(url.host)) refuse(text, "a URL without a valid host");
  if (colon == std::string_view::npos) return url;
  const std::string_view port = authority.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (error != std::errc() || end != port.data() + port.size() || url.port < 1 || url.port > 65535) {
    refuse(text, "a URL without a valid port");
  }
  return url;
}

std::string without_secrets(std::string_view text) {
  const std::string scheme = scheme_of(text);
  const std::size_t begin = scheme.empty() ? 0 : scheme.size() + 3;
  std::string_view rest = text.substr(begin);
  cut_at(rest, "?#");
  // A password with '/' that is not encoded: what is before the last '@' of an invalid URL may be secret too.
  std::string_view authority = rest;
  cut_at(authority, "/");
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) rest = rest.substr(at + 1);
  return std::string(text.substr(0, begin)) + std::string(rest);
}

std::string percent_encoded(std::string_view key) {
  std::string encoded;
  for (const char c : key) {
    if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == '/')
      encoded += c;
    else
      append_encoded(encoded, c);
  }
  return encoded;
}

std::string sibling_path(std::string_view path, std::string_view name) {
  return std::string(path.substr(0, path.rfind('/') + 1)) + percent_encoded(name);
}

}  // namespace octavo::remote
