//===- CoveredExtent.cpp - what ends with the covered extent --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CoveredExtent.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/CoveredExtent.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace carousel;

CoveredExtent::CoveredExtent(gpu::GPUFuncOp kernel, BlockProgramAttr program)
    : kernel(kernel), program(program) {
  ExprAttr covers = program.getCovers();
  if (covers.getKind() == ExprKind::Constant)
    most = covers.getValue();
  if (covers.getKind() != ExprKind::Extent)
    return;
  unsigned position = getArgumentPositions(kernel)[covers.getArgument()];
  auto type = cast<MemRefType>(kernel.getArgument(position).getType());
  if (!type.isDynamicDim(covers.getValue()))
    most = type.getDimSize(covers.getValue());
}

std::optional<Conditions> CoveredExtent::compare(int64_t size) const {
  return size <= most.value_or(0) ? std::optional<Conditions>(0) : std::nullopt;
}

/// Whether a number isn't negative, which is large when it isn't signed.
static bool isExtent(Value size) {
  std::optional<int64_t> number = getConstantIntValue(size);
  return number ? *number >= 0 : !!size.getDefiningOp<memref::DimOp>();
}

/// Numbers that the result doesn't exceed.
static SmallVector<Value> findUpperBounds(Operation *op) {
  SmallVector<Value> bounds;
  if (isa<arith::MinSIOp>(op))
    llvm::append_range(bounds, op->getOperands());
  if (isa<arith::MinUIOp>(op))
    llvm::copy_if(op->getOperands(), std::back_inserter(bounds), isExtent);
  auto min = dyn_cast<affine::AffineMinOp>(op);
  for (AffineExpr expr :
       min ? min.getMap().getResults() : ArrayRef<AffineExpr>()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      bounds.push_back(min.getDimOperands()[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      bounds.push_back(min.getSymbolOperands()[symbol.getPosition()]);
  }
  return bounds;
}

/// Whether a cast drops bits, so that an extent becomes another number.
static bool isNarrowing(arith::IndexCastOp op) {
  auto countBits = [](Type type) {
    return type.isIndex() ? unsigned(IndexType::kInternalStorageBitWidth)
                          : type.getIntOrFloatBitWidth();
  };
  return countBits(op.getType()) < countBits(op.getIn().getType());
}

std::optional<Conditions> CoveredExtent::findConditions(Value size) {
  auto isBounded = [](Value inner) {
    return isa<arith::MinSIOp, arith::MinUIOp, affine::AffineMinOp,
               arith::IndexCastOp, memref::DimOp, memref::CastOp,
               memref::SubViewOp>(inner.getDefiningOp());
  };
  return known.get(size, isBounded,
                   [&](Value inner) { return computeConditions(inner); });
}

std::optional<Conditions> CoveredExtent::computeConditions(Value size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return compare(*number);
  ExprAttr covers = program.getCovers();
  if (covers.getKind() == ExprKind::Scalar &&
      size == kernel.getArgument(
                  getArgumentPositions(kernel)[covers.getArgument()]))
    return 0;
  Operation *op = size.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto extent = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> dim = extent.getConstantIndex();
    return dim ? findConditions(extent.getSource(), *dim) : std::nullopt;
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return isNarrowing(cast) ? std::nullopt : findConditions(cast.getIn());
  std::optional<Conditions> found;
  for (Value bound : findUpperBounds(op))
    if (std::optional<Conditions> own = findConditions(bound))
      if (!found || *own == 0)
        found = own;
  return found;
}

std::optional<Conditions> CoveredExtent::findConditions(Value memref,
                                                        int64_t dim) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type)
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    if (std::optional<Conditions> known = compare(type.getDimSize(dim)))
      return known;
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return argument.getOwner() == &kernel.getBody().front()
               ? ofArgument(argument, dim)
               : std::nullopt;
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return isa<MemRefType>(cast.getSource().getType())
               ? findConditions(cast.getSource(), dim)
               : std::nullopt;
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return std::nullopt;
  SmallVector<OpFoldResult> sizes;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [number, size] : llvm::enumerate(view.getMixedSizes()))
    if (!dropped.test(number))
      sizes.push_back(size);
  if (auto size = dyn_cast<Value>(sizes[dim]))
    return findConditions(size);
  return compare(type.getDimSize(dim));
}

std::optional<Conditions> CoveredExtent::ofArgument(BlockArgument memref,
                                                    int64_t dim) {
  SmallVector<unsigned> positions = getArgumentPositions(kernel);
  auto found = llvm::find(positions, memref.getArgNumber());
  if (found == positions.end())
    return std::nullopt;
  auto extent = ExprAttr::get(kernel.getContext(), ExprKind::Extent, dim,
                              found - positions.begin(), {}, {});
  if (extent == program.getCovers())
    return 0;
  if (auto workspace = kernel.getArgAttrOfType<WorkspaceAttr>(
          memref.getArgNumber(), CarouselDialect::kWorkspace)) {
    // Guards are about what callers pass.
    if (!cast<MemRefType>(memref.getType()).isDynamicDim(dim))
      return std::nullopt;
    auto dynamic = llvm::count_if(
        cast<MemRefType>(memref.getType()).getShape().take_front(dim),
        ShapedType::isDynamic);
    return workspace.getExtents()[dynamic] == program.getCovers()
               ? std::optional<Conditions>(0)
               : std::nullopt;
  }
  auto *known = llvm::find(extents, extent);
  constexpr size_t kMost = std::numeric_limits<Conditions>::digits;
  if (known == extents.end()) {
    if (extents.size() == kMost)
      return std::nullopt;
    extents.push_back(extent);
    known = &extents.back();
  }
  return Conditions(1) << (known - extents.begin());
}

std::optional<Conditions>
CoveredExtent::findConditions(VectorTransferOpInterface op) {
  Conditions all = 0;
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    if (op.getVectorType().getDimSize(dim) != getWidth())
      continue;
    auto along = dyn_cast<AffineDimExpr>(expr);
    if (!along || !isa<MemRefType>(op.getShapedType()) || op.isDimInBounds(dim))
      return std::nullopt;
    std::optional<int64_t> index =
        getConstantIntValue(op.getIndices()[along.getPosition()]);
    std::optional<Conditions> own =
        findConditions(op.getBase(), along.getPosition());
    // A part of something wider begins elsewhere, as a rule.
    if (!index || *index < 0 || !own || (*index != 0 && *own != 0))
      return std::nullopt;
    all |= *own;
  }
  return all;
}

SmallVector<GuardAttr> CoveredExtent::getGuards(Conditions conditions) const {
  MLIRContext *context = gpu::GPUFuncOp(kernel).getContext();
  SmallVector<GuardAttr> guards;
  for (auto [number, extent] : llvm::enumerate(extents))
    if (conditions >> number & 1)
      guards.push_back(
          GuardAttr::get(context, GuardKind::Range, /*argument=*/0,
                         ExprAttr::get(context, ExprKind::Sub, 0, 0,
                                       program.getCovers(), extent),
                         ExprAttr(), 0, std::numeric_limits<int64_t>::max()));
  return guards;
}
