// Opening several specs as one source.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/text.hpp>

#include "arrays/image_axes.hpp"
#include "arrays/value_range.hpp"
#include "sources/choice/row_choice.hpp"
#include "sources/combine/chosen_source.hpp"
#include "sources/combine/consistency.hpp"
#include "sources/combine/converted_source.hpp"
#include "sources/combine/merged_source.hpp"
#include "sources/discovery.hpp"
#include "sources/lists/class_counts.hpp"
#include "sources/lists/class_names.hpp"
#include "sources/lists/decoding/image_list_source.hpp"
#include "sources/lists/folders/folder_listing.hpp"
#include "sources/lists/masks/mask_pattern.hpp"
#include "sources/lists/several_lists.hpp"
#include "sources/lists/table/common_columns.hpp"
#include "sources/lists/table/image_table.hpp"
#include "sources/lists/table/unlabeled_lists.hpp"
#include "sources/lists/web_dataset.hpp"
#include "sources/readers/array_labels.hpp"
#include "sources/readers/array_source.hpp"
#include "sources/source_reader.hpp"
#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo {
namespace {

using sources::SourceEntry;

constexpr std::int64_t kLargestSide = 16384;

/// SourceEntries by their file, and by their path in it if it is an archive.
using KnownFindings = std::map<std::pair<std::filesystem::path, std::string>, std::vector<SourceEntry>>;

std::pair<std::filesystem::path, std::string> place_of(const SourceEntry& entry) {
  std::error_code error;
  const auto file = std::filesystem::canonical(entry.tree->file_of(entry.path), error);
  return {error ? entry.tree->file_of(entry.path) : file, entry.tree->disk_path(entry.path) ? "" : entry.path};
}

/// Whether two entries with one place are the same samples. A file without the name of its split is all its splits.
bool are_same(const SourceEntry& a, const SourceEntry& b) {
  if (a.reader != b.reader || a.labels != b.labels || a.is_label_file_named || b.is_label_file_named) return false;
  const bool is_whole = a.reader->names == sources::PathNames::split && (a.images.empty() || b.images.empty());
  return a.images == b.images || is_whole;
}

/// Samples that are given twice would count twice, or be in two splits.
void refuse_known(const std::vector<SourceEntry>& entries, const KnownFindings& known) {
  for (const SourceEntry& entry : entries) {
    const auto there = known.find(place_of(entry));
    if (there == known.end()) continue;
    if (std::ranges::none_of(there->second, [&](const SourceEntry& other) { return are_same(entry, other); })) continue;
    throw DataError("open the sources: " + entry.name() + " is given twice; give each source once");
  }
}

std::vector<SourceEntry> discover_all(const std::vector<SourceSpec>& specs, const SourceOptions& options) {
  if (specs.empty()) throw InvalidArgument("open the sources: no source given; name a file or a folder");
  sources::Search search = {
      files::OpenArchives(options.largest_archive_ratio,
                          options.skip_unreadable ? files::OnDamage::stop_there : files::OnDamage::refuse),
      sources::named_columns(options), options.open_url};
  const sources::SourceReader* const wanted = sources::reader_named(options.format);
  std::vector<SourceEntry> all;
  KnownFindings known;
  for (const SourceSpec& spec : specs) {
    std::vector<SourceEntry> entries = sources::discover(spec, wanted, search);
    if (specs.size() > 1) {
      refuse_known(entries, known);
      for (const SourceEntry& entry : entries) known[place_of(entry)].push_back(entry);
    }
    std::ranges::move(entries, std::back_inserter(all));
  }
  return all;
}

/// In a WebDataset shard, each sample comes with its label. Part of any other archive could have different classes, or
/// lack the list of labels or a split.
void refuse_damaged(const files::FileTree& tree) {
  for (const files::DamagedArchive& archive : tree.damaged()) {
    if (sources::is_web_dataset(tree)) return;
    throw FormatError("read the archive " + quoted(archive.path) + ": " + archive.problem +
                      "; only WebDataset shards can be read partially");
  }
}

void apply(const SourceOptions& options, arrays::ArraySet& set) {
  if (!options.class_names.empty()) {
    if (set.class_count != 0 && std::ssize(options.class_names) != set.class_count) {
      throw FormatError("read " + set.images->name() + ": got " + std::to_string(options.class_names.size()) +
                        " class names; expected " + std::to_string(set.class_count));
    }
    set.class_names = options.class_names;
  }
  using arrays::AxisOrder;
  const bool is_reversed = set.has_reversed_axes;
  if (options.layout == ArrayLayout::hw) set.order = is_reversed ? AxisOrder::wh : AxisOrder::hw;
  if (options.layout == ArrayLayout::hwc) set.order = is_reversed ? AxisOrder::cwh : AxisOrder::hwc;
  if (options.layout == ArrayLayout::chw) set.order = is_reversed ? AxisOrder::whc : AxisOrder::chw;
}

/// The given names must be those of classes, one for each.
void check_class_names(const std::string& name, const LabelLayout& labels, const SourceOptions& options) {
  if (options.class_names.empty()) return;
  const auto refuse = [&](const std::string& why) { throw FormatError("read " + name + ": " + why); };
  if (labels.kind == LabelKind::target) refuse("the labels are targets, which have no classes; omit `classes`");
  if (labels.kind != LabelKind::multi_label || labels.width == std::ssize(options.class_names)) return;
  refuse("a label has " + counted(labels.width, "number") + ", but `classes` has " +
         counted(std::ssize(options.class_names), "name") + "; name each class once");
}

/// Labels in a file of their own: the one that the user names, or if there are none with the images, one by its name.
void use_label_file(const SourceEntry& entry, arrays::ArraySet& set) {
  if (!entry.label_file) return;
  const bool has_labels = set.labels || set.label_texts;
  if (has_labels && !entry.is_label_file_named) return;
  SourceEntry file = *entry.label_file;
  set.labels.reset();
  set.label_texts.reset();
  const std::string problem = sources::use_labels_in(*file.reader->open_container(file), file.labels, set);
  if (problem.empty()) return;
  if (entry.is_label_file_named) {
    throw DataError("read the labels " + file.name() + ": " + problem +
                    "; name the array: FILE::IMAGES::LABEL_FILE::LABELS");
  }
  if (set.label_problem.empty()) set.label_problem = problem;
}

/// Sources in their order. Those of image lists are opened last, when all lists can be measured together.
struct Parts {
  std::vector<std::unique_ptr<Source>> opened;  ///< null: an image list
  std::vector<sources::ImageList> lists;        ///< for each null, in their order

  void add(std::unique_ptr<Source> source) { opened.push_back(std::move(source)); }
  void add(sources::ImageList list) {
    opened.push_back(nullptr);
    lists.push_back(std::move(list));
  }
};

/// Numbers that are not bytes are quantized the same way in all splits.
void open_array_sources(std::vector<arrays::ArraySet> sets, const SourceOptions& options, Parts& parts) {
  // Axes first: a wrong order of axes explains a wrong number of labels.
  for (const arrays::ArraySet& set : sets) arrays::image_axes(*set.images, set.order);
  auto labels = sources::read_labels_of(sets, options);
  for (std::size_t i = 0; i < sets.size(); ++i) check_class_names(sets[i].images->name(), labels[i].layout, options);
  std::map<std::pair<arrays::Element, std::int64_t>, std::vector<const arrays::ArraySet*>> same_kind;
  const auto kind_of = [](const arrays::ArraySet& set) {
    return std::pair(set.images->element(), arrays::image_axes(*set.images, set.order).shape.channels);
  };
  for (const arrays::ArraySet& set : sets) {
    if (!arrays::holds_bytes(*set.images)) same_kind[kind_of(set)].push_back(&set);
  }
  std::map<std::pair<arrays::Element, std::int64_t>, std::vector<ChannelQuantization>> found;
  for (const auto& [kind, group] : same_kind) {
    found[kind] = arrays::find_quantization(arrays::numbers_of(group, options.thread_count), options.range);
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    auto quantization = found[kind_of(sets[i])];
    auto source =
        std::make_unique<sources::ArraySource>(std::move(sets[i]), std::move(labels[i]), std::move(quantization));
    parts.add(sources::converted(std::move(source), options));
  }
}

/// All folders form one list, so that their classes and channels are determined together; so do all shards.
void list_images(const std::vector<sources::ImageRoot>& roots, const SourceOptions& options, Parts& parts) {
  std::vector<sources::ImageRoot> folders, shards;
  for (const sources::ImageRoot& root : roots) {
    (sources::is_web_dataset(*root.tree) ? shards : folders).push_back(root);
  }
  if (!folders.empty()) parts.add(sources::list_image_folders(folders, options));
  if (!shards.empty()) parts.add(sources::list_web_dataset(shards, options));
}

/// Adds the remarks on the classes of all lists to the first.
void remark_on_classes(Parts& parts, const SourceOptions& options) {
  std::vector<std::string>& remarks = parts.lists[0].remarks;
  const auto case_remark = options.class_map.empty() ? sources::remark_on_case(parts.lists) : std::nullopt;
  if (case_remark) remarks.push_back(*case_remark);
  const bool are_all_lists = parts.lists.size() == parts.opened.size();
  const auto first_remark =
      are_all_lists ? sources::remark_on_first_class(parts.lists, options.label_kind) : std::nullopt;
  if (first_remark) remarks.push_back(*first_remark);
  const auto count_remark = sources::remark_on_class_counts(parts.lists, options);
  if (count_remark) remarks.push_back(*count_remark);
}

/// Opens the image lists: images of more than 8 bits are quantized the same way in all splits.
std::vector<std::unique_ptr<Source>> open_lists(Parts parts, const SourceOptions& options) {
  if (parts.lists.empty()) return std::move(parts.opened);
  sources::unite_classes(parts.lists, options.class_order);
  sources::check_class_counts(parts.lists, options);
  remark_on_classes(parts, options);
  sources::leave_out_uncommon_columns(parts.lists, parts.opened);
  const auto conversions = sources::find_conversions(parts.lists, options);
  sources::ListedFileNumbers numbers;
  std::size_t next = 0;
  for (std::unique_ptr<Source>& source : parts.opened) {
    if (source != nullptr) continue;
    source =
        std::make_unique<sources::ImageListSource>(std::move(parts.lists[next]), conversions[next], options, numbers);
    ++next;
  }
  return std::move(parts.opened);
}

/// Finds the masks of listed images by the pattern of the options.
void pair_with_masks(sources::ImageList& contents, const SourceOptions& options) {
  if (options.mask_pattern.empty() || !options.with_masks) return;
  const sources::MaskPattern pattern(options.mask_pattern);
  for (sources::SplitImages& list : contents.splits) {
    if (!list.masks.empty()) {
      throw DataError("pair images with masks: the list of " + list.name(0) +
                      " has a column of masks; omit the pattern of `masks`");
    }
    sources::pair_by_pattern(pattern, options.skip_unreadable, list, contents.left_out);
  }
}

bool has_masks(const sources::ImageList& contents) {
  return std::ranges::any_of(contents.splits, [](const sources::SplitImages& list) { return !list.masks.empty(); });
}

/// Options about masks must not be without effect.
void check_masks_of_options(const std::vector<sources::ImageList>& lists, const SourceOptions& options) {
  if ((options.mask_pattern.empty() && options.mask_colors.empty()) || std::ranges::any_of(lists, has_masks)) return;
  throw DataError(std::string("open the sources: found no images with masks for ") +
                  (options.mask_colors.empty() ? "`masks`" : "`mask_colors`") +
                  "; pack image files with masks, or omit it");
}

/// Some list must have the columns that choose samples. Otherwise, only kept columns could be reported.
void check_choice_columns(const std::vector<sources::ReadList>& lists, const SourceOptions& options) {
  std::vector<std::string> known;
  for (const sources::ReadList& list : lists) {
    known.insert(known.end(), list.contents.columns.begin(), list.contents.columns.end());
  }
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& column : sources::columns_for_choice(options)) {
    const auto is_it = [&](const std::string& name) { return lower_case(name) == lower_case(column); };
    if (std::ranges::any_of(known, is_it)) continue;
    throw DataError("choose samples by the column \"" + printable(column) + "\": no list has it; expected " +
                    printable(either_of(known)));
  }
}

/// Without an image list, its options have no meaning.
void refuse_options_of_lists(const SourceOptions& options, const std::vector<sources::ImageRoot>& roots) {
  const std::string given = !options.label_columns.empty()      ? "label_column"
                            : !options.path_column.empty()      ? "path_column"
                            : !options.image_root.empty()       ? "image_root"
                            : options.label_separator != "auto" ? "label_separator"
                            : options.columns.empty()           ? ""
                            : options.columns[0] == "none"      ? ""
                                                                : "columns";
  if (given.empty()) return;
  const auto root = std::ranges::find_if(roots, [](const auto& one) { return !one.list_problem.empty(); });
  if (root != roots.end()) throw DataError("open the sources: " + root->list_problem);
  throw DataError("open the sources: found no image list (CSV, TSV or JSON) for `" + given + "`; name the file");
}

/// Class folders and dataset files say what their labels are.
void refuse_label_kind(const SourceOptions& options, const std::vector<sources::ImageRoot>& roots) {
  if (!options.label_kind) return;
  if (std::ranges::any_of(roots, [](const auto& root) { return sources::is_web_dataset(*root.tree); })) return;
  throw DataError(
      "open the sources: `label_kind` reads the labels of image lists, arrays and WebDataset shards, and "
      "there are none; omit it");
}

/// What the readers open, by what becomes samples together.
class OpenedParts {
 public:
  explicit OpenedParts(const SourceOptions& options) : options_(options) {}

  void open(SourceEntry& entry, bool is_alone) {
    refuse_damaged(*entry.tree);
    sources::Opened opened = entry.reader->open(entry, {options_, is_alone});
    std::visit([&](auto& part) { add(entry, std::move(part)); }, opened);
  }

  /// Throws if an option has no effect on any of them.
  void check_options() const {
    const auto has_numbers = [](const arrays::ArraySet& set) { return !arrays::holds_bytes(*set.images); };
    const bool may_have_range = std::ranges::any_of(sets_, has_numbers) || !lists_.empty() || !roots_.empty();
    if (!may_have_range && options_.range.kind != ValueRange::Kind::automatic) {
      throw DataError(
          "open the sources: a range applies only to values that are not bytes, and there are none; omit `range`");
    }
    if (lists_.empty()) refuse_options_of_lists(options_, roots_);
    if (lists_.empty() && sets_.empty()) refuse_label_kind(options_, roots_);
  }

  /// All of them, in the order in which they are packed.
  Parts take() {
    take_lists();
    open_array_sources(std::move(sets_), options_, parts_);
    list_images(roots_, options_, parts_);
    return std::move(parts_);
  }

 private:
  void add(const SourceEntry&, std::unique_ptr<Source> source) {
    parts_.add(sources::converted(std::move(source), options_));
  }
  void add(const SourceEntry&, sources::ImageList list) { parts_.add(std::move(list)); }
  void add(const SourceEntry&, sources::ReadList list) { lists_.push_back(std::move(list)); }
  void add(const SourceEntry&, sources::ImageRoot root) { roots_.push_back(std::move(root)); }
  void add(const SourceEntry& entry, std::vector<arrays::ArraySet> sets) {
    for (arrays::ArraySet& set : sets) {
      use_label_file(entry, set);
      apply(options_, set);
      sets_.push_back(std::move(set));
    }
  }

  void take_lists() {
    std::vector<sources::OtherFolder> others;
    for (const sources::ImageRoot& root : roots_) others.push_back({root.tree, root.folder});
    for (auto& list : lists_) pair_with_masks(list.contents, options_);
    sources::check_lists(lists_, others);
    if (!lists_.empty() && parts_.opened.empty()) check_choice_columns(lists_, options_);
    for (auto& list : lists_) parts_.add(std::move(list.contents));
  }

  const SourceOptions& options_;
  Parts parts_;
  std::vector<arrays::ArraySet> sets_;
  std::vector<sources::ReadList> lists_;
  std::vector<sources::ImageRoot> roots_;
};

std::vector<std::unique_ptr<Source>> open_parts(std::vector<SourceEntry> entries, const SourceOptions& options) {
  sources::mark_unlabeled_lists(entries, sources::named_columns(options));
  OpenedParts opened(options);
  for (SourceEntry& entry : entries) opened.open(entry, entries.size() == 1);
  opened.check_options();
  Parts parts = opened.take();
  check_masks_of_options(parts.lists, options);
  return open_lists(std::move(parts), options);
}

/// What a user might not expect of the archives in which sources are.
std::vector<std::string> remarks_on_archives(const std::vector<SourceEntry>& entries) {
  std::set<const files::FileTree*> seen;
  std::vector<std::string> remarks;
  for (const SourceEntry& entry : entries) {
    for (const files::FileTree* tree : {entry.tree.get(), entry.archive.get()}) {
      if (tree == nullptr || !seen.insert(tree).second) continue;
      for (std::string& remark : tree->remarks()) remarks.push_back(std::move(remark));
    }
  }
  return remarks;
}

std::unique_ptr<Source> merged(std::vector<std::unique_ptr<Source>> parts, const SourceOptions& options,
                               std::vector<std::string> remarks) {
  if (parts.size() == 1 && options.class_map.empty() && remarks.empty()) return std::move(parts[0]);
  std::vector<std::shared_ptr<Source>> shared(std::make_move_iterator(parts.begin()),
                                              std::make_move_iterator(parts.end()));
  return std::make_unique<sources::MergedSource>(std::move(shared), options.class_map, std::move(remarks));
}

void check_options(const SourceOptions& options) {
  if (options.label_separator.empty()) {
    throw InvalidArgument("open the sources: `label_separator` is empty; expected a separator such as space, or none");
  }
  if (!options.with_masks && (!options.mask_pattern.empty() || !options.mask_colors.empty())) {
    throw InvalidArgument(std::string("open the sources: masks are off, so ") +
                          (options.mask_colors.empty() ? "the pattern of `masks`" : "`mask_colors`") +
                          " has no effect; omit it");
  }
  if (options.channels && *options.channels != 1 && *options.channels != 3) {
    throw InvalidArgument("open the sources: unsupported number of channels " + std::to_string(*options.channels) +
                          "; expected 1 or 3");
  }
  if (!options.size) return;
  const auto [height, width] = *options.size;
  if (height < 1 || width < 1 || height > kLargestSide || width > kLargestSide) {
    throw InvalidArgument("open the sources: invalid size " + std::to_string(height) + "x" + std::to_string(width) +
                          "; expected sides from 1 to " + std::to_string(kLargestSide));
  }
}

std::unique_ptr<Source> chosen(std::unique_ptr<Source> source, const SourceOptions& options) {
  if (!sources::chooses_rows(options)) return source;
  auto choice = sources::choose_rows(*source, options);
  return std::make_unique<sources::ChosenSource>(std::move(source), std::move(choice), options);
}

}  // namespace

std::unique_ptr<Source> open_source(const std::vector<SourceSpec>& specs, const SourceOptions& options) {
  check_options(options);
  std::vector<SourceEntry> entries = discover_all(specs, options);
  std::vector<std::string> remarks = remarks_on_archives(entries);
  auto source = merged(open_parts(std::move(entries), options), options, std::move(remarks));
  if (!options.allow_mismatch) sources::check_consistency(*source, options);
  return chosen(std::move(source), options);
}

std::unique_ptr<Source> choose_samples(Source& source, const SourceOptions& options) {
  // Owned by the caller; not deleted here.
  std::vector<std::shared_ptr<Source>> parts = {std::shared_ptr<Source>(std::shared_ptr<void>(), &source)};
  return chosen(std::make_unique<sources::MergedSource>(std::move(parts), options.class_map), options);
}

}  // namespace octavo
