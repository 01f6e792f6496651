// Stream capture: work that becomes the nodes of a graph instead of running.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "site.hpp"

namespace fake_cuda {

struct Node {
  std::string what;
  Site site;
  bool is_kernel;
  std::function<void()> work;  ///< runs at each replay, with the host memory as it is then
  std::vector<std::size_t> after;
};

struct Capture {
  cudaStreamCaptureMode mode;
  CUstream_st* origin;
  std::thread::id thread;
  bool is_invalidated = false;
  std::vector<Node> nodes;
};

/// Whether the calling thread may make a potentially unsafe call now. If not, invalidates the captures that forbid
/// it.
bool may_be_unsafe(const char* call);

/// Handles an illegal use of a capturing stream or event: invalidates its capture.
cudaError_t invalidate(Capture& capture, cudaError_t error);

/// Adds a node that depends on the current last nodes of `stream`.
void add_node(CUstream_st& stream, std::string what, const char* call, bool is_kernel, std::function<void()> work);

/// Whether any stream of the device is capturing. Invalidates those captures.
bool invalidate_captures(int device);

/// Whether `node` is one of `ends` or precedes one of them.
bool is_before(const Capture& capture, std::size_t node, const std::vector<std::size_t>& ends);

/// Whether a blocking stream of the device is capturing, which forbids all use of its legacy default stream.
bool forbids_legacy(int device);
/// For work on the legacy default stream: same as forbids_legacy(), but invalidates those captures.
bool conflicts_with_legacy(int device);

/// Ends a capture without making a graph, for example when its stream is destroyed.
void abandon(const std::shared_ptr<Capture>& capture);

}  // namespace fake_cuda

/// What a cudaGraph_t points to.
struct CUgraph_st {
  std::vector<fake_cuda::Node> nodes;
};
/// What a cudaGraphExec_t points to.
struct CUgraphExec_st {
  std::vector<fake_cuda::Node> nodes;
};
