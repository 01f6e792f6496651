// One column of the metadata of a split's samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <octavo/source.hpp>

namespace octavo::sources {

class SampleColumn {
 public:
  /// The column with exactly this name or, if there is none, in any case. Borrows `source`. Throws InvalidArgument if
  /// the split has no such column; the message begins with `doing`.
  SampleColumn(const Source& source, std::size_t split, std::string_view name, const std::string& doing);

  /// The value of a sample, as value_text() of format/index/columns.hpp.
  std::optional<std::string> text(std::int64_t row) const;

 private:
  const Source& source_;
  std::size_t split_;
  std::size_t number_;
};

/// Whether the split has a column of that name in any case.
bool has_column(const Source& source, std::size_t split, std::string_view name);

}  // namespace octavo::sources
