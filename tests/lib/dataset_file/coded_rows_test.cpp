// LP8 and LC8: rows decode to what was encoded, on every instruction set; any bytes are decoded in bounds; files say
// which sample is damaged.
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>

#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "dataset_file/split_data.hpp"
#include "forge.hpp"
#include "format/codec.hpp"
#include "format/coded_rows/lc8_codec.hpp"
#include "format/reader.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"
#include "kernels/stages/load.hpp"
#include "kernels/thread_group.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;
using Codes = std::vector<std::int8_t>;

namespace {

const SampleShape kShapes[] = {{1, 1, 1},   {1, 1, 9},   {1, 33, 8},   {2, 28, 28}, {3, 32, 32}, {3, 5, 7},
                               {3, 37, 61}, {4, 65, 17}, {3, 96, 131}, {1, 1, 517}, {1, 513, 1}, {3, 224, 224}};

enum class Kind { noise, smooth, constant, vertical_stripes, extremes, color };
constexpr std::array kKinds = {Kind::noise,    Kind::smooth, Kind::constant, Kind::vertical_stripes,
                               Kind::extremes, Kind::color};

Codes image_of(const SampleShape& shape, Kind kind, unsigned seed) {
  std::mt19937 random(seed);
  Codes codes;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      for (std::int64_t x = 0; x < shape.width; ++x) {
        const auto noise = static_cast<int>(random() >> 8);
        int value = 0;
        if (kind == Kind::noise) value = noise;
        if (kind == Kind::smooth) value = static_cast<int>(x + 2 * y + 20 * c) + noise % 3;
        if (kind == Kind::constant) value = 77;
        if (kind == Kind::vertical_stripes) value = static_cast<int>(x * 91) + noise % 2;
        if (kind == Kind::extremes) value = noise % 2 == 0 ? 127 : -128;
        if (kind == Kind::color) value = static_cast<int>((x * 13 + y * 7) % 64 + 3 * c) + noise % 2;
        codes.push_back(static_cast<std::int8_t>(value));
      }
    }
  }
  return codes;
}

/// An encoding whose rows stay compressed.
Compression each_coding() { return GENERATE(Compression::lp8, Compression::lc8); }

std::vector<std::byte> encoded(Compression coding, const SampleShape& shape, const Codes& codes) {
  const dataset_file::Codec& codec = dataset_file::codec_of(coding);
  std::vector<std::byte> row;
  codec.make_row_encoder(shape, codec.tables_for(shape))->encode(std::as_bytes(std::span(codes)), row);
  return row;
}

bool can_be_row(Compression coding, const SampleShape& shape, std::size_t bytes) {
  return dataset_file::codec_of(coding).can_be_row(shape, static_cast<std::int64_t>(bytes));
}

/// Rows in memory that ends after the guard, so that AddressSanitizer notices reads beyond it.
class StoredRows {
 public:
  StoredRows(Compression coding, const SampleShape& shape, const std::vector<std::vector<std::byte>>& rows,
             std::uint32_t value_step = 1)
      : tables_(dataset_file::codec_of(coding).tables_for(shape)) {
    for (const std::vector<std::byte>& row : rows) {
      bytes_.insert(bytes_.end(), row.begin(), row.end());
      offsets_.push_back(bytes_.size());
    }
    bytes_.resize(bytes_.size() + static_cast<std::size_t>(kernels::kRowGuardBytes), std::byte{0x5A});
    bytes_.shrink_to_fit();
    packed_ = {.codes = reinterpret_cast<const std::int8_t*>(bytes_.data()),
               .labels = nullptr,
               .resident_count = std::ssize(rows),
               .staged_codes = nullptr,
               .staged_labels = nullptr,
               .row_stride_bytes = 0,
               .label_words = 0,
               .coding = dataset_file::codec_of(coding).row_coding,
               .shape = shape,
               .row_offsets = offsets_.data(),
               .tables = tables_ ? tables_->entries.data() : nullptr,
               .value_step = value_step};
  }

  /// The codes of a row after decoding `part` of it; those that were not decoded are 99.
  Codes part_by_definition(std::int64_t row, const kernels::ImagePart& part) const {
    Codes codes(static_cast<std::size_t>(packed_.shape.values()), 99);
    kernels::DecodedRows(packed_).decode(row, part, codes.data(), kernels::OneThread());
    return codes;
  }
  Codes part_by_simd(std::int64_t row, const kernels::ImagePart& part) const {
    std::vector<std::byte> scratch;
    const std::int8_t* const codes = row_codes(scratch).of(row, part);
    return {codes, codes + packed_.shape.values()};
  }
  Codes by_definition() const {
    Codes codes(static_cast<std::size_t>(packed_.resident_count * packed_.shape.values()));
    for (std::int64_t row = 0; row < packed_.resident_count; ++row) {
      kernels::DecodedRows(packed_).decode(row, kernels::whole_image(packed_.shape),
                                           codes.data() + row * packed_.shape.values(), kernels::OneThread());
    }
    return codes;
  }
  /// With the instructions that are chosen now, as many rows at once as possible.
  Codes by_simd() const {
    const std::int64_t values = packed_.shape.values();
    std::vector<std::byte> scratch;
    const kernels::cpu::RowCodes rows = row_codes(scratch);
    Codes codes;
    for (std::int64_t first = 0; first < packed_.resident_count; first += rows.most_rows()) {
      std::vector<std::int64_t> numbers(
          static_cast<std::size_t>(std::min(rows.most_rows(), packed_.resident_count - first)));
      std::iota(numbers.begin(), numbers.end(), first);
      rows.decode(numbers.data(), std::ssize(numbers));
      for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
        codes.insert(codes.end(), rows.decoded(i), rows.decoded(i) + values);
      }
    }
    return codes;
  }

 private:
  kernels::cpu::RowCodes row_codes(std::vector<std::byte>& scratch) const {
    const std::int64_t values = packed_.shape.values();
    kernels::cpu::ScratchParts counted(nullptr);
    kernels::cpu::RowCodes(packed_, values, counted);
    scratch.assign(static_cast<std::size_t>(counted.bytes()), std::byte{99});
    kernels::cpu::ScratchParts parts(scratch.data());
    return {packed_, values, parts};
  }

  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::shared_ptr<const dataset_file::RowTables> tables_;
  kernels::PackedRows packed_;
};

/// Calls check() with each instruction set of this processor.
template <typename Check>
void for_targets(const Check& check) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t targets = all; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    INFO(hwy::TargetName(targets & -targets));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

void change_byte(const std::filesystem::path& path, std::int64_t offset) {
  std::byte byte{};
  File::open_for_reading(path).read_at(offset, {&byte, 1});
  byte ^= std::byte{0x10};
  File::open_for_writing(path).write_at(offset, {&byte, 1});
}

std::string defect_text(const std::filesystem::path& path) {
  std::string text;
  for (const Defect& defect : verify(path).defects) text += defect.where + ": " + defect.what + "\n";
  return text;
}

}  // namespace

TEST_CASE("coded rows decode to what was encoded, with every instruction set", "[unit][coded]") {
  const Compression coding = each_coding();
  for (const SampleShape& shape : kShapes) {
    for (const Kind kind : kKinds) {
      const Codes codes = image_of(shape, kind, 3);
      const std::vector<std::byte> row = encoded(coding, shape, codes);
      INFO(to_string(coding) << ", " << to_string(shape) << ", kind " << static_cast<int>(kind) << ", " << row.size()
                             << " bytes");
      REQUIRE(can_be_row(coding, shape, row.size()));
      const StoredRows stored(coding, shape, {row});
      REQUIRE(stored.by_definition() == codes);
      for_targets([&] { REQUIRE(stored.by_simd() == codes); });
    }
  }
}

TEST_CASE("coded rows decode to multiples of their value step, with every instruction set", "[unit][coded]") {
  const Compression coding = each_coding();
  const auto value_step = GENERATE(3u, 5u, 7u);
  for (const SampleShape& shape : {SampleShape{3, 32, 32}, SampleShape{3, 5, 7}, SampleShape{1, 33, 8}}) {
    for (const Kind kind : {Kind::smooth, Kind::noise}) {  // the second one does not shrink
      Codes codes = image_of(shape, kind, 3);
      for (std::int8_t& code : codes)
        code = static_cast<std::int8_t>(code - (code + 128) % static_cast<int>(value_step));
      Codes divided = codes;
      for (std::int8_t& code : divided)
        code = static_cast<std::int8_t>((code + 128) / static_cast<int>(value_step) - 128);
      const StoredRows stored(coding, shape, {encoded(coding, shape, divided)}, value_step);
      INFO(to_string(coding) << ", " << to_string(shape) << ", step " << value_step);
      REQUIRE(stored.by_definition() == codes);
      for_targets([&] { REQUIRE(stored.by_simd() == codes); });
    }
  }
}

TEST_CASE("a part of a coded row decodes like the whole, and other units are not decoded", "[unit][coded]") {
  const Compression coding = each_coding();
  std::mt19937 random(5);
  const auto below = [&](std::int64_t count) { return static_cast<std::int64_t>(random()) % count; };
  for (const SampleShape& shape : kShapes) {
    const Codes codes = image_of(shape, Kind::smooth, 3);
    const StoredRows stored(coding, shape, {encoded(coding, shape, codes)});
    for (int i = 0; i < 8; ++i) {
      const std::int64_t top = below(shape.height), left = below(shape.width);
      const kernels::ImagePart part = {kernels::AxisPart::of(top, top + below(shape.height - top + 1)),
                                       kernels::AxisPart::of(left, left + below(shape.width - left + 1))};
      INFO(to_string(coding) << ", " << to_string(shape) << ", rows " << part.rows.first << " to " << part.rows.end
                             << ", columns " << part.columns.first << " to " << part.columns.end);
      const auto check = [&](const Codes& decoded) {
        bool is_equal = true;
        for (std::int64_t c = 0; c < shape.channels; ++c) {
          for (std::int64_t y = part.rows.first; y < part.rows.end; ++y) {
            const auto at = static_cast<std::ptrdiff_t>((c * shape.height + y) * shape.width);
            is_equal &= std::equal(codes.begin() + at + part.columns.first, codes.begin() + at + part.columns.end,
                                   decoded.begin() + at + part.columns.first);
          }
        }
        REQUIRE(is_equal);
      };
      check(stored.part_by_definition(0, part));
      for_targets([&] { check(stored.part_by_simd(0, part)); });
    }
  }
  // Units have at most 64 rows and 32 columns.
  const SampleShape large = {3, 200, 200};
  const StoredRows stored(coding, large, {encoded(coding, large, image_of(large, Kind::smooth, 3))});
  const kernels::ImagePart corner = {{0, 1}, {0, 1}};
  const auto check_rest = [&](const Codes& decoded) {
    for (std::int64_t y = 0; y < large.height; ++y) {
      for (std::int64_t x = 0; x < large.width; ++x) {
        if (y < 64 && x < 96) continue;  // a vector of tiles has eight
        REQUIRE(decoded[static_cast<std::size_t>(large.values_per_channel() + y * large.width + x)] == 99);
      }
    }
  };
  check_rest(stored.part_by_definition(0, corner));
  for_targets([&] { check_rest(stored.part_by_simd(0, corner)); });
}

TEST_CASE("coded rows decode together like one by one, with every instruction set", "[unit][coded]") {
  const Compression coding = each_coding();
  for (const SampleShape& shape : kShapes) {
    if (shape.values() > 20000) continue;
    Codes all;
    std::vector<std::vector<std::byte>> rows;
    for (unsigned seed = 0; seed < 3; ++seed) {
      for (const Kind kind : kKinds) {
        const Codes codes = image_of(shape, kind, seed);
        all.insert(all.end(), codes.begin(), codes.end());
        rows.push_back(encoded(coding, shape, codes));
      }
    }
    INFO(to_string(coding) << ", " << to_string(shape));
    const StoredRows stored(coding, shape, rows);
    REQUIRE(stored.by_definition() == all);
    for_targets([&] { REQUIRE(stored.by_simd() == all); });
  }
}

TEST_CASE("coded rows shrink photographs, and store what does not shrink as it is", "[unit][coded]") {
  const Compression coding = each_coding();
  const SampleShape shape{3, 96, 96};
  CHECK(encoded(coding, shape, image_of(shape, Kind::noise, 1)).size() == static_cast<std::size_t>(shape.values()));
  CHECK(encoded(coding, shape, image_of(shape, Kind::smooth, 1)).size() < static_cast<std::size_t>(shape.values()) / 2);
  // Planes that hardly differ from each other.
  const std::size_t color = encoded(coding, shape, image_of(shape, Kind::color, 1)).size();
  const std::size_t gray = encoded(coding, {1, 96, 96}, image_of({1, 96, 96}, Kind::color, 1)).size();
  CHECK(color < 2 * gray);
}

TEST_CASE("a constant image is hardly more than the headers of its row", "[unit][coded]") {
  const SampleShape shape{3, 96, 96};
  const Codes codes = image_of(shape, Kind::constant, 1);
  // 12 tiles of 32 rows per plane, a record of 16 bytes each, and no payload.
  CHECK(encoded(Compression::lp8, shape, codes).size() == 3 * 12 * 3 * 16);
  // 2 bands of 48 rows with 3 groups: flags, 6 places and the lengths of 72 strips, then a bit per row.
  const std::size_t header = 4 * (1 + 6 + 72 * 12 / 32);
  const std::size_t bytes = encoded(Compression::lc8, shape, codes).size();
  CHECK(bytes > header);
  CHECK(bytes < header + 72 * 48 / 8 * 2);
}

TEST_CASE("coded rows decode any bytes in bounds, to the same values with every instruction set", "[unit][coded]") {
  const Compression coding = each_coding();
  std::mt19937 random(7);
  for (const SampleShape& shape : kShapes) {
    if (shape.values() > 20000) continue;
    const std::vector<std::byte> whole = encoded(coding, shape, image_of(shape, Kind::smooth, 5));
    for (int round = 0; round < 40; ++round) {
      std::vector<std::byte> row = whole;
      // Other bytes in a few places, in the header or everywhere; or a row that ends early.
      const std::size_t changed = round % 3 == 0   ? 3
                                  : round % 3 == 1 ? std::min<std::size_t>(row.size(), 64)
                                                   : row.size();
      for (std::size_t i = 0; i < changed; ++i) {
        const std::size_t at = round % 3 == 0 ? random() % row.size() : i;
        row[at] = static_cast<std::byte>(random() >> 9);
      }
      const std::size_t shorter = row.size() - std::min<std::size_t>(row.size() - 4, random() % 64) / 4 * 4;
      if (can_be_row(coding, shape, shorter)) row.resize(shorter);
      const StoredRows stored(coding, shape, {row});
      const Codes codes = stored.by_definition();
      INFO(to_string(coding) << ", " << to_string(shape) << ", round " << round);
      for_targets([&] { REQUIRE(stored.by_simd() == codes); });
    }
  }
}

TEST_CASE("a coded row has one of the possible sizes", "[unit][coded]") {
  const SampleShape shape{1, 8, 16};
  const auto least = GENERATE(std::pair(Compression::lp8, std::size_t{32}),  // two records
                              std::pair(Compression::lc8, std::size_t{8}));  // flags, and the lengths of two strips
  INFO(to_string(least.first));
  CHECK(can_be_row(least.first, shape, least.second));
  CHECK(can_be_row(least.first, shape, 128));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{4}, least.second - 4, least.second + 1, std::size_t{126},
                                  std::size_t{132}, std::size_t{1} << 20}) {
    INFO(bytes);
    CHECK_FALSE(can_be_row(least.first, shape, bytes));
  }
}

TEST_CASE("tables of LC8 code frequent residuals in few bits, and are read as they were stored", "[unit][coded]") {
  dataset_file::Lc8Counts counts{};
  for (int residual = -128; residual < 128; ++residual) {
    counts[0][static_cast<std::uint8_t>(residual)] = residual == 0 ? 1'000'000 : 0;
    counts[5][static_cast<std::uint8_t>(residual)] = 1 + 100'000 / (1 + residual * residual);
    counts[15][static_cast<std::uint8_t>(residual)] = 1000;
  }
  const auto tables = dataset_file::make_lc8_tables(counts);
  const dataset_file::Lc8Codes codes = dataset_file::lc8_codes(*tables);
  CHECK(codes[0][0].bit_count == 1);
  CHECK(codes[5][0].bit_count < codes[5][3].bit_count);
  CHECK(codes[5][3].bit_count < codes[5][60].bit_count);
  for (const auto& code : codes[15]) CHECK(code.bit_count == 8);
  for (const auto& of_class : codes) {
    for (const auto& code : of_class) CHECK(code.bit_count <= kernels::kLc8MostResidualBits);
  }
  const auto read = dataset_file::read_lc8_tables(tables->stored);
  CHECK(read->stored == tables->stored);
  CHECK(read->entries == tables->entries);
}

TEST_CASE("tables of LC8 that are trained with some samples encode others in fewer bytes", "[unit][coded]") {
  const SampleShape shape{3, 32, 32};
  const auto few_levels = [&](unsigned seed) {
    Codes codes = image_of(shape, Kind::noise, seed);
    for (std::int8_t& code : codes) code = static_cast<std::int8_t>(code & 0xF0);
    return codes;
  };
  Codes typical;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Codes codes = few_levels(seed);
    typical.insert(typical.end(), codes.begin(), codes.end());
  }
  const auto bytes_with = [&](const std::shared_ptr<const dataset_file::RowTables>& tables) {
    const Codes codes = few_levels(99);
    std::vector<std::byte> encoded;
    dataset_file::make_lc8_encoder(shape, tables)->encode(std::as_bytes(std::span(codes)), encoded);
    return encoded.size();
  };
  const auto general = dataset_file::default_lc8_tables(shape);
  const auto trained = dataset_file::train_lc8_tables(shape, std::as_bytes(std::span(typical)));
  CHECK(bytes_with(general) == 3072);  // as they are
  CHECK(bytes_with(trained) < 2300);   // half of that is the least: 4 bits of 8
  CHECK(dataset_file::train_lc8_tables(shape, {}) == general);
}

TEST_CASE("stored tables of LC8 that are no prefix codes are refused", "[unit][coded]") {
  std::vector<std::byte> stored = dataset_file::default_lc8_tables({1, 8, 8})->stored;
  CHECK_NOTHROW(dataset_file::read_lc8_tables(stored));
  const auto refuse = [&](const std::vector<std::byte>& bytes) {
    CHECK_THROWS_AS(dataset_file::read_lc8_tables(bytes), FormatError);
  };
  refuse({});
  refuse({stored.begin(), stored.end() - 1});
  std::vector<std::byte> longer = stored;
  longer.push_back(std::byte{8});
  refuse(longer);
  for (std::size_t at = 0; at < stored.size(); at += 7) {
    for (const int changed : {0, 0x09, 0x0F, 0x70, 0x80, 0xFF}) {
      std::vector<std::byte> other = stored;
      other[at] = static_cast<std::byte>(changed);
      if (other[at] != stored[at]) refuse(other);
    }
  }
}

TEST_CASE("a file of coded rows reads as a plain one, and is whole", "[unit][coded]") {
  const Compression coding = each_coding();
  const std::vector<PlainSplit> splits = {smooth_split("train", 300, {3, 32, 32}), masked_split("val", 7, {1, 20, 13})};
  const PackedFixture plain(splits, Compression::none), coded(splits, coding);
  CHECK(defect_text(coded.path()) == "");
  for (const char* name : {"train", "val"}) {
    const Split from = plain.dataset().split(name), split = coded.dataset().split(name);
    CHECK(split.compression() == coding);
    CHECK(split.data()->description().data_hash == from.data()->description().data_hash);
    const std::int64_t N = split.sample_count(), values = split.shape().values();
    for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>{0, N}, {3, 2}, {N - 1, 1}, {N, 0}}) {
      Codes expected(static_cast<std::size_t>(count * values)), codes(expected.size(), 1);
      from.read(first, count, expected);
      split.read(first, count, codes);
      CHECK(codes == expected);
      std::vector<std::byte> labels(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
      Codes checked(expected.size(), 1);
      split.read_checked(first, count, checked, labels);
      CHECK(checked == expected);
    }
    if (split.has_masks()) {
      const auto pixels = static_cast<std::size_t>(split.shape().values_per_channel());
      std::vector<std::uint8_t> expected(static_cast<std::size_t>(N) * pixels), masks(expected.size()), checked(masks);
      from.read_masks(0, N, expected);
      split.read_masks(0, N, masks);
      CHECK(masks == expected);
      Codes codes(static_cast<std::size_t>(N * values));
      std::vector<std::byte> labels(static_cast<std::size_t>(N * split.labels().bytes_per_sample()));
      split.read_checked(0, N, codes, labels, checked);
      CHECK(checked == expected);
      CHECK_THROWS_AS(split.read_masks(1, N, masks), InvalidArgument);
    }
    Codes one(static_cast<std::size_t>(values));
    CHECK_THROWS_AS(split.read(N, 1, one), InvalidArgument);
    CHECK_THROWS_AS(split.read(0, 1, std::span(one).first(one.size() - 1)), InvalidArgument);
  }
  CHECK(coded.dataset().split("train").stored_bytes() < plain.dataset().split("train").stored_bytes() / 2);
}

TEST_CASE("a file with a largest error has the values themselves, and is smaller", "[unit][coded]") {
  const Compression coding = each_coding();
  const int max_error = GENERATE(1, 2, 3);
  const PlainSplit split = rounded(smooth_split("train", 40, {3, 32, 32}), max_error);
  const PackedFixture plain({split}, Compression::none), coded({split}, coding);
  CHECK(defect_text(coded.path()) == "");
  const Split from = plain.dataset().split("train"), in = coded.dataset().split("train");
  CHECK(coded.dataset().format_version() == 4);
  CHECK(in.max_error() == max_error);
  CHECK(in.statistics().histogram == from.statistics().histogram);
  Codes expected(static_cast<std::size_t>(from.packed_bytes())), codes(expected.size());
  from.read(0, 40, expected);
  in.read(0, 40, codes);
  CHECK(codes == expected);
  const PackedFixture exact({smooth_split("train", 40, {3, 32, 32})}, coding);
  CHECK(in.stored_bytes() < exact.dataset().split("train").stored_bytes());
}

TEST_CASE("a largest error that a file cannot have is refused when it is opened", "[unit][coded]") {
  const PackedFixture coded({rounded(smooth_split("train", 5, {3, 32, 32}), 1)}, each_coding());
  std::string text = index_text_of(coded.path());
  CHECK(dataset_file::decode_index(text).splits[0].max_error == 1);
  const std::string version = "\"format_version\":4";
  text.replace(text.find(version), version.size(), "\"format_version\":3");
  CHECK(dataset_file::decode_index(text).splits[0].max_error == 0);  // version 3 does not define it
  forge_index(coded.path(), [](Json& index) { index["splits"][0]["max_error"] = 4; });
  CHECK_THROWS_WITH(coded.dataset(), ContainsSubstring("max_error is 4; expected 0 to 3"));
  forge_index(coded.path(), [](Json& index) { index["splits"][0]["max_error"] = -1; });
  CHECK_THROWS_WITH(coded.dataset(), ContainsSubstring("max_error is not an integer"));
}

TEST_CASE("a writer refuses values and files that have no step", "[unit][coded]") {
  const TemporaryFolder folder;
  WriterOptions options;
  options.splits = {{.name = "train", .shape = {1, 1, 2}, .labels = {}, .row_capacity = 1, .max_error = 1}};
  CHECK_THROWS_WITH(Writer(folder / "a.h5", options), ContainsSubstring("expected lp8 or lc8"));
  options.compression = Compression::lp8;
  {
    Writer writer(folder / "a.h5", options);
    std::vector<std::uint8_t> values = {6, 7};
    CHECK_THROWS_WITH(writer.write(0, 0, values, {}), ContainsSubstring("the value 7 is not a multiple of 3"));
  }
  options.splits[0].max_error = 4;
  CHECK_THROWS_WITH(Writer(folder / "a.h5", options), ContainsSubstring("a largest error of 4; expected 0 to 3"));
}

TEST_CASE("coded masks shrink, and their damage is noticed", "[unit][coded]") {
  PlainSplit plain = masked_split("train", 30, {3, 32, 32});
  for (std::size_t i = 0; i < plain.masks.size(); ++i) plain.masks[i] = static_cast<std::uint8_t>(i / 100 % 3);
  const PackedFixture fixture({plain}, each_coding());
  const auto reader = dataset_file::Reader::open(fixture.path());
  const dataset_file::SplitEntry& entry = reader->index().splits[0];
  CHECK(entry.masks->bytes < 30 * 32 * 32 / 4);
  CHECK(defect_text(fixture.path()) == "");
  change_byte(fixture.path(), entry.masks->offset + entry.mask_rows[9] + 3);
  CHECK_THAT(defect_text(fixture.path()), ContainsSubstring("/train/images sample 9: its checksum"));
}

TEST_CASE("damage to a file of coded rows names the sample", "[unit][coded]") {
  const PackedFixture fixture({smooth_split("train", 50, {3, 32, 32})}, each_coding());
  const auto reader = dataset_file::Reader::open(fixture.path());
  const dataset_file::SplitEntry& entry = reader->index().splits[0];
  change_byte(fixture.path(), entry.images.offset + entry.rows[17] + 5);
  CHECK_THAT(defect_text(fixture.path()), ContainsSubstring("/train/images sample 17: its checksum"));
  const Split split = fixture.dataset().split("train");
  Codes codes(static_cast<std::size_t>(50 * split.shape().values()));
  std::vector<std::byte> labels(50 * 4);
  CHECK_THROWS_WITH(split.read_checked(0, 50, codes, labels), ContainsSubstring("sample 17 is damaged"));
  CHECK_NOTHROW(split.read(0, 50, codes));
}

TEST_CASE("damage to the checksums of decoded rows is not taken for damage to the samples", "[unit][coded]") {
  const PackedFixture fixture({smooth_split("train", 50, {3, 32, 32})}, each_coding());
  const dataset_file::SplitEntry entry = dataset_file::Reader::open(fixture.path())->index().splits[0];
  change_byte(fixture.path(), entry.decoded_checksums->offset + 8 * 17);
  const std::string defects = defect_text(fixture.path());
  CHECK_THAT(defects, ContainsSubstring("/train/decoded_checksums: "));
  CHECK_THAT(defects, !ContainsSubstring("sample"));
}

TEST_CASE("sizes of coded rows that do not fit are refused when the file is opened", "[unit][coded]") {
  const PackedFixture fixture({smooth_split("train", 5, {3, 32, 32})}, each_coding());
  const dataset_file::Extent table = *dataset_file::Reader::open(fixture.path())->index().splits[0].row_bytes;
  std::vector<std::uint32_t> sizes(5);
  File::open_for_reading(fixture.path()).read_at(table.offset, std::as_writable_bytes(std::span(sizes)));
  const auto forge = [&] {
    File::open_for_writing(fixture.path()).write_at(table.offset, std::as_bytes(std::span(sizes)));
    forge_index(fixture.path(), [&](Json& index) {
      index["splits"][0]["datasets"]["row_bytes"]["hash"] = to_hex(hash_bytes(std::as_bytes(std::span(sizes))));
    });
  };
  SECTION("a damaged table") {
    change_byte(fixture.path(), table.offset + 1);
    CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("/train/row_bytes is damaged"));
  }
  SECTION("a row that is too short") {
    sizes[3] = 8;
    forge();
    CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("sample 3 has 8 bytes, which cannot be decoded to 3x32x32"));
  }
  SECTION("rows that end elsewhere") {
    sizes[3] += 4;
    forge();
    CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("the rows have"));
  }
  SECTION("a missing table") {
    forge_index(fixture.path(), [&](Json& index) { index["splits"][0]["datasets"].erase("row_bytes"); });
    CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("row_bytes"));
  }
}

TEST_CASE("damaged tables of LC8 are refused when the file is opened", "[unit][coded]") {
  const PackedFixture fixture({smooth_split("train", 5, {3, 32, 32})}, Compression::lc8);
  const dataset_file::Extent tables = *dataset_file::Reader::open(fixture.path())->index().splits[0].row_tables;
  change_byte(fixture.path(), tables.offset + 1);
  SECTION("by their hash") { CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("/train/row_tables is damaged")); }
  SECTION("by what they are") {
    std::vector<std::byte> bytes(static_cast<std::size_t>(tables.bytes));
    File::open_for_reading(fixture.path()).read_at(tables.offset, bytes);
    forge_index(fixture.path(),
                [&](Json& index) { index["splits"][0]["datasets"]["row_tables"]["hash"] = to_hex(hash_bytes(bytes)); });
    CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("/train/row_tables is invalid"));
  }
  SECTION("by their absence") {
    forge_index(fixture.path(), [&](Json& index) { index["splits"][0]["datasets"].erase("row_tables"); });
    CHECK_THROWS_WITH(fixture.dataset(), ContainsSubstring("row_tables"));
  }
}
