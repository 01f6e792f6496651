#include "pack_scene.hpp"

#include <fstream>
#include <stdexcept>

#include "../lib/archive/small_file.hpp"
#include "../lib/pack/made_files.hpp"
#include "../tools/program.hpp"

namespace octavo::test {
namespace {

constexpr int kSide = 16;

/// Images that look random and differ with `seed`.
std::string pixels(int image_count, std::size_t seed) {
  std::string bytes(static_cast<std::size_t>(image_count * kSide * kSide), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value_at(i + seed));
  return bytes;
}

void write_idx_source(const std::filesystem::path& folder, int image_count, std::size_t seed) {
  const auto count = static_cast<std::uint32_t>(image_count);
  write_file(folder / "train-images-idx3-ubyte", idx({count, kSide, kSide}, pixels(image_count, seed)));
  write_file(folder / "train-labels-idx1-ubyte",
             idx({count}, std::string(static_cast<std::size_t>(image_count), '\1')));
}

/// A folder a class; one file is no image.
void write_image_source(const std::filesystem::path& folder, int image_count) {
  for (int i = 0; i < image_count; ++i) {
    const auto name = std::to_string(i % 2) + "/" + std::to_string(i) + ".png";
    write_png(folder / name, kSide, kSide, static_cast<std::uint8_t>(i * 7), 1);
  }
  write_file(folder / "1" / "bad.png", "no image");
}

}  // namespace

const char* to_text(PackKind kind) {
  if (kind == PackKind::fresh) return "no file yet";
  return kind == PackKind::replacing ? "an older file" : "an older file and a spool";
}

PackScene::PackScene(PackKind kind, int image_count) : kind_(kind) {
  if (has_old()) {
    const auto other = folder_ / "other";
    write_idx_source(other, image_count + 3, 12345);
    const std::string made = folder_ / "old.h5";
    if (run_octavo({"pack", other, "-o", made, "--reproducible", "--quiet"}).exit_code != 0) {
      throw std::runtime_error("cannot pack the older file");
    }
    old_bytes_ = bytes_of_file(made);
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
  write_idx_source(source(), image_count, 0);
}

std::vector<std::string> PackScene::arguments(int jobs) const {
  std::vector<std::string> words = {"pack",           source(),  "-o",     target(),
                                    "--reproducible", "--quiet", "--jobs", std::to_string(jobs)};
  if (has_old()) words.push_back("--force");
  if (kind_ == PackKind::skipping) words.insert(words.end(), {"--on-error", "skip", "--names"});
  return words;
}

void PackScene::reset() const {
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  if (has_old()) write_bytes(target(), old_bytes_);
}

bool PackScene::has_new() const { return bytes_of_file(target()) == new_bytes_; }

std::string PackScene::problem_with_target() const {
  if (!std::filesystem::exists(target())) return has_old() ? "the old file is gone" : "";
  const auto bytes = bytes_of_file(target());
  if (bytes == new_bytes_ || (has_old() && bytes == old_bytes_)) return "";
  return "the final name has a file of " + std::to_string(bytes.size()) + " bytes that is neither the old nor the new";
}

std::string PackScene::problem_after_error() const {
  if (auto problem = problem_with_target(); !problem.empty()) return problem;
  for (const std::string& name : test::names_in(folder())) {
    if (name != "data.h5") return "there is still " + name;
  }
  return "";
}

std::string PackScene::problem_with_next_pack() const {
  auto words = arguments();
  if (!has_old()) words.push_back("--force");
  const Outcome outcome = run_octavo(words);
  if (outcome.exit_code != 0) return "the next pack fails: " + outcome.err;
  if (!has_new()) return "the next pack has another result";
  return problem_after_error();
}

}  // namespace octavo::test
