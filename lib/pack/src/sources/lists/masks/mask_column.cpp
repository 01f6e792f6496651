#include "sources/lists/masks/mask_column.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "images/image_codec.hpp"
#include "sources/lists/masks/mask_names.hpp"
#include "sources/lists/table/table_labels.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::array<const char*, 4> kMaskColumns = {"mask", "mask_path", "mask_file", "segmentation"};
constexpr std::size_t kJudgedRows = 100;

/// Whether the cells of the first rows that are not missing name image files, and one of them exists.
bool names_images(const Table& table, std::size_t column, const ListedFiles& masks) {
  bool is_found = false;
  for (std::size_t row = 0; row < std::min(table.rows.size(), kJudgedRows); ++row) {
    const Cell& cell = table.rows[row][column];
    if (is_missing(cell)) continue;
    if (!cell.is_string() || !images::has_image_name(text_of(cell))) return false;
    is_found = is_found || masks.find(text_of(cell));
  }
  return is_found;
}

bool is_named_for_labels(const std::string& name, const NamedColumns& named) {
  return std::ranges::find(named.labels, name) != named.labels.end();
}

/// Whether a column may hold masks by its name, or because the options name it for the labels.
bool may_hold_masks(const std::string& name, const NamedColumns& named) {
  const bool is_label = named.labels.empty() ? is_label_column(name) : is_named_for_labels(name, named);
  return is_label || has_word_for_masks(name);
}

}  // namespace

MaskColumn find_mask_column(const Table& table, const ListedFiles& masks, std::ptrdiff_t path_column,
                            const NamedColumns& named) {
  for (const char* const name : kMaskColumns) {
    const std::ptrdiff_t at = table.find(name);
    if (at >= 0 && !is_named_for_labels(table.columns[static_cast<std::size_t>(at)], named)) return {at, false};
  }
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    if (at == path_column || !may_hold_masks(table.columns[column], named)) continue;
    if (names_images(table, column, masks)) return {at, true};
  }
  return {};
}

}  // namespace octavo::sources
