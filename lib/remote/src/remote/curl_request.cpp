#include "remote/curl_request.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <new>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <octavo/version.hpp>

#include "remote/remote_file.hpp"

namespace octavo::remote {
namespace {

constexpr long kMostFollowed = 5;
constexpr long kSlowestRate = 1024;
constexpr long kReceiveBytes = 256 * 1024;
constexpr std::size_t kMostErrorBody = 4096;

/// Whether another attempt would fail in the same way.
bool is_lasting(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CIPHER:
    case CURLE_BAD_CONTENT_ENCODING:
      return true;
    default:
      return false;
  }
}

}  // namespace

CurlRequest::CurlRequest(std::vector<std::shared_ptr<Fetch>> fetches, const SourceOptions& options)
    : fetches_(std::move(fetches)), options_(options), easy_(make_easy()) {}

template <typename Value>
void CurlRequest::set(CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLE_OK) throw IoError(std::string("set up libcurl: ") + curl_easy_strerror(code));
}

CURL* CurlRequest::prepare(const std::string& moved_to) {
  for (const auto& fetch : fetches_) fetch->memory();
  answer_ = Answer();
  failure_.reset();
  error_body_.clear();
  expected_ = received_ = 0;
  fetch_ = part_ = byte_in_part_ = 0;
  position_ = offset();
  error_text_[0] = '\0';
  curl_easy_reset(easy_.get());
  headers_.reset();
  set_up(moved_to);
  was_moved_ = !moved_to.empty();
  ++attempts;
  return easy_.get();
}

void CurlRequest::set_up(const std::string& moved_to) {
  const RemoteFile& file = open_file().file;
  const bool is_at_origin = moved_to.empty() || moved_to.starts_with(file.url.origin() + "/");
  address_ = moved_to.empty() ? file.url.address() : moved_to;
  range_ = std::to_string(offset()) + "-" + std::to_string(offset() + bytes() - 1);
  set(CURLOPT_URL, address_.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_RANGE, range_.c_str());
  // A redirect must not leave TLS, and a signature is of one address.
  const char* const protocols = file.url.scheme == "https" ? "https" : "http,https";
  set(CURLOPT_PROTOCOLS_STR, protocols);
  set(CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  const auto authorization = is_at_origin ? file.authorization(std::time(nullptr)) : std::vector<std::string>();
  set(CURLOPT_FOLLOWLOCATION, authorization.empty() ? 1L : 0L);
  set(CURLOPT_MAXREDIRS, kMostFollowed);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_PIPEWAIT, 1L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!file.authorities.empty()) set(CURLOPT_CAINFO, file.authorities.c_str());
  if (is_at_origin && !file.url.user.empty()) {
    set(CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    set(CURLOPT_USERNAME, file.url.user.c_str());
    set(CURLOPT_PASSWORD, file.url.password.c_str());
  }
  set(CURLOPT_USERAGENT, ("octavo/" + std::string(kVersion)).c_str());
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options_.connect_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowestRate);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.stall_seconds));
  set(CURLOPT_BUFFERSIZE, kReceiveBytes);
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  // Signals belong to the program, and a pending name lookup must not delay its exit.
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_HEADERFUNCTION, &CurlRequest::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &CurlRequest::on_body);
  set(CURLOPT_WRITEDATA, this);
  append(headers_, "Accept-Encoding: identity");
  if (const std::string condition = open_file().version.condition(); !condition.empty()) append(headers_, condition);
  for (const std::string& header : authorization) append(headers_, header);
  set(CURLOPT_HTTPHEADER, headers_.get());
}

std::size_t CurlRequest::on_header(const char* bytes, std::size_t, std::size_t count, void* self) {
  auto& request = *static_cast<CurlRequest*>(self);
  try {
    if (request.answer_.take_line({bytes, count})) return count;
    request.failure_ = Failure{.problem = "the server sends too many headers; check the URL"};
  } catch (const std::bad_alloc&) {
    request.failure_ = Failure{.problem = "", .is_out_of_memory = true};
  }
  return 0;
}

std::size_t CurlRequest::on_body(const char* bytes, std::size_t, std::size_t count, void* self) {
  auto& request = *static_cast<CurlRequest*>(self);
  try {
    if (request.take_body({bytes, count})) return count;
  } catch (const std::bad_alloc&) {
    request.failure_ = Failure{.problem = "", .is_out_of_memory = true};
  }
  return 0;
}

bool CurlRequest::take_body(std::string_view bytes) {
  if (!answer_.is_range()) {
    // The page of an error may explain it; that of a redirect is followed by another answer.
    if (answer_.status == 200) return false;
    error_body_.append(bytes.substr(0, kMostErrorBody - std::min(kMostErrorBody, error_body_.size())));
    return error_body_.size() < kMostErrorBody;
  }
  if (received_ == 0) {
    failure_ = check_answer(answer_, open_file().file, open_file().version, offset(), this->bytes(), "");
    if (failure_) return false;
    expected_ = answer_.content_range->last - answer_.content_range->first + 1;
  }
  if (static_cast<std::int64_t>(bytes.size()) > expected_ - received_) {
    failure_ = Failure{.problem = "the server sent more than the " + std::to_string(expected_) +
                                  " bytes of the range; download the file first"};
    return false;
  }
  received_ += static_cast<std::int64_t>(bytes.size());
  write(bytes);
  return true;
}

/// Copies to the fetches; what is between them is dropped.
void CurlRequest::write(std::string_view bytes) {
  while (!bytes.empty()) {
    Fetch& fetch = *fetches_[fetch_];
    std::size_t count = bytes.size();
    if (position_ < fetch.offset) {
      count = std::min(count, static_cast<std::size_t>(fetch.offset - position_));
    } else {
      const std::span<std::byte> part = fetch.parts[part_];
      count = std::min(count, part.size() - byte_in_part_);
      std::memcpy(part.data() + byte_in_part_, bytes.data(), count);
      byte_in_part_ += count;
      if (byte_in_part_ == part.size()) {
        byte_in_part_ = 0;
        if (++part_ == fetch.parts.size()) {
          part_ = 0;
          ++fetch_;
        }
      }
    }
    position_ += static_cast<std::int64_t>(count);
    bytes.remove_prefix(count);
  }
}

std::optional<Failure> CurlRequest::finish(CURLcode code) {
  if (failure_) return failure_;
  if (code == CURLE_OUT_OF_MEMORY) return Failure{.problem = "", .is_out_of_memory = true};
  if (answer_.status != 0 && !answer_.is_range() && (code == CURLE_OK || code == CURLE_WRITE_ERROR)) {
    return check_answer(answer_, open_file().file, open_file().version, offset(), bytes(), error_body_);
  }
  if (code != CURLE_OK && code != CURLE_PARTIAL_FILE) {
    return Failure{.problem = describe(code), .is_passing = !is_lasting(code)};
  }
  if (received_ == 0) {
    failure_ = check_answer(answer_, open_file().file, open_file().version, offset(), bytes(), "");
    if (failure_) return failure_;
    expected_ = answer_.content_range->last - answer_.content_range->first + 1;
  }
  if (received_ == expected_) return std::nullopt;
  return Failure{.problem = "the server sent " + std::to_string(received_) + " of " + std::to_string(expected_) +
                            " bytes; check the server",
                 .is_passing = true};
}

std::string CurlRequest::moved_to() const {
  long redirects = 0;
  char* address = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_COUNT, &redirects);
  curl_easy_getinfo(easy_.get(), CURLINFO_EFFECTIVE_URL, &address);
  return redirects > 0 && address != nullptr ? address : "";
}

std::string CurlRequest::describe(CURLcode code) const {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return "no connection for " + std::to_string(options_.connect_seconds) + " s, or less than 1 KiB/s for " +
             std::to_string(options_.stall_seconds) + " s; check the network";
    case CURLE_TOO_MANY_REDIRECTS:
      return "redirected more than " + std::to_string(kMostFollowed) + " times; check the URL";
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (answer_.status < 300 || answer_.status >= 400) break;
      return open_file().file.url.scheme == "https"
                 ? "redirected to a URL that is not https; check the URL"
                 : "redirected to a URL that is neither http nor https; check the URL";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return printable(error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code)) +
             "; name a file of the server's authorities with SSL_CERT_FILE";
    default:
      break;
  }
  return printable(error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code)) +
         "; check the network and the URL";
}

}  // namespace octavo::remote
