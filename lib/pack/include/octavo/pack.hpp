// Packing sources into a dataset file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/dataset.hpp>
#include <octavo/holdout.hpp>
#include <octavo/mask_colors.hpp>
#include <octavo/progress.hpp>
#include <octavo/sample.hpp>
#include <octavo/source.hpp>
#include <octavo/source_format.hpp>

namespace octavo {

/// How an image is resized: center-cropped and scaled, scaled and padded with the background, or stretched.
enum class Fit { crop, pad, stretch };
/// How class folders are sorted: by bytes, as in torchvision, or with embedded numbers compared by value.
enum class ClassOrder { bytes, natural };

/// The axes of an image array after N: [H,W], [H,W,C] or [C,H,W].
enum class ArrayLayout { automatic, hw, hwc, chw };

/// The range that maps to the values 0 to 255 when an array does not hold bytes. Numbers inside the range are rounded
/// to the nearest value; numbers outside are clipped to 0 or 255.
struct ValueRange {
  enum class Kind {
    automatic,   ///< integers that span at most 255: step 1; floats in [0,1], [-1,1] or [0,255]: that; else measured
    given,       ///< [low,high], or `by_channel`
    measured,    ///< the minimum and maximum of each channel
    percentile,  ///< per channel, clips (100 - `percentile`) % of the numbers at each end
  };
  Kind kind = Kind::automatic;
  double low = 0.0;
  double high = 255.0;
  double percentile = 99.9;
  std::vector<std::pair<double, double>> by_channel = {};  ///< the low and high of each channel; empty: those above
};

/// One source to pack: a file or folder, and its split.
struct SourceSpec {
  std::filesystem::path path;
  std::string split = {};  ///< empty: inferred from file and folder names
  /// In a file with several arrays (.npz, HDF5, MATLAB): the array of images. In a dataset file: the split to read.
  /// Empty: inferred; for a dataset file, all splits.
  std::string images = {};
  std::string labels = {};  ///< the array of labels; empty: inferred
  /// A file that holds the labels, in its array `labels`. Empty: the labels are in the same file, or in one next to it
  /// with a name for it.
  std::filesystem::path label_file = {};
};

/// How sources are read.
struct SourceOptions {
  std::string format{kAutomaticFormat};  ///< the name of one of source_formats()
  std::optional<std::array<std::int64_t, 2>> size =
      {};  ///< [H,W] to resize images to; without it, all must have one size
  Fit fit = Fit::crop;
  /// 1 or 3; without it: 1 if all images are gray, the number of bands if they have bands, else 3.
  std::optional<std::int64_t> channels = {};
  std::array<std::uint8_t, 3> background = {0, 0, 0};  ///< RGB behind transparency and padding
  /// The column of image lists that holds the paths. Empty: the one whose files exist, usual names first.
  std::string path_column = {};
  /// The folder that the paths in image lists are relative to, or in if they are absolute. Empty: that of the list.
  std::filesystem::path image_root = {};
  /// The columns of image lists that hold the labels. Several must hold numbers: multi-labels if all are 0 and 1, else
  /// targets. A name may be several, separated by commas. Empty: a column with one of the usual names.
  std::vector<std::string> label_columns = {};
  /// What separates the classes in the labels of one column, for multi-labels: "space", "comma", "semicolon", "bar",
  /// "tab" or any text. "none": one class each. "auto": guessed if label_kind is not given and there is no doubt.
  std::string label_separator = "auto";
  /// What the labels of image lists, arrays and WebDataset shards are: LabelKind::class_index or target. Without it,
  /// whole numbers and names are classes, other numbers targets.
  std::optional<LabelKind> label_kind = {};
  /// The columns of image lists to keep with each sample. "all": all that have no other role; "none": none. Empty: all
  /// if their text has at most 64 MiB, else none.
  std::vector<std::string> columns = {};
  bool with_masks = true;  ///< pack masks: folders of them next to folders of images, or columns of lists
  /// The name of the mask of an image, such as "{stem}_mask.png", where {stem} is the name of the image without its
  /// extension; or both names, such as "img_{stem}=mask_{stem}.png"; see docs/sources.md. Files with such names are
  /// masks, never samples. Empty: a mask has the name of its image.
  std::string mask_pattern = {};
  MaskColors mask_colors = {};  ///< the classes of the colors of masks; empty: masks hold class numbers
  ClassOrder class_order = ClassOrder::bytes;
  ArrayLayout layout = ArrayLayout::automatic;
  ValueRange range = {};
  /// The classes, in label order; empty: inferred. Of several columns of labels, those with these names are the
  /// classes.
  std::vector<std::string> class_names = {};
  /// Renames classes: name in the source to new name. Aligns the names of several sources, or merges classes.
  std::map<std::string, std::string> class_map = {};
  /// Glob of the samples to keep. With a '/' it matches sample names (paths below the folder), otherwise class names,
  /// or class numbers if there are no names. Empty: all samples.
  std::string select = {};
  std::optional<std::int64_t> limit = {};  ///< maximum number of samples per split
  /// What of `train` becomes `val`.
  Holdout holdout = {};
  std::uint64_t seed = 0;  ///< seed of the holdout
  /// What samples must have in common to be in one split, such as their patient: a column of image lists, which is then
  /// kept, or of dataset files; or "path:" and an ECMAScript regular expression, whose first capture group, or whole
  /// match, in the path of the sample is its group. The holdout takes whole groups, and a group in two splits is an
  /// error. Empty: each sample by itself.
  std::string group_by = {};
  bool allow_mismatch = false;                      ///< accept splits of several shapes, and classes that `train` lacks
  bool skip_unreadable = false;                     ///< skip unusable images, lines and parts of archives
  std::uint64_t largest_image_pixels = 256u << 20;  ///< images that declare more are refused before decoding
  /// Archives that expand to more than this multiple of their own size are refused. Deflate's maximum is 1,032.
  std::int64_t largest_archive_ratio = 1100;
  int thread_count = 0;  ///< 0: all that this process may use
  /// Opens the dataset of a path that is a URL, such as remote::open_dataset(). Empty: URLs are refused.
  std::function<Dataset(const std::string& url)> open_url = {};
};

/// Opens all specs as one source: detects formats, finds splits, lists the images of folders and reads their sizes.
/// Throws InvalidArgument, FormatError or IoError, naming the file.
std::unique_ptr<Source> open_source(const std::vector<SourceSpec>& specs, const SourceOptions& options);

/// The samples of `source` that options.select, limit, holdout and group_by choose (with seed), with the classes
/// renamed by options.class_map; other options do not count. Borrows `source`. Throws InvalidArgument if nothing
/// remains, if the holdout is impossible, if a group is in two splits, or if there is no class of a renamed name.
std::unique_ptr<Source> choose_samples(Source& source, const SourceOptions& options);

/// How to write the file.
struct PackOptions {
  // What changes the file.
  /// Store where each sample came from. Without a value: in splits whose samples are files, or have stored names.
  std::optional<bool> with_names = {};
  bool allow_mismatch = false;  ///< in append(): accept new classes and shapes
  /// Accept fewer than 16 levels of numbers with more values, and most numbers outside the range.
  bool allow_loss = false;
  bool skip_bad_samples = false;                     ///< skip and record samples that cannot be read
  bool reproducible = false;                         ///< fixed uuid and time: equal input gives equal bytes
  Compression compression = Compression::none;       ///< of images, on all threads
  int compression_level = kDefaultCompressionLevel;  ///< 1 to 12
  /// With lp8 and lc8, the largest change of a value, for a smaller file: 0 to kMostMaxError. Without a value: that of
  /// the splits of the source, which is 0 unless they come from dataset files.
  std::optional<int> max_error = {};
  std::string command_line = {};  ///< for the provenance; omitted if empty or `reproducible`
  // What does not change the file.
  bool replace_existing = false;
  int thread_count = 0;  ///< 0: all that this process may use
  ProgressFunction on_progress = {};
};

/// What packing did.
struct PackSummary {
  std::vector<SourceSplit> splits;  ///< as written, without skipped samples
  std::vector<SampleFailure> skipped;
  std::vector<std::string> notes;  ///< packing_notes() of the source
  std::int64_t packed_bytes = 0;
  std::int64_t file_bytes = 0;
  std::int64_t name_bytes = 0;  ///< of stored sample names
  double elapsed_seconds = 0.0;
};

/// What a user might not expect of a source, a sentence each: quantization and its loss, ignored files, missing labels,
/// surprising decisions. Options are written as in option_names.hpp. The loss is known once all samples have been read.
std::vector<std::string> packing_notes(const Source& source);

/// Packs `source` into `path`. The memory for pixels depends on the number of threads and the size of a sample (of a
/// chunk with deflate), not on the number of samples. In addition, each sample takes a few bytes, and the metadata of
/// all samples is held as JSON. Throws what Source and Writer throw; InvalidArgument if there is more metadata than a
/// file can hold, before any sample is read; and FormatError naming the sample if one cannot be read and
/// skip_bad_samples is off. On failure, `path` is unchanged.
PackSummary pack(Source& source, const std::filesystem::path& path, const PackOptions& options = {});

/// Adds the splits of `source` to the dataset file `path`, atomically: writes a new file with all splits, then replaces
/// the old one. Keeps the file's class numbers, compression and sample names. Throws what pack() throws,
/// InvalidArgument if the file already has one of these splits or lacks their classes or shape, and IoError if another
/// program replaced the file in the meantime. On failure, the file is unchanged. If `path` is a dataset of shards, adds
/// the samples as append_shard() does.
PackSummary append(Source& source, const std::filesystem::path& path, const PackOptions& options = {});

}  // namespace octavo
