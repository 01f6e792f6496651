// A source that a program fills sample by sample before packing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/source.hpp>
#include <octavo/source_notes.hpp>

namespace octavo {

/// A source to fill with append() and then pack with pack(). Samples are kept in unnamed temporary files that vanish
/// with this object, so memory use does not grow. Call append() from one thread at a time, and not during a read.
class SpooledSource final : public Source {
 public:
  /// `folder` holds the temporary files; best is the folder of the file to pack. `class_names` are in label order, or
  /// empty. `notes` is a JSON object for the provenance. Throws IoError if the folder is not writable.
  SpooledSource(std::filesystem::path folder, std::vector<std::string> class_names, std::string notes = "{}");
  ~SpooledSource() override;
  SpooledSource(const SpooledSource&) = delete;
  SpooledSource& operator=(const SpooledSource&) = delete;

  /// Appends samples to the split `layout.name`; the first call with a name creates the split. `layout.sample_count` is
  /// ignored; everything else must be the same as in the first call.
  ///
  /// values  uint8 [count,C,H,W]
  /// labels  count * bytes_per_sample bytes, int32 or float32; empty if the split has none
  /// names   count sample names, or empty; either all calls for a split pass names or none does
  /// masks   uint8 [count,H,W] if layout.has_masks; else empty
  /// metadata  count JSON arrays with a value for each of layout.columns; empty if there are none
  /// Throws InvalidArgument, naming split and sample, if sizes or layout do not match or the format does not allow
  /// them; IoError if the disk is full. Nothing is appended then.
  void append(const SourceSplit& layout, std::span<const std::uint8_t> values, std::span<const std::byte> labels,
              std::span<const std::string> names = {}, std::span<const std::uint8_t> masks = {},
              std::span<const std::string> metadata = {});
  /// Repeats the channel of the gray samples of a split three times, so that RGB samples can follow. Reads and writes
  /// all of them in place; the temporary file grows to three times its size. Throws InvalidArgument if there is no gray
  /// split of that name; IoError if the disk is full, and the split has no samples then.
  void convert_to_rgb(std::string_view split_name);
  /// Adds a sentence to the notes.
  void add_remark(std::string remark) { remarks_.push_back(std::move(remark)); }
  /// Adds what the program lost when it quantized the samples of a split.
  void add_quantization(QuantizationNotes quantized) { quantized_.push_back(std::move(quantized)); }
  /// Records a sample that the program could not provide.
  void leave_out(SampleFailure sample) { left_out_.push_back(std::move(sample)); }

  const std::vector<SourceSplit>& splits() const override;
  const std::vector<std::string>& class_names() const override { return class_names_; }
  std::string format() const override { return "appended"; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override;
  std::string sample_metadata(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> left_out() const override { return left_out_; }
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::vector<std::string> files() const override { return {}; }
  SourceNotes notes() const override;

 private:
  class Spool;
  std::size_t split_for(const SourceSplit& layout, bool with_names);

  std::filesystem::path folder_;
  std::vector<std::string> class_names_;
  std::string notes_;
  std::vector<std::string> remarks_;
  std::vector<QuantizationNotes> quantized_;
  std::vector<SampleFailure> left_out_;
  std::vector<SourceSplit> splits_;
  std::vector<std::unique_ptr<Spool>> spools_;  ///< one per split
};

}  // namespace octavo
