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
#include "carousel/Analysis/Distribution/LayoutPlan.h"

#include "../VectorRelations.h"

#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
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

//===----------------------------------------------------------------------===//
// Numbers of programs
//===----------------------------------------------------------------------===//

ProgramTiles::ProgramTiles(gpu::GPUFuncOp kernel) : kernel(kernel) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  for (auto [dim, extent] : llvm::enumerate(launch.getGrid()))
    findNumbers(dim, extent);
  for (unsigned number = 0; number < numbers.size(); ++number)
    findOffsets(number);
  kernel->walk([&](Operation *op) {
    if (op != kernel)
      note(op);
  });
  for (unsigned number = 0; number < numbers.size(); ++number)
    if (llvm::none_of(classes.getData(),
                      [&](const Class &c) { return c.number == number; }))
      refuse(number, "no access begins at the tiles");
}

SmallVector<ExprAttr> ProgramTiles::getCounts() const {
  return llvm::map_to_vector(numbers, [](const Number &n) { return n.count; });
}

std::optional<unsigned> ProgramTiles::findGridDim(unsigned number) const {
  unsigned gridDim = numbers[number].gridDim;
  bool isAlone = llvm::count_if(numbers, [&](const Number &other) {
                   return other.gridDim == gridDim;
                 }) == 1;
  return isAlone ? std::optional(gridDim) : std::nullopt;
}

ExprAttr ProgramTiles::getCovered(unsigned number) const {
  return isTiled(number) ? numbers[number].covered : ExprAttr();
}

std::string ProgramTiles::getRefusal() const {
  for (const Number &number : numbers)
    if (!number.refusal.empty())
      return number.refusal;
  return {};
}

void ProgramTiles::refuse(unsigned number, const Twine &reason) {
  if (isTiled(number))
    numbers[number].refusal = reason.str();
}

void ProgramTiles::refuseAll(const Twine &reason) {
  for (unsigned number = 0; number < numbers.size(); ++number)
    refuse(number, reason);
}

/// The factors of an extent of the grid, the slowest first.
static void findFactors(ExprAttr expr, SmallVectorImpl<ExprAttr> &factors) {
  if (expr.getKind() != ExprKind::Mul) {
    factors.push_back(expr);
    return;
  }
  findFactors(expr.getLhs(), factors);
  findFactors(expr.getRhs(), factors);
}

void ProgramTiles::findNumbers(unsigned gridDim, ExprAttr grid) {
  unsigned first = numbers.size();
  SmallVector<ExprAttr> factors;
  findFactors(grid, factors);
  for (ExprAttr factor : factors)
    numbers.push_back({gridDim, factor});
  kernel.walk([&](gpu::BlockIdOp id) {
    if (unsigned(id.getDimension()) == gridDim)
      numbers[first].values.push_back(id);
  });
  divide(gridDim, first);
}

std::optional<int64_t> ProgramTiles::findConstant(ExprAttr expr) {
  if (expr.getKind() == ExprKind::Constant)
    return expr.getValue();
  if (expr.getKind() != ExprKind::CeilDiv)
    return std::nullopt;
  std::optional<int64_t> lhs = findConstant(expr.getLhs()),
                         rhs = findConstant(expr.getRhs());
  return lhs && rhs && *rhs > 0
             ? std::optional(llvm::divideCeilSigned(*lhs, *rhs))
             : std::nullopt;
}

/// Each number but the slowest is a remainder, and what is left the quotient.
void ProgramTiles::divide(unsigned gridDim, unsigned first) {
  LaunchExpressions launch(kernel);
  SmallVector<Value> rest = std::move(numbers[first].values);
  numbers[first].values.clear();
  for (unsigned number = numbers.size() - 1; number > first; --number) {
    Number &info = numbers[number];
    auto isCount = [&](Value value) {
      APInt constant;
      if (matchPattern(value, m_ConstantInt(&constant)))
        return constant.getSExtValue() == findConstant(info.count);
      return launch.get(value) == info.count;
    };
    SmallVector<Value> quotients;
    for (Value value : rest)
      for (Operation *user : value.getUsers()) {
        bool isRemainder = isa<arith::RemUIOp>(user);
        if ((!isRemainder && !isa<arith::DivUIOp>(user)) ||
            user->getOperand(0) != value || !isCount(user->getOperand(1))) {
          for (unsigned other = first; other <= number; ++other)
            refuse(other, quoteName(user) + " uses the number of the program");
          return;
        }
        (isRemainder ? info.values : quotients).push_back(user->getResult(0));
        info.divisions.push_back(user);
      }
    rest = std::move(quotients);
  }
  numbers[first].values = std::move(rest);
}

/// Programs know their numbers by the offsets of their tiles alone.
void ProgramTiles::findOffsets(unsigned number) {
  Number &info = numbers[number];
  if (info.count.getKind() != ExprKind::CeilDiv ||
      info.count.getRhs().getKind() != ExprKind::Constant)
    return refuse(number, "the grid isn't a number of tiles");
  info.extent = info.count.getRhs().getValue();
  info.covered = info.count.getLhs();
  for (Value value : info.values)
    for (Operation *user : value.getUsers()) {
      if (findFactor(user) != info.extent)
        return refuse(number,
                      quoteName(user) + " uses the number of the program");
      info.offsets.push_back(user->getResult(0));
      numberOfOffset[user->getResult(0)] = number;
    }
  for (Value offset : info.offsets)
    for (Operation *user : offset.getUsers())
      if (!isa<VectorTransferOpInterface>(user))
        refuse(number, quoteName(user) + " uses the offset of a tile");
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

void ProgramTiles::merge(Class &into, const Class &from) {
  if (from.number && into.number && from.number != into.number) {
    refuse(*from.number, "a vector lies along tiles of two numbers");
    refuse(*into.number, "a vector lies along tiles of two numbers");
  }
  if (!into.number)
    into.number = from.number;
  into.isFixed |= from.isFixed;
  if (into.isFixed && into.number)
    refuse(*into.number, "an op takes all of a tile at once");
}

void ProgramTiles::unify(Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
  classes.unify(a, dimOfA, b, dimOfB,
                [&](Class &into, const Class &from) { merge(into, from); });
}

void ProgramTiles::fix(Value vector, unsigned dim) {
  merge(classes[classes.get(vector, dim)], {std::nullopt, /*isFixed=*/true});
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

void ProgramTiles::noteOffset(Value vector, unsigned dim, unsigned number) {
  if (cast<VectorType>(vector.getType()).getDimSize(dim) !=
      numbers[number].extent)
    return refuse(number, "an access has a part of a tile");
  merge(classes[classes.get(vector, dim)], {number, /*isFixed=*/false});
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
    auto offset = numberOfOffset.find(index);
    if (offset == numberOfOffset.end()) {
      fix(vector, dim);
      continue;
    }
    seen.insert(along.getPosition());
    numbers[offset->second].isInBounds |= op.isDimInBounds(dim);
    noteOffset(vector, dim, offset->second);
  }
  for (auto [position, index] : llvm::enumerate(op.getIndices()))
    if (auto offset = numberOfOffset.find(index);
        offset != numberOfOffset.end() && !seen.count(position))
      refuse(offset->second, "an access takes the first element of a tile");
  if (Value mask = op.getMask())
    for (int64_t dim = 0; dim < getRank(mask); ++dim)
      fix(mask, dim);
}

/// Programs see all of a dimension that they reduce.
void ProgramTiles::fixReduced(Operation *op) {
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    for (auto [dim, isReduced] : llvm::enumerate(reduction.getReductionMask()))
      if (isReduced)
        fix(reduction.getSource(), dim);
  auto product = dyn_cast<vector::ContractionOp>(op);
  if (!product)
    return;
  AffineMap lhs = product.getIndexingMapsArray()[0];
  for (auto [dim, expr] : llvm::enumerate(lhs.getResults()))
    if (vector::isReductionIterator(
            product
                .getIteratorTypes()[cast<AffineDimExpr>(expr).getPosition()]))
      fix(product.getLhs(), dim);
}

/// Dimensions stay what they are, apart from those of one element, and runs of
/// dimensions that are joined or divided, which can't be resized.
void ProgramTiles::noteReshaped(vector::ShapeCastOp op) {
  VectorType types[] = {op.getSourceVectorType(), op.getResultVectorType()};
  Value vectors[] = {op.getSource(), op.getResult()};
  int64_t ends[] = {0, 0};
  /// Up to the next dimension of several elements, or the end.
  auto skip = [&](unsigned side) {
    while (ends[side] != types[side].getRank() &&
           types[side].getDimSize(ends[side]) == 1)
      ++ends[side];
    return ends[side] != types[side].getRank();
  };
  while (skip(0) && skip(1)) {
    int64_t begins[] = {ends[0], ends[1]}, counts[] = {1, 1};
    do {
      unsigned side = counts[1] < counts[0];
      counts[side] *= types[side].getDimSize(ends[side]++);
    } while (counts[0] != counts[1]);
    if (ends[0] == begins[0] + 1 && ends[1] == begins[1] + 1) {
      unify(vectors[1], begins[1], vectors[0], begins[0]);
      continue;
    }
    for (unsigned side : {0, 1})
      for (int64_t dim = begins[side]; dim != ends[side]; ++dim)
        fix(vectors[side], dim);
  }
}

/// Pairs of elements of the last dimension.
void ProgramTiles::notePairs(Operation *op) {
  SmallVector<Value> vectors(op->getOperands());
  llvm::append_range(vectors, op->getResults());
  unsigned last = getRank(vectors.front()) - 1;
  for (Value vector : vectors) {
    fix(vector, last);
    for (unsigned dim = 0; dim < last; ++dim)
      unify(vectors.front(), dim, vector, dim);
  }
}

/// Dimensions that the maps don't change stay what they are.
void ProgramTiles::noteSources(DistributionOpInterface op) {
  Value result = op->getResult(0);
  auto type = cast<VectorType>(result.getType());
  for (Value other : op->getResults().drop_front())
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      unify(result, dim, other, dim);
  for (const ElementSource &source : op.getElementSources()) {
    Value operand = op->getOperand(source.operand);
    for (auto [dim, expr] : llvm::enumerate(source.map.getResults())) {
      if (auto same = dyn_cast<AffineDimExpr>(expr);
          same && type.getDimSize(same.getPosition()) ==
                      cast<VectorType>(operand.getType()).getDimSize(dim)) {
        unify(result, same.getPosition(), operand, dim);
        continue;
      }
      fix(operand, dim);
      for (int64_t own = 0; own < type.getRank(); ++own)
        if (expr.isFunctionOfDim(own))
          fix(result, own);
    }
  }
}

bool ProgramTiles::noteVectors(Operation *op) {
  if (unifyDims(op, [&](Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
        unify(a, dimOfA, b, dimOfB);
      })) {
    fixReduced(op);
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::ShapeCastOp cast) {
        noteReshaped(cast);
        return true;
      })
      .Case<vector::InterleaveOp, vector::DeinterleaveOp>([&](auto) {
        notePairs(op);
        return true;
      })
      .Case([&](DistributionOpInterface own) {
        noteSources(own);
        return true;
      })
      .Case([&](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([&](ub::PoisonOp) { return true; })
      .Default([](Operation *) { return false; });
}

void ProgramTiles::note(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return noteTransfer(transfer);
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return unifyCarriedDims(
        op, [&](Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
          unify(a, dimOfA, b, dimOfB);
        });
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  // Ops that depend on the number of programs, or happen once in each.
  if (isa<gpu::GridDimOp>(op) || op->getNumRegions() != 0 ||
      (!isMemoryEffectFree(op) && !findElementAccess(op)))
    return refuseAll(quoteName(op) + " depends on how many programs there are");
  bool hasVectors = llvm::any_of(op->getOperands(), isVector) ||
                    llvm::any_of(op->getResults(), isVector);
  // A layout of its own is for the extents that it has.
  if (hasVectors && (op->hasAttr(CarouselDialect::kLayout) || !noteVectors(op)))
    fixAll(op);
}
