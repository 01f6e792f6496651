// The bytes of a remote file.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <octavo/remote.hpp>

#include "remote/kept_ranges.hpp"
#include "remote/per_process.hpp"
#include "remote/read_ahead.hpp"
#include "remote/transfers.hpp"

namespace octavo::remote {

class RemoteSource final : public ByteSource {
 public:
  /// Requests the beginning of the file. Throws IoError.
  static std::shared_ptr<const RemoteSource> open(RemoteFile file, std::shared_ptr<Transfers> transfers,
                                                  const SourceOptions& options);
  RemoteSource(std::shared_ptr<const OpenFile> file, std::vector<std::byte> beginning,
               std::shared_ptr<Transfers> transfers, const SourceOptions& options);

  /// The file, as it was found.
  const RemoteFile& file() const { return file_->file; }

  std::string name() const override { return file_->file.name; }
  std::int64_t length() const override { return file_->version.length; }
  std::string identity() const override;
  ReadCost read_cost() const noexcept override { return {kMostGapBytes, true}; }
  void read_at(std::int64_t offset, std::span<std::byte> out) const override;
  void read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const override;
  AtHand read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept override;
  void start_read(std::int64_t offset, std::int64_t length) const noexcept override;

 private:
  /// What a child of fork() must not share.
  struct Shared {
    explicit Shared(std::int64_t most_kept_bytes) : kept(most_kept_bytes) {}
    std::mutex mutex;
    KeptRanges kept;
    ReadAhead ahead;
  };
  class Read;

  void check_range(std::int64_t offset, std::int64_t bytes) const;
  bool copy_beginning(std::int64_t offset, std::int64_t bytes, std::span<const std::span<std::byte>> parts) const;
  static void copy_kept(const RangePart& range, std::span<const std::span<std::byte>> memory);
  /// Keeps what is not kept yet, if there is room. Returns what must be started, without the lock.
  std::vector<std::shared_ptr<Fetch>> keep(Shared& shared, std::int64_t offset, std::int64_t count) const;
  /// The same for what will probably be read after [offset, offset + bytes), which is in these ranges.
  std::vector<std::shared_ptr<Fetch>> keep_what_follows(Shared& shared, std::span<const RangePart> ranges,
                                                        std::int64_t offset, std::int64_t bytes) const;
  void check_beginning() const;

  std::shared_ptr<const OpenFile> file_;
  std::vector<std::byte> beginning_;
  std::shared_ptr<Transfers> transfers_;
  PerProcess<Shared> shared_;
  mutable std::atomic<std::uint64_t> seen_answers_ = 0;  ///< OpenFile::valid_answers at the last identity()
};

/// Throws IoError, or OutOfMemory, for a fetch that failed: `doing` "URL": the problem.
[[noreturn]] void throw_failure(const char* doing, const RemoteFile& file, const Failure& failure);

}  // namespace octavo::remote
