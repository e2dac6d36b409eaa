//===- AccessTransfers.h - which accesses are transfers ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the vectors of a block program that engines copy to and from tiles,
// and counts the shared memory that takes: docs/BlockPhase.md, The planner, 5.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_ACCESSTRANSFERS_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_ACCESSTRANSFERS_H

#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "carousel/Support/Misses.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/VectorInterfaces.h"

#include <string>

namespace carousel {

/// The bits of a vector's or memref's element, 64 for an index.
int64_t getElementBits(mlir::ShapedType type);

/// Whether a loop of a block program is one in which a CTA goes through
/// programs: from its own number on, by the grid's size.
bool isLoopOverPrograms(mlir::Operation *loop);

/// Whether the op is in a loop that is to be pipelined.
bool isPipelined(mlir::Operation *op);

/// Whether the op writes rows of a table that reduce.
bool isReducingWrite(mlir::VectorTransferOpInterface op);
/// Whether the vector is a box of its memref: its dimensions are the memref's
/// in their order, up to the last one. Those between them that it omits have an
/// extent of 1 in the box.
bool isBox(mlir::VectorTransferOpInterface op);
/// The extents of such a box, without those before the vector's first
/// dimension, for a vector or a part of it of that shape.
llvm::SmallVector<int64_t> getBoxShape(mlir::VectorTransferOpInterface op,
                                       llvm::ArrayRef<int64_t> shape);
/// Whether a transfer of a tile makes the access. It is of a box without a
/// mask, and is pipelined, writes fragments of a product or reduces. A write
/// visibly doesn't begin before its memref.
bool becomesTransfer(mlir::VectorTransferOpInterface op);
/// The read whose tile a program's write of a product takes: of a box like its
/// own, in a loop over programs whose transfers have one slot. The tile is
/// loaded while the product is computed, changed in place by the threads that
/// have its elements, and stored. Null if there is none.
mlir::vector::TransferReadOp
findReadInPlace(mlir::VectorTransferOpInterface write);
/// Whether a write takes the tile of the read.
bool isReadInPlace(mlir::VectorTransferOpInterface read);
/// Whether another op than `access` may access its memory, or write it.
/// Transfers of constant ranges that have no element in common don't.
bool isAccessedElsewhere(mlir::Operation *access, mlir::Value memref,
                         bool byWrites = false);
/// Into how many parts, one after the other, a write of a product by warpgroups
/// is divided along its rows, so that its tile fits beside the slots: 1, 2
/// or 4.
int64_t countTileParts(mlir::VectorTransferOpInterface op);
/// The bytes of the slots that a transfer has, as many as its loop asks for or
/// two; or of its only tile, which may have a part.
int64_t countSlotBytes(mlir::VectorTransferOpInterface op);
/// Why a read of global memory in a pipelined loop has no ring; or none.
Obstacle explainNoRing(mlir::Operation *op);
/// Why threads make a write that otherwise an engine would; or an empty string.
std::string explainNoTransfer(mlir::VectorTransferOpInterface op);

/// The threads of the kernel's launch, or one warpgroup if these aren't known
/// yet.
ThreadBits findThreads(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_ACCESSTRANSFERS_H
