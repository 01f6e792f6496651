// Ranks that are threads of one process, for tests of samples that several ranks hold together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <octavo/errors.hpp>
#include <octavo/exchange.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::test {

/// Connects `world_size` threads. Thread-safe.
class ThreadRanks {
 public:
  explicit ThreadRanks(std::int64_t world_size, std::chrono::milliseconds patience = std::chrono::seconds(60))
      : blocks_(static_cast<std::size_t>(world_size)),
        stopped_(static_cast<std::size_t>(world_size), false),
        patience_(patience) {}

  std::int64_t world_size() const { return static_cast<std::int64_t>(blocks_.size()); }
  std::shared_ptr<Exchange> exchange(std::int64_t rank) { return std::make_shared<One>(*this, rank); }
  /// From now on, the rank does not take part, as a process that is stopped.
  void stop(std::int64_t rank) {
    const std::lock_guard lock(mutex_);
    stopped_[static_cast<std::size_t>(rank)] = true;
  }
  /// Bytes that ranks sent to others with all_to_all().
  std::int64_t sent_bytes() const {
    const std::lock_guard lock(mutex_);
    return sent_bytes_;
  }

  /// Calls work(rank) for all ranks, each on its own thread. Rethrows the exception of the first rank that failed.
  void run(const std::function<void(std::int64_t rank)>& work) const {
    std::vector<std::exception_ptr> failures(blocks_.size());
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < world_size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(rank);
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

 private:
  using Bytes = std::vector<std::byte>;

  class One final : public Exchange {
   public:
    One(ThreadRanks& ranks, std::int64_t rank) : ranks_(ranks), rank_(rank) {}

    std::int64_t rank() const override { return rank_; }
    std::int64_t world_size() const override { return ranks_.world_size(); }
    void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
      const std::vector<Bytes> blocks = ranks_.gather(rank_, Bytes(own.begin(), own.end()));
      std::byte* to = all.data();
      for (const Bytes& block : blocks) {
        if (block.size() != own.size()) throw IoError("ranks pass different numbers of bytes");
        to = std::copy(block.begin(), block.end(), to);
      }
    }
    void all_to_all(const Parcels& send, const Parcels& receive, Device device, StreamRef stream) override {
      const auto backend = backend::make_backend(device);
      const auto total = [](std::span<const std::int64_t> bytes) {
        std::int64_t sum = 0;
        for (const std::int64_t one : bytes) sum += one;
        return static_cast<std::size_t>(sum);
      };
      // Where the bytes for each rank end, then the bytes.
      const auto R = static_cast<std::size_t>(world_size());
      Bytes message(R * sizeof(std::int64_t) + total(send.bytes));
      std::memcpy(message.data(), send.bytes.data(), R * sizeof(std::int64_t));
      if (total(send.bytes) > 0) {
        backend->copy_to_host(message.data() + R * sizeof(std::int64_t), send.memory, total(send.bytes), stream);
      }
      const std::vector<Bytes> messages = ranks_.gather(rank_, std::move(message), total(send.bytes));
      std::byte* to = receive.memory;
      for (std::size_t from = 0; from < R; ++from) {
        std::vector<std::int64_t> sizes(R);
        std::memcpy(sizes.data(), messages[from].data(), R * sizeof(std::int64_t));
        std::size_t at = R * sizeof(std::int64_t);
        for (std::size_t rank = 0; rank < static_cast<std::size_t>(rank_); ++rank) {
          at += static_cast<std::size_t>(sizes[rank]);
        }
        const std::int64_t bytes = sizes[static_cast<std::size_t>(rank_)];
        if (bytes != receive.bytes[from]) throw IoError("ranks disagree on what they exchange");
        if (bytes > 0) backend->copy_to_device(to, messages[from].data() + at, static_cast<std::size_t>(bytes), stream);
        to += bytes;
      }
    }

   private:
    ThreadRanks& ranks_;
    std::int64_t rank_;
  };

  /// Waits until every rank has passed a block.
  std::vector<Bytes> gather(std::int64_t rank, Bytes own, std::size_t sent_bytes = 0) {
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (stopped_[static_cast<std::size_t>(rank)]) {
      changed_.wait_for(lock, 2 * patience_);
      throw IoError("this rank was stopped");
    }
    blocks_[static_cast<std::size_t>(rank)] = std::move(own);
    sent_bytes_ += static_cast<std::int64_t>(sent_bytes);
    if (++arrived_ == world_size()) {
      gathered_ = blocks_;
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return gathered_;
    }
    if (!changed_.wait_for(lock, patience_, [&] { return round_ != round; })) {
      throw IoError("a rank does not answer");
    }
    return gathered_;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> blocks_, gathered_;
  std::vector<bool> stopped_;
  std::chrono::milliseconds patience_;
  std::int64_t arrived_ = 0;
  std::uint64_t round_ = 0;
  std::int64_t sent_bytes_ = 0;
};

}  // namespace octavo::test
