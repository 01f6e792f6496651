// One split of a file that another program may have changed: its description and its rows. Use it in a child process,
// inside an hdf5::Session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/sample.hpp>

#include "dataset_file/rebuild/foreign_dataset.hpp"
#include "format/codec.hpp"
#include "format/row_offsets.hpp"
#include "hdf5/child_process.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {

class ForeignSplit {
 public:
  /// Throws FormatError if the split has types or shapes that a dataset file does not have.
  ForeignSplit(hid_t file, const std::string& name, std::int64_t version, std::int64_t file_bytes);

  const std::string& name() const { return name_; }
  /// This split's entry in the message kDescription.
  Json description() const;
  /// Sends all rows, in blocks.
  void send_rows(const hdf5::ChildOutput& output) const;

 private:
  std::optional<ForeignDataset> open(const char* dataset, std::int64_t file_bytes) const;
  void read_shape();
  void read_coded_rows(const std::string& encoding, std::int64_t version, std::int64_t file_bytes);
  /// `prefix` is that of the names of their other datasets.
  RowOffsets read_rows(const std::string& prefix, const ForeignDataset& rows, const SampleShape& shape,
                       std::int64_t file_bytes) const;
  std::shared_ptr<const RowTables> read_row_tables(const std::string& prefix, const ForeignDataset& rows,
                                                   std::int64_t file_bytes) const;
  std::vector<std::int8_t> read_codes(std::int64_t first, std::int64_t count) const;
  std::vector<std::uint8_t> read_masks(std::int64_t first, std::int64_t count) const;
  template <typename Value>
  std::vector<Value> read_coded(const ForeignDataset& dataset, const SampleShape& shape, const RowOffsets& rows,
                                std::int64_t first, std::int64_t count) const;
  SampleShape mask_shape() const { return {1, shape_.height, shape_.width}; }
  void read_label_layout();
  void check_masks() const;
  void check_companions() const;
  void send_names(const hdf5::ChildOutput& output, std::int64_t first, std::int64_t count) const;
  std::string text_attribute(const char* name, const char* otherwise) const;
  std::vector<double> number_attribute(const char* name, double otherwise) const;

  std::string name_;
  hdf5::GroupHandle group_;
  std::optional<ForeignDataset> images_;
  std::optional<ForeignDataset> labels_;
  std::optional<ForeignDataset> masks_;
  std::optional<ForeignDataset> checksums_;  ///< of the codes
  std::optional<ForeignDataset> names_;
  std::optional<ForeignDataset> name_offsets_;
  std::optional<ForeignDataset> columns_;
  std::int64_t sample_count_ = 0;
  SampleShape shape_;
  LabelLayout label_layout_;
  const Codec* codec_ = nullptr;  ///< of coded rows; null if images are not
  int max_error_ = 0;             ///< of coded rows in `images`
  RowOffsets rows_, mask_rows_;   ///< coded rows in `images` and `masks`
};

}  // namespace octavo::dataset_file
