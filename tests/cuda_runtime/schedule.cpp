// When operations run: immediately, as late as the host allows, or at random.
#include <algorithm>

#include "capture.hpp"
#include "runtime.hpp"

namespace fake_cuda {

void Runtime::enqueue(CUstream_st& stream, std::string what, const char* call, bool is_kernel,
                      std::function<void()> work, std::vector<Point> after) {
  if (stream.capture != nullptr) return add_node(stream, std::move(what), call, is_kernel, std::move(work));
  // The legacy default stream and the blocking streams of a device wait for each other.
  CUstream_st* legacy = devices_[stream.device].legacy;
  for (CUstream_st* other : blocking_) {
    const bool is_ordered = other->device == stream.device && other != &stream &&
                            (&stream == legacy ? other->is_blocking : stream.is_blocking && other == legacy);
    if (!is_ordered || other->last_number == 0) continue;
    after.push_back(end_of(*other));
    stream.clock.join(other->clock);
  }
  stream.clock.join(host_);
  stream.clock.set(stream.id, ++stream.last_number);
  auto info = std::make_shared<OperationInfo>();
  info->what = std::move(what);
  info->site = here(call);
  info->device = stream.device;
  info->is_kernel = is_kernel;
  info->stream = stream.id;
  info->number = stream.last_number;
  info->clock = stream.clock;
  stream.queue.push_back({std::move(info), std::move(after), std::move(work)});
  busy_.insert(stream.id);
  if (config.schedule == Schedule::eager) require(end_of(stream));
  if (config.schedule == Schedule::random) make_progress();
}

bool Runtime::can_run(const CUstream_st& stream) const {
  if (stream.queue.empty()) return false;
  const auto& after = stream.queue.front().after;
  return std::all_of(after.begin(), after.end(), [&](Point point) { return is_done(point); });
}

void Runtime::run_next(CUstream_st& stream) {
  const Queued next = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (stream.queue.empty()) busy_.erase(stream.id);
  DeviceState& device = devices_[stream.device];
  if (next.info->is_kernel && kernel_failure && --kernel_failure->first == 0) {
    break_device(stream.device, kernel_failure->second);
    kernel_failure.reset();
  }
  if (device.sticky == cudaSuccess) memory().run_as(next.info, host_, next.work);
  stream.done_number = next.info->number;
  // A device that has failed uses no memory anymore.
  if (device.sticky != cudaSuccess) host_.join(stream.clock);
}

void Runtime::require(Point point) {
  CUstream_st& stream = *streams_[point.stream];
  while (stream.done_number < point.number) {
    for (const Point before : std::vector<Point>(stream.queue.front().after)) require(before);
    run_next(stream);
  }
}

std::vector<CUstream_st*> Runtime::runnable() const {
  std::vector<CUstream_st*> found;
  for (const std::size_t id : busy_) {
    if (can_run(*streams_[id])) found.push_back(streams_[id].get());
  }
  return found;
}

void Runtime::make_progress() {
  if (config.schedule != Schedule::random) return;
  while (random_() % 2 == 0) {
    const std::vector<CUstream_st*> streams = runnable();
    if (streams.empty()) return;
    run_next(*streams[random_() % streams.size()]);
  }
}

void Runtime::run_any_until(Point point) {
  while (!is_done(point)) {
    const std::vector<CUstream_st*> streams = runnable();
    run_next(*streams[random_() % streams.size()]);
  }
}

void Runtime::wait_for(Point point) {
  if (config.schedule == Schedule::random)
    run_any_until(point);
  else
    require(point);
}

void Runtime::finish_device(int device) {
  for (const auto& stream : streams_) {
    if (stream->device != device || stream->last_number == 0) continue;
    wait_for(end_of(*stream));
    host_.join(stream->clock);
  }
}

void Runtime::run_all() {
  for (const auto& stream : streams_) wait_for(end_of(*stream));
}

void Runtime::finish_all() {
  for (auto& [ordinal, device] : devices_) finish_device(ordinal);
}

}  // namespace fake_cuda
