// Keeps the ranks that hold a split together in step.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <octavo/exchange.hpp>

#include "exchange/rank_status.hpp"

namespace octavo::exchange {

/// Exchanges something between all ranks, such as the rows of the batches of a loader. A group calls it on its thread.
class Client {
 public:
  virtual ~Client() = default;
  /// What it needs to exchange next, and is prepared to; nothing if it has no room for it.
  virtual std::optional<Request> request() = 0;
  /// Exchanges it: all ranks call this for the same request.
  virtual void run(Exchange& exchange, const Request& request) = 0;
  /// Nothing will be exchanged any more.
  virtual void fail(const std::exception_ptr& failure) noexcept = 0;
};

/// The ranks of an Exchange. A thread takes part in rounds. In each round, every rank tells all others what its clients
/// ask for, and what all ask for is exchanged. Ranks need not be equally fast: one that asks for nothing takes part
/// some times a second, so a rank that is busy elsewhere differs from one that has died.
///
/// If a rank fails, leaves or does not answer, or if ranks wait for different things, the group ends on all ranks:
/// every later call throws an IoError that names the rank and says why. Thread-safe.
class Group {
 public:
  explicit Group(std::shared_ptr<Exchange> exchange);
  ~Group() { leave(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::int64_t rank() const { return exchange_->rank(); }
  std::int64_t world_size() const { return exchange_->world_size(); }

  /// Collective. Returns what each rank passed, by rank. Calls check() while it waits, which may throw; then the group
  /// ends.
  std::vector<std::int64_t> agree(std::int64_t value, const std::function<void()>& check = {});
  /// Ends the group on all ranks, with this reason.
  void fail(const std::string& why) noexcept;
  /// Tells the other ranks that this one leaves, and waits for the thread.
  void leave() noexcept;

  /// Throws InvalidArgument in a child of fork(), which has no part in the group.
  void ensure_usable() const;
  /// Adds a client, which must live until it is removed. All ranks add their clients in the same order. Throws
  /// InvalidArgument if there are too many.
  std::uint64_t add(Client& client);
  /// Waits until the group no longer uses it. That takes a round if other ranks may count on its request.
  void remove(std::uint64_t client) noexcept;
  /// What a client asks for has changed.
  void notify() noexcept;

 private:
  void serve() noexcept;
  /// Whether there is another round.
  bool take_part();
  RankStatus own_status();
  void check(std::span<const RankStatus> all) const;
  void settle_agreement(std::span<const RankStatus> all);
  /// Runs what all ranks ask for. Returns whether there was anything.
  bool run_requests(std::span<const RankStatus> all);
  void release_clients() noexcept;
  void refuse_different_requests(std::span<const RankStatus> all) const;
  void pause(std::span<const RankStatus> all, bool has_run);
  void end(const std::exception_ptr& failure) noexcept;

  std::shared_ptr<Exchange> exchange_;
  pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_notified_ = false;
  bool leaves_ = false;
  std::optional<std::string> own_failure_;
  std::exception_ptr failure_;  ///< set when the group has ended
  std::int64_t agreements_begun_ = 0, agreements_done_ = 0;
  std::int64_t agreement_value_ = 0;
  std::vector<std::int64_t> agreed_;  ///< by rank
  std::uint64_t next_client_ = 0;
  std::set<std::uint64_t> asking_;    ///< clients whose requests other ranks know of
  std::set<std::uint64_t> retiring_;  ///< clients that ask for nothing more
  int fruitless_rounds_ = 0;  ///< of this thread: rounds in which all ranks asked for something, but nothing in common
  std::mutex clients_mutex_;  ///< held while clients are called; locked before mutex_
  std::map<std::uint64_t, Client*> clients_;
  std::thread thread_;
};

}  // namespace octavo::exchange
