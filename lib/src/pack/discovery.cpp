#include "pack/discovery.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include <octavo/errors.hpp>

#include "arrays/npy.hpp"
#include "pack/export_manifest.hpp"
#include "pack/file_format.hpp"
#include "pack/image_names.hpp"
#include "pack/manifest.hpp"
#include "pack/natural_order.hpp"
#include "pack/numbered_paths.hpp"
#include "pack/split_names.hpp"
#include "pack/web_dataset.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using files::FileTree;
using files::OpenArchives;
using Tree = std::shared_ptr<const FileTree>;

bool is_cifar(SourceFormat format) { return format == SourceFormat::cifar10 || format == SourceFormat::cifar100; }

// ---- Files of arrays in a folder or an archive ------------------------------

/// "x-images-idx3-ubyte", "x-images.idx3-ubyte", "x-idx4-float.gz", "x.idx3": the number of axes is part of the name.
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

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_named_as_container(const std::string& name) { return ends_with_any(name, {".mat", ".h5", ".hdf5"}); }

bool is_named_as_archive(const std::string& name) {
  return ends_with_any(name, {".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip"});
}

/// Leaves out compressed files that are there uncompressed too.
void drop_compressed_twins(std::vector<std::string>& names) {
  const std::set<std::string> all(names.begin(), names.end());
  std::erase_if(names, [&](const std::string& name) {
    return name.ends_with(".gz") && all.contains(name.substr(0, name.size() - 3));
  });
}

/// The files of a folder with such names, in natural order.
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

/// Two files of one split in one folder are more likely two datasets than one.
void check_one_file_a_split(const std::vector<Finding>& findings) {
  for (std::size_t i = 1; i < findings.size(); ++i) {
    if (findings[i].split != findings[i - 1].split) continue;
    throw InvalidArgument("find the splits: " + findings[i - 1].name() + " and " + findings[i].name() +
                          " both look like \"" + findings[i].split + "\"; name the files that you want");
  }
}

Finding finding_of(const Tree& tree, const std::string& path, SourceFormat format) {
  const std::string name = fs::path(path).filename().string();
  return {format, split_of_file_name(name).value_or("train"), tree, path, "", ""};
}

/// What a file of such a name is; nothing if it is not to be read. Where the name says it all, reading it will tell.
std::optional<SourceFormat> as_idx(const FileTree&, const std::string&) { return SourceFormat::idx; }
std::optional<SourceFormat> as_stl10(const FileTree&, const std::string&) { return SourceFormat::stl10; }
std::optional<SourceFormat> as_cifar(const FileTree& tree, const std::string& path) {
  return cifar_format(*tree.open(path));
}
/// Not the labels, nor a .npz file in an archive.
std::optional<SourceFormat> as_npy(const FileTree& tree, const std::string& path) {
  if (path.ends_with(".npz")) return tree.disk_path(path) ? std::optional(SourceFormat::npy) : std::nullopt;
  if (arrays::open_npy(tree.open(path))->axes().size() < 3) return std::nullopt;
  return SourceFormat::npy;
}

/// To leave such a file out would lose what it held before it was damaged.
[[noreturn]] void refuse_misnamed(const FileTree& tree, const std::string& path, const std::string& kind) {
  throw FormatError("read " + tree.name_of(path) + ": it is named as " + kind +
                    ", and is none; get it again, or remove it");
}

/// Such files are read by libraries that want them on disk. Packed files are HDF5 files too.
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

  bool is_wanted(SourceFormat wanted) const {
    return wanted == SourceFormat::automatic || wanted == format || (is_cifar(wanted) && is_cifar(format)) ||
           (format == SourceFormat::hdf5 && (wanted == SourceFormat::mat || wanted == SourceFormat::octavo));
  }
};

constexpr std::array<Family, 3> kWellKnown = {{{SourceFormat::idx, &is_named_as_idx_images, &as_idx, true},
                                               {SourceFormat::stl10, &is_named_as_stl10, &as_stl10, true},
                                               {SourceFormat::cifar10, &is_named_as_cifar, &as_cifar, false}}};
constexpr std::array<Family, 1> kNumPy = {{{SourceFormat::npy, &is_named_as_npy, &as_npy, true}}};
constexpr Family kContainers = {SourceFormat::hdf5, &is_named_as_container, &as_container, true};

/// Whether the file may hold several splits, which it tells itself.
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

/// Names of one family that are no such files. Between files that are, one may be a batch that was damaged.
void check_others(const Family& family, const Tree& tree, const std::vector<std::string>& others) {
  for (const std::string& path : others) {
    if (is_cifar(family.format) && path.ends_with(".bin")) refuse_misnamed(*tree, path, "a CIFAR batch");
  }
}

/// The files of one family in a folder.
std::vector<Finding> files_of(const Family& family, const Tree& tree, const std::string& folder, SourceFormat wanted) {
  std::vector<Finding> findings;
  std::vector<std::string> others;
  for (const std::string& name : files_named(*tree, folder, family.is_named)) {
    const std::string path = files::join_path(folder, name);
    auto format = family.as_format(*tree, path);
    if (family.format == SourceFormat::hdf5) {
      if (wanted != SourceFormat::automatic && format != wanted) continue;
    } else if (wanted != SourceFormat::automatic) {
      format = wanted;
    }
    if (!format) others.push_back(path);
    if (format) findings.push_back(finding_of(tree, path, *format));
  }
  if (!findings.empty()) check_others(family, tree, others);
  sort_by_split(findings);
  if (family.has_one_file_a_split) check_one_file_a_split(findings);
  for (Finding& finding : findings) {
    if (may_hold_splits(finding.format, finding.path)) finding.split.clear();
  }
  return findings;
}

/// The files of the first family that has some, in a folder or in the only folder in it, as archives are made.
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

/// Lists of images beside the images.
std::vector<Finding> manifests_in(const Tree& tree, const std::string& folder) {
  std::vector<Finding> findings;
  for (const std::string& name : files_named(*tree, folder, &is_manifest_name)) {
    const std::string path = files::join_path(folder, name);
    if (lists_images(*tree, path)) findings.push_back({SourceFormat::manifest, "", tree, path, "", ""});
  }
  return findings;
}

/// Where the images begin: archives are often made of a folder that holds everything, and such folders are given one
/// level too high. A folder that holds nothing but one folder, of folders and not of images, stands for that.
std::string image_folder(const FileTree& tree) {
  constexpr int kMostLevels = 16;
  std::string folder;
  for (int level = 0; level < kMostLevels; ++level) {
    const files::FolderEntries found = tree.entries(folder);
    if (!found.files.empty() || found.folders.size() != 1 || split_of_folder_name(found.folders[0])) break;
    const std::string below = files::join_path(folder, found.folders[0]);
    const files::FolderEntries in_it = tree.entries(below);
    const bool is_class = std::any_of(in_it.files.begin(), in_it.files.end(), &has_image_name);
    if (is_class || in_it.folders.empty()) break;
    folder = below;
  }
  return folder;
}

std::vector<Finding> discover_file(const fs::path& path, SourceFormat wanted, OpenArchives& archives);

/// WebDataset shards as one tree a split, by their names; other archives each for itself.
std::vector<Finding> findings_of_archives(const std::vector<fs::path>& paths, OpenArchives& archives) {
  std::vector<Finding> findings;
  std::map<std::string, std::vector<Tree>> shards_of;
  for (const fs::path& path : paths) {
    if (const Tree tree = archives.open(path); is_web_dataset(*tree)) {
      shards_of[split_of_file_name(path.filename().string()).value_or("train")].push_back(tree);
    } else {
      for (Finding& finding : discover_file(path, SourceFormat::automatic, archives)) {
        findings.push_back(std::move(finding));
      }
    }
  }
  for (auto& [split, trees] : shards_of) {
    findings.push_back({SourceFormat::folder, split, files::unite(std::move(trees)), "", "", ""});
  }
  sort_by_split(findings);
  return findings;
}

std::vector<Finding> archives_in(const Tree& tree, OpenArchives& archives) {
  std::vector<fs::path> paths;
  for (const std::string& name : files_named(*tree, "", &is_named_as_archive)) {
    const auto path = tree->disk_path(name);
    if (!path) continue;  // an archive in an archive
    if (!files::is_archive(*path)) refuse_misnamed(*tree, name, "an archive");
    paths.push_back(*path);
  }
  const auto rank_of = [](const fs::path& path) {
    return split_rank(split_of_file_name(path.filename().string()).value_or("train"));
  };
  std::stable_sort(paths.begin(), paths.end(),
                   [&](const fs::path& a, const fs::path& b) { return rank_of(a) < rank_of(b); });
  return findings_of_archives(paths, archives);
}

bool holds_images(const FileTree& tree) {
  const auto files = tree.files_below("");
  return std::any_of(files.begin(), files.end(), &has_image_name);
}

/// In the folder, or the only folder in it, as files_of_any() looks for them.
bool has_npy_files(const FileTree& tree) {
  const auto entries = tree.entries("");
  const auto is_there = [&](const std::string& folder) { return !files_named(tree, folder, &is_named_as_npy).empty(); };
  return is_there("") || (entries.folders.size() == 1 && is_there(entries.folders[0]));
}

bool has_files_named(const FileTree& tree, bool (*is_named)(const std::string&)) {
  return !files_named(tree, "", is_named).empty();
}

/// Files that hold whole datasets. Beside images they are likelier a download, a result or features than what is meant.
std::vector<Finding> dataset_files_in(const Tree& tree, SourceFormat wanted, OpenArchives& archives) {
  const bool finds_all = wanted == SourceFormat::automatic;
  const bool may_be_arrays = kNumPy[0].is_wanted(wanted) && has_npy_files(*tree);
  const bool are_containers = kContainers.is_wanted(wanted) && has_files_named(*tree, &is_named_as_container);
  const bool are_archives =
      (finds_all || wanted == SourceFormat::archive) && has_files_named(*tree, &is_named_as_archive);
  if (!may_be_arrays && !are_containers && !are_archives) return {};
  if (finds_all && holds_images(*tree)) return {};
  if (may_be_arrays) {
    auto arrays = files_of_any(kNumPy, tree, wanted);
    if (!arrays.empty()) return arrays;
  }
  if (are_containers && are_archives) {
    throw InvalidArgument("find the splits: in " + tree->name_of("") + " are both " +
                          tree->name_of(files_named(*tree, "", &is_named_as_container)[0]) + " and " +
                          tree->name_of(files_named(*tree, "", &is_named_as_archive)[0]) +
                          "; name the files that you want");
  }
  return are_containers ? files_of(kContainers, tree, "", wanted)
         : are_archives ? archives_in(tree, archives)
                        : std::vector<Finding>{};
}

std::vector<Finding> discover_in(const Tree& tree, SourceFormat wanted, OpenArchives& archives) {
  if (exported_folder(*tree)) return {{SourceFormat::folder, "", tree, "", "", ""}};
  const std::string folder = image_folder(*tree);
  const std::vector<Finding> images = {{SourceFormat::folder, "", tree, folder, "", ""}};
  if (wanted == SourceFormat::folder) return images;
  const bool finds_all = wanted == SourceFormat::automatic;
  auto findings = files_of_any(kWellKnown, tree, wanted);
  if (findings.empty()) findings = dataset_files_in(tree, wanted, archives);
  if (findings.empty() && (finds_all || wanted == SourceFormat::manifest)) findings = manifests_in(tree, folder);
  if (!findings.empty()) return findings;
  if (finds_all) return images;
  throw InvalidArgument("read " + tree->name_of("") +
                        ": no file in it has a name of the format asked for; name the file");
}

std::vector<Finding> discover_file(const fs::path& path, SourceFormat wanted, OpenArchives& archives) {
  if (wanted == SourceFormat::folder) {
    refuse_one_image(path);
    throw InvalidArgument("read " + quoted(path) + " as a folder: it is a file");
  }
  const SourceFormat format = wanted == SourceFormat::automatic ? format_of_file(path, archives) : wanted;
  if (format == SourceFormat::archive) return discover_in(archives.open(path), SourceFormat::automatic, archives);
  Finding finding = finding_of(files::open_folder(path.parent_path()), path.filename().string(), format);
  if (may_hold_splits(format, path)) finding.split.clear();
  return {std::move(finding)};
}

// ---- What a spec names ---------------------------------------------------------

std::vector<Finding> discover_path(const fs::path& path, SourceFormat wanted, OpenArchives& archives) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found || error) throw_io_error("open", path, error ? error.value() : ENOENT);
  if (!fs::is_directory(status)) return discover_file(path, wanted, archives);
  return discover_in(files::open_folder(path), wanted, archives);
}

std::vector<Finding> discover_paths(const std::vector<fs::path>& paths, SourceFormat wanted, OpenArchives& archives) {
  if (paths.size() == 1) return discover_path(paths[0], wanted, archives);
  // Numbered archives are the shards of one dataset, whose classes are to be found together.
  const bool are_archives =
      wanted == SourceFormat::archive || (wanted == SourceFormat::automatic && files::is_archive(paths[0]));
  if (are_archives) return findings_of_archives(paths, archives);
  std::vector<Finding> findings;
  for (const fs::path& path : paths) {
    for (Finding& finding : discover_path(path, wanted, archives)) findings.push_back(std::move(finding));
  }
  return findings;
}

/// What is asked for as arrays and is no .npy file is an .npz file.
void open_npz_files(std::vector<Finding>& findings, OpenArchives& archives) {
  for (Finding& finding : findings) {
    const auto path = finding.tree->disk_path(finding.path);
    if (finding.format != SourceFormat::npy || !path) continue;
    if (array_format(*finding.tree, finding.path) == SourceFormat::npy) continue;
    finding.archive = archives.open(*path);
  }
}

/// The split that a finding would be if it were only one.
std::string likely_split(const Finding& finding) {
  if (!finding.split.empty() || !may_hold_splits(finding.format, finding.path)) return finding.split;
  return split_of_file_name(fs::path(finding.path).filename().string()).value_or("train");
}

void apply(const SourceSpec& spec, std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (spec.split.empty()) break;
    const std::string first = likely_split(findings[0]), other = likely_split(finding);
    if (other != first) {
      throw InvalidArgument("read " + quoted(spec.path) + " as split \"" + spec.split + "\": it holds \"" + first +
                            "\" and \"" + other + "\"; name one of its files");
    }
  }
  for (Finding& finding : findings) {
    if (!spec.split.empty()) finding.split = spec.split;
    finding.images = spec.images;
    finding.labels = spec.labels;
    if (!spec.images.empty() && !may_hold_splits(finding.format, finding.path)) {
      throw InvalidArgument(
          "read " + quoted(spec.path) + "::" + spec.images +
          ": only .npz, HDF5 and MATLAB files hold several arrays, and packed files splits; leave the names out");
    }
    if (!spec.labels.empty() && finding.format == SourceFormat::octavo) {
      throw InvalidArgument("read " + quoted(spec.path) + "::" + spec.images + "::" + spec.labels +
                            ": a split of a packed file has its own labels; leave \"::" + spec.labels + "\" out");
    }
  }
}

}  // namespace

std::vector<Finding> discover(const SourceSpec& spec, SourceFormat wanted, OpenArchives& archives) {
  auto findings = discover_paths(expand_numbers(spec.path), wanted, archives);
  open_npz_files(findings, archives);
  apply(spec, findings);
  return findings;
}

}  // namespace octavo::sources
