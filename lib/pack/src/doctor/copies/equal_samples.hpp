// Finds samples whose pixels are equal, by their hashes.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/duplicates.hpp>

#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

/// A visitor that hashes every sample; 24 bytes of memory for each.
class EqualSamples final : public SampleVisitor {
 public:
  explicit EqualSamples(const SampleSet& samples);
  void visit(const SampleBlock& block) override;

  /// The groups of equal samples, after all were visited. Call it once.
  DuplicateReport find();
  /// The number of the first sample of each group and of each sample without an equal, ascending; after find().
  std::vector<std::int64_t> first_numbers() const;

 private:
  struct Fingerprint {
    std::uint64_t low = 0, high = 0;
    std::int64_t number = 0;

    bool has_same_pixels(const Fingerprint& other) const { return low == other.low && high == other.high; }
    bool operator<(const Fingerprint& other) const;
  };
  struct Found {
    bool is_in_one_split = false;
    std::int64_t first_number = 0;
    DuplicateGroup group;
    bool operator<(const Found& other) const;
  };

  void add_group(std::size_t begin, std::size_t end, DuplicateReport& report);
  void keep_first();

  const SampleSet& samples_;
  std::vector<Fingerprint> fingerprints_;
  std::vector<Found> found_;
};

}  // namespace octavo::doctor
