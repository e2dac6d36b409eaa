//===- ProgramTiles.cpp - tiles that a grid of programs covers ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramTiles.h. Dimensions of vectors that must have the same extent are
// a class. A class lies along a tile if an access of it begins at the tile's
// offset. It can't be resized if a program sees all of it, as a reduction does.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ProgramTiles.h"

#include "VectorRelations.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

static int64_t getRank(Value vector) {
  return cast<VectorType>(vector.getType()).getRank();
}

static std::string quote(Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

/// The factor of a value that is a constant multiple of another one.
static std::optional<int64_t> findFactor(Operation *op) {
  APInt factor;
  if (isa<arith::MulIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
    return factor.getSExtValue();
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply || apply.getMapOperands().size() != 1)
    return std::nullopt;
  auto product =
      dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto number = dyn_cast<AffineConstantExpr>(product.getRHS());
  return number && isa<AffineDimExpr, AffineSymbolExpr>(product.getLHS())
             ? std::optional(number.getValue())
             : std::nullopt;
}

ProgramTiles::ProgramTiles(gpu::GPUFuncOp kernel) : kernel(kernel) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  dims.resize(launch.getGrid().size());
  for (auto [dim, extent] : llvm::enumerate(launch.getGrid()))
    findOffsets(dim, extent);
  kernel->walk([&](Operation *op) {
    if (op != kernel)
      note(op);
  });
  for (auto [dim, info] : llvm::enumerate(dims))
    if (isTiled(dim) && llvm::none_of(classes, [&, dim = dim](const Class &c) {
          return c.gridDim == dim;
        }))
      refuse(dim, "no access begins at the tiles");
}

std::optional<int64_t> ProgramTiles::getExtent(unsigned gridDim) const {
  return gridDim < dims.size() && isTiled(gridDim)
             ? std::optional(dims[gridDim].extent)
             : std::nullopt;
}

ExprAttr ProgramTiles::getCovered(unsigned gridDim) const {
  return dims[gridDim].covered;
}

StringRef ProgramTiles::getRefusal(unsigned gridDim) const {
  return gridDim < dims.size() ? StringRef(dims[gridDim].refusal) : "";
}

void ProgramTiles::refuse(unsigned dim, const Twine &reason) {
  if (isTiled(dim))
    dims[dim].refusal = reason.str();
}

void ProgramTiles::refuseAll(const Twine &reason) {
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    refuse(dim, reason);
}

/// Programs know their numbers by the offsets of their tiles alone.
void ProgramTiles::findOffsets(unsigned dim, ExprAttr grid) {
  if (grid.getKind() != ExprKind::CeilDiv ||
      grid.getRhs().getKind() != ExprKind::Constant)
    return refuse(dim, "the grid isn't a number of tiles");
  dims[dim].extent = grid.getRhs().getValue();
  dims[dim].covered = grid.getLhs();
  kernel.walk([&](gpu::BlockIdOp id) {
    if (unsigned(id.getDimension()) != dim)
      return;
    for (Operation *user : id->getUsers()) {
      if (findFactor(user) != dims[dim].extent)
        return refuse(dim, quote(user) + " uses the number of the program");
      dims[dim].offsets.push_back(user->getResult(0));
      gridDimOfOffset[user->getResult(0)] = dim;
    }
  });
  for (Value offset : dims[dim].offsets)
    for (Operation *user : offset.getUsers())
      if (!isa<VectorTransferOpInterface>(user))
        refuse(dim, quote(user) + " uses the offset of a tile");
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

unsigned ProgramTiles::getNode(Value vector, unsigned dim) {
  auto [found, isNew] = firstNodes.try_emplace(vector, classes.size());
  if (isNew)
    for (int64_t i = 0; i < getRank(vector); ++i)
      classes.push_back({unsigned(classes.size())});
  return findRoot(found->second + dim);
}

unsigned ProgramTiles::findRoot(unsigned node) const {
  while (classes[node].parent != node)
    node = classes[node].parent;
  return node;
}

void ProgramTiles::merge(unsigned root, std::optional<unsigned> gridDim,
                         bool isFixed) {
  Class &into = classes[root];
  if (gridDim && into.gridDim && gridDim != into.gridDim) {
    refuse(*gridDim, "a vector lies along tiles of two dimensions");
    refuse(*into.gridDim, "a vector lies along tiles of two dimensions");
  }
  if (!into.gridDim)
    into.gridDim = gridDim;
  into.isFixed |= isFixed;
  if (into.isFixed && into.gridDim)
    refuse(*into.gridDim, "an op takes all of a tile at once");
}

void ProgramTiles::unify(Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
  unsigned rootA = getNode(a, dimOfA);
  unsigned rootB = getNode(b, dimOfB);
  if (rootA == rootB)
    return;
  classes[rootB].parent = rootA;
  merge(rootA, classes[rootB].gridDim, classes[rootB].isFixed);
}

void ProgramTiles::unifyAll(Value a, Value b) {
  for (int64_t dim = 0; dim < getRank(a); ++dim)
    unify(a, dim, b, dim);
}

void ProgramTiles::fix(Value vector, unsigned dim) {
  merge(getNode(vector, dim), std::nullopt, /*isFixed=*/true);
}

void ProgramTiles::fixAll(Operation *op) {
  auto fixVector = [&](Value value) {
    if (isVector(value))
      for (int64_t dim = 0; dim < getRank(value); ++dim)
        fix(value, dim);
  };
  llvm::for_each(op->getOperands(), fixVector);
  llvm::for_each(op->getResults(), fixVector);
}

void ProgramTiles::noteOffset(Value vector, unsigned dim, unsigned gridDim) {
  if (cast<VectorType>(vector.getType()).getDimSize(dim) !=
      dims[gridDim].extent)
    return refuse(gridDim, "an access has a part of a tile");
  merge(getNode(vector, dim), gridDim, /*isFixed=*/false);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ProgramTiles::noteTransfer(VectorTransferOpInterface op) {
  Value vector =
      isa<vector::TransferReadOp>(op) ? op->getResult(0) : op.getVector();
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    auto along = dyn_cast<AffineDimExpr>(expr);
    if (!along)
      continue; // the same along the dimension
    Value index = op.getIndices()[along.getPosition()];
    auto offset = gridDimOfOffset.find(index);
    if (offset == gridDimOfOffset.end()) {
      fix(vector, dim);
      continue;
    }
    seen.insert(along.getPosition());
    if (op.isDimInBounds(dim))
      refuse(offset->second, "an access is said to be in bounds");
    noteOffset(vector, dim, offset->second);
  }
  for (auto [position, index] : llvm::enumerate(op.getIndices()))
    if (auto offset = gridDimOfOffset.find(index);
        offset != gridDimOfOffset.end() && !seen.count(position))
      refuse(offset->second, "an access takes the first element of a tile");
  if (Value mask = op.getMask())
    for (int64_t dim = 0; dim < getRank(mask); ++dim)
      fix(mask, dim);
}

bool ProgramTiles::noteVectors(Operation *op) {
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      if (isVector(operand))
        unifyAll(op->getResult(0), operand);
    for (Value result : op->getResults().drop_front())
      unifyAll(op->getResult(0), result);
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::BroadcastOp broadcast) {
        Value source = broadcast.getSource();
        auto type = dyn_cast<VectorType>(source.getType());
        int64_t added = type ? getRank(op->getResult(0)) - type.getRank() : 0;
        for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
          if (type.getDimSize(dim) ==
              broadcast.getResultVectorType().getDimSize(added + dim))
            unify(op->getResult(0), added + dim, source, dim);
        return true;
      })
      .Case([&](vector::TransposeOp transpose) {
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          unify(op->getResult(0), to, transpose.getVector(), from);
        return true;
      })
      .Case([&](vector::ContractionOp product) {
        SmallVector<AffineMap> maps = product.getIndexingMapsArray();
        SmallVector<std::pair<Value, unsigned>> first(maps[0].getNumDims());
        Value values[] = {product.getLhs(), product.getRhs(), product.getAcc()};
        for (auto [map, value] : llvm::zip_equal(maps, values)) {
          if (!isVector(value))
            continue;
          for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
            auto &of = first[cast<AffineDimExpr>(expr).getPosition()];
            if (!of.first)
              of = {value, unsigned(dim)};
            unify(of.first, of.second, value, dim);
          }
        }
        for (auto [dim, kind] : llvm::enumerate(product.getIteratorTypes()))
          if (vector::isReductionIterator(kind) && first[dim].first)
            fix(first[dim].first, first[dim].second);
        if (isVector(op->getResult(0)))
          unifyAll(op->getResult(0), product.getAcc());
        return true;
      })
      .Case([&](vector::MultiDimReductionOp reduction) {
        unsigned kept = 0;
        for (auto [dim, reduced] :
             llvm::enumerate(reduction.getReductionMask()))
          if (reduced)
            fix(reduction.getSource(), dim);
          else
            unify(op->getResult(0), kept++, reduction.getSource(), dim);
        if (isVector(op->getResult(0)))
          unifyAll(op->getResult(0), reduction.getAcc());
        return true;
      })
      .Case([&](vector::ShapeCastOp cast) {
        SmallVector<unsigned> from, to;
        VectorType source = cast.getSourceVectorType(),
                   result = cast.getResultVectorType();
        for (int64_t dim = 0; dim < source.getRank(); ++dim)
          if (source.getDimSize(dim) != 1)
            from.push_back(dim);
        for (int64_t dim = 0; dim < result.getRank(); ++dim)
          if (result.getDimSize(dim) != 1)
            to.push_back(dim);
        auto extent = [](VectorType type) {
          return [type](unsigned dim) { return type.getDimSize(dim); };
        };
        if (llvm::map_to_vector(from, extent(source)) !=
            llvm::map_to_vector(to, extent(result)))
          return false;
        for (auto [a, b] : llvm::zip_equal(from, to))
          unify(op->getResult(0), b, cast.getSource(), a);
        return true;
      })
      .Case([&](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([&](ub::PoisonOp) { return true; })
      .Default([](Operation *) { return false; });
}

bool ProgramTiles::noteControl(Operation *op) {
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return false;
  forEachCarried(op, [&](const CarriedValue &carried) {
    Value first = carried.values.front();
    if (!isVector(first))
      return;
    for (Value value : carried.values)
      unifyAll(first, value);
    for (OpOperand *use : carried.uses)
      unifyAll(first, use->get());
  });
  return true;
}

void ProgramTiles::note(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return noteTransfer(transfer);
  if (noteControl(op) || op->hasTrait<OpTrait::IsTerminator>())
    return;
  // What depends on the number of programs, or happens once in each.
  if (isa<gpu::GridDimOp>(op) || op->getNumRegions() != 0 ||
      (!isMemoryEffectFree(op) &&
       !isa<memref::LoadOp, memref::StoreOp, vector::GatherOp,
            vector::ScatterOp>(op)))
    return refuseAll(quote(op) + " depends on how many programs there are");
  bool hasVectors = llvm::any_of(op->getOperands(), isVector) ||
                    llvm::any_of(op->getResults(), isVector);
  // A layout of its own is for the extents that it has.
  if (hasVectors && (op->hasAttr(CarouselDialect::kLayout) || !noteVectors(op)))
    fixAll(op);
}

//===----------------------------------------------------------------------===//
// Other extents
//===----------------------------------------------------------------------===//

std::optional<unsigned> ProgramTiles::findGridDim(Value vector,
                                                  unsigned dim) const {
  auto found = firstNodes.find(vector);
  if (found == firstNodes.end())
    return std::nullopt;
  std::optional<unsigned> gridDim =
      classes[findRoot(found->second + dim)].gridDim;
  return gridDim && isTiled(*gridDim) ? gridDim : std::nullopt;
}

void ProgramTiles::resize(unsigned gridDim, int64_t extent) {
  GridDim &tile = dims[gridDim];
  for (auto &[vector, node] : firstNodes) {
    auto type = cast<VectorType>(vector.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (findGridDim(vector, dim) == gridDim)
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
  for (Value offset : tile.offsets) {
    Operation *op = offset.getDefiningOp();
    builder.setInsertionPoint(op);
    auto map = AffineMap::get(1, 0, builder.getAffineDimExpr(0) * extent);
    Value moved = affine::AffineApplyOp::create(builder, op->getLoc(), map,
                                                op->getOperand(0));
    offset.replaceAllUsesWith(moved);
    op->erase();
  }
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  SmallVector<ExprAttr> grid(launch.getGrid());
  auto tiles = ExprAttr::get(kernel.getContext(), ExprKind::Constant, extent,
                             /*argument=*/0, ExprAttr(), ExprAttr());
  grid[gridDim] =
      ExprAttr::get(kernel.getContext(), ExprKind::CeilDiv, /*value=*/0,
                    /*argument=*/0, tile.covered, tiles);
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(kernel.getContext(), grid, launch.getBlock(),
                                  launch.getCluster(), launch.getShared()));
}
