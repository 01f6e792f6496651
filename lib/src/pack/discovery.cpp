#include "pack/discovery.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <octavo/errors.hpp>

#include "pack/byte_stream.hpp"
#include "pack/cifar_layout.hpp"
#include "pack/export_manifest.hpp"
#include "pack/folder_walk.hpp"
#include "pack/idx_header.hpp"
#include "pack/natural_order.hpp"
#include "pack/split_names.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

bool is_cifar(SourceFormat format) { return format == SourceFormat::cifar10 || format == SourceFormat::cifar100; }

/// The visible regular files of a folder, in natural order.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const bool is_file = entry->is_regular_file(ignored);
    if (is_file && !entry->path().filename().string().starts_with('.')) files.push_back(entry->path());
  }
  if (error) throw_io_error("list the folder", folder, error.value());
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return is_naturally_before(a.filename().string(), b.filename().string());
  });
  return files;
}

/// "x-images-idx3-ubyte", "x-images.idx3-ubyte", with or without .gz.
bool is_named_as_idx_images(const std::string& name) {
  const bool ends_well = name.ends_with("-ubyte") || name.ends_with("-ubyte.gz");
  return ends_well && (name.find("idx3") != std::string::npos || name.find("idx4") != std::string::npos);
}

bool is_named_as_cifar(const std::string& name) {
  if (!name.ends_with(".bin")) return false;
  return name.starts_with("data_batch") || name.starts_with("test_batch") || name == "train.bin" || name == "test.bin";
}

bool begins_as_idx(const fs::path& path) {
  ByteStream stream(path);
  std::array<std::byte, 4> magic;
  return stream.read_some(magic) == magic.size() && is_idx_magic(magic);
}

/// A single image makes no dataset; where it is the source, its folder was meant.
void refuse_one_image(const fs::path& path) {
  if (!has_image_name(path.filename().string())) return;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  throw InvalidArgument("read " + quoted(path) + ": it is one image by its name; give the folder that holds it, " +
                        quoted(folder));
}

[[noreturn]] void refuse_unknown(const fs::path& path) {
  refuse_one_image(path);
  throw FormatError(
      "read " + quoted(path) +
      ": it is neither an IDX file, nor a CIFAR binary file, nor a folder of such or of images (JPEG, PNG, "
      "WebP, TIFF, GIF, BMP, PNM); check the path, or name its --format");
}

SourceFormat format_of_file(const fs::path& path) {
  if (begins_as_idx(path)) return SourceFormat::idx;
  const auto cifar = detect_cifar(File::open_for_reading(path));
  if (!cifar) refuse_unknown(path);
  return cifar->label_bytes == 1 ? SourceFormat::cifar10 : SourceFormat::cifar100;
}

Finding finding_of_file(const fs::path& path, SourceFormat wanted) {
  if (wanted == SourceFormat::folder) {
    refuse_one_image(path);
    throw InvalidArgument("read " + quoted(path) + " as a folder: it is a file");
  }
  const SourceFormat format = wanted == SourceFormat::automatic ? format_of_file(path) : wanted;
  return {path, format, split_of_file_name(path.filename().string()).value_or("train")};
}

/// Leaves out compressed files that are there uncompressed too.
void drop_compressed_twins(std::vector<fs::path>& files) {
  const std::set<fs::path> all(files.begin(), files.end());
  std::erase_if(files, [&](const fs::path& path) {
    return path.extension() == ".gz" && all.count(fs::path(path).replace_extension()) != 0;
  });
}

std::vector<Finding> findings_named(std::vector<fs::path> files, bool (*is_named)(const std::string&),
                                    SourceFormat wanted) {
  std::erase_if(files, [&](const fs::path& path) { return !is_named(path.filename().string()); });
  drop_compressed_twins(files);
  std::vector<Finding> findings;
  for (const fs::path& file : files) findings.push_back(finding_of_file(file, wanted));
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return split_rank(a.split) < split_rank(b.split); });
  return findings;
}

/// Two IDX files of one split in one folder are more likely two datasets than one.
void check_one_file_a_split(const std::vector<Finding>& findings) {
  for (std::size_t i = 1; i < findings.size(); ++i) {
    if (findings[i].split != findings[i - 1].split) continue;
    throw InvalidArgument("find the splits: " + quoted(findings[i - 1].path) + " and " + quoted(findings[i].path) +
                          " both look like \"" + findings[i].split + "\"; name the files that you want");
  }
}

std::vector<Finding> discover_in_folder(const fs::path& folder, SourceFormat wanted) {
  if (wanted == SourceFormat::folder || fs::exists(folder / kExportManifestName)) {
    return {{folder, SourceFormat::folder, ""}};
  }
  const std::vector<fs::path> files = files_in(folder);
  if (wanted == SourceFormat::automatic || wanted == SourceFormat::idx) {
    auto findings = findings_named(files, &is_named_as_idx_images, SourceFormat::idx);
    check_one_file_a_split(findings);
    if (!findings.empty()) return findings;
  }
  if (wanted == SourceFormat::automatic || is_cifar(wanted)) {
    auto findings = findings_named(files, &is_named_as_cifar, wanted);
    if (!findings.empty()) return findings;
  }
  if (wanted == SourceFormat::automatic) return {{folder, SourceFormat::folder, ""}};
  throw InvalidArgument("read " + quoted(folder) + ": no file in it has a name of the format asked for; name the file");
}

void rename_split(std::vector<Finding>& findings, const SourceSpec& spec) {
  for (Finding& finding : findings) {
    if (finding.split != findings[0].split) {
      throw InvalidArgument("read " + quoted(spec.path) + " as split \"" + spec.split + "\": it holds \"" +
                            findings[0].split + "\" and \"" + finding.split + "\"; name one of its files");
    }
  }
  for (Finding& finding : findings) finding.split = spec.split;
}

}  // namespace

std::vector<Finding> discover(const SourceSpec& spec, SourceFormat wanted) {
  std::error_code error;
  const auto status = fs::status(spec.path, error);
  if (status.type() == fs::file_type::not_found || error) {
    throw_io_error("open", spec.path, error ? error.value() : ENOENT);
  }
  auto findings = fs::is_directory(status) ? discover_in_folder(spec.path, wanted)
                                           : std::vector<Finding>{finding_of_file(spec.path, wanted)};
  if (!spec.split.empty()) rename_split(findings, spec);
  return findings;
}

}  // namespace octavo::sources
