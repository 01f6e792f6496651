// A dataset file that Python fetches: from an object store, a web server, or any object with ranged reads.
#pragma once

#include <nanobind/nanobind.h>

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include <octavo/byte_source.hpp>

#include "core/range_queue.hpp"

namespace octavo::python {

/// Reads through a RangeQueue, whose requests threads of Python serve. No thread of the library runs code of Python
/// that waits, so that the interpreter can finalize at any time; reads then throw IoError.
///
/// Works in a child of fork(), with a queue of its own. Thread-safe.
class PythonSource final : public ByteSource {
 public:
  /// `name` is for messages. `start(queue)` starts a thread that serves the queue; it is called in each process that
  /// reads. The description is at most `check_seconds` old when identity() is asked; less than 0: it is asked for once,
  /// because each request compares.
  PythonSource(std::string name, nanobind::object start, double check_seconds);
  ~PythonSource() override;
  PythonSource(const PythonSource&) = delete;
  PythonSource& operator=(const PythonSource&) = delete;

  std::string name() const override { return name_; }
  std::int64_t length() const override;
  std::string identity() const override;
  ReadCost read_cost() const noexcept override;
  void read_at(std::int64_t offset, std::span<std::byte> out) const override;
  void read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const override;
  AtHand read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept override;
  void start_read(std::int64_t offset, std::int64_t length) const noexcept override;

 private:
  /// The begin of a file, which is compared after each batch.
  static constexpr std::size_t kHeaderBytes = 4096;
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<RangeQueue> queue() const;
  void begin_process() const;
  FileDescription describe() const;

  std::string name_;
  nanobind::object start_;
  double check_seconds_;

  mutable std::atomic_flag beginning_ = ATOMIC_FLAG_INIT;
  mutable std::atomic<pid_t> process_ = 0;
  mutable std::shared_ptr<RangeQueue> queue_;  ///< of process_

  // A pointer, so that a child of fork() can leave a locked one.
  mutable std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  mutable FileDescription description_{-1, ""};
  mutable Clock::time_point described_ = {};
  mutable std::array<std::byte, kHeaderBytes> header_ = {};
  mutable bool has_header_ = false;
};

}  // namespace octavo::python
