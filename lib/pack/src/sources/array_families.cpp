#include "sources/array_families.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <octavo/errors.hpp>

#include "arrays/npy.hpp"
#include "sources/file_format.hpp"
#include "sources/lists/natural_order.hpp"
#include "sources/combine/split_names.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using files::FileTree;
using Tree = std::shared_ptr<const FileTree>;

bool is_cifar(SourceFormat format) { return format == SourceFormat::cifar10 || format == SourceFormat::cifar100; }

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_named_as_container(const std::string& name) { return ends_with_any(name, {".mat", ".h5", ".hdf5"}); }

/// "x-images-idx3-ubyte", "x-images.idx3-ubyte", "x-idx4-float.gz", "x.idx3": the name includes the number of axes.
bool is_named_as_idx_images(const std::string& name) {
  constexpr std::array<std::string_view, 4> kWords = {"-idx3", ".idx3", "-idx4", ".idx4"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    const std::size_t at = name.rfind(word);
    const std::size_t end = at + word.size();
    return at != std::string::npos && (end == name.size() || name[end] == '-' || name[end] == '.');
  });
}

bool is_named_as_cifar(const std::string& name) {
  const bool is_batch = name.starts_with("data_batch") || name.starts_with("test_batch");
  if (name.ends_with(".bin")) return is_batch || name == "train.bin" || name == "test.bin";
  return is_batch || name == "train" || name == "test";
}

bool is_named_as_stl10(const std::string& name) { return name == "train_X.bin" || name == "test_X.bin"; }

bool is_named_as_npy(const std::string& name) { return name.ends_with(".npy") || name.ends_with(".npz"); }

/// Leaves out compressed files that also exist uncompressed.
void drop_compressed_twins(std::vector<std::string>& names) {
  const std::set<std::string> all(names.begin(), names.end());
  std::erase_if(names, [&](const std::string& name) {
    return name.ends_with(".gz") && all.contains(name.substr(0, name.size() - 3));
  });
}

/// Two files of one split in one folder are more likely two datasets than one.
void check_one_file_a_split(const std::vector<Finding>& findings) {
  for (std::size_t i = 1; i < findings.size(); ++i) {
    if (findings[i].split != findings[i - 1].split) continue;
    throw InvalidArgument("find the splits: " + findings[i - 1].name() + " and " + findings[i].name() +
                          " both look like split \"" + findings[i].split + "\"; name the files to use");
  }
}

/// The format of a file with such a name; nothing if it is not read. If the name alone decides, errors show on reading.
std::optional<SourceFormat> as_idx(const FileTree&, const std::string&) { return SourceFormat::idx; }
std::optional<SourceFormat> as_stl10(const FileTree&, const std::string&) { return SourceFormat::stl10; }
std::optional<SourceFormat> as_cifar(const FileTree& tree, const std::string& path) {
  return cifar_format(*tree.open(path));
}
/// Excludes files of labels, and .npz files in an archive.
std::optional<SourceFormat> as_npy(const FileTree& tree, const std::string& path) {
  if (path.ends_with(".npz")) return tree.disk_path(path) ? std::optional(SourceFormat::npy) : std::nullopt;
  if (arrays::open_npy(tree.open(path))->axes().size() < 3) return std::nullopt;
  return SourceFormat::npy;
}

/// The libraries that read such files require them on disk. Dataset files are HDF5 files too.
std::optional<SourceFormat> as_container(const FileTree& tree, const std::string& path) {
  if (!tree.disk_path(path)) return std::nullopt;
  const auto format = container_format(*tree.open(path));
  if (!format) refuse_misnamed(tree, path, "an HDF5 or MATLAB file");
  return format;
}

struct Family {
  SourceFormat format;
  bool (*is_named)(const std::string&);
  std::optional<SourceFormat> (*as_format)(const FileTree&, const std::string&);
  bool has_one_file_a_split;
  bool has_several_formats = false;

  bool is_wanted(SourceFormat wanted) const {
    return wanted == SourceFormat::automatic || wanted == format || (is_cifar(wanted) && is_cifar(format)) ||
           (has_several_formats && (wanted == SourceFormat::mat || wanted == SourceFormat::octavo));
  }
};

constexpr std::array<Family, 3> kWellKnown = {{{SourceFormat::idx, &is_named_as_idx_images, &as_idx, true},
                                               {SourceFormat::stl10, &is_named_as_stl10, &as_stl10, true},
                                               {SourceFormat::cifar10, &is_named_as_cifar, &as_cifar, false}}};
constexpr std::array<Family, 1> kNumPy = {{{SourceFormat::npy, &is_named_as_npy, &as_npy, true}}};
constexpr Family kContainers = {SourceFormat::hdf5, &is_named_as_container, &as_container, true, true};

/// Checks files whose names fit a family but whose contents do not. Next to valid files, one may be a damaged batch.
void check_others(const Family& family, const Tree& tree, const std::vector<std::string>& others) {
  for (const std::string& path : others) {
    if (is_cifar(family.format)) refuse_misnamed(*tree, path, "a CIFAR batch");
  }
}

/// Trusts the requested format, unless the family has several formats, which the content tells apart.
std::optional<SourceFormat> as_wanted(const Family& family, std::optional<SourceFormat> found, SourceFormat wanted) {
  if (wanted == SourceFormat::automatic) return found;
  if (family.has_several_formats) return found == wanted ? found : std::nullopt;
  return wanted;
}

/// The files of one family in a folder.
std::vector<Finding> files_of(const Family& family, const Tree& tree, const std::string& folder, SourceFormat wanted) {
  std::vector<Finding> findings;
  std::vector<std::string> others;
  for (const std::string& name : files_named(*tree, folder, family.is_named)) {
    const std::string path = files::join_path(folder, name);
    if (const auto format = as_wanted(family, family.as_format(*tree, path), wanted)) {
      findings.push_back(finding_of(tree, path, *format));
    } else {
      others.push_back(path);
    }
  }
  if (!findings.empty()) check_others(family, tree, others);
  sort_by_split(findings);
  if (family.has_one_file_a_split) check_one_file_a_split(findings);
  for (Finding& finding : findings) {
    if (may_hold_splits(finding.format, finding.path)) finding.split.clear();
  }
  return findings;
}

/// The files of the first family that has any, in a folder or in its only subfolder, as in many archives.
std::vector<Finding> files_of_any(std::span<const Family> families, const Tree& tree, SourceFormat wanted) {
  std::vector<std::string> folders = tree->entries("").folders;
  if (folders.size() != 1) folders.clear();
  folders.insert(folders.begin(), "");
  for (const std::string& folder : folders) {
    for (const Family& family : families) {
      if (!family.is_wanted(wanted)) continue;
      auto findings = files_of(family, tree, folder, wanted);
      if (!findings.empty()) return findings;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> files_named(const FileTree& tree, const std::string& folder,
                                     bool (*is_named)(const std::string&)) {
  std::vector<std::string> names = tree.entries(folder).files;
  std::erase_if(names, [&](const std::string& name) { return !is_named(name); });
  drop_compressed_twins(names);
  std::sort(names.begin(), names.end(), &is_naturally_before);
  return names;
}

void sort_by_split(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return split_rank(a.split) < split_rank(b.split); });
}

Finding finding_of(const Tree& tree, const std::string& path, SourceFormat format) {
  const std::string name = fs::path(path).filename().string();
  return {format, split_of_file_name(name).value_or("train"), tree, path, "", ""};
}

void refuse_misnamed(const FileTree& tree, const std::string& path, const std::string& kind) {
  throw FormatError("read " + tree.name_of(path) + ": by its name it is " + kind +
                    ", but its contents are not; get the file again, or remove it");
}

bool may_hold_splits(SourceFormat format, const fs::path& path) {
  switch (format) {
    case SourceFormat::mat:
    case SourceFormat::hdf5:
    case SourceFormat::octavo:
    case SourceFormat::manifest:
      return true;
    default:
      return format == SourceFormat::npy && path.extension() != ".npy";
  }
}

std::vector<Finding> well_known_files(const Tree& tree, SourceFormat wanted) {
  return files_of_any(kWellKnown, tree, wanted);
}

std::vector<Finding> numpy_files(const Tree& tree, SourceFormat wanted) { return files_of_any(kNumPy, tree, wanted); }

bool may_hold_numpy_files(const FileTree& tree, SourceFormat wanted) {
  const auto entries = tree.entries("");
  const auto are_there = [&](const std::string& folder) {
    return !files_named(tree, folder, &is_named_as_npy).empty();
  };
  return kNumPy[0].is_wanted(wanted) &&
         (are_there("") || (entries.folders.size() == 1 && are_there(entries.folders[0])));
}

std::vector<Finding> container_files(const Tree& tree, SourceFormat wanted) {
  return files_of(kContainers, tree, "", wanted);
}

std::vector<std::string> names_of_containers(const FileTree& tree, SourceFormat wanted) {
  return kContainers.is_wanted(wanted) ? files_named(tree, "", &is_named_as_container) : std::vector<std::string>{};
}

}  // namespace octavo::sources
