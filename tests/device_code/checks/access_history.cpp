#include "checks/access_history.hpp"

#include <algorithm>
#include <bit>

namespace device_code {
namespace {

constexpr u16 kWarp = 32;

Moment moment_of_lane(const Moment& moment, u32 lane) {
  Moment other = moment;
  other.thread = static_cast<u16>(moment.thread / kWarp * kWarp + lane);
  return other;
}

/// Whether what each of `lanes` did at `moment` is known.
bool knows_lanes(const Knowledge& knowledge, const Moment& moment, u32 lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    if (!knowledge.knows(moment_of_lane(moment, static_cast<u32>(std::countr_zero(lanes))))) return false;
  }
  return true;
}

}  // namespace

std::optional<Race> AccessHistory::note(u32 serial, u64 object_bytes, u64 offset, u32 bytes, const Access& access) {
  if (serial_ != serial) start(serial, object_bytes);
  std::optional<Race> race;
  visit_cells(offset, bytes, [&](Cell& cell) {
    if (cell.serial != serial) {
      cell = {};
      cell.serial = serial;
    }
    const std::optional<Race> found = note(cell, access);
    if (!race) race = found;
  });
  return race;
}

void AccessHistory::start(u32 serial, u64 object_bytes) {
  serial_ = serial;
  bytes_.clear();
  reading_blocks_.clear();
  pages_.resize(object_bytes / (kPageWords * kWordBytes) + 1);
}

AccessHistory::Page& AccessHistory::page_of(u64 word) {
  std::unique_ptr<Page>& page = pages_[word / kPageWords];
  if (page == nullptr) page = std::make_unique<Page>();
  if (page->serial != serial_) {
    page->serial = serial_;
    page->split.fill(0);
  }
  return *page;
}

/// Visits the cells of whole words, and the cells of bytes where a word was accessed in parts.
template <typename Visit>
void AccessHistory::visit_cells(u64 offset, u32 bytes, const Visit& visit) {
  for (u64 at = offset, end = offset + bytes; at < end;) {
    const u64 word = at / kWordBytes, next = std::min(end, (word + 1) * kWordBytes);
    Page& page = page_of(word);
    Cell& whole = page.words[word % kPageWords];
    u32& split = page.split[word % kPageWords];
    const bool is_whole = at % kWordBytes == 0 && next - at == kWordBytes;
    if (is_whole && split == 0) {
      visit(whole);
    } else {
      if (split == 0) {
        bytes_.emplace_back().fill(whole);
        split = static_cast<u32>(bytes_.size());
      }
      for (u64 byte = at; byte < next; ++byte) visit(bytes_[split - 1][byte % kWordBytes]);
    }
    at = next;
  }
}

std::optional<Race> AccessHistory::note(Cell& cell, const Access& access) {
  std::optional<Race> race;
  if (const Write* const write = unordered_write(cell, access)) {
    race = {access.is_write ? Fault::write_after_write : Fault::read_after_write, write->moment, write->line};
  } else if (access.is_noncoherent && cell.written != Written::no) {
    race = {Fault::noncoherent_load, cell.write.moment, cell.write.line};
  } else if (access.is_write && cell.was_read_noncoherently) {
    race = {Fault::noncoherent_load, cell.last_read, cell.read_line};
  } else if (access.is_write && !are_reads_ordered(cell, access)) {
    race = {Fault::write_after_read, cell.last_read, cell.read_line};
  }
  access.is_write ? note_write(cell, access) : note_read(cell, access);
  return race;
}

/// The write that an access is not ordered after, or null. Atomics must be ordered after plain writes, but not among
/// themselves.
const AccessHistory::Write* AccessHistory::unordered_write(const Cell& cell, const Access& access) {
  if (cell.written == Written::no) return nullptr;
  if (access.is_atomic && cell.written != Written::plainly) {
    return cell.was_written_plainly && !access.knowledge.knows(cell.plain_write.moment) ? &cell.plain_write : nullptr;
  }
  const bool is_ordered =
      cell.written == Written::plainly ? access.knowledge.knows(cell.write.moment) : are_atomics_ordered(cell, access);
  return is_ordered ? nullptr : &cell.write;
}

/// Whether an access is ordered after all the atomics that are not ordered among themselves.
bool AccessHistory::are_atomics_ordered(const Cell& cell, const Access& access) {
  switch (cell.written) {
    case Written::by_atomics_of_warp:
      return knows_lanes(access.knowledge, cell.write.moment, cell.writers);
    case Written::by_atomics_of_block:
      return access.knowledge.knows_block(cell.write.moment.block, cell.write.moment.epoch);
    case Written::by_atomics_of_blocks:
      return access.knowledge.knows_all_blocks();
    case Written::no:
    case Written::plainly:
      break;
  }
  return true;
}

bool AccessHistory::are_reads_ordered(const Cell& cell, const Access& access) const {
  switch (cell.read) {
    case Read::no:
      return true;
    case Read::by_warp:
      return knows_lanes(access.knowledge, cell.last_read, cell.readers);
    case Read::by_block:
      return access.knowledge.knows_block(cell.last_read.block, cell.last_read.epoch);
    case Read::by_blocks:
      return std::all_of(reading_blocks_[cell.readers].begin(), reading_blocks_[cell.readers].end(),
                         [&](const auto& reader) { return access.knowledge.knows_block(reader.first, reader.second); });
  }
  return false;
}

void AccessHistory::note_write(Cell& cell, const Access& access) {
  if (access.is_atomic) return note_atomic(cell, access);
  cell.written = Written::plainly;
  cell.was_written_plainly = false;
  cell.read = Read::no;
  cell.write = {access.now, access.line};
}

void AccessHistory::note_atomic(Cell& cell, const Access& access) {
  const Moment& now = access.now;
  const Moment before = cell.write.moment;
  const u32 lane = 1u << (now.thread % kWarp);
  const bool is_ordered = are_atomics_ordered(cell, access);
  if (cell.written == Written::plainly) {
    cell.was_written_plainly = true;
    cell.plain_write = cell.write;
  }
  cell.write = {now, access.line};
  if (is_ordered) {
    cell.written = Written::by_atomics_of_warp;
    cell.writers = lane;
  } else if (before.block != now.block) {
    cell.written = Written::by_atomics_of_blocks;
  } else if (cell.written == Written::by_atomics_of_warp && before.thread / kWarp == now.thread / kWarp) {
    cell.writers |= lane;
    cell.write.moment.clock = std::max(before.clock, now.clock);
  } else if (cell.written == Written::by_atomics_of_warp) {
    cell.written = Written::by_atomics_of_block;
  }
}

void AccessHistory::note_reading_block(Cell& cell, const Moment& now) {
  if (cell.read != Read::by_blocks) {
    reading_blocks_.push_back({{cell.last_read.block, cell.last_read.epoch}});
    cell.readers = static_cast<u32>(reading_blocks_.size() - 1);
    cell.read = Read::by_blocks;
  }
  ReadingBlocks& blocks = reading_blocks_[cell.readers];
  const auto mine =
      std::find_if(blocks.rbegin(), blocks.rend(), [&](const auto& one) { return one.first == now.block; });
  if (mine == blocks.rend())
    blocks.emplace_back(now.block, now.epoch);
  else
    mine->second = now.epoch;
}

void AccessHistory::note_read(Cell& cell, const Access& access) {
  const Moment& now = access.now;
  const u32 bit = 1u << (now.thread % kWarp);
  u32 latest_clock = now.clock;
  cell.was_read_noncoherently |= access.is_noncoherent;
  // A read after all earlier ones takes their place: what is ordered after it is ordered after them.
  if (cell.read != Read::no &&
      !(cell.read == Read::by_warp && cell.last_read.clock == now.clock && cell.last_read.epoch == now.epoch &&
        cell.last_read.block == now.block) &&
      are_reads_ordered(cell, access)) {
    cell.read = Read::no;
  }
  const bool is_same_block = cell.last_read.block == now.block;
  if (cell.read == Read::no) {
    cell.read = Read::by_warp;
    cell.readers = bit;
  } else if (cell.read == Read::by_blocks || !is_same_block) {
    note_reading_block(cell, now);
  } else if (cell.read == Read::by_warp && cell.last_read.thread / kWarp == now.thread / kWarp) {
    cell.readers |= bit;
    latest_clock = std::max(cell.last_read.clock, now.clock);
  } else {
    cell.read = Read::by_block;
  }
  cell.last_read = now;
  cell.last_read.clock = latest_clock;
  cell.read_line = access.line;
}

}  // namespace device_code
