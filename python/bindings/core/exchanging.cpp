#include "core/exchanging.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <octavo/errors.hpp>
#include <octavo/exchange.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;

/// Calls work() with the GIL; what Python raises becomes an IoError with its text.
template <typename Work>
auto with_python(const Work& work) {
  const GilHold held;
  try {
    return work();
  } catch (const nb::python_error& error) {
    throw IoError(nb::str(error.value()).c_str());
  }
}

/// An Exchange whose functions are those of a Python object: the numbers `rank` and `world_size`,
/// all_gather(own: bytes) -> bytes, and all_to_all(send, send_bytes, receive, receive_bytes, stream), with arrays of
/// bytes that DLPack exports, or None if they are empty, and the address of the stream.
class PythonExchange final : public Exchange {
 public:
  explicit PythonExchange(nb::object object) : object_(shared(std::move(object))) {
    rank_ = nb::cast<std::int64_t>(object_->attr("rank"));
    world_size_ = nb::cast<std::int64_t>(object_->attr("world_size"));
  }

  std::int64_t rank() const override { return rank_; }
  std::int64_t world_size() const override { return world_size_; }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    with_python([&] {
      const auto gathered = nb::cast<nb::bytes>(object_->attr("all_gather")(nb::bytes(own.data(), own.size())));
      if (gathered.size() != all.size()) throw IoError("exchange samples: ranks pass different numbers of bytes");
      std::memcpy(all.data(), gathered.data(), all.size());
    });
  }

  void all_to_all(const Parcels& send, const Parcels& receive, Device device, StreamRef stream) override {
    with_python([&] {
      object_->attr("all_to_all")(array_of(send, device), sizes_of(send), array_of(receive, device), sizes_of(receive),
                                  reinterpret_cast<std::uintptr_t>(stream.handle()));
    });
  }

 private:
  static std::vector<std::int64_t> sizes_of(const Parcels& parcels) {
    return {parcels.bytes.begin(), parcels.bytes.end()};
  }
  static nb::object array_of(const Parcels& parcels, Device device) {
    const std::int64_t total = std::accumulate(parcels.bytes.begin(), parcels.bytes.end(), std::int64_t{0});
    if (total == 0) return nb::none();
    const auto bytes = static_cast<std::size_t>(total);
    return nb::cast(nb::ndarray<std::uint8_t, nb::array_api, nb::ndim<1>>(
        parcels.memory, {bytes}, nb::none(), {}, nb::dtype<std::uint8_t>(),
        device.is_cpu() ? nb::device::cpu::value : nb::device::cuda::value, device.is_cpu() ? 0 : device.ordinal()));
  }

  std::shared_ptr<nb::object> object_;
  std::int64_t rank_, world_size_;
};

}  // namespace

ExchangeFunction exchange_function(nb::object connect) {
  return [function = shared(std::move(connect))]() -> std::shared_ptr<Exchange> {
    return with_python([&]() -> std::shared_ptr<Exchange> {
      nb::object object = (*function)();
      if (object.is_none()) return nullptr;
      return std::make_shared<PythonExchange>(std::move(object));
    });
  };
}

}  // namespace octavo::python
