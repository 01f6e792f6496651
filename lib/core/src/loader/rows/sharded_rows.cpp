// Provides rows if each of several ranks holds a part of the samples: the ranks exchange those of each batch.
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "exchange/group.hpp"
#include "loader/loader_identity.hpp"
#include "loader/rows/row_exchange.hpp"
#include "loader/rows/row_provider.hpp"
#include "store/staging/staging_slot.hpp"
#include "support/hash.hpp"

namespace octavo::loader {
namespace {

/// A batch of an epoch.
struct BatchPlace {
  std::int64_t epoch = 0, step = 0;
  bool operator==(const BatchPlace&) const = default;
};

/// Equal for the same options on all ranks.
std::uint64_t digest_of(const BatchOrder& order, const store::StoredSamples& samples) {
  const LoaderOptions& options = order.options();
  const std::string text = order.state(0, 0).to_json() + std::to_string(options.origin.epoch) + ":" +
                           std::to_string(options.origin.samples) + (options.equal_shares ? ":equal" : "");
  StreamingHash hash;
  hash.add(std::as_bytes(std::span(text)));
  hash.add(std::as_bytes(std::span(&samples.data_hash, 1)));
  return hash.value();
}

/// A ring of slots that the thread of the group fills with the batches after the last requested one. Which batches it
/// asks the other ranks for, and how often it jumped, depends only on the calls of the consumer, which are the same on
/// all ranks.
class ShardedRows final : public RowProvider, private exchange::Client {
 public:
  ShardedRows(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order)
      : samples_(std::move(samples)), order_(order), digest_(digest_of(order, *samples_)) {
    if (!samples_->backend->is_host()) stream_ = backend::OwnedStream(samples_->backend);
    exchange_ = std::make_unique<RowExchange>(samples_, order_, StreamRef(stream_.get()));
    for (int i = 0; i <= order_.options().prefetch; ++i) {
      try {
        slots_.push_back(std::make_unique<Slot>(samples_, order_.largest_count()));
      } catch (const OutOfMemory&) {
        if (i == 0) throw;
        break;  // read ahead less
      }
    }
    upload_ = slots_.front()->staging.make_upload();
  }
  ~ShardedRows() override {
    if (client_) samples_->group->remove(*client_);
    if (stream_.get() != nullptr) backend::finish(*samples_->backend, StreamRef(stream_.get()));
  }

  void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) override {
    samples_->group->ensure_usable();
    const std::lock_guard consumer_lock(consumer_mutex_);
    if (!client_) client_ = samples_->group->add(*this);
    Slot& slot = acquire({epoch, step});
    const auto release = [&] {
      const std::lock_guard lock(mutex_);
      slot.state = State::empty;
    };
    try {
      slot.staging.use(stream,
                       [&] { use(slot.staging.samples(), slot.staging.selection(epoch), slot.staging.batch_count()); });
    } catch (...) {
      release();
      throw;
    }
    release();
    samples_->group->notify();
  }
  std::int64_t device_bytes() const override {
    std::int64_t bytes = exchange_->device_bytes();
    for (const auto& slot : slots_) bytes += slot->staging.device_bytes();
    return bytes;
  }
  int depth() const override { return static_cast<int>(slots_.size()) - 1; }

 private:
  enum class State { empty, filling, ready, held };
  struct Slot {
    Slot(std::shared_ptr<const store::StoredSamples> samples, std::int64_t most_rows)
        : staging(std::move(samples), most_rows) {}
    store::StagingSlot staging;
    State state = State::empty;
    BatchPlace place;
  };
  /// The slot that the exchange is prepared for.
  struct Prepared {
    Slot* slot;
    std::int64_t generation;
  };

  /// Waits until the samples of a batch are here, and holds its slot.
  Slot& acquire(BatchPlace place) {
    std::unique_lock lock(mutex_);
    if (place != expected_) jump_to(place);
    waited_for_ = place;
    samples_->group->notify();
    Slot* slot = nullptr;
    // A batch that was exchanged is served even if the group has ended since.
    changed_.wait(lock, [&] { return (slot = find_ready(place)) != nullptr || failure_; });
    waited_for_.reset();
    if (slot == nullptr) std::rethrow_exception(failure_);
    slot->state = State::held;
    expected_ = after(place);
    return *slot;
  }
  void jump_to(BatchPlace place) {
    ++generation_;
    for (const auto& slot : slots_) {
      if (slot->state == State::ready) slot->state = State::empty;
    }
    next_ = place;
  }
  Slot* find_ready(BatchPlace place) {
    for (const auto& slot : slots_) {
      if (slot->state == State::ready && slot->place == place) return slot.get();
    }
    return nullptr;
  }
  Slot* find_empty() {
    for (const auto& slot : slots_) {
      if (slot->state == State::empty) return slot.get();
    }
    return nullptr;
  }
  BatchPlace after(BatchPlace place) const {
    if (place.step + 1 < order_.batches_per_epoch(place.epoch)) return {place.epoch, place.step + 1};
    return {place.epoch + 1, 0};
  }

  std::optional<exchange::Request> request() override {
    std::unique_lock lock(mutex_);
    if (prepared_ && prepared_->generation != generation_) {
      prepared_->slot->state = State::empty;
      prepared_.reset();
    }
    if (!prepared_) {
      Slot* const slot = depth() > 0 || waited_for_ == next_ ? find_empty() : nullptr;
      if (slot == nullptr || failure_) return std::nullopt;
      slot->state = State::filling;
      slot->place = next_;
      next_ = after(next_);
      prepared_ = {slot, generation_};
      lock.unlock();
      slot->staging.choose(order_.rows(slot->place.epoch, slot->place.step));
      exchange_->prepare(slot->place.epoch, slot->place.step, slot->staging.staged());
      lock.lock();
    }
    const BatchPlace place = prepared_->slot->place;
    return exchange::Request{digest_, prepared_->generation, place.epoch, place.step,
                             waited_for_ == place && prepared_->generation == generation_ ? 1U : 0U};
  }

  void run(Exchange& exchange, const exchange::Request&) override {
    prepared_->slot->staging.fill_chosen(
        [&](const dataset_file::RowTarget& target) { exchange_->run(exchange, target); }, upload_.get(),
        StreamRef(stream_.get()));
    const std::lock_guard lock(mutex_);
    prepared_->slot->state = prepared_->generation == generation_ ? State::ready : State::empty;
    prepared_.reset();
    changed_.notify_all();
  }

  void fail(const std::exception_ptr& failure) noexcept override {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    changed_.notify_all();
  }

  std::shared_ptr<const store::StoredSamples> samples_;
  BatchOrder order_;
  std::uint64_t digest_;
  backend::OwnedStream stream_;  ///< null on the CPU
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<store::Upload> upload_;
  std::unique_ptr<RowExchange> exchange_;
  std::mutex consumer_mutex_;
  std::optional<std::uint64_t> client_;  ///< its number in the group, from the first batch on

  std::mutex mutex_;  ///< of everything below
  std::condition_variable changed_;
  std::optional<BatchPlace> expected_;    ///< the batch after the last one
  BatchPlace next_;                       ///< the batch to exchange next
  std::int64_t generation_ = 0;           ///< number of jumps
  std::optional<BatchPlace> waited_for_;  ///< by the consumer
  std::optional<Prepared> prepared_;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<RowProvider> make_sharded_rows(std::shared_ptr<const store::StoredSamples> samples,
                                               const BatchOrder& order) {
  return std::make_unique<ShardedRows>(std::move(samples), order);
}

}  // namespace octavo::loader
