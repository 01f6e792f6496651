// The input of the packer: splits of images, one shape per split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/source_notes.hpp>
#include <octavo/statistics.hpp>

namespace octavo {

/// One split of a source.
struct SourceSplit {
  std::string name;
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout labels;
  Color color = Color::other;
  std::string source_dtype = "uint8";                  ///< the element type before conversion to bytes
  std::vector<ChannelQuantization> quantization = {};  ///< [C], meaning of a value; empty: scale 1, zero point 0
  bool has_masks = false;                              ///< each sample has a mask, uint8 [H,W]
  std::vector<std::string> columns = {};               ///< names of the metadata of each sample
  int max_error = 0;                                   ///< values are multiples of value_step() of it
};

/// One sample that could not be read.
struct SampleFailure {
  std::int64_t row = 0;  ///< in its split
  std::string name;      ///< the file, or the file and the number in it
  std::string reason;    ///< what is wrong, without the name
};

/// A source of samples. Implementations validate everything they read: sizes, counts and labels are not trusted.
class Source {
 public:
  virtual ~Source() = default;

  /// The splits, in the order in which the file will hold them.
  virtual const std::vector<SourceSplit>& splits() const = 0;
  /// Class names in label order; empty if unknown.
  virtual const std::vector<std::string>& class_names() const = 0;
  /// The format of the files, for the provenance: "idx", "cifar10", "folder".
  virtual std::string format() const { return "custom"; }
  /// Whether read() may be called concurrently from several threads and in any order. If not, calls come one at a time,
  /// split by split, with rows ascending and without gaps.
  virtual bool is_random_access() const = 0;
  /// The name of a sample, for messages and stored names: "train/cat/7.png", "data_batch_1.bin#12".
  virtual std::string sample_name(std::size_t split, std::int64_t row) const = 0;

  /// If the sample is a file of its own: its path relative to the source's root.
  virtual std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const {
    static_cast<void>(split), static_cast<void>(row);
    return std::nullopt;
  }
  /// Whether samples of the split have a path.
  virtual bool has_sample_paths(std::size_t split) const {
    return splits()[split].sample_count > 0 && sample_path(split, 0).has_value();
  }
  /// The class number of a sample, if it is known without reading the sample.
  virtual std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const {
    static_cast<void>(split), static_cast<void>(row);
    return std::nullopt;
  }

  /// The classes of a sample, if they are known without reading the sample: its class number, or those of its
  /// multi-labels that are 1, ascending.
  virtual std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const {
    const auto label = class_index(split, row);
    return label ? std::vector<std::int32_t>{*label} : std::vector<std::int32_t>{};
  }

  /// Reads samples [first_row, first_row + count) of a split.
  ///
  /// values  uint8 [count,C,H,W], written
  /// labels  count * bytes_per_sample bytes, written; empty if the split has none
  /// Returns the samples that could not be read, in ascending order; their values are unspecified. A source that cannot
  /// continue after a bad sample throws FormatError or IoError instead, naming the file.
  virtual std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                          std::span<std::uint8_t> values, std::span<std::byte> labels) = 0;

  /// Reads the masks of the samples of a split that has masks. Called directly after read() of the same samples.
  ///
  /// masks   uint8 [count,H,W], written
  /// Returns the samples whose mask could not be read, like read(). A source without masks need not implement this.
  virtual std::vector<SampleFailure> read_masks(std::size_t /*split*/, std::int64_t /*first_row*/,
                                                std::int64_t /*count*/, std::span<std::uint8_t> /*masks*/) {
    throw std::logic_error("a source whose splits have masks does not implement read_masks()");
  }

  /// The metadata of a sample: a JSON array with a value for each of the split's columns.
  virtual std::string sample_metadata(std::size_t /*split*/, std::int64_t /*row*/) const { return "[]"; }

  /// Samples that are listed but not in any split because their image or label is missing (`row` is the line of the
  /// list), and archives whose remainder is damaged. Empty unless the source was opened to skip them.
  virtual std::vector<SampleFailure> left_out() const { return {}; }

  /// The files that were read, for the provenance.
  virtual std::vector<std::string> files() const = 0;
  /// What happened to the samples (resizing, quantization, choices), for reports and the provenance. Complete once all
  /// samples have been read.
  virtual SourceNotes notes() const { return {}; }
};

}  // namespace octavo
