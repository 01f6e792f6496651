// Contact sheets: pictures of the first samples of a split.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <octavo/view.hpp>
#include <string>
#include <vector>

#include "pack/module.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

void write_sheet(const Dataset& dataset, const std::filesystem::path& path, const std::string& split,
                 std::int64_t count, std::int64_t columns) {
  ContactSheetOptions options;
  options.split = split;
  options.count = count;
  options.columns = columns;
  options.replace_existing = true;
  write_contact_sheet(dataset, path, options);
}

/// Batch `step` of `epoch` as a PNG.
nb::bytes draw(const Store& store, const BatchSpec& spec, std::int64_t batch_size, const std::string& shuffle,
               std::uint64_t seed, bool drop_last, bool carry_over, std::int64_t rank, std::int64_t world_size,
               const Sampling& sampling, std::int64_t epoch, std::int64_t step, std::int64_t count,
               std::int64_t columns, std::int64_t scale) {
  std::vector<std::byte> png;
  {
    const GilRelease released;
    png = draw_batch(store, {.count = count,
                             .columns = columns,
                             .scale = scale,
                             .batch = step,
                             .epoch = epoch,
                             .loader = {batch_size, parse_shuffle(shuffle), seed, drop_last, carry_over, rank,
                                        world_size, spec, sampling}});
  }
  return nb::bytes(png.data(), png.size());
}

}  // namespace

void add_contact_sheets(nb::module_& module) {
  module.def("write_contact_sheet", &write_sheet, "dataset"_a, "path"_a, "split"_a, "count"_a, "columns"_a,
             nb::call_guard<GilRelease>(), "Writes a PNG with the first `count` samples of a split.");
  module.def("draw_batch", &draw, "store"_a, "spec"_a, "batch_size"_a, "shuffle"_a, "seed"_a, "drop_last"_a,
             "carry_over"_a, "rank"_a, "world_size"_a, "sampling"_a, "epoch"_a, "step"_a, "count"_a, "columns"_a,
             "scale"_a, "Draws a batch as a PNG.");
}

}  // namespace octavo::python
