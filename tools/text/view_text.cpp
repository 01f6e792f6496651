#include "text/view_text.hpp"

#include <iostream>
#include <octavo/augment.hpp>
#include <octavo/batch_maker.hpp>
#include <vector>

#include "text/drawn_text.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "text/sample_list.hpp"

namespace octavo::tools {
namespace {

/// What the shown samples of a batch drew.
std::vector<DrawnSample> drawn_samples(const Split& split, const ContactSheetOptions& options) {
  const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
  std::vector<DrawnSample> drawn = BatchMaker(store, options.loader).drawn(options.epoch, *options.batch);
  if (std::ssize(drawn) > options.count) drawn.resize(static_cast<std::size_t>(options.count));
  return drawn;
}

/// What a sheet leaves out of samples that are neither gray nor RGB.
std::string channel_text(const Split& split) {
  const std::int64_t channels = split.shape().channels;
  return channels == 1 || channels == 3 ? "" : ", the first of " + counted(channels, "channel");
}

/// "masks: 0 road 61.2 %, 1 car 38.0 %, 255 ignored 0.8 % of the pixels", or nothing.
void print_legend(const std::vector<MaskShare>& legend) {
  if (legend.empty()) return;
  std::string text;
  const std::vector<MaskShare> listed = listed_shares(legend);
  for (const MaskShare& share : listed) {
    text += (text.empty() ? "" : ", ") + to_text(share) + " " + percent_text(share.share);
  }
  const auto more = std::ssize(legend) - std::ssize(listed);
  if (more > 0) text += ", and " + format_count(more) + " more";
  std::cout << "  masks: " << text << (more > 0 ? "; shares of the pixels\n" : " of the pixels\n");
}

Json legend_as_json(const std::vector<MaskShare>& legend) {
  Json shares = Json::array();
  for (const MaskShare& share : legend) {
    shares.push_back({{"value", share.value}, {"share", share.share}});
    if (!share.name.empty()) shares.back()["name"] = share.name;
    if (share.value != 0 && share.value != kIgnoredMaskValue)
      shares.back()["color"] = to_string(mask_color(share.value));
  }
  return shares;
}

void print_batch(const WrittenSheet& sheet) {
  const ContactSheetOptions& options = sheet.options;
  const std::string augmentation = augment::describe(options.loader.spec.augment);
  std::vector<DrawnSample> drawn;
  if (sheet.with_list) drawn = drawn_samples(sheet.split, options);
  if (sheet.as_json) {
    Json document = {{"file", sheet.file},
                     {"split", options.split},
                     {"batch", *options.batch},
                     {"epoch", options.epoch},
                     {"batch_size", options.loader.batch_size},
                     {"augment", augmentation}};
    if (!sheet.legend.empty()) document["masks"] = legend_as_json(sheet.legend);
    if (sheet.with_list) document["samples"] = as_json(drawn, sheet.split);
    print_json(document);
    return;
  }
  std::cout << sheet.file << ": batch " << *options.batch << " of epoch " << options.epoch << ", split "
            << options.split << channel_text(sheet.split) << '\n';
  if (!options.loader.spec.augment.empty()) std::cout << "  " << augmentation << '\n';
  print_legend(sheet.legend);
  if (sheet.with_list) print_drawn(drawn, sheet.split);
}

void print_stored(const WrittenSheet& sheet) {
  const std::vector<std::int64_t> indices = shown_indices(sheet.split, sheet.options);
  if (sheet.as_json) {
    Json document = {{"file", sheet.file},
                     {"split", sheet.options.split},
                     {"first", indices.front()},
                     {"sample_count", indices.size()}};
    if (!sheet.legend.empty()) document["masks"] = legend_as_json(sheet.legend);
    if (sheet.with_list) document["samples"] = as_json(indices, sheet.split);
    print_json(document);
    return;
  }
  std::cout << sheet.file << ": " << counted(std::ssize(indices), "sample") << " of split " << sheet.options.split;
  if (sheet.options.indices.empty()) std::cout << ", starting at index " << indices.front();
  std::cout << channel_text(sheet.split) << '\n';
  print_legend(sheet.legend);
  if (sheet.with_list) print_samples(indices, sheet.split);
}

}  // namespace

void print_sheet(const WrittenSheet& sheet) {
  if (sheet.options.batch) {
    print_batch(sheet);
  } else {
    print_stored(sheet);
  }
}

}  // namespace octavo::tools
