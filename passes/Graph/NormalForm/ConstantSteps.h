//===- ConstantSteps.h - bodies of ops on bits ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the body of a structured op for one element after another.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_CONSTANTSTEPS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_CONSTANTSTEPS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/APInt.h"

#include <functional>
#include <optional>

namespace carousel {

class ConstantSteps {
public:
  /// Nothing if the body has an op whose bits the compiler doesn't know, such
  /// as those of math, and those with fast-math flags.
  static std::optional<ConstantSteps> read(mlir::Block *body);

  size_t size() const { return steps.size(); }

  /// The yielded value for elements of the inputs, and numbers of loops.
  /// Nothing if a value is NaN, whose bits kernels choose.
  std::optional<llvm::APInt> run(llvm::ArrayRef<llvm::APInt> elements,
                                 llvm::ArrayRef<int64_t> loops);

private:
  using Evaluate =
      std::function<std::optional<llvm::APInt>(llvm::ArrayRef<llvm::APInt>)>;

  static Evaluate find(mlir::Operation *op);

  struct Step {
    Evaluate evaluate;
    llvm::SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  /// The place of a value; nothing for one that isn't known.
  std::optional<unsigned> place(mlir::Value value);

  llvm::DenseMap<mlir::Value, unsigned> places;
  std::vector<llvm::APInt> values;
  std::vector<Step> steps;
  llvm::SmallVector<std::pair<unsigned, unsigned>> loopValues;
  unsigned yielded = 0;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_CONSTANTSTEPS_H
