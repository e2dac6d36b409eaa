//===- TargetMachines.h - LLVM's back ends, made once -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A back end computes its tables when it is made: a hundredth of a kernel's
// compilation. Who compiles again keeps it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_TARGETMACHINES_H
#define CAROUSEL_TARGET_TARGETMACHINES_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <mutex>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace carousel {

/// Target machines that nobody uses at the time. May be used by several
/// threads; a machine may not, so each thread takes one of its own.
class TargetMachines {
public:
  TargetMachines();
  ~TargetMachines();

  /// One for the chip, which was given back or is new; null if this LLVM has
  /// none for the triple.
  std::unique_ptr<llvm::TargetMachine>
  take(llvm::StringRef triple, llvm::StringRef chip, llvm::StringRef features);
  void giveBack(std::unique_ptr<llvm::TargetMachine> machine);

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle;
};

} // namespace carousel

#endif // CAROUSEL_TARGET_TARGETMACHINES_H
