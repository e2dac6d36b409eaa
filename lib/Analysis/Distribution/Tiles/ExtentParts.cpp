//===- ExtentParts.cpp - extents as sums of powers of two -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExtentParts.h. Dimensions of vectors that have the same elements are a
// class. A class is divided if a product wants it, and each op on it can take
// its elements in parts.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ExtentParts.h"

#include "../VectorRelations.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

SmallVector<int64_t> carousel::getPartsOfExtent(int64_t extent) {
  SmallVector<int64_t> parts;
  for (uint64_t rest = extent; rest != 0; rest -= parts.back())
    parts.push_back(llvm::bit_floor(rest));
  return parts;
}

static VectorType getType(Value vector) {
  return cast<VectorType>(vector.getType());
}

ExtentParts::ExtentParts(gpu::GPUFuncOp kernel) : kernel(kernel) {
  kernel->walk([&](Operation *op) {
    if (op != kernel)
      note(op);
  });
  findProducts();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

void ExtentParts::unify(Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
  classes.unify(a, dimOfA, b, dimOfB, [](Class &into, const Class &from) {
    if (into.refusal.empty())
      into.refusal = from.refusal;
  });
}

void ExtentParts::refuse(Value vector, unsigned dim, const Twine &reason) {
  std::string &refusal = classes[classes.get(vector, dim)].refusal;
  if (refusal.empty())
    refusal = reason.str();
}

void ExtentParts::refuseAll(Operation *op) {
  auto refuseVector = [&](Value value) {
    if (isVector(value))
      for (int64_t dim = 0; dim < getType(value).getRank(); ++dim)
        refuse(value, dim, quoteName(op) + " takes all of it");
  };
  llvm::for_each(op->getOperands(), refuseVector);
  llvm::for_each(op->getResults(), refuseVector);
  for (Region &region : op->getRegions())
    llvm::for_each(region.getArguments(), refuseVector);
}

bool ExtentParts::isDivided(Value vector) const {
  return llvm::any_of(getParts(vector),
                      [](const auto &parts) { return parts.size() > 1; });
}

SmallVector<SmallVector<int64_t>> ExtentParts::getParts(Value vector) const {
  SmallVector<SmallVector<int64_t>> parts;
  for (auto [dim, extent] : llvm::enumerate(getType(vector).getShape())) {
    std::optional<unsigned> own = classes.find(vector, dim);
    bool isDivided =
        own && classes[*own].isWanted && classes[*own].refusal.empty();
    parts.push_back(isDivided ? getPartsOfExtent(extent)
                              : SmallVector<int64_t>{extent});
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A mask may be a box elsewhere, which its parts say nothing of.
void ExtentParts::noteTransfer(VectorTransferOpInterface op) {
  Value vector =
      isa<vector::TransferReadOp>(op) ? op->getResult(0) : op.getVector();
  (void)classes.get(vector, 0);
  if (op.getMask())
    refuseAll(op);
}

/// Dimensions of one element come and go.
void ExtentParts::noteUnitDims(vector::ShapeCastOp op) {
  auto getDims = [](VectorType type) {
    SmallVector<unsigned> dims;
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      if (extent != 1)
        dims.push_back(dim);
    return dims;
  };
  VectorType source = op.getSourceVectorType(),
             result = op.getResultVectorType();
  SmallVector<unsigned> from = getDims(source), to = getDims(result);
  auto isSame = [&](auto pair) {
    return source.getDimSize(std::get<0>(pair)) ==
           result.getDimSize(std::get<1>(pair));
  };
  if (from.size() != to.size() || !llvm::all_of(llvm::zip(from, to), isSame))
    return refuseAll(op);
  for (auto [own, other] : llvm::zip(from, to))
    unify(op.getResult(), other, op.getSource(), own);
}

bool ExtentParts::noteVectors(Operation *op) {
  if (unifyDims(op, [&](Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
        unify(a, dimOfA, b, dimOfB);
      }))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::ShapeCastOp cast) {
        noteUnitDims(cast);
        return true;
      })
      .Case([&](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case<ub::PoisonOp, vector::StepOp>([](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

/// Whether the pass writes the op again with other carried values.
static bool isWritable(Operation *op) { return isa<scf::ForOp, scf::IfOp>(op); }

void ExtentParts::note(Operation *op) {
  Operation *parent = op->getParentOp();
  bool isInside = parent == kernel || isWritable(parent);
  if (isInside && isWritable(op))
    return unifyCarriedDims(
        op, [&](Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
          unify(a, dimOfA, b, dimOfB);
        });
  if (isInside && isa<scf::YieldOp>(op))
    return;
  bool isKnown = isInside && op->getNumRegions() == 0 &&
                 !op->hasAttr(CarouselDialect::kLayout);
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op);
      transfer && isKnown)
    return noteTransfer(transfer);
  if (!isKnown || !noteVectors(op))
    refuseAll(op);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Why products can't take a part of an extent, or an empty string.
static std::string explainParts(int64_t extent, unsigned bits) {
  int64_t least = getPartsOfExtent(extent).back();
  if (least >= int64_t(1) << bits)
    return {};
  return "a part would have " + std::to_string(least) +
         " elements, and an instruction has " +
         std::to_string(int64_t(1) << bits);
}

/// Those that could be computed by matrix instructions but for their extents.
void ExtentParts::findProducts() {
  kernel->walk([&](vector::ContractionOp op) {
    Obstacle obstacle = findMatrixObstacle(op);
    if (obstacle.empty() || obstacle.miss != Miss::ProductExtents)
      return;
    ProductDims dims = *findProductDims(op);
    ProductBits least = getInstructionBits(op);
    SmallVector<int64_t> bounds;
    op.getIterationBounds(bounds);
    SmallVector<unsigned> wanted;
    std::string refusal;
    int64_t first = 0;
    for (auto [dim, bits] :
         {std::pair(dims.m, least.m), {dims.n, least.n}, {dims.k, least.k}}) {
      if (llvm::isPowerOf2_64(bounds[dim]))
        continue;
      bool isOfRhs = dim == dims.n;
      unsigned own = *findOperandDim(op, isOfRhs, dim);
      wanted.push_back(classes.get(isOfRhs ? op.getRhs() : op.getLhs(), own));
      std::string why = classes[wanted.back()].refusal;
      if (why.empty())
        why = explainParts(bounds[dim], bits);
      if (first == 0 || (refusal.empty() && !why.empty())) {
        first = bounds[dim];
        refusal = why;
      }
    }
    // Another extent is less than an instruction's.
    if (wanted.empty())
      return;
    if (refusal.empty())
      for (unsigned node : wanted)
        classes[node].isWanted = true;
    products.push_back({op, first, refusal});
  });
}

void ExtentParts::print(raw_ostream &os) const {
  for (const Product &product : products) {
    os << product.extent << ": ";
    if (product.refusal.empty())
      llvm::interleave(getPartsOfExtent(product.extent), os, " + ");
    else
      os << "whole, " << product.refusal;
    os << "\n";
  }
}
