// Vector clocks: which operations are known to come before which others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fake_cuda {

/// For each stream, the number of the last operation that comes before.
class VectorClock {
 public:
  std::uint64_t at(std::size_t stream) const { return stream < last_.size() ? last_[stream] : 0; }
  void set(std::size_t stream, std::uint64_t operation) {
    if (stream >= last_.size()) last_.resize(stream + 1);
    last_[stream] = operation;
  }
  void join(const VectorClock& other) {
    if (last_.size() < other.last_.size()) last_.resize(other.last_.size());
    for (std::size_t i = 0; i < other.last_.size(); ++i) last_[i] = std::max(last_[i], other.last_[i]);
  }

 private:
  std::vector<std::uint64_t> last_;
};

}  // namespace fake_cuda
