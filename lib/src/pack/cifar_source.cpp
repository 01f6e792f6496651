#include "pack/cifar_source.hpp"

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>

#include "pack/name_list.hpp"

namespace octavo::sources {
namespace {

constexpr SampleShape kShape = {3, 32, 32};

std::vector<std::string> names_beside(const std::filesystem::path& path, CifarLayout layout) {
  const bool is_cifar10 = layout.label_bytes == 1;
  const auto names_path = path.parent_path() / (is_cifar10 ? "batches.meta.txt" : "fine_label_names.txt");
  if (std::filesystem::exists(names_path)) return read_name_list(names_path);
  // Krizhevsky 2009, in label order.
  if (is_cifar10) return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  return {};
}

std::int64_t count_records(const File& file, CifarLayout layout) {
  const std::int64_t length = file.length();
  const std::int64_t count = length / layout.record_bytes();
  if (length == 0) throw FormatError("read " + quoted(file.path()) + ": it is empty; get the file again");
  if (length % layout.record_bytes() != 0) {
    throw FormatError("read " + quoted(file.path()) + ": record " + std::to_string(count) + " has " +
                      std::to_string(length % layout.record_bytes()) + " of the " +
                      std::to_string(layout.record_bytes()) + " bytes of a " + layout.name() +
                      " record; get the file again");
  }
  return count;
}

std::vector<std::uint8_t> read_labels(const File& file, CifarLayout layout, std::int64_t count) {
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(count));
  for (std::int64_t record = 0; record < count; ++record) {
    const std::int64_t offset = record * layout.record_bytes() + layout.label_bytes - 1;
    file.read_at(offset, std::as_writable_bytes(std::span(labels).subspan(static_cast<std::size_t>(record), 1)));
  }
  return labels;
}

}  // namespace

CifarSource::CifarSource(const std::filesystem::path& path, CifarLayout layout, std::string split_name,
                         std::vector<std::string> class_names)
    : file_(File::open_for_reading(path)), layout_(layout), class_names_(std::move(class_names)) {
  const std::int64_t count = count_records(file_, layout_);
  labels_ = read_labels(file_, layout_, count);
  if (class_names_.empty()) class_names_ = names_beside(path, layout_);
  if (!class_names_.empty() && static_cast<std::int32_t>(class_names_.size()) != layout_.class_count) {
    throw FormatError("read " + quoted(path) + ": there are " + std::to_string(class_names_.size()) + " class names, " +
                      std::to_string(layout_.class_count) + " were expected");
  }
  splits_.push_back({std::move(split_name), count, kShape, {LabelKind::class_index, 1}, Color::rgb});
}

std::string CifarSource::sample_name(std::size_t, std::int64_t row) const {
  return file_.path().filename().string() + "#" + std::to_string(row);
}

std::optional<std::int32_t> CifarSource::class_index(std::size_t, std::int64_t row) const {
  return labels_[static_cast<std::size_t>(row)];
}

std::vector<SampleFailure> CifarSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                             std::span<std::uint8_t> values, std::span<std::byte> labels) {
  std::vector<std::byte> records(static_cast<std::size_t>(count * layout_.record_bytes()));
  file_.read_at(first_row * layout_.record_bytes(), records);
  std::vector<SampleFailure> failures;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t label = labels_[static_cast<std::size_t>(first_row + i)];
    if (label >= layout_.class_count) {
      failures.push_back(
          {first_row + i, sample_name(split, first_row + i),
           "its label is " + std::to_string(label) + ", the largest is " + std::to_string(layout_.class_count - 1)});
    }
    const std::byte* const image = records.data() + i * layout_.record_bytes() + layout_.label_bytes;
    std::memcpy(values.data() + i * kShape.values(), image, static_cast<std::size_t>(kShape.values()));
    std::memcpy(labels.data() + 4 * i, &label, sizeof label);
  }
  return failures;
}

}  // namespace octavo::sources
