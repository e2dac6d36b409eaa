//===- LLVMPasses.h - LLVM's passes, for kernels ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of LLVM's passes a kernel runs through between its LLVM IR and its PTX:
// what ptxas can't do as well, or what makes less of what comes after. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H
#define CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace carousel {

/// Optimises for the machine. Levels: 0, nothing; 1 and 3, LLVM's pipelines of
/// that name, less what finds nothing in kernels; 2, the passes that change
/// what ptxas makes of kernels, each as often as it does.
llvm::Error optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                            unsigned level);

/// The module's PTX. Level 2 leaves more to ptxas than others.
llvm::Expected<llvm::SmallVector<char, 0>>
generatePTX(llvm::Module &module, llvm::TargetMachine &machine, unsigned level);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H
