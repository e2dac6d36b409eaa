//===- LibraryEpilogues.h - what a library does with sums -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementwise op after a product that the library's call can compute, too:
// it adds a bias and a residual, applies a function, and rounds once.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_LIBRARIES_LIBRARYEPILOGUES_H
#define CAROUSEL_PASSES_GRAPH_LIBRARIES_LIBRARYEPILOGUES_H

#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace carousel {

struct LibraryEpilogue {
  mlir::linalg::GenericOp op;
  /// Between the product and the op, in their order.
  llvm::SmallVector<mlir::Operation *> reshapes;
  /// Operands of the op, or null.
  mlir::OpOperand *bias = nullptr, *residual = nullptr;
  LibraryFunction function = LibraryFunction::Identity;
  /// The element type of the call's result.
  mlir::Type element;
  /// The op's elements are f32, and all that read them round them first.
  bool isRoundedByReaders = false;
  /// The call's n is the product's m: what is added goes along it.
  bool isSwapped = false;

  /// "bias, residual, gelu"
  std::string describe() const;
};

/// The op that alone reads a product, behind reshapes, if it is elementwise; or
/// null.
mlir::linalg::GenericOp findElementwiseReader(mlir::linalg::GenericOp product);

/// Null, with the reason in `refusal`, if the call can't compute that reader.
std::optional<LibraryEpilogue> findEpilogue(mlir::linalg::GenericOp product,
                                            const LibraryProduct &loops,
                                            std::string &refusal);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_LIBRARIES_LIBRARYEPILOGUES_H
