//===- LowerSignals.h - signals between GPUs --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers signal and wait_signal, by which thread blocks of several GPUs order
// their accesses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_LOWERSIGNALS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_LOWERSIGNALS_H

#include "ThreadValues.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"

namespace carousel {

class SignalLowering {
public:
  SignalLowering(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  void lower(SignalOp signal);
  void lower(WaitSignalOp wait);

private:
  mlir::Value tellOthers(WaitSignalOp wait, mlir::Value leader);

  RingKernel &kernel;
  ThreadValues &threads;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_LOWERSIGNALS_H
