#include <octavo/shuffle.hpp>

#include <charconv>

#include <octavo/errors.hpp>

namespace octavo {
namespace {

constexpr std::string_view kWindows = "windows:";

}  // namespace

std::string to_string(Shuffle shuffle) {
  switch (shuffle.kind()) {
    case Shuffle::Kind::none:
      return "none";
    case Shuffle::Kind::global:
      return "global";
    case Shuffle::Kind::blocks:
      return "blocks";
    case Shuffle::Kind::windows:
      return std::string(kWindows) + std::to_string(shuffle.window_samples());
  }
  return "?";
}

Shuffle parse_shuffle(std::string_view text) {
  if (text == "none") return false;
  if (text == "global") return true;
  if (text == "blocks") return Shuffle::blocks();
  if (text.starts_with(kWindows)) {
    const std::string_view number = text.substr(kWindows.size());
    std::int64_t samples = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), samples);
    if (error == std::errc{} && end == number.data() + number.size() && samples >= 1) return Shuffle::windows(samples);
  }
  throw InvalidArgument("unknown order \"" + std::string(text) +
                        "\"; expected none, global, blocks or windows:N with N samples per window");
}

}  // namespace octavo
