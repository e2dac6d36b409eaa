//===- PTXForms.h - the machine's numbers for modifiers ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of an instruction's words to the asynchronous machine.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_PTXFORMS_H
#define CAROUSEL_LIB_SIMULATOR_PTX_PTXFORMS_H

#include "carousel/PTX/Instruction.h"

#include <optional>

namespace carousel::sim {

/// An atomic's operation: a number of ReduceKind, or one of these.
enum AtomicKind : int32_t { kAtomicExchange = 100, kAtomicCompareAndSwap };

std::optional<int32_t> getAtomicKind(const ptx::Instruction &instruction);
/// A number of ReduceKind.
std::optional<int32_t> getReduceKind(const ptx::Instruction &instruction);
/// A number of ReduceType. Sums of f32 flush subnormals where threads make them
/// in global memory; atomics in shared memory and bulk reductions keep them.
std::optional<int32_t> getReduceType(ptx::Type type, bool keepsSubnormals);
/// Numbers of MemSemantics and MemScope.
int32_t getSemantics(const ptx::Instruction &instruction, int32_t otherwise);
int32_t getScope(const ptx::Instruction &instruction, int32_t otherwise);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_PTXFORMS_H
