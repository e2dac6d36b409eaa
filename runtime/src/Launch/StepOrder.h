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
  /// Steps with the same object wait for each other: launches of one kernel
  /// share its workspaces.
  const void *shared = nullptr;
  /// It runs beside no other step.
  bool isAlone = false;
};

/// Returns, for each step, the earlier ones that it waits for: all with which
/// it shares elements that one of them writes, but for those that others of
/// these wait for. Takes time in proportion to the square of the steps.
std::vector<std::vector<size_t>>
orderSteps(const std::vector<StepAccesses> &steps);

/// The steps of a graph that a stream records. No other thread may record into
/// the stream meanwhile.
class RecordedSteps {
public:
  /// None unless the stream records a graph, by a driver that can change what
  /// its next node depends on (12.3), and waits for whole nodes alone. The
  /// context must be current.
  static Result<std::optional<RecordedSteps>> make(Context::Impl &context,
                                                   Stream stream);

  void setOrder(std::vector<std::vector<size_t>> steps) {
    order = std::move(steps);
  }
  /// Before and after the calls of each step, in their order.
  Status begin();
  Status end();
  /// Makes what comes next in the stream wait for all steps so far, also for
  /// one that has begun and failed.
  Status finish();

private:
  /// The nodes on which the stream's next one depends.
  using Nodes = std::vector<CUgraphNode>;

  RecordedSteps(Context::Impl &context, Stream stream)
      : context(&context), stream(stream) {}
  Result<Nodes> get() const;
  Status set(Nodes nodes) const;

  Context::Impl *context;
  Stream stream;
  Nodes before;              ///< all steps
  std::vector<Nodes> behind; ///< each step
  std::vector<std::vector<size_t>> order;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_STEPORDER_H
