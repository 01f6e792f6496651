#include "pack/idx_source.hpp"

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>

#include "pack/idx_header.hpp"
#include "support/checked_math.hpp"

namespace octavo::sources {
namespace {

SampleShape shape_of(const IdxHeader& header, const std::filesystem::path& path) {
  if (header.axes.size() == 3) return {1, header.axes[1], header.axes[2]};
  if (header.axes.size() == 4 && (header.axes[3] == 1 || header.axes[3] == 3)) {
    return {header.axes[3], header.axes[1], header.axes[2]};
  }
  const std::string axes = std::to_string(header.axes.size()) + " axes";
  throw FormatError("read the IDX file " + quoted(path) + ": it has " + axes +
                    "; images have 3 (N, H, W) or 4 (N, H, W, and 1 or 3 channels)");
}

std::vector<std::uint8_t> read_labels(const std::filesystem::path& path, std::int64_t image_count) {
  ByteStream stream(path);
  const IdxHeader header = read_idx_header(stream);
  if (header.axes.size() != 1 || header.axes[0] != image_count) {
    throw FormatError("read the IDX file " + quoted(path) + ": it has " + std::to_string(header.axes.size()) +
                      " axes and " + std::to_string(header.axes[0]) + " labels, but there are " +
                      std::to_string(image_count) + " images; give the labels that belong to them");
  }
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(image_count));
  stream.read(std::as_writable_bytes(std::span(labels)));
  stream.expect_end();
  return labels;
}

/// [count,H,W,C] to [count,C,H,W].
void transpose(std::span<const std::byte> stored, const SampleShape& shape, std::span<std::uint8_t> values) {
  const std::int64_t pixels = shape.values_per_channel();
  const std::int64_t count = static_cast<std::int64_t>(stored.size()) / shape.values();
  const std::byte* from = stored.data();
  for (std::int64_t sample = 0; sample < count; ++sample) {
    std::uint8_t* const to = values.data() + sample * shape.values();
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
        to[channel * pixels + pixel] = std::to_integer<std::uint8_t>(*from++);
      }
    }
  }
}

/// `text` with its last `from` replaced; nothing if there is none.
std::optional<std::string> replace_last(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  if (at == std::string::npos) return std::nullopt;
  return text.replace(at, from.size(), to);
}

}  // namespace

std::optional<std::filesystem::path> idx_labels_beside(const std::filesystem::path& images) {
  std::string stem = images.filename().string();
  if (stem.ends_with(".gz")) stem.resize(stem.size() - 3);
  auto name = replace_last(stem, "images", "labels");
  if (!name) return std::nullopt;
  for (const std::string_view axes : {"idx3", "idx4"}) name = replace_last(*name, axes, "idx1").value_or(*name);
  for (const std::string_view ending : {"", ".gz"}) {
    std::filesystem::path path = images.parent_path() / (*name + std::string(ending));
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

IdxSource::IdxSource(const std::filesystem::path& images, std::string split_name, std::vector<std::string> class_names)
    : images_(images), labels_path_(idx_labels_beside(images)), class_names_(std::move(class_names)) {
  const IdxHeader header = read_idx_header(images_);
  const SampleShape shape = shape_of(header, images);
  const std::int64_t image_count = header.axes[0];
  data_offset_ = header.length();
  end_offset_ = data_offset_ + idx_data_bytes(header);
  if (!images_.is_compressed()) plain_ = File::open_for_reading(images);
  if (labels_path_) labels_ = read_labels(*labels_path_, image_count);
  const LabelLayout layout = labels_path_ ? LabelLayout{LabelKind::class_index, 1} : LabelLayout{};
  splits_.push_back(
      {std::move(split_name), image_count, shape, layout, shape.channels == 1 ? Color::gray : Color::rgb});
}

std::string IdxSource::sample_name(std::size_t, std::int64_t row) const {
  return images_.path().filename().string() + "#" + std::to_string(row);
}

std::optional<std::int32_t> IdxSource::class_index(std::size_t, std::int64_t row) const {
  if (labels_.empty()) return std::nullopt;
  return labels_[static_cast<std::size_t>(row)];
}

std::vector<SampleFailure> IdxSource::read(std::size_t, std::int64_t first_row, std::int64_t count,
                                           std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const SampleShape& shape = splits_[0].shape;
  if (shape.channels == 1) {
    read_stored(first_row, std::as_writable_bytes(values));
  } else {
    std::vector<std::byte> stored(values.size());
    read_stored(first_row, stored);
    transpose(stored, shape, values);
  }
  if (!labels_.empty()) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t label = labels_[static_cast<std::size_t>(first_row + i)];
      std::memcpy(labels.data() + 4 * i, &label, sizeof label);
    }
  }
  return {};
}

void IdxSource::read_stored(std::int64_t first_row, std::span<std::byte> stored) {
  const std::int64_t offset = data_offset_ + first_row * splits_[0].shape.values();
  if (plain_) {
    plain_.read_at(offset, stored);
  } else {
    read_in_order(offset, stored);
  }
}

void IdxSource::read_in_order(std::int64_t offset, std::span<std::byte> stored) {
  if (images_.position() > offset) images_.rewind();
  images_.skip(offset - images_.position());
  images_.read(stored);
  if (images_.position() == end_offset_) images_.expect_end();
}

std::vector<std::string> IdxSource::files() const {
  std::vector<std::string> files = {images_.path().string()};
  if (labels_path_) files.push_back(labels_path_->string());
  return files;
}

std::string IdxSource::notes() const {
  return labels_path_ ? "{}" : R"({"labels":"no labels file beside the images"})";
}

}  // namespace octavo::sources
