#include "fetching/content_check.hpp"

#include <algorithm>
#include <vector>

#include "fetching/digest.hpp"
#include "support/text/ascii.hpp"

namespace octavo::fetching {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;

/// A checksum being computed, and its expected value.
struct Check {
  DigestKind kind;
  Digest digest;
  std::string expected;
};

std::vector<Check> checks_of(const RemoteFile& published) {
  std::vector<Check> checks;
  const auto add = [&](DigestKind kind, const std::string& expected) {
    if (!expected.empty()) checks.push_back({kind, Digest(kind), lower_case(expected)});
  };
  add(DigestKind::sha256, published.sha256);
  add(DigestKind::md5, published.md5);
  return checks;
}

}  // namespace

std::optional<std::string> content_problem(const File& file, const RemoteFile& published,
                                           const ProgressFunction& on_progress) {
  const std::int64_t length = file.length();
  if (length != published.bytes) {
    return "it has " + std::to_string(length) + " bytes, not " + std::to_string(published.bytes);
  }
  const std::string stage = "checking " + published.name;
  std::vector<Check> checks = checks_of(published);
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(kBlockBytes, length)));
  for (std::int64_t done = 0; done < length;) {
    const auto count = static_cast<std::size_t>(std::min(kBlockBytes, length - done));
    const std::span<std::byte> bytes = std::span(block).first(count);
    file.read_at(done, bytes);
    for (Check& check : checks) check.digest.add(bytes);
    done += static_cast<std::int64_t>(count);
    if (on_progress) on_progress({.stage = stage, .done_bytes = done, .total_bytes = length});
  }
  for (Check& check : checks) {
    const std::string got = check.digest.finish();
    if (got != check.expected)
      return std::string("its ") + name_of(check.kind) + " is " + got + ", not " + check.expected;
  }
  return std::nullopt;
}

}  // namespace octavo::fetching
