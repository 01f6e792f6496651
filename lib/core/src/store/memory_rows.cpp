#include "store/memory_rows.hpp"

#include <algorithm>
#include <cstring>

#include "support/threads.hpp"

namespace octavo::store {
namespace {

/// Work per piece.
constexpr std::int64_t kCopiedPieceBytes = std::int64_t{1} << 20;

}  // namespace

MemoryRows::MemoryRows(const HostSamples& samples, HostMemory memory, int thread_count)
    : sample_bytes_(static_cast<std::size_t>(samples.shape.values())),
      label_bytes_(static_cast<std::size_t>(samples.labels.bytes_per_sample())),
      codes_(reinterpret_cast<const std::byte*>(samples.codes.data())),
      labels_(samples.label_bytes.data()),
      pool_(resolve_thread_count(thread_count)) {
  if (memory == HostMemory::borrow) return;
  copy_ = backend::DeviceBuffer(backend::make_backend(Device::cpu()), samples.codes.size() + samples.label_bytes.size(),
                                "a copy of the samples");
  auto* copy = copy_.as<std::byte>();
  std::memcpy(copy, codes_, samples.codes.size());
  if (!samples.label_bytes.empty()) std::memcpy(copy + samples.codes.size(), labels_, samples.label_bytes.size());
  codes_ = copy;
  labels_ = copy + samples.codes.size();
}

void MemoryRows::read(std::span<const std::int64_t> rows, const dataset_file::RowTarget& target,
                      const std::atomic<bool>& cancelled) const {
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t pieces = std::clamp<std::int64_t>(
      count * static_cast<std::int64_t>(sample_bytes_) / kCopiedPieceBytes, 1, std::max<std::int64_t>(1, count));
  pool_.run(pieces, [&](std::int64_t piece) {
    for (std::int64_t i = count * piece / pieces; i < count * (piece + 1) / pieces && !cancelled; ++i) {
      const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
      std::memcpy(target.rows + static_cast<std::size_t>(i) * sample_bytes_, codes_ + row * sample_bytes_,
                  sample_bytes_);
      if (label_bytes_ == 0) continue;
      std::memcpy(target.labels + static_cast<std::size_t>(i) * label_bytes_, labels_ + row * label_bytes_,
                  label_bytes_);
    }
  });
}

}  // namespace octavo::store
