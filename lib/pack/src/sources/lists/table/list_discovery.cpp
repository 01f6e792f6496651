#include "sources/lists/table/list_discovery.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/lists/folders/class_folders.hpp"
#include "sources/lists/table/image_table.hpp"
#include "sources/readers/files_by_name.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostRemarks = 8;

/// A name such as "template.csv": its labels are not those of the images.
bool is_named_as_template(const std::string& name) {
  constexpr std::array<std::string_view, 3> kWords = {"sample", "example", "template"};
  const std::string lower = lower_case(name);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// How to pack a list that is left out: "; ..."; empty if that is not advisable, or it is in an archive.
std::string way_to_pack(const files::FileTree& tree, const std::string& path, const std::string& name) {
  const auto file = tree.disk_path(path);
  if (!file || is_named_as_template(name)) return "";
  return "; to pack it, name it: train=" + printable(file->string());
}

bool has_remedy(const std::string& reason) { return reason.find("; ") != std::string::npos; }

bool states_split(const std::string& name) { return split_of_list_name(name).has_value(); }

/// The split of the images of a list, unless a column states others.
std::string split_of(const std::string& name) { return split_of_list_name(name).value_or("train"); }

/// The tables of a folder, as one decision.
class TableChoice {
 public:
  TableChoice(const files::FileTree& tree, const std::string& folder, const NamedColumns& named)
      : tree_(tree), folder_(folder), named_(named) {}

  FolderLists made() {
    for (const std::string& name : files_named(tree_, folder_, &is_image_table_name)) judge(name);
    remark_on_unread_count();
    take_labeled();
    keep_lists_of_splits();
    add_unlabeled();
    if (!problems_.empty()) lists_.problem = problems_.begin()->second;
    std::ranges::stable_sort(names_, {}, [](const std::string& name) { return split_rank(split_of(name)); });
    for (const std::string& name : names_) lists_.lists.push_back({path_of(name), !without_labels_.contains(name)});
    return std::move(lists_);
  }

 private:
  using Kind = TableVerdict::Kind;
  /// Which tables probably hold the labels, most likely first.
  enum ProblemRank { kUnlabeled, kOther, kUnlikely, kSubmission };

  /// A table that names images.
  struct Candidate {
    std::string name;
    TableVerdict verdict;
  };

  std::string path_of(const std::string& name) const { return files::join_path(folder_, name); }

  void judge(const std::string& name) {
    if (is_sample_submission(name)) {
      leave_out_submission(name);
      return;
    }
    TableVerdict verdict = judge_table(tree_, path_of(name), named_, images_);
    switch (verdict.kind) {
      case Kind::labeled:
      case Kind::numbers:
      case Kind::paths:
      case Kind::unlabeled:
        candidates_.push_back({name, std::move(verdict)});
        return;
      case Kind::damaged:
        refuse(name, verdict.reason, "correct it");
      case Kind::other:
        add_problem(kOther, leave_out(name, verdict.reason));
        return;
      case Kind::empty:
      case Kind::not_table:
        leave_out(name, verdict.reason);
        return;
    }
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& reason, const std::string& remedy) const {
    const std::string way_out = way_out_of_list(tree_, folder_);
    throw FormatError("read the list " + tree_.name_of(path_of(name)) + ": " + reason +
                      (remedy.empty() ? "" : "; " + remedy) +
                      (way_out.empty() ? ", or pack the images without it with `format=folder`" : way_out));
  }

  /// The problem, with a remedy.
  std::string leave_out(const std::string& name, const std::string& reason) {
    const std::string text = printable(path_of(name)) + " is not used as a list of images: " + reason;
    if (++unread_count_ <= kMostRemarks) lists_.remarks.push_back(text);
    return text + (has_remedy(reason) ? "" : "; correct it");
  }

  void add_problem(ProblemRank rank, const std::string& problem) { problems_.try_emplace(rank, problem); }

  void leave_out_submission(const std::string& name) {
    const std::string text = printable(path_of(name)) +
                             " is not packed: by its name it is a sample submission, whose labels are placeholders";
    lists_.remarks.push_back(text);
    add_problem(kSubmission, text + "; name the list that has the labels");
  }

  void remark_on_unread_count() {
    const std::int64_t more = unread_count_ - kMostRemarks;
    if (more <= 0) return;
    lists_.remarks.push_back(counted(more, "more file") + " with the extension of a list " +
                             (more == 1 ? "is" : "are") + " not used either");
  }

  /// Chooses the lists with labels. Numbers may be labels, and paths alone are images, if nothing else is there.
  void take_labeled() {
    for (const Kind kind : {Kind::labeled, Kind::numbers, Kind::paths}) {
      if (!has_candidate(kind) || may_hide_labels(kind)) continue;
      std::erase_if(candidates_, [&](const Candidate& one) {
        if (one.verdict.kind == kind) names_.push_back(one.name);
        return one.verdict.kind == kind;
      });
      return;
    }
  }

  bool has_candidate(Kind kind) const {
    return std::ranges::any_of(candidates_, [&](const Candidate& one) { return one.verdict.kind == kind; });
  }

  bool has_list_of_train(Kind kind) const {
    return std::ranges::any_of(candidates_, [&](const Candidate& one) {
      return one.verdict.kind == kind && split_of_list_name(one.name) == "train";
    });
  }

  /// Whether a list whose labels are not recognized is more likely to have them than all lists of this kind.
  bool may_hide_labels(Kind kind) const {
    if (kind == Kind::paths) return has_candidate(Kind::unlabeled);
    return kind == Kind::numbers && has_list_of_train(Kind::unlabeled) && !has_list_of_train(kind);
  }

  /// Leaves out lists whose names state no split, if those of others do.
  void keep_lists_of_splits() {
    const auto first = std::ranges::find_if(names_, &states_split);
    if (first == names_.end()) return;
    const std::string example = *first;
    for (const std::string& name : names_) {
      if (states_split(name)) continue;
      if (const auto damage = damage_of_table(tree_, path_of(name))) refuse(name, *damage, "correct it");
      lists_.remarks.push_back(printable(name) + " is not packed: its name states no split, but that of " +
                               printable(example) + " does" + way_to_pack(tree_, path_of(name), name));
    }
    std::erase_if(names_, std::not_fn(&states_split));
  }

  /// The other lists are read without labels if they have a split of their own.
  void add_unlabeled() {
    const std::vector<std::string> labeled = names_;
    for (const Candidate& one : candidates_) {
      const auto has_its_split = [&](const std::string& name) { return split_of(name) == split_of(one.name); };
      if (labeled.empty() || !states_split(one.name) || std::ranges::any_of(labeled, has_its_split)) {
        const std::string problem = leave_out(one.name, one.verdict.reason);
        add_problem(one.verdict.kind == Kind::unlabeled ? kUnlabeled : kUnlikely, problem);
        continue;
      }
      if (split_of(one.name) == "train") {
        refuse(one.name, one.verdict.reason, has_remedy(one.verdict.reason) ? "" : "name them with `label_column`");
      }
      lists_.remarks.push_back(printable(one.name) + " is packed without labels: " + one.verdict.reason);
      names_.push_back(one.name);
      without_labels_.insert(one.name);
    }
  }

  const files::FileTree& tree_;
  const std::string& folder_;
  const NamedColumns& named_;
  const std::shared_ptr<FolderImages> images_ = std::make_shared<FolderImages>();
  FolderLists lists_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> names_;  ///< of the lists to read
  std::set<std::string> without_labels_;
  std::int64_t unread_count_ = 0;
  std::map<ProblemRank, std::string> problems_;  ///< the first of each kind
};

}  // namespace

bool is_sample_submission(const std::string& name) { return lower_case(name).find("submission") != std::string::npos; }

FolderLists find_lists(const files::FileTree& tree, const std::string& folder, const NamedColumns& named) {
  return TableChoice(tree, folder, named).made();
}

}  // namespace octavo::sources
