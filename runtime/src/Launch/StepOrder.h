//===- StepOrder.h - which steps of a program wait for which ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps of a program start in their order in one stream. In a graph that the
// stream records, a step depends on those alone whose memory it shares, so that
// others run at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_STEPORDER_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_STEPORDER_H

#include "Context/ContextImpl.h"
#include "Package/StepRules.h"

#include <optional>
#include <vector>

namespace carousel::runtime {

/// Elements that a step reads or writes.
struct StepAccess {
  StepView view;
  uint64_t address = 0; ///< of the first element
  bool isWrite = false;
};

struct StepAccesses {
  std::vector<StepAccess> list;
  /// Whose own memory it writes, if any: launches of one kernel share it.
  const void *own = nullptr;
  /// It runs beside no other step.
  bool isAlone = false;
};

/// Returns, for each step, the earlier ones that it waits for: all with which
/// it shares elements that one of them writes, but for those that others of
/// these wait for. Takes time in proportion to the square of the steps.
///
/// Products of a library share their scratch. Two at a time would delay each
/// other: on an H200, f32's of 128 x 768 x 2304 and 768 x 2304 x 128 take 49 us
/// side by side, and 37 in turn.
std::vector<std::vector<size_t>>
orderSteps(const std::vector<StepAccesses> &steps);

/// The steps of a graph that a stream records.
class RecordedSteps {
public:
  /// None unless the stream records a graph, by a driver that can change what
  /// its next node depends on (12.3). The context must be current.
  static Result<std::optional<RecordedSteps>> make(Context::Impl &context,
                                                   Stream stream);

  void setOrder(std::vector<std::vector<size_t>> steps) {
    order = std::move(steps);
  }
  /// Before and after the calls of each step, in their order.
  Status begin();
  Status end();
  /// Makes what comes next in the stream wait for all steps.
  Status finish();

private:
  /// Nodes that what comes next depends on.
  struct Nodes {
    std::vector<CUgraphNode> nodes;
    std::vector<CUgraphEdgeData> edges; ///< of each

    void add(const Nodes &other);
  };

  RecordedSteps(Context::Impl &context, Stream stream)
      : context(&context), stream(stream) {}
  Result<CUstreamCaptureStatus> get(Nodes &nodes) const;
  Status set(Nodes nodes) const;

  Context::Impl *context;
  Stream stream;
  Nodes before;              ///< all steps
  std::vector<Nodes> behind; ///< each step
  std::vector<std::vector<size_t>> order;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_STEPORDER_H
