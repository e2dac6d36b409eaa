//===- OpRules.h - rules that several verifiers share -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of operands that several families of ops share: element references,
// counts, ranges of bytes. Each emits its error on the op, with the rule and
// the value found. Constraint numbers (C30...) are those of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_DIALECT_IR_OPS_OPRULES_H
#define CAROUSEL_LIB_DIALECT_IR_OPS_OPRULES_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"

namespace carousel {

/// C29: one index per dimension of the memref called `name`.
mlir::LogicalResult verifyIndices(mlir::Operation *op, mlir::MemRefType type,
                                  mlir::ValueRange indices,
                                  llvm::StringRef name);

/// C363, C366, C367: vectors of the shape of `type`, which has the dimension.
mlir::LogicalResult verifyVectorsAlong(mlir::Operation *op,
                                       mlir::VectorType type,
                                       mlir::ValueRange vectors, uint64_t dim);

/// C30: the count called `name` is a value or a literal. With `required` it
/// must be given.
mlir::LogicalResult verifyValueOrLiteral(mlir::Operation *op, mlir::Value value,
                                         std::optional<uint32_t> literal,
                                         llvm::StringRef name,
                                         bool required = true);

/// C40, C41, C42: a literal size is a positive multiple of 16 that fits in the
/// memrefs, whose innermost dimensions are contiguous.
mlir::LogicalResult verifyBulkSize(mlir::Operation *op, mlir::Value size,
                                   std::optional<uint32_t> literal,
                                   llvm::ArrayRef<mlir::MemRefType> memrefs);

/// C41: `bytes` fit in a memref of static shape.
mlir::LogicalResult verifyRoom(mlir::Operation *op, mlir::MemRefType type,
                               int64_t bytes);

/// C42
mlir::LogicalResult verifyContiguous(mlir::Operation *op,
                                     mlir::MemRefType type);

/// C44: both in the CTA's own memory, or both in the cluster's window.
mlir::LogicalResult verifySameWindow(mlir::Operation *op,
                                     mlir::MemRefType destination,
                                     mlir::MemRefType barriers);

/// C43: a multicast goes to an offset in the CTA's own memory.
mlir::LogicalResult verifyMulticast(mlir::Operation *op, mlir::Value mask,
                                    mlir::MemRefType destination);

/// C45, C46: PTX has the reduction into global memory, and the elements hold
/// its type.
mlir::LogicalResult verifyGlobalReduction(mlir::Operation *op, ReduceKind kind,
                                          ReduceType type, mlir::Type element);

/// C45, C46: PTX has the reduction into multicast memory, and the elements hold
/// its type.
mlir::LogicalResult verifyMulticastReduction(mlir::Operation *op,
                                             ReduceKind kind, ReduceType type,
                                             mlir::Type element);

/// C29, C90: the semaphore is one i32 element of its memref.
mlir::LogicalResult verifySemaphore(mlir::Operation *op,
                                    mlir::MemRefType semaphores,
                                    mlir::ValueRange indices,
                                    llvm::StringRef name);

/// C45, C46, C123 to C128, C150, C182: the rules of all loads, and of all
/// stores. `reduce` may be null.
mlir::LogicalResult verifyTileLoad(TransferOpInterface op, OutOfBoundsFill fill,
                                   mlir::Attribute value, ReductionAttr reduce,
                                   bool rounds);
mlir::LogicalResult verifyTileStore(TransferOpInterface op,
                                    ReductionAttr reduce);

/// C132: carousel.pipeline is a #carousel.pipeline on an scf.for.
mlir::LogicalResult verifyPipeline(mlir::Operation *op,
                                   mlir::NamedAttribute attr);

/// The number of bits of an integer or floating-point type, or 0 for other
/// types.
unsigned getElementBits(mlir::Type type);

/// The size in bytes of a memref of static shape, or nullopt.
std::optional<int64_t> getStaticBytes(mlir::MemRefType type);

} // namespace carousel

#endif // CAROUSEL_LIB_DIALECT_IR_OPS_OPRULES_H
