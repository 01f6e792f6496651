#include "store/sharing.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <octavo/errors.hpp>

#include "backend/shared_memory.hpp"

namespace octavo::store {

Sharing::Sharing(std::shared_ptr<Exchange> exchange, const std::string& what, std::int64_t sample_count,
                 std::uint64_t data_hash, bool shares_memory, std::function<void()> check)
    : what_(what), check_(std::move(check)), group_(std::make_shared<exchange::Group>(std::move(exchange))) {
  const std::vector<std::int64_t> hashes = agree(static_cast<std::int64_t>(data_hash));
  const auto other = std::ranges::find_if(hashes, [&](std::int64_t hash) { return hash != hashes.front(); });
  if (other != hashes.end()) {
    throw InvalidArgument("load " + what_ + ": the samples of rank " + std::to_string(other - hashes.begin()) +
                          " differ from those of rank 0; load the same split on all ranks");
  }
  // A rank that shares no memory has a hash of its own.
  const auto own = static_cast<std::int64_t>(shares_memory ? backend::sharing_hash() | 1 : 0);
  std::vector<std::int64_t> memories = agree(own);
  for (std::size_t rank = 0; rank < memories.size(); ++rank) {
    if (memories[rank] == 0) memories[rank] = -2 * static_cast<std::int64_t>(rank) - 2;
  }
  ranks_ = RankRows(sample_count, memory_shared_by(memories));
  processes_ = agree(::getpid());
}

void Sharing::require_room(bool has_room) const {
  const std::vector<std::int64_t> rooms = agree(has_room ? 1 : 0);
  const auto without = std::ranges::find(rooms, 0);
  if (without == rooms.end()) return;
  throw OutOfMemory("load " + what_ + ": rank " + std::to_string(without - rooms.begin()) +
                    " has no memory for its part of the samples; use more ranks, or another residency");
}

backend::DeviceBuffer Sharing::allocate(const std::shared_ptr<backend::Backend>& backend, std::size_t bytes,
                                        std::string_view what) const {
  const RankRange& sharing = ranks_.sharing(group_->rank());
  const bool is_shared = sharing.first != sharing.last && bytes > 0, is_first = sharing.first == group_->rank();
  std::optional<backend::SharedMemory> memory;
  backend::DeviceBuffer buffer;
  bool has_room = true;
  const auto attempt = [&](const auto& work) {
    try {
      if (has_room) work();
    } catch (const OutOfMemory&) {
      has_room = false;
    }
  };
  attempt([&] {
    if (is_shared && is_first) memory = backend::SharedMemory::create(bytes, what);
    if (!is_shared) buffer = backend::DeviceBuffer(backend, bytes, what);
  });
  const std::vector<std::int64_t> descriptors = agree(memory ? memory->descriptor() : -1);
  const auto first = static_cast<std::size_t>(sharing.first);
  attempt([&] {
    if (!is_shared) return;
    if (descriptors[first] < 0) throw OutOfMemory("share memory");
    if (!memory) {
      memory = backend::SharedMemory::open(static_cast<pid_t>(processes_[first]), static_cast<int>(descriptors[first]),
                                           bytes, what);
    }
    buffer = memory->map(backend);
  });
  require_room(has_room);  // also keeps the first rank's descriptor open until the others have opened it
  return buffer;
}

void Sharing::load(const std::function<void()>& load) const {
  try {
    load();
  } catch (const std::exception& error) {
    group_->fail(error.what());
    throw;
  }
  agree(1);
}

}  // namespace octavo::store
