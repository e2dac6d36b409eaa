//===- HostLowering.h - parts of the lowering to the host -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTLOWERING_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTLOWERING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel::sim {

/// Applies patterns to the ops in an op, and folds them. Leaves blocks as they
/// are: LLVM simplifies these sooner.
mlir::LogicalResult rewriteOps(mlir::Operation *op,
                               mlir::RewritePatternSet patterns);

/// Lowers vector operations to those of LLVM, and memory accesses to plain
/// loads and stores.
mlir::LogicalResult prepareVectors(mlir::ModuleOp module);

/// Lowers arithmetic on narrow floats to arithmetic on f32. Conversions become
/// integer operations, or calls of carousel_sim_convert_float.
mlir::LogicalResult lowerNarrowFloats(mlir::ModuleOp module);

/// Makes calls of the machine's own functions of powers, clamps and classes of
/// floats, and wide arithmetic of ops with two results.
void populateHostMath(mlir::RewritePatternSet &patterns);

/// The result of `compute` for the operands, element by element if `type` is a
/// vector.
mlir::Value computeElements(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
    mlir::ValueRange operands,
    llvm::function_ref<mlir::Value(mlir::ValueRange elements)> compute);
/// Calls a function of the machine's runtime, which only computes.
mlir::Value callHost(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::StringRef name, mlir::ValueRange operands,
                     mlir::Type result);

/// Makes maxima and minima of floats, and reductions to them, out of
/// comparisons and bits: of zeros, the host's instructions take either one.
void populateExpandExtrema(mlir::RewritePatternSet &patterns);

/// A function of the machine's runtime that host code may call.
struct HostSymbol {
  const char *name;
  void *address;
};
/// Conversions of narrow floats. Includes the names that LLVM calls if the
/// processor lacks them.
llvm::ArrayRef<HostSymbol> getFloatSymbols();
/// Powers, clamps and classes of numbers.
llvm::ArrayRef<HostSymbol> getMathSymbols();

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTLOWERING_H
