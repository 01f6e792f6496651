// Random operations on a dataset file, checked against a model of plain arrays.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <octavo/octavo.hpp>
#include <optional>

#include "../lib/dataset_file/small_file.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "tally.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Random = std::mt19937_64;

/// One split as plain arrays.
struct PlainArrays {
  SplitLayout layout;
  std::int64_t sample_count = 0;
  std::vector<std::uint8_t> values;
  std::vector<std::byte> labels;
  std::vector<std::string> names;
};

/// The expected contents of the file.
struct Model {
  std::vector<std::string> class_names;
  std::vector<PlainArrays> splits;
};

template <typename Value>
void append_bytes(std::vector<std::byte>& bytes, Value value) {
  const auto* const first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

std::vector<std::byte> random_label(const LabelLayout& layout, Random& random) {
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < layout.width; ++i) {
    switch (layout.kind) {
      case LabelKind::class_index:
        append_bytes(bytes, static_cast<std::int32_t>(below(random, 3)));
        break;
      case LabelKind::multi_label:
        append_bytes(bytes, static_cast<std::int32_t>(below(random, 2)));
        break;
      case LabelKind::target:
        append_bytes(bytes, static_cast<float>(below(random, 1000)) / 8);
        break;
      case LabelKind::none:
        break;
    }
  }
  return bytes;
}

LabelLayout random_label_layout(Random& random) {
  switch (below(random, 4)) {
    case 0:
      return {LabelKind::none, 0};
    case 1:
      return {LabelKind::multi_label, 3};
    case 2:
      return {LabelKind::target, 1 + below(random, 4)};
    default:
      return {LabelKind::class_index, 1};
  }
}

SplitLayout random_layout(const std::string& name, Random& random) {
  SplitLayout layout;
  layout.name = name;
  layout.shape = {1 + below(random, 4), 1 + below(random, 9), 1 + below(random, 9)};
  layout.labels = random_label_layout(random);
  layout.row_capacity = 1 + below(random, below(random, 5) == 0 ? 400 : 30);
  layout.with_names = below(random, 2) == 0;
  return layout;
}

/// Writes a file of random splits, in random pieces and order, with random rows left out. Returns the expected
/// contents. If `is_abandoned`, destroys the writer before it is done.
Model write_random(const std::filesystem::path& path, Random& random, bool is_abandoned) {
  WriterOptions options;
  options.replace_existing = true;
  options.class_names = {"a", "b", "c"};
  options.rows_may_be_skipped = below(random, 2) == 0;
  options.splits.push_back(random_layout("train", random));
  if (below(random, 2) == 0) options.splits.push_back(random_layout("val", random));
  Writer writer(path, options);
  Model model{options.class_names, {}};
  for (std::size_t number = 0; number < options.splits.size(); ++number) {
    const SplitLayout& layout = options.splits[number];
    PlainArrays plain{layout, 0, {}, {}, {}};
    struct Piece {
      std::int64_t first_row;
      std::vector<std::uint8_t> values;
      std::vector<std::byte> labels;
      std::vector<std::string> names;
    };
    std::vector<Piece> pieces;
    for (std::int64_t row = 0; row < layout.row_capacity;) {
      if (options.rows_may_be_skipped && row > 0 && below(random, 6) == 0) {
        writer.skip(number, row++);
        continue;
      }
      Piece piece{row, {}, {}, {}};
      for (std::int64_t end = std::min(layout.row_capacity, row + 1 + below(random, 20)); row < end; ++row) {
        for (std::int64_t i = layout.shape.values(); i > 0; --i) {
          piece.values.push_back(static_cast<std::uint8_t>(random()));
        }
        const auto label = random_label(layout.labels, random);
        piece.labels.insert(piece.labels.end(), label.begin(), label.end());
        if (layout.with_names) piece.names.push_back(std::string(static_cast<std::size_t>(below(random, 9)), 'n'));
      }
      plain.values.insert(plain.values.end(), piece.values.begin(), piece.values.end());
      plain.labels.insert(plain.labels.end(), piece.labels.begin(), piece.labels.end());
      plain.names.insert(plain.names.end(), piece.names.begin(), piece.names.end());
      pieces.push_back(std::move(piece));
    }
    plain.sample_count = static_cast<std::int64_t>(plain.values.size()) / layout.shape.values();
    std::shuffle(pieces.begin(), pieces.end(), random);
    for (Piece& piece : pieces) writer.write(number, piece.first_row, piece.values, piece.labels, piece.names);
    model.splits.push_back(std::move(plain));
  }
  if (!is_abandoned) writer.finish("{}");
  return model;
}

// ---- Properties that must hold -------------------------------------------------

std::string problem_with_contents(const std::filesystem::path& path, const Model& model) {
  const Dataset dataset = Dataset::open(path);
  if (dataset.class_names() != model.class_names) return "other class names";
  if (dataset.split_names().size() != model.splits.size()) return "other splits";
  for (const PlainArrays& plain : model.splits) {
    const Split split = dataset.split(plain.layout.name);
    if (split.sample_count() != plain.sample_count || split.shape() != plain.layout.shape) return "another shape";
    std::vector<std::int8_t> codes(plain.values.size());
    std::vector<std::byte> labels(plain.labels.size());
    split.read_checked(0, split.sample_count(), codes, labels);
    const auto is_code_of = [](std::int8_t code, std::uint8_t value) { return code + 128 == value; };
    if (!std::equal(codes.begin(), codes.end(), plain.values.begin(), is_code_of)) return "other values";
    if (labels != plain.labels) return "other labels";
    for (std::int64_t row = 0; plain.layout.with_names && row < plain.sample_count; ++row) {
      if (split.sample_name(row) != plain.names[static_cast<std::size_t>(row)]) return "another name";
    }
  }
  return verify(path, {.thread_count = 2}).defect_count == 0 ? "" : "verify finds something";
}

const PlainArrays& any_split(const Model& model, Random& random) {
  return model.splits[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(model.splits.size())))];
}

/// Whether float32 rows [B,C,H,W] equal the plain values of these samples.
bool are_values_of(const float* batch, const std::vector<std::int64_t>& rows, const PlainArrays& plain) {
  const std::int64_t row_values = plain.layout.shape.values();
  for (const std::int64_t row : rows) {
    for (std::int64_t i = 0; i < row_values; ++i) {
      if (*batch++ != static_cast<float>(plain.values[static_cast<std::size_t>(row * row_values + i)])) return false;
    }
  }
  return true;
}

/// Plain values: minus 0, divided by 1.
BatchSpec plain_spec() {
  BatchSpec spec;
  spec.center = Center::none;
  spec.divisor_values = {1.0};
  return spec;
}

Store load_somehow(const std::filesystem::path& path, const PlainArrays& plain, Random& random) {
  LoadOptions options;
  options.thread_count = 1 + static_cast<int>(below(random, 3));
  constexpr Residency kResidencies[] = {Residency::device, Residency::hybrid, Residency::streamed};
  options.residency = kResidencies[below(random, 3)];
  if (options.residency == Residency::hybrid) options.resident_count = below(random, plain.sample_count + 1);
  return Store::load(Dataset::open(path).split(plain.layout.name), Device::cpu(), options);
}

std::string problem_with_gathering(const std::filesystem::path& path, const Model& model, Random& random) {
  const PlainArrays& plain = any_split(model, random);
  const Store store = load_somehow(path, plain, random);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(1 + below(random, 40)));
  for (std::int64_t& row : rows) row = below(random, plain.sample_count);
  const SampleShape& shape = plain.layout.shape;
  std::vector<float> batch(rows.size() * static_cast<std::size_t>(shape.values()), -1.0f);
  const TensorView images{batch.data(),
                          DType::float32,
                          {static_cast<std::int64_t>(rows.size()), shape.channels, shape.height, shape.width},
                          Device::cpu()};
  store.gather(rows, plain_spec(), images);
  return are_values_of(batch.data(), rows, plain) ? "" : "other values are gathered";
}

std::string problem_with_epoch(const std::filesystem::path& path, const Model& model, Random& random) {
  const PlainArrays& plain = any_split(model, random);
  const Store store = load_somehow(path, plain, random);
  LoaderOptions options{.batch_size = 1 + below(random, 50), .shuffle = false};
  options.spec = plain_spec();
  options.prefetch = static_cast<int>(below(random, 3));
  Loader loader(store, options);
  std::int64_t next_row = 0;
  for (const Batch& batch : loader.epoch(below(random, 5))) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < batch.size(); ++i) rows.push_back(next_row++);
    if (!are_values_of(static_cast<const float*>(batch.images().data), rows, plain)) return "other values are served";
    const auto label_bytes = static_cast<std::size_t>(plain.layout.labels.bytes_per_sample());
    const auto first = static_cast<std::size_t>(rows.front()) * label_bytes;
    const bool are_equal = label_bytes == 0 || std::memcmp(batch.labels().data, plain.labels.data() + first,
                                                           rows.size() * label_bytes) == 0;
    if (!are_equal) return "other labels are served";
  }
  return next_row == plain.sample_count ? "" : "samples are missing from an epoch";
}

std::string problem_with_export(const std::filesystem::path& path, const Model& model) {
  const TemporaryFolder folder;
  export_dataset(Dataset::open(path), folder / "out", {.format = ExportFormat::npy, .thread_count = 2});
  for (const PlainArrays& plain : model.splits) {
    const auto bytes = bytes_of_file(folder / "out" / (plain.layout.name + "-images.npy"));
    const auto values = std::as_bytes(std::span(plain.values));
    // The array follows the header.
    if (bytes.size() < values.size() || !std::equal(values.begin(), values.end(), bytes.end() - std::ssize(values))) {
      return "wrong values are exported";
    }
  }
  return "";
}

std::string problem_with_reindexing(const std::filesystem::path& path, const Model& model) {
  const TemporaryFolder folder;
  const auto summary = reindex(path, folder / "b.h5");
  if (summary.changed_samples != 0) return "reindex finds changed samples";
  return problem_with_contents(folder / "b.h5", model);
}

/// Flips a bit of a sample and restores it: verify() must name the damaged sample.
std::string problem_with_damage(const std::filesystem::path& path, const Model& model, Random& random) {
  const PlainArrays& plain = any_split(model, random);
  std::vector<std::byte> bytes = bytes_of_file(path);
  const std::vector<std::byte> before = bytes;
  std::vector<std::byte> codes = {};
  for (const std::uint8_t value : plain.values) codes.push_back(static_cast<std::byte>(value ^ 0x80));
  const auto found = std::search(bytes.begin(), bytes.end(), codes.begin(), codes.end());
  if (found == bytes.end()) return "the samples are not in the file";
  const std::int64_t at = below(random, std::ssize(codes));
  found[at] ^= std::byte{16};
  write_bytes(path, bytes);
  const std::int64_t row = at / plain.layout.shape.values();
  const auto result = verify(path, {.thread_count = 1, .with_hdf5 = false});
  write_bytes(path, before);
  const std::string where = "/" + plain.layout.name + "/images sample " + std::to_string(row);
  return result.defect_count == 1 && result.defects[0].where == where ? "" : "the damaged sample is not named";
}

/// Does one random operation, and returns the problem with its result or empty.
std::string problem_with_step(const std::filesystem::path& path, Model& model, Random& random) {
  switch (below(random, 8)) {
    case 0:
      model = write_random(path, random, false);
      return problem_with_contents(path, model);
    case 1:
      static_cast<void>(write_random(path, random, true));
      return problem_with_contents(path, model);
    case 2:
      return problem_with_export(path, model);
    case 3:
      return problem_with_reindexing(path, model);
    case 4:
      return problem_with_damage(path, model, random);
    case 5:
      return problem_with_epoch(path, model, random);
    default:
      return problem_with_gathering(path, model, random);
  }
}

}  // namespace

TEST_CASE("random operations on a dataset file agree with plain arrays", "[faults][model]") {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  auto first = random_of_case(-1);
  Model model = write_random(path, first, false);
  Tally tally("10 random operations compared with plain arrays", true);
  const std::int64_t count = case_count(1000, 100'000);
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    std::string problem;
    try {
      problem = problem_with_step(path, model, random);
    } catch (const Error& error) {
      problem = error.what();
    }
    tally.add(problem.empty() ? "" : problem + " in step " + std::to_string(i));
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.h5"});
  CHECK(tally.failures() == kNone);
}
