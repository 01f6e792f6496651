// Sends HTTP requests with libcurl.
#include <curl/curl.h>

#include <array>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <octavo/version.hpp>

#include "fetching/http.hpp"
#include "support/unique_handle.hpp"

namespace octavo::fetching {
namespace {

using Easy = UniqueHandle<CURL*, nullptr, &curl_easy_cleanup>;
using Headers = UniqueHandle<curl_slist*, nullptr, &curl_slist_free_all>;

constexpr long kMostRedirects = 5;
constexpr long kSlowestBytesPerSecond = 1024;
constexpr long kReceiveBlockBytes = 256 * 1024;

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

/// One request, and what libcurl's callbacks share.
class Exchange {
 public:
  Exchange(const HttpRequest& request, HttpReceiver& receiver)
      : request_(request), receiver_(receiver), easy_(make_handle()) {
    set_up();
  }

  HttpOutcome run() {
    const CURLcode code = curl_easy_perform(easy_.get());
    // The receiver counts the bytes itself.
    if (is_stopped_ || code == CURLE_OK || code == CURLE_PARTIAL_FILE) return {};
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    return {is_lasting_failure(code) ? HttpOutcome::End::refused : HttpOutcome::End::broken, describe(code)};
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
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_USERAGENT, ("octavo/" + std::string(kVersion)).c_str());
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(request_.stall_seconds));
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.stall_seconds));
    set(CURLOPT_BUFFERSIZE, kReceiveBlockBytes);
    set(CURLOPT_ERRORBUFFER, error_text_.data());
    // Signals belong to the program, and a pending name lookup must not delay its exit.
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Exchange::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, this);
    for (const std::string& header : request_.headers) add_header(header);
    if (headers_) set(CURLOPT_HTTPHEADER, headers_.get());
  }

  void add_header(const std::string& header) {
    curl_slist* const longer = curl_slist_append(headers_.get(), header.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(headers_.release());  // the first element of the same list
    headers_ = Headers(longer);
  }

  // ---- libcurl callbacks: the receiver does not throw ----------------------------

  bool note(bool goes_on) {
    if (!goes_on) is_stopped_ = true;
    return goes_on;
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& exchange = *static_cast<Exchange*>(self);
    return exchange.note(exchange.receiver_.go_on()) ? 0 : 1;
  }

  static std::size_t on_header(const char* bytes, std::size_t, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    return exchange.note(exchange.receiver_.take_header({bytes, count})) ? count : 0;
  }

  static std::size_t on_body(const char* bytes, std::size_t, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    return exchange.note(exchange.receiver_.take_body(std::as_bytes(std::span(bytes, count)))) ? count : 0;
  }

  std::string describe(CURLcode code) const {
    if (code == CURLE_OPERATION_TIMEDOUT) {
      return "no connection, or less than 1 KiB/s, for " + std::to_string(request_.stall_seconds) + " s";
    }
    if (code == CURLE_TOO_MANY_REDIRECTS) {
      return "redirected more than " + std::to_string(kMostRedirects) + " times";
    }
    if (code == CURLE_UNSUPPORTED_PROTOCOL) return "redirected to a URL that is neither http nor https";
    return printable(error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code));
  }

  const HttpRequest& request_;
  HttpReceiver& receiver_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  Headers headers_;  // libcurl borrows these two
  Easy easy_;
  bool is_stopped_ = false;  ///< by the receiver
};

}  // namespace

HttpOutcome get_with_curl(const HttpRequest& request, HttpReceiver& receiver) {
  return Exchange(request, receiver).run();
}

bool has_curl() { return true; }

}  // namespace octavo::fetching
