#include "capture.hpp"

#include <algorithm>
#include <utility>

#include "runtime.hpp"

namespace fake_cuda {

bool may_be_unsafe(const char*) {
  const cudaStreamCaptureMode mode = this_thread().capture_mode;
  if (mode == cudaStreamCaptureModeRelaxed) return true;
  bool is_allowed = true;
  for (const auto& capture : Runtime::get().captures) {
    const bool is_own = capture->thread == std::this_thread::get_id();
    const bool is_forbidden = (is_own && capture->mode != cudaStreamCaptureModeRelaxed) ||
                              (mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal);
    if (!is_forbidden) continue;
    capture->is_invalidated = true;
    is_allowed = false;
  }
  return is_allowed;
}

cudaError_t invalidate(Capture& capture, cudaError_t error) {
  capture.is_invalidated = true;
  return error;
}

void add_node(CUstream_st& stream, std::string what, const char* call, bool is_kernel, std::function<void()> work) {
  Capture& capture = *stream.capture;
  capture.nodes.push_back({std::move(what), here(call), is_kernel, std::move(work), stream.capture_ends});
  stream.capture_ends = {capture.nodes.size() - 1};
}

bool invalidate_captures(int device) {
  bool found = false;
  for (const auto& capture : Runtime::get().captures) {
    if (capture->origin->device != device) continue;
    capture->is_invalidated = true;
    found = true;
  }
  return found;
}

bool is_before(const Capture& capture, std::size_t node, const std::vector<std::size_t>& ends) {
  for (const std::size_t end : ends) {
    if (end == node || (end > node && is_before(capture, node, capture.nodes[end].after))) return true;
  }
  return false;
}

bool forbids_legacy(int device) {
  const auto& captures = Runtime::get().captures;
  return std::any_of(captures.begin(), captures.end(), [&](const auto& capture) {
    return capture->origin->device == device && capture->origin->is_blocking;
  });
}

bool conflicts_with_legacy(int device) {
  bool conflicts = false;
  for (const auto& capture : Runtime::get().captures) {
    if (capture->origin->device != device || !capture->origin->is_blocking) continue;
    capture->is_invalidated = true;
    conflicts = true;
  }
  return conflicts;
}

void abandon(const std::shared_ptr<Capture>& capture) {
  std::erase(Runtime::get().captures, capture);
  for (CUstream_st* stream : Runtime::get().streams_in(*capture)) {
    stream->capture.reset();
    stream->capture_ends.clear();
  }
}

}  // namespace fake_cuda
