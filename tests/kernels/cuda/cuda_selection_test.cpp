// Runs the CUDA selection of samples, compiled for the host, and compares it with the definition.
#include <random>
#include <vector>

#include "catch.hpp"
#include "kernels/cuda/sample_selection.hpp"
#include "unwritten.hpp"

using namespace octavo::kernels;
using namespace octavo::test;

namespace {

enum class Choice { permuted, weighted, grouped };

/// Samples to choose from.
struct Choices {
  static constexpr std::int64_t kCount = 37;
  std::vector<AliasBucket> buckets;
  std::vector<std::int64_t> indices, members, starts = {0, 5, 6, 20, kCount};

  Choices() {
    std::mt19937 random(3);
    for (std::int64_t k = 0; k < kCount; ++k) {
      buckets.push_back({static_cast<double>(random() % 1000) / 1000.0, static_cast<std::int64_t>(random() % kCount)});
      indices.push_back(1000 + static_cast<std::int64_t>(random() % 1000));
      members.push_back(k * 5 % kCount);
    }
  }

  SampledOrder order(Choice choice, std::int64_t repeats, bool has_indices, bool shuffled) const {
    return {.seed = 9,
            .shuffled = shuffled,
            .choice_count = kCount,
            .position_count = choice == Choice::permuted ? kCount * repeats : 100,
            .repeats = repeats,
            .draws_by_position = repeats > 1 || choice == Choice::weighted,
            .indices = has_indices ? indices.data() : nullptr,
            .buckets = choice == Choice::weighted ? buckets.data() : nullptr,
            .members = choice == Choice::grouped ? members.data() : nullptr,
            .group_starts = choice == Choice::grouped ? starts.data() : nullptr,
            .group_count = static_cast<std::int64_t>(starts.size()) - 1};
  }
};

/// What a selection writes.
struct Selected {
  std::vector<std::int64_t> rows, indices, epochs;

  explicit Selected(std::int64_t count)
      : rows(static_cast<std::size_t>(count)), indices(rows.size()), epochs(rows.size()) {}
  void give_to(SampleSelectionArgs& args) {
    args.rows = rows.data();
    args.indices = indices.data();
    args.epochs = epochs.data();
  }
  bool operator==(const Selected&) const = default;
};

Selected defined_selection(SampleSelectionArgs args) {
  Selected selected(args.sample_count());
  selected.give_to(args);
  OrderKey keys[kSelectionEpochs];
  for (int k = 0; k < kSelectionEpochs; ++k) keys[k] = selection_key(args, *args.next, k);
  for (std::int64_t i = 0; i < args.sample_count(); ++i) select_sample(args, *args.next, keys, i);
  return selected;
}

/// Selects the batches of about three epochs, an epoch at a time.
void require_defined_selections(SampleSelectionArgs args) {
  std::vector<BatchNumber> next = {{5, 1}};  // on the heap, where its bounds are known
  args.next = next.data();
  for (int launch = 0; launch < 3; ++launch) {
    const Selected expected = defined_selection(args);
    const BatchNumber after = batch_after(args.batches, next[0], args.batch_count);
    Selected selected(args.sample_count());
    selected.give_to(args);
    mark_unwritten(selected.rows);
    mark_unwritten(selected.indices);
    mark_unwritten(selected.epochs);
    REQUIRE(cuda::launch_sample_selection(args, nullptr) == cudaSuccess);
    REQUIRE(unwritten_bytes(selected.rows) + unwritten_bytes(selected.indices) + unwritten_bytes(selected.epochs) == 0);
    REQUIRE(selected == expected);
    REQUIRE(next[0].epoch == after.epoch);
    REQUIRE(next[0].step == after.step);
  }
}

}  // namespace

TEST_CASE("the CUDA selection of samples selects like the definition", "[unit][shim][order]") {
  const Choices choices;
  for (const Choice choice : {Choice::permuted, Choice::weighted, Choice::grouped}) {
    for (const std::int64_t repeats : {1, 3}) {
      for (const LastBatch last : {LastBatch::drop, LastBatch::carry}) {
        for (const std::int64_t batch : {8, 30}) {
          const bool has_indices = batch == 8, shuffled = (repeats == 1) == (last == LastBatch::drop);
          INFO("choice " << static_cast<int>(choice) << " repeats " << repeats << " batch " << batch);
          SampleSelectionArgs args{};
          args.order = choices.order(choice, repeats, has_indices, shuffled);
          args.batches = {args.order.position_count, batch, last};
          args.share = batch_share(batch, 1, 2);
          args.batch_count = args.order.position_count / batch;
          require_defined_selections(args);
        }
      }
    }
  }
}

TEST_CASE("the CUDA selection of samples selects more samples than it has threads", "[unit][shim]") {
  const Choices choices;
  SampleSelectionArgs args{};
  args.order = choices.order(Choice::permuted, 40, false, true);
  args.batches = {args.order.position_count, 64, LastBatch::drop};
  args.share = {0, 64};
  args.batch_count = 10;  // 640 samples for 512 threads
  require_defined_selections(args);
}
