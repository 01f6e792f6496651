// Operations written as text, as on the command line.
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <octavo/augment.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

using namespace augment;

[[noreturn]] void refuse_operation(const std::string& text, const std::string& why) {
  throw InvalidArgument("parse the operation \"" + text + "\": " + why);
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The name of an operation and the texts after it: "rand:2:9".
class Words {
 public:
  explicit Words(const std::string& text) : text_(text), parts_(split_at(text, ':')) {}

  const std::string& name() const { return parts_[0]; }
  std::size_t parameter_count() const { return parts_.size() - 1; }
  /// Parameter `at`, from 0; `otherwise` if it is not given.
  double number(std::size_t at, double otherwise) const {
    if (at >= parameter_count()) return otherwise;
    const std::string& word = parts_[at + 1];
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
      refuse_operation(text_, "\"" + word + "\" is not a number");
    }
    return value;
  }
  std::int64_t whole(std::size_t at, std::int64_t otherwise) const {
    const double value = number(at, static_cast<double>(otherwise));
    if (value != std::floor(value) || std::abs(value) > 1e9) refuse_operation(text_, "expected a whole number");
    return static_cast<std::int64_t>(value);
  }
  /// N, or HxW.
  std::array<std::int64_t, 2> size() const {
    if (parameter_count() == 0) refuse_operation(text_, "give its size, such as " + name() + ":224");
    const std::vector<std::string> sides = split_at(parts_[1], 'x');
    const Words height(name() + ":" + sides[0]), width(name() + ":" + sides.back());
    if (sides.size() > 2) refuse_operation(text_, "a size is N or HxW");
    return {height.whole(0, 0), width.whole(0, 0)};
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> parts_;
};

std::array<double, 2> around_one(double strength) { return {std::max(0.0, 1.0 - strength), 1.0 + strength}; }

/// How an operation is written, and what it becomes.
struct Spelling {
  const char* name;
  const char* parameters;  ///< for the list of operations
  std::size_t most_parameters;
  Operation (*make)(const Words& words);
};

const Spelling kSpellings[] = {
    {"flip", "[:P]", 1, [](const Words& w) -> Operation { return HorizontalFlip{w.number(0, 0.5)}; }},
    {"alternating-flip", "", 0, [](const Words&) -> Operation { return AlternatingFlip{}; }},
    {"vertical-flip", "[:P]", 1, [](const Words& w) -> Operation { return VerticalFlip{w.number(0, 0.5)}; }},
    {"crop", "[:PADDING]", 1, [](const Words& w) -> Operation { return RandomCrop{.padding = w.whole(0, 4)}; }},
    {"center-crop", ":SIZE", 1, [](const Words& w) -> Operation { return CenterCrop{.size = w.size()}; }},
    {"resized-crop", ":SIZE", 1, [](const Words& w) -> Operation { return RandomResizedCrop{.size = w.size()}; }},
    {"resize", ":SIZE", 1,
     [](const Words& w) -> Operation {
       const std::array<std::int64_t, 2> size = w.size();
       return w.text().find('x') == std::string::npos ? Resize{.shorter_side = size[0]} : Resize{.size = size};
     }},
    {"cutout", "[:SIDE]", 1, [](const Words& w) -> Operation { return Cutout{.size = w.whole(0, 8)}; }},
    {"erase", "[:P]", 1, [](const Words& w) -> Operation { return RandomErasing{.probability = w.number(0, 0.5)}; }},
    {"affine", "[:DEGREES]", 1,
     [](const Words& w) -> Operation {
       const double degrees = w.number(0, 15.0);
       return Affine{.degrees = {-degrees, degrees}, .interpolation = Interpolation::bilinear};
     }},
    {"jitter", "[:STRENGTH]", 1,
     [](const Words& w) -> Operation {
       const double strength = w.number(0, 0.4);
       const auto factors = around_one(strength);
       return ColorJitter{factors, factors, factors, {-strength / 4, strength / 4}};
     }},
    {"grayscale", "[:P]", 1, [](const Words& w) -> Operation { return Grayscale{w.number(0, 0.1)}; }},
    {"blur", "[:KERNEL]", 1, [](const Words& w) -> Operation { return GaussianBlur{.kernel_size = w.whole(0, 3)}; }},
    {"trivial", "", 0, [](const Words&) -> Operation { return TrivialAugment{}; }},
    {"rand", "[:COUNT[:MAGNITUDE]]", 2,
     [](const Words& w) -> Operation { return RandAugment{.count = w.whole(0, 2), .magnitude = w.whole(1, 9)}; }},
    {"timm-rand", "[:COUNT[:MAGNITUDE]]", 2,
     [](const Words& w) -> Operation {
       return TimmRandAugment{.count = w.whole(0, 2), .magnitude = w.number(1, 9.0)};
     }},
};

Operation parse_operation(const std::string& text) {
  const Words words(text);
  std::vector<std::string> known;
  for (const Spelling& spelling : kSpellings) {
    known.emplace_back(spelling.name);
    if (words.name() != spelling.name) continue;
    if (words.parameter_count() > spelling.most_parameters) {
      refuse_operation(text, std::string("expected ") + spelling.name + spelling.parameters);
    }
    return spelling.make(words);
  }
  refuse_operation(text, "it is unknown; expected " + either_of(known));
}

}  // namespace

augment::Operations augment::parse(const std::string& text) {
  Operations operations;
  if (text.empty()) return operations;
  for (const std::string& part : split_at(text, ',')) {
    operations.push_back(parse_operation(std::string(trimmed(part))));
  }
  return operations;
}

std::string augment::spellings() {
  std::string text;
  for (const Spelling& spelling : kSpellings) {
    text += (text.empty() ? "" : ", ") + std::string(spelling.name) + spelling.parameters;
  }
  return text;
}

}  // namespace octavo
