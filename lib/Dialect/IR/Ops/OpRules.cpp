//===- OpRules.cpp - rules that several verifiers share -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OpRules.h.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace carousel {

LogicalResult verifyIndices(Operation *op, MemRefType type, ValueRange indices,
                            StringRef name) {
  if (static_cast<int64_t>(indices.size()) == type.getRank())
    return success();
  return op->emitOpError() << "expected one index per dimension of the " << name
                           << ", got " << indices.size() << " for rank "
                           << type.getRank();
}

LogicalResult verifyVectorsAlong(Operation *op, VectorType type,
                                 ValueRange vectors, uint64_t dim) {
  for (Type other : vectors.getTypes())
    if (auto vector = cast<VectorType>(other);
        vector.getShape() != type.getShape() || vector.isScalable())
      return op->emitOpError("expected vectors of one shape, got ")
             << type << " and " << vector;
  if (static_cast<int64_t>(dim) >= type.getRank())
    return op->emitOpError("expected dim to be a dimension of ")
           << type << ", got " << dim;
  return success();
}

LogicalResult verifyValueOrLiteral(Operation *op, Value value,
                                   std::optional<uint32_t> literal,
                                   StringRef name, bool required) {
  if (value && literal)
    return op->emitOpError()
           << "expected the " << name << " as a value or a literal, got both";
  if (required && !value && !literal)
    return op->emitOpError()
           << "expected the " << name << " as a value or a literal, got none";
  return success();
}

unsigned getElementBits(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

std::optional<int64_t> getStaticBytes(MemRefType type) {
  unsigned bits = getElementBits(type.getElementType());
  if (isa<TensorMapType>(type.getElementType()))
    bits = 8 * rules::kTensorMapBytes;
  if (bits == 0 || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  int64_t total = bits;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(total, extent, total))
      return std::nullopt;
  return total / 8;
}

/// The number of consecutive bytes from an element of the innermost dimension
/// on, if the static layout determines it; otherwise nullopt.
static std::optional<int64_t> getConsecutiveBytes(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  unsigned bits = getElementBits(type.getElementType());
  if (bits == 0 || type.getLayout().isIdentity() || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t run = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (ShapedType::isDynamic(strides[dim]))
      return std::nullopt;
    if (strides[dim] != run)
      return run * bits / 8;
    if (llvm::MulOverflow(run, type.getDimSize(dim), run))
      return std::nullopt;
  }
  return run * bits / 8;
}

LogicalResult verifyRoom(Operation *op, MemRefType type, int64_t bytes) {
  if (std::optional<int64_t> room = getStaticBytes(type))
    if (bytes > *room)
      return op->emitOpError() << "expected at most the " << *room
                               << " bytes of " << type << ", got " << bytes;
  if (std::optional<int64_t> run = getConsecutiveBytes(type))
    if (bytes > *run)
      return op->emitOpError()
             << "expected at most the " << *run << " consecutive bytes of "
             << type << ", got " << bytes;
  return success();
}

LogicalResult verifyContiguous(Operation *op, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op->emitOpError() << "expected a strided layout, got " << type;
  if (strides.empty() || strides.back() == 1)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("expected a contiguous innermost dimension, got ");
  if (ShapedType::isDynamic(strides.back()))
    return diag << "a dynamic stride in " << type;
  return diag << "stride " << strides.back() << " in " << type;
}

LogicalResult verifyBulkSize(Operation *op, Value size,
                             std::optional<uint32_t> literal,
                             ArrayRef<MemRefType> memrefs) {
  if (failed(verifyValueOrLiteral(op, size, literal, "size")))
    return failure();
  int64_t bytes = static_cast<int32_t>(literal.value_or(rules::kBulkGranule));
  if (bytes <= 0 || bytes % rules::kBulkGranule != 0)
    return op->emitOpError()
           << "expected a size that is a positive multiple of "
           << rules::kBulkGranule << " bytes, got " << bytes;
  for (MemRefType type : memrefs) {
    if (failed(verifyContiguous(op, type)))
      return failure();
    if (literal && failed(verifyRoom(op, type, bytes)))
      return failure();
  }
  return success();
}

LogicalResult verifySameWindow(Operation *op, MemRefType destination,
                               MemRefType barriers) {
  if (isClusterMemRef(destination) == isClusterMemRef(barriers))
    return success();
  return op->emitOpError() << "expected the destination and its barrier both "
                              "in the CTA's own memory or both in "
                              "the cluster's window, got "
                           << destination << " and " << barriers;
}

LogicalResult verifyMulticast(Operation *op, Value mask,
                              MemRefType destination) {
  if (!mask || isSharedMemRef(destination))
    return success();
  return op->emitOpError() << "expected a multicast to a destination in the "
                              "CTA's own memory, got "
                           << destination;
}

} // namespace carousel
