#include "sources/lists/several_lists.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/table/list_discovery.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

/// Identifies an image, whichever tree it is read from. Two images get one hash with a probability below 2^-80 for a
/// billion images.
using ImageHash = std::pair<std::uint64_t, std::uint64_t>;

/// Where the paths of a tree start: an absolute path, different for an archive and a folder of its name.
std::string base_of(const files::FileTree& tree) {
  const auto folder = tree.disk_path("");
  std::string base = fs::absolute(folder.value_or(tree.root())).lexically_normal().string();
  if (base.ends_with('/')) base.pop_back();
  return folder ? base : base + ":";
}

ImageHash hash_of(const std::string& base, std::string_view path) {
  std::string whole = base + "/";
  whole += path;
  const XXH128_hash_t hash = XXH3_128bits(whole.data(), whole.size());
  return {hash.high64, hash.low64};
}

/// The start of the paths of all files in a folder: "base/", "base/folder/".
std::string place_of(const std::string& base, const std::string& folder) {
  return base + "/" + folder + (folder.empty() ? "" : "/");
}

std::string quoted_path(std::string_view path) { return "\"" + printable(path) + "\""; }

/// One line of a list.
struct Listed {
  ImageHash image;
  std::uint32_t list = 0;
  std::uint32_t split = 0;  ///< in the list
  std::uint64_t at = 0;     ///< in the split

  auto operator<=>(const Listed&) const = default;
};

/// Two names that differ only in numbers: "train_1.csv" and "train_2.csv".
bool are_numbered(const std::string& a, const std::string& b) {
  const auto without_digits = [](const std::string& name) {
    std::string text;
    for (const char c : name) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit) text += c;
      if (is_digit && !text.ends_with('0')) text += '0';
    }
    return text;
  };
  return a != b && without_digits(a) == without_digits(b);
}

class ListCheck {
 public:
  explicit ListCheck(std::vector<ReadList>& lists) : lists_(lists) {
    for (std::uint32_t list = 0; list < lists_.size(); ++list) {
      const auto& image_root = lists_[list].contents.image_root;
      bases_.push_back(base_of(image_root ? *image_root : *lists_[list].tree));
      add(list);
    }
    std::ranges::sort(listed_);
    std::ranges::sort(other_files_);
  }

  void run(const std::vector<OtherFolder>& others) {
    check_named();
    check_lines();
    check_splits();
    remark_on_lines();
    remark_on_unlisted(others);
  }

 private:
  /// How often something was found, and the first example.
  struct Found {
    std::int64_t count = 0;
    std::optional<Listed> first = {};

    void add(const Listed& line) {
      ++count;
      if (!first || std::tie(line.list, line.split, line.at) < std::tie(first->list, first->split, first->at)) {
        first = line;
      }
    }
  };

  void add(std::uint32_t list) {
    const auto& splits = lists_[list].contents.splits;
    for (std::uint32_t split = 0; split < splits.size(); ++split) {
      lists_of_split_[splits[split].split].insert(list);
      for (std::uint64_t at = 0; at < splits[split].paths.size(); ++at) {
        listed_.push_back({hash_of(bases_[list], splits[split].paths[at]), list, split, at});
      }
      for (const std::string& mask : splits[split].masks) other_files_.push_back(hash_of(bases_[list], mask));
    }
    for (const std::string& file : lists_[list].contents.left_out_files) {
      other_files_.push_back(hash_of(bases_[list], file));
    }
  }

  const SplitImages& split_of(const Listed& line) const { return lists_[line.list].contents.splits[line.split]; }
  const std::string& path_of(const Listed& line) const { return split_of(line).paths[line.at]; }
  /// The file that the user can name: the list or, if it is in an archive, the archive.
  std::string file_of(std::uint32_t list) const { return lists_[list].tree->file_of(lists_[list].path).string(); }
  std::string name_of(std::uint32_t list) const { return fs::path(lists_[list].path).filename().string(); }

  bool is_guessed(std::uint32_t list) const { return lists_[list].is_named && !lists_[list].is_split_named; }

  /// Whether a list is one of train by its name.
  bool is_of_train(std::uint32_t list) const {
    return lists_[list].is_split_named || split_of_list_name(name_of(list)) == "train";
  }

  /// A pattern such as *.csv also names lists that are no training data.
  void check_named() const {
    if (lists_.size() < 2) return;
    const auto train = lists_of_split_.find("train");
    for (std::uint32_t list = 0; list < lists_.size(); ++list) {
      if (!is_guessed(list)) continue;
      if (is_sample_submission(name_of(list))) {
        refuse_guess(list, "by its name it is a sample submission, whose labels are placeholders; omit it, or name ",
                     "test");
      }
      const bool joins = train != lists_of_split_.end() && train->second.contains(list) &&
                         lists_[list].contents.splits.size() == 1 && !split_of_list_name(name_of(list));
      if (!joins) continue;
      const auto real = std::ranges::find_if(train->second, [&](std::uint32_t other) { return is_of_train(other); });
      if (real == train->second.end()) continue;
      refuse_guess(list,
                   "its name states no split, and " + printable(name_of(*real)) + " has the images of train; name ",
                   "train");
    }
  }

  [[noreturn]] void refuse_guess(std::uint32_t list, const std::string& problem, const std::string& split) const {
    throw DataError("read the list " + lists_[list].tree->name_of(lists_[list].path) + ": " + problem +
                    "its split, such as " + split + "=" + printable(file_of(list)));
  }

  /// Compares the lines that name one image, which are adjacent.
  void check_lines() {
    for (auto begin = listed_.begin(); begin != listed_.end();) {
      const auto end =
          std::find_if(begin, listed_.end(), [&](const Listed& line) { return line.image != begin->image; });
      std::map<std::string_view, std::uint32_t> first_list_of;  // by split
      std::map<std::pair<std::uint32_t, std::string_view>, std::int64_t> lines_in;
      for (auto line = begin; line != end; ++line) {
        const std::string_view split = split_of(*line).split;
        if (++lines_in[{line->list, split}] > 1) repeated_[line->list].add(*line);
        const std::uint32_t first_list = first_list_of.try_emplace(split, line->list).first->second;
        if (first_list == line->list) continue;
        shared_.add(*line);
        if (shared_.first == *line) shared_with_ = first_list;
      }
      if (first_list_of.size() > 1) in_several_splits_.add(*begin);
      begin = end;
    }
  }

  /// Whether two lists may hold samples of one split.
  bool may_join(std::uint32_t a, std::uint32_t b) const {
    if (lists_[a].is_named && lists_[b].is_named) return true;
    const auto folder_of = [&](std::uint32_t list) {
      return bases_[list] + "/" + fs::path(lists_[list].path).parent_path().string();
    };
    return folder_of(a) != folder_of(b) || are_numbered(name_of(a), name_of(b));
  }

  void check_splits() const {
    if (shared_.count > 0) {
      const std::string& split = split_of(*shared_.first).split;
      refuse(shared_with_, shared_.first->list, split,
             "name " + counted(shared_.count, "image") + " of split \"" + split + "\" in common, such as " +
                 quoted_path(path_of(*shared_.first)));
    }
    for (const auto& [split, lists] : lists_of_split_) {
      for (auto next = lists.begin(); next != lists.end(); ++next) {
        if (next == lists.begin() || may_join(*lists.begin(), *next)) continue;
        refuse(*lists.begin(), *next, split, "hold samples of split \"" + split + "\"");
      }
    }
  }

  [[noreturn]] void refuse(std::uint32_t a, std::uint32_t b, const std::string& split,
                           const std::string& problem) const {
    const auto& tree_a = *lists_[a].tree;
    const auto& tree_b = *lists_[b].tree;
    throw DataError("read the lists " + tree_a.name_of(lists_[a].path) + " and " + tree_b.name_of(lists_[b].path) +
                    ": both " + problem + "; " + (tree_a.disk_path(lists_[a].path) ? "" : "unpack the archive, and ") +
                    "name the one to pack: " + split + "=" +
                    printable(tree_a.disk_path(lists_[a].path) ? file_of(a) : lists_[a].path));
  }

  void remark_on_lines() {
    for (const auto& [list, found] : repeated_) {
      lists_[list].contents.remarks.push_back(counted(found.count, "line") + " of " + printable(name_of(list)) +
                                              (found.count == 1 ? " repeats" : " repeat") +
                                              " an image of an earlier line; each line became a sample, such as " +
                                              quoted_path(path_of(*found.first)));
    }
    if (in_several_splits_.count == 0) return;
    const Listed& first = *in_several_splits_.first;
    lists_[first.list].contents.remarks.push_back(
        counted(in_several_splits_.count, "image") + (in_several_splits_.count == 1 ? " is" : " are") +
        " in more than one split, such as " + quoted_path(path_of(first)) + "; a test on training data says little");
  }

  bool is_listed(const ImageHash& image) const {
    const auto found = std::ranges::lower_bound(listed_, image, {}, &Listed::image);
    return (found != listed_.end() && found->image == image) || std::ranges::binary_search(other_files_, image);
  }

  void remark_on_unlisted(const std::vector<OtherFolder>& others) {
    std::set<std::string> read;
    for (const OtherFolder& other : others) read.insert(place_of(base_of(*other.tree), other.path));
    std::set<std::string> covered;
    for (std::uint32_t list = 0; list < lists_.size(); ++list) {
      // The folder of images that the user names may hold anything else.
      if (lists_[list].contents.image_root) continue;
      const std::string folder = fs::path(lists_[list].path).parent_path().string();
      const std::string place = place_of(bases_[list], folder);
      const bool is_known =
          std::ranges::any_of(covered, [&](const std::string& other) { return place.starts_with(other); });
      if (is_known) continue;
      covered.insert(place);
      count_unlisted(list, folder, read);
    }
  }

  void count_unlisted(std::uint32_t list, const std::string& folder, const std::set<std::string>& read) {
    std::int64_t count = 0;
    std::string first;
    for (const std::string& file : lists_[list].tree->files_below(folder)) {
      if (!images::has_image_name(file)) continue;
      const std::string path = files::join_path(folder, file);
      if (is_listed(hash_of(bases_[list], path))) continue;
      const std::string whole = bases_[list] + "/" + path;
      if (std::ranges::any_of(read, [&](const std::string& other) { return whole.starts_with(other); })) continue;
      if (count++ == 0) first = file;
    }
    if (count == 0) return;
    lists_[list].contents.remarks.push_back(counted(count, "image") + " next to the listed ones " +
                                            (count == 1 ? "is" : "are") + " not in any list, such as " +
                                            quoted_path(first) + "; `format=folder` reads folders, not lists");
  }

  std::vector<ReadList>& lists_;
  std::vector<std::string> bases_;      ///< of the tree of the images of each list
  std::vector<Listed> listed_;          ///< by image
  std::vector<ImageHash> other_files_;  ///< that lists name: masks, and files of lines left out; in ascending order
  std::map<std::string, std::set<std::uint32_t>> lists_of_split_;
  std::map<std::uint32_t, Found> repeated_;  ///< by list
  Found in_several_splits_;
  Found shared_;                   ///< images that two lists name for one split
  std::uint32_t shared_with_ = 0;  ///< the other list of shared_.first
};

}  // namespace

void check_lists(std::vector<ReadList>& lists, const std::vector<OtherFolder>& others) { ListCheck(lists).run(others); }

}  // namespace octavo::sources
