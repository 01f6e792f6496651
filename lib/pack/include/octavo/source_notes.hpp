// What happened to the samples of a source, for reports and for the provenance of the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <octavo/holdout.hpp>
#include <octavo/level_use.hpp>
#include <octavo/statistics.hpp>

namespace octavo {

/// How images were converted.
struct ConversionNotes {
  std::optional<std::array<std::int64_t, 2>> size = {};  ///< [H,W], if images were resized
  std::string fit = {};                                  ///< "crop", "pad" or "stretch"; with `size`
  std::int64_t channels = 0;
  std::array<std::uint8_t, 3> background = {0, 0, 0};  ///< behind transparency and padding
};

/// What quantizing one channel of an array cost, in source units.
struct ChannelLoss {
  double low = 0.0;   ///< becomes the value 0
  double high = 0.0;  ///< becomes the value 255
  double largest_error = 0.0;
  double mean_rounding = 0.0;
  std::int64_t clipped = 0;  ///< numbers outside [low,high]
  /// The numbers that occur; absent in old files.
  std::optional<double> smallest = {}, largest = {};
  /// As in LevelUse; absent in old files, and if there are so many channels that several were measured together.
  std::optional<std::int64_t> levels = {};
  std::optional<double> effective_bits = {};
};
struct QuantizationNotes {
  /// The numbers of different values before and after.
  struct Levels {
    std::int64_t before = 0, after = 0;
  };
  std::string split;
  std::string from;  ///< the element type: "float32"
  std::vector<ChannelLoss> channels;
  std::int64_t samples = 0;            ///< those that were quantized; images of 8 bits are not
  std::optional<Levels> levels = {};   ///< for 16-bit integers, if all channels have one range
  std::optional<double> psnr_db = {};  ///< with 255 steps as the peak; absent if the bytes are exact
  /// Of the channel that keeps the fewest bits; absent for old files.
  std::optional<LevelUse> level_use = {};
  bool takes_range = true;  ///< false: `range` does not apply, since images of several types were quantized
  /// The samples with the largest errors, largest first.
  struct WorstSample {
    std::int64_t row = 0;  ///< in the split of the source
    double rms_steps = 0;  ///< root mean square error, in steps of the quantization
  };
  std::vector<WorstSample> worst = {};
  /// The split of the source whose samples were counted, if only some of them are in the split; else empty.
  std::string source_split = {};
  int max_error = 0;         ///< values were then rounded to multiples of value_step() of it; 0: they were not
  bool is_recorded = false;  ///< counted when the source was packed; reading it again loses nothing
};

/// The sizes of the images of a split before resizing, compared by number of pixels. Sizes are text, "HxW".
struct ImageSizeNotes {
  struct Outlier {
    std::string name;
    std::string size;
  };
  std::string split;
  std::int64_t images = 0;
  std::string smallest = {}, median = {}, largest = {};
  std::int64_t enlarged = 0;  ///< images that are smaller than the samples in height or width
  std::int64_t outliers = 0;
  std::vector<Outlier> first_outliers = {};
  std::vector<std::string> deciles = {};  ///< 11 sizes, from the smallest to the largest
  bool of_whole_split = false;            ///< taken from a dataset file: describes all images of its split
};

/// The provenance of a dataset file that a source read.
struct HistoryNotes {
  std::string file;        ///< the file name
  std::string provenance;  ///< JSON
};

/// Names of ignored files that notes keep.
inline constexpr std::size_t kMostIgnoredFileNames = 5;

struct SourceNotes {
  bool lacks_labels = false;       ///< there are images without labels
  std::string label_problem = {};  ///< why what looks like their labels cannot be used; empty: nothing looks like them
  std::vector<QuantizationNotes> quantized;
  std::optional<ConversionNotes> conversion;
  std::optional<std::int64_t> ignored_files;               ///< files that are not images in a class folder
  std::vector<std::string> first_ignored_files;            ///< the names of the first of them
  std::optional<std::vector<ImageSizeNotes>> image_sizes;  ///< for sources of image files
  /// For image lists: the bytes of the images and masks that they name and that were read, each once; without those in
  /// archives, which are among the files of the source.
  std::optional<std::int64_t> listed_bytes;
  std::vector<std::string> remarks;  ///< on surprising decisions; options as in option_names.hpp
  std::vector<std::string> folders_without_images;
  std::map<int, std::string> mask_classes;  ///< names of mask values
  std::string select;                       ///< SourceOptions::select
  std::optional<std::int64_t> limit;        ///< SourceOptions::limit
  Holdout holdout;                          ///< SourceOptions::holdout
  std::uint64_t holdout_seed = 0;
  std::string group_by;  ///< SourceOptions::group_by
  std::vector<HistoryNotes> histories;
  std::string custom = "{}";  ///< notes of the program that provides the samples: a JSON object
};

/// The notes as the JSON object of the provenance. Throws FormatError if a text that must be JSON is not.
std::string to_json(const SourceNotes& notes);

}  // namespace octavo
