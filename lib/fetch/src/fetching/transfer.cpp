#include "fetching/transfer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <optional>
#include <span>
#include <string_view>

#include <octavo/text.hpp>

#include "fetching/http.hpp"

namespace octavo::fetching {
namespace {

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
bool is_passing_status(std::int64_t status) {
  constexpr std::array<std::int64_t, 7> kPassing = {408, 425, 429, 500, 502, 503, 504};
  return std::find(kPassing.begin(), kPassing.end(), status) != kPassing.end();
}

/// One attempt: takes the response. The receiver's functions do not throw, because the client may be C.
class Attempt final : public HttpReceiver {
 public:
  explicit Attempt(const Transfer& transfer) : transfer_(transfer), end_(transfer.offset) {}

  TransferResult run() {
    const HttpOutcome outcome = get(request(), *this);
    if (failure_) std::rethrow_exception(failure_);
    TransferResult result = judge(outcome);
    result.received_bytes = received_bytes_;
    result.began_anew = began_anew_;
    result.etag = etag_;
    return result;
  }

  bool take_header(std::string_view line) noexcept override {
    return guarded([&] { return parse_header(line); });
  }
  bool take_body(std::span<const std::byte> bytes) noexcept override {
    return guarded([&] { return write_body(bytes); });
  }
  bool go_on() noexcept override {
    return guarded([&] {
      if (transfer_.on_bytes) transfer_.on_bytes(end_);
      return true;
    });
  }

 private:
  HttpRequest request() const {
    HttpRequest request{.url = transfer_.url, .headers = {}, .stall_seconds = transfer_.stall_seconds};
    if (transfer_.offset > 0) {
      request.headers.push_back("Range: bytes=" + std::to_string(transfer_.offset) + "-");
      if (!transfer_.etag.empty()) request.headers.push_back("If-Range: " + transfer_.etag);
    }
    return request;
  }

  /// Runs a step of taking the response. Returns false if it threw; run() rethrows the exception.
  template <typename Step>
  bool guarded(const Step& step) noexcept {
    try {
      return step();
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  // ---- Headers -------------------------------------------------------------------

  bool parse_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMostHeaderBytes) return stop(TransferEnd::refused, "the server sends too many headers");
    if (line.starts_with("HTTP/")) return begin_response(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return true;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equals_ignoring_case(name, "ETag")) keep_etag(value);
    if (equals_ignoring_case(name, "Content-Range")) content_range_ = parse_content_range(value);
    if (equals_ignoring_case(name, "Content-Length")) content_length_ = number(value);
    return true;
  }

  /// A status line, such as "HTTP/1.1 200 OK", begins a response: the first one, or another after a redirect.
  bool begin_response(std::string_view line) {
    const std::string_view after_version = trimmed(line.substr(std::min(line.find(' '), line.size())));
    status_ = number(after_version.substr(0, after_version.find(' '))).value_or(0);
    etag_.clear();
    content_range_.reset();
    content_length_.reset();
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

  bool write_body(std::span<const std::byte> bytes) {
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
    if (status_ == 200 && end_ > 0) {
      transfer_.part.clear();
      end_ = 0;
      began_anew_ = true;
    }
    is_body_wanted_ = true;
    return true;
  }

  bool is_answer_good() {
    if (status_ == 206) return is_range_good();
    if (status_ != 200) return stop_at_status();
    if (!content_length_ || *content_length_ == transfer_.total_bytes) return true;
    return stop(TransferEnd::refused, "the server has " + std::to_string(*content_length_) +
                                          " bytes, and the file has " + std::to_string(transfer_.total_bytes));
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

  bool stop_at_status() {
    if (status_ == 416 && transfer_.offset > 0) {
      return stop(TransferEnd::no_range, "the server has no such part (HTTP status 416)");
    }
    const TransferEnd end = is_passing_status(status_) ? TransferEnd::broken : TransferEnd::refused;
    return stop(end, "the server answers with HTTP status " + std::to_string(status_));
  }

  bool stop(TransferEnd end, std::string reason) {
    stopped_ = TransferResult{.end = end, .reason = std::move(reason)};
    return false;
  }

  // ---- The end -----------------------------------------------------------------------

  TransferResult judge(const HttpOutcome& outcome) {
    if (stopped_) return *stopped_;
    if (is_body_wanted_ && end_ == transfer_.total_bytes) return {.end = TransferEnd::complete, .reason = {}};
    if (outcome.end == HttpOutcome::End::refused) return {.end = TransferEnd::refused, .reason = outcome.reason};
    if (outcome.end == HttpOutcome::End::broken) return {.end = TransferEnd::broken, .reason = outcome.reason};
    // A response without a body did not pass begin_body().
    if (!is_body_wanted_ && !is_answer_good()) return *stopped_;
    return {.end = TransferEnd::broken, .reason = ended_early()};
  }

  std::string ended_early() const {
    return "the connection ended after " + std::to_string(end_) + " of " + std::to_string(transfer_.total_bytes) +
           " bytes";
  }

  const Transfer& transfer_;
  std::int64_t end_;  ///< bytes in the file
  std::int64_t received_bytes_ = 0;
  std::size_t header_bytes_ = 0;
  std::string etag_;
  std::int64_t status_ = 0;
  std::optional<ContentRange> content_range_;
  std::optional<std::int64_t> content_length_;
  bool is_body_wanted_ = false;
  bool began_anew_ = false;
  std::optional<TransferResult> stopped_;  ///< set if this class ended the transfer
  std::exception_ptr failure_;             ///< thrown while taking the response
};

}  // namespace

TransferResult receive(const Transfer& transfer) { return Attempt(transfer).run(); }

}  // namespace octavo::fetching
