#include "served_data.hpp"

#include <algorithm>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>

namespace octavo::test {

ServedData serve_file(const std::filesystem::path& path) {
  const Dataset dataset = Dataset::open(path);
  ServedData served;
  for (const std::string& name : dataset.split_names()) {
    const Split split = dataset.split(name);
    ServedSplit one;
    one.codes.resize(static_cast<std::size_t>(split.packed_bytes()));
    one.labels.resize(static_cast<std::size_t>(split.sample_count() * split.labels().bytes_per_sample()));
    split.read_checked(0, split.sample_count(), one.codes, one.labels);
    served.push_back(std::move(one));
  }
  return served;
}

bool serves_other_data(const std::filesystem::path& path, const ServedData& expected) {
  try {
    const ServedData served = serve_file(path);
    return !std::ranges::all_of(served,
                                [&](const ServedSplit& split) { return std::ranges::count(expected, split) != 0; });
  } catch (const FormatError&) {
    return false;
  } catch (const IoError&) {
    return false;
  }
}

}  // namespace octavo::test
