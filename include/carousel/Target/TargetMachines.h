//===- TargetMachines.h - a cache of LLVM's back ends -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creating a back end takes 1 % of a kernel's compilation, because it computes
// tables. Repeated compilations keep it.
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

/// Target machines that no thread uses at the moment. Several threads may use
/// this object. A target machine serves one thread at a time.
class TargetMachines {
public:
  TargetMachines();
  ~TargetMachines();

  /// A machine for the chip, kept or new. Null if this LLVM has no back end for
  /// the triple.
  std::unique_ptr<llvm::TargetMachine>
  take(llvm::StringRef triple, llvm::StringRef chip, llvm::StringRef features);
  void giveBack(std::unique_ptr<llvm::TargetMachine> machine);

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle;
};

} // namespace carousel

#endif // CAROUSEL_TARGET_TARGETMACHINES_H
