// Contact sheets: pictures of samples and batches.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <octavo/view.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pack/module.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// The samples of a split as a PNG.
nb::bytes draw_stored(const Split& split, std::vector<std::int64_t> indices, std::vector<std::int32_t> classes,
                      std::int64_t first, std::int64_t count, std::int64_t columns, std::int64_t scale, bool captions) {
  std::vector<std::byte> png;
  {
    const GilRelease released;
    png = draw_samples(split, {.count = count,
                               .first = first,
                               .classes = std::move(classes),
                               .indices = std::move(indices),
                               .columns = columns,
                               .scale = scale,
                               .captions = captions});
  }
  return nb::bytes(png.data(), png.size());
}

/// Batch `step` of `epoch` as a PNG.
nb::bytes draw(const Store& store, const BatchSpec& spec, std::int64_t batch_size, const std::string& shuffle,
               std::uint64_t seed, bool drop_last, bool carry_over, std::int64_t rank, std::int64_t world_size,
               bool equal_shares, std::pair<std::int64_t, std::int64_t> origin, const Sampling& sampling,
               std::int64_t epoch, std::int64_t step, std::int64_t count, std::int64_t columns, std::int64_t scale,
               bool captions) {
  std::vector<std::byte> png;
  {
    const GilRelease released;
    png = draw_batch(store, {.count = count,
                             .columns = columns,
                             .scale = scale,
                             .batch = step,
                             .epoch = epoch,
                             .loader = {.batch_size = batch_size,
                                        .shuffle = parse_shuffle(shuffle),
                                        .seed = seed,
                                        .drop_last = drop_last,
                                        .carry_over = carry_over,
                                        .rank = rank,
                                        .world_size = world_size,
                                        .equal_shares = equal_shares,
                                        .origin = {origin.first, origin.second},
                                        .spec = spec,
                                        .sampling = sampling},
                             .captions = captions});
  }
  return nb::bytes(png.data(), png.size());
}

}  // namespace

void add_contact_sheets(nb::module_& module) {
  module.def("find_class", &find_class, "split"_a, "text"_a, nb::call_guard<GilRelease>(),
             "The number of a class, by its name or number.");
  module.def("draw_samples", &draw_stored, "split"_a, "indices"_a, "classes"_a, "first"_a, "count"_a, "columns"_a,
             "scale"_a, "captions"_a, "Draws samples as they are stored as a PNG.");
  module.def("draw_batch", &draw, "store"_a, "spec"_a, "batch_size"_a, "shuffle"_a, "seed"_a, "drop_last"_a,
             "carry_over"_a, "rank"_a, "world_size"_a, "equal_shares"_a, "origin"_a, "sampling"_a, "epoch"_a, "step"_a,
             "count"_a, "columns"_a, "scale"_a, "captions"_a, "Draws a batch as a PNG.");
}

}  // namespace octavo::python
