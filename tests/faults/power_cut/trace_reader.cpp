#include "trace_reader.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace octavo::test {
namespace {

/// Takes pieces from the front of a byte sequence.
class Pieces {
 public:
  explicit Pieces(const std::string& bytes) : bytes_(bytes) {}
  bool is_empty() const { return done_ == bytes_.size(); }
  std::string take(std::size_t count) {
    if (count > bytes_.size() - done_) throw std::runtime_error("the trace is truncated");
    done_ += count;
    return bytes_.substr(done_ - count, count);
  }

 private:
  const std::string& bytes_;
  std::size_t done_ = 0;
};

DiskChange take_change(Pieces& pieces) {
  faults::TraceHead head;
  std::memcpy(&head, pieces.take(sizeof head).data(), sizeof head);
  DiskChange change{head.change, head.file, head.offset, head.length, {}, {}, {}};
  change.name1 = pieces.take(head.name1_bytes);
  change.name2 = pieces.take(head.name2_bytes);
  const std::string data = pieces.take(head.data_bytes);
  const auto* const first = reinterpret_cast<const std::byte*>(data.data());
  change.data.assign(first, first + data.size());
  return change;
}

}  // namespace

std::vector<DiskChange> read_trace(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Pieces pieces(bytes);
  std::vector<DiskChange> changes;
  while (!pieces.is_empty()) changes.push_back(take_change(pieces));
  return changes;
}

}  // namespace octavo::test
