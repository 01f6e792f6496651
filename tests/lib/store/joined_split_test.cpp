// A split whose samples are in two files: stores and loaders see only dataset_file::SplitData.
#include <octavo/batch_maker.hpp>
#include <octavo/dataset.hpp>
#include <octavo/store.hpp>

#include <algorithm>

#include "catch.hpp"
#include "dataset_file/split_data.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;
using dataset_file::DatasetData;
using dataset_file::RowSource;
using dataset_file::RowTarget;
using dataset_file::SplitData;
using dataset_file::SplitDescription;

namespace {

using Parts = std::array<std::shared_ptr<const SplitData>, 2>;

/// Reads the rows of each part into memory of their own, and puts them in their places.
class JoinedRows final : public RowSource {
 public:
  JoinedRows(const Parts& parts, const SplitDescription& description, const dataset_file::RowReading& reading)
      : first_count_(parts[0]->description().sample_count),
        row_bytes_(description.shape.values()),
        label_bytes_(description.labels.bytes_per_sample()),
        rows_{parts[0]->open_rows(reading), parts[1]->open_rows(reading)} {}

  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override {
    for (const int part : {0, 1}) {
      std::vector<std::int64_t> wanted, places;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if ((rows[i] < first_count_) != (part == 0)) continue;
        wanted.push_back(part == 0 ? rows[i] : rows[i] - first_count_);
        places.push_back(static_cast<std::int64_t>(i));
      }
      std::vector<std::byte> codes(wanted.size() * static_cast<std::size_t>(row_bytes_));
      std::vector<std::byte> labels(wanted.size() * static_cast<std::size_t>(label_bytes_));
      rows_[static_cast<std::size_t>(part)]->read(wanted, {codes.data(), nullptr, labels.data()}, cancelled);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        std::copy_n(codes.begin() + at * row_bytes_, row_bytes_, target.rows + places[i] * row_bytes_);
        std::copy_n(labels.begin() + at * label_bytes_, label_bytes_, target.labels + places[i] * label_bytes_);
      }
    }
  }

 private:
  std::int64_t first_count_, row_bytes_, label_bytes_;
  std::array<std::unique_ptr<const RowSource>, 2> rows_;
};

class JoinedSplit final : public SplitData {
 public:
  explicit JoinedSplit(Parts parts) : parts_(std::move(parts)), description_(parts_[0]->description()) {
    description_.sample_count += parts_[1]->description().sample_count;
  }

  const SplitDescription& description() const override { return description_; }
  Statistics statistics() const override { return parts_[0]->statistics(); }  // those of the first part, for this test
  std::optional<std::string> sample_name(std::int64_t) const override { return std::nullopt; }
  std::string metadata() const override { return "{}"; }
  void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> rows) const override {
    read(first, count, rows, &SplitData::read_rows);
  }
  void read_labels(std::int64_t first, std::int64_t count, std::span<std::byte> labels) const override {
    read(first, count, labels, &SplitData::read_labels);
  }
  void read_masks(std::int64_t, std::int64_t, std::span<std::byte>) const override {}
  void check_samples(std::int64_t first, std::int64_t count, std::span<const std::byte> codes,
                     std::span<const std::byte> labels, std::span<const std::byte>) const override {
    visit(first, count, [&](const SplitData& part, std::int64_t row, std::int64_t done, std::int64_t rows) {
      part.check_samples(row, rows, piece(codes, count, done, rows), piece(labels, count, done, rows), {});
    });
  }
  std::int64_t rows_per_block(std::int64_t bytes) const override { return parts_[0]->rows_per_block(bytes); }
  std::unique_ptr<const RowSource> open_rows(const dataset_file::RowReading& reading) const override {
    return std::make_unique<const JoinedRows>(parts_, description_, reading);
  }
  void ensure_unchanged() const override {
    for (const auto& part : parts_) part->ensure_unchanged();
  }

 private:
  template <typename Byte>
  static std::span<Byte> piece(std::span<Byte> bytes, std::int64_t count, std::int64_t first, std::int64_t rows) {
    const std::size_t each = bytes.size() / static_cast<std::size_t>(count);
    return bytes.subspan(static_cast<std::size_t>(first) * each, static_cast<std::size_t>(rows) * each);
  }
  /// Calls work(part, row in the part, rows before it, rows) for the rows of each part.
  template <typename Work>
  void visit(std::int64_t first, std::int64_t count, const Work& work) const {
    const std::int64_t bound = parts_[0]->description().sample_count;
    const std::int64_t in_first = std::clamp<std::int64_t>(bound - first, 0, count);
    if (in_first > 0) work(*parts_[0], first, 0, in_first);
    if (in_first < count) work(*parts_[1], std::max<std::int64_t>(first - bound, 0), in_first, count - in_first);
  }
  void read(std::int64_t first, std::int64_t count, std::span<std::byte> bytes,
            void (SplitData::*read_part)(std::int64_t, std::int64_t, std::span<std::byte>) const) const {
    visit(first, count, [&](const SplitData& part, std::int64_t row, std::int64_t done, std::int64_t rows) {
      (part.*read_part)(row, rows, piece(bytes, count, done, rows));
    });
  }

  Parts parts_;
  SplitDescription description_;
};

class JoinedDataset final : public DatasetData {
 public:
  explicit JoinedDataset(const Dataset& first, const Dataset& second)
      : splits_{std::make_shared<const JoinedSplit>(Parts{first.split("train").data(), second.split("train").data()})} {
  }

  const std::vector<std::shared_ptr<const SplitData>>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return splits_[0]->description().class_names; }
  std::string provenance() const override { return "{}"; }
  std::string digest() const override { return ""; }
  const std::string& uuid() const override { return none_; }
  const std::string& created() const override { return none_; }
  const std::string& writer() const override { return none_; }
  std::int64_t format_version() const override { return 1; }
  std::int64_t file_bytes() const override { return 0; }
  const std::filesystem::path& path() const override { return path_; }

 private:
  std::vector<std::shared_ptr<const SplitData>> splits_;
  std::string none_;
  std::filesystem::path path_ = "two files";
};

}  // namespace

TEST_CASE("two files serve the batches of one file with the same samples", "[unit][store]") {
  const auto compression = GENERATE(Compression::none, Compression::deflate);
  const PlainSplit whole = random_split("train", 300, {3, 8, 8});
  const auto part = [&](std::int64_t first, std::int64_t count) {
    PlainSplit split = whole;
    const std::int64_t values = whole.shape.values();
    split.values.assign(whole.values.begin() + first * values, whole.values.begin() + (first + count) * values);
    split.labels.assign(whole.labels.begin() + first, whole.labels.begin() + first + count);
    return PackedFixture({split}, compression);
  };
  const PackedFixture one({whole}), head = part(0, 110), tail = part(110, 190);
  const Dataset joined(std::make_shared<const JoinedDataset>(head.dataset(), tail.dataset()));
  LoaderOptions options{.batch_size = 32, .shuffle = true, .seed = 3};
  options.spec.center = Center::none;
  const std::int64_t of_samples = 300 * (3 * 8 * 8 + 4);
  for (const LoadOptions& load : {LoadOptions{}, LoadOptions{.memory_limit_bytes = of_samples / 2},
                                  LoadOptions{.residency = Residency::streamed}}) {
    const auto served = [&](const Dataset& dataset) {
      return BatchMaker(Store::load(dataset.split("train"), Device::cpu(), load), options).fingerprint(0, true);
    };
    REQUIRE(served(joined) == served(one.dataset()));
  }
}
