//===- LowerSerialize.h - turns and tickets become machine ops --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers serialize and grid.ticket, by which the thread blocks of a grid take
// turns and draw numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_LOWERSERIALIZE_H
#define CAROUSEL_PASSES_RINGTOMACHINE_LOWERSERIALIZE_H

#include "ThreadValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

class SerializeLowering {
public:
  SerializeLowering(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  void lower(SerializeOp turns);
  void lower(GridTicketOp ticket);

private:
  mlir::Value createNumber(GridTicketOp ticket);
  mlir::Value readNumber(mlir::ImplicitLocOpBuilder &b, GridTicketOp ticket,
                         mlir::Value shared);
  void lowerBranch(mlir::scf::IfOp branch, GridTicketOp ticket,
                   mlir::Operation *firstUse);

  RingKernel &kernel;
  ThreadValues &threads;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_LOWERSERIALIZE_H
