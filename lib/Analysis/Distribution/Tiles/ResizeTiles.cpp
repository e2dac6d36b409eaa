//===- ResizeTiles.cpp - tiles of other extents ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds other extents that the tiles of ProgramTiles.h may have, and rewrites
// the kernel to one of them.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ProgramTiles.h"

#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

std::optional<unsigned> ProgramTiles::findNumber(Value vector,
                                                 unsigned dim) const {
  std::optional<unsigned> own = classes.find(vector, dim);
  if (!own)
    return std::nullopt;
  std::optional<unsigned> number = classes[*own].number;
  return number && isTiled(*number) ? number : std::nullopt;
}

bool ProgramTiles::liesAlongPrograms(Value vector, unsigned dim) const {
  std::optional<unsigned> own = classes.find(vector, dim);
  if (own && classes[*own].number)
    return true;
  // Programs that use a number of tiles for something else may do so for what
  // lies along them.
  return llvm::any_of(numbers, [](const Number &number) {
    return number.count.getKind() == ExprKind::CeilDiv &&
           !number.values.empty() && !number.refusal.empty();
  });
}

bool ProgramTiles::canResize(unsigned number, int64_t extent) const {
  const Number &info = numbers[number];
  if (!isTiled(number))
    return false;
  // The tiles of all programs are in bounds, so as many elements are.
  return !info.isInBounds || info.extent % extent == 0 ||
         (info.covered.getKind() == ExprKind::Constant &&
          llvm::alignTo(info.covered.getValue(), info.extent) % extent == 0);
}

/// The count of tiles, wherever programs divide by it, and in the grid.
void ProgramTiles::writeCount(unsigned number) {
  Number &info = numbers[number];
  MLIRContext *context = kernel.getContext();
  auto extent = ExprAttr::get(context, ExprKind::Constant, info.extent,
                              /*argument=*/0, ExprAttr(), ExprAttr());
  info.count = ExprAttr::get(context, ExprKind::CeilDiv, /*value=*/0,
                             /*argument=*/0, info.covered, extent);
  for (Operation *division : info.divisions) {
    OpBuilder builder(division);
    Location loc = division->getLoc();
    std::optional<int64_t> count = findConstant(info.count);
    division->setOperand(
        1, count ? arith::ConstantIndexOp::create(builder, loc, *count)
                 : createExtent(builder, loc, kernel, info.count));
  }
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  SmallVector<ExprAttr> grid(launch.getGrid().size());
  for (const Number &other : numbers) {
    ExprAttr &into = grid[other.gridDim];
    into = into ? ExprAttr::get(context, ExprKind::Mul, /*value=*/0,
                                /*argument=*/0, into, other.count)
                : other.count;
  }
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, grid, launch.getBlock(),
                                  launch.getCluster(), launch.getShared()));
}

void ProgramTiles::resize(unsigned number, int64_t extent) {
  Number &info = numbers[number];
  for (Value vector : classes.getVectors()) {
    auto type = cast<VectorType>(vector.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (findNumber(vector, dim) == number)
        size = extent;
    auto resized = VectorType::get(shape, type.getElementType());
    if (resized == type)
      continue;
    Value changed = vector;
    changed.setType(resized);
    if (auto constant = changed.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue()).resizeSplat(resized));
  }
  OpBuilder builder(kernel.getContext());
  auto map = AffineMap::get(1, 0, builder.getAffineDimExpr(0) * extent);
  for (Value offset : info.offsets) {
    Operation *op = offset.getDefiningOp();
    builder.setInsertionPoint(op);
    Value moved = affine::AffineApplyOp::create(builder, op->getLoc(), map,
                                                op->getOperand(0));
    offset.replaceAllUsesWith(moved);
    op->erase();
  }
  info.extent = extent;
  writeCount(number);
}
