#include "sources/combine/converted_source.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "images/image_header.hpp"
#include "images/mask_reader.hpp"
#include "sources/channel_losses.hpp"
#include "sources/conversion_notes.hpp"

namespace octavo::sources {
namespace {

SampleShape wanted_shape(SampleShape shape, const SourceOptions& options) {
  if (options.channels) shape.channels = *options.channels;
  if (options.size) shape.height = (*options.size)[0], shape.width = (*options.size)[1];
  return shape;
}

/// The quantization of converted channels. Converting between gray and three channels requires that all channels have
/// the same quantization.
std::vector<ChannelQuantization> converted_quantization(const SourceSplit& split, std::int64_t channels) {
  if (split.quantization.empty() || split.shape.channels == channels) return split.quantization;
  for (const ChannelQuantization& channel : split.quantization) {
    if (channel == split.quantization[0]) continue;
    throw DataError("convert the split \"" + split.name + "\" to " + std::to_string(channels) +
                    " channels: its channels have different value ranges; give all of them one "
                    "`range`");
  }
  return std::vector<ChannelQuantization>(static_cast<std::size_t>(channels), split.quantization[0]);
}

}  // namespace

ConvertedSource::ConvertedSource(std::unique_ptr<Source> source, const SourceOptions& options)
    : source_(std::move(source)), splits_(source_->splits()) {
  for (SourceSplit& split : splits_) {
    if (split.shape.channels != 1 && split.shape.channels != 3) {
      throw DataError("convert the split \"" + split.name + "\": it has " + to_string(split.shape) +
                      " values per sample; only gray and RGB images can be resized");
    }
    if (std::max(split.shape.height, split.shape.width) > images::kLargestSide) {
      throw DataError("convert the split \"" + split.name + "\": its images are " + to_string(split.shape) +
                      "; only images with sides up to " + std::to_string(images::kLargestSide) + " can be resized");
    }
    const SampleShape shape = wanted_shape(split.shape, options);
    if (shape != split.shape) split.max_error = 0;
    split.quantization = converted_quantization(split, shape.channels);
    split.shape = shape;
    split.color = split.shape.channels == 1 ? Color::gray : Color::rgb;
    targets_.push_back({split.shape, options.size.has_value(), options.fit, options.background});
  }
}

std::vector<SampleFailure> ConvertedSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                 std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const SampleShape& stored = source_->splits()[split].shape;
  const auto stored_count = static_cast<std::size_t>(stored.values());
  const auto made_count = static_cast<std::size_t>(splits_[split].shape.values());
  std::vector<std::uint8_t> planes(static_cast<std::size_t>(count) * stored_count);
  auto failures = source_->read(split, first_row, count, planes, labels);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    images::fill_sample(images::interleaved(std::span(planes).subspan(i * stored_count, stored_count), stored),
                        targets_[split], values.subspan(i * made_count, made_count));
  }
  return failures;
}

std::vector<SampleFailure> ConvertedSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                       std::span<std::uint8_t> masks) {
  const SampleShape& stored = source_->splits()[split].shape;
  const auto stored_count = static_cast<std::size_t>(stored.values_per_channel());
  const auto made_count = static_cast<std::size_t>(splits_[split].shape.values_per_channel());
  std::vector<std::uint8_t> stored_masks(static_cast<std::size_t>(count) * stored_count);
  auto failures = source_->read_masks(split, first_row, count, stored_masks);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    images::fill_mask(std::span(stored_masks).subspan(i * stored_count, stored_count), stored.height, stored.width,
                      targets_[split], masks.subspan(i * made_count, made_count));
  }
  return failures;
}

SourceNotes ConvertedSource::notes() const {
  SourceNotes notes = source_->notes();
  if (!targets_.empty()) notes.conversion = conversion_notes(targets_[0]);
  for (QuantizationNotes& quantized : notes.quantized) {
    const auto split = std::ranges::find(splits_, quantized.split, &SourceSplit::name);
    if (split == splits_.end() || std::ssize(quantized.channels) == split->shape.channels) continue;
    quantized.channels = in_channels(quantized.channels, split->shape.channels);
    if (quantized.level_use) quantized.level_use->channel.reset();
  }
  return notes;
}

std::unique_ptr<Source> converted(std::unique_ptr<Source> source, const SourceOptions& options) {
  for (const SourceSplit& split : source->splits()) {
    if (split.shape != wanted_shape(split.shape, options)) {
      return std::make_unique<ConvertedSource>(std::move(source), options);
    }
  }
  return source;
}

}  // namespace octavo::sources
