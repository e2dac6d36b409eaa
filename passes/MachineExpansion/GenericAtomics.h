//===- GenericAtomics.h - atomics as compare-and-swap -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref.generic_atomic_rmw repeats its region until no other thread
// interferes. carousel-expand-memory expands it to a loop around two forms of
// the same op, each of which is one instruction:
//
//   %seen = memref.generic_atomic_rmw %m[%i] : memref<8xi32> {  // a load
//   ^bb0(%now: i32):
//     memref.atomic_yield %now : i32
//   }
//   %was = memref.generic_atomic_rmw %m[%i] : memref<8xi32> {   // an exchange
//   ^bb0(%now: i32):
//     %is_seen = arith.cmpi eq, %now, %seen : i32
//     %left = arith.select %is_seen, %next, %now : i32
//     memref.atomic_yield %left : i32
//   }
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_GENERICATOMICS_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_GENERICATOMICS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace carousel {

/// Whether compare-and-swap exists for this element type: integers and floats
/// of 8, 16, 32 or 64 bits.
bool isSwapped(mlir::Type element);

/// Whether the op doesn't change memory.
bool isAtomicLoad(mlir::memref::GenericAtomicRMWOp op);

/// A compare-and-swap: if the element has the bits of the integer `seen`, it
/// becomes `next`.
struct CompareAndSwap {
  mlir::Value seen;
  mlir::Value next;
};
std::optional<CompareAndSwap>
matchCompareAndSwap(mlir::memref::GenericAtomicRMWOp op);

/// Expands other atomics to loops of these two forms.
void populateGenericAtomics(mlir::RewritePatternSet &patterns);

/// Converts both forms to LLVM's instructions, relaxed at gpu scope.
void populateGenericAtomicsToLLVM(const mlir::LLVMTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_GENERICATOMICS_H
