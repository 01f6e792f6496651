#include "pack/cifar_layout.hpp"

#include <algorithm>
#include <array>

namespace octavo::sources {
namespace {

constexpr std::int64_t kRecordsLookedAt = 100;
// A cut or padded file must have so many whole records in range before it is taken for CIFAR.
constexpr std::int64_t kFewestRecords = 3;
constexpr int kCoarseClasses = 20;

bool labels_are_in_range(const File& file, CifarLayout layout, std::int64_t record) {
  std::array<std::byte, 2> labels;
  const auto bytes = std::span(labels).first(static_cast<std::size_t>(layout.label_bytes));
  if (file.read_some_at(record * layout.record_bytes(), bytes) != bytes.size()) return false;
  const bool coarse_fits = layout.label_bytes == 1 || std::to_integer<int>(labels[0]) < kCoarseClasses;
  return coarse_fits && std::to_integer<int>(bytes.back()) < layout.class_count;
}

/// How many of the first records have labels in range.
std::int64_t plausible_records(const File& file, CifarLayout layout) {
  const std::int64_t records = std::min(kRecordsLookedAt, file.length() / layout.record_bytes());
  std::int64_t plausible = 0;
  for (std::int64_t record = 0; record < records; ++record) plausible += labels_are_in_range(file, layout, record);
  return plausible;
}

}  // namespace

std::optional<CifarLayout> detect_cifar(const File& file) {
  const std::int64_t length = file.length();
  if (length == 0) return std::nullopt;
  const bool whole10 = length % kCifar10.record_bytes() == 0;
  const bool whole100 = length % kCifar100.record_bytes() == 0;
  const bool more100 = plausible_records(file, kCifar100) > plausible_records(file, kCifar10);
  if (whole10 && whole100) return more100 ? kCifar100 : kCifar10;
  if (whole10) return kCifar10;
  if (whole100) return kCifar100;
  const CifarLayout likely = more100 ? kCifar100 : kCifar10;
  const std::int64_t records = std::min(kRecordsLookedAt, length / likely.record_bytes());
  if (records >= kFewestRecords && plausible_records(file, likely) == records) return likely;
  return std::nullopt;
}

}  // namespace octavo::sources
