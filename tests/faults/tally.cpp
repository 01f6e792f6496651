#include "tally.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

#include "effort.hpp"

namespace octavo::test {
namespace {

constexpr std::size_t kMostListed = 20;

}  // namespace

Tally::Tally(std::string what, bool is_random) : what_(std::move(what)), is_random_(is_random) {}

Tally::~Tally() {
  if (what_.empty()) return;
  if (!note_.empty()) what_ += " (" + note_ + ")";
  const std::string seed = is_random_ ? std::to_string(base_seed()) : "-";
  std::cout << what_ << ": " << count_ << " cases, " << failure_count_ << " failures, seed " << seed << std::endl;
  const char* const file = std::getenv("OCTAVO_FAULTS_FIGURES");
  if (file == nullptr) return;
  std::ofstream(file, std::ios::app) << what_ << '\t' << count_ << '\t' << failure_count_ << '\t' << seed << '\t'
                                     << elapsed_seconds() << '\n';
}

double Tally::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool Tally::has_time() const {
  const auto most = seconds_for_a_kind();
  return !most || elapsed_seconds() < *most;
}

void Tally::add(const std::string& problem) {
  ++count_;
  if (problem.empty()) return;
  ++failure_count_;
  if (failures_.size() < kMostListed) failures_.push_back(problem);
}

}  // namespace octavo::test
