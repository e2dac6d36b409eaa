//===- HostLowering.h - parts of the lowering to the host -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTLOWERING_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTLOWERING_H

#include "mlir/IR/BuiltinOps.h"

namespace carousel::sim {

/// Vector operations to those of LLVM, memory accesses to plain ones.
mlir::LogicalResult prepareVectors(mlir::ModuleOp module);

/// Arithmetic of narrow floats to that of f32, and their conversions to
/// integer operations or to calls of carousel_sim_convert_float.
mlir::LogicalResult lowerNarrowFloats(mlir::ModuleOp module);

/// A function of the machine's run time that host code may call.
struct HostSymbol {
  const char *name;
  void *address;
};
/// Conversions of narrow floats, also under the names that LLVM calls where the
/// processor lacks them.
llvm::ArrayRef<HostSymbol> getFloatSymbols();

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTLOWERING_H
