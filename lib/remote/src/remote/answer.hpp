// What a server answers to the request of a range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "remote/remote_file.hpp"

namespace octavo::remote {

/// FIRST-LAST/TOTAL of a header Content-Range.
struct ContentRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t total = 0;
};

/// Parses "bytes 100-199/200". Nothing if it is invalid, or of unknown total ("*").
std::optional<ContentRange> parse_content_range(std::string_view value);

/// Parses the seconds of a header Retry-After; nothing for a date, which hardly any server sends.
std::optional<std::int64_t> parse_retry_after(std::string_view value);

/// The headers of an answer.
class Answer {
 public:
  /// Takes one line. Returns false if there are too many.
  bool take_line(std::string_view line);
  /// Whether the body is a range. Some servers, such as rclone's for S3, send a range with status 200.
  bool is_range() const { return status == 206 || (status == 200 && has_content_range); }

  std::int64_t status = 0;
  std::optional<ContentRange> content_range;
  std::optional<std::int64_t> retry_after_seconds;
  std::string etag, last_modified, content_encoding, content_type, bucket_region;
  bool has_content_range = false;  ///< valid or not

 private:
  void begin(std::string_view status_line);
  std::size_t header_bytes_ = 0;
};

/// Which version of a file is read.
struct FileVersion {
  std::int64_t length = -1;  ///< -1: not known yet
  std::string etag = {};     ///< strong, in quotes; empty: none
  std::string last_modified = {};

  /// The header that makes the server refuse to send another version; empty if it does not tell versions apart.
  std::string condition() const;
  bool has_validator() const { return !etag.empty() || !last_modified.empty(); }
};

/// Why a request failed.
struct Failure {
  std::string problem;             ///< what is wrong; what to do
  std::int64_t status = 0;         ///< of HTTP; 0: no answer
  bool is_passing = false;         ///< whether another attempt may succeed
  std::int64_t wait_seconds = 0;   ///< at least, before that
  std::string bucket_region = {};  ///< that the server names, if the request was for another one
  bool is_out_of_memory = false;
  int attempts = 1;
};

/// Checks an answer to the request of [offset, offset + bytes), before its body. With an unknown length, it may be
/// shorter. Returns what is wrong, or nothing. `error_body` is the beginning of the body of an answer without the
/// bytes.
std::optional<Failure> check_answer(const Answer& answer, const RemoteFile& file, const FileVersion& version,
                                    std::int64_t offset, std::int64_t bytes, std::string_view error_body);

/// The version that an answer is of.
FileVersion version_of(const Answer& answer);

/// CODE in "<Code>CODE</Code>", which object stores send; empty if there is none.
std::string error_code_in(std::string_view body);

}  // namespace octavo::remote
