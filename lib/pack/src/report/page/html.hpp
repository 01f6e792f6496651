// Small pieces of HTML. All text from outside goes through escaped().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::report::page {

/// The text with control characters replaced and the characters that HTML gives a meaning escaped. Bytes that are not
/// UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

/// "data:image/png;base64,...".
std::string data_uri(std::span<const std::byte> png);

/// A section with an anchor, a heading and a sentence under it. `lead` and `content` are HTML.
std::string section(const std::string& id, const std::string& title, const std::string& lead,
                    const std::string& content);

/// A table with a row of headings. Cells are HTML; the first column is text, the others are numbers.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows);

}  // namespace octavo::report::page
