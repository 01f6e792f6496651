// STL-10's binary files: images of 3 x 96 x 96 bytes, planes R, G, B with columns before rows, and labels from 1 to 10.
#include <octavo/errors.hpp>

#include "sources/lists/name_list.hpp"
#include "sources/readers/label_file.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kSide = 96;
constexpr std::int64_t kStl10ImageBytes = 3 * kSide * kSide;
constexpr const char* kClassNames = "class_names.txt";

std::int64_t image_count(const files::ByteStream& stream) {
  const std::int64_t length = stream.length().value_or(0);
  if (length == 0 || length % kStl10ImageBytes != 0) {
    throw FormatError("read " + stream.name() + ": its length of " + std::to_string(length) +
                      " bytes is not a multiple of an STL-10 image (27648 bytes); get the file again");
  }
  return length / kStl10ImageBytes;
}

bool is_named_as_stl10(const std::string& name) { return name == "train_X.bin" || name == "test_X.bin"; }

/// The file has no signature: its name and its length decide.
bool is_stl10_images(const FileStart& start) {
  const std::int64_t length = start.stream().length().value_or(0);
  return start.path().ends_with("_X.bin") && length > 0 && length % kStl10ImageBytes == 0;
}

/// A file of images and its file of labels: "train_X.bin", "train_y.bin".
Opened open_stl10_files(SourceEntry& entry, const OpenContext&) {
  const files::FileTree& tree = *entry.tree;
  const std::filesystem::path path(entry.path);
  arrays::ArraySet set;
  set.split = entry.split;
  set.format = "stl10";
  set.sample_prefix = path.filename().string();
  set.order = arrays::AxisOrder::cwh;
  set.numbering = arrays::LabelNumbering::from_one;
  set.class_count = 10;
  set.files.push_back(tree.file_of(entry.path));
  std::shared_ptr<files::ByteStream> images = entry.take_stream();
  const std::int64_t count = image_count(*images);
  const std::string name = images->name();
  set.images = arrays::array_in_stream(name, std::move(images),
                                       {.element = arrays::Element::uint8, .axes = {count, 3, kSide, kSide}});
  if (const auto labels = label_file_of(tree, entry.path)) {
    std::shared_ptr<files::ByteStream> stream = tree.open(*labels);
    const std::string labels_name = stream->name();
    set.labels =
        arrays::array_in_stream(labels_name, std::move(stream), {.element = arrays::Element::uint8, .axes = {count}});
    set.files.push_back(tree.file_of(*labels));
  }
  const std::string names = files::join_path(path.parent_path().string(), kClassNames);
  if (tree.has_file(names)) set.class_names = read_name_list(*tree.open(names));
  std::vector<arrays::ArraySet> sets;
  sets.push_back(std::move(set));
  return sets;
}

}  // namespace

const SourceReader kStl10Reader = {.name = "stl10",
                                   .kind = "an STL-10 file",
                                   .looks_like = &is_stl10_images,
                                   .found_by = FoundBy::well_known_name,
                                   .is_named = &is_named_as_stl10,
                                   .reads_stream = true,
                                   .open = &open_stl10_files};

}  // namespace octavo::sources
