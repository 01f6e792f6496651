// The packed samples of a store: resident samples on a device, the others in their source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>
#include <octavo/store.hpp>

#include "backend/backend.hpp"
#include "dataset_file/rows/row_source.hpp"
#include "format/row_offsets.hpp"
#include "kernels/packed_rows.hpp"
#include "store/rank_rows.hpp"
#include "store/resident_set.hpp"
#include "store/row_layout.hpp"

namespace octavo::exchange {
class Group;
}  // namespace octavo::exchange

namespace octavo::store {

/// Describes samples, independent of where they are.
struct SampleDescription {
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout labels;
  bool has_masks = false;
  kernels::RowCoding row_coding = kernels::RowCoding::plain;
  dataset_file::RowOffsets rows_in_source;   ///< [N]
  dataset_file::RowOffsets masks_in_source;  ///< [N] in row_coding, too; without bytes if has_masks is false
  std::vector<std::string> class_names;
  std::vector<ChannelQuantization> quantization;  ///< [C]
  Statistics statistics;                          ///< used to center batches
  std::string statistics_split;                   ///< the split of `statistics`
  std::string split_name;                         ///< empty for samples in memory
  std::uint64_t data_hash = 0;                    ///< equal for splits with equal samples and labels in the same order
};

/// Immutable once loaded.
class StoredSamples : public SampleDescription {
 public:
  std::shared_ptr<const void> owner;  ///< owner of borrowed memory; declared first, so that it is destroyed last
  std::shared_ptr<backend::Backend> backend;
  RowLayout layout;

  Residency residency = Residency::device;              ///< never automatic
  std::string residency_reason;                         ///< see Store::residency_reason()
  ResidentSet resident;                                 ///< the samples on the device
  ResidentSet loaded;                                   ///< those that this process loads: all, or its share of them
  dataset_file::RowOffsets resident_rows;               ///< by slot
  dataset_file::RowOffsets resident_masks;              ///< by slot
  std::int64_t window_samples = 0;                      ///< samples per window; 0 unless the residency is `window`
  backend::DeviceBuffer codes;                          ///< the rows of the resident samples, in row_coding
  backend::DeviceBuffer row_offsets;                    ///< resident_rows.table(); empty if it is
  backend::DeviceBuffer row_tables;                     ///< RowTables::entries; empty if there are none
  backend::DeviceBuffer masks;                          ///< their masks
  backend::DeviceBuffer mask_offsets;                   ///< resident_masks.table(); empty if it is
  backend::DeviceBuffer mask_tables;                    ///< as row_tables
  backend::DeviceBuffer label_words;                    ///< their labels, K words each
  std::unique_ptr<const dataset_file::RowSource> rows;  ///< source of samples that are not resident; null if all are
  std::shared_ptr<exchange::Group> group;               ///< the ranks that hold the samples, if there are several
  RankRows ranks;                                       ///< which of them holds which, with `group`
  /// All samples and labels in the caller's memory, if the CPU uses them in place; else null.
  const std::int8_t* borrowed_codes = nullptr;
  const std::uint32_t* borrowed_labels = nullptr;

  /// Of the values of a mask.
  SampleShape mask_shape() const { return {has_masks ? 1 : 0, shape.height, shape.width}; }
  bool is_resident() const { return resident.count() == sample_count; }
  std::int64_t device_bytes() const {
    return static_cast<std::int64_t>(codes.bytes() + row_offsets.bytes() + row_tables.bytes() + masks.bytes() +
                                     mask_offsets.bytes() + mask_tables.bytes() + label_words.bytes());
  }
  /// The resident samples. Staging adds the other samples of a batch.
  kernels::PackedSamples resident_samples() const {
    const bool is_borrowed = borrowed_codes != nullptr;
    return {{is_borrowed ? borrowed_codes : codes.as<std::int8_t>(),
             is_borrowed ? borrowed_labels : label_words.as<std::uint32_t>(), resident.count(), nullptr, nullptr,
             rows_in_source.mean_bytes(), labels.width, row_coding, shape, row_offsets.as<std::uint64_t>(), nullptr,
             row_tables.as<std::uint32_t>(), rows_in_source.value_step()},
            {masks.as<std::int8_t>(), nullptr, resident.count(), nullptr, nullptr, masks_in_source.mean_bytes(), 0,
             has_masks ? row_coding : kernels::RowCoding::plain, mask_shape(), mask_offsets.as<std::uint64_t>(),
             nullptr, mask_tables.as<std::uint32_t>()}};
  }
};

/// Reads and checks the resident samples of `split` and their labels. The buffers of `samples` must be allocated.
void read_samples(const Split& split, const LoadOptions& options, const StoredSamples& samples);
/// Copies the resident samples and their labels from host memory.
void copy_samples(const HostSamples& from, const StoredSamples& samples);

}  // namespace octavo::store
