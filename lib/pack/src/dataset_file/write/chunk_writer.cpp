#include "dataset_file/write/chunk_writer.hpp"

#include <utility>

#include <octavo/errors.hpp>

#include "format/hashed_read.hpp"
#include "format/index/header.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {
namespace {

/// The memory limit for chunks that wait for their turn.
constexpr std::int64_t kMostWaitingBytes = std::int64_t{64} << 20;

}  // namespace

std::size_t ChunkWriter::add(std::unique_ptr<ChunkedDataset> dataset, const ChunkLayout& layout) {
  Target target{std::move(dataset), layout, 0, {}};
  if (!targets_.empty()) target.first_number = targets_.back().first_number + targets_.back().layout.chunk_count();
  targets_.push_back(std::move(target));
  return targets_.size() - 1;
}

void ChunkWriter::put(std::size_t dataset, std::int64_t chunk, ReadyChunk ready) {
  const std::int64_t number = targets_[dataset].first_number + chunk;
  keep(number, {dataset, std::move(ready), {}});
  std::unique_lock lock(mutex_);
  if (!is_writing_) write_those_in_turn(lock);
}

void ChunkWriter::keep(std::int64_t number, Waiting waiting) {
  const auto bytes = static_cast<std::int64_t>(waiting.ready.bytes.size());
  std::unique_lock lock(mutex_);
  const auto has_room = [&] { return number == next_number_ || waiting_bytes_ + bytes <= kMostWaitingBytes; };
  // A writing thread will free memory. If none is writing, the next chunk in order is still being made by some thread.
  progress_.wait(lock, [&] { return has_room() || !is_writing_; });
  if (!has_room()) {
    lock.unlock();
    waiting.in_spool = {spool_.append(waiting.ready.bytes), bytes, {}};
    waiting.ready.bytes = {};
    lock.lock();
  }
  waiting_bytes_ += static_cast<std::int64_t>(waiting.ready.bytes.size());
  waiting_.emplace(number, std::move(waiting));
}

void ChunkWriter::write_those_in_turn(std::unique_lock<std::mutex>& lock) {
  if (has_failed_) throw IoError("write " + quoted(file_.path()) + ": an earlier write failed; start again");
  is_writing_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == next_number_) {
    Waiting waiting = std::move(waiting_.extract(waiting_.begin()).mapped());
    waiting_bytes_ -= static_cast<std::int64_t>(waiting.ready.bytes.size());
    lock.unlock();
    try {
      write(std::move(waiting));
    } catch (...) {
      lock.lock();
      has_failed_ = true;
      is_writing_ = false;
      progress_.notify_all();
      throw;
    }
    lock.lock();
    ++next_number_;
    progress_.notify_all();
  }
  is_writing_ = false;
  progress_.notify_all();
}

void ChunkWriter::write(Waiting waiting) {
  ReadyChunk& ready = waiting.ready;
  if (waiting.in_spool.bytes > 0) {
    ready.bytes.resize(static_cast<std::size_t>(waiting.in_spool.bytes));
    spool_.file().read_at(waiting.in_spool.offset, ready.bytes);
  }
  Target& target = targets_[waiting.dataset];
  const std::int64_t first_row = target.layout.first_row(static_cast<std::int64_t>(target.chunks.size()));
  file_length_ = file_.length();
  target.dataset->write(first_row, ready.bytes, ready.is_encoded);
  const Extent place = find_written(target, first_row, ready.bytes);
  file_.start_write_back(place.offset, place.bytes);
  target.chunks.push_back({place, ready.is_encoded});
}

Extent ChunkWriter::find_written(const Target& target, std::int64_t first_row, std::span<const std::byte> bytes) {
  Extent place{0, static_cast<std::int64_t>(bytes.size()), hash_bytes(bytes)};
  // Querying HDF5 takes longer the more chunks there are. Nearly always, the file has simply grown by the chunk.
  const std::int64_t length = file_.length();
  place.offset = length - place.bytes;
  if (place.offset >= file_length_ && matches_hash(file_, place)) return place;
  const std::int64_t told = target.dataset->offset_in_hdf5(first_row);
  for (const std::int64_t missing : {kHeaderBytes, std::int64_t{0}}) {
    place.offset = told + missing;
    if (place.end() <= length && matches_hash(file_, place)) return place;
  }
  throw IoError("write " + quoted(file_.path()) + ": a chunk is not where HDF5 reports it; check the disk and memory");
}

void ChunkWriter::close() {
  for (Target& target : targets_) target.dataset.reset();
}

}  // namespace octavo::dataset_file
