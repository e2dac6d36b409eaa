//===- LLVMPasses.h - LLVM IR between MLIR and PTX --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LLVM passes that a kernel runs through between LLVM IR and PTX: those
// that do what ptxas can't do as well, and those that reduce the work of later
// steps; and what is done to the IR before and after them. Private.
//
// LLVM accepts a call whose type isn't that of the function, and the NVPTX back
// end makes an indirect call of it, whose results are wrong. A thread's stack
// is in memory, so that a vector which the back end puts there costs as much as
// a spill. Poison becomes some value wherever it would reach memory, an address
// or a branch: a write that LLVM removes of it, too, never happens or changes
// nothing; one that stays was removed for undefined behaviour.
//
// All threads of a warp must execute the same instruction with `.sync` or
// `.aligned`: PTX ISA, "Aligned" and "Synchronizing" forms. A pass of LLVM may
// copy one into consecutive iterations, and not into two branches.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H
#define CAROUSEL_LIB_TARGET_PTX_LLVMPASSES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// A call whose type isn't its callee's.
struct BadCall {
  std::string caller, callee, wanted, found;
};

/// The first one of a module that libraries are linked to.
std::optional<BadCall> findBadCall(const llvm::Module &module);

} // namespace carousel

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// The functions that ask for a stack, or call one that does: they allocate, or
/// take elements of vectors at positions that only the run knows. The module is
/// as it was translated, with its libraries.
llvm::StringSet<> findStackUsers(const llvm::Module &module);

} // namespace carousel

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// Before any optimisation, which then knows nothing of conditions. What global
/// memory and a launch's arguments hold counts as defined.
void defineWrites(llvm::Module &module);

/// After an optimisation, and before another one: all conditions but those that
/// have turned out to be poison are known again.
void showConditions(llvm::Module &module);

} // namespace carousel

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

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// Makes nontemporal loads of global memory, of 2 to 16 bytes, ld.global with
/// L1::no_allocate (PTX ISA: ld), in functions that write few bytes. Their data
/// is read once, and would evict what is read again.
void lowerStreamingLoads(llvm::Module &module);

} // namespace carousel

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
