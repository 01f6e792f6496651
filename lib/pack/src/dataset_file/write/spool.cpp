#include "dataset_file/write/spool.hpp"

#include <cstring>
#include <utility>

namespace octavo::dataset_file {

Spool::Spool(const std::filesystem::path& path, const std::vector<SpoolRow>& rows,
             const std::vector<std::int64_t>& capacities)
    : file_(File::create_new(path)) {
  std::int64_t end = 0;
  const auto take = [&end](std::int64_t bytes) { return std::exchange(end, end + bytes); };
  for (std::size_t split = 0; split < rows.size(); ++split) {
    Region region;
    region.row = rows[split];
    region.values = take(region.row.value_bytes * capacities[split]);
    region.labels = take(region.row.label_bytes * capacities[split]);
    region.masks = take(region.row.mask_bytes * capacities[split]);
    if (!region.row.may_not_come) file_.reserve(region.values, end - region.values);
    region.names = take(region.row.name_bytes * capacities[split]);
    regions_.push_back(region);
  }
  end_ = end;
}

std::int64_t Spool::append(std::span<const std::byte> bytes) const {
  const std::int64_t offset = end_.fetch_add(static_cast<std::int64_t>(bytes.size()));
  file_.write_at(offset, bytes);
  return offset;
}

std::int64_t Spool::values_offset(std::size_t split, std::int64_t row) const {
  return regions_[split].values + row * regions_[split].row.value_bytes;
}

std::int64_t Spool::labels_offset(std::size_t split, std::int64_t row) const {
  return regions_[split].labels + row * regions_[split].row.label_bytes;
}

std::int64_t Spool::masks_offset(std::size_t split, std::int64_t row) const {
  return regions_[split].masks + row * regions_[split].row.mask_bytes;
}

void Spool::write_names(std::size_t split, std::int64_t first_row, std::span<const std::string> names) const {
  std::vector<std::byte> slots(names.size() * kNameSlotBytes);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::byte* slot = slots.data() + i * kNameSlotBytes;
    slot[0] = static_cast<std::byte>(names[i].size());
    std::memcpy(slot + 1, names[i].data(), names[i].size());
  }
  file_.write_at(regions_[split].names + first_row * kNameSlotBytes, slots);
}

std::vector<std::string> Spool::read_names(std::size_t split, std::int64_t first_row, std::int64_t count) const {
  std::vector<char> slots(static_cast<std::size_t>(count * kNameSlotBytes));
  // The file ends after the last written name; later slots read as zeros, which are empty names.
  file_.read_some_at(regions_[split].names + first_row * kNameSlotBytes, std::as_writable_bytes(std::span(slots)));
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    const char* slot = slots.data() + i * kNameSlotBytes;
    names.emplace_back(slot + 1, static_cast<unsigned char>(slot[0]));
  }
  return names;
}

}  // namespace octavo::dataset_file
