#include "options/compression_options.hpp"

#include <octavo/compression_choice.hpp>
#include <octavo/device.hpp>
#include <octavo/errors.hpp>
#include <octavo/memory_size.hpp>
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
  std::vector<std::string> names;
  for (const CompressionInfo& info : kCompressions) names.emplace_back(info.name);
  names.emplace_back(kAutomatic);
  CLI::Option* const compress = verb.add_option("--compress", arguments.name, help)->check(CLI::IsMember(names));
  verb.add_option(
          "--max-error", arguments.max_error,
          "With lp8 and lc8, what each value may change by, at most, for a smaller file: 0 to 3 (0, or as before "
          "for dataset files)")
      ->check(CLI::Range(0, kMostMaxError));
  verb.add_option(
      "--memory", arguments.memory,
      "With --compress auto, the memory of a GPU for samples, such as 24GiB (four fifths of this machine's)");
  return compress;
}

std::string set_compression(const CompressionArguments& arguments, Compression otherwise,
                            const std::function<std::unique_ptr<Source>()>& open, PackOptions& options) {
  options.max_error = arguments.max_error;
  if (arguments.name != kAutomatic) {
    if (!arguments.memory.empty()) {
      throw InvalidArgument("read the command line: --memory chooses a compression with --compress auto only");
    }
    options.compression = arguments.name.empty() ? otherwise : compressions_by_name().at(arguments.name);
    return "";
  }
  const auto memory = arguments.memory.empty() ? memory_of_gpu() : std::optional(parse_memory_size(arguments.memory));
  const CompressionChoice choice = choose_compression(*open(), arguments.max_error, memory);
  options.compression = choice.compression;
  return "compression: " + choice.reason;
}

}  // namespace octavo::tools
