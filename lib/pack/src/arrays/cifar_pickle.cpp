#include "arrays/cifar_pickle.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::arrays {
namespace {

constexpr std::int64_t kImageBytes = 3 * 32 * 32;
// Longer texts, such as the pixels, stay in the stream; only their offset is kept.
constexpr std::int64_t kKeptTextBytes = 4096;
// The largest batch, CIFAR-100 with 50,000 images, has 200,000 instructions: two labels, and a file name that is
// created and stored. Each creates at most one object, so this bounds the memory.
constexpr std::int64_t kMostInstructions = 600'000;
// File names have about 25 bytes.
constexpr std::int64_t kMostKeptBytes = std::int64_t{16} << 20;
// "u1".
constexpr std::size_t kLongestTypeName = 32;
constexpr std::size_t kMostNames = 100;

// Version, shape, type, order, data.
constexpr std::size_t kArrayState = 5;

struct Object;
/// Objects are owned by the Unpickler, since they may refer to each other and to themselves.
using Reference = Object*;

/// An object made by instructions.
struct Object {
  enum class Kind { none, number, text, sequence, dictionary, mark, global, dtype, array };
  Kind kind = Kind::none;
  std::int64_t number = 0;             ///< also False and True
  std::string text;                    ///< a text of up to kKeptTextBytes; a global's name; a type's name
  std::int64_t offset = 0, bytes = 0;  ///< of a text in the stream
  std::vector<Reference> items;        ///< of a list or tuple; of an array, its state
  std::vector<std::pair<Reference, Reference>> pairs;  ///< of a dictionary
};
using Kind = Object::Kind;

/// Runs the instructions of pickle protocol 2 that describe plain data. Calls nothing: it records the results of
/// NumPy's functions for arrays and types, and refuses any other function.
class Unpickler {
 public:
  explicit Unpickler(files::ByteStream& stream) : stream_(stream) {}

  /// The object that the pickle describes; valid as long as this Unpickler.
  Reference run();

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw FormatError("read the pickle " + stream_.name() + ": " + problem);
  }
  std::uint8_t byte();
  /// A little-endian number of the given number of bytes.
  std::int64_t number(int bytes);
  std::string line();
  void skip(std::int64_t count);

  Reference push(Kind kind);
  Reference pop();
  /// Pops everything above the topmost mark, and the mark.
  std::vector<Reference> pop_to_mark();
  Object& top(Kind kind);

  void step(std::uint8_t instruction);
  void push_text(std::int64_t bytes);
  void push_number(std::int64_t value) { push(Kind::number)->number = value; }
  void push_tuple(std::size_t count);
  void set_items(std::vector<Reference> items);
  void reduce();
  void build();

  files::ByteStream& stream_;
  std::array<std::byte, 16384> buffer_{};
  std::int64_t buffer_offset_ = 0;
  std::size_t buffer_bytes_ = 0;
  std::int64_t position_ = 0;
  std::int64_t kept_bytes_ = 0;
  std::deque<Object> objects_;
  std::vector<Reference> stack_;
  std::unordered_map<std::int64_t, Reference> memo_;
};

std::uint8_t Unpickler::byte() {
  if (position_ < buffer_offset_ || position_ >= buffer_offset_ + static_cast<std::int64_t>(buffer_bytes_)) {
    buffer_offset_ = position_;
    buffer_bytes_ = stream_.read_some_at(position_, buffer_);
    if (buffer_bytes_ == 0) fail("it is cut short; get the file again");
  }
  return std::to_integer<std::uint8_t>(buffer_[static_cast<std::size_t>(position_++ - buffer_offset_)]);
}

std::int64_t Unpickler::number(int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(byte()) << (8 * i);
  if (bytes == 4) return static_cast<std::int32_t>(value);
  return static_cast<std::int64_t>(value);
}

std::string Unpickler::line() {
  std::string text;
  for (char c; (c = static_cast<char>(byte())) != '\n';) {
    text += c;
    if (++kept_bytes_ > kMostKeptBytes) fail("it has more text than a CIFAR batch");
    if (std::ssize(text) > kKeptTextBytes) fail("a name in it is too long");
  }
  return text;
}

Reference Unpickler::push(Kind kind) {
  objects_.emplace_back().kind = kind;
  stack_.push_back(&objects_.back());
  return stack_.back();
}

Reference Unpickler::pop() {
  if (stack_.empty()) fail("its instructions make no sense");
  const Reference object = stack_.back();
  stack_.pop_back();
  return object;
}

std::vector<Reference> Unpickler::pop_to_mark() {
  std::vector<Reference> items;
  for (Reference object; (object = pop())->kind != Kind::mark;) items.push_back(object);
  std::reverse(items.begin(), items.end());
  return items;
}

Object& Unpickler::top(Kind kind) {
  if (stack_.empty() || stack_.back()->kind != kind) fail("its instructions make no sense");
  return *stack_.back();
}

void Unpickler::push_text(std::int64_t bytes) {
  if (bytes < 0 || bytes > stream_.most_bytes() - position_) fail("a text in it is longer than the file");
  const Reference text = push(Kind::text);
  text->offset = position_;
  text->bytes = bytes;
  if (bytes <= kKeptTextBytes) {
    kept_bytes_ += bytes;
    if (kept_bytes_ > kMostKeptBytes) fail("it has more text than a CIFAR batch");
    text->text.reserve(static_cast<std::size_t>(bytes));
    for (std::int64_t i = 0; i < bytes; ++i) text->text += static_cast<char>(byte());
  } else {
    position_ += bytes;
  }
}

void Unpickler::push_tuple(std::size_t count) {
  std::vector<Reference> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back(pop());
  std::reverse(items.begin(), items.end());
  push(Kind::sequence)->items = std::move(items);
}

void Unpickler::set_items(std::vector<Reference> items) {
  if (items.size() % 2 != 0) fail("its instructions make no sense");
  Object& dictionary = top(Kind::dictionary);
  for (std::size_t i = 0; i < items.size(); i += 2) dictionary.pairs.emplace_back(items[i], items[i + 1]);
}

/// Replaces a function and its arguments with the object that the function would make.
void Unpickler::reduce() {
  const Reference arguments = pop();
  const Reference function = pop();
  if (function->kind != Kind::global || arguments->kind != Kind::sequence) fail("its instructions make no sense");
  const bool is_numpy = function->text.starts_with("numpy");
  if (is_numpy && function->text.ends_with(".multiarray _reconstruct")) {
    push(Kind::array);
  } else if (is_numpy && function->text.ends_with(" dtype") && !arguments->items.empty()) {
    if (arguments->items[0]->text.size() > kLongestTypeName) fail("a type name in it is too long");
    push(Kind::dtype)->text = arguments->items[0]->text;
  } else {
    fail("it tries to call " + function->text + ", which no CIFAR batch does");
  }
}

/// Sets the state of an object. For an array: the version, the shape, the type, whether it is in Fortran order, and the
/// data.
void Unpickler::build() {
  const Reference state = pop();
  if (stack_.empty() || state->kind != Kind::sequence) fail("its instructions make no sense");
  if (stack_.back()->kind != Kind::array) return;
  if (state->items.size() != kArrayState) fail("its instructions make no sense");
  stack_.back()->items = state->items;
}

void Unpickler::step(std::uint8_t instruction) {
  switch (instruction) {
    case 0x80:  // PROTO
      if (byte() > 3) fail("its protocol is newer than 3; get the published file");
      return;
    case '(':
      push(Kind::mark);
      return;
    case 'N':
      push(Kind::none);
      return;
    case 0x88:
    case 0x89:
      return push_number(instruction == 0x88 ? 1 : 0);
    case 'K':
      return push_number(number(1));
    case 'M':
      return push_number(number(2));
    case 'J':
      return push_number(number(4));
    case 0x8A: {  // LONG1
      const std::uint8_t bytes = byte();
      if (bytes > 8) fail("a number in it is too large");
      return push_number(number(bytes));
    }
    case 'U':
    case 'C':
      return push_text(number(1));
    case 'T':
    case 'X':
    case 'B':
      return push_text(number(4));
    case 'c': {
      const std::string module = line();
      push(Kind::global)->text = module + " " + line();
      return;
    }
    case ']':
    case ')':
      push(Kind::sequence);
      return;
    case '}':
      push(Kind::dictionary);
      return;
    case 't': {
      std::vector<Reference> items = pop_to_mark();
      push(Kind::sequence)->items = std::move(items);
      return;
    }
    case 0x85:
    case 0x86:
    case 0x87:
      return push_tuple(instruction - 0x84u);
    case 'a': {
      const Reference item = pop();
      top(Kind::sequence).items.push_back(item);
      return;
    }
    case 'e': {
      std::vector<Reference> items = pop_to_mark();
      auto& list = top(Kind::sequence).items;
      list.insert(list.end(), items.begin(), items.end());
      return;
    }
    case 's': {
      const Reference value = pop();
      const Reference key = pop();
      return set_items({key, value});
    }
    case 'u':
      return set_items(pop_to_mark());
    case 'q':
    case 'r': {
      const std::int64_t place = number(instruction == 'q' ? 1 : 4);
      if (stack_.empty()) fail("its instructions make no sense");
      memo_[place] = stack_.back();
      return;
    }
    case 'h':
    case 'j': {
      const auto found = memo_.find(number(instruction == 'h' ? 1 : 4));
      if (found == memo_.end()) fail("its instructions make no sense");
      stack_.push_back(found->second);
      return;
    }
    case 'R':
      return reduce();
    case 'b':
      return build();
    default:
      fail("it has an instruction that no CIFAR batch has; get the published file");
  }
}

Reference Unpickler::run() {
  std::int64_t count = 0;
  for (std::uint8_t instruction; (instruction = byte()) != '.';) {
    if (++count > kMostInstructions) fail("it has more instructions than a CIFAR batch");
    step(instruction);
  }
  return pop();
}

/// The value of a key in a dictionary, or null.
Reference value_of(const Object& dictionary, std::string_view key) {
  for (const auto& [name, value] : dictionary.pairs) {
    if (name->kind == Kind::text && name->text == key) return value;
  }
  return nullptr;
}

bool begins_as_pickle(files::ByteStream& stream) {
  std::array<std::byte, 3> start{};
  if (stream.read_some_at(0, start) != start.size()) return false;
  return start[0] == std::byte{0x80} && (start[1] == std::byte{2} || start[1] == std::byte{3}) &&
         start[2] == std::byte{'}'};
}

[[noreturn]] void refuse(const files::ByteStream& stream, const std::string& problem) {
  throw FormatError("read the pickle " + stream.name() + ": " + problem);
}

std::unique_ptr<Array> labels_of(const files::ByteStream& stream, const Object& batch) {
  const Reference fine = value_of(batch, "fine_labels");
  const Reference labels = fine != nullptr ? fine : value_of(batch, "labels");
  if (labels == nullptr || labels->kind != Kind::sequence || labels->items.empty()) refuse(stream, "it has no labels");
  std::vector<std::int64_t> numbers;
  for (const Reference& label : labels->items) {
    if (label->kind != Kind::number) refuse(stream, "a label in it is not a number");
    numbers.push_back(label->number);
  }
  return array_in_memory(stream.name(), std::move(numbers));
}

/// The offset in the stream of the pixels of `count` images.
std::int64_t offset_of_images(const files::ByteStream& stream, const Object& batch, std::int64_t count) {
  const Reference data = value_of(batch, "data");
  if (data == nullptr || data->kind != Kind::array || data->items.size() != kArrayState)
    refuse(stream, "it has no array of images");
  const Object &shape = *data->items[1], &type = *data->items[2], &fortran = *data->items[3], &pixels = *data->items[4];
  const bool fits = shape.kind == Kind::sequence && shape.items.size() == 2 && shape.items[0]->number == count &&
                    shape.items[1]->number == kImageBytes && type.kind == Kind::dtype && type.text == "u1" &&
                    fortran.number == 0 && pixels.kind == Kind::text && pixels.bytes == count * kImageBytes;
  if (!fits) refuse(stream, "its images are not an array of " + std::to_string(count) + " x 3072 bytes");
  return pixels.offset;
}

}  // namespace

std::optional<int> detect_cifar_pickle(files::ByteStream& stream) {
  if (!begins_as_pickle(stream)) return std::nullopt;
  Unpickler unpickler(stream);
  const Reference batch = unpickler.run();
  if (batch->kind != Kind::dictionary || value_of(*batch, "data") == nullptr) return std::nullopt;
  return value_of(*batch, "fine_labels") != nullptr ? 100 : 10;
}

CifarPickle open_cifar_pickle(std::shared_ptr<files::ByteStream> stream) {
  Unpickler unpickler(*stream);
  const Reference batch = unpickler.run();
  if (batch->kind != Kind::dictionary) refuse(*stream, "it is not a dictionary");
  CifarPickle pickle;
  pickle.labels = labels_of(*stream, *batch);
  const std::int64_t count = pickle.labels->row_count();
  const std::int64_t offset = offset_of_images(*stream, *batch, count);
  const std::string name = stream->name();
  pickle.images =
      array_in_stream(name, std::move(stream),
                      {.element = Element::uint8, .axes = {count, 3, 32, 32}, .offset = offset, .ends_stream = false});
  return pickle;
}

std::vector<std::string> read_cifar_names(files::ByteStream& stream) {
  Unpickler unpickler(stream);
  const Reference meta = unpickler.run();
  Reference list = value_of(*meta, "fine_label_names");
  if (list == nullptr) list = value_of(*meta, "label_names");
  std::vector<std::string> names;
  if (list == nullptr) return names;
  if (list->items.size() > kMostNames) refuse(stream, "it has more class names than CIFAR-100");
  for (const Reference& name : list->items) names.push_back(name->text);
  return names;
}

}  // namespace octavo::arrays
