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
  std::function<void()> work;  ///< done again at each replay, with the host memory as it is then
  std::vector<std::size_t> after;
};

struct Capture {
  cudaStreamCaptureMode mode;
  CUstream_st* origin;
  std::thread::id thread;
  bool is_invalidated = false;
  std::vector<Node> nodes;
};

/// Whether the calling thread may make a potentially unsafe call now. If not, the captures that forbid it are
/// invalidated.
bool may_be_unsafe(const char* call);

/// An illegal use of a capturing stream or event: its capture is invalidated.
cudaError_t invalidate(Capture& capture, cudaError_t error);

/// Adds a node after the ones that `stream` has reached.
void add_node(CUstream_st& stream, std::string what, const char* call, bool is_kernel, std::function<void()> work);

/// Whether a stream of the device captures: those captures are invalidated.
bool invalidate_captures(int device);

/// Whether node `node` is one of `ends`, or comes before one of them.
bool is_before(const Capture& capture, std::size_t node, const std::vector<std::size_t>& ends);

/// Whether a blocking stream of the device captures, which forbids all use of its legacy default stream.
bool forbids_legacy(int device);
/// For work on the legacy default stream: as forbids_legacy(), and those captures are invalidated.
bool conflicts_with_legacy(int device);

/// Ends a capture without a graph, as when its stream is destroyed.
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
