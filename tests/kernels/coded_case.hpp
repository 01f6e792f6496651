// Coded rows with random contents: any bytes are a row, so that no encoder is needed. Their codes are those of the Rows
// policy on one thread, which other tests compare with what was encoded.
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

/// The rows of images of one shape. The memory of each part has exactly the size that a decoder may read.
class CodedRows {
 public:
  CodedRows(RowCoding coding, std::uint32_t seed, const SampleShape& shape, std::int64_t row_count,
            std::int64_t resident_count)
      : coding_(coding), random_(seed), shape_(shape), row_count_(row_count), resident_count_(resident_count) {
    constexpr std::uint32_t kValueSteps[] = {7, 1, 3, 1};
    value_step_ = kValueSteps[seed % std::size(kValueSteps)];
    if (coding == RowCoding::lc8) add_tables();
    for (std::int64_t row = 0; row < row_count; ++row) {
      Part& part = row < resident_count ? resident_ : staged_;
      const bool is_coded = row % 3 != 0 && (coding == RowCoding::lp8 ? add_lp8(part) : add_lc8(part));
      if (!is_coded) add_plain(part);
    }
    for (Part* part : {&resident_, &staged_}) {
      part->bytes.resize(part->bytes.size() + static_cast<std::size_t>(kRowGuardBytes), 0x5A);
      part->bytes.shrink_to_fit();
      part->offsets.shrink_to_fit();
    }
  }

  /// Without labels.
  PackedRows packed() const {
    return {.codes = resident_.bytes.data(),
            .labels = nullptr,
            .resident_count = resident_count_,
            .staged_codes = staged_.bytes.data(),
            .staged_labels = nullptr,
            .row_stride_bytes = shape_.values(),
            .label_words = 0,
            .coding = coding_,
            .shape = shape_,
            .row_offsets = resident_.offsets.data(),
            .staged_offsets = staged_.offsets.data(),
            .tables = tables_.data(),
            .value_step = value_step_};
  }
  /// The codes of all rows.
  std::vector<std::int8_t> decoded() const {
    std::vector<std::int8_t> codes(static_cast<std::size_t>(row_count_ * shape_.values()));
    const PackedRows packed = this->packed();
    for (std::int64_t row = 0; row < row_count_; ++row) {
      DecodedRows(packed).decode(row, whole_image(shape_), codes.data() + row * shape_.values(), OneThread());
    }
    return codes;
  }

 private:
  struct Part {
    std::vector<std::int8_t> bytes;
    std::vector<std::uint64_t> offsets = {0};
  };

  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  void add_plain(Part& part) {
    for (std::int64_t i = 0; i < Lp8Tiling(shape_).plain_bytes(); ++i)
      part.bytes.push_back(static_cast<std::int8_t>(word()));
    part.offsets.push_back(part.bytes.size());
  }
  static void add_words(const std::vector<std::uint32_t>& words, Part& part) {
    const auto* const bytes = reinterpret_cast<const std::int8_t*>(words.data());
    part.bytes.insert(part.bytes.end(), bytes, bytes + 4 * words.size());
    part.offsets.push_back(part.bytes.size());
  }
  /// Tiles of all widths, some without payload, some that point behind the end of the row. Only the first record says
  /// whether planes are differences. Returns false if coded rows are too large.
  bool add_lp8(Part& part) {
    const Lp8Tiling tiling(shape_);
    if (tiling.record_bytes() + 4 >= tiling.plain_bytes()) return false;
    const bool are_differences = word() % 2 == 0;
    const auto payload_words = static_cast<std::uint32_t>((tiling.plain_bytes() - tiling.record_bytes()) / 4 - 1);
    std::vector<std::uint32_t> words;
    for (std::int64_t tile = 0; tile < tiling.tile_count(); ++tile) {
      for (int i = 0; i < 3; ++i) words.push_back(word() % 4 == 0 ? 0 : word());
      const std::uint32_t place = word() % 10 == 0 ? (1u << 22) - 1 : word() % std::max(1u, payload_words);
      const bool has_bit = tile == 0 ? are_differences : word() % 2 == 0;
      words.push_back(place | (word() % 2) << 22 | (has_bit ? 1u << 23 : 0) | (word() & 0xFF) << 24);
    }
    for (std::uint32_t i = 0; i < payload_words; ++i) words.push_back(word());
    add_words(words, part);
    return true;
  }
  /// Entries of any kind that residuals have. Those of the first classes, or of all, are often zeros, so that rows of
  /// them follow.
  void add_tables() {
    const std::uint32_t classes_of_zeros = word() % 2 == 0 ? 8 : kLc8Classes;
    for (std::uint32_t i = 0; i < kLc8AllEntries; ++i) {
      const bool is_zero = i < classes_of_zeros * kLc8TableEntries && i % 8 != 0;
      const std::uint32_t extra_bits = word() % 8, places = 256u >> extra_bits;
      const std::int32_t base = static_cast<std::int32_t>(word() % places << extra_bits) - 128;
      const Lc8Entry entry = is_zero ? Lc8Entry::of(1, 0, 0) : Lc8Entry::of(1 + word() % 8, extra_bits, base);
      tables_.push_back(i < kLc8Classes * kLc8TableEntries ? entry.word : 0);
    }
  }
  /// Strips of any length, some of them plain, some groups that begin behind the end of the row.
  bool add_lc8(Part& part) {
    const Lc8Tiling tiling(shape_);
    const std::int64_t payload_words = tiling.plain_bytes() / 4 - tiling.header_words() - 1;
    if (payload_words < 1) return false;
    std::vector<std::uint32_t> words = {word()};
    for (std::int64_t group = 0; group < tiling.lengths_word() - 1; ++group) {
      words.push_back(word() % 10 == 0 ? word() : word() % static_cast<std::uint32_t>(payload_words));
    }
    words.resize(static_cast<std::size_t>(tiling.header_words()));
    for (std::int64_t strip = 0; strip < tiling.strip_count(); ++strip) {
      const std::uint64_t length = word() % 4 == 0 ? kLc8PlainLength : word() % 600;
      const std::int64_t bit = 32 * tiling.lengths_word() + strip * kLc8LengthBits;
      for (std::int64_t i = 0; i < kLc8LengthBits; ++i) {
        words[static_cast<std::size_t>((bit + i) / 32)] |= static_cast<std::uint32_t>(length >> i & 1)
                                                           << (bit + i) % 32;
      }
    }
    for (std::int64_t i = 0; i < payload_words; ++i) words.push_back(word() % 3 == 0 ? 0xFFFFFFFFu : word());
    add_words(words, part);
    return true;
  }

  RowCoding coding_;
  std::uint32_t value_step_;
  std::mt19937 random_;
  SampleShape shape_;
  std::int64_t row_count_, resident_count_;
  Part resident_, staged_;
  std::vector<std::uint32_t> tables_;
};

/// A gather of such rows without an augmentation.
class CodedCase {
 public:
  static constexpr std::int64_t kRows = 7;

  /// `chosen` are the rows of the batch; by default, random ones.
  CodedCase(RowCoding coding, std::uint32_t seed, const SampleShape& shape, DType type, Layout layout,
            std::int64_t count, std::vector<std::int64_t> chosen = {}, bool pixel_shifts = false)
      : shape_(shape), type_(type), layout_(layout), count_(count), rows_(coding, seed, shape, kRows, kResident) {
    std::mt19937 random(seed);
    const auto word = [&] { return static_cast<std::uint32_t>(random()); };
    for (std::int64_t i = 0; i < kRows * kLabelWords; ++i) labels_.push_back(word());
    resident_labels_.assign(labels_.begin(), labels_.begin() + kResident * kLabelWords);
    staged_labels_.assign(labels_.begin() + kResident * kLabelWords, labels_.end());
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      maps_.push_back({1.0f / (50.0f + static_cast<float>(c)), 0.25f - 0.125f * static_cast<float>(c)});
    }
    for (std::int64_t i = 0; pixel_shifts && i < shape.values(); ++i) {
      shifts_.push_back(static_cast<float>(word() % 1000) / 777.0f);
    }
    for (std::int64_t b = 0; b < count; ++b) chosen_.push_back(static_cast<std::int64_t>(word() % kRows));
    if (!chosen.empty()) chosen_ = std::move(chosen);
    slots_.resize(static_cast<std::size_t>(kSlots * slot_bytes()));
  }

  /// Gives the gather memory to decode `count` samples at once.
  void decode_first(std::int64_t count) {
    decoded_.assign(static_cast<std::size_t>(DecodedParts(count, shape_.values(), kLabelWords).bytes()),
                    std::byte{0xEE});
  }
  /// Draws rows with this cursor instead.
  void set_cursor(const OrderCursor& cursor) { cursor_ = std::make_unique<OrderCursor>(cursor); }
  const OrderCursor& cursor() const { return *cursor_; }

  GatherArgs args() {
    values_.assign(static_cast<std::size_t>(count_ * shape_.values()) * bytes_of(type_), std::byte{0xEE});
    out_labels_.assign(static_cast<std::size_t>(count_ * kLabelWords), 0xEEEEEEEEu);
    GatherArgs args{};
    args.packed = rows_.packed();
    args.packed.labels = resident_labels_.data();
    args.packed.staged_labels = staged_labels_.data();
    args.packed.label_words = kLabelWords;
    args.set_shapes(shape_, type_, layout_);
    args.selection = cursor_ ? rows_at(cursor_.get(), kRows) : given_rows(chosen_.data(), kRows);
    args.batch_count = count_;
    args.maps = maps_.data();
    args.pixel_shifts = shifts_.empty() ? nullptr : shifts_.data();
    args.values = values_.data();
    args.label_type = LabelType::words;
    args.out_labels = out_labels_.data();
    args.block_memory = {slots_.data(), slot_bytes(), kSlots};
    args.decoded_memory = {decoded_.data(), static_cast<std::int64_t>(decoded_.size())};
    return args;
  }

  std::vector<std::byte> expected_values() {
    const GatherArgs args = this->args();
    const std::vector<std::int8_t> codes = rows_.decoded();
    std::vector<std::byte> expected(values_.size());
    for (std::int64_t b = 0; b < count_; ++b) {
      const SelectedSample sample = sample_at(args.selection, b);
      visit_value_type(type_, [&](auto zero) {
        using Value = decltype(zero);
        for (std::int64_t i = 0; i < shape_.values(); ++i) {
          const auto value = round_to<Value>(
              gathered_value(plain_stages(args), codes.data() + sample.row * shape_.values(), sample, i));
          std::memcpy(expected.data() + static_cast<std::size_t>(b * shape_.values() + i) * sizeof value, &value,
                      sizeof value);
        }
      });
    }
    return expected;
  }
  /// The codes of the rows of the batch.
  std::vector<std::int8_t> expected_codes() {
    const RowSelection selection = args().selection;
    const std::vector<std::int8_t> codes = rows_.decoded();
    std::vector<std::int8_t> expected;
    for (std::int64_t b = 0; b < count_; ++b) {
      const auto row = codes.begin() + sample_at(selection, b).row * shape_.values();
      expected.insert(expected.end(), row, row + shape_.values());
    }
    return expected;
  }
  std::vector<std::uint32_t> expected_labels() {
    const RowSelection selection = args().selection;
    std::vector<std::uint32_t> expected;
    for (std::int64_t b = 0; b < count_; ++b) {
      const auto label = labels_.begin() + sample_at(selection, b).row * kLabelWords;
      expected.insert(expected.end(), label, label + kLabelWords);
    }
    return expected;
  }
  const std::vector<std::byte>& values() const { return values_; }
  const std::vector<std::uint32_t>& out_labels() const { return out_labels_; }

 private:
  static constexpr std::int64_t kResident = 4, kSlots = 3, kLabelWords = 3;
  std::int64_t slot_bytes() const { return decoded_bytes(RowCoding::lp8, shape_.values()); }

  SampleShape shape_;
  DType type_;
  Layout layout_;
  std::int64_t count_;
  CodedRows rows_;
  std::vector<std::uint32_t> labels_, resident_labels_, staged_labels_;
  std::vector<Affine> maps_;
  std::vector<float> shifts_;
  std::vector<std::int64_t> chosen_;
  std::unique_ptr<OrderCursor> cursor_;  ///< an object of its own, so that its bounds are known
  std::vector<std::byte> slots_, decoded_, values_;
  std::vector<std::uint32_t> out_labels_;
};

}  // namespace octavo::test
