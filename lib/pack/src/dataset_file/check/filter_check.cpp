#include "dataset_file/check/filter_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "hdf5/session.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;

constexpr std::size_t kMostFilterValues = 64;
constexpr H5Z_filter_t kLzf = 32000;

// The numbers of filters are registered with the HDF Group ("Registered Filter Plugins").
constexpr std::array<std::pair<H5Z_filter_t, const char*>, 18> kFilterNames = {
    {{H5Z_FILTER_DEFLATE, "deflate"},
     {H5Z_FILTER_SHUFFLE, "shuffle"},
     {H5Z_FILTER_FLETCHER32, "fletcher32"},
     {H5Z_FILTER_SZIP, "szip"},
     {H5Z_FILTER_NBIT, "n-bit"},
     {H5Z_FILTER_SCALEOFFSET, "scale-offset"},
     {305, "LZO"},
     {307, "bzip2"},
     {kLzf, "LZF"},
     {32001, "Blosc"},
     {32004, "LZ4"},
     {32008, "bitshuffle"},
     {32013, "ZFP"},
     {32015, "Zstandard"},
     {32017, "SZ"},
     {32024, "SZ3"},
     {32026, "Blosc2"},
     {32028, "HTJ2K"}}};

// The parameters of n-bit for plain numbers, as H5Znbit.c of HDF5 1.10 writes them.
struct NBit {
  static constexpr std::size_t kValueCount = 8;
  static constexpr std::size_t kIsUnchanged = 1, kElementCount = 2, kClass = 3, kSize = 4, kPrecision = 6, kOffset = 7;
  static constexpr unsigned kAtomic = 1;
};

// The parameters of scale-offset, as H5Zscaleoffset.c of HDF5 1.10 writes them; and the head of a chunk: the bits per
// number in 4 bytes, the length of the smallest number in 1, the smallest number in 16.
struct ScaleOffset {
  static constexpr std::size_t kElementCount = 2, kSize = 4, kFewestValues = 8;
  static constexpr std::size_t kHeadBytes = 21;
};

std::uint32_t little_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

/// The bytes of `count` numbers of `bits` bits. Chunks have at most 2^28 bytes, so that nothing overflows.
std::size_t packed_bytes(std::size_t count, std::size_t bits) { return (count * bits + 7) / 8; }

bool is_decodable(H5Z_filter_t filter) {
  unsigned configuration = 0;
  return H5Zfilter_avail(filter) > 0 && H5Zget_filter_info(filter, &configuration) >= 0 &&
         (configuration & H5Z_FILTER_CONFIG_DECODE_ENABLED) != 0;
}

}  // namespace

std::vector<Filter> filters_of(hid_t properties) {
  std::vector<Filter> filters;
  const int count = check(H5Pget_nfilters(properties), "count the filters");
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::array<unsigned, kMostFilterValues> values{};
    std::size_t value_count = values.size();
    const H5Z_filter_t id =
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &value_count, values.data(), 0, nullptr, nullptr);
    filters.push_back({id, {values.begin(), values.begin() + std::min(value_count, values.size())}});
  }
  return filters;
}

std::string filter_name(H5Z_filter_t filter) {
  const auto found = std::ranges::find(kFilterNames, filter, &std::pair<H5Z_filter_t, const char*>::first);
  return found == kFilterNames.end() ? "the unknown filter " + std::to_string(filter) : found->second;
}

namespace {

/// The command that saves a file with gzip instead of its filters.
std::string repack_command(const std::filesystem::path& file) {
  const std::filesystem::path saved = file.parent_path() / (file.stem().string() + "-gzip.h5");
  return "h5repack -f SHUF -f GZIP=4 " + quoted(file) + " " + quoted(saved);
}

}  // namespace

std::optional<std::string> filter_problem(H5Z_filter_t filter, const std::filesystem::path& file) {
  const bool is_checked = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32 || changes_size(filter);
  if (is_checked && is_decodable(filter)) return std::nullopt;
  const std::string name = "is compressed with " + filter_name(filter), command = repack_command(file);
  if (is_checked) {
    return name + ", which the HDF5 library of this build cannot read; save it with gzip: `" + command +
           "`, with an HDF5 that has " + filter_name(filter);
  }
  const std::string problem = name + ", a filter that is not part of HDF5; save it with gzip: ";
  if (filter == kLzf) {  // hdf5plugin does not have it
    return problem + "in Python with h5py, which reads LZF, or with `" + command +
           "` and a plugin for LZF in HDF5_PLUGIN_PATH";
  }
  return problem +
         "`pip install hdf5plugin`, then `HDF5_PLUGIN_PATH=$(python3 -c 'import hdf5plugin; "
         "print(hdf5plugin.PLUGIN_PATH)') " +
         command + "`";
}

bool changes_size(H5Z_filter_t filter) {
  return filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SZIP || filter == H5Z_FILTER_NBIT ||
         filter == H5Z_FILTER_SCALEOFFSET;
}

bool fits(const Filter& filter, std::size_t element_count, std::size_t element_bytes) {
  const auto& values = filter.values;
  if (filter.id == H5Z_FILTER_NBIT) {
    return values.size() == NBit::kValueCount && values[0] == NBit::kValueCount &&
           values[NBit::kElementCount] == element_count && values[NBit::kClass] == NBit::kAtomic &&
           values[NBit::kSize] == element_bytes && values[NBit::kPrecision] >= 1 &&
           values[NBit::kPrecision] <= 8 * element_bytes &&
           values[NBit::kOffset] <= 8 * element_bytes - values[NBit::kPrecision];
  }
  if (filter.id == H5Z_FILTER_SCALEOFFSET) {
    return values.size() >= ScaleOffset::kFewestValues && values[ScaleOffset::kElementCount] == element_count &&
           values[ScaleOffset::kSize] == element_bytes;
  }
  return true;
}

bool holds_whole_chunk(const Filter& filter, std::span<const std::byte> packed, std::size_t chunk_bytes) {
  const auto& values = filter.values;
  // A chunk of szip begins with the number of bytes that HDF5 will allocate for the result.
  if (filter.id == H5Z_FILTER_SZIP) return packed.size() > 4 && little_endian(packed) == chunk_bytes;
  if (filter.id == H5Z_FILTER_NBIT) {
    const std::size_t bits =
        values[NBit::kIsUnchanged] != 0 ? std::size_t{8} * values[NBit::kSize] : values[NBit::kPrecision];
    return packed.size() >= packed_bytes(values[NBit::kElementCount], bits);
  }
  if (packed.size() < ScaleOffset::kHeadBytes) return false;
  const std::size_t bits = little_endian(packed);
  return bits <= std::size_t{8} * values[ScaleOffset::kSize] &&
         packed.size() - ScaleOffset::kHeadBytes >= packed_bytes(values[ScaleOffset::kElementCount], bits);
}

}  // namespace octavo::dataset_file
