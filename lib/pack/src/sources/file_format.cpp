#include "sources/file_format.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <octavo/errors.hpp>

#include "dataset_file/header.hpp"
#include "arrays/hdf5_file.hpp"
#include "arrays/idx.hpp"
#include "arrays/mat.hpp"
#include "arrays/npy.hpp"
#include "sources/array_files.hpp"
#include "images/image_codec.hpp"
#include "sources/lists/image_table.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

template <std::size_t kCount>
std::span<const std::byte> beginning(files::ByteStream& stream, std::array<std::byte, kCount>& bytes) {
  return std::span(bytes).first(stream.read_some_at(0, bytes));
}

bool holds_arrays_alone(const files::FileTree& archive) {
  const auto files = archive.files_below("");
  return std::any_of(files.begin(), files.end(), [](const std::string& path) { return path.ends_with(".npy"); }) &&
         std::none_of(files.begin(), files.end(), &images::has_image_name);
}

bool begins_with(files::ByteStream& stream, std::string_view magic) {
  std::array<std::byte, 4> bytes{};
  return beginning(stream, bytes).size() == magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

void refuse_parquet(files::ByteStream& stream, const fs::path& path) {
  if (!begins_with(stream, "PAR1")) return;
  throw FormatError(
      "read " + quoted(path) +
      ": Parquet files are not supported; open it in Python (datasets, pyarrow) and pass the data to "
      "octavo.pack_dataset()");
}

/// The directory of a zip archive is at its end.
void refuse_cut_zip(files::ByteStream& stream, const fs::path& path) {
  if (!begins_with(stream, "PK\x03\x04")) return;
  throw FormatError("read " + quoted(path) +
                    ": it starts like a zip archive, but the list of files at its end is missing; get the file again");
}

/// Pickles of protocol 2 and later begin with the protocol number; CIFAR uses 2.
void refuse_pickle(files::ByteStream& stream, const fs::path& path) {
  std::array<std::byte, 2> bytes{};
  const auto start = beginning(stream, bytes);
  if (start.size() < 2 || start[0] != std::byte{0x80} || start[1] < std::byte{2} || start[1] > std::byte{5}) return;
  throw FormatError("read " + quoted(path) + ": it is a Python pickle (protocol " +
                    std::to_string(std::to_integer<int>(start[1])) +
                    "), and only the published CIFAR batches (protocol 2) are supported; open it in Python and pass "
                    "the arrays to octavo.pack_dataset()");
}

[[noreturn]] void refuse_unknown(const fs::path& path) {
  refuse_one_image(path);
  throw FormatError(
      "read " + quoted(path) +
      ": unknown format; expected an IDX, CIFAR, STL-10, .npy, .npz, MATLAB, HDF5 or dataset file, a tar or zip "
      "archive, an image list, or a folder of these or of images (" +
      images::image_format_names() + "); "
      "check the path, or name the format with --format");
}

}  // namespace

std::optional<SourceFormat> cifar_format(files::ByteStream& stream) {
  const auto kind = detect_cifar(stream);
  if (!kind) return std::nullopt;
  return kind->class_count == 10 ? SourceFormat::cifar10 : SourceFormat::cifar100;
}

std::optional<SourceFormat> container_format(files::ByteStream& stream) {
  std::array<std::byte, 128> bytes{};
  const auto start = beginning(stream, bytes);
  if (dataset_file::begins_as_packed_file(start)) return SourceFormat::octavo;
  if (arrays::begins_as_hdf5(stream)) return SourceFormat::hdf5;
  if (arrays::begins_as_mat(start)) return SourceFormat::mat;
  return std::nullopt;
}

std::optional<SourceFormat> array_format(const files::FileTree& tree, const std::string& path) {
  const auto stream = tree.open(path);
  std::array<std::byte, 8> bytes{};
  const auto start = beginning(*stream, bytes);
  if (arrays::is_npy_magic(start)) return SourceFormat::npy;
  if (arrays::is_idx_magic(start)) return SourceFormat::idx;
  if (is_stl10_images(path, *stream)) return SourceFormat::stl10;
  return cifar_format(*stream);
}

void refuse_one_image(const fs::path& path) {
  if (!images::has_image_name(path.filename().string())) return;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  throw InvalidArgument("read " + quoted(path) + ": by its name it is a single image; give the folder that holds it, " +
                        quoted(folder));
}

SourceFormat format_of_file(const fs::path& path, files::OpenArchives& archives) {
  const auto stream = files::open_stream(path);
  if (const auto format = container_format(*stream)) return *format;
  refuse_parquet(*stream, path);
  if (files::is_archive(path))
    return holds_arrays_alone(*archives.open(path)) ? SourceFormat::npy : SourceFormat::archive;
  const auto folder = files::open_folder(path.parent_path());
  if (const auto format = array_format(*folder, path.filename().string())) return *format;
  if (is_image_table_name(path.filename().string())) return SourceFormat::manifest;
  refuse_cut_zip(*stream, path);
  refuse_pickle(*stream, path);
  refuse_unknown(path);
}

}  // namespace octavo::sources
