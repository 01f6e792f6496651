#include "fetching/transfer.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string_view>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <octavo/version.hpp>

#include "support/unique_handle.hpp"

namespace octavo::fetching {
namespace {

using Easy = UniqueHandle<CURL*, nullptr, &curl_easy_cleanup>;

constexpr long kMostRedirects = 5;
constexpr long kSlowestBytesPerSecond = 1024;
constexpr long kReceiveBlockBytes = 256 * 1024;
// Real servers send at most a few kilobytes of headers.
constexpr std::size_t kMostHeaderBytes = std::size_t{256} << 10;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// FIRST and TOTAL of a Content-Range header, FIRST-LAST/TOTAL.
struct ContentRange {
  std::int64_t first = 0;
  std::int64_t total = 0;
};

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// Parses "bytes 100-199/200". Rejects an unknown total ("*").
std::optional<ContentRange> parse_content_range(std::string_view value) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return std::nullopt;
  value.remove_prefix(kUnit.size());
  const std::size_t dash = value.find('-');
  const std::size_t slash = value.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return std::nullopt;
  const auto first = number(value.substr(0, dash));
  const auto total = number(value.substr(slash + 1));
  if (!first || !total) return std::nullopt;
  return ContentRange{*first, *total};
}

/// Whether the status is transient: another attempt at the same URL may succeed (RFC 9110, 6585, 8470).
bool is_passing_status(long status) {
  constexpr std::array<long, 7> kPassing = {408, 425, 429, 500, 502, 503, 504};
  return std::find(kPassing.begin(), kPassing.end(), status) != kPassing.end();
}

/// Whether another attempt at the same URL would fail in the same way.
bool is_lasting_failure(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return true;
    default:
      return false;
  }
}

/// One attempt, and the state that libcurl's callbacks share. No exception passes through libcurl, which is C.
class Attempt {
 public:
  explicit Attempt(const Transfer& transfer) : transfer_(transfer), easy_(make_handle()), end_(transfer.offset) {
    set_up();
  }

  TransferResult run() {
    const CURLcode code = curl_easy_perform(easy_.get());
    if (failure_) std::rethrow_exception(failure_);
    TransferResult result = judge(code);
    result.received_bytes = received_bytes_;
    result.began_anew = began_anew_;
    result.etag = etag_;
    return result;
  }

 private:
  static Easy make_handle() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    Easy easy(started == CURLE_OK ? curl_easy_init() : nullptr);
    if (!easy) throw IoError("start libcurl: initialization failed; free some memory and try again");
    return easy;
  }

  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLE_OK) throw IoError(std::string("set up libcurl: ") + curl_easy_strerror(code));
  }

  void set_up() {
    set(CURLOPT_URL, transfer_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_USERAGENT, user_agent().c_str());
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(transfer_.stall_seconds));
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(transfer_.stall_seconds));
    set(CURLOPT_BUFFERSIZE, kReceiveBlockBytes);
    set(CURLOPT_ERRORBUFFER, error_text_.data());
    // Signals belong to the program, and a pending name lookup must not delay its exit.
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Attempt::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_HEADERFUNCTION, &Attempt::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Attempt::on_body);
    set(CURLOPT_WRITEDATA, this);
    if (transfer_.offset > 0) ask_for_rest();
  }

  void ask_for_rest() {
    // Not CURLOPT_RESUME_FROM, which fails if a server sends the whole file instead.
    set(CURLOPT_RANGE, (std::to_string(transfer_.offset) + "-").c_str());
    if (transfer_.etag.empty()) return;
    headers_ = Headers(curl_slist_append(nullptr, ("If-Range: " + transfer_.etag).c_str()));
    if (!headers_) throw std::bad_alloc();
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  static std::string user_agent() { return "octavo/" + std::string(kVersion); }

  // ---- libcurl callbacks -------------------------------------------------------

  /// Runs a step of a callback. Returns false if it threw; run() rethrows the exception.
  template <typename Step>
  bool guarded(const Step& step) noexcept {
    try {
      return step();
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& attempt = *static_cast<Attempt*>(self);
    const bool goes_on = attempt.guarded([&] {
      if (attempt.transfer_.on_bytes) attempt.transfer_.on_bytes(attempt.end_);
      return true;
    });
    return goes_on ? 0 : 1;
  }

  static std::size_t on_header(const char* bytes, std::size_t, std::size_t count, void* self) {
    auto& attempt = *static_cast<Attempt*>(self);
    return attempt.guarded([&] { return attempt.take_header({bytes, count}); }) ? count : 0;
  }

  static std::size_t on_body(const char* bytes, std::size_t, std::size_t count, void* self) {
    auto& attempt = *static_cast<Attempt*>(self);
    return attempt.guarded([&] { return attempt.take_body(std::as_bytes(std::span(bytes, count))); }) ? count : 0;
  }

  // ---- Headers -------------------------------------------------------------------

  bool take_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMostHeaderBytes) return stop(TransferEnd::refused, "the server sends too many headers");
    if (line.starts_with("HTTP/")) {  // a further response, after a redirect
      etag_.clear();
      content_range_.reset();
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return true;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equals_ignoring_case(name, "ETag")) keep_etag(value);
    if (equals_ignoring_case(name, "Content-Range")) content_range_ = parse_content_range(value);
    return true;
  }

  /// If-Range accepts only a strong tag, in quotes (RFC 9110, 13.1.5).
  void keep_etag(std::string_view value) {
    constexpr std::size_t kMostBytes = 256;
    const bool is_strong = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    etag_ = is_strong && is_plain && value.size() <= kMostBytes ? std::string(value) : std::string();
  }

  // ---- The body --------------------------------------------------------------------

  bool take_body(std::span<const std::byte> bytes) {
    if (!is_body_wanted_ && !begin_body()) return false;
    const std::int64_t room = transfer_.total_bytes - end_;
    if (static_cast<std::int64_t>(bytes.size()) > room) {
      return stop(TransferEnd::refused, "the server sends more than the " + std::to_string(transfer_.total_bytes) +
                                            " bytes that the file has");
    }
    transfer_.part.file().write_at(end_, bytes);
    end_ += static_cast<std::int64_t>(bytes.size());
    received_bytes_ += static_cast<std::int64_t>(bytes.size());
    return true;
  }

  /// Called once, with the first bytes of a response. Returns whether they are the requested ones, and sets where they
  /// belong.
  bool begin_body() {
    if (!is_answer_good()) return false;
    if (status() == 200 && end_ > 0) {
      transfer_.part.clear();
      end_ = 0;
      began_anew_ = true;
    }
    is_body_wanted_ = true;
    return true;
  }

  bool is_answer_good() {
    const long code = status();
    if (code == 206) return is_range_good();
    if (code != 200) return stop_at_status(code);
    const std::int64_t length = content_length();
    if (length < 0 || length == transfer_.total_bytes) return true;
    return stop(TransferEnd::refused, "the server has " + std::to_string(length) + " bytes, and the file has " +
                                          std::to_string(transfer_.total_bytes));
  }

  bool is_range_good() {
    if (transfer_.offset == 0) return stop(TransferEnd::refused, "the server sends only a part of the file");
    if (!content_range_ || content_range_->first != transfer_.offset) {
      return stop(TransferEnd::no_range, "the server sends a different part than requested");
    }
    if (content_range_->total == transfer_.total_bytes) return true;
    return stop(TransferEnd::refused, "the server has " + std::to_string(content_range_->total) +
                                          " bytes, and the file has " + std::to_string(transfer_.total_bytes));
  }

  bool stop_at_status(long code) {
    if (code == 416 && transfer_.offset > 0) {
      return stop(TransferEnd::no_range, "the server has no such part (HTTP status 416)");
    }
    const TransferEnd end = is_passing_status(code) ? TransferEnd::broken : TransferEnd::refused;
    return stop(end, "the server answers with HTTP status " + std::to_string(code));
  }

  bool stop(TransferEnd end, std::string reason) {
    stopped_ = TransferResult{.end = end, .reason = std::move(reason)};
    return false;
  }

  long status() const {
    long code = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  /// -1 if the server does not send it.
  std::int64_t content_length() const {
    curl_off_t length = -1;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length;
  }

  // ---- The end -----------------------------------------------------------------------

  TransferResult judge(CURLcode code) {
    if (stopped_) return *stopped_;
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (is_body_wanted_ && end_ == transfer_.total_bytes) return {.end = TransferEnd::complete, .reason = {}};
    if (code != CURLE_OK) {
      return {.end = is_lasting_failure(code) ? TransferEnd::refused : TransferEnd::broken, .reason = describe(code)};
    }
    // A response without a body did not pass begin_body().
    if (!is_body_wanted_ && !is_answer_good()) return *stopped_;
    return {.end = TransferEnd::broken, .reason = ended_early()};
  }

  std::string describe(CURLcode code) const {
    if (code == CURLE_PARTIAL_FILE) return ended_early();
    if (code == CURLE_OPERATION_TIMEDOUT) {
      return "no connection, or less than 1 KiB/s, for " + std::to_string(transfer_.stall_seconds) + " s";
    }
    if (code == CURLE_TOO_MANY_REDIRECTS) {
      return "redirected more than " + std::to_string(kMostRedirects) + " times";
    }
    if (code == CURLE_UNSUPPORTED_PROTOCOL) return "redirected to a URL that is neither http nor https";
    return printable(error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code));
  }

  std::string ended_early() const {
    return "the connection ended after " + std::to_string(end_) + " of " + std::to_string(transfer_.total_bytes) +
           " bytes";
  }

  using Headers = UniqueHandle<curl_slist*, nullptr, &curl_slist_free_all>;

  const Transfer& transfer_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  Headers headers_;  // libcurl borrows these two
  Easy easy_;
  std::int64_t end_;  ///< bytes in the file
  std::int64_t received_bytes_ = 0;
  std::size_t header_bytes_ = 0;
  std::string etag_;
  std::optional<ContentRange> content_range_;
  bool is_body_wanted_ = false;
  bool began_anew_ = false;
  std::optional<TransferResult> stopped_;  ///< set if this class ended the transfer
  std::exception_ptr failure_;             ///< thrown in a callback
};

}  // namespace

TransferResult receive(const Transfer& transfer) { return Attempt(transfer).run(); }

}  // namespace octavo::fetching
