#include "images/image_codec.hpp"

#include <algorithm>
#include <filesystem>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/other_formats.hpp"
#include "support/text/ascii.hpp"

namespace octavo::images {

const ImageCodec& codec_of(std::span<const std::byte> start) {
  for (const ImageCodec* codec : kImageCodecs) {
    if (codec->matches(start)) return *codec;
  }
  if (start.empty()) throw FormatError("it is empty");
  if (const auto problem = other_format_problem(start)) throw FormatError(*problem);
  throw FormatError("it is not a " + image_format_names() + " file");
}

bool has_image_name(const std::string& name) {
  const std::string extension = lower_case(std::filesystem::path(name).extension().string());
  if (has_other_image_name(name)) return true;
  return !extension.empty() && std::ranges::any_of(kImageCodecs, [&](const ImageCodec* codec) {
    return std::ranges::find(codec->extensions, extension) != codec->extensions.end();
  });
}

std::string image_format_names() {
  std::vector<std::string> names;
  for (const ImageCodec* codec : kImageCodecs) names.emplace_back(codec->name);
  return either_of(names);
}

}  // namespace octavo::images
