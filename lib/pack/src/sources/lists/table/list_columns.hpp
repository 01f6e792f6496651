// The roles of the columns of an image list: path, split, mask, label, and those that are kept as metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/table/listed_file.hpp"
#include "sources/lists/table/table_rows.hpp"

namespace octavo::sources {

/// The column that holds the paths.
struct PathColumn {
  std::ptrdiff_t index = -1;  ///< -1: there is none
  bool names_files = false;   ///< files of some of the first rows exist
  bool is_guess = false;      ///< its files decided, not its name
};

/// The column that names masks.
struct MaskColumn {
  std::ptrdiff_t index = -1;  ///< -1: there is none
  bool is_guess = false;      ///< its files decided, not its name
};

/// The columns that the options name; empty: found by their names and contents.
struct NamedColumns {
  std::string path = {};
  std::vector<std::string> labels = {};
};
NamedColumns named_columns(const SourceOptions& options);

/// The column that `named` names or, if it names none, the column with one of the names of path columns whose files
/// exist in most of the first rows; of equals, the first by name. If their files do not exist, the first column without
/// the name of a label column whose files do. If no column has files in the usual folders, `files` searches everywhere
/// from then on. Throws FormatError, with the reason only, if the name of a column is that of an image, or there is no
/// column with the given name.
PathColumn find_path_column(const Table& table, ListedFiles& files, const NamedColumns& named);

/// Why there is no path column: the names that are expected, the columns, and the folder, for messages.
std::string no_path_column(const Table& table, const ListedFiles& files);

/// Whether a column has the name of a path column. Such a column never holds labels.
bool is_path_column(const std::string& name);

class ListColumns {
 public:
  /// Finds the columns by their names and the options. Throws FormatError, with the reason only, if a column of the
  /// options is missing, repeated or appears only in later JSON lines. Without `has_labels`, no column holds labels.
  /// `table` must outlive this; `path` must be a column of it. The column of masks holds no labels, and has a role only
  /// with options.with_masks.
  ListColumns(const Table& table, const SourceOptions& options, const PathColumn& path, const MaskColumn& masks,
              bool has_labels);

  // The index of each column, or -1.
  std::ptrdiff_t path = -1, split = -1, mask = -1;
  std::vector<std::size_t> labels;  ///< those that the options name, or one with a usual name

  const std::vector<std::size_t>& kept() const { return kept_; }
  /// Those of kept() that options.columns does not name: columns_for_choice() does.
  const std::vector<std::size_t>& kept_for_choice() const { return kept_for_choice_; }
  /// For each column, whether it has a role.
  const std::vector<bool>& has_role() const { return has_role_; }
  /// The names of the columns without a role that are not among `label_columns` and do not number the rows.
  std::vector<std::string> left_out(const std::vector<std::size_t>& label_columns) const;
  /// Keeps all columns that left_out() names, if options.columns is "all", or empty and they are within
  /// kMostAutomaticColumns, kMostAutomaticCells and kMostAutomaticBytes.
  void keep_left_out(const std::vector<std::size_t>& label_columns);
  /// The columns that were kept without being asked for.
  const std::vector<std::size_t>& kept_automatically() const { return kept_automatically_; }

 private:
  void use(std::ptrdiff_t column);
  /// `name` is how the options name it.
  void keep(std::ptrdiff_t column, const std::string& name);
  /// Keeps a column of columns_for_choice() if the list has it.
  void keep_for_choice(const std::string& name);
  void refuse_late_columns(bool has_labels) const;
  std::vector<std::size_t> left_out_columns(const std::vector<std::size_t>& label_columns) const;

  const Table& table_;
  const bool keeps_all_, is_automatic_;
  std::vector<std::size_t> kept_, kept_for_choice_, kept_automatically_;
  std::vector<bool> is_kept_, has_role_;
};

/// Columns that are not named are kept only if they are at most this many, since the file looks up each by name in a
/// list of all, and have at most this many cells, with this many bytes of text.
inline constexpr std::size_t kMostAutomaticColumns = std::size_t{1} << 14;
inline constexpr std::size_t kMostAutomaticCells = std::size_t{8} << 20;
inline constexpr std::int64_t kMostAutomaticBytes = std::int64_t{64} << 20;

/// What the columns of a list without named label columns say of its labels.
enum class LabelEvidence {
  column,   ///< a column has a usual name for labels or masks
  numbers,  ///< all other columns are numbers, which may be labels
  paths,    ///< there are no other columns
  none,     ///< some other column is text, or missing cells leave open what it is
};
LabelEvidence label_evidence(const Table& table, std::ptrdiff_t path_column, const MaskColumn& masks);

}  // namespace octavo::sources
