//===- FakeGraphs.cpp - graphs that streams record ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph has what it keeps, objects of the user, which are told when
// destroyGraphs() ends it, and nodes without contents.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

namespace carousel::fake {

std::vector<std::vector<size_t>> getNodes(CUstream stream) {
  State &state = State::get();
  Lock lock(state.mutex);
  std::vector<std::vector<size_t>> list;
  for (const CUgraphNode_st &node : state.recorded.at(stream)->nodes)
    list.push_back(node.dependencies);
  return list;
}

} // namespace carousel::fake

extern "C" {

CUresult CUDAAPI cuStreamGetCaptureInfo(CUstream stream,
                                        CUstreamCaptureStatus *status,
                                        cuuint64_t *id, CUgraph *graph,
                                        const CUgraphNode **dependencies,
                                        const CUgraphEdgeData **edges,
                                        size_t *count) {
  FAKE_ENTER(cuStreamGetCaptureInfo, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  auto found = state.capturing.find(stream);
  bool isCapturing = found != state.capturing.end();
  *status = isCapturing ? found->second : CU_STREAM_CAPTURE_STATUS_NONE;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  CUgraph own = state.recorded[stream];
  if (graph)
    *graph = own;
  if (dependencies)
    *dependencies = own->last.data();
  if (edges)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (count)
    *count = own->last.size();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream stream,
                                                   CUgraphNode *dependencies,
                                                   const CUgraphEdgeData *edges,
                                                   size_t count,
                                                   unsigned flags) {
  FAKE_ENTER(cuStreamUpdateCaptureDependencies, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (state.capturing.count(stream) == 0)
    return CUDA_ERROR_ILLEGAL_STATE;
  CUgraph_st &graph = *state.recorded[stream];
  std::vector<CUgraphNode> last(dependencies, dependencies + count);
  bool areOwn = std::all_of(last.begin(), last.end(), [&](CUgraphNode node) {
    return graph.getNumber(node) < graph.nodes.size();
  });
  if (flags != CU_STREAM_SET_CAPTURE_DEPENDENCIES || edges || !areOwn)
    return CUDA_ERROR_INVALID_VALUE;
  graph.last = std::move(last);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuUserObjectCreate(CUuserObject *object, void *data,
                                    CUhostFn destroy, unsigned references,
                                    unsigned flags) {
  FAKE_ENTER(cuUserObjectCreate, Needs::Driver);
  if (!destroy || references == 0 || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  *object = new CUuserObject_st{data, destroy, references};
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuUserObjectRelease(CUuserObject object, unsigned count) {
  FAKE_ENTER(cuUserObjectRelease, Needs::Driver);
  if (!object || count == 0 || count > object->references)
    return CUDA_ERROR_INVALID_VALUE;
  releaseObject(object, count);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                         unsigned count, unsigned flags) {
  FAKE_ENTER(cuGraphRetainUserObject, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  bool isThere =
      std::any_of(state.graphs.begin(), state.graphs.end(),
                  [&](const CUgraph_st &other) { return &other == graph; });
  if (!isThere || !object || count != 1 || flags != CU_GRAPH_USER_OBJECT_MOVE)
    return CUDA_ERROR_INVALID_VALUE;
  graph->objects.push_back(object);
  return CUDA_SUCCESS;
}

} // extern "C"
