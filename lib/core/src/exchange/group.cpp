#include "exchange/group.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::exchange {
namespace {

/// More would make products of ranks and samples overflow.
constexpr std::int64_t kMostRanks = 1 << 20;
/// How long a rank that asks for nothing stays away from the next round.
constexpr std::chrono::milliseconds kIdleTime{200};
/// The same if all ranks ask for something, but nothing in common, because one is about to begin somewhere else.
constexpr std::chrono::milliseconds kLongestWait{32};

static_assert(std::is_trivially_copyable_v<RankStatus>);
static_assert(sizeof(RankStatus) == 6 * 8 + 16 * 6 * 8 + 240);

std::string name_of(std::size_t rank) { return "rank " + std::to_string(rank); }

std::string text_of(const NumberedRequest& one) {
  return "batch " + std::to_string(one.request.number) + " of epoch " + std::to_string(one.request.epoch) +
         " of loader " + std::to_string(one.client);
}

std::span<const NumberedRequest> requests_of(const RankStatus& status) {
  return std::span(status.requests).first(status.request_count);
}

const NumberedRequest* find(const RankStatus& status, std::uint64_t client) {
  const auto requests = requests_of(status);
  const auto found = std::ranges::find(requests, client, &NumberedRequest::client);
  return found == requests.end() ? nullptr : &*found;
}

/// Whether both ranks will exchange the same.
bool are_equal(const Request& a, const Request& b) {
  return a.digest == b.digest && a.generation == b.generation && a.epoch == b.epoch && a.number == b.number;
}

bool wants_something(const RankStatus& status, std::int64_t agreements_done) {
  return status.request_count > 0 || status.agreement_count > agreements_done;
}

}  // namespace

Group::Group(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)), process_(::getpid()) {
  const std::int64_t rank = exchange_->rank(), world_size = exchange_->world_size();
  if (world_size < 1 || world_size > kMostRanks || rank < 0 || rank >= world_size) {
    throw InvalidArgument("exchange samples: rank " + std::to_string(rank) + " of " + std::to_string(world_size) +
                          " does not exist; ranks are numbered from 0");
  }
  thread_ = std::thread([this] { serve(); });
}

void Group::leave() noexcept {
  if (!thread_.joinable()) return;
  if (process_ != ::getpid()) {
    thread_.detach();  // a child of fork(): the thread belongs to the parent
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    leaves_ = true;
  }
  notify();
  thread_.join();
}

std::vector<std::int64_t> Group::agree(std::int64_t value, const std::function<void()>& check) {
  std::unique_lock lock(mutex_);
  agreement_value_ = value;
  const std::int64_t number = ++agreements_begun_;
  is_notified_ = true;
  changed_.notify_all();
  while (!changed_.wait_for(lock, kIdleTime, [&] { return failure_ || agreements_done_ >= number; })) {
    if (!check) continue;
    lock.unlock();
    try {
      check();
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
    lock.lock();
  }
  if (agreements_done_ < number) std::rethrow_exception(failure_);
  return agreed_;
}

void Group::fail(const std::string& why) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!own_failure_) own_failure_ = why;
  }
  notify();
}

void Group::ensure_usable() const {
  if (process_ == ::getpid()) return;
  throw InvalidArgument(
      "exchange samples with other ranks: this process was forked from one of the ranks; load the samples in it with "
      "another residency");
}

std::uint64_t Group::add(Client& client) {
  ensure_usable();
  const std::lock_guard clients_lock(clients_mutex_);
  if (clients_.size() == RankStatus::kMostRequests) {
    throw InvalidArgument("exchange samples with other ranks: more than " + std::to_string(clients_.size()) +
                          " loaders of one store; close some of them");
  }
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  clients_.emplace(next_client_, &client);
  return next_client_++;
}

void Group::remove(std::uint64_t client) noexcept {
  if (process_ != ::getpid()) return;
  {
    std::unique_lock lock(mutex_);
    retiring_.insert(client);
    changed_.wait(lock, [&] { return !asking_.contains(client); });
  }
  const std::lock_guard clients_lock(clients_mutex_);
  clients_.erase(client);
  const std::lock_guard lock(mutex_);
  retiring_.erase(client);
}

void Group::notify() noexcept {
  const std::lock_guard lock(mutex_);
  is_notified_ = true;
  changed_.notify_all();
}

void Group::serve() noexcept {
  try {
    while (take_part()) {
    }
    end(std::make_exception_ptr(IoError("exchange samples with other ranks: this rank has left")));
  } catch (...) {
    end(std::current_exception());
  }
}

bool Group::take_part() {
  const RankStatus own = own_status();
  std::vector<RankStatus> all(static_cast<std::size_t>(world_size()));
  exchange_->all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  check(all);
  if (own.has_left != 0) return false;
  settle_agreement(all);
  const bool has_run = run_requests(all);
  release_clients();
  if (!has_run) refuse_different_requests(all);
  pause(all, has_run);
  return true;
}

RankStatus Group::own_status() {
  RankStatus status;
  std::string failed;
  const auto may_ask = [&](std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    return !retiring_.contains(number) && asking_.insert(number).second;
  };
  {
    const std::lock_guard lock(mutex_);
    is_notified_ = false;
  }
  {
    const std::lock_guard clients_lock(clients_mutex_);
    // A client that cannot prepare what it needs fails here, before other ranks count on this one.
    try {
      for (const auto& [number, client] : clients_) {
        if (!may_ask(number)) continue;
        if (const auto request = client->request()) status.requests[status.request_count++] = {number, *request};
      }
    } catch (const std::exception& error) {
      failed = error.what();
    }
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(asking_, [&](std::uint64_t number) { return find(status, number) == nullptr; });
  changed_.notify_all();
  if (!failed.empty() && !own_failure_) own_failure_ = failed;
  status.agreement_count = agreements_begun_;
  status.agreement_value = agreement_value_;
  status.has_left = leaves_ ? 1 : 0;
  if (own_failure_) {
    status.has_failed = 1;
    own_failure_->copy(status.message.data(), status.message.size() - 1);
  }
  return status;
}

void Group::check(std::span<const RankStatus> all) const {
  const auto end_with = [](const std::string& why) { throw IoError("exchange samples with other ranks: " + why); };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const RankStatus& status = all[rank];
    if (status.version != RankStatus::kVersion || status.request_count > RankStatus::kMostRequests) {
      end_with(name_of(rank) + " runs another version of octavo; use one version on all ranks");
    }
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].has_failed == 0) continue;
    end_with(name_of(rank) + " has failed: " +
             std::string(all[rank].message.data(), ::strnlen(all[rank].message.data(), all[rank].message.size())));
  }
  if (all[static_cast<std::size_t>(rank())].has_left != 0) return;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].has_left != 0) end_with(name_of(rank) + " has closed its part of the samples, or has ended");
  }
}

void Group::settle_agreement(std::span<const RankStatus> all) {
  const std::lock_guard lock(mutex_);
  const std::int64_t count = all.front().agreement_count;
  if (count == agreements_done_) return;
  if (!std::ranges::all_of(all, [&](const RankStatus& status) { return status.agreement_count == count; })) return;
  agreed_.clear();
  for (const RankStatus& status : all) agreed_.push_back(status.agreement_value);
  agreements_done_ = count;
  changed_.notify_all();
}

bool Group::run_requests(std::span<const RankStatus> all) {
  bool has_run = false;
  const std::lock_guard lock(clients_mutex_);
  for (const NumberedRequest& own : requests_of(all[static_cast<std::size_t>(rank())])) {
    const bool all_ask = std::ranges::all_of(all, [&](const RankStatus& status) {
      const NumberedRequest* const other = find(status, own.client);
      return other != nullptr && are_equal(other->request, own.request);
    });
    if (!all_ask) continue;
    clients_.at(own.client)->run(*exchange_, own.request);
    has_run = true;
  }
  return has_run;
}

void Group::release_clients() noexcept {
  const std::lock_guard lock(mutex_);
  asking_.clear();
  changed_.notify_all();
}

void Group::refuse_different_requests(std::span<const RankStatus> all) const {
  // If somebody waits on every rank, nothing will change any more.
  std::vector<const NumberedRequest*> waiting;
  for (const RankStatus& status : all) {
    const auto requests = requests_of(status);
    const auto blocked =
        std::ranges::find_if(requests, [](const NumberedRequest& one) { return one.request.is_blocked != 0; });
    if (blocked == requests.end()) return;
    waiting.push_back(&*blocked);
  }
  for (std::size_t rank = 1; rank < waiting.size(); ++rank) {
    const NumberedRequest &a = *waiting.front(), &b = *waiting[rank];
    if (a.client == b.client && are_equal(a.request, b.request)) continue;
    const std::string why = a.client == b.client && a.request.digest != b.request.digest
                                ? "the options of its loader differ from those of rank 0"
                                : "it waits for " + text_of(b) + ", and rank 0 for " + text_of(a);
    throw IoError("exchange samples with other ranks: " + name_of(rank) + " takes other batches: " + why +
                  "; all ranks must use the same loaders in the same order");
  }
}

void Group::pause(std::span<const RankStatus> all, bool has_run) {
  std::unique_lock lock(mutex_);
  if (has_run) {
    fruitless_rounds_ = 0;
    return;
  }
  const auto is_notified = [&] { return is_notified_; };
  if (!wants_something(all[static_cast<std::size_t>(rank())], agreements_done_)) {
    fruitless_rounds_ = 0;
    changed_.wait_for(lock, kIdleTime, is_notified);
    return;
  }
  // The next round begins when ranks that asked for nothing take part in it.
  if (!std::ranges::all_of(all, [&](const RankStatus& status) { return wants_something(status, agreements_done_); })) {
    return;
  }
  const std::chrono::milliseconds longer{std::int64_t{1} << std::min(fruitless_rounds_, 5)};
  ++fruitless_rounds_;
  changed_.wait_for(lock, std::min(longer, kLongestWait), is_notified);
}

void Group::end(const std::exception_ptr& failure) noexcept {
  release_clients();
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    changed_.notify_all();
  }
  const std::lock_guard lock(clients_mutex_);
  for (const auto& [number, client] : clients_) client->fail(failure);
}

}  // namespace octavo::exchange
