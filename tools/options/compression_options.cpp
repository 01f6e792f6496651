#include "options/compression_options.hpp"

#include <octavo/compression_choice.hpp>
#include <octavo/device.hpp>
#include <octavo/errors.hpp>
#include <octavo/memory_size.hpp>
#include <octavo/text.hpp>
#include <vector>

#include "options/option_values.hpp"

namespace octavo::tools {
namespace {

constexpr const char* kAutomatic = "auto";

/// Four fifths of the memory of the first GPU of this machine; nothing if there is none.
std::optional<std::int64_t> memory_of_gpu() {
  for (const DeviceInfo& info : list_devices()) {
    if (info.device.kind() == DeviceKind::cuda && !info.problem) return info.total_bytes / 5 * 4;
  }
  return std::nullopt;
}

}  // namespace

CLI::Option* add_compression_options(CLI::App& verb, CompressionArguments& arguments, const std::string& help) {
  std::vector<std::string> names = names_of(kCompressions);
  names.emplace_back(kAutomatic);
  CLI::Option* const compress = verb.add_option("--compress", arguments.name, help)->check(CLI::IsMember(names));
  verb.add_option("--max-error", arguments.max_error,
                  "With lp8 and lc8, the largest change of a value, for a smaller file: 0 to " +
                      std::to_string(kMostMaxError) + " (0; for dataset files, the one that they have)")
      ->check(CLI::Range(0, kMostMaxError));
  verb.add_option(
      "--memory", arguments.memory,
      "With --compress auto, the memory of a GPU for samples, such as 24GiB (four fifths of this machine's)");
  verb.add_option("--model-speed", arguments.model_speed,
                  "With --compress auto, the samples per second that a model takes: choose the smallest that the "
                  "processors of this machine decode at this speed")
      ->check(CLI::PositiveNumber);
  return compress;
}

void check(const CompressionArguments& arguments, Compression otherwise) {
  const bool is_automatic = arguments.name == kAutomatic;
  if (!arguments.memory.empty()) static_cast<void>(parse_memory_size(arguments.memory));
  if (!arguments.memory.empty() && !is_automatic) {
    throw InvalidArgument(
        "read the command line: --memory is used only with --compress auto; add it, or omit --memory");
  }
  if (arguments.model_speed && !is_automatic) {
    throw InvalidArgument(
        "read the command line: --model-speed is used only with --compress auto; add it, or omit --model-speed");
  }
  if (is_automatic || arguments.max_error.value_or(0) == 0) return;
  const Compression compression = arguments.name.empty() ? otherwise : compressions_by_name().at(arguments.name);
  if (stays_compressed(compression)) return;
  throw InvalidArgument("read the command line: with --max-error, choose --compress lp8 or lc8");
}

std::string set_compression(const CompressionArguments& arguments, Compression otherwise,
                            const std::function<std::unique_ptr<Source>()>& open, PackOptions& options) {
  options.max_error = arguments.max_error;
  if (arguments.name != kAutomatic) {
    options.compression = arguments.name.empty() ? otherwise : compressions_by_name().at(arguments.name);
    return "";
  }
  CompressionLimits limits{.memory_bytes = {}, .samples_per_second = arguments.model_speed};
  if (!arguments.memory.empty())
    limits.memory_bytes = parse_memory_size(arguments.memory);
  else if (!options.reproducible && !arguments.model_speed)  // such a file does not depend on the machine
    limits.memory_bytes = memory_of_gpu();
  const CompressionChoice choice = choose_compression(*open(), arguments.max_error, limits);
  options.compression = choice.compression;
  return choice.note;
}

}  // namespace octavo::tools
