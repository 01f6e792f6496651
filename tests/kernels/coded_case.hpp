// A gather of LP8 rows with random contents: any bytes are a row, so that no encoder is needed. The expected values are
// those of Lp8Rows on one thread, which other tests compare with what was encoded.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "kernels/gather.hpp"
#include "kernels/thread_group.hpp"

namespace octavo::test {

using namespace octavo::kernels;

/// Every buffer has exactly the size that a kernel may use.
class CodedCase {
 public:
  static constexpr std::int64_t kRows = 7;

  CodedCase(std::uint32_t seed, const SampleShape& shape, DType type, Layout layout, std::int64_t count,
            bool pixel_shifts = false)
      : random_(seed), shape_(shape), type_(type), layout_(layout), count_(count) {
    const Lp8Tiling tiling(shape);
    for (std::int64_t row = 0; row < kRows; ++row) {
      Rows& rows = row < kResident ? resident_ : staged_;
      if (row % 3 == 2 || tiling.record_bytes() >= tiling.plain_bytes())
        add_plain(tiling, rows);
      else
        add_coded(tiling, rows);
      labels_.push_back(random_());
    }
    for (Rows* rows : {&resident_, &staged_}) {
      rows->bytes.resize(rows->bytes.size() + static_cast<std::size_t>(kRowGuardBytes), 0x5A);
    }
    resident_labels_.assign(labels_.begin(), labels_.begin() + kResident);
    staged_labels_.assign(labels_.begin() + kResident, labels_.end());
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      maps_.push_back({1.0f / (50.0f + static_cast<float>(c)), 0.25f - 0.125f * static_cast<float>(c)});
    }
    for (std::int64_t i = 0; pixel_shifts && i < shape.values(); ++i) {
      shifts_.push_back(static_cast<float>(random_() % 1000) / 777.0f);
    }
    for (std::int64_t b = 0; b < count; ++b) chosen_.push_back(static_cast<std::int64_t>(random_() % kRows));
    slots_.resize(static_cast<std::size_t>(kSlots * slot_bytes()));
  }

  GatherArgs args() {
    values_.assign(static_cast<std::size_t>(count_ * shape_.values()) * bytes_of(type_), std::byte{0xEE});
    out_labels_.assign(static_cast<std::size_t>(count_), 0xEEEEEEEEu);
    GatherArgs args{};
    args.packed = {resident_.bytes.data(),
                   resident_labels_.data(),
                   kResident,
                   staged_.bytes.data(),
                   staged_labels_.data(),
                   shape_.values(),
                   1,
                   RowCoding::lp8,
                   shape_,
                   resident_.offsets.data(),
                   staged_.offsets.data()};
    args.set_shapes(shape_, type_, layout_);
    args.selection = given_rows(chosen_.data(), kRows);
    args.batch_count = count_;
    args.maps = maps_.data();
    args.pixel_shifts = shifts_.empty() ? nullptr : shifts_.data();
    args.values = values_.data();
    args.label_type = LabelType::words;
    args.out_labels = out_labels_.data();
    args.block_memory = {slots_.data(), slot_bytes(), kSlots};
    return args;
  }

  std::vector<std::byte> expected_values() {
    const GatherArgs args = this->args();
    std::vector<std::byte> expected(values_.size());
    std::vector<std::int8_t> codes(static_cast<std::size_t>(shape_.values()));
    for (std::int64_t b = 0; b < count_; ++b) {
      const SelectedSample sample = sample_at(args.selection, b);
      Lp8Rows(args.packed).decode(sample.row, codes.data(), OneThread());
      visit_value_type(type_, [&](auto zero) {
        using Value = decltype(zero);
        for (std::int64_t i = 0; i < shape_.values(); ++i) {
          const auto value = round_to<Value>(gathered_value(plain_stages(args), codes.data(), sample, i));
          std::memcpy(expected.data() + static_cast<std::size_t>(b * shape_.values() + i) * sizeof value, &value,
                      sizeof value);
        }
      });
    }
    return expected;
  }
  std::vector<std::uint32_t> expected_labels() const {
    std::vector<std::uint32_t> expected;
    for (const std::int64_t row : chosen_) expected.push_back(labels_[static_cast<std::size_t>(row)]);
    return expected;
  }
  const std::vector<std::byte>& values() const { return values_; }
  const std::vector<std::uint32_t>& out_labels() const { return out_labels_; }

 private:
  static constexpr std::int64_t kResident = 4, kSlots = 3;
  struct Rows {
    std::vector<std::int8_t> bytes;
    std::vector<std::uint64_t> offsets = {0};
  };

  std::int64_t slot_bytes() const { return decoded_bytes(RowCoding::lp8, shape_.values()); }

  void add_plain(const Lp8Tiling& tiling, Rows& rows) {
    for (std::int64_t i = 0; i < tiling.plain_bytes(); ++i) rows.bytes.push_back(static_cast<std::int8_t>(random_()));
    rows.offsets.push_back(rows.bytes.size());
  }
  /// Tiles of all widths, some without payload, some that point behind the end of the row.
  void add_coded(const Lp8Tiling& tiling, Rows& rows) {
    std::vector<std::uint32_t> words;
    const bool are_differences = random_() % 2 == 0;
    const std::int64_t payload_words = (tiling.plain_bytes() - tiling.record_bytes()) / 4 - 1;
    for (std::int64_t tile = 0; tile < tiling.tile_count(); ++tile) {
      for (int i = 0; i < 3; ++i) words.push_back(random_() % 4 == 0 ? 0 : random_());
      const auto word = random_() % 10 == 0 ? (1u << 22) - 1
                                            : static_cast<std::uint32_t>(random_() % static_cast<std::uint32_t>(
                                                                                         std::max<std::int64_t>(1, payload_words)));
      words.push_back(word | (random_() % 2) << 22 | (are_differences ? 1u << 23 : 0) | (random_() & 0xFF) << 24);
    }
    for (std::int64_t i = 0; i < payload_words; ++i) words.push_back(random_());
    const auto* const bytes = reinterpret_cast<const std::int8_t*>(words.data());
    rows.bytes.insert(rows.bytes.end(), bytes, bytes + 4 * words.size());
    rows.offsets.push_back(rows.bytes.size());
  }

  std::mt19937 random_;
  SampleShape shape_;
  DType type_;
  Layout layout_;
  std::int64_t count_;
  Rows resident_, staged_;
  std::vector<std::uint32_t> labels_, resident_labels_, staged_labels_;
  std::vector<Affine> maps_;
  std::vector<float> shifts_;
  std::vector<std::int64_t> chosen_;
  std::vector<std::byte> slots_, values_;
  std::vector<std::uint32_t> out_labels_;
};

}  // namespace octavo::test
