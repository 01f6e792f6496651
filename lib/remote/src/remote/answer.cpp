#include "remote/answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <octavo/text.hpp>

#include "support/text/ascii.hpp"

namespace octavo::remote {
namespace {

// Real servers send at most a few kilobytes of headers.
constexpr std::size_t kMostAnswerBytes = std::size_t{256} << 10;
constexpr std::size_t kMostValidatorBytes = 256;

std::optional<std::int64_t> count_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// A value that can be sent back in a header; empty if it cannot.
std::string sendable(std::string_view value) {
  const bool is_plain = std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7F; });
  return is_plain && value.size() <= kMostValidatorBytes ? std::string(value) : std::string();
}

/// If-Match accepts only strong tags, in quotes (RFC 9110, 13.1.1).
std::string strong_tag(std::string_view value) {
  const bool is_strong = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return is_strong ? sendable(value) : "";
}

/// Whether the status is transient: another attempt may succeed (RFC 9110, 6585, 8470).
bool is_transient(std::int64_t status) {
  constexpr std::array<std::int64_t, 7> kTransient = {408, 425, 429, 500, 502, 503, 504};
  return std::ranges::find(kTransient, status) != kTransient.end();
}

std::string text_of_range(std::int64_t first, std::int64_t last, std::int64_t total) {
  return "bytes " + std::to_string(first) + "-" + std::to_string(last) +
         (total < 0 ? "" : " of " + std::to_string(total));
}

Failure changed_file() { return {.problem = "the file was changed since it was opened; open it again", .status = 412}; }

Failure refused_status(const Answer& answer, const RemoteFile& file, std::string_view body) {
  Failure failure{.problem = "", .status = answer.status, .is_passing = is_transient(answer.status)};
  failure.wait_seconds = answer.retry_after_seconds.value_or(0);
  failure.bucket_region = answer.bucket_region;
  const std::string code = error_code_in(body);
  const std::string status = "status " + std::to_string(answer.status) + (code.empty() ? "" : ", " + code) + ")";
  const std::string region = answer.bucket_region.empty() || answer.bucket_region == file.region
                                 ? ""
                                 : "; the bucket is in the region " + answer.bucket_region + ": set AWS_REGION to it";
  if (answer.status == 401 || answer.status == 403) {
    failure.problem = "the server refuses access (" + status + (region.empty() ? "; " + file.credentials : region) +
                      "; object stores answer so too if there is no such file";
  } else if (answer.status == 404 || answer.status == 410) {
    failure.problem = "there is no such file (" + status + "; check the URL";
  } else if (answer.status == 416) {
    failure.problem = "the file is empty, or shorter than it was (" + status + "; check it";
  } else if (answer.status >= 300 && answer.status < 400) {
    failure.problem =
        "the server redirects the request (" + status +
        (region.empty() ? "; give the URL that it redirects to, or check the endpoint and the region" : region);
  } else if (failure.is_passing) {
    failure.problem = "the server failed (" + status + "; try again later";
  } else {
    failure.problem = "the server refuses the request (" + status + (region.empty() ? "; " + file.credentials : region);
  }
  return failure;
}

Failure whole_file(const Answer& answer) {
  if (lower_case(answer.content_type).starts_with("text/html")) {
    return {.problem = "the server sent an HTML page, not the file; check the URL", .status = answer.status};
  }
  return {.problem =
              "the server sent the whole file instead of a range (status 200): it cannot be read in parts; "
              "download it first",
          .status = answer.status};
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view value) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return std::nullopt;
  value.remove_prefix(kUnit.size());
  const std::size_t dash = value.find('-'), slash = value.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return std::nullopt;
  const auto first = count_in(value.substr(0, dash));
  const auto last = count_in(value.substr(dash + 1, slash - dash - 1));
  const auto total = count_in(value.substr(slash + 1));
  if (!first || !last || !total || *first > *last || *last >= *total) return std::nullopt;
  return ContentRange{*first, *last, *total};
}

std::optional<std::int64_t> parse_retry_after(std::string_view value) { return count_in(trimmed(value)); }

std::string error_code_in(std::string_view body) {
  constexpr std::string_view kBegin = "<Code>", kEnd = "</Code>";
  constexpr std::size_t kMostCodeBytes = 64;
  const std::size_t begin = body.find(kBegin);
  if (begin == std::string_view::npos) return "";
  body.remove_prefix(begin + kBegin.size());
  const std::string_view code = body.substr(0, body.find(kEnd));
  const bool is_word =
      std::ranges::all_of(code, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return is_word && code.size() <= kMostCodeBytes ? std::string(code) : std::string();
}

bool Answer::take_line(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMostAnswerBytes) return false;
  if (line.starts_with("HTTP/")) {
    begin(line);
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string name = lower_case(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag") etag = strong_tag(value);
  if (name == "last-modified") last_modified = sendable(value);
  if (name == "content-encoding") content_encoding = printable(value.substr(0, kMostValidatorBytes));
  if (name == "content-type") content_type = value.substr(0, kMostValidatorBytes);
  if (name == "retry-after") retry_after_seconds = parse_retry_after(value);
  if (name == "x-amz-bucket-region") bucket_region = sendable(value);
  if (name == "content-range") {
    has_content_range = true;
    content_range = parse_content_range(value);
  }
  return true;
}

/// A status line begins an answer: the first one, or another after a redirect.
void Answer::begin(std::string_view status_line) {
  const std::size_t header_bytes = header_bytes_;
  *this = Answer();
  header_bytes_ = header_bytes;
  const std::string_view after_version =
      trimmed(status_line.substr(std::min(status_line.find(' '), status_line.size())));
  status = count_in(after_version.substr(0, after_version.find(' '))).value_or(0);
}

std::string FileVersion::condition() const {
  if (!etag.empty()) return "If-Match: " + etag;
  if (!last_modified.empty()) return "If-Unmodified-Since: " + last_modified;
  return "";
}

FileVersion version_of(const Answer& answer) {
  return {answer.content_range ? answer.content_range->total : -1, answer.etag, answer.last_modified};
}

std::optional<Failure> check_answer(const Answer& answer, const RemoteFile& file, const FileVersion& version,
                                    std::int64_t offset, std::int64_t bytes, std::string_view error_body) {
  if (answer.status == 412) return changed_file();
  if (answer.status == 200 && !answer.is_range()) return whole_file(answer);
  if (!answer.is_range()) return refused_status(answer, file, error_body);
  if (!answer.content_encoding.empty() && lower_case(answer.content_encoding) != "identity") {
    return Failure{.problem = "the server sent the file encoded with " + answer.content_encoding +
                              ", which changes its bytes; turn that off for this file",
                   .status = answer.status};
  }
  if (!answer.content_range) {
    return Failure{.problem = std::string("the server sent a range ") +
                              (answer.has_content_range ? "with an invalid header Content-Range"
                                                        : "without the header Content-Range") +
                              "; download the file first",
                   .status = answer.status};
  }
  const ContentRange& sent = *answer.content_range;
  if (version.length >= 0 && sent.total != version.length) return changed_file();
  if (!version.etag.empty() && !answer.etag.empty() && answer.etag != version.etag) return changed_file();
  if (version.etag.empty() && !version.last_modified.empty() && !answer.last_modified.empty() &&
      answer.last_modified != version.last_modified) {
    return changed_file();
  }
  const std::int64_t last = std::min(offset + bytes, sent.total) - 1;
  if (sent.first == offset && sent.last == last) return std::nullopt;
  return Failure{.problem = "the server sent " + text_of_range(sent.first, sent.last, sent.total) + ", expected " +
                            text_of_range(offset, last, -1) + "; download the file first",
                 .status = answer.status};
}

}  // namespace octavo::remote
