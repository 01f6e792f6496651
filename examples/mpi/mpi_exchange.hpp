// Connects the ranks of an MPI program.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <octavo/octavo.hpp>

/// Exchanges bytes in host memory with a communicator of its own. MPI must have been initialized with
/// MPI_THREAD_MULTIPLE, because the store calls it on another thread.
class MpiExchange final : public octavo::Exchange {
 public:
  /// If a rank does not answer for `patience`, the others throw IoError with its number.
  explicit MpiExchange(std::chrono::milliseconds patience = std::chrono::seconds(20)) : patience_(patience) {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &world_size_);
  }
  ~MpiExchange() override { MPI_Comm_free(&communicator_); }

  std::int64_t rank() const override { return rank_; }
  std::int64_t world_size() const override { return world_size_; }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    const int bytes = count(static_cast<std::int64_t>(own.size()));
    MPI_Request request;
    check(MPI_Iallgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, communicator_, &request));
    wait(request);
  }

  void all_to_all(const octavo::Parcels& send, const octavo::Parcels& receive, octavo::Device,
                  octavo::StreamRef) override {
    const Layout sent(send), received(receive);
    MPI_Request request;
    check(MPI_Ialltoallv(send.memory, sent.bytes.data(), sent.offsets.data(), MPI_BYTE, receive.memory,
                         received.bytes.data(), received.offsets.data(), MPI_BYTE, communicator_, &request));
    wait(request);
  }

 private:
  static int count(std::int64_t bytes) {
    if (bytes <= std::numeric_limits<int>::max()) return static_cast<int>(bytes);
    throw octavo::IoError("exchange samples: more than 2 GiB at once; use smaller batches");
  }

  /// Parcels as MPI counts them.
  struct Layout {
    explicit Layout(const octavo::Parcels& parcels) {
      std::int64_t offset = 0;
      for (const std::int64_t one : parcels.bytes) {
        bytes.push_back(count(one));
        offsets.push_back(count(offset));
        offset += one;
      }
    }
    std::vector<int> bytes, offsets;
  };

  static void check(int result) {
    if (result == MPI_SUCCESS) return;
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(result, text.data(), &length);
    throw octavo::IoError("exchange samples: " + text.substr(0, static_cast<std::size_t>(length)));
  }

  /// Whether the request is done within a time. MPI has no time limits, so this asks again and again.
  static bool is_done_within(MPI_Request& request, std::chrono::milliseconds time) {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + time;
    for (int is_done = 0, tries = 0;; ++tries) {
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
      if (is_done != 0) return true;
      if (std::chrono::steady_clock::now() > end) return false;
      if (tries > 100) std::this_thread::sleep_for(50us);
    }
  }

  void wait(MPI_Request& request) {
    if (is_done_within(request, patience_)) return;
    throw octavo::IoError("exchange samples: " + absent_ranks() + " did not answer within " +
                          std::to_string(patience_.count()) + " ms");
  }

  /// "rank 3, 5": those that do not answer that they wait, too. All others find this out at about the same time.
  std::string absent_ranks() {
    constexpr int kTag = 1;
    std::vector<MPI_Request> sent(static_cast<std::size_t>(world_size_), MPI_REQUEST_NULL), received = sent;
    for (int other = 0; other < world_size_; ++other) {
      if (other == rank_) continue;
      const auto i = static_cast<std::size_t>(other);
      check(MPI_Isend(nullptr, 0, MPI_BYTE, other, kTag, communicator_, &sent[i]));
      check(MPI_Irecv(nullptr, 0, MPI_BYTE, other, kTag, communicator_, &received[i]));
    }
    const auto end = std::chrono::steady_clock::now() + patience_ / 4;
    std::string absent;
    for (int other = 0; other < world_size_; ++other) {
      const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      const bool waits =
          is_done_within(received[static_cast<std::size_t>(other)], std::max(rest, std::chrono::milliseconds(0)));
      if (!waits) absent += (absent.empty() ? "rank " : ", ") + std::to_string(other);
    }
    return absent.empty() ? "a rank" : absent;
  }

  std::chrono::milliseconds patience_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, world_size_ = 1;
};
