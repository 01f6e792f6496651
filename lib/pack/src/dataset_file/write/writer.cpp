#include <octavo/writer.hpp>

#include <time.h>

#include <array>
#include <atomic>
#include <random>
#include <set>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <octavo/version.hpp>

#include "dataset_file/write/completion.hpp"
#include "dataset_file/write/skeleton.hpp"
#include "dataset_file/write/split_writer.hpp"
#include "dataset_file/write/spool.hpp"
#include "dataset_file/write/target_file.hpp"
#include "format/coded_rows/divide_codes.hpp"
#include "format/limits.hpp"
#include "format/reader.hpp"
#include "format/statistics/codes.hpp"
#include "support/hash.hpp"
#include "support/strict_json.hpp"
#include "support/text/short_text.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

// The fixed values in a reproducible file.
constexpr const char* kFixedUuid = "00000000-0000-8000-8000-000000000000";
constexpr const char* kFixedTime = "1970-01-01T00:00:00Z";

/// A random (version 4) UUID.
std::string random_uuid() {
  std::random_device device;
  std::array<std::uint8_t, 16> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(device());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

std::string current_time() {
  const time_t now = ::time(nullptr);
  struct tm parts {};
  ::gmtime_r(&now, &parts);
  char text[32];
  ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

const dataset_file::Codec& codec_of(const WriterOptions& options) {
  return dataset_file::codec_of(options.compression);
}

void check_split_layout(const SplitLayout& layout, const WriterOptions& options) {
  const auto fail = [&](const std::string& problem) {
    throw InvalidArgument("write split " + layout.name + ": " + problem);
  };
  if (!is_split_name(layout.name)) {
    throw InvalidArgument("write a split: \"" + layout.name +
                          "\" is not a valid split name; use up to 64 letters, digits, '_', '.' and '-'");
  }
  if (const auto problem = dataset_file::layout_problem(layout.shape, layout.labels, layout.row_capacity))
    fail(*problem);
  if (!layout.quantization.empty()) {
    if (const auto problem = dataset_file::quantization_problem(layout.quantization, layout.shape.channels))
      fail(*problem);
  }
  if (const auto problem = text_problem(layout.source_dtype)) fail("the source type is " + *problem);
  if (!codec_of(options).rows_stand_alone && layout.shape.values() > dataset_file::kMostChunkBytes) {
    fail("samples of " + to_string(layout.shape) +
         ", more than 256 MiB each, cannot be compressed; store them uncompressed");
  }
  if (layout.max_error < 0 || layout.max_error > kMostMaxError) {
    fail("a largest error of " + std::to_string(layout.max_error) + "; expected 0 to " + std::to_string(kMostMaxError));
  }
  if (layout.max_error > 0 && !stays_compressed(options.compression)) {
    fail(std::string("a largest error with compression ") + to_string(options.compression) +
         "; expected lp8 or lc8, or a largest error of 0");
  }
  const bool named_labels = layout.labels.kind == LabelKind::multi_label && !options.class_names.empty();
  if (named_labels && layout.labels.width != static_cast<std::int64_t>(options.class_names.size())) {
    fail(std::to_string(layout.labels.width) + " labels per sample, but " + std::to_string(options.class_names.size()) +
         " class names");
  }
}

void check_options(const WriterOptions& options) {
  if (options.splits.empty() || options.splits.size() > dataset_file::kMostSplits) {
    throw InvalidArgument("write a file of " + std::to_string(options.splits.size()) + " splits; expected 1 to " +
                          std::to_string(dataset_file::kMostSplits));
  }
  const int level = options.compression_level;
  if (level < kLeastCompressionLevel || level > kMostCompressionLevel) {
    throw InvalidArgument("write a file: unsupported compression level " + std::to_string(level) + "; expected " +
                          std::to_string(kLeastCompressionLevel) + " to " + std::to_string(kMostCompressionLevel));
  }
  std::set<std::string> names;
  for (const SplitLayout& layout : options.splits) {
    check_split_layout(layout, options);
    if (!names.insert(layout.name).second) throw InvalidArgument("write split " + layout.name + ": it is listed twice");
  }
  for (const std::string& name : options.class_names) {
    if (const auto problem = text_problem(name)) {
      throw InvalidArgument("write class name \"" + name.substr(0, 80) + "\": it is " + *problem +
                            "; give it another name");
    }
  }
}

Json parse_provenance(const std::string& text) {
  Json json;
  try {
    json = parse_strict_json(text);
  } catch (const FormatError& problem) {
    throw InvalidArgument(std::string("write the provenance: ") + problem.what());
  }
  if (!json.is_object()) throw InvalidArgument("write the provenance: it is not a JSON object");
  return json;
}

/// The spool for data that must wait, or nothing if all data can go directly to its final location.
std::unique_ptr<dataset_file::Spool> make_spool(const WriterOptions& options, const std::filesystem::path& path) {
  std::vector<dataset_file::SpoolRow> rows;
  std::vector<std::int64_t> capacities;
  const bool is_chunked = !codec_of(options).rows_stand_alone;
  const bool is_coded = codec_of(options).make_row_encoder != nullptr;
  bool is_needed = options.rows_may_be_skipped || is_chunked || is_coded;
  for (const SplitLayout& layout : options.splits) {
    dataset_file::SpoolRow row;
    if (options.rows_may_be_skipped) {
      row.value_bytes = layout.shape.values();
      row.label_bytes = layout.labels.bytes_per_sample();
      row.mask_bytes = layout.has_masks ? layout.shape.values_per_channel() : 0;
    } else if (is_chunked) {
      // Only data that does not arrive in whole chunks.
      row.value_bytes = layout.shape.values();
      row.may_not_come = true;
    }
    if (layout.with_names) row.name_bytes = dataset_file::Spool::kNameSlotBytes;
    is_needed = is_needed || layout.with_names;
    rows.push_back(row);
    capacities.push_back(layout.row_capacity);
  }
  if (!is_needed) return nullptr;
  return std::make_unique<dataset_file::Spool>(path, rows, capacities);
}

const WriterOptions& checked(const WriterOptions& options) {
  check_options(options);
  return options;
}

}  // namespace

// Members are destroyed from last to first: HDF5 closes the file before `target` removes leftovers.
class Writer::Implementation {
 public:
  Implementation(std::filesystem::path path, WriterOptions options);

  void train(std::size_t split, std::span<const std::uint8_t> values);
  void write(std::size_t split, std::int64_t first_row, std::span<std::uint8_t> values,
             std::span<const std::byte> labels, std::span<const std::string> names,
             std::span<const std::uint8_t> masks);
  void skip(std::size_t split, std::int64_t row) { split_at(split).skip(row); }
  void set_columns(std::size_t split, std::string columns) { split_at(split).set_columns(std::move(columns)); }
  void finish(const std::string& provenance);
  std::int64_t rows_per_block(std::size_t split) { return split_at(split).rows_per_block(); }

 private:
  dataset_file::SplitWriter& split_at(std::size_t split);
  void place(std::size_t split, std::int64_t sample_count);
  void complete(Json provenance);

  WriterOptions options_;
  dataset_file::TargetFile target_;
  dataset_file::Skeleton skeleton_;
  File file_;
  std::unique_ptr<dataset_file::Spool> spool_;
  std::unique_ptr<dataset_file::ChunkWriter> chunk_writer_;  ///< for chunked images; else null
  std::vector<std::unique_ptr<dataset_file::SplitWriter>> splits_;
  std::atomic<bool> has_failed_ = false;
};

Writer::Implementation::Implementation(std::filesystem::path path, WriterOptions options)
    : options_(checked(options)),
      target_(std::move(path), options_.replace_existing),
      skeleton_(target_.partial(),
                codec_of(options_).rows_stand_alone ? dataset_file::Alignment::pages : dataset_file::Alignment::none),
      file_(File::open_for_writing(target_.partial())),
      spool_(make_spool(options_, target_.spool())) {
  target_.hide();
  if (!codec_of(options_).rows_stand_alone) {
    chunk_writer_ = std::make_unique<dataset_file::ChunkWriter>(file_, *spool_);
  }
  for (std::size_t split = 0; split < options_.splits.size(); ++split) {
    splits_.push_back(std::make_unique<dataset_file::SplitWriter>(
        options_.splits[split], split, options_.class_names.size(), spool_.get(), options_.rows_may_be_skipped));
    if (!options_.rows_may_be_skipped) place(split, options_.splits[split].row_capacity);
  }
}

dataset_file::SplitWriter& Writer::Implementation::split_at(std::size_t split) {
  if (split >= splits_.size()) {
    throw InvalidArgument("write split number " + std::to_string(split) + ": there are " +
                          std::to_string(splits_.size()));
  }
  return *splits_[split];
}

void Writer::Implementation::place(std::size_t split, std::int64_t sample_count) {
  const dataset_file::PayloadPlacing placing(skeleton_, file_, chunk_writer_.get(), spool_.get(), codec_of(options_),
                                             options_.compression_level);
  splits_[split]->place(file_, placing.place(options_.splits[split], split, sample_count));
}

void Writer::Implementation::train(std::size_t split, std::span<const std::uint8_t> values) {
  dataset_file::SplitWriter& writer = split_at(split);
  const SampleShape& shape = writer.layout().shape;
  if (values.size() % static_cast<std::size_t>(shape.values()) != 0) {
    throw InvalidArgument("train split " + writer.layout().name + ": the values are not whole samples");
  }
  if (codec_of(options_).train_tables == nullptr || values.empty()) return;
  std::vector<std::uint8_t> codes(values.begin(), values.end());
  statistics::flip_top_bits(codes);
  const auto all = std::as_writable_bytes(std::span(codes));
  dataset_file::divide_codes(writer.layout().max_error, all);
  writer.use_tables(codec_of(options_).train_tables(shape, all));
}

void Writer::Implementation::write(std::size_t split, std::int64_t first_row, std::span<std::uint8_t> values,
                                   std::span<const std::byte> labels, std::span<const std::string> names,
                                   std::span<const std::uint8_t> masks) {
  try {
    split_at(split).write(first_row, values, labels, names, masks);
  } catch (const InvalidArgument&) {
    throw;  // nothing has changed
  } catch (...) {
    has_failed_ = true;
    throw;
  }
}

void Writer::Implementation::finish(const std::string& provenance) {
  if (has_failed_) throw IoError("complete " + quoted(target_.path()) + ": an earlier write failed; start again");
  for (const auto& split : splits_) split->check_complete();
  Json json = parse_provenance(provenance);
  for (std::size_t split = 0; options_.rows_may_be_skipped && split < splits_.size(); ++split) {
    place(split, splits_[split]->sample_count());
    splits_[split]->copy_waiting_rows(resolve_thread_count(options_.thread_count));
  }
  complete(std::move(json));
  static_cast<void>(dataset_file::Reader::open(target_.partial()));  // check that the file can be read
  file_.sync();
  target_.publish();
}

void Writer::Implementation::complete(Json provenance) {
  dataset_file::Completion completion(skeleton_, file_, codec_of(options_),
                                      resolve_thread_count(options_.thread_count));
  const bool has_digests = provenance.contains("source_digests");
  Json digests = Json::object();
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    completion.add_split(*splits_[split], spool_.get());
    const SplitLayout& layout = options_.splits[split];
    digests[layout.name] = to_hex(splits_[split]->source_digest());
    if (layout.dataset_row) provenance["dataset_digests"][layout.name] = to_hex(splits_[split]->dataset_digest());
  }
  if (!has_digests) provenance["source_digests"] = std::move(digests);
  completion.add_class_names(options_.class_names);
  completion.add_provenance(provenance.dump());
  completion.add_identity(options_.reproducible ? kFixedUuid : random_uuid(),
                          options_.reproducible ? kFixedTime : current_time(), "octavo " + std::string(kVersion));
  if (chunk_writer_) chunk_writer_->close();  // HDF5 does not close a file with open datasets
  completion.finish();
}

Writer::Writer(std::filesystem::path path, WriterOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(path), std::move(options))) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

void Writer::train(std::size_t split, std::span<const std::uint8_t> values) {
  if (!implementation_) throw InvalidArgument("train a split: the file is finished");
  implementation_->train(split, values);
}

void Writer::write(std::size_t split, std::int64_t first_row, std::span<std::uint8_t> values,
                   std::span<const std::byte> labels, std::span<const std::string> names,
                   std::span<const std::uint8_t> masks) {
  if (!implementation_) throw InvalidArgument("write samples: the file is finished");
  implementation_->write(split, first_row, values, labels, names, masks);
}

void Writer::skip(std::size_t split, std::int64_t row) {
  if (!implementation_) throw InvalidArgument("skip a row: the file is finished");
  implementation_->skip(split, row);
}

void Writer::set_columns(std::size_t split, std::string columns) {
  if (!implementation_) throw InvalidArgument("keep metadata: the file is finished");
  implementation_->set_columns(split, std::move(columns));
}

std::int64_t Writer::rows_per_block(std::size_t split) const {
  if (!implementation_) throw InvalidArgument("write samples: the file is finished");
  return implementation_->rows_per_block(split);
}

void Writer::finish(const std::string& provenance) {
  if (!implementation_) throw InvalidArgument("finish a file: it is already finished");
  // This ends the writer in any case, and removes the leftovers of a failed attempt.
  const std::unique_ptr<Implementation> implementation = std::move(implementation_);
  implementation->finish(provenance);
}

}  // namespace octavo
