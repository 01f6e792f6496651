// Presets and descriptions of BatchSpec.
#include <octavo/batch_spec.hpp>

#include <cstdio>
#include <string>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

std::string join(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", number);
    text += (text.empty() ? "" : ", ") + std::string(digits);
  }
  return numbers.size() == 1 ? text : "[" + text + "]";
}

std::string describe_center(const BatchSpec& spec) {
  switch (spec.center) {
    case Center::none:
      return "0";
    case Center::dataset:
      return "dataset mean";
    case Center::channel:
      return "channel means";
    case Center::pixel:
      return "mean image";
    case Center::batch:
      return "batch mean";
    case Center::values:
      return join(spec.center_values);
  }
  return "?";
}

}  // namespace

BatchSpec BatchSpec::preset(std::string_view name) {
  BatchSpec spec;
  if (name == "default") return spec;
  if (name == "unit") {
    spec.center = Center::none;
    spec.divisor_values = {255.0};
    spec.of_stored_values = true;
    return spec;
  }
  if (name == "standard") {
    spec.center = Center::channel;
    spec.divisor = Divisor::standard_deviation;
    return spec;
  }
  if (name == "imagenet") {
    // The constants of the ResNet recipe (0.485, ... for values in [0, 1]), scaled to uint8.
    spec.center = Center::values;
    spec.center_values = {0.485 * 255, 0.456 * 255, 0.406 * 255};
    spec.divisor_values = {0.229 * 255, 0.224 * 255, 0.225 * 255};
    spec.of_stored_values = true;
    return spec;
  }
  throw InvalidArgument("unknown normalization \"" + std::string(name) + "\"; expected " +
                        either_of(names_of(kPresets)));
}

std::string describe(const BatchSpec& spec) {
  const std::string divisor =
      spec.divisor == Divisor::standard_deviation ? "standard deviation" : join(spec.divisor_values);
  return "(x - " + describe_center(spec) + ") / " + divisor + (spec.of_stored_values ? ", x the stored uint8" : "");
}

}  // namespace octavo
