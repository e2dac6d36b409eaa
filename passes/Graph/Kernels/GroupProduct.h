//===- GroupProduct.h - a contraction on vectors --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of the loop along the reduced dimension of a product.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPRODUCT_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPRODUCT_H

#include "GroupMemory.h"

namespace carousel {

/// `sum`, with the product of the factors that the op reads added.
mlir::Value multiply(const GroupProgram &program, unsigned op,
                     GroupMemory &memory, GroupVectors &vectors,
                     mlir::Value sum);

/// The registers of a thread for what it has of the products' factors. Threads
/// read tiles of a ring where they need them.
struct FactorDemand {
  int64_t threads;   ///< of a block
  int64_t registers; ///< for factors
  int64_t available; ///< beside sums and addresses

  bool fits() const { return registers <= available; }
};
FactorDemand findFactorDemand(const GroupProgram &program);

/// Whether an op reads a tile of rows that follow each other, of which a
/// program has the first one's number (RowReads.h).
bool isReadInFollowingRows(const GroupProgram &program, unsigned op);

/// Whether an op reads a tile of rows of pages (RowReads.h), which producers
/// copy page by page.
bool isReadInPages(const GroupProgram &program, unsigned op);
/// Whether such an op goes along all rows of the pages that its table has, so
/// that a tile has zeros behind the end. Unknown extents are those of
/// --carousel-join-pages, which goes along all.
bool readsAllPages(const GroupProgram &program, unsigned op);

/// The products of a group: one, or two of one factor.
llvm::SmallVector<unsigned> findProducts(const GroupProgram &program);

/// The bits of an element of the first product's factors.
int64_t findFactorBits(const GroupProgram &program);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPPRODUCT_H
