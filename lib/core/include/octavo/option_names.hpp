// The names of options in messages. The library writes an option as `id` or `id=value`, in backquotes; each front end
// spells it as its users do.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace octavo {

struct OptionName {
  std::string_view id;
  std::string_view command_line;  ///< "--max-pixels"; empty if the command line has no such option
  std::string_view python;        ///< "max_pixels"
};
inline constexpr std::array<OptionName, 35> kOptionNames = {{
    {"accept_changes", "--accept-changes", "accept_changes"},
    {"allow_loss", "--allow-loss", "allow_loss"},
    {"allow_mismatch", "--allow-mismatch", "allow_mismatch"},
    {"append", "--append", "append"},
    {"background", "--background", "background"},
    {"border", "", "border"},
    {"center", "", "center"},
    {"channels", "--channels", "channels"},
    {"class_map", "--class-map", "class_map"},
    {"classes", "--classes", "classes"},
    {"columns", "--columns", "columns"},
    {"description", "--from", "description"},
    {"fit", "--fit", "fit"},
    {"force", "--force", "force"},
    {"format", "--format", "format"},
    {"group_by", "--group-by", "group_by"},
    {"holdout", "--holdout", "holdout"},
    {"image_root", "--image-root", "image_root"},
    {"label_column", "--label-column", "label_column"},
    {"label_kind", "--label-kind", "label_kind"},
    {"label_separator", "--label-separator", "label_separator"},
    {"layout", "--layout", "layout"},
    {"limit", "--limit", "limit"},
    {"mask_colors", "--mask-colors", "mask_colors"},
    {"masks", "--masks", "masks"},
    {"max_error", "--max-error", "max_error"},
    {"max_pixels", "--max-pixels", "max_pixels"},
    {"max_ratio", "--max-ratio", "max_ratio"},
    {"mirror", "--mirror", "mirrors"},
    {"on_error", "--on-error", "on_error"},
    {"path_column", "--path-column", "path_column"},
    {"range", "--range", "value_range"},
    {"shard", "--shard", "shard"},
    {"shards", "--shards", "shards"},
    {"size", "--size", "size"},
}};

/// The message with its options as on the command line: "--on-error skip".
std::string with_command_line_options(std::string_view message);

/// The message with its options as in Python: on_error="skip", max_pixels=.
std::string with_python_options(std::string_view message);

}  // namespace octavo
