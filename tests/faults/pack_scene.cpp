#include "pack_scene.hpp"

#include <fstream>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>
#include <span>
#include <stdexcept>

#include "../lib/dataset_file/small_file.hpp"
#include "../lib/sources/made_files.hpp"
#include "../tools/program.hpp"

namespace octavo::test {
namespace {

constexpr int kImageSide = 16;

/// Pseudorandom images that depend on `seed`.
std::string pixels(int image_count, std::size_t seed) {
  std::string bytes(static_cast<std::size_t>(image_count * kImageSide * kImageSide), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value_at(i + seed));
  return bytes;
}

void write_idx_source(const std::filesystem::path& folder, int image_count, std::size_t seed,
                      const std::string& split = "train") {
  const auto count = static_cast<std::uint32_t>(image_count);
  write_file(folder / (split + "-images-idx3-ubyte"), idx({count, kImageSide, kImageSide}, pixels(image_count, seed)));
  write_file(folder / (split + "-labels-idx1-ubyte"),
             idx({count}, std::string(static_cast<std::size_t>(image_count), '\1')));
}

/// Writes one folder per class; one file is not an image.
void write_image_source(const std::filesystem::path& folder, int image_count) {
  for (int i = 0; i < image_count; ++i) {
    const auto name = std::to_string(i % 2) + "/" + std::to_string(i) + ".png";
    write_png(folder / name, kImageSide, kImageSide, static_cast<std::uint8_t>(i * 7), 1);
  }
  write_file(folder / "1" / "bad.png", "no image");
}

/// Packs a folder of IDX files.
void pack_idx(const std::filesystem::path& source, const std::filesystem::path& target) {
  const Outcome outcome = run_octavo({"pack", source, "-o", target, "--reproducible", "--quiet"});
  if (outcome.exit_code != 0) throw std::runtime_error("cannot pack: " + outcome.err);
}

/// All samples of a file with their labels; empty if the file is damaged.
std::vector<std::byte> samples_in(const std::filesystem::path& path) {
  std::vector<std::byte> all;
  try {
    if (verify(path).defect_count != 0) return {};
    const Split split = Dataset::open(path).split("train");
    std::vector<std::int8_t> codes(static_cast<std::size_t>(split.packed_bytes()));
    all.resize(static_cast<std::size_t>(split.sample_count() * split.labels().bytes_per_sample()));
    split.read_checked(0, split.sample_count(), codes, all);
    const auto code_bytes = std::as_bytes(std::span(codes));
    all.insert(all.end(), code_bytes.begin(), code_bytes.end());
  } catch (const Error&) {
    return {};
  }
  return all;
}

}  // namespace

const char* to_text(PackKind kind) {
  switch (kind) {
    case PackKind::fresh:
      return "no file yet";
    case PackKind::replacing:
      return "an older file";
    case PackKind::skipping:
      return "an older file and a spool";
    case PackKind::appending:
      return "a file that a split is appended to";
    case PackKind::reindexing:
      return "an older file by reindex";
    case PackKind::repacking:
      break;
  }
  return "an older file by repack";
}

PackScene::PackScene(PackKind kind, int image_count) : kind_(kind) {
  if (has_old()) {
    write_idx_source(folder_ / "other", image_count + 3, 12345);
    pack_idx(folder_ / "other", folder_ / "old.h5");
    old_bytes_ = bytes_of_file(folder_ / "old.h5");
  }
  make_source(image_count);
  reset();
  const Outcome outcome = run_octavo(arguments());
  if (outcome.exit_code != 0) throw std::runtime_error("cannot pack the source: " + outcome.err);
  new_bytes_ = bytes_of_file(target());
  reset();
}

void PackScene::make_source(int image_count) const {
  if (kind_ == PackKind::skipping) return write_image_source(source(), image_count);
  write_idx_source(source(), image_count, 0, kind_ == PackKind::appending ? "test" : "train");
  if (kind_ == PackKind::reindexing || kind_ == PackKind::repacking) pack_idx(source(), folder_ / "packed.h5");
}

std::vector<std::string> PackScene::arguments(int jobs) const {
  if (kind_ == PackKind::reindexing) {
    return {"reindex", folder_ / "packed.h5", "-o", target(), "--force", "--quiet"};
  }
  const bool is_repacking = kind_ == PackKind::repacking;
  std::vector<std::string> words = {is_repacking ? "repack" : "pack", is_repacking ? folder_ / "packed.h5" : source()};
  words.insert(words.end(), {"-o", target(), "--reproducible", "--quiet", "--jobs", std::to_string(jobs)});
  if (has_old()) words.push_back(kind_ == PackKind::appending ? "--append" : "--force");
  if (kind_ == PackKind::skipping) words.insert(words.end(), {"--on-error", "skip", "--names"});
  return words;
}

void PackScene::reset() const {
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  if (has_old()) write_bytes(target(), old_bytes_);
}

bool PackScene::is_new(const std::vector<std::byte>& bytes) const {
  if (kind_ != PackKind::reindexing || bytes == old_bytes_) return bytes == new_bytes_;
  const TemporaryFolder folder;
  write_bytes(folder / "found.h5", bytes);
  write_bytes(folder / "wanted.h5", new_bytes_);
  const auto found = samples_in(folder / "found.h5");
  return !found.empty() && found == samples_in(folder / "wanted.h5");
}

bool PackScene::has_new() const { return std::filesystem::exists(target()) && is_new(bytes_of_file(target())); }

std::string PackScene::problem_with_target() const {
  if (!std::filesystem::exists(target())) return has_old() ? "the old file is gone" : "";
  const auto bytes = bytes_of_file(target());
  if ((has_old() && bytes == old_bytes_) || is_new(bytes)) return "";
  return "the final name has a file of " + std::to_string(bytes.size()) + " bytes that is neither the old nor the new";
}

std::string PackScene::problem_after_error() const {
  if (auto problem = problem_with_target(); !problem.empty()) return problem;
  for (const std::string& name : test::names_in(folder())) {
    if (name != "data.h5") return "left behind: " + name;
  }
  return "";
}

std::string PackScene::problem_with_next_pack() const {
  // A split that is already in the file cannot be appended again.
  if (kind_ == PackKind::appending && has_new()) return problem_with_target();
  auto words = arguments();
  if (!has_old()) words.push_back("--force");
  const Outcome outcome = run_octavo(words);
  if (outcome.exit_code != 0) return "the next pack fails: " + outcome.err;
  if (!has_new()) return "the next pack has a different result";
  return problem_after_error();
}

}  // namespace octavo::test
