// Packs files, folders, and samples produced by Python code.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <octavo/byte_count.hpp>
#include <octavo/compression_choice.hpp>
#include <octavo/errors.hpp>
#include <octavo/option_names.hpp>
#include <octavo/pack.hpp>
#include <octavo/resize.hpp>
#include <octavo/shards.hpp>
#include <octavo/spooled_source.hpp>
#include <octavo/verify.hpp>
#include <string>
#include <tuple>

#include "pack/module.hpp"
#include "support/arrays.hpp"
#include "support/gil.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

/// The kind of labels named "class" or "target"; nothing for "auto".
std::optional<LabelKind> label_kind_named(const std::string& name) {
  if (name == "auto") return std::nullopt;
  for (const LabelKind kind : {LabelKind::class_index, LabelKind::target}) {
    if (name == to_string(kind)) return kind;
  }
  throw nb::value_error(("label_kind is '" + name + "'; it must be 'auto', 'class' or 'target'").c_str());
}

/// File names need not be UTF-8.
nb::object file_name(const std::string& name) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

/// File names in a text need not be UTF-8.
nb::object as_text(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

/// One line for the file, one for each note and for skipped samples.
nb::object repr_of(const PackSummary& summary) {
  std::string text = "PackSummary(";
  for (const SourceSplit& split : summary.splits) {
    text += split.name + ": " + std::to_string(split.sample_count) + " x " + to_string(split.shape) + ", ";
  }
  const std::int64_t bytes = summary.file_bytes > 0 ? summary.file_bytes : summary.packed_bytes;
  text += format_bytes(bytes) + (summary.file_bytes > 0 ? " file)" : " packed)");
  for (const std::string& note : summary.notes) text += "\n  note: " + with_python_options(note);
  if (!summary.skipped.empty()) {
    text += "\n  skipped: " + std::to_string(summary.skipped.size()) + ", the first is " + summary.skipped[0].name +
            ": " + with_python_options(summary.skipped[0].reason);
  }
  return as_text(text);
}

void add_summary(nb::module_& module) {
  nb::class_<SampleFailure>(module, "SampleFailure", "A sample that could not be read.")
      .def_ro("row", &SampleFailure::row, "Its index in its split.")
      .def_prop_ro(
          "name", [](const SampleFailure& failure) { return file_name(failure.name); },
          nb::sig("def name(self) -> str"), "Its file, or its file and its index there.")
      .def_prop_ro(
          "reason", [](const SampleFailure& failure) { return as_text(with_python_options(failure.reason)); },
          nb::sig("def reason(self) -> str"), "What is wrong.")
      .def("__repr__", [](const SampleFailure& failure) {
        return nb::str("SampleFailure(name={!r}, reason={!r})")
            .format(file_name(failure.name), as_text(with_python_options(failure.reason)));
      });
  nb::class_<PackSummary>(module, "PackSummary", "The result of packing.")
      .def_prop_ro(
          "splits",
          [](const PackSummary& summary) {
            nb::dict splits;
            for (const SourceSplit& split : summary.splits) splits[split.name.c_str()] = split.sample_count;
            return splits;
          },
          nb::sig("def splits(self) -> dict[str, int]"), "Number of samples written, by split.")
      .def_ro("skipped", &PackSummary::skipped, "Samples that were skipped.")
      .def_prop_ro(
          "notes",
          [](const PackSummary& summary) {
            nb::list notes;
            for (const std::string& note : summary.notes) notes.append(as_text(with_python_options(note)));
            return notes;
          },
          nb::sig("def notes(self) -> list[str]"),
          "What may be unexpected, a sentence each: quantization and its loss, ignored files and columns, missing "
          "labels.")
      .def_ro("packed_bytes", &PackSummary::packed_bytes, "N*C*H*W of all splits.")
      .def_ro("file_bytes", &PackSummary::file_bytes, "Bytes of the file.")
      .def_ro("name_bytes", &PackSummary::name_bytes, "Bytes of the stored sample names.")
      .def_ro("elapsed_seconds", &PackSummary::elapsed_seconds)
      .def("__repr__", &repr_of, nb::sig("def __repr__(self) -> str"));
}

/// A path, its split, the names of its image and label arrays, and the file of the labels; what is empty is detected.
using NamedSource = std::tuple<std::filesystem::path, std::string, std::string, std::string, std::string>;

std::vector<SourceSpec> specs_of(const std::vector<NamedSource>& sources) {
  std::vector<SourceSpec> specs;
  for (const auto& [source, split, images, labels, label_file] : sources) {
    specs.push_back({source, split, images, labels, label_file});
  }
  return specs;
}

/// PackOptions with a compression that may depend on the source.
struct FileOptions : PackOptions {
  bool chooses_compression = false;
  CompressionLimits limits = {};

  /// With the compression for `source`. Adds a note on what was chosen.
  PackOptions for_source(Source& source, std::vector<std::string>& notes) const {
    PackOptions options = *this;
    const CompressionChoice choice = choose_compression(source, max_error, limits);
    options.compression = choice.compression;
    notes.push_back(choice.note);
    return options;
  }
};

/// The summary with these notes before its own.
PackSummary with_notes(PackSummary summary, const std::vector<std::string>& notes) {
  summary.notes.insert(summary.notes.begin(), notes.begin(), notes.end());
  return summary;
}

PackSummary pack_files(const std::vector<NamedSource>& sources, const std::filesystem::path& path,
                       const SourceOptions& source_options, const FileOptions& file_options, bool to_append,
                       const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    std::vector<std::string> notes;
    PackOptions options = file_options;
    if (file_options.chooses_compression && !to_append) {
      options = file_options.for_source(*open_source(specs_of(sources), source_options), notes);
    }
    options.on_progress = progress;
    const auto source = open_source(specs_of(sources), source_options);
    return with_notes(to_append ? octavo::append(*source, path, options) : pack(*source, path, options), notes);
  });
}

/// Returns the file, and a summary that is empty if it was packed before. Packs nothing if is_there(record) is true.
std::pair<std::string, PackSummary> pack_one_shard(const std::vector<NamedSource>& sources,
                                                   const std::filesystem::path& folder, std::int64_t number,
                                                   std::int64_t count, const SourceOptions& source_options,
                                                   const FileOptions& file_options, const std::string& arguments,
                                                   const nb::object& is_there, const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    std::vector<std::string> notes;
    PackOptions options = file_options;
    if (file_options.chooses_compression) {
      options = file_options.for_source(*open_source(specs_of(sources), source_options), notes);
    }
    options.on_progress = progress;
    const auto open = [&] { return open_source(specs_of(sources), source_options); };
    ShardPacker packer(open, arguments, folder, count, options);
    if (!is_there.is_none()) {
      const std::string record = packer.record(number);
      const GilHold gil;
      if (nb::cast<bool>(is_there(record))) return std::pair(std::string(), PackSummary());
    }
    ShardSummary shard = packer.pack(number);
    return std::pair(shard.path.string(), with_notes(std::move(shard.packed), notes));
  });
}

/// Packs collected samples of a shard; as pack_one_shard().
std::pair<std::string, PackSummary> pack_spooled_shard(SpooledSource& source, const std::filesystem::path& folder,
                                                       const CollectedShard& shard, const FileOptions& options,
                                                       const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    PackOptions with_progress = options;
    with_progress.on_progress = progress;
    ShardSummary summary = pack_shard(source, folder, shard, with_progress);
    return std::pair(summary.path.string(), std::move(summary.packed));
  });
}

/// Opens shards by calling open(file), which must outlive it.
ShardOpener opener_of(const nb::object& open) {
  return [&open](const std::string& file) -> std::shared_ptr<const ByteSource> {
    const GilHold gil;
    return nb::cast<std::shared_ptr<ByteSource>>(open(file));
  };
}

nb::tuple fields_of(const MergeSummary& merged) {
  nb::dict splits;
  for (const SourceSplit& split : merged.splits) splits[split.name.c_str()] = split.sample_count;
  return nb::make_tuple(merged.path, merged.shard_count, splits, merged.skipped, merged.file_bytes,
                        merged.elapsed_seconds);
}

/// The manifest of shards that are somewhere else, and the fields of MergeSummary in Python. open(file) makes a source.
nb::tuple merge_remote_shards(const std::string& folder, std::vector<std::string> files, const nb::object& open,
                              const nb::object& on_progress) {
  const MergedShards merged = interruptibly(on_progress, [&](const ProgressFunction& progress) {
    return merge_shards({folder, std::move(files), opener_of(open)}, progress);
  });
  return nb::make_tuple(merged.manifest, fields_of(merged.summary));
}

/// The fields of MergeSummary in Python.
nb::tuple merge_all_shards(const std::filesystem::path& folder, bool with_virtual_dataset, bool replace_existing,
                           const nb::object& on_progress) {
  const MergeSummary merged = interruptibly(on_progress, [&](const ProgressFunction& progress) {
    return merge_shards(
        folder,
        {.with_virtual_dataset = with_virtual_dataset, .replace_existing = replace_existing, .on_progress = progress});
  });
  return fields_of(merged);
}

/// The splits that would be packed; writes nothing.
PackSummary survey_files(const std::vector<NamedSource>& sources, const SourceOptions& source_options,
                         const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction&) {
    const auto source = open_source(specs_of(sources), source_options);
    PackSummary summary;
    summary.splits = source->splits();
    summary.skipped = source->left_out();
    summary.notes = packing_notes(*source);
    for (const SourceSplit& split : summary.splits) summary.packed_bytes += split.sample_count * split.shape.values();
    return summary;
  });
}

PackSummary pack_spooled(SpooledSource& source, const std::filesystem::path& path, const SourceOptions& source_options,
                         const FileOptions& file_options, bool to_append, const nb::object& on_progress) {
  return interruptibly(on_progress, [&](const ProgressFunction& progress) {
    std::vector<std::string> notes;
    PackOptions options = file_options;
    const auto chosen = choose_samples(source, source_options);
    if (file_options.chooses_compression && !to_append) options = file_options.for_source(*chosen, notes);
    options.on_progress = progress;
    return with_notes(to_append ? octavo::append(*chosen, path, options) : pack(*chosen, path, options), notes);
  });
}

void add_options(nb::module_& module) {
  std::vector<std::string> formats;
  for (const SourceFormat& format : source_formats()) formats.emplace_back(format.name);
  module.attr("source_formats") = nb::tuple(nb::cast(formats));
  nb::enum_<ArrayLayout>(module, "ArrayLayout")
      .value("auto", ArrayLayout::automatic)
      .value("hw", ArrayLayout::hw)
      .value("hwc", ArrayLayout::hwc)
      .value("chw", ArrayLayout::chw);
  nb::enum_<ValueRange::Kind>(module, "ValueRangeKind")
      .value("auto", ValueRange::Kind::automatic)
      .value("given", ValueRange::Kind::given)
      .value("measured", ValueRange::Kind::measured)
      .value("percentile", ValueRange::Kind::percentile);
  nb::class_<ValueRange>(module, "ValueRange", "The numbers that map to the values 0 and 255.")
      .def(nb::init<>())
      .def_rw("kind", &ValueRange::kind)
      .def_rw("low", &ValueRange::low)
      .def_rw("high", &ValueRange::high)
      .def_rw("by_channel", &ValueRange::by_channel)
      .def_rw("percentile", &ValueRange::percentile);
  nb::enum_<Fit>(module, "Fit").value("crop", Fit::crop).value("pad", Fit::pad).value("stretch", Fit::stretch);
  nb::enum_<Compression> compressions(module, "Compression");
  for (const CompressionInfo& info : kCompressions) compressions.value(info.name, info.compression);
  nb::enum_<ClassOrder>(module, "ClassOrder").value("bytes", ClassOrder::bytes).value("natural", ClassOrder::natural);
  nb::class_<Holdout>(module, "Holdout", "The samples of train that become val.")
      .def(nb::init<double>(), "fraction"_a)
      .def_static("parse", &parse_holdout, "text"_a);
  nb::class_<MaskColors>(module, "MaskColors", "The classes that the colors of masks stand for.")
      .def(nb::init<>())
      .def_static("read", &read_mask_colors, "path"_a)
      .def_static("make", &make_mask_colors, "classes"_a)
      .def_prop_ro(
          "classes",
          [](const MaskColors& colors) {
            return std::vector<std::pair<MaskColor, int>>(colors.classes.begin(), colors.classes.end());
          },
          "RGB colors and their class numbers.")
      .def_ro("names", &MaskColors::names, "Names of classes by number.");
  nb::class_<SourceOptions>(module, "SourceOptions", "Options for reading sources.")
      .def(nb::init<>())
      .def_rw("format", &SourceOptions::format)
      .def_rw("size", &SourceOptions::size, nb::arg().none())
      .def_rw("fit", &SourceOptions::fit)
      .def_rw("channels", &SourceOptions::channels, nb::arg().none())
      .def_rw("background", &SourceOptions::background)
      .def_rw("class_order", &SourceOptions::class_order)
      .def_rw("path_column", &SourceOptions::path_column)
      .def_rw("image_root", &SourceOptions::image_root)
      .def_rw("label_columns", &SourceOptions::label_columns)
      .def_rw("label_separator", &SourceOptions::label_separator)
      .def_prop_rw(
          "label_kind",
          [](const SourceOptions& options) {
            return std::string(options.label_kind ? to_string(*options.label_kind) : "auto");
          },
          [](SourceOptions& options, const std::string& name) { options.label_kind = label_kind_named(name); })
      .def_rw("columns", &SourceOptions::columns)
      .def_rw("with_masks", &SourceOptions::with_masks)
      .def_rw("mask_pattern", &SourceOptions::mask_pattern)
      .def_rw("mask_colors", &SourceOptions::mask_colors)
      .def_rw("layout", &SourceOptions::layout)
      .def_rw("range", &SourceOptions::range)
      .def_rw("class_names", &SourceOptions::class_names)
      .def_rw("select", &SourceOptions::select)
      .def_rw("limit", &SourceOptions::limit, nb::arg().none())
      .def_rw("holdout", &SourceOptions::holdout)
      .def_rw("seed", &SourceOptions::seed)
      .def_rw("group_by", &SourceOptions::group_by)
      .def_rw("class_map", &SourceOptions::class_map)
      .def_rw("allow_mismatch", &SourceOptions::allow_mismatch)
      .def_rw("skip_unreadable", &SourceOptions::skip_unreadable)
      .def_rw("largest_image_pixels", &SourceOptions::largest_image_pixels)
      .def_rw("largest_archive_ratio", &SourceOptions::largest_archive_ratio)
      .def_rw("thread_count", &SourceOptions::thread_count);
  nb::class_<FileOptions>(module, "PackOptions", "Options for writing the file.")
      .def(nb::init<>())
      .def_rw("chooses_compression", &FileOptions::chooses_compression)
      .def_prop_rw(
          "memory_bytes", [](const FileOptions& options) { return options.limits.memory_bytes; },
          [](FileOptions& options, std::optional<std::int64_t> bytes) { options.limits.memory_bytes = bytes; },
          nb::arg().none())
      .def_prop_rw(
          "samples_per_second", [](const FileOptions& options) { return options.limits.samples_per_second; },
          [](FileOptions& options, std::optional<double> speed) { options.limits.samples_per_second = speed; },
          nb::arg().none())
      .def_rw("with_names", &FileOptions::with_names, nb::arg().none())
      .def_rw("allow_mismatch", &FileOptions::allow_mismatch)
      .def_rw("allow_loss", &FileOptions::allow_loss)
      .def_rw("skip_bad_samples", &FileOptions::skip_bad_samples)
      .def_rw("reproducible", &FileOptions::reproducible)
      .def_rw("compression", &FileOptions::compression)
      .def_rw("max_error", &FileOptions::max_error, nb::arg().none())
      .def_rw("command_line", &FileOptions::command_line)
      .def_rw("replace_existing", &FileOptions::replace_existing)
      .def_rw("thread_count", &FileOptions::thread_count);
}

using Images = nb::ndarray<const std::uint8_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Masks = std::optional<nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>>;

/// What all samples of a split have in common, in addition to shape and labels.
struct SplitForm {
  Color color = Color::other;
  std::string source_dtype = "uint8";
  std::vector<ChannelQuantization> quantization;  ///< of all channels, or [C]; empty: bytes
  std::vector<std::string> columns;
};

/// Appends uint8 [n,C,H,W] with labels: int32 [n], multi-labels int32 [n,K], targets float32 [n,K], or none; and with
/// masks uint8 [n,H,W] and metadata, a JSON array for each sample, if there are any.
template <typename Labels>
void append(SpooledSource& source, const std::string& split, const SplitForm& form, const Images& images,
            const Labels& labels, LabelKind kind, const std::vector<std::string>& names, const Masks& masks,
            const std::vector<std::string>& metadata) {
  SourceSplit layout{split, 0, {}, {}, form.color};
  layout.source_dtype = form.source_dtype;
  layout.columns = form.columns;
  layout.quantization = form.quantization;
  if (layout.quantization.size() == 1) layout.quantization.assign(images.shape(1), form.quantization[0]);
  layout.shape = {static_cast<std::int64_t>(images.shape(1)), static_cast<std::int64_t>(images.shape(2)),
                  static_cast<std::int64_t>(images.shape(3))};
  const std::size_t width = labels.ndim() == 1 ? 1 : labels.shape(1);
  layout.labels = {kind, static_cast<std::int64_t>(width)};
  if (kind == LabelKind::none) layout.labels.width = 0;
  const std::span<const std::byte> label_bytes(reinterpret_cast<const std::byte*>(labels.data()),
                                               kind == LabelKind::none ? 0 : labels.size() * 4);
  layout.has_masks = masks.has_value();
  std::span<const std::uint8_t> mask_values;
  if (masks) mask_values = {masks->data(), masks->size()};
  const GilRelease released;
  source.append(layout, {images.data(), images.size()}, label_bytes, names, mask_values, metadata);
}

using Levels = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

void count_levels(LevelCounter& counter, const Levels& levels, const Numbers& steps, const Numbers& numbers) {
  if (levels.size() != numbers.size() || steps.size() != numbers.size()) {
    throw InvalidArgument("count levels: there must be one for each number");
  }
  const GilRelease released;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    counter.add(levels.data()[i], steps.data()[i], numbers.data()[i]);
  }
}

void add_levels(std::vector<ChannelLoss>& losses, const std::vector<LevelCounter>& counters) {
  for (std::size_t c = 0; c < losses.size() && c < counters.size(); ++c) {
    const LevelUse use = counters[c].use();
    losses[c].levels = use.levels;
    losses[c].effective_bits = use.effective_bits;
  }
}

void add_spooled_source(nb::module_& module) {
  using Integers = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
  using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  nb::enum_<Color>(module, "Color").value("gray", Color::gray).value("rgb", Color::rgb).value("other", Color::other);
  nb::class_<SplitForm>(module, "SplitForm", "What all samples of a split have in common.")
      .def(nb::init<>())
      .def_rw("color", &SplitForm::color)
      .def_rw("source_dtype", &SplitForm::source_dtype)
      .def_rw("columns", &SplitForm::columns)
      .def(
          "quantize",
          [](SplitForm& form, const std::vector<double>& scale, const std::vector<double>& zero_point) {
            form.quantization.clear();
            for (std::size_t c = 0; c < scale.size(); ++c) form.quantization.push_back({scale[c], zero_point.at(c)});
          },
          "scale"_a, "zero_point"_a, "A value v stands for scale * v + zero_point; of all channels, or of each.");
  nb::class_<ChannelLoss>(module, "ChannelLoss", "What quantizing cost, in source units.")
      .def(nb::init<>())
      .def_rw("low", &ChannelLoss::low)
      .def_rw("high", &ChannelLoss::high)
      .def_rw("largest_error", &ChannelLoss::largest_error)
      .def_rw("mean_rounding", &ChannelLoss::mean_rounding)
      .def_rw("clipped", &ChannelLoss::clipped)
      .def_rw("smallest", &ChannelLoss::smallest, nb::arg().none())
      .def_rw("largest", &ChannelLoss::largest, nb::arg().none());
  nb::class_<LevelCounter>(module, "LevelCounter", "How well the 256 levels serve the numbers.")
      .def(nb::init<>())
      .def("add", &count_levels, "levels"_a, "steps"_a, "numbers"_a,
           "Numbers, the same in steps, and the level of each.");
  nb::class_<SpooledSource>(module, "SpooledSource", "Samples spooled to disk until their number is known.")
      .def(nb::init<std::filesystem::path, std::vector<std::string>, std::string>(), "folder"_a, "class_names"_a,
           "notes"_a)
      .def_prop_ro("splits",
                   [](const SpooledSource& source) {
                     std::vector<std::pair<std::string, std::int64_t>> splits;
                     for (const SourceSplit& split : source.splits())
                       splits.emplace_back(split.name, split.sample_count);
                     return splits;
                   })
      .def(
          "append_classes",
          [](SpooledSource& source, const std::string& split, const SplitForm& form, const Images& images,
             const Integers& labels, const std::vector<std::string>& names, const Masks& masks,
             const std::vector<std::string>& metadata) {
            const LabelKind kind = labels.ndim() == 1 ? LabelKind::class_index : LabelKind::multi_label;
            append(source, split, form, images, labels, kind, names, masks, metadata);
          },
          "split"_a, "form"_a, "images"_a, "labels"_a, "names"_a, "masks"_a.none(), "metadata"_a)
      .def(
          "append_targets",
          [](SpooledSource& source, const std::string& split, const SplitForm& form, const Images& images,
             const Floats& labels, const std::vector<std::string>& names, const Masks& masks,
             const std::vector<std::string>& metadata) {
            append(source, split, form, images, labels, LabelKind::target, names, masks, metadata);
          },
          "split"_a, "form"_a, "images"_a, "labels"_a, "names"_a, "masks"_a.none(), "metadata"_a)
      .def(
          "append_unlabeled",
          [](SpooledSource& source, const std::string& split, const SplitForm& form, const Images& images,
             const std::vector<std::string>& names, const Masks& masks, const std::vector<std::string>& metadata) {
            append(source, split, form, images, images, LabelKind::none, names, masks, metadata);
          },
          "split"_a, "form"_a, "images"_a, "names"_a, "masks"_a.none(), "metadata"_a)
      .def(
          "add_quantization",
          [](SpooledSource& source, const std::string& split, const std::string& dtype, std::int64_t samples,
             std::vector<ChannelLoss> losses, const std::vector<LevelCounter>& levels) {
            LevelUse use = least_use(levels);
            use.better_percentile.reset();  // a writer gets its range before its samples
            add_levels(losses, levels);
            // Gray samples of a split of RGB samples.
            ChannelLoss repeated = losses.at(0);
            repeated.clipped = 0;
            const auto& splits = source.splits();
            const auto known = std::ranges::find(splits, split, &SourceSplit::name);
            const auto channels =
                known == splits.end() ? losses.size() : static_cast<std::size_t>(known->shape.channels);
            losses.resize(channels, repeated);
            source.add_quantization({split, dtype, losses, samples, {}, {}, use});
          },
          "split"_a, "dtype"_a, "samples"_a, "losses"_a, "levels"_a, "Losses and counters are those of each channel.")
      .def(
          "convert_to_rgb",
          [](SpooledSource& source, const std::string& split) {
            const GilRelease released;
            source.convert_to_rgb(split);
          },
          "split"_a)
      .def("add_remark", &SpooledSource::add_remark, "remark"_a)
      .def(
          "leave_out",
          [](SpooledSource& source, std::int64_t row, const std::string& name, const std::string& reason) {
            source.leave_out({row, name, reason});
          },
          "row"_a, "name"_a, "reason"_a);
}

using OneImage = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// uint8 [C,H,W], resized to [C,size[0],size[1]].
NumpyArray<std::uint8_t> resized(const OneImage& image, std::array<std::int64_t, 2> size, Fit fit,
                                 std::array<std::uint8_t, 3> background) {
  const SampleShape shape = {static_cast<std::int64_t>(image.shape(0)), static_cast<std::int64_t>(image.shape(1)),
                             static_cast<std::int64_t>(image.shape(2))};
  std::vector<std::uint8_t> values(image.shape(0) * static_cast<std::size_t>(size[0] * size[1]));
  resize_image({image.data(), image.size()}, shape, size, fit, background, values);
  return to_numpy(values, {image.shape(0), static_cast<std::size_t>(size[0]), static_cast<std::size_t>(size[1])});
}

/// uint8 [1,H,W], resized to the nearest pixel.
NumpyArray<std::uint8_t> resized_mask(const OneImage& mask, std::array<std::int64_t, 2> size, Fit fit) {
  const SampleShape shape = {1, static_cast<std::int64_t>(mask.shape(1)), static_cast<std::int64_t>(mask.shape(2))};
  std::vector<std::uint8_t> values(static_cast<std::size_t>(size[0] * size[1]));
  resize_mask({mask.data(), mask.size()}, shape, size, fit, values);
  return to_numpy(values, {std::size_t{1}, static_cast<std::size_t>(size[0]), static_cast<std::size_t>(size[1])});
}

void add_verification(nb::module_& module) {
  nb::class_<Defect>(module, "Defect", "A problem in a file.")
      .def_ro("where", &Defect::where, "For example '/train/images sample 17'.")
      .def_ro("what", &Defect::what, "What is wrong.")
      .def_ro("sample_name", &Defect::sample_name,
              "The stored name of the sample, such as 'cats/17.png'; of a chunk, of its first and last. Empty if there "
              "is none.")
      .def("__repr__", [](const Defect& defect) {
        const std::string name = defect.sample_name.empty() ? "" : "', sample_name='" + defect.sample_name;
        return "Defect(where='" + defect.where + "', what='" + defect.what + name + "')";
      });
  nb::class_<VerifyResult>(module, "VerifyResult", "The result of verify(). True if the file is intact.")
      .def_ro("defects", &VerifyResult::defects, "The first 1,000 defects.")
      .def_ro("defect_count", &VerifyResult::defect_count)
      .def_ro("checked_bytes", &VerifyResult::checked_bytes)
      .def_ro("checked_samples", &VerifyResult::checked_samples)
      .def("__bool__", [](const VerifyResult& result) { return result.defect_count == 0; })
      .def("__repr__", [](const VerifyResult& result) {
        return "VerifyResult(defect_count=" + std::to_string(result.defect_count) +
               ", checked_samples=" + std::to_string(result.checked_samples) + ")";
      });
  module.def(
      "verify",
      [](const std::filesystem::path& path, int thread_count, const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          return verify(path, {thread_count, true, progress});
        });
      },
      "path"_a, "thread_count"_a, "on_progress"_a.none());
  module.def(
      "verify_remote",
      [](const std::shared_ptr<ByteSource>& source, const nb::object& open_shard, int thread_count,
         const nb::object& on_progress) {
        return interruptibly(on_progress, [&](const ProgressFunction& progress) {
          const ShardOpener open = open_shard.is_none() ? ShardOpener() : opener_of(open_shard);
          return verify(source, open, {thread_count, false, progress});
        });
      },
      "source"_a, "open_shard"_a.none(), "thread_count"_a, "on_progress"_a.none(),
      "A dataset file; or a manifest, whose files open_shard(name) opens.");
}

void add_collected_shards(nb::module_& module) {
  nb::class_<CollectedShard>(module, "CollectedShard", "A shard whose samples Python collects.")
      .def(
          "__init__",
          [](CollectedShard* shard, std::int64_t number, std::int64_t count, const std::string& source_digest,
             const std::vector<std::pair<std::string, std::int64_t>>& splits) {
            new (shard) CollectedShard{{number, count}, source_digest, splits};
          },
          "number"_a, "count"_a, "source_digest"_a, "splits"_a)
      .def(
          "record",
          [](const CollectedShard& shard, const FileOptions& options) { return shard_record(shard, options); },
          "options"_a, "What it records of its source, as JSON.")
      .def(
          "range_of",
          [](const CollectedShard& shard, const std::string& split, std::int64_t total) {
            const ShardRange range = shard_range(shard.shard, split, total);
            return std::pair(range.first, range.count);
          },
          "split"_a, "total"_a, "The first sample and the number of samples.")
      .def(
          "is_in",
          [](const CollectedShard& shard, const std::filesystem::path& folder, const FileOptions& options) {
            return has_shard(folder, shard, options);
          },
          "folder"_a, "options"_a);
  module.def(
      "shard_file_name",
      [](std::int64_t number, std::int64_t count) {
        return shard_file_name({number, count});
      },
      "number"_a, "count"_a);
  module.def("pack_spooled_shard", &pack_spooled_shard, "source"_a, "folder"_a, "shard"_a, "pack_options"_a,
             "on_progress"_a.none());
}

}  // namespace

void add_packing(nb::module_& module) {
  add_summary(module);
  add_options(module);
  add_spooled_source(module);
  module.def("pack_files", &pack_files, "sources"_a, "path"_a, "source_options"_a, "pack_options"_a, "to_append"_a,
             "on_progress"_a.none());
  module.def("pack_shard", &pack_one_shard, "sources"_a, "folder"_a, "number"_a, "count"_a, "source_options"_a,
             "pack_options"_a, "arguments"_a, "is_there"_a.none(), "on_progress"_a.none());
  add_collected_shards(module);
  module.def("merge_remote_shards", &merge_remote_shards, "folder"_a, "files"_a, "open"_a, "on_progress"_a.none());
  module.def("merge_shards", &merge_all_shards, "folder"_a, "with_virtual_dataset"_a, "replace_existing"_a,
             "on_progress"_a.none());
  module.def("survey_files", &survey_files, "sources"_a, "source_options"_a, "on_progress"_a.none());
  module.def("pack_spooled", &pack_spooled, "source"_a, "path"_a, "source_options"_a, "pack_options"_a, "to_append"_a,
             "on_progress"_a.none());
  module.def("resized", &resized, "image"_a, "size"_a, "fit"_a, "background"_a);
  module.def("resized_mask", &resized_mask, "mask"_a, "size"_a, "fit"_a);
  add_verification(module);
}

}  // namespace octavo::python
