//===- RoundingReaders.h - who rounds a tensor first ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_LIBRARIES_ROUNDINGREADERS_H
#define CAROUSEL_PASSES_GRAPH_LIBRARIES_ROUNDINGREADERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// The readers of a tensor, if all round it to one type before anything else.
class RoundingReaders {
public:
  RoundingReaders(mlir::Value tensor, mlir::Type rounded);

  explicit operator bool() const { return areAll; }

  /// Makes them read elements that are rounded.
  void rewrite();

private:
  void collect(mlir::Value tensor);
  bool isRounded(mlir::linalg::GenericOp op, mlir::OpOperand &use);

  mlir::Type rounded;
  bool areAll;
  llvm::SmallVector<mlir::Value> reshapes;
  llvm::SmallVector<mlir::BlockArgument> elements;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_LIBRARIES_ROUNDINGREADERS_H
