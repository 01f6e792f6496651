// CIFAR-10 and CIFAR-100 batches. Binary: label bytes, of which the last one is used, then 3 x 32 x 32 bytes in planes
// R, G, B. Or pickled for Python.
#include <algorithm>
#include <array>

#include <octavo/errors.hpp>

#include "arrays/cifar_pickle.hpp"
#include "sources/array_files.hpp"
#include "sources/lists/name_list.hpp"

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

std::optional<int> binary_class_count(files::ByteStream& stream, std::int64_t length) {
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

std::vector<std::string> names_neighbor(const Finding& finding, int class_count, bool is_pickled) {
  const std::string folder = std::filesystem::path(finding.path).parent_path().string();
  const auto neighbor = [&](const char* name) { return files::join_path(folder, name); };
  const bool is_cifar10 = class_count == 10;
  const std::string text = neighbor(is_cifar10 ? "batches.meta.txt" : "fine_label_names.txt");
  const std::string pickled = neighbor(is_cifar10 ? "batches.meta" : "meta");
  std::vector<std::string> names;
  if (!is_pickled && finding.tree->has_file(text)) names = read_name_list(*finding.tree->open(text));
  if (is_pickled && finding.tree->has_file(pickled)) names = arrays::read_cifar_names(*finding.tree->open(pickled));
  if (names.empty()) return known_names(class_count);
  if (std::ssize(names) != class_count) {
    throw FormatError("read " + finding.name() + ": its file of class names has " + std::to_string(names.size()) +
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

void open_binary(const Finding& finding, int class_count, arrays::ArraySet& set) {
  // One stream each: the labels are read first, and a stream may be forward-only.
  std::shared_ptr<files::ByteStream> images = finding.tree->open(finding.path);
  std::shared_ptr<files::ByteStream> labels = finding.tree->open(finding.path);
  const std::int64_t count = count_records(*images, class_count);
  const std::string name = images->name();
  set.images = arrays::array_in_stream(name, std::move(images),
                                       {.element = arrays::Element::uint8,
                                        .axes = {count, 3, 32, 32},
                                        .offset = label_bytes(class_count),
                                        .row_stride = record_bytes(class_count)});
  set.labels = arrays::array_in_stream(name, std::move(labels),
                                       {.element = arrays::Element::uint8,
                                        .axes = {count},
                                        .offset = label_bytes(class_count) - 1,
                                        .row_stride = record_bytes(class_count),
                                        .ends_stream = false});
}

}  // namespace

std::optional<CifarKind> detect_cifar(files::ByteStream& stream) {
  if (const auto class_count = arrays::detect_cifar_pickle(stream)) return CifarKind{true, *class_count};
  const auto length = stream.length();
  if (!length || *length == 0) return std::nullopt;
  if (const auto class_count = binary_class_count(stream, *length)) return CifarKind{false, *class_count};
  return std::nullopt;
}

std::vector<arrays::ArraySet> open_cifar_files(const Finding& finding) {
  const int class_count = finding.format == SourceFormat::cifar10 ? 10 : 100;
  arrays::ArraySet set;
  set.split = finding.split;
  set.format = format_name(class_count);
  set.order = arrays::AxisOrder::chw;
  set.class_count = class_count;
  set.sample_prefix = std::filesystem::path(finding.path).filename().string();
  set.files.push_back(finding.tree->file_of(finding.path));
  std::shared_ptr<files::ByteStream> stream = finding.tree->open(finding.path);
  const bool is_pickled = arrays::detect_cifar_pickle(*stream).has_value();
  if (is_pickled) {
    arrays::CifarPickle batch = arrays::open_cifar_pickle(std::move(stream));
    set.images = std::move(batch.images);
    set.labels = std::move(batch.labels);
  } else {
    open_binary(finding, class_count, set);
  }
  set.class_names = names_neighbor(finding, class_count, is_pickled);
  std::vector<arrays::ArraySet> sets;
  sets.push_back(std::move(set));
  return sets;
}

}  // namespace octavo::sources
