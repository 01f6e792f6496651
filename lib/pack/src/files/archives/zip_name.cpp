#include "files/archives/zip_name.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace octavo::files {
namespace {

// "APPNOTE.TXT", PKWARE, 4.3.7, a local file header: the signature at 0, flags at 6, the compressed size of the data at
// 18, the lengths of the name at 26 and of the extra field at 28, and at 30 the name, the extra field, and the data.
constexpr std::size_t kZipHeaderBytes = 30;
constexpr char kSignature[] = {'P', 'K', 3, 4};
constexpr std::uint16_t kIsUtf8 = 1 << 11;
/// Names of up to 4,096 bytes, extra fields, and the target of a link.
constexpr std::int64_t kMostSearchedBytes = 16384;

template <typename Number>
Number number_at(const char* bytes) {
  Number number = 0;
  for (std::size_t i = sizeof number; i > 0; --i) {
    number = static_cast<Number>(number << 8 | static_cast<unsigned char>(bytes[i - 1]));
  }
  return number;
}

}  // namespace

std::optional<std::string> stored_zip_name(const File& archive, std::int64_t end) {
  const std::int64_t begin = std::max<std::int64_t>(0, end - kMostSearchedBytes);
  std::vector<char> bytes(static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin)));
  const std::size_t count = archive.read_some_at(begin, std::as_writable_bytes(std::span(bytes)));
  if (count < bytes.size() || count < kZipHeaderBytes) return std::nullopt;
  for (std::size_t at = count - kZipHeaderBytes + 1; at-- > 0;) {
    const char* const header = bytes.data() + at;
    if (std::memcmp(header, kSignature, sizeof kSignature) != 0) continue;
    if ((number_at<std::uint16_t>(header + 6) & kIsUtf8) == 0) continue;
    const auto data_bytes = std::size_t{number_at<std::uint32_t>(header + 18)};
    const auto name_bytes = std::size_t{number_at<std::uint16_t>(header + 26)};
    const std::size_t header_bytes = kZipHeaderBytes + name_bytes + number_at<std::uint16_t>(header + 28);
    if (at + header_bytes != count && at + header_bytes + data_bytes != count) continue;
    return std::string(header + kZipHeaderBytes, name_bytes);
  }
  return std::nullopt;
}

}  // namespace octavo::files
