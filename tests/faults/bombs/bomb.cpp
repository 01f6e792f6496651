#include "bomb.hpp"

#include <algorithm>
#include <utility>

#include "../../lib/sources/made_files.hpp"
#include "../effort.hpp"
#include "../faulty_program.hpp"
#include "../tally.hpp"

namespace octavo::test {
namespace {

/// CPU time that refusing a bomb may take, in seconds.
constexpr double kMostSeconds = 10;

/// The paths of everything below `folder`, to check that nothing was created.
std::vector<std::string> names_below(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  return names;
}

std::string problem_with(const FaultyOutcome& outcome, const Bomb& bomb) {
  if (outcome.hung) return "timed out";
  if (outcome.exit_code != 1 && outcome.exit_code != 2) return "exit code " + std::to_string(outcome.exit_code);
  if (!outcome.is_one_line_error()) return "not a one-line error: " + outcome.err.substr(0, 300);
  if (outcome.err.find(bomb.said) == std::string::npos) return "unexpected text: " + outcome.err.substr(0, 300);
  if (!took_at_most(kMostMebibytes, outcome)) return std::to_string(outcome.peak_mebibytes) + " MiB were used";
  if (!is_sanitized() && outcome.cpu_seconds > kMostSeconds) {
    return std::to_string(outcome.cpu_seconds) + " CPU seconds were used";
  }
  return "";
}

std::string problem_of_packing(const Bomb& bomb) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "bomb");
  std::vector<std::string> words = {"pack", "-o", folder / "a.h5", "--quiet"};
  const auto source = bomb.make(folder / "bomb");
  words.insert(words.end(), source.begin(), source.end());
  const auto before = names_below(folder.path());
  const std::string problem = problem_with(run_with_fault(words, {}), bomb);
  if (!problem.empty()) return problem;
  return names_below(folder.path()) == before ? "" : "files were created";
}

}  // namespace

std::vector<std::string> file_with(const std::filesystem::path& folder, const std::string& name,
                                   const std::string& bytes) {
  write_file(folder / name, bytes);
  return {folder / name};
}

std::vector<std::string> folder_with(const std::filesystem::path& folder, const std::string& name,
                                     const std::string& bytes) {
  write_file(folder / name, bytes);
  return {folder};
}

Compressor::Compressor(Framing framing) {
  deflateInit2(&stream_, 6, Z_DEFLATED, static_cast<int>(framing), 8, Z_DEFAULT_STRATEGY);
}

void Compressor::put(const std::string& piece, int flush) {
  char buffer[4096];
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream_.avail_in = static_cast<uInt>(piece.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = sizeof buffer;
    deflate(&stream_, flush);
    out_.append(buffer, sizeof buffer - stream_.avail_out);
  } while (stream_.avail_out == 0);
}

void Compressor::add_zeros(std::size_t count) {
  const std::string zeros(1 << 16, '\0');
  for (; count > zeros.size(); count -= zeros.size()) add(zeros);
  add(zeros.substr(0, count));
}

std::string Compressor::finish() {
  put("", Z_FINISH);
  return std::move(out_);
}

std::string compressed(Framing framing, const std::string& head, std::size_t count) {
  Compressor compressor(framing);
  compressor.add(head);
  compressor.add_zeros(count);
  return compressor.finish();
}

bool took_at_most(std::int64_t mebibytes, const Outcome& outcome) {
  static const std::int64_t idle = run_octavo({"--version"}).peak_mebibytes;
  return is_sanitized() || outcome.peak_mebibytes - idle <= mebibytes;
}

std::vector<std::string> problems_of_packing(std::span<const Bomb> bombs) {
  Tally tally("12 bombs, foreign references, links and pipes");
  const std::int64_t step = place_step(3);
  std::int64_t number = 0;
  for (const Bomb& bomb : bombs) {
    if (number++ % step != 0) continue;
    const std::string problem = problem_of_packing(bomb);
    tally.add(problem.empty() ? "" : problem + ": " + bomb.name);
  }
  return tally.failures();
}

}  // namespace octavo::test
