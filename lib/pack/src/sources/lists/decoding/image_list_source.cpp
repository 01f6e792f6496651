#include "sources/lists/decoding/image_list_source.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <octavo/errors.hpp>

#include "images/mask_reader.hpp"
#include "sources/common_percentile.hpp"
#include "sources/conversion_notes.hpp"
#include "sources/lists/decoding/image_survey.hpp"
#include "sources/lists/list_remarks.hpp"
#include "sources/multi_labels.hpp"

namespace octavo::sources {
namespace {

/// Memory of a value while an image of more than 8 bits, or a mask, is decoded: as a float, then as a byte.
constexpr std::int64_t kDeepBytes = sizeof(float) + 1;

/// Each damaged archive once, even if several splits are in it.
std::vector<SampleFailure> damage_of(const ImageList& contents) {
  std::map<std::filesystem::path, std::string> problems;
  for (const SplitImages& list : contents.splits) {
    for (files::DamagedArchive& archive : list.tree->damaged()) {
      problems.emplace(std::move(archive.path), std::move(archive.problem));
    }
  }
  std::vector<SampleFailure> damage;
  for (auto& [path, problem] : problems) damage.push_back({0, path.string(), std::move(problem)});
  return damage;
}

}  // namespace

ImageListSource::ImageListSource(ImageList contents, ImageConversion conversion, const SourceOptions& options,
                                 ListedFileNumbers& numbers)
    : contents_(std::move(contents)),
      limits_{options.largest_image_pixels},
      target_{conversion.shape, options.size.has_value(), options.fit, options.background},
      mask_colors_(options.mask_colors),
      range_(std::move(conversion.range)),
      headers_(std::move(conversion.headers)),
      decode_memory_(kMostDecodedBytes) {
  if (contents_.is_table) listed_bytes_.emplace(contents_, numbers);
  for (SampleFailure& archive : damage_of(contents_)) contents_.left_out.push_back(std::move(archive));
  for (const SplitImages& list : contents_.splits) {
    splits_.push_back(
        {list.split, static_cast<std::int64_t>(list.paths.size()), target_.shape, list.layout, conversion.color});
    splits_.back().has_masks = !list.masks.empty();
    splits_.back().columns = list.columns;
    sizes_.emplace_back(list.paths.size());
    oddities_.emplace_back(list.paths.size());
    quantizers_.emplace_back();
    if (range_.quantization.empty()) continue;
    quantizers_.back() =
        std::make_unique<arrays::Quantizer>(range_.quantization, conversion.element, std::ssize(list.paths));
    if (!range_.is_common) continue;
    splits_.back().quantization = range_.quantization;
    splits_.back().source_dtype = arrays::name_of(conversion.element);
  }
}

std::string ImageListSource::sample_name(std::size_t split, std::int64_t row) const {
  return contents_.splits[split].paths[static_cast<std::size_t>(row)];
}

std::optional<std::string> ImageListSource::sample_path(std::size_t split, std::int64_t row) const {
  return sample_name(split, row);
}

std::optional<std::int32_t> ImageListSource::class_index(std::size_t split, std::int64_t row) const {
  const SplitImages& list = contents_.splits[split];
  if (list.layout.kind != LabelKind::class_index) return std::nullopt;
  std::int32_t label;
  std::memcpy(&label, list.labels.data() + 4 * row, sizeof label);
  return label;
}

std::vector<std::int32_t> ImageListSource::class_indices(std::size_t split, std::int64_t row) const {
  const SplitImages& list = contents_.splits[split];
  if (list.layout.kind != LabelKind::multi_label) return Source::class_indices(split, row);
  const auto label_bytes = static_cast<std::size_t>(list.layout.bytes_per_sample());
  return classes_of_multi_labels(
      std::span(list.labels).subspan(static_cast<std::size_t>(row) * label_bytes, label_bytes));
}

std::vector<SampleFailure> ImageListSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                 std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const SplitImages& list = contents_.splits[split];
  const auto value_count = static_cast<std::size_t>(target_.shape.values());
  std::vector<SampleFailure> failures;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(i);
    try {
      read_image(split, static_cast<std::size_t>(row), values.subspan(i * value_count, value_count));
    } catch (const Error& error) {
      failures.push_back({row, sample_name(split, row), error.what()});
    }
  }
  const std::byte* const first_label = list.labels.data() + first_row * list.layout.bytes_per_sample();
  std::copy(first_label, first_label + labels.size(), labels.begin());
  return failures;
}

std::string ImageListSource::read_file(std::size_t split, std::size_t at, bool is_mask) {
  const SplitImages& list = contents_.splits[split];
  std::string file = list.tree->read_whole((is_mask ? list.masks : list.paths)[at], kLargestImageFileBytes);
  if (listed_bytes_) listed_bytes_->add(split, at, is_mask, std::ssize(file));
  return file;
}

images::ImageHeader ImageListSource::header_of(std::span<const std::byte> file, std::size_t split,
                                               std::size_t at) const {
  if (headers_[split][at].is_of(std::ssize(file))) return headers_[split][at].header();
  return aligned_header(images::checked_header(file, limits_), contents_.splits[split], at, limits_);
}

void ImageListSource::read_image(std::size_t split, std::size_t at, std::span<std::uint8_t> values) {
  const std::string file = read_file(split, at, false);
  const auto bytes = std::as_bytes(std::span(file));
  const images::ImageHeader header = header_of(bytes, split, at);
  const std::int64_t value_count = header.width * header.height * header.channels;
  const bool is_quantized = header.is_deep() && quantizers_[split] != nullptr;
  if (range_.is_common && !is_quantized) throw FormatError("it has 8 bits, the other images have more");
  const MemoryBudget::Share share(decode_memory_, is_quantized ? kDeepBytes * value_count : value_count);
  if (is_quantized) {
    arrays::Quantizer& quantizer = *quantizers_[split];
    auto quantized = range_.is_common ? arrays::Quantizer::Sample(quantizer)
                                      : arrays::Quantizer::Sample(quantizer, {header.white / 255.0, 0.0});
    oddities_[split][at] = images::read_sample(bytes, header, target_, &quantized, values);
    quantizer.add(static_cast<std::int64_t>(at), quantized);
  } else {
    oddities_[split][at] = images::read_sample(bytes, header, target_, nullptr, values);
  }
  sizes_[split].set(at, header.height, header.width);
}

std::vector<SampleFailure> ImageListSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                       std::span<std::uint8_t> masks) {
  const auto pixels = static_cast<std::size_t>(target_.shape.values_per_channel());
  std::vector<SampleFailure> failures;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(i);
    try {
      read_mask(split, static_cast<std::size_t>(row), masks.subspan(i * pixels, pixels));
    } catch (const Error& error) {
      failures.push_back(
          {row, sample_name(split, row),
           "its mask " + contents_.splits[split].masks[static_cast<std::size_t>(row)] + ": " + error.what()});
    }
  }
  return failures;
}

void ImageListSource::read_mask(std::size_t split, std::size_t at, std::span<std::uint8_t> values) {
  const auto [height, width] = sizes_[split].at(at);
  if (height == 0) return;  // the image could not be read
  const std::string file = read_file(split, at, true);
  const auto bytes = std::as_bytes(std::span(file));
  const images::ImageHeader header = images::checked_header(bytes, limits_);
  if (header.height != height || header.width != width) {
    throw FormatError("it has " + std::to_string(header.width) + "x" + std::to_string(header.height) +
                      " pixels, the image has " + std::to_string(width) + "x" + std::to_string(height));
  }
  const MemoryBudget::Share share(decode_memory_, kDeepBytes * width * height * header.channels);
  const images::Pixels mask = mask_colors_.empty() ? images::decode_mask(bytes, header)
                                                   : images::decode_mask_colors(bytes, header, mask_colors_);
  images::fill_mask(mask.values, height, width, target_, values);
}

std::string ImageListSource::sample_metadata(std::size_t split, std::int64_t row) const {
  const auto& metadata = contents_.splits[split].metadata;
  return metadata.empty() ? "[]" : metadata[static_cast<std::size_t>(row)];
}

std::vector<std::string> ImageListSource::files() const {
  std::vector<std::string> files;
  for (const auto& root : contents_.roots) files.push_back(root.string());
  return files;
}

SourceNotes ImageListSource::notes() const {
  SourceNotes notes;
  notes.conversion = conversion_notes(target_);
  notes.ignored_files = contents_.ignored_file_count;
  notes.first_ignored_files = contents_.ignored_files;
  notes.image_sizes.emplace();
  for (std::size_t split = 0; split < sizes_.size(); ++split) {
    const SplitImages& list = contents_.splits[split];
    auto sizes = sizes_[split].describe(list.split, target_.shape, [&](std::size_t at) { return list.paths[at]; });
    if (sizes) notes.image_sizes->push_back(std::move(*sizes));
    if (!quantizers_[split]) continue;
    // A split of only 8-bit images next to one of 16-bit images has no loss to report.
    auto quantized = quantizers_[split]->notes(list.split);
    // `range` is only for images of one maximum.
    quantized.takes_range = range_.is_common;
    if (!range_.is_common && quantized.level_use) quantized.level_use->better_percentile.reset();
    if (quantized.samples > 0) notes.quantized.push_back(std::move(quantized));
  }
  keep_common_percentile(notes.quantized);
  if (listed_bytes_) notes.listed_bytes = listed_bytes_->total();
  const bool has_masks = std::ranges::any_of(splits_, &SourceSplit::has_masks);
  if (has_masks) notes.mask_classes = mask_colors_.empty() ? contents_.mask_classes : mask_colors_.names;
  notes.remarks = contents_.remarks;
  for (std::string& remark : remarks_on_oddities(contents_, oddities_)) notes.remarks.push_back(std::move(remark));
  notes.folders_without_images = contents_.empty_folders;
  return notes;
}

}  // namespace octavo::sources
