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
  if (lhs.isAlone || rhs.isAlone || (lhs.shared && lhs.shared == rhs.shared))
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
    // The latest one comes first, and brings those that it waits for.
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

/// Each node once.
static void append(std::vector<CUgraphNode> &nodes,
                   const std::vector<CUgraphNode> &others) {
  for (CUgraphNode other : others)
    if (std::find(nodes.begin(), nodes.end(), other) == nodes.end())
      nodes.push_back(other);
}

Result<RecordedSteps::Nodes> RecordedSteps::get() const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *list = nullptr;
  size_t count = 0;
  CAROUSEL_TRY(context->check(
      context->driver->cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr,
                                              &list, nullptr, &count),
      "cuStreamGetCaptureInfo"));
  return Nodes(list, list + count);
}

Status RecordedSteps::set(Nodes nodes) const {
  return context->check(context->driver->cuStreamUpdateCaptureDependencies(
                            stream, nodes.data(), nullptr, nodes.size(),
                            CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                        "cuStreamUpdateCaptureDependencies");
}

Result<std::optional<RecordedSteps>> RecordedSteps::make(Context::Impl &context,
                                                         Stream stream) {
  const DriverTable &driver = *context.driver;
  if (!driver.cuStreamGetCaptureInfo ||
      !driver.cuStreamUpdateCaptureDependencies)
    return std::nullopt;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *list = nullptr;
  size_t count = 0;
  CUresult result = driver.cuStreamGetCaptureInfo(
      stream, &status, nullptr, nullptr, &list, nullptr, &count);
  // The default stream, while another one records: its launch says so. The
  // next node waits for parts of others: the steps keep to a row.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
      result == CUDA_ERROR_LOSSY_QUERY)
    return std::nullopt;
  CAROUSEL_TRY(context.check(result, "cuStreamGetCaptureInfo"));
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return std::nullopt;
  RecordedSteps steps(context, stream);
  steps.before.assign(list, list + count);
  return steps;
}

Status RecordedSteps::begin() {
  const std::vector<size_t> &earlier = order[behind.size()];
  Nodes nodes;
  for (size_t step : earlier)
    append(nodes, behind[step]);
  return set(earlier.empty() ? before : nodes);
}

Status RecordedSteps::end() {
  CAROUSEL_TRY_ASSIGN(Nodes nodes, get());
  behind.push_back(std::move(nodes));
  return {};
}

Status RecordedSteps::finish() {
  // Those of the last step, or of one that failed.
  CAROUSEL_TRY_ASSIGN(Nodes nodes, get());
  std::vector<bool> isLast(behind.size(), true);
  for (size_t step = 0; step < behind.size(); ++step)
    for (size_t earlier : order[step])
      isLast[earlier] = false;
  for (size_t step = 0; step < behind.size(); ++step)
    if (isLast[step])
      append(nodes, behind[step]);
  return set(std::move(nodes));
}

} // namespace carousel::runtime
