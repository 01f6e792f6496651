// Samples in host memory: the caller's memory or a copy of it.
#pragma once

#include <memory>
#include <vector>

#include <octavo/host_samples.hpp>

#include "backend/backend.hpp"
#include "backend/thread_pool.hpp"
#include "dataset_file/rows/row_source.hpp"

namespace octavo::store {

class MemoryRows final : public dataset_file::RowSource {
 public:
  /// Throws OutOfMemory if there is no room for a copy.
  MemoryRows(const HostSamples& samples, HostMemory memory, int thread_count);

  void read(std::span<const std::int64_t> rows, const dataset_file::RowTarget& target,
            const std::atomic<bool>& cancelled) const override;

 private:
  std::size_t sample_bytes_;
  std::size_t label_bytes_;
  backend::DeviceBuffer copy_;  ///< codes, then labels; empty if the memory is borrowed
  const std::byte* codes_;
  const std::byte* labels_;
  mutable backend::ThreadPool pool_;
};

}  // namespace octavo::store
