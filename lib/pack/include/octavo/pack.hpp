// Packing sources into a file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/progress.hpp>
#include <octavo/sample.hpp>
#include <octavo/source.hpp>

namespace octavo {

/// What kind of files a source is made of; `automatic` finds out from their contents.
enum class SourceFormat {
  automatic,
  idx,
  cifar10,   ///< binary, or as pickled for Python
  cifar100,  ///< likewise
  stl10,
  npy,       ///< .npy, or .npz
  mat,       ///< MATLAB 5, as SVHN's cropped digits
  hdf5,      ///< any HDF5 file that Octavo has not made
  octavo,    ///< a dataset file
  manifest,  ///< CSV, TSV or JSON lines that name images
  archive,   ///< tar or zip: images in folders, WebDataset shards, or files of the formats above
  folder,    ///< images in folders
};
/// How an image is brought to the wanted size: its center is cut out, it is fitted into a background, or distorted.
enum class Fit { crop, pad, stretch };
/// How class folders are sorted: by bytes, as torchvision does, or with numbers by their value.
enum class ClassOrder { bytes, natural };

/// How an image lies in an array, after the axis N: [H,W], [H,W,C] or [C,H,W].
enum class ArrayLayout { automatic, hw, hwc, chw };

/// Which numbers of an array that does not hold bytes become the values 0 and 255; those between are rounded to the
/// nearest, those beyond become 0 or 255.
struct ValueRange {
  enum class Kind {
    automatic,   ///< 0 and 255 where that is exact; 0 and 1, or -1 and 1, where floats lie there; else measured
    given,       ///< `low` and `high`
    measured,    ///< smallest and largest number of each channel
    percentile,  ///< all but 100 - `percentile` per cent of the numbers at either end, for each channel
  };
  Kind kind = Kind::automatic;
  double low = 0.0;
  double high = 255.0;
  double percentile = 99.9;
};

/// One thing to pack: a file or folder, and the split it becomes.
struct SourceSpec {
  std::filesystem::path path;
  std::string split = {};  ///< empty: found by convention
  /// Of a file of several arrays (.npz, HDF5, MATLAB): which are the images; of a dataset file: the only split that is
  /// wanted. Empty: found, or all.
  std::string images = {};
  std::string labels = {};  ///< likewise the labels
};

/// How sources are read.
struct SourceOptions {
  SourceFormat format = SourceFormat::automatic;
  std::optional<std::array<std::int64_t, 2>> size =
      {};  ///< H and W that images are brought to; none: all are equal already
  Fit fit = Fit::crop;
  std::optional<std::int64_t> channels = {};           ///< 1 or 3; none: 1 if all images are gray, else 3
  std::array<std::uint8_t, 3> background = {0, 0, 0};  ///< RGB behind transparency and padding
  ClassOrder class_order = ClassOrder::bytes;
  ArrayLayout layout = ArrayLayout::automatic;
  ValueRange range = {};
  std::vector<std::string> class_names = {};  ///< from --classes; empty: found
  /// New names of classes, by their names in the sources: to bring those of several together, or to unite classes.
  std::map<std::string, std::string> class_map = {};
  /// Glob: on the names of samples (paths below the folder) if it has a '/', else on class names, or on class numbers
  /// where there are no names. Empty: everything.
  std::string select = {};
  std::optional<std::int64_t> limit = {};           ///< at most so many samples a split
  double holdout = 0.0;                             ///< share of `train` that becomes `val`, chosen by a hash
  std::uint64_t seed = 0;                           ///< of the holdout
  bool skip_unreadable = false;                     ///< pass over images, lines and parts of archives that are unusable
  std::uint64_t largest_image_pixels = 256u << 20;  ///< images that claim more are refused before they are decoded
  /// Archives that claim to hold more, as a multiple of their own bytes, are refused. Deflate ends at 1,032.
  std::int64_t largest_archive_ratio = 1100;
  int thread_count = 0;  ///< 0: all that this process may use
};

/// Opens what the specs name as one source: formats detected, splits found, images of a folder listed and their sizes
/// read. Throws InvalidArgument, FormatError or IoError, naming the file.
std::unique_ptr<Source> open_source(const std::vector<SourceSpec>& specs, const SourceOptions& options);

/// How the file is made.
struct PackOptions {
  // What changes the file.
  bool with_names = false;
  bool skip_bad_samples = false;  ///< --on-error skip: leave out what cannot be read, and record it
  bool reproducible = false;
  Compression compression = Compression::none;       ///< of images, on all threads
  int compression_level = kDefaultCompressionLevel;  ///< 1 to 12
  std::string command_line = {};                     ///< for the provenance; left out if empty or reproducible
  // What changes only what happens around it.
  bool replace_existing = false;
  int thread_count = 0;  ///< 0: all that this process may use
  ProgressFunction on_progress = {};
};

/// What packing did.
struct PackSummary {
  std::vector<SourceSplit> splits;  ///< as written, that is without what was skipped
  std::vector<SampleFailure> skipped;
  std::int64_t packed_bytes = 0;
  std::int64_t file_bytes = 0;
  double elapsed_seconds = 0.0;
};

/// Packs `source` into `path`. Memory is bounded by threads and sample size (or chunks, if they are deflated), whatever
/// the number of samples. Throws what Source and Writer throw; a bad sample without skip_bad_samples is a FormatError
/// that names it. Nothing is left under `path` then.
PackSummary pack(Source& source, const std::filesystem::path& path, const PackOptions& options = {});

/// Adds the splits of `source` to the dataset file `path`, at once: a new file with all splits takes its place when it
/// is whole. Classes are numbered as the file has them, and its compression and sample names are kept. Throws what
/// pack() throws, InvalidArgument if the file has a split of one of these names, IoError if another program replaced
/// the file meanwhile; the file is then as it was.
PackSummary append(Source& source, const std::filesystem::path& path, const PackOptions& options = {});

}  // namespace octavo
