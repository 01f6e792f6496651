// Sends the requests with libcurl.
#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <random>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "remote/curl_request.hpp"
#include "remote/flight_limit.hpp"
#include "remote/per_process.hpp"
#include "remote/transfers.hpp"

namespace octavo::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using CurlMulti = UniqueHandle<CURLM*, nullptr, &curl_multi_cleanup>;

constexpr std::int64_t kLongestWaitMs = 20'000;
/// A server that asks for a longer wait gets the next request after this one.
constexpr std::int64_t kMostRetryAfterSeconds = 60;
constexpr int kIdlePollMs = 10'000;
/// HTTP/2 shares a connection, whose window may be small; with more requests, there are more connections.
constexpr long kMostStreamsPerConnection = 16;
constexpr long kMostKeptConnections = 256;
constexpr auto kLeastTimeBetweenReductions = milliseconds(500);

/// SIGPIPE would end the process when a server closes a TLS connection. Only this thread may not get it.
void block_pipe_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  static_cast<void>(pthread_sigmask(SIG_BLOCK, &signals, nullptr));
}

/// The thread and its connections.
class CurlThread {
 public:
  explicit CurlThread(const SourceOptions& options) : options_(options), limit_(options.most_requests_in_flight) {}
  ~CurlThread() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    if (!thread_.joinable()) return;
    curl_multi_wakeup(multi_.get());
    thread_.join();
  }
  CurlThread(const CurlThread&) = delete;
  CurlThread& operator=(const CurlThread&) = delete;

  void start(std::span<const std::shared_ptr<Fetch>> fetches, bool is_awaited) {
    std::unique_lock lock(mutex_);
    try {
      if (!thread_.joinable()) start_thread();
      auto& queue = is_awaited ? awaited_ : ahead_;
      queue.insert(queue.end(), fetches.begin(), fetches.end());
      curl_multi_wakeup(multi_.get());
    } catch (const Error& error) {
      lock.unlock();
      fail(fetches, {.problem = error.what()});
    } catch (const std::bad_alloc&) {
      lock.unlock();
      fail(fetches, {.problem = "", .is_out_of_memory = true});
    }
  }

  void hurry(const std::shared_ptr<Fetch>& fetch) {
    if (fetch->state != Fetch::State::waiting) return;
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(ahead_, fetch);
    if (found == ahead_.end()) return;
    // With those that can be a part of the same request.
    auto end = found + 1;
    while (end != ahead_.end() && can_follow(**found, **(end - 1), **end)) ++end;
    awaited_.insert(awaited_.end(), found, end);
    ahead_.erase(found, end);
  }

  void wait(const Fetch& fetch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return fetch.has_ended(); });
  }

  bool drop(const std::shared_ptr<Fetch>& fetch) {
    if (fetch->state != Fetch::State::waiting) return false;
    const std::lock_guard lock(mutex_);
    for (auto* queue : {&awaited_, &ahead_}) {
      const auto found = std::ranges::find(*queue, fetch);
      if (found == queue->end()) continue;
      queue->erase(found);
      return true;
    }
    return false;
  }

 private:
  using Request = std::unique_ptr<CurlRequest>;
  using Queue = std::deque<std::shared_ptr<Fetch>>;
  struct Delayed {
    Clock::time_point due;
    Request request;
  };

  void start_thread() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    multi_ = CurlMulti(started == CURLE_OK ? curl_multi_init() : nullptr);
    if (!multi_) throw IoError("start libcurl: initialization failed; free some memory and try again");
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_CONCURRENT_STREAMS, kMostStreamsPerConnection);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kMostKeptConnections);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      throw IoError(std::string("start a thread for requests: ") + error.what() + "; allow more threads (ulimit -u)");
    }
  }

  // ---- On the thread ---------------------------------------------------------------

  void run() {
    block_pipe_signal();
    for (last_round_ = Clock::now(); send_waiting();) {
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      take_ended();
      measure();
      if (!can_send()) curl_multi_poll(multi_.get(), nullptr, 0, poll_ms(), nullptr);
    }
    for (const auto& [easy, request] : running_) curl_multi_remove_handle(multi_.get(), easy);
    running_.clear();
  }

  bool can_send() {
    const std::lock_guard lock(mutex_);
    return is_stopping_ || (has_room() && !(awaited_.empty() && ahead_.empty()));
  }
  bool has_room() const { return static_cast<int>(running_.size()) < limit_.value(); }

  /// Sends requests until enough are in flight. Returns false once the thread must end.
  bool send_waiting() {
    send_due();
    while (has_room()) {
      std::vector<std::shared_ptr<Fetch>> fetches;
      {
        const std::lock_guard lock(mutex_);
        if (is_stopping_) return false;
        fetches = take_neighbors(awaited_.empty() ? ahead_ : awaited_);
        is_saturated_ = !fetches.empty();
      }
      if (fetches.empty()) return true;
      send_first(std::move(fetches));
    }
    const std::lock_guard lock(mutex_);
    is_saturated_ = !(awaited_.empty() && ahead_.empty());
    return !is_stopping_;
  }

  void send_due() {
    const auto now = Clock::now();
    for (std::size_t i = 0; i < delayed_.size() && has_room();) {
      if (delayed_[i].due > now) {
        ++i;
        continue;
      }
      Request request = std::move(delayed_[i].request);
      delayed_.erase(delayed_.begin() + static_cast<std::ptrdiff_t>(i));
      send(std::move(request));
    }
  }

  /// Whether `next` can be a part of the request that begins with `first` and so far ends with `last`.
  static bool can_follow(const Fetch& first, const Fetch& last, const Fetch& next) {
    return next.file == last.file && next.offset >= last.end() && next.offset - last.end() <= kMostGapBytes &&
           next.end() - first.offset <= kMostRequestBytes;
  }

  /// The first ranges of a queue that are near each other; empty if the queue is.
  static std::vector<std::shared_ptr<Fetch>> take_neighbors(Queue& queue) {
    std::vector<std::shared_ptr<Fetch>> taken;
    while (!queue.empty()) {
      const std::shared_ptr<Fetch>& next = queue.front();
      if (!taken.empty() && !can_follow(*taken.front(), *taken.back(), *next)) break;
      next->state = Fetch::State::running;
      taken.push_back(next);
      queue.pop_front();
    }
    return taken;
  }

  void send_first(std::vector<std::shared_ptr<Fetch>> fetches) {
    try {
      send(std::make_unique<CurlRequest>(fetches, options_));
    } catch (const std::bad_alloc&) {
      fail(fetches, {.problem = "", .is_out_of_memory = true});
    } catch (const IoError& error) {
      fail(fetches, {.problem = error.what()});
    }
  }

  void send(Request request) {
    try {
      const auto moved = moved_to_.find(request->open_file().number);
      CURL* const easy = request->prepare(moved == moved_to_.end() ? "" : moved->second);
      const auto place = running_.emplace(easy, std::move(request)).first;
      if (curl_multi_add_handle(multi_.get(), easy) == CURLM_OK) return;
      request = std::move(place->second);
      running_.erase(place);
      fail(request->fetches(), {.problem = "", .is_out_of_memory = true});
    } catch (const std::bad_alloc&) {
      fail(request->fetches(), {.problem = "", .is_out_of_memory = true});
    } catch (const IoError& error) {
      fail(request->fetches(), {.problem = error.what()});
    }
  }

  void take_ended() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto place = running_.find(message->easy_handle);
      Request request = std::move(place->second);
      running_.erase(place);
      curl_multi_remove_handle(multi_.get(), request->easy());
      end(std::move(request), code);
    }
  }

  void end(Request request, CURLcode code) {
    std::optional<Failure> failure;
    try {
      failure = request->finish(code);
      if (!failure) return succeed(*request);
      if (forget_redirect(*request, *failure) || (failure->is_passing && request->attempts < options_.attempts)) {
        return delay(std::move(request), *failure);
      }
    } catch (const std::bad_alloc&) {
      failure = Failure{.problem = "", .is_out_of_memory = true};
    }
    failure->attempts = request->attempts;
    fail(request->fetches(), *failure);
  }

  void succeed(const CurlRequest& request) {
    ended_bytes_ += request.received_bytes();
    ++ended_requests_;
    if (std::string moved_to = request.moved_to(); !moved_to.empty()) {
      moved_to_[request.open_file().number] = std::move(moved_to);
    }
    ++request.open_file().valid_answers;
    const std::lock_guard lock(mutex_);
    for (const auto& fetch : request.fetches()) {
      fetch->version = version_of(request.answer());
      fetch->state = Fetch::State::done;
    }
    changed_.notify_all();
  }

  void fail(std::span<const std::shared_ptr<Fetch>> fetches, const Failure& failure) {
    const std::lock_guard lock(mutex_);
    for (const auto& fetch : fetches) {
      fetch->failure = failure;
      fetch->state = Fetch::State::failed;
    }
    changed_.notify_all();
  }

  /// The address of a redirect may expire. Returns whether the request should go to the first one again.
  bool forget_redirect(const CurlRequest& request, const Failure& failure) {
    if (!request.was_moved() || request.attempts >= options_.attempts) return false;
    if (failure.status < 400 || failure.status == 412 || failure.status == 416) return false;
    moved_to_.erase(request.open_file().number);
    return true;
  }

  void delay(Request request, const Failure& failure) {
    if (failure.status == 429 || failure.status == 503) reduce_limit();
    std::int64_t most_ms = std::min<std::int64_t>(options_.first_wait_ms, kLongestWaitMs);
    for (int i = 1; i < request->attempts; ++i) most_ms = std::min(2 * most_ms, kLongestWaitMs);
    std::int64_t wait_ms = std::uniform_int_distribution<std::int64_t>(0, most_ms)(random_);
    wait_ms = std::max(wait_ms, 1000 * std::min(failure.wait_seconds, kMostRetryAfterSeconds));
    delayed_.push_back({Clock::now() + milliseconds(wait_ms), std::move(request)});
  }

  void reduce_limit() {
    const auto now = Clock::now();
    if (now - last_reduction_ < kLeastTimeBetweenReductions) return;
    last_reduction_ = now;
    limit_.reduce();
  }

  /// Adds what happened since the last round to the measurement, if more requests waited than were allowed.
  void measure() {
    const auto now = Clock::now();
    if (is_saturated_) {
      limit_.add(std::exchange(ended_bytes_, 0), std::exchange(ended_requests_, 0),
                 std::chrono::duration<double>(now - last_round_).count());
    } else {
      ended_bytes_ = ended_requests_ = 0;
    }
    last_round_ = now;
  }

  int poll_ms() const {
    std::int64_t wait = kIdlePollMs;
    const auto now = Clock::now();
    for (const Delayed& delayed : delayed_) {
      if (!has_room()) break;
      const auto left = std::chrono::duration_cast<milliseconds>(delayed.due - now).count() + 1;
      wait = std::min(wait, std::max<std::int64_t>(0, left));
    }
    return static_cast<int>(wait);
  }

  const SourceOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Queue awaited_, ahead_;
  bool is_stopping_ = false;
  CurlMulti multi_;

  // Of the thread.
  FlightLimit limit_;
  std::unordered_map<CURL*, Request> running_;
  std::vector<Delayed> delayed_;
  std::unordered_map<std::uint64_t, std::string> moved_to_;  ///< by OpenFile::number: where redirects led
  std::minstd_rand random_{std::random_device()()};
  bool is_saturated_ = false;
  std::int64_t ended_bytes_ = 0, ended_requests_ = 0;  ///< in this round
  Clock::time_point last_round_, last_reduction_;

  std::thread thread_;  // last: it uses all of these
};

class CurlTransfers final : public Transfers {
 public:
  explicit CurlTransfers(const SourceOptions& options)
      : thread_([options] { return std::make_unique<CurlThread>(options); }) {}

  void start(std::span<const std::shared_ptr<Fetch>> fetches, bool is_awaited) noexcept override {
    if (!fetches.empty()) thread_.get().start(fetches, is_awaited);
  }
  void hurry(const std::shared_ptr<Fetch>& fetch) override { thread_.get().hurry(fetch); }
  void wait(const Fetch& fetch) override { thread_.get().wait(fetch); }
  bool drop(const std::shared_ptr<Fetch>& fetch) override { return thread_.get().drop(fetch); }

 private:
  PerProcess<CurlThread> thread_;
};

}  // namespace

std::shared_ptr<Transfers> make_transfers(const RemoteFile&, const SourceOptions& options) {
  return std::make_shared<CurlTransfers>(options);
}

}  // namespace octavo::remote
