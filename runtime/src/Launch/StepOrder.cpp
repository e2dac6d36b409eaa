//===- StepOrder.cpp - which steps of a program wait for which ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StepOrder.h.
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"

#include <algorithm>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static bool conflict(const StepAccesses &lhs, const StepAccesses &rhs) {
  if (lhs.isAlone || rhs.isAlone || (lhs.own && lhs.own == rhs.own))
    return true;
  for (const StepAccess &one : lhs.list)
    for (const StepAccess &other : rhs.list)
      if ((one.isWrite || other.isWrite) &&
          mayShareElements(one.view, one.address, other.view, other.address))
        return true;
  return false;
}

std::vector<std::vector<size_t>>
orderSteps(const std::vector<StepAccesses> &steps) {
  std::vector<std::vector<size_t>> order(steps.size());
  // Those that a step waits for, and those that these wait for.
  std::vector<std::vector<bool>> all(steps.size());
  for (size_t step = 0; step < steps.size(); ++step) {
    all[step].resize(steps.size());
    // From the latest one back, so that what it waits for is known.
    for (size_t earlier = step; earlier-- > 0;) {
      if (all[step][earlier] || !conflict(steps[step], steps[earlier]))
        continue;
      order[step].push_back(earlier);
      all[step][earlier] = true;
      for (size_t first = 0; first < earlier; ++first)
        all[step][first] = all[step][first] || all[earlier][first];
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void RecordedSteps::Nodes::add(const Nodes &other) {
  for (size_t i = 0; i < other.nodes.size(); ++i) {
    if (std::find(nodes.begin(), nodes.end(), other.nodes[i]) != nodes.end())
      continue;
    nodes.push_back(other.nodes[i]);
    edges.push_back(other.edges[i]);
  }
}

Result<CUstreamCaptureStatus> RecordedSteps::get(Nodes &nodes) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *list = nullptr;
  const CUgraphEdgeData *edges = nullptr;
  size_t count = 0;
  CUresult result = context->driver->cuStreamGetCaptureInfo(
      stream, &status, nullptr, nullptr, &list, &edges, &count);
  // The default stream, while another one records: its launch says so.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    return CU_STREAM_CAPTURE_STATUS_NONE;
  CAROUSEL_TRY(context->check(result, "cuStreamGetCaptureInfo"));
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    nodes.nodes.assign(list, list + count);
    nodes.edges.assign(count, CUgraphEdgeData());
    if (edges)
      nodes.edges.assign(edges, edges + count);
  }
  return status;
}

Status RecordedSteps::set(Nodes nodes) const {
  return context->check(context->driver->cuStreamUpdateCaptureDependencies(
                            stream, nodes.nodes.data(), nodes.edges.data(),
                            nodes.nodes.size(),
                            CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                        "cuStreamUpdateCaptureDependencies");
}

Result<std::optional<RecordedSteps>> RecordedSteps::make(Context::Impl &context,
                                                         Stream stream) {
  const DriverTable &driver = *context.driver;
  if (!driver.cuStreamGetCaptureInfo ||
      !driver.cuStreamUpdateCaptureDependencies)
    return std::nullopt;
  RecordedSteps steps(context, stream);
  CAROUSEL_TRY_ASSIGN(CUstreamCaptureStatus status, steps.get(steps.before));
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return std::nullopt;
  return steps;
}

Status RecordedSteps::begin() {
  const std::vector<size_t> &earlier = order[behind.size()];
  Nodes nodes;
  for (size_t step : earlier)
    nodes.add(behind[step]);
  return set(earlier.empty() ? before : nodes);
}

Status RecordedSteps::end() {
  Nodes nodes;
  CAROUSEL_TRY(get(nodes));
  behind.push_back(std::move(nodes));
  return {};
}

Status RecordedSteps::finish() {
  std::vector<bool> isLast(behind.size(), true);
  for (const std::vector<size_t> &earlier : order)
    for (size_t step : earlier)
      isLast[step] = false;
  Nodes nodes;
  for (size_t step = 0; step < behind.size(); ++step)
    if (isLast[step])
      nodes.add(behind[step]);
  return set(behind.empty() ? before : nodes);
}

} // namespace carousel::runtime
