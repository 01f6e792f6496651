#include "report/page/html.hpp"

#include <cstdint>

#include <octavo/text.hpp>

namespace octavo::report::page {
namespace {

std::string base64(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string data_uri(std::span<const std::byte> png) { return "data:image/png;base64," + base64(png); }

std::string section(const std::string& id, const std::string& title, const std::string& lead,
                    const std::string& content) {
  return "<section id=\"" + id + "\">\n<h2>" + title + "</h2>\n<p class=\"lead\">" + lead + "</p>\n" + content +
         "</section>\n";
}

std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& heading : headings) html += "<th scope=\"col\">" + heading + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    html += "<tr><th scope=\"row\">" + row.front() + "</th>";
    for (std::size_t i = 1; i < row.size(); ++i) html += "<td>" + row[i] + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace octavo::report::page
