// One request with libcurl, for ranges that are next to each other.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/curl_handles.hpp"
#include "remote/fetch.hpp"

namespace octavo::remote {

/// Takes the answer and writes the bytes to the memory of the fetches. All belongs to one thread.
class CurlRequest {
 public:
  /// `fetches` are ranges of one file, in order, with small gaps.
  CurlRequest(std::vector<std::shared_ptr<Fetch>> fetches, const SourceOptions& options);

  /// Makes the handle ready for an attempt. `moved_to` is the address of the last redirect, or empty. Throws IoError,
  /// std::bad_alloc.
  CURL* prepare(const std::string& moved_to);
  /// The result of an attempt: what is wrong, or nothing.
  std::optional<Failure> finish(CURLcode code);
  /// The address that answered, if the request was redirected; else empty.
  std::string moved_to() const;

  CURL* easy() const { return easy_.get(); }
  const std::vector<std::shared_ptr<Fetch>>& fetches() const { return fetches_; }
  const OpenFile& open_file() const { return *fetches_.front()->file; }
  const Answer& answer() const { return answer_; }
  std::int64_t offset() const { return fetches_.front()->offset; }
  std::int64_t bytes() const { return fetches_.back()->end() - offset(); }
  std::int64_t received_bytes() const { return received_; }
  /// Whether the attempt went to the address of an earlier redirect.
  bool was_moved() const { return was_moved_; }
  int attempts = 0;

 private:
  template <typename Value>
  void set(CURLoption option, Value value);
  void set_up(const std::string& moved_to);
  bool take_body(std::string_view bytes);
  void write(std::string_view bytes);
  std::string describe(CURLcode code) const;
  static std::size_t on_header(const char* bytes, std::size_t, std::size_t count, void* self);
  static std::size_t on_body(const char* bytes, std::size_t, std::size_t count, void* self);

  std::vector<std::shared_ptr<Fetch>> fetches_;
  const SourceOptions& options_;
  std::string address_, range_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  CurlHeaders headers_;  // libcurl borrows all of these
  CurlEasy easy_;
  bool was_moved_ = false;
  Answer answer_;
  std::optional<Failure> failure_;  ///< found while the answer was taken
  std::string error_body_;
  std::int64_t expected_ = 0;  ///< bytes of the body
  std::int64_t received_ = 0;
  // Where the next byte goes: in a part of the memory of a fetch.
  std::size_t fetch_ = 0, part_ = 0, byte_in_part_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace octavo::remote
