//===- ConvergentCalls.h - what threads execute together --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of a warp must execute the same instruction with `.sync` or
// `.aligned`: PTX ISA, "Aligned" and "Synchronizing" forms. A pass of LLVM may
// copy one into consecutive iterations, and not into two branches. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_CONVERGENTCALLS_H
#define CAROUSEL_LIB_TARGET_PTX_CONVERGENTCALLS_H

#include <cstddef>
#include <optional>
#include <string>

namespace llvm {
class Module;
class StringRef;
} // namespace llvm

namespace carousel {

/// Tells LLVM of inline assembly with such instructions, and gives each
/// convergent call of a kernel a number, which its copies keep.
void markConvergentCalls(llvm::Module &module);

struct DivergentCopies {
  std::string function, instruction;
};

/// The first call with two copies of which threads execute one or the other:
/// within an iteration, no way goes from one to the other.
std::optional<DivergentCopies> findDivergentCopies(llvm::Module &module);

/// How often the inline assembly of a module, or of its PTX, has these forms.
size_t countAlignedForms(const llvm::Module &module);
size_t countAlignedForms(llvm::StringRef ptx);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_CONVERGENTCALLS_H
