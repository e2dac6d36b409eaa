//===- IterationNumbers.h - numbers for iterations of loops -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a lowered function values that tell the iterations of its loops apart.
// Two threads have the same number in a block if each loop around it is in the
// same iteration for both.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_ITERATIONNUMBERS_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_ITERATIONNUMBERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace carousel::sim {

class IterationNumbers {
public:
  /// Adds an argument of 64 bits to the header of each loop. A cycle with
  /// several entries has no number.
  explicit IterationNumbers(mlir::LLVM::LLVMFuncOp function);

  /// The number of the innermost loop around the block; null if there is none.
  mlir::Value get(mlir::Block *block) const { return numbers.lookup(block); }

private:
  llvm::DenseMap<mlir::Block *, mlir::Value> numbers;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_ITERATIONNUMBERS_H
