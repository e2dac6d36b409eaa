//===- LowerRoles.h - roles become branches ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers ring.roles to a branch on the thread's number, with changes of
// register counts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_LOWERROLES_H
#define CAROUSEL_PASSES_RINGTOMACHINE_LOWERROLES_H

#include "ThreadValues.h"

namespace carousel {

class RoleLowering {
public:
  RoleLowering(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  void lower(RingRolesOp roles);
  /// Register counts of roles that the target can't set.
  llvm::ArrayRef<int64_t> getSkippedRegisters() const {
    return skippedRegisters;
  }

private:
  void setRegistersAtEntry(RingRolesOp roles);

  RingKernel &kernel;
  ThreadValues &threads;
  llvm::SmallVector<int64_t> skippedRegisters;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_LOWERROLES_H
