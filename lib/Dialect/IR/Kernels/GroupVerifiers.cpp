//===- GroupVerifiers.cpp - groups and their schedules --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C360 and C361 of docs/Spec.md. Whether a schedule fits the group's ops is for
// passes to check.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace carousel;

/// More than vectors of any kernel have.
static constexpr int64_t kMostElements = 1 << 20;

// C360
LogicalResult GroupScheduleAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ScheduleFamily,
    ArrayRef<ScheduledDimAttr> dims, bool, std::optional<int64_t> covered,
    std::optional<int64_t> few, std::optional<int64_t> fewRows,
    DivisionAttr division) {
  llvm::SmallSet<int64_t, 8> known;
  for (ScheduledDimAttr dim : dims) {
    if (dim.getTile() < 1 || dim.getTile() > kMostElements)
      return emitError() << "expected tiles of 1 to " << kMostElements
                         << " elements, got " << dim.getTile();
    for (int64_t own : dim.getDims())
      if (own < 0 || !known.insert(own).second)
        return emitError() << "expected each dimension of the group once, got "
                           << own << (own < 0 ? "" : " twice");
  }
  std::optional<int64_t> divided;
  if (division) {
    divided = division.getPosition();
    for (int64_t number :
         {division.getStepElements(), division.getStepIterations(),
          division.getLeastLength(), division.getMostParts()})
      if (number < 1)
        return emitError() << "expected a division by numbers above 0, got "
                           << division;
  }
  for (std::optional<int64_t> position : {covered, few, fewRows, divided})
    if (position && (*position < 0 || size_t(*position) >= dims.size()))
      return emitError() << "expected a position below the number of dims, "
                         << dims.size() << ", got " << *position;
  return success();
}

/// C361: the values of a block's edge.
static LogicalResult verifyTypes(GroupOp op, TypeRange inside,
                                 TypeRange outside, StringRef what) {
  if (inside == outside)
    return success();
  return op.emitOpError("expected the region's ")
         << what << " to have the types of the op's, got " << inside << " and "
         << outside;
}

// C361
LogicalResult GroupOp::verifyRegions() {
  if (getKernel().empty())
    return emitOpError("expected a kernel with a name, got an empty one");
  Block &body = getBody().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return emitOpError("expected a region that ends with carousel.yield, got ")
           << body.getTerminator()->getName();
  if (failed(verifyTypes(*this, body.getArgumentTypes(), getInputs().getTypes(),
                         "arguments")) ||
      failed(verifyTypes(*this, yield.getOperandTypes(), getResultTypes(),
                         "results")))
    return failure();
  ArrayAttr schedules = getSchedulesAttr();
  if (!schedules)
    return success();
  if (schedules.empty())
    return emitOpError("expected one schedule or more, got none");
  auto last = cast<GroupScheduleAttr>(schedules.getValue().back());
  if (schedules.size() > 1 && (last.getFewRows() || last.getDivision()))
    return emitOpError("expected the last of several schedules to be for all "
                       "launches, got ")
           << last;
  return success();
}
