// Opens dataset files and reads their contents.
#include <filesystem>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdio>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <string>
#include <tuple>

#include "core/module.hpp"
#include "support/arrays.hpp"
#include "support/gil.hpp"
#include "support/interruptible.hpp"

namespace octavo::python {
namespace {

using namespace nb::literals;

std::tuple<std::int64_t, std::int64_t, std::int64_t> shape_of(const Split& split) {
  const SampleShape shape = split.shape();
  return {shape.channels, shape.height, shape.width};
}

void check_range(const Split& split, std::int64_t first, std::int64_t count) {
  if (first < 0 || count < 0 || first > split.sample_count() - count) {
    throw InvalidArgument("read split " + split.name() + ": samples " + std::to_string(first) + " to " +
                          std::to_string(first + count) + " are out of range; the split has " +
                          std::to_string(split.sample_count()));
  }
}

/// The codes of samples [first, first + count), verified against their checksums.
NumpyArray<std::int8_t> read_images(const Split& split, std::int64_t first, std::int64_t count) {
  check_range(split, first, count);
  const SampleShape shape = split.shape();
  const auto value_count = static_cast<std::size_t>(count * shape.values());
  auto codes = array_memory<std::int8_t>(value_count);
  {
    const GilRelease released;
    std::vector<std::byte> labels(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
    if (count > 0) split.read_checked(first, count, {codes.get(), value_count}, labels);
  }
  return to_numpy(std::move(codes), {static_cast<std::size_t>(count), static_cast<std::size_t>(shape.channels),
                                     static_cast<std::size_t>(shape.height), static_cast<std::size_t>(shape.width)});
}

/// The masks of samples [first, first + count), verified against their checksums.
NumpyArray<std::uint8_t> read_masks(const Split& split, std::int64_t first, std::int64_t count) {
  check_range(split, first, count);
  const SampleShape shape = split.shape();
  const auto pixels = static_cast<std::size_t>(count * shape.values_per_channel());
  auto masks = array_memory<std::uint8_t>(pixels);
  {
    const GilRelease released;
    std::vector<std::int8_t> codes(static_cast<std::size_t>(count * shape.values()));
    std::vector<std::byte> labels(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
    if (count > 0) split.read_checked(first, count, codes, labels, {masks.get(), pixels});
  }
  return to_numpy(std::move(masks), {static_cast<std::size_t>(count), static_cast<std::size_t>(shape.height),
                                     static_cast<std::size_t>(shape.width)});
}

template <typename T>
nb::object read_labels_as(const Split& split) {
  const auto count = static_cast<std::size_t>(split.sample_count());
  const auto width = static_cast<std::size_t>(split.labels().width);
  auto labels = array_memory<T>(count * width);
  {
    const GilRelease released;
    split.read_labels(0, split.sample_count(), std::as_writable_bytes(std::span(labels.get(), count * width)));
    split.ensure_unchanged();
  }
  if (split.labels().kind == LabelKind::class_index) return nb::cast(to_numpy(std::move(labels), {count}));
  return nb::cast(to_numpy(std::move(labels), {count, width}));
}

nb::object read_labels(const Split& split) {
  switch (split.labels().kind) {
    case LabelKind::none:
      return nb::none();
    case LabelKind::target:
      return read_labels_as<float>(split);
    default:
      return read_labels_as<std::int32_t>(split);
  }
}

/// "[119.2, 130.1]": four significant digits of each number, of the first numbers.
std::string rounded(const std::vector<double>& numbers) {
  constexpr std::size_t kMostShown = 8;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostShown); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.4g", numbers[i]);
    text += (i == 0 ? "" : ", ") + std::string(number);
  }
  return text + (numbers.size() > kMostShown ? ", ...]" : "]");
}

void add_statistics(nb::module_& module) {
  nb::class_<Statistics>(module, "Statistics", "Exact statistics of a split, in source units.")
      .def_prop_ro(
          "mean", [](const Statistics& s) { return to_numpy(s.mean, {s.mean.size()}); }, nb::rv_policy::move,
          "float64 [C]: mean of each channel.")
      .def_prop_ro(
          "std", [](const Statistics& s) { return to_numpy(s.standard_deviation, {s.standard_deviation.size()}); },
          nb::rv_policy::move, "float64 [C]: population standard deviation of each channel.")
      .def_prop_ro(
          "histogram",
          [](const Statistics& s) {
            return to_numpy(s.histogram, {s.histogram.size() / 256, std::size_t{256}});
          },
          nb::rv_policy::move, "int64 [C, 256]: how often each stored value occurs in each channel.")
      .def_prop_ro(
          "mean_image", [](const Statistics& s) { return to_numpy(s.mean_image, {s.mean_image.size()}); },
          nb::rv_policy::move, "float32 [C*H*W]: the mean of each pixel.")
      .def_prop_ro(
          "scale",
          [](const Statistics& s) {
            std::vector<double> scale;
            for (const ChannelQuantization& q : s.quantization) scale.push_back(q.scale);
            return to_numpy(scale, {scale.size()});
          },
          nb::rv_policy::move, "float64 [C]: source = scale * (code + 128) + zero_point.")
      .def_prop_ro(
          "zero_point",
          [](const Statistics& s) {
            std::vector<double> zero_point;
            for (const ChannelQuantization& q : s.quantization) zero_point.push_back(q.zero_point);
            return to_numpy(zero_point, {zero_point.size()});
          },
          nb::rv_policy::move, "float64 [C].")
      .def("__repr__", [](const Statistics& s) {
        return "Statistics(mean=" + rounded(s.mean) + ", std=" + rounded(s.standard_deviation) + ")";
      });
}

void add_split(nb::module_& module) {
  nb::class_<Split>(module, "Split", "One split of an open file.")
      .def_prop_ro("name", &Split::name)
      .def_prop_ro("sample_count", &Split::sample_count)
      .def_prop_ro("shape", &shape_of, "(C, H, W).")
      .def_prop_ro(
          "label_kind", [](const Split& split) { return to_string(split.labels().kind); },
          "'none', 'class', 'multi_label' or 'target'.")
      .def_prop_ro("label_width", [](const Split& split) { return split.labels().width; })
      .def_prop_ro("has_masks", &Split::has_masks)
      .def_prop_ro("packed_bytes", &Split::packed_bytes)
      .def_prop_ro("max_error", &Split::max_error, "Values are multiples of 2 * max_error + 1.")
      .def_prop_ro(
          "compression", [](const Split& split) { return to_string(split.compression()); },
          "'none', 'deflate', 'lp8' or 'lc8'.")
      .def_prop_ro("stored_bytes", &Split::stored_bytes)
      .def_prop_ro("stored_mask_bytes", &Split::stored_mask_bytes)
      .def_prop_ro("source_dtype", &Split::source_dtype)
      .def_prop_ro("class_names", &Split::class_names)
      .def_prop_ro("path", &Split::path)
      .def_prop_ro("dataset", &Split::dataset)
      .def_prop_ro("columns", &Split::columns)
      .def("metadata", &Split::metadata, "JSON.", nb::call_guard<GilRelease>())
      .def("statistics", &Split::statistics, nb::call_guard<GilRelease>())
      .def("sample_name", &Split::sample_name, "row"_a)
      .def("read_images", &read_images, "first"_a, "count"_a, "int8 [count, C, H, W], verified against the checksums.")
      .def("read_masks", &read_masks, "first"_a, "count"_a, "uint8 [count, H, W], verified against the checksums.")
      .def("read_labels", &read_labels, "int32 [N], int32 [N, K], float32 [N, K], or None.");
}

void add_dataset(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset", "A dataset file, opened for reading.")
      .def_static(
          // Not a string: a file name may be no UTF-8. A path of C++ keeps the "//" of a URL.
          "open", [](const std::filesystem::path& location) { return Dataset::open(location.string()); }, "location"_a,
          nb::call_guard<GilRelease>())
      .def_prop_ro("split_names", &Dataset::split_names)
      .def("split", &Dataset::split, "name"_a)
      .def("training_split", &Dataset::training_split)
      .def_prop_ro("class_names", &Dataset::class_names)
      .def_prop_ro("provenance", &Dataset::provenance, "JSON.")
      .def_prop_ro("uuid", &Dataset::uuid)
      .def_prop_ro("digest", &Dataset::digest)
      .def_prop_ro("created", &Dataset::created)
      .def_prop_ro("writer", &Dataset::writer)
      .def_prop_ro("format_version", &Dataset::format_version)
      .def_prop_ro("file_bytes", &Dataset::file_bytes)
      .def_prop_ro("path", &Dataset::path);
}

}  // namespace

void add_datasets(nb::module_& module) {
  add_statistics(module);
  add_split(module);
  add_dataset(module);
}

}  // namespace octavo::python
