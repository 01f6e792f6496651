#include "sources/detection.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>

#include "arrays/matlab/mat.hpp"
#include "images/image_codec.hpp"
#include "images/other_formats.hpp"
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

/// A kind of archive that is recognized, but not read.
struct OtherArchive {
  std::string_view magic, kind;
};
constexpr std::array<OtherArchive, 8> kOtherArchives = {{{"7z\xBC\xAF\x27\x1C", "a 7z archive"},
                                                         {"Rar!\x1A\x07", "a RAR archive"},
                                                         {"\x04\x22\x4D\x18", "compressed with LZ4"},
                                                         {"LZIP", "compressed with lzip"},
                                                         {"\x1F\x9D", "compressed with compress"},
                                                         {"MSCF", "a cabinet archive"},
                                                         {"xar!", "a xar archive"},
                                                         {"!<arch>\n", "an ar archive"}}};

/// Whether the file ends in the directory of a zip archive whose other volumes are other files. The record at the end
/// has 22 bytes and a comment; the number of its volume is at 4, counted from 0.
bool is_last_volume_of_zip(const fs::path& path) {
  constexpr std::int64_t kRecordBytes = 22, kLongestComment = 65535;
  const File file = File::open_for_reading(path);
  const std::int64_t from = std::max<std::int64_t>(0, file.length() - kRecordBytes - kLongestComment);
  std::string end(static_cast<std::size_t>(file.length() - from), '\0');
  end.resize(file.read_some_at(from, std::as_writable_bytes(std::span(end))));
  const std::size_t record = end.rfind("PK\x05\x06");
  if (record == std::string::npos || record + kRecordBytes > end.size()) return false;
  // 0xFFFF: the number is in the record of a large archive.
  const int volume = static_cast<unsigned char>(end[record + 4]) | static_cast<unsigned char>(end[record + 5]) << 8;
  return volume != 0 && volume != 0xFFFF;
}

[[noreturn]] void refuse_split_zip(const FileStart& start) {
  throw FormatError("read " + name_of(start) +
                    ": it is a volume of a split zip archive; join the volumes with `zip -s 0 FILE.zip --out NEW.zip`, "
                    "and pack the new file");
}

/// The directory of a zip archive is at its end.
void refuse_cut_zip(const FileStart& start) {
  if (!start.begins_with("PK\x03\x04")) return;
  throw FormatError("read " + name_of(start) +
                    ": it starts like a zip archive, but the list of files at its end is missing; get the file again, "
                    "or join it with the other volumes if the archive is split");
}

[[noreturn]] void refuse_unknown(const FileStart& start) {
  if (const auto problem = images::other_format_problem(start.bytes())) {
    throw FormatError("read " + name_of(start) + ": " + *problem + ", and pack the folder");
  }
  if (const auto path = start.tree()->disk_path(start.path())) refuse_one_image(*path);
  throw FormatError("read " + name_of(start) + ": unknown format; expected " + kinds_of(kSourceReaders) + " (" +
                    images::image_format_names() + "); check the path, or name the format with `format`");
}

}  // namespace

void refuse_other_archive(const FileStart& start) {
  const auto path = start.tree()->disk_path(start.path());
  if (start.begins_with("PK\x07\x08") || (path && is_last_volume_of_zip(*path))) refuse_split_zip(start);
  for (const OtherArchive& archive : kOtherArchives) {
    if (!start.begins_with(archive.magic)) continue;
    throw FormatError("read " + name_of(start) + ": it is " + std::string(archive.kind) +
                      ", which is not supported; unpack it and pack the folder");
  }
  refuse_cut_zip(start);
}

void refuse_mat4(const FileStart& start) {
  if (!start.path().ends_with(".mat") || !arrays::begins_as_mat4(start.bytes())) return;
  throw FormatError("read " + name_of(start) +
                    ": MATLAB 4 files are not supported; save it again with save(FILE, \"-v7\") in MATLAB, or with "
                    "format=\"5\" in scipy.io.savemat()");
}

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
  refuse_other_archive(start);
  refuse_pickle(start);
  refuse_mat4(start);
  refuse_unknown(start);
}

}  // namespace octavo::sources
