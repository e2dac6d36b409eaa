//===- TileSwizzle.cpp - swizzled tiles -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileSwizzle.h. The hardware combines bits 7 to 9 of a shared address with
// bits 4 to 6 by exclusive or: all three bits for 128 bytes, two for 64, one
// for 32. Tiles start at multiples of the pattern, and panels are multiples of
// it, so that a row's number determines it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TileSwizzle.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

constexpr int64_t kPieceBytes = 16;
/// Bytes after which the pattern's key changes.
constexpr int64_t kStepBytes = 128;

SwizzlePattern carousel::getSwizzlePattern(Swizzle swizzle, MemRefType tile) {
  int64_t span = *getSwizzleSpan(swizzle);
  SwizzlePattern pattern;
  pattern.rowsPerStep = kStepBytes / span;
  pattern.steps = span / kPieceBytes;
  pattern.pieceElements = kPieceBytes * 8 / tile.getElementTypeBitWidth();
  pattern.panelElements = span * 8 / tile.getElementTypeBitWidth();
  pattern.panels = tile.getShape().back() / pattern.panelElements;
  pattern.rows = tile.getNumElements() / tile.getShape().back();
  return pattern;
}

Swizzle carousel::getTileSwizzle(TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  if (!engine)
    return Swizzle::None;
  switch (engine.getKind()) {
  case EngineKind::Tensor:
    return op.getMap().getType().getSwizzle();
  case EngineKind::Bulk:
    return Swizzle::None;
  case EngineKind::CpAsync:
  case EngineKind::Vector:
    return op.getSwizzle();
  }
  llvm_unreachable("an engine");
}

/// A vector of one dimension that is known to be within a piece.
template <typename Op>
static std::optional<MutableOperandRange> getVectorIndices(Op op, Value tile) {
  VectorType type = op.getVectorType();
  if (op.getBase() != tile || type.getRank() != 1 || type.isScalable())
    return std::nullopt;
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  int64_t alignment = op.getAlignment().value_or(1);
  if (bytes > kPieceBytes || (type.getNumElements() > 1 && alignment < bytes))
    return std::nullopt;
  return op.getIndicesMutable();
}

std::optional<MutableOperandRange> carousel::getTileIndices(Operation *op,
                                                            Value tile) {
  using Result = std::optional<MutableOperandRange>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](memref::LoadOp load) -> Result {
        return load.getIndicesMutable();
      })
      .Case([&](memref::StoreOp store) -> Result {
        if (store.getMemRef() != tile)
          return std::nullopt;
        return store.getIndicesMutable();
      })
      // Rows of 16 bytes at multiples of 16: PTX ISA, ldmatrix.
      .Case([&](nvgpu::LdMatrixOp load) -> Result {
        return load.getIndicesMutable();
      })
      .Case([&](vector::LoadOp load) { return getVectorIndices(load, tile); })
      .Case(
          [&](vector::StoreOp store) { return getVectorIndices(store, tile); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

Value carousel::getViewOfRows(Operation *op) {
  auto view = dyn_cast<memref::CollapseShapeOp>(op);
  if (!view || view.getResultType().getRank() == 0 ||
      view.getResultType().getShape().back() !=
          view.getSrcType().getShape().back())
    return {};
  return view.getResult();
}

std::string carousel::explainSwizzle(Value tile, Swizzle swizzle) {
  auto type = cast<MemRefType>(tile.getType());
  std::optional<int64_t> span = getSwizzleSpan(swizzle);
  if (!span || swizzle > Swizzle::B128)
    return "its pattern is none that accesses are rewritten for";
  if (!type.getLayout().isIdentity())
    return "the tile is a part of a buffer";
  int64_t row = type.getShape().back() * type.getElementTypeBitWidth() / 8;
  if (row % *span != 0)
    return "rows of " + std::to_string(row) + " bytes with a swizzle of " +
           std::to_string(*span);
  for (Operation *user : tile.getUsers()) {
    if (Value view = getViewOfRows(user)) {
      std::string why = explainSwizzle(view, swizzle);
      if (!why.empty())
        return why;
      continue;
    }
    if (!isa<TransferOpInterface, memref::DeallocOp, AsyncConsumerOpInterface>(
            user) &&
        !getTileIndices(user, tile))
      return ("the tile is accessed by '" + user->getName().getStringRef() +
              "', which isn't a load or store of at most 16 bytes that are "
              "aligned to their size")
          .str();
  }
  return {};
}
