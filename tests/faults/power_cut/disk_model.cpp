#include "disk_model.hpp"

#include <algorithm>
#include <filesystem>

#include "../effort.hpp"

namespace octavo::test {
namespace {

using faults::Change;

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kSectorBytes = 512;
/// The stale content of unwritten blocks, on a disk that does not zero them.
constexpr std::byte kStaleByte{0xA5};
/// First number of the files that existed before. No file system assigns it to a new file.
constexpr std::uint64_t kFirstOldFile = std::uint64_t{1} << 63;

std::size_t end_of(const DiskChange& change) { return static_cast<std::size_t>(change.offset + change.length); }

void apply_to(std::vector<std::byte>& bytes, const DiskChange& change) {
  if (change.change == Change::resize) return bytes.resize(static_cast<std::size_t>(change.length));
  if (bytes.size() < end_of(change)) bytes.resize(end_of(change));
  if (change.change == Change::write) {
    std::copy(change.data.begin(), change.data.end(), bytes.begin() + change.offset);
  }
}

/// Whether `change` writes any of the bytes [begin, end).
bool touches(const DiskChange& change, std::size_t begin, std::size_t end) {
  return change.change == Change::write && static_cast<std::size_t>(change.offset) < end && end_of(change) > begin;
}

/// The bytes [begin, end) after the first `write_count` of the writes that touch them.
std::vector<std::byte> page_after(const std::vector<std::byte>& base, const std::vector<DiskChange>& writes,
                                  std::size_t write_count, std::size_t begin, std::size_t end) {
  std::vector<std::byte> page(base.begin() + static_cast<std::ptrdiff_t>(begin),
                              base.begin() + static_cast<std::ptrdiff_t>(end));
  for (const DiskChange& write : writes) {
    if (!touches(write, begin, end)) continue;
    if (write_count-- == 0) break;
    const auto offset = static_cast<std::size_t>(write.offset);
    for (std::size_t at = std::max(begin, offset); at < std::min(end, end_of(write)); ++at) {
      page[at - begin] = write.data[at - offset];
    }
  }
  return page;
}

/// The percentage of pages or names lost in one power cut, from none to all.
int loss_percent(std::mt19937_64& random) {
  constexpr int kPercents[] = {0, 5, 30, 50, 70, 95, 100};
  return kPercents[below(random, std::size(kPercents))];
}

bool is_lost(int percent, std::mt19937_64& random) { return below(random, 100) < percent; }

/// The bytes [begin, end), at most a page, after any number of the writes to them, or torn between two such states.
std::vector<std::byte> page_after_power_cut(const std::vector<std::byte>& base, const std::vector<DiskChange>& changes,
                                            std::size_t begin, std::size_t end, int percent, std::mt19937_64& random) {
  const auto count = std::count_if(changes.begin(), changes.end(),
                                   [&](const DiskChange& change) { return touches(change, begin, end); });
  const auto any_count = [&] {
    return static_cast<std::size_t>(count > 0 && is_lost(percent, random) ? below(random, count) : count);
  };
  auto page = page_after(base, changes, any_count(), begin, end);
  const auto other = page_after(base, changes, any_count(), begin, end);
  for (std::size_t sector = 0; sector < page.size(); sector += kSectorBytes) {
    if (below(random, 2) == 0) continue;
    const std::size_t sector_end = std::min(sector + kSectorBytes, page.size());
    for (std::size_t at = sector; at < sector_end; ++at) page[at] = other[at];
  }
  return page;
}

}  // namespace

DiskModel::DiskModel(const DiskState& files) {
  std::uint64_t number = kFirstOldFile;
  for (const auto& [name, bytes] : files) {
    files_[number] = {bytes, {}};
    durable_names_[name] = number++;
  }
}

std::vector<std::byte> DiskModel::File::current() const {
  std::vector<std::byte> bytes = durable;
  for (const DiskChange& change : pending) apply_to(bytes, change);
  return bytes;
}

void DiskModel::File::sync() {
  durable = current();
  pending.clear();
}

void DiskModel::apply(const DiskChange& change) {
  switch (change.change) {
    case Change::write:
    case Change::resize:
    case Change::reserve:
      files_[change.file].pending.push_back(change);
      break;
    case Change::sync:
      files_[change.file].sync();
      break;
    case Change::sync_all:
      for (auto& [number, file] : files_) file.sync();
      for (const DiskChange& pending : pending_names_) change_names(durable_names_, pending, false);
      pending_names_.clear();
      break;
    case Change::sync_names: {
      std::vector<DiskChange> others;
      for (const DiskChange& pending : pending_names_) {
        const bool is_here = std::filesystem::path(pending.name1).parent_path() == change.name1;
        if (is_here) change_names(durable_names_, pending, false);
        if (!is_here) others.push_back(pending);
      }
      pending_names_ = std::move(others);
      break;
    }
    case Change::create:
    case Change::rename:
    case Change::link:
    case Change::remove:
      pending_names_.push_back(change);
      break;
  }
}

void DiskModel::change_names(Names& names, const DiskChange& change, bool keeps_old_name) {
  if (change.change == Change::create) {
    names[change.name1] = change.file;
    return;
  }
  const auto found = names.find(change.name1);
  if (found == names.end()) return;  // its own creation was lost
  if (change.change != Change::remove) names[change.name2] = found->second;
  if (change.change != Change::link && !keeps_old_name) names.erase(change.name1);
}

std::vector<std::byte> DiskModel::after_power_cut(const File& file, std::mt19937_64& random) {
  const int percent = loss_percent(random);
  const std::byte unwritten = below(random, 2) == 0 ? std::byte{0} : kStaleByte;
  std::vector<std::byte> base = file.durable;  // grows to the largest length that the file had
  std::size_t length = base.size();
  for (const DiskChange& change : file.pending) {
    const bool is_resize = change.change == Change::resize;
    const std::size_t now = is_resize ? static_cast<std::size_t>(change.length) : std::max(length, end_of(change));
    if (!is_lost(percent, random)) length = now;
    base.resize(std::max(base.size(), now), unwritten);
  }
  std::vector<std::byte> found = base;
  for (std::size_t begin = 0; begin < base.size(); begin += kPageBytes) {
    const std::size_t end = std::min(begin + kPageBytes, base.size());
    const auto page = page_after_power_cut(base, file.pending, begin, end, percent, random);
    std::copy(page.begin(), page.end(), found.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  found.resize(length);
  return found;
}

DiskState DiskModel::after_power_cut(std::mt19937_64& random) const {
  Names names = durable_names_;
  const int percent = loss_percent(random);
  for (const DiskChange& change : pending_names_) {
    if (is_lost(percent, random)) continue;
    change_names(names, change, below(random, 8) == 0);
  }
  DiskState state;
  for (const auto& [name, number] : names) {
    const auto file = files_.find(number);
    state[name] = file == files_.end() ? std::vector<std::byte>() : after_power_cut(file->second, random);
  }
  return state;
}

}  // namespace octavo::test
