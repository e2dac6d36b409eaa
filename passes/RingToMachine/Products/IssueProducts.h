//===- IssueProducts.h - the instructions of one product --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A carousel.multiply as wgmma.mma: one for each 64 rows of its sums and each
// 32 bytes of k. A tile with a swizzle lies in memory as panels of one span,
// which are the blocks of a descriptor.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_ISSUEPRODUCTS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_ISSUEPRODUCTS_H

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// The sums of each 64 rows. `sums` has the elements of the op's sums, maybe in
/// another shape.
llvm::SmallVector<mlir::Value> splitSums(mlir::ImplicitLocOpBuilder &b,
                                         MultiplyOp op, mlir::Value sums);
/// The reverse, as a vector of type `to`.
mlir::Value joinSums(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange pieces,
                     mlir::VectorType to);

/// Instructions of a product that follow each other along k.
struct Instructions {
  int64_t begin = 0, count = 0;
};

Instructions getAllInstructions(MultiplyOp op);

/// A first factor that threads have, as registers of these instructions: for
/// each 64 rows those of each instruction's k, four words.
llvm::SmallVector<mlir::Value> splitFactor(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value factor,
                                           Instructions instructions);

/// Issues instructions. `registers` has the sums of each 64 rows, as
/// wgmma.fence gives them; so does the result. `factor` has what
/// `splitFactor` gives for them, fenced, if the first factor isn't in a tile.
llvm::SmallVector<mlir::Value> issueProducts(mlir::ImplicitLocOpBuilder &b,
                                             MultiplyOp op,
                                             mlir::ValueRange registers,
                                             mlir::ValueRange factor,
                                             Instructions instructions);

/// The sums that a product adds to, for each 64 rows; of poison if its first
/// instructions overwrite them.
llvm::SmallVector<mlir::Value> startSums(mlir::ImplicitLocOpBuilder &b,
                                         MultiplyOp op);

/// Whether the sums that a product adds to are zeros.
bool addsToZero(MultiplyOp op);

/// Whether a product that is promoted has one part, which is added to zeros. It
/// is a product like others then.
bool isOnePromotedPart(MultiplyOp op);

/// Issues the parts of a product that is promoted, waits for them at the op's
/// place, and erases the op.
void lowerPromoted(MultiplyOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_ISSUEPRODUCTS_H
