//===- CopyIssue.h - parts that issue copies --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts that an instruction uses to make an operation and to issue it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_COPYISSUE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_COPYISSUE_H

#include "../Engine/AsyncEngine.h"
#include "CopyOperands.h"

namespace carousel::sim {

struct CopyIssue {
  /// Issues in the bulk group of the running thread that is open.
  void issueInBulkGroup(AsyncOperation &operation) {
    engine.issue(operation, &ctas.stateOf(context.grid.current()).bulk,
                 kGlobalLatency);
  }

  AsyncContext &context;
  ResidentCTAs &ctas;
  OperationTable &operations;
  MbarrierArrivals &arrivals;
  CopyOperands &operands;
  AsyncEngine &engine;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_COPYISSUE_H
