//===- StepRules.h - what steps of programs may work on ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/Package.md for the views of steps, once their numbers are
// known: when the manifest is read if they are constants, or at the launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_STEPRULES_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_STEPRULES_H

#include "carousel/Runtime/Manifest.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel::runtime {

/// The elements of an operand, with their numbers.
struct StepView {
  std::vector<int64_t> extents, strides; ///< outermost first, in elements
  int64_t offset = 0; ///< of the first element in its base, in bytes
  int64_t elementBytes = 1;

  bool isEmpty() const;
};

/// The numbers of a view whose expressions are all constants.
std::optional<StepView> getConstantView(const OperandInfo &operand);

/// The bytes from the first element of the operand's argument or constant to
/// the end of its last one, where the manifest says them.
std::optional<int64_t> getConstantReach(const OperandInfo &operand,
                                        const ProgramInfo &program);

/// Why no step can work on the view: an extent is negative, or its elements are
/// not all within the first `reach` bytes of what it is a view of. Any reach if
/// there is none given.
std::optional<std::string> explainView(const StepView &view,
                                       const OperandInfo &operand,
                                       const ProgramInfo &program,
                                       std::optional<int64_t> reach);

/// Whether each dimension steps over all elements of those with smaller
/// strides. So no element has two indices, and there are no more elements than
/// memory. The view must be one that explainView has nothing against.
bool isNested(const StepView &view);
std::string explainNotNested(const StepView &view);

/// Why a library can't have the bytes of the view as its memory: there are
/// others between them.
std::optional<std::string> explainScratch(const StepView &view);

/// Why no step can work on elements that begin at this address, or at one that
/// is congruent to it for all multiples of `granule`.
std::optional<std::string> explainAlignment(const StepView &view,
                                            const OperandInfo &operand,
                                            const ProgramInfo &program,
                                            uint64_t address,
                                            uint64_t granule = 256);

/// Whether two views may share an element, if their first elements lie at these
/// addresses, and whether they are the same.
bool mayShareElements(const StepView &lhs, uint64_t lhsAddress,
                      const StepView &rhs, uint64_t rhsAddress);
bool isSame(const StepView &lhs, uint64_t lhsAddress, const StepView &rhs,
            uint64_t rhsAddress);
/// `base`: what is read, or the library's memory.
std::string explainSharing(const std::string &base);

/// "x", "constant 3".
std::string describeBase(const OperandInfo &operand,
                         const ProgramInfo &program);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_STEPRULES_H
