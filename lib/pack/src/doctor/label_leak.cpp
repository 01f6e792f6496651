#include "doctor/label_leak.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::doctor {
namespace {

constexpr std::int64_t kFewestSamples = 20, kSamplesPerValue = 5;
constexpr std::size_t kValues = 256;

/// Up to LabelLeaks::kMostPositions: those on the border of the first channel, and others evenly chosen.
std::vector<std::int64_t> watched_positions(const SampleShape& shape) {
  std::vector<std::int64_t> positions;
  const std::int64_t most = LabelLeaks::kMostPositions;
  if (shape.values() <= most) {
    for (std::int64_t position = 0; position < shape.values(); ++position) positions.push_back(position);
    return positions;
  }
  const std::int64_t border = 2 * (shape.height + shape.width), step = (border + most / 2 - 1) / (most / 2);
  for (std::int64_t x = 0; x < shape.width; x += step) {
    positions.push_back(x);
    positions.push_back((shape.height - 1) * shape.width + x);
  }
  for (std::int64_t y = 0; y < shape.height; y += step) {
    positions.push_back(y * shape.width);
    positions.push_back((y + 1) * shape.width - 1);
  }
  positions.push_back(shape.values_per_channel() - 1);
  for (std::int64_t i = 0; i < most / 2; ++i) positions.push_back(i * (shape.values() / (most / 2)));
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  if (std::ssize(positions) > most) positions.resize(static_cast<std::size_t>(most));
  return positions;
}

}  // namespace

LabelLeaks::LabelLeaks(const SampleSet& samples) : samples_(samples), watches_(samples.splits().size()) {}

void LabelLeaks::visit(const SampleBlock& block) {
  if (samples_.splits()[block.split].labels().kind != LabelKind::class_index) return;
  const std::lock_guard lock(mutex_);
  Watch& watched = watches_[block.split];
  if (watched.positions.empty()) {
    watched.positions = watched_positions(block.shape);
    watched.open_count = watched.positions.size();
    watched.is_shared.resize(watched.open_count);
    watched.classes.resize(watched.open_count * kValues, kUnseen);
  }
  for (std::int64_t i = 0; i < block.count && watched.open_count > 0; ++i) {
    std::int32_t label = 0;
    std::memcpy(&label, block.labels.data() + i * std::ssize(block.labels) / block.count, sizeof label);
    watch(watched, block, i, label);
  }
}

void LabelLeaks::watch(Watch& watched, const SampleBlock& block, std::int64_t index, std::int32_t label) const {
  const auto sample = block.sample(index);
  for (std::size_t i = 0; i < watched.positions.size(); ++i) {
    if (watched.is_shared[i]) continue;
    std::int32_t& known = watched.classes[i * kValues + sample[static_cast<std::size_t>(watched.positions[i])]];
    if (known == kUnseen) {
      known = label;
    } else if (known != label) {
      watched.is_shared[i] = true;
      --watched.open_count;
    }
  }
}

std::optional<LeakingPixel> LabelLeaks::of(std::size_t split) const {
  const Watch& watched = watches_[split];
  if (watched.open_count == 0) return std::nullopt;
  const SampleShape shape = samples_.splits()[split].shape();
  for (std::size_t i = 0; i < watched.positions.size(); ++i) {
    if (watched.is_shared[i]) continue;
    std::vector<std::int32_t> classes;
    for (std::size_t value = 0; value < kValues; ++value) {
      const std::int32_t label = watched.classes[i * kValues + value];
      if (label != kUnseen) classes.push_back(label);
    }
    const auto value_count = std::ssize(classes);
    std::ranges::sort(classes);
    if (classes.front() == classes.back()) return std::nullopt;  // one class
    if (samples_.splits()[split].sample_count() < std::max(kFewestSamples, kSamplesPerValue * value_count)) continue;
    const std::int64_t position = watched.positions[i], plane = shape.values_per_channel();
    return LeakingPixel{position / plane, position % plane / shape.width, position % shape.width, value_count};
  }
  return std::nullopt;
}

}  // namespace octavo::doctor
