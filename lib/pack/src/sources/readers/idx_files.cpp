// IDX files of images and of labels.
#include <algorithm>
#include <array>

#include <octavo/errors.hpp>

#include "arrays/idx.hpp"
#include "sources/readers/label_file.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

/// "x-images-idx3-ubyte", "x-images.idx3-ubyte", "x-idx4-float.gz", "x.idx3": the name includes the number of axes.
bool is_named_as_idx_images(const std::string& name) {
  constexpr std::array<std::string_view, 4> kWords = {"-idx3", ".idx3", "-idx4", ".idx4"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    const std::size_t at = name.rfind(word);
    const std::size_t end = at + word.size();
    return at != std::string::npos && (end == name.size() || name[end] == '-' || name[end] == '.');
  });
}

bool is_idx(const FileStart& start) {
  return arrays::is_idx_magic(start.bytes().first(std::min<std::size_t>(8, start.bytes().size())));
}

/// A file of images and its file of labels in the same folder: "x-images-idx3-ubyte", "x-labels-idx1-ubyte".
Opened open_idx_files(SourceEntry& entry, const OpenContext&) {
  arrays::ArraySet set;
  set.split = entry.split;
  set.format = "idx";
  set.sample_prefix = std::filesystem::path(entry.path).filename().string();
  set.files.push_back(entry.tree->file_of(entry.path));
  set.images = arrays::open_idx(entry.take_stream());
  if (set.images->axes().size() < 3) {
    throw FormatError("read the IDX file " + set.images->name() + ": it has " +
                      std::to_string(set.images->axes().size()) +
                      " axes; expected 3 (N, H, W) or 4 (with channels); give the file of the images");
  }
  // IDX files with color, such as EMNIST's, always have channels last.
  set.order = set.images->axes().size() == 4 ? arrays::AxisOrder::hwc : arrays::AxisOrder::hw;
  if (const auto labels = label_file_of(*entry.tree, entry.path); labels && !entry.is_label_file_named) {
    set.labels = arrays::open_idx(entry.tree->open(*labels));
    set.files.push_back(entry.tree->file_of(*labels));
  }
  std::vector<arrays::ArraySet> sets;
  sets.push_back(std::move(set));
  return sets;
}

/// The array in an IDX file.
class IdxContainer final : public ArrayContainer {
 public:
  explicit IdxContainer(SourceEntry& entry)
      : ArrayContainer(entry.tree->file_of(entry.path), false), array_(arrays::open_idx(entry.take_stream())) {
    arrays_.push_back({"", array_->element(), array_->axes()});
  }

  std::shared_ptr<arrays::Array> open(const arrays::ListedArray&) const override { return array_; }
  std::vector<std::string> read_texts(const arrays::ListedArray&) const override { return {}; }

 private:
  const std::shared_ptr<arrays::Array> array_;
};

std::unique_ptr<ArrayContainer> open_idx_container(SourceEntry& entry) { return std::make_unique<IdxContainer>(entry); }

}  // namespace

const SourceReader kIdxReader = {.name = "idx",
                                 .kind = "an IDX file",
                                 .looks_like = &is_idx,
                                 .found_by = FoundBy::well_known_name,
                                 .is_named = &is_named_as_idx_images,
                                 .reads_stream = true,
                                 .open = &open_idx_files,
                                 .open_container = &open_idx_container};

}  // namespace octavo::sources
