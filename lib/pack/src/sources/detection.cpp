#include "sources/detection.hpp"

#include <string>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

std::string name_of(const FileStart& start) { return start.tree()->name_of(start.path()); }

void refuse_parquet(const FileStart& start) {
  if (!start.begins_with("PAR1")) return;
  throw FormatError("read " + name_of(start) +
                    ": Parquet files are not supported; open it in Python (datasets, pyarrow) and pass the data to "
                    "octavo.pack_dataset()");
}

/// The directory of a zip archive is at its end.
void refuse_cut_zip(const FileStart& start) {
  if (!start.begins_with("PK\x03\x04")) return;
  throw FormatError("read " + name_of(start) +
                    ": it starts like a zip archive, but the list of files at its end is missing; get the file again");
}

[[noreturn]] void refuse_unknown(const FileStart& start) {
  if (const auto path = start.tree()->disk_path(start.path())) refuse_one_image(*path);
  throw FormatError("read " + name_of(start) + ": unknown format; expected " + kinds_of(kSourceReaders) + " (" +
                    images::image_format_names() + "); check the path, or name the format with `format`");
}

}  // namespace

/// Pickles of protocol 2 and later begin with the protocol number.
void refuse_pickle(const FileStart& start) {
  const auto bytes = start.bytes();
  if (bytes.size() < 2 || bytes[0] != std::byte{0x80} || bytes[1] < std::byte{2} || bytes[1] > std::byte{5}) return;
  throw FormatError("read " + name_of(start) +
                    ": it is a Python pickle, which only Python can read; pack the folder of a published CIFAR set "
                    "with `python3 -c 'import octavo; octavo.pack(\"FOLDER\", \"FILE.h5\")'`, and other data with "
                    "octavo.pack_dataset()");
}

void refuse_one_image(const fs::path& path) {
  if (!images::has_image_name(path.filename().string())) return;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  throw InvalidArgument("read " + quoted(path) + ": by its name it is a single image; give the folder that holds it, " +
                        quoted(folder));
}

const SourceReader& detect_reader(const FileStart& start) {
  refuse_parquet(start);
  for (const SourceReader* reader : kSourceReaders) {
    if (reader->looks_like != nullptr && reader->looks_like(start)) return *reader;
  }
  refuse_cut_zip(start);
  refuse_pickle(start);
  refuse_unknown(start);
}

}  // namespace octavo::sources
