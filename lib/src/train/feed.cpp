#include "train/feed.hpp"

#include <utility>

#include "loader/float32_server.hpp"
#include "loader/packed_server.hpp"
#include "store/store_access.hpp"

namespace octavo::training {

Feed::Feed(const Split& split, const TrainOptions& options, bool shuffled) : sample_count_(split.sample_count()) {
  const Store store = Store::load(split, options.device);
  backend_ = store::StoreAccess::samples(store)->backend;
  LoaderOptions drawn;
  drawn.batch_size = options.batch_size;
  drawn.shuffle = shuffled;
  drawn.seed = options.seed;
  drawn.spec = options.spec;
  if (options.residency == Residency::int8)
    keep_packed(store, drawn);
  else
    keep_float32(store, drawn);
}

void Feed::keep_packed(const Store& store, const LoaderOptions& options) {
  sample_bytes_ = store.device_bytes();
  loader_ = std::make_unique<Loader>(store, options);
}

void Feed::keep_float32(const Store& store, const LoaderOptions& options) {
  const auto& samples = store::StoreAccess::samples(store);
  const loader::PackedServer packed(samples, std::make_shared<store::PreparedMaps>(samples, options.spec));
  auto server = std::make_shared<loader::Float32Server>(packed);
  sample_bytes_ = server->resident_bytes();
  loader_ = std::make_unique<Loader>(make_loader(std::move(server), options));
}

}  // namespace octavo::training
