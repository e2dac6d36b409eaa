//===- LLVMPasses.h - LLVM's passes for kernels -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LLVM passes that a kernel runs through between LLVM IR and PTX: those
// that do what ptxas can't do as well, and those that reduce the work of later
// steps. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H
#define CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace carousel {

/// Optimises for the machine. Level 0 does nothing. Levels 1 and 3 are LLVM's
/// pipelines, without passes that find nothing in kernels. Level 2 has the
/// passes that change ptxas's result for kernels, each as often as it does.
/// Once `isCancelled`, if given, returns true, the passes left are left out.
llvm::Error optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                            unsigned level,
                            const std::function<bool()> &isCancelled);

/// Emits the module's PTX. Level 2 leaves more optimisations to ptxas than the
/// other levels.
llvm::Expected<llvm::SmallVector<char, 0>>
generatePTX(llvm::Module &module, llvm::TargetMachine &machine, unsigned level);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H
