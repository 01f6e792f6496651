// A scope for row numbers on a device.
#pragma once

#include <cstdint>
#include <span>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"

namespace octavo::store {

/// Makes row numbers readable by work on `stream`, as long as this object and `rows` live.
class LentRows {
 public:
  LentRows(backend::Backend& backend, std::span<const std::int64_t> rows, StreamRef stream)
      : backend_(backend), stream_(stream), rows_(backend.lend_rows(rows, stream)) {}
  ~LentRows() {
    try {
      backend_.return_rows(rows_, stream_);
    } catch (const DeviceError&) {
      // The device has failed; the next call on it reports that.
    }
  }
  LentRows(const LentRows&) = delete;
  LentRows& operator=(const LentRows&) = delete;
  const std::int64_t* rows() const { return rows_; }

 private:
  backend::Backend& backend_;
  StreamRef stream_;
  const std::int64_t* rows_;
};

}  // namespace octavo::store
