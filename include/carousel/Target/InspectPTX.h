//===- InspectPTX.h - what functions of a PTX text do -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a PTX text and notes, for each function, the kinds of its writes, its
// calls and its stack. A wrong kernel may pass ptxas: one that LLVM has emptied
// because of undefined behaviour, for example.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_INSPECTPTX_H
#define CAROUSEL_TARGET_INSPECTPTX_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/BitmaskEnum.h"

#include <cstdint>
#include <string>
#include <vector>

namespace carousel {

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

/// Kinds of writes. An instruction may be of several.
enum class PTXWrites : uint8_t {
  None = 0,
  Global = 1,     ///< st
  Bulk = 2,       ///< cp.async.bulk and cp.reduce.async.bulk to global memory
  Reductions = 4, ///< red and atom in global memory
  Signals = 8,    ///< st and red with release semantics
  Multimem = 16,  ///< multimem.st and multimem.red
  Shared = 32,    ///< anything to shared memory
  LLVM_MARK_AS_BITMASK_ENUM(Shared)
};

/// The kinds that other kernels and the host see.
inline constexpr PTXWrites kGlobalWrites =
    PTXWrites::Global | PTXWrites::Bulk | PTXWrites::Reductions |
    PTXWrites::Signals | PTXWrites::Multimem;

struct PTXFunction {
  std::string name;
  bool isKernel = false;
  PTXWrites writes = PTXWrites::None;
  bool readsShared = false;
  bool callsIndirectly = false;
  std::vector<std::string> callees;
  int64_t stackBytes = 0; ///< of .local
};

/// The functions that have a body, in order.
std::vector<PTXFunction> inspectPTX(llvm::StringRef ptx);

/// The function with what it calls, directly or not, added to it.
PTXFunction addCallees(const PTXFunction &function,
                       llvm::ArrayRef<PTXFunction> all);

/// The name of a function that calls itself, directly or not; empty if there is
/// none.
std::string findRecursion(llvm::ArrayRef<PTXFunction> all);

} // namespace carousel

#endif // CAROUSEL_TARGET_INSPECTPTX_H
