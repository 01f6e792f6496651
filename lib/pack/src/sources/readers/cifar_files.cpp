// CIFAR-10 and CIFAR-100 batches in the binary version: label bytes (the last one is used), then 3 x 32 x 32
// bytes in planes R, G, B. Only Python reads the version for Python.
#include <algorithm>
#include <array>

#include <octavo/errors.hpp>

#include "sources/detection.hpp"
#include "sources/lists/name_list.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kCifarImageBytes = 3 * 32 * 32;
constexpr std::int64_t kRecordsLookedAt = 100;
// A truncated or padded file needs this many whole records with labels in range to count as CIFAR.
constexpr std::int64_t kFewestRecords = 3;
constexpr int kCoarseClasses = 20;

/// CIFAR-100 has a coarse label before the fine one.
std::int64_t label_bytes(int class_count) { return class_count == 10 ? 1 : 2; }
std::int64_t record_bytes(int class_count) { return label_bytes(class_count) + kCifarImageBytes; }
std::string format_name(int class_count) { return "cifar" + std::to_string(class_count); }

bool labels_are_in_range(std::span<const std::byte> labels, int class_count) {
  const bool coarse_fits = class_count == 10 || std::to_integer<int>(labels[0]) < kCoarseClasses;
  return coarse_fits && std::to_integer<int>(labels.back()) < class_count;
}

/// The number of leading records whose labels are in range.
std::int64_t plausible_records(files::ByteStream& stream, std::int64_t length, int class_count) {
  const std::int64_t records = std::min(kRecordsLookedAt, length / record_bytes(class_count));
  std::int64_t plausible = 0;
  for (std::int64_t record = 0; record < records; ++record) {
    std::array<std::byte, 2> bytes{};
    const auto labels = std::span(bytes).first(static_cast<std::size_t>(label_bytes(class_count)));
    if (stream.read_some_at(record * record_bytes(class_count), labels) != labels.size()) break;
    plausible += labels_are_in_range(labels, class_count) ? 1 : 0;
  }
  return plausible;
}

bool begins_with_zeros(files::ByteStream& stream) {
  std::array<std::byte, 1 + kCifarImageBytes> bytes{};
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(stream.read_some_at(0, bytes));
  return std::all_of(bytes.begin(), end, [](std::byte byte) { return byte == std::byte{0}; });
}

/// 10 or 100; nothing if the file does not look like CIFAR. Its length must be a multiple of the record length; if it
/// is for both, the labels decide. If it is for neither, returns the kind whose first records have labels in range, so
/// that a truncated file is reported as such.
std::optional<int> class_count_of(files::ByteStream& stream) {
  const std::int64_t length = stream.length().value_or(0);
  if (length == 0) return std::nullopt;
  const bool whole10 = length % record_bytes(10) == 0;
  const bool whole100 = length % record_bytes(100) == 0;
  const bool more100 = plausible_records(stream, length, 100) > plausible_records(stream, length, 10);
  if (whole10 && whole100) return more100 ? 100 : 10;
  if (whole10) return 10;
  if (whole100) return 100;
  const int likely = more100 ? 100 : 10;
  const std::int64_t records = std::min(kRecordsLookedAt, length / record_bytes(likely));
  // Zeros are valid labels too, but a file that begins with only zeros is an empty tar archive or a hole.
  if (begins_with_zeros(stream)) return std::nullopt;
  if (records >= kFewestRecords && plausible_records(stream, length, likely) == records) return likely;
  return std::nullopt;
}

std::vector<std::string> known_names(int class_count) {
  if (class_count != 10) return {};
  // Krizhevsky 2009, in label order.
  return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
}

/// The class names in the same folder, else the published ones.
std::vector<std::string> class_names_of(const SourceEntry& entry, int class_count) {
  const std::string folder = std::filesystem::path(entry.path).parent_path().string();
  const std::string file = files::join_path(folder, class_count == 10 ? "batches.meta.txt" : "fine_label_names.txt");
  std::vector<std::string> names;
  if (entry.tree->has_file(file)) names = read_name_list(*entry.tree->open(file));
  if (names.empty()) return known_names(class_count);
  if (std::ssize(names) != class_count) {
    throw FormatError("read " + entry.name() + ": its file of class names has " + std::to_string(names.size()) +
                      " names; expected " + std::to_string(class_count));
  }
  return names;
}

std::int64_t count_records(const files::ByteStream& stream, int class_count) {
  const auto length = stream.length();
  if (!length) throw FormatError("read " + stream.name() + ": CIFAR files are recognized by length; unpack it first");
  if (*length == 0) throw FormatError("read " + stream.name() + ": it is empty; get the file again");
  const std::int64_t count = *length / record_bytes(class_count);
  if (*length % record_bytes(class_count) != 0) {
    throw FormatError("read " + stream.name() + ": record " + std::to_string(count) + " has " +
                      std::to_string(*length % record_bytes(class_count)) + " of the " +
                      std::to_string(record_bytes(class_count)) + " bytes of a " + format_name(class_count) +
                      " record; get the file again");
  }
  return count;
}

bool is_named_as_cifar(const std::string& name) {
  const bool is_batch = name.starts_with("data_batch") || name.starts_with("test_batch");
  if (name.ends_with(".bin")) return is_batch || name == "train.bin" || name == "test.bin";
  return is_batch || name == "train" || name == "test";
}

template <int kClassCount>
bool is_cifar(const FileStart& start) {
  return class_count_of(start.stream()) == kClassCount;
}

/// Refuses the version for Python, which has the same names.
template <int kClassCount>
bool is_input(const FileStart& start) {
  refuse_pickle(start);
  return is_cifar<kClassCount>(start);
}

template <int kClassCount>
Opened open_cifar_file(SourceEntry& entry, const OpenContext&) {
  arrays::ArraySet set;
  set.split = entry.split;
  set.format = format_name(kClassCount);
  set.order = arrays::AxisOrder::chw;
  set.class_count = kClassCount;
  set.sample_prefix = std::filesystem::path(entry.path).filename().string();
  set.files.push_back(entry.tree->file_of(entry.path));
  // One stream each: the labels are read first, and a stream may be forward-only.
  std::shared_ptr<files::ByteStream> images = entry.take_stream();
  std::shared_ptr<files::ByteStream> labels = entry.tree->open(entry.path);
  const std::int64_t count = count_records(*images, kClassCount);
  const std::string name = images->name();
  set.images = arrays::array_in_stream(name, std::move(images),
                                       {.element = arrays::Element::uint8,
                                        .axes = {count, 3, 32, 32},
                                        .offset = label_bytes(kClassCount),
                                        .row_stride = record_bytes(kClassCount)});
  set.labels = arrays::array_in_stream(name, std::move(labels),
                                       {.element = arrays::Element::uint8,
                                        .axes = {count},
                                        .offset = label_bytes(kClassCount) - 1,
                                        .row_stride = record_bytes(kClassCount),
                                        .ends_stream = false});
  set.class_names = class_names_of(entry, kClassCount);
  std::vector<arrays::ArraySet> sets;
  sets.push_back(std::move(set));
  return sets;
}

}  // namespace

const SourceReader kCifar10Reader = {.name = "cifar10",
                                     .kind = "a CIFAR batch",
                                     .looks_like = &is_cifar<10>,
                                     .found_by = FoundBy::well_known_name,
                                     .is_named = &is_named_as_cifar,
                                     .is_input = &is_input<10>,
                                     .has_many_files_per_split = true,
                                     .reads_stream = true,
                                     .open = &open_cifar_file<10>};

const SourceReader kCifar100Reader = {.name = "cifar100",
                                      .kind = "a CIFAR batch",
                                      .looks_like = &is_cifar<100>,
                                      .found_by = FoundBy::well_known_name,
                                      .is_named = &is_named_as_cifar,
                                      .is_input = &is_input<100>,
                                      .has_many_files_per_split = true,
                                      .reads_stream = true,
                                      .open = &open_cifar_file<100>};

}  // namespace octavo::sources
