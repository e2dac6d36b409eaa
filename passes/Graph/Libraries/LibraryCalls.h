//===- LibraryCalls.h - calls of a library in a graph -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_LIBRARIES_LIBRARYCALLS_H
#define CAROUSEL_PASSES_GRAPH_LIBRARIES_LIBRARYCALLS_H

#include "LibraryEpilogues.h"

namespace carousel {

/// A product that a library computes.
struct LibraryCandidate {
  mlir::linalg::GenericOp op;
  LibraryProduct product;
  /// By factor: its loops in the order of its copy; empty if there is none.
  std::array<llvm::SmallVector<std::optional<unsigned>>, 2> packed = {};
  std::optional<LibraryEpilogue> epilogue = {};
};

/// Replaces the product, and the op of its epilogue, by a call.
void writeLibraryCall(const LibraryCandidate &candidate, bool usesTF32);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_LIBRARIES_LIBRARYCALLS_H
