// .npy files of images and of labels, and .npz files that hold both.
#include "arrays/npy.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/readers/array_container.hpp"
#include "sources/readers/label_file.hpp"
#include "sources/source_reader.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

bool is_npy(const FileStart& start) {
  return arrays::is_npy_magic(start.bytes().first(std::min<std::size_t>(8, start.bytes().size())));
}

bool is_named_as_npy(const std::string& name) { return name.ends_with(".npy") || name.ends_with(".npz"); }

/// Excludes files of labels and of anything but numbers, and .npz files in an archive.
bool is_array_of_images(const FileStart& start) {
  if (start.path().ends_with(".npz")) return start.is_on_disk();
  const auto array = arrays::describe_npy(start.stream());
  return array.is_usable() && array.axes.size() >= 3 && array.row_values() > 1;
}

/// An .npz file is a zip archive of arrays.
bool holds_arrays_alone(const files::FileTree& archive) {
  const auto files = archive.files_below("");
  return std::any_of(files.begin(), files.end(), [](const std::string& path) { return path.ends_with(".npy"); }) &&
         std::none_of(files.begin(), files.end(), &images::has_image_name);
}

bool is_npz(const std::string& path) { return !path.ends_with(".npy"); }

/// The array in a .npy file.
class NpyContainer final : public ArrayContainer {
 public:
  NpyContainer(const files::FileTree& tree, std::string file, std::shared_ptr<files::ByteStream> stream)
      : ArrayContainer(tree.file_of(file), false), stream_(std::move(stream)) {
    arrays_.push_back(arrays::describe_npy(*stream_));
  }

  std::shared_ptr<arrays::Array> open(const arrays::ListedArray&) const override { return arrays::open_npy(stream_); }
  std::vector<std::string> read_texts(const arrays::ListedArray&) const override {
    return arrays::read_npy_texts(*stream_);
  }

 private:
  const std::shared_ptr<files::ByteStream> stream_;
};

// Each member is found by reading the archive's list of members again.
constexpr std::size_t kMostNpzMembers = 1000;

/// The arrays in a .npz file, a zip archive of .npy files. NumPy names each member after its array.
class NpzContainer final : public ArrayContainer {
 public:
  explicit NpzContainer(std::shared_ptr<const files::FileTree> archive)
      : ArrayContainer(archive->root(), false), archive_(std::move(archive)) {
    const std::vector<std::string> members = archive_->files_below("");
    if (members.size() > kMostNpzMembers) {
      throw DataError("read " + quoted(path()) + ": it holds " + std::to_string(members.size()) + " arrays; at most " +
                      std::to_string(kMostNpzMembers) + " are supported; save those to pack in a file of their own");
    }
    for (const std::string& member : members) {
      const bool is_array = member.ends_with(".npy");
      arrays_.push_back(is_array ? arrays::describe_npy(*archive_->open(member)) : arrays::ListedArray());
      arrays_.back().name = is_array ? member.substr(0, member.size() - 4) : member;
      if (!is_array) arrays_.back().unusable = "not a .npy file";
    }
  }

  std::shared_ptr<arrays::Array> open(const arrays::ListedArray& array) const override {
    return arrays::open_npy(archive_->open(array.name + ".npy"));
  }
  std::vector<std::string> read_texts(const arrays::ListedArray& array) const override {
    return arrays::read_npy_texts(*archive_->open(array.name + ".npy"));
  }

 private:
  const std::shared_ptr<const files::FileTree> archive_;
};

std::unique_ptr<ArrayContainer> open_npy_container(SourceEntry& entry) {
  if (entry.archive) return std::make_unique<NpzContainer>(entry.archive);
  return std::make_unique<NpyContainer>(*entry.tree, entry.path, entry.take_stream());
}

std::unique_ptr<ArrayContainer> npy_in(const files::FileTree& tree, const std::string& path) {
  return std::make_unique<NpyContainer>(tree, path, tree.open(path));
}

/// Offers class names among the other files of the folder, and notes which files are left out.
void look_at_others(const SourceEntry& entry, arrays::ArraySet& set) {
  std::vector<arrays::ListedArray> left_out;
  for (const std::string& other : entry.others) {
    const auto container = npy_in(*entry.tree, other);
    arrays::ListedArray array = container->arrays()[0];
    const std::filesystem::path path(other);
    if (array.is_text && set.offered_names.empty() && is_named_as_class_names(path.stem().string())) {
      set.offered_by = quoted(container->path());
      set.offered_names = class_names_in(*container, array, set.offered_by, set.remarks);
      continue;
    }
    array.name = path.filename().string();
    left_out.push_back(std::move(array));
  }
  if (left_out.empty()) return;
  std::vector<const arrays::ListedArray*> named;
  for (const arrays::ListedArray& array : left_out) named.push_back(&array);
  set.remarks.push_back(std::string("left out the file") + (named.size() == 1 ? " " : "s ") + listed(named) + " in " +
                        entry.tree->name_of(std::filesystem::path(entry.path).parent_path().string()));
}

arrays::ArraySet npy_set(SourceEntry& entry) {
  arrays::ArraySet set;
  set.split = entry.split;
  set.sample_prefix = std::filesystem::path(entry.path).filename().string();
  set.files.push_back(entry.tree->file_of(entry.path));
  set.images = arrays::open_npy(entry.take_stream());
  if (const auto labels = label_file_of(*entry.tree, entry.path); labels && !entry.is_label_file_named) {
    set.label_problem = use_labels_in(*npy_in(*entry.tree, *labels), "", set);
  }
  look_at_others(entry, set);
  return set;
}

/// A file of images and its file of labels, or the pairs of arrays in a .npz file.
Opened open_npy_files(SourceEntry& entry, const OpenContext&) {
  if (entry.archive) return sets_in(*open_npy_container(entry), entry, "npy");
  std::vector<arrays::ArraySet> sets;
  sets.push_back(npy_set(entry));
  sets[0].format = "npy";
  if (sets[0].split.empty()) sets[0].split = split_of_file_name(sets[0].sample_prefix).value_or("train");
  return sets;
}

}  // namespace

const SourceReader kNpyReader = {.name = "npy",
                                 .aliases = {"npz"},
                                 .kind = "a NumPy file",
                                 .looks_like = &is_npy,
                                 .is_archive = &holds_arrays_alone,
                                 .found_by = FoundBy::extension,
                                 .is_named = &is_named_as_npy,
                                 .is_input = &is_array_of_images,
                                 .may_hold_splits = &is_npz,
                                 .names = PathNames::arrays,
                                 .reads_stream = true,
                                 .open = &open_npy_files,
                                 .open_container = &open_npy_container};

}  // namespace octavo::sources
