// The options of commands that write a dataset file: how it is compressed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <octavo/pack.hpp>
#include <optional>
#include <string>

namespace octavo::tools {

struct CompressionArguments {
  std::string name;  ///< of a Compression; "auto"; or empty: not given
  std::optional<int> max_error;
  std::string memory;
  std::optional<double> model_speed;  ///< samples per second
};

/// Adds --compress, --max-error, --memory and --model-speed. Returns the first.
CLI::Option* add_compression_options(CLI::App& verb, CompressionArguments& arguments, const std::string& help);

/// Throws InvalidArgument if the options contradict each other. Call it before any source is opened.
void check(const CompressionArguments& arguments, Compression otherwise);

/// Sets the compression of `options`: `otherwise` if none was given. For "auto", reads samples from a source that
/// open() returns, and returns a note on what was chosen; otherwise an empty text.
std::string set_compression(const CompressionArguments& arguments, Compression otherwise,
                            const std::function<std::unique_ptr<Source>()>& open, PackOptions& options);

}  // namespace octavo::tools
