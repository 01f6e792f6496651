#include "export_scene.hpp"

#include <algorithm>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <stdexcept>
#include <utility>

#include "../lib/dataset_file/small_file.hpp"
#include "../lib/sources/made_files.hpp"
#include "../tools/program.hpp"

namespace octavo::test {
namespace {

constexpr std::size_t kSide = 16;
const std::vector<std::int32_t> kTestLabels = {2, 1, 0};

std::string pixels(std::size_t image_count) {
  std::string bytes(image_count * kSide * kSide, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value_at(i));
  return bytes;
}

void write_split(const std::filesystem::path& folder, const std::string& split,
                 const std::vector<std::int32_t>& labels) {
  const auto count = static_cast<std::uint32_t>(labels.size());
  write_file(folder / (split + "-images-idx3-ubyte"), idx({count, kSide, kSide}, pixels(labels.size())));
  write_file(folder / (split + "-labels-idx1-ubyte"), idx({count}, std::string(labels.begin(), labels.end())));
}

bool has(Source& source, std::size_t split, const std::vector<std::int32_t>& labels) {
  const auto& layout = source.splits()[split];
  if (layout.sample_count != std::ssize(labels) || layout.labels.width != 1) return false;
  const Samples samples = read_all(source, split);
  const std::string wanted = pixels(labels.size());
  return samples.failures.empty() && samples.labels == labels &&
         std::equal(samples.values.begin(), samples.values.end(), wanted.begin(), wanted.end(),
                    [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
}

}  // namespace

ExportScene::ExportScene(std::string format, int train_count)
    : format_(std::move(format)), train_labels_(classes_of(0, train_count)) {
  write_split(folder_ / "source", "train", train_labels_);
  write_split(folder_ / "source", "test", kTestLabels);
  const Outcome outcome = run_octavo({"pack", folder_ / "source", "-o", packed(), "--quiet"});
  if (outcome.exit_code != 0) throw std::runtime_error("cannot pack: " + outcome.err);
  reset();
}

std::vector<std::string> ExportScene::arguments() const {
  return {"export", packed(), "-o", target(), "--as", format_, "--quiet"};
}

void ExportScene::reset() const {
  std::filesystem::remove_all(parent());
  std::filesystem::create_directory(parent());
}

ExportScene::Found ExportScene::found() const {
  if (!std::filesystem::exists(target())) return Found::nothing;
  try {
    const auto source = open_source({{target()}}, {});
    const bool is_whole =
        source->splits().size() == 2 && has(*source, 0, train_labels_) && has(*source, 1, kTestLabels);
    return is_whole ? Found::whole : Found::part;
  } catch (const Error&) {
    return Found::refused;
  }
}

std::string ExportScene::problem_with_target() const {
  return found() == Found::part ? "packing accepts a partial export as complete" : "";
}

std::string ExportScene::problem_after_end(bool is_done) const {
  if (is_done) return found() == Found::whole ? "" : "export reports success, but the folder is not complete";
  return names_in(parent()).empty() ? "" : "the failed export left files behind";
}

}  // namespace octavo::test
