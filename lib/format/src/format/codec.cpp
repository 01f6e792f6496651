#include "format/codec.hpp"

#include <algorithm>
#include <array>

#include "format/chunks/deflate_codec.hpp"
#include "format/coded_rows/lc8_codec.hpp"
#include "format/coded_rows/lp8_codec.hpp"

namespace octavo::dataset_file {
namespace {

constexpr Codec kPlain = {.compression = Compression::none, .name_in_index = "plain", .rows_stand_alone = true};

/// In the order of Compression.
constexpr std::array<const Codec*, 4> kCodecs = {&kPlain, &kDeflateCodec, &kLp8Codec, &kLc8Codec};
static_assert(kCodecs.size() == kCompressions.size());
static_assert(std::ranges::all_of(kCodecs, [](const Codec* codec) {
  return stays_compressed(codec->compression) == (codec->row_coding != kernels::RowCoding::plain);
}));

}  // namespace

const Codec& codec_of(Compression compression) { return *kCodecs[static_cast<std::size_t>(compression)]; }

const Codec* find_codec(std::string_view name_in_index) {
  const auto found = std::ranges::find(kCodecs, name_in_index,
                                       [](const Codec* codec) { return std::string_view(codec->name_in_index); });
  return found == kCodecs.end() ? nullptr : *found;
}

}  // namespace octavo::dataset_file
