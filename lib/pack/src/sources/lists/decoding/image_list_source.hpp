// A source over image files: in folders or archives, or named by an image list.
#pragma once

#include <octavo/pack.hpp>

#include "arrays/quantizer.hpp"
#include "images/image_reader.hpp"
#include "sources/lists/decoding/image_conversion.hpp"
#include "sources/lists/decoding/image_sizes.hpp"
#include "sources/lists/decoding/image_survey.hpp"
#include "sources/lists/decoding/listed_bytes.hpp"
#include "sources/lists/decoding/memory_budget.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Decodes images on demand, on any number of threads. An image that cannot be decoded is a bad sample, reported by
/// read().
class ImageListSource final : public Source {
 public:
  /// `numbers` is for all lists of the source.
  ImageListSource(ImageList contents, ImageConversion conversion, const SourceOptions& options,
                  ListedFileNumbers& numbers);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return contents_.class_names; }
  std::string format() const override { return contents_.format; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::string sample_metadata(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> left_out() const override { return contents_.left_out; }
  std::vector<std::string> files() const override;
  SourceNotes notes() const override;

 private:
  /// Reads the file of a sample, or of its mask.
  std::string read_file(std::size_t split, std::size_t at, bool is_mask);
  /// The header that the survey found; if it found none, or the file has another size now, it is parsed again.
  images::ImageHeader header_of(std::span<const std::byte> file, std::size_t split, std::size_t at) const;
  void read_image(std::size_t split, std::size_t at, std::span<std::uint8_t> values);
  void read_mask(std::size_t split, std::size_t at, std::span<std::uint8_t> values);

  ImageList contents_;
  images::Limits limits_;
  images::Target target_;
  MaskColors mask_colors_;
  ImageRange range_;
  ListHeaders headers_;
  std::vector<SourceSplit> splits_;
  std::vector<ImageSizes> sizes_;                               ///< for each split; filled as images are read
  std::vector<std::vector<images::Oddities>> oddities_;         ///< [split][image]; set as images are read
  std::vector<std::unique_ptr<arrays::Quantizer>> quantizers_;  ///< for each split; null without deep images
  MemoryBudget decode_memory_;
  std::optional<ListedBytes> listed_bytes_;  ///< of an image list
};

}  // namespace octavo::sources
