#include "arrays/hdf5_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

#include <octavo/errors.hpp>

#include "dataset_file/rebuild/foreign_arrays.hpp"
#include "dataset_file/rebuild/foreign_file.hpp"
#include "hdf5/child_process.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"

namespace octavo::arrays {
namespace {

constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
// A smaller gap is read and discarded; after a larger one, a new child starts.
constexpr std::int64_t kPassedBytes = std::int64_t{64} << 20;
// The slowest operation is inflating, once for the check and once in the library. It was measured at several times this
// speed.
constexpr std::int64_t kFewestBytesASecond = std::int64_t{20} << 20;

std::optional<Element> element_named(const std::string& name) {
  for (int element = 0; element <= static_cast<int>(Element::float64); ++element) {
    if (name_of(static_cast<Element>(element)) == name) return static_cast<Element>(element);
  }
  return std::nullopt;
}

[[noreturn]] void rethrow(const std::string& name, const FormatError& problem) {
  throw FormatError("read " + name + ": " + problem.what());
}

std::string name_in(const std::filesystem::path& path, const ListedArray& array) {
  return quoted(std::filesystem::path(path.string() + ": /" + array.name));
}

class Hdf5Rows final : public Array {
 public:
  Hdf5Rows(const std::filesystem::path& path, const ListedArray& array)
      : Array(name_in(path, array), array.element, array.axes), path_(path), member_(array.name) {
    const std::int64_t all_bytes = row_bytes() * row_count();
    limits_.cpu_seconds += all_bytes / kFewestBytesASecond;
  }

  bool is_random_access() const override { return false; }

  void read_rows(std::int64_t first, std::int64_t count, std::span<std::byte> out) override {
    try {
      go_to(first);
      while (!out.empty()) {
        const auto piece = next_bytes(out.size());
        std::memcpy(out.data(), piece.data(), piece.size());
        out = out.subspan(piece.size());
      }
      next_row_ = first + count;
    } catch (const FormatError& problem) {
      child_.reset();
      rethrow(name(), problem);
    }
  }

 private:
  void go_to(std::int64_t row) {
    const bool is_near = child_ && row >= next_row_ && (row - next_row_) <= kPassedBytes / row_bytes();
    if (!is_near) {
      block_.clear();
      used_ = 0;
      child_.emplace([path = path_, member = member_, row](
                         const hdf5::ChildOutput& output) { dataset_file::send_array_rows(path, member, row, output); },
                     limits_);
      next_row_ = row;
    }
    for (auto gap = static_cast<std::size_t>((row - next_row_) * row_bytes()); gap > 0;) gap -= next_bytes(gap).size();
    next_row_ = row;
  }

  /// Some of the next bytes, at most the given number.
  std::string_view next_bytes(std::size_t most) {
    if (used_ == block_.size()) {
      const auto block_bytes = static_cast<std::size_t>(dataset_file::rows_per_block(row_bytes()) * row_bytes());
      auto message = child_->receive(std::max<std::size_t>(block_bytes, 4096));
      if (message && message->kind == hdf5::ChildProcess::kFailure) throw FormatError(message->bytes);
      if (!message || message->kind != dataset_file::kRows || message->bytes.empty()) {
        throw FormatError("the HDF5 library returned fewer rows than it announced");
      }
      block_ = std::move(message->bytes);
      used_ = 0;
    }
    const std::string_view piece = std::string_view(block_).substr(used_, most);
    used_ += piece.size();
    return piece;
  }

  const std::filesystem::path path_;
  const std::string member_;
  hdf5::ChildLimits limits_;
  std::optional<hdf5::ChildProcess> child_;
  std::string block_;     ///< the last data that the child sent ...
  std::size_t used_ = 0;  ///< ... and how much of it is used
  std::int64_t next_row_ = 0;
};

Hdf5Array array_from(const Json& json) {
  Hdf5Array array;
  array.name = json.at("name").get<std::string>();
  array.axes = json.at("axes").get<std::vector<std::int64_t>>();
  array.unusable = json.value("unusable", "");
  array.is_text = json.value("is_text", false);
  array.value_names = json.value("names", std::vector<std::string>());
  array.object = json.value("object", "");
  array.file = json.value("file", "");
  array.matlab_class = json.value("matlab", "");
  array.is_matlab_empty = json.value("is_empty", false);
  if (!array.is_usable()) return array;
  const auto element = element_named(json.at("element").get<std::string>());
  if (!element) throw FormatError("the HDF5 library returned an unknown type");
  array.element = *element;
  return array;
}

/// Adds the texts of a message, each of which ends with a zero byte.
void add_texts(std::string_view message, std::vector<std::string>& texts) {
  while (!message.empty()) {
    const std::size_t end = message.find('\0');
    if (end == std::string_view::npos) throw FormatError("the HDF5 library returned invalid data");
    texts.emplace_back(message.substr(0, end));
    message.remove_prefix(end + 1);
  }
}

}  // namespace

bool begins_as_hdf5(files::ByteStream& stream) {
  // Possibly after a user block, of 0, 512, 1024, 2048, ... bytes, up to a sensible limit.
  for (std::int64_t offset = 0; offset <= 1 << 20; offset = offset == 0 ? 512 : 2 * offset) {
    std::array<std::byte, kSignature.size()> bytes{};
    if (stream.read_some_at(offset, bytes) != bytes.size()) return false;
    if (std::memcmp(bytes.data(), kSignature.data(), bytes.size()) == 0) return true;
  }
  return false;
}

std::vector<Hdf5Array> list_hdf5(const std::filesystem::path& path) {
  try {
    hdf5::ChildProcess child([&](const hdf5::ChildOutput& output) { dataset_file::send_array_list(path, output); }, {});
    const auto message = child.receive(dataset_file::kMostArrayListBytes);
    if (!message) throw FormatError("the HDF5 library returned nothing");
    if (message->kind != dataset_file::kArrayList) throw FormatError(message->bytes);
    std::vector<Hdf5Array> arrays;
    for (const Json& one : parse_strict_json(message->bytes)) arrays.push_back(array_from(one));
    return arrays;
  } catch (const FormatError& problem) {
    rethrow(quoted(path), problem);
  } catch (const Json::exception&) {
    throw FormatError("read " + quoted(path) + ": the HDF5 library returned invalid data");
  }
}

std::unique_ptr<Array> open_hdf5_array(const std::filesystem::path& path, const ListedArray& array) {
  return std::make_unique<Hdf5Rows>(path, array);
}

std::vector<std::string> read_hdf5_texts(const std::filesystem::path& path, const ListedArray& array) {
  constexpr std::size_t kMostBytes = dataset_file::kTextsAtOnce * (dataset_file::kMostTextBytes + 1);
  std::vector<std::string> texts;
  try {
    hdf5::ChildProcess child(
        [&, name = array.name](const hdf5::ChildOutput& output) { dataset_file::send_array_texts(path, name, output); },
        {});
    while (const auto message = child.receive(kMostBytes)) {
      if (message->kind != dataset_file::kTexts) throw FormatError(message->bytes);
      add_texts(message->bytes, texts);
    }
    if (std::ssize(texts) != array.axes.at(0)) {
      throw FormatError("the HDF5 library returned " + std::to_string(texts.size()) + " texts, but announced " +
                        std::to_string(array.axes.at(0)));
    }
  } catch (const FormatError& problem) {
    rethrow(name_in(path, array), problem);
  }
  return texts;
}

}  // namespace octavo::arrays
