// A residency whose rows come from elsewhere: this rank keeps some ranges of the samples on its device, and reads the
// others from the memory of another rank. It needs a name and a case in octavo/residency.hpp, store/loading.cpp and
// planning/plan.cpp, and a RowSource like the one below.
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "loader/packed_server.hpp"
#include "packed_fixture.hpp"
#include "store/stored_samples.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Samples in the memory of another rank, here in that of the CPU.
class PeerRows final : public dataset_file::RowSource {
 public:
  explicit PeerRows(std::shared_ptr<const store::StoredSamples> peer) : peer_(std::move(peer)) {}

  void read(std::span<const std::int64_t> rows, const dataset_file::RowTarget& target,
            const std::atomic<bool>&) const override {
    const store::RowLayout& layout = peer_->layout;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t slot = peer_->resident.slot_of(rows[i]).value();
      const auto at = static_cast<std::int64_t>(i);
      const auto copy = [&](std::byte* to, const backend::DeviceBuffer& from, std::int64_t bytes) {
        if (bytes > 0)
          std::memcpy(to + at * bytes, from.as<std::byte>() + slot * bytes, static_cast<std::size_t>(bytes));
      };
      copy(target.rows, peer_->codes, peer_->rows_in_source.largest_bytes());
      copy(target.masks, peer_->masks, peer_->masks_in_source.largest_bytes());
      copy(target.labels, peer_->label_words, layout.label_bytes);
    }
  }

 private:
  std::shared_ptr<const store::StoredSamples> peer_;
};

/// The samples of these ranges, on the device of `whole`. The others come from `rows`.
std::shared_ptr<const store::StoredSamples> part_of(const Split& split, const store::StoredSamples& whole,
                                                    std::vector<store::RowRange> ranges,
                                                    std::unique_ptr<const dataset_file::RowSource> rows) {
  auto part = std::make_shared<store::StoredSamples>();
  static_cast<store::SampleDescription&>(*part) = whole;
  part->backend = whole.backend;
  part->layout = whole.layout;
  part->residency = Residency::hybrid;
  part->resident = store::ResidentSet(std::move(ranges));
  part->resident_rows = part->rows_in_source.selected(part->resident.ranges());
  part->resident_masks = part->masks_in_source.selected(part->resident.ranges());
  const auto buffer = [&](std::int64_t bytes) {
    return backend::DeviceBuffer(part->backend, static_cast<std::size_t>(bytes), "a part of the samples");
  };
  part->codes = buffer(part->resident_rows.total_bytes());
  part->masks = buffer(part->resident_masks.total_bytes());
  part->label_words = buffer(part->layout.labels(part->resident.count()));
  part->rows = std::move(rows);
  store::read_samples(split, {}, *part);
  return part;
}

/// The batches of two epochs, each as values, labels and masks.
std::vector<std::vector<std::uint32_t>> batches_of(const std::shared_ptr<const store::StoredSamples>& samples,
                                                   Device device) {
  const loader::PackedServer server(samples, {.batch_size = 16, .shuffle = true, .seed = 2});
  std::vector<std::vector<std::uint32_t>> batches;
  for (const std::int64_t epoch : {0, 1}) {
    for (std::int64_t step = 0; step < server.order().batches_per_epoch(epoch); ++step) {
      const DeviceTensor images(device, DType::float32, {16, 2, 5, 7}), labels(device, DType::int32, {16}),
          masks(device, DType::uint8, {16, 5, 7});
      server.serve(epoch, step, {images.view().data, {labels.view().data}, masks.view().data}, {});
      const std::int64_t count = server.order().part(epoch, step).count();
      batches.push_back(images.to_host<std::uint32_t>({}));
      batches.back().resize(static_cast<std::size_t>(count * 2 * 5 * 7));
      batches.push_back(labels.to_host<std::uint32_t>({}));
      batches.back().resize(static_cast<std::size_t>(count));
      const std::vector<std::uint8_t> pixels = masks.to_host<std::uint8_t>({});
      batches.emplace_back(pixels.begin(), pixels.begin() + count * 5 * 7);
    }
  }
  return batches;
}

void rows_of_another_rank_serve_the_same_batches(Device device) {
  const PackedFixture fixture({masked_split("train", 60, {2, 5, 7})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  const LoadOptions all{.residency = Residency::device};
  const auto whole = Store::load(split, device, all).samples();
  const auto on_host = Store::load(split, Device::cpu(), all).samples();
  // The other rank has what this one lacks, and no more.
  const auto peer = part_of(split, *on_host, {{0, 7}, {20, 19}, {59, 1}}, nullptr);
  const auto own = part_of(split, *whole, {{7, 13}, {39, 20}}, std::make_unique<PeerRows>(peer));
  REQUIRE(own->device_bytes() < whole->device_bytes());
  REQUIRE(batches_of(own, device) == batches_of(whole, device));
}

}  // namespace

OCTAVO_CONTRACT(rows_of_another_rank_serve_the_same_batches, "rows of another rank serve the same batches",
                "[unit][loader]")
