//===- VectorRelations.cpp - how ops relate layouts -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorRelations.h.
//
//===----------------------------------------------------------------------===//

#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/DimClasses.h"
#include "carousel/Analysis/Distribution/VectorParts.h"
#include "carousel/Analysis/Layouts/ElementMaps.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

SmallVector<unsigned> carousel::getExtentBits(VectorType type) {
  return getExtentBits(type.getShape());
}

bool carousel::isFree(Value vector) {
  Operation *op = vector.getDefiningOp();
  if (!op || op->hasAttr(CarouselDialect::kLayout))
    return false;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !isa<VectorType>(broadcast.getSourceType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  return isa<ub::PoisonOp, vector::CreateMaskOp, vector::ConstantMaskOp,
             vector::StepOp>(op);
}

bool carousel::isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() != 0 && llvm::all_of(op->getResults(), isVector);
}

void carousel::forEachCarried(Operation *op,
                              function_ref<void(const CarriedValue &)> visit) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInitArgsMutable(), loop.getRegionIterArgs(),
                         *loop.getYieldedValuesMutable(), loop.getResults()))
      visit({{&init, &yielded}, {argument, result}});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument, yielded] :
         llvm::zip_equal(loop.getInitsMutable(), loop.getBeforeArguments(),
                         *loop.getYieldedValuesMutable()))
      visit({{&init, &yielded}, {argument}});
    for (auto [passed, argument, result] :
         llvm::zip_equal(loop.getConditionOp().getArgsMutable(),
                         loop.getAfterArguments(), loop.getResults()))
      visit({{&passed}, {argument, result}});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      visit({{&branch.thenYield()->getOpOperand(index),
              &branch.elseYield()->getOpOperand(index)},
             {result}});
  } else if (auto turn = dyn_cast<SerializeOp>(op)) {
    Operation *end = turn.getBody().front().getTerminator();
    for (auto [passed, result] :
         llvm::zip_equal(end->getOpOperands(), turn.getResults()))
      visit({{&passed}, {result}});
  }
}

//===----------------------------------------------------------------------===//
// Dimensions that are the same
//===----------------------------------------------------------------------===//

static void unifyAllDims(Value a, Value b, UnifyDims unify) {
  for (int64_t dim = 0; dim < cast<VectorType>(a.getType()).getRank(); ++dim)
    unify(a, dim, b, dim);
}

static void unifyProductDims(vector::ContractionOp op, UnifyDims unify) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // An operand that has each dimension of the iteration space.
  SmallVector<std::pair<Value, unsigned>> first(maps[0].getNumDims());
  Value operands[] = {op.getLhs(), op.getRhs(), op.getAcc()};
  for (auto [map, operand] : llvm::zip_equal(maps, operands)) {
    if (!isVector(operand))
      continue;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto &known = first[cast<AffineDimExpr>(expr).getPosition()];
      if (!known.first)
        known = {operand, unsigned(dim)};
      unify(known.first, known.second, operand, dim);
    }
  }
  if (isVector(op.getResult()))
    unifyAllDims(op.getResult(), op.getAcc(), unify);
}

bool carousel::unifyDims(Operation *op, UnifyDims unify) {
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      if (isVector(operand))
        unifyAllDims(op->getResult(0), operand, unify);
    for (Value result : op->getResults().drop_front())
      unifyAllDims(op->getResult(0), result, unify);
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::BroadcastOp broadcast) {
        auto type = dyn_cast<VectorType>(broadcast.getSourceType());
        VectorType result = broadcast.getResultVectorType();
        for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
          int64_t wide = result.getRank() - type.getRank() + dim;
          if (type.getDimSize(dim) == result.getDimSize(wide))
            unify(broadcast.getResult(), wide, broadcast.getSource(), dim);
        }
        return true;
      })
      .Case([&](vector::TransposeOp transpose) {
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          unify(transpose.getResult(), to, transpose.getVector(), from);
        return true;
      })
      .Case([&](vector::ContractionOp product) {
        unifyProductDims(product, unify);
        return true;
      })
      .Case([&](vector::MultiDimReductionOp reduction) {
        unsigned kept = 0;
        for (auto [dim, isReduced] :
             llvm::enumerate(reduction.getReductionMask()))
          if (!isReduced)
            unify(reduction.getResult(), kept++, reduction.getSource(), dim);
        if (isVector(reduction.getResult()))
          unifyAllDims(reduction.getResult(), reduction.getAcc(), unify);
        return true;
      })
      .Default([](Operation *) { return false; });
}

void carousel::unifyCarriedDims(Operation *op, UnifyDims unify) {
  forEachCarried(op, [&](const CarriedValue &carried) {
    Value first = carried.values.front();
    if (!isVector(first))
      return;
    for (Value value : carried.values)
      unifyAllDims(first, value, unify);
    for (OpOperand *use : carried.uses)
      unifyAllDims(first, use->get(), unify);
  });
}

bool carousel::isScannedByThreads(ScanOp op) {
  // Lines of neighbours are accesses of each thread.
  constexpr int64_t kLongestRow = 8, kLongestLine = 32, kFewestLines = 64;
  VectorType type = op.getType();
  int64_t extent = type.getDimSize(op.getDim());
  bool isRow = int64_t(op.getDim()) == type.getRank() - 1;
  return extent <= (isRow ? kLongestRow : kLongestLine) &&
         type.getNumElements() / extent >= kFewestLines;
}

bool carousel::isReshaping(Operation *op) {
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return isa<VectorType>(broadcast.getSourceType());
  if (std::optional<VectorPart> part = VectorPart::of(op))
    return part->isAligned() && !part->isScalar();
  return isa<vector::TransposeOp, vector::ShapeCastOp, vector::InterleaveOp,
             vector::DeinterleaveOp>(op);
}

//===----------------------------------------------------------------------===//
// Ops that can be distributed
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> dropUnits(VectorType type) {
  return llvm::to_vector(llvm::make_filter_range(
      type.getShape(), [](int64_t extent) { return extent != 1; }));
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool carousel::relatesLayouts(Operation *op) {
  return isReshaping(op) ||
         (isa<DistributionOpInterface>(op) && !isElementwise(op));
}

static std::string explainSources(DistributionOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isVector(operand.get()) || findElementMaps(operand))
      continue;
    unsigned number = operand.getOperandNumber();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "expected maps of operand " << number
       << " that are linear over bits of coordinates and differ in constants "
          "only, got";
    for (const ElementSource &source : op.getElementSources())
      if (source.operand == number)
        os << " " << source.map;
    return text;
  }
  return "";
}

std::string carousel::explainRelation(Operation *op) {
  if (auto own = dyn_cast<DistributionOpInterface>(op))
    return explainSources(own);
  auto cast = dyn_cast<vector::ShapeCastOp>(op);
  if (!cast)
    return "";
  VectorType source = cast.getSourceVectorType();
  VectorType result = cast.getResultVectorType();
  auto isEven = [](VectorType type) {
    return llvm::all_of(type.getShape(), [](int64_t extent) {
      return llvm::isPowerOf2_64(extent);
    });
  };
  if (dropUnits(source) == dropUnits(result) ||
      (isEven(source) && isEven(result)))
    return "";
  return "expected a shape_cast between extents that are powers of two, or of "
         "dimensions of one element, got " +
         toText(source) + " to " + toText(result);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Bits of a vector of fewer dimensions: the leading ones are selected.
static SmallVector<unsigned> withUnitDims(ArrayRef<unsigned> bits,
                                          unsigned rank) {
  SmallVector<unsigned> padded(rank - bits.size(), 0);
  llvm::append_range(padded, bits);
  return padded;
}

std::optional<LinearLayout>
carousel::deriveOperand(OpOperand &operand, const LinearLayout &result) {
  auto type = cast<VectorType>(operand.get().getType());
  SmallVector<unsigned> bits = getExtentBits(type);
  if (isa<DistributionOpInterface>(operand.getOwner()))
    return getSourceLayout(*findElementMaps(operand), result, bits);
  return llvm::TypeSwitch<Operation *, std::optional<LinearLayout>>(
             operand.getOwner())
      .Case(
          [&](vector::BroadcastOp) { return getBroadcastSource(result, bits); })
      .Case([&](vector::TransposeOp transpose) {
        return getTransposeSource(result, transpose.getPermutation());
      })
      .Case([&](vector::ShapeCastOp) { return getReshaped(result, bits); })
      .Case([&](vector::InterleaveOp) { return getInterleaveSource(result); })
      .Case([&](vector::DeinterleaveOp) { return getInterleaved(result); })
      .Case([&](vector::ExtractStridedSliceOp) {
        return getSliceSource(result, bits);
      })
      .Case([&](vector::ExtractOp) {
        return getSliceSource(
            getReshaped(result,
                        withUnitDims(result.getExtentBits(), bits.size())),
            bits);
      })
      .Case<vector::InsertOp, vector::InsertStridedSliceOp>(
          [&](Operation *) -> std::optional<LinearLayout> {
            if (operand.getOperandNumber() == 1)
              return result;
            std::optional<LinearLayout> part = getSliceLayout(
                result, withUnitDims(bits, result.getExtentBits().size()));
            if (!part)
              return std::nullopt;
            return getReshaped(*part, bits);
          })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<LinearLayout> carousel::deriveResult(OpOperand &operand,
                                                   const LinearLayout &layout) {
  Operation *op = operand.getOwner();
  SmallVector<unsigned> bits =
      getExtentBits(cast<VectorType>(op->getResult(0).getType()));
  if (isa<DistributionOpInterface>(op))
    return getLayoutOfSource(*findElementMaps(operand), layout, bits);
  return llvm::TypeSwitch<Operation *, std::optional<LinearLayout>>(op)
      .Case([&](vector::TransposeOp transpose) {
        return getTransposed(layout, transpose.getPermutation());
      })
      .Case([&](vector::ShapeCastOp) { return getReshaped(layout, bits); })
      .Case([&](vector::InterleaveOp) { return getInterleaved(layout); })
      .Case([&](vector::DeinterleaveOp) { return getInterleaveSource(layout); })
      .Case([&](vector::ExtractStridedSliceOp) {
        return getSliceLayout(layout, bits);
      })
      .Case([&](vector::ExtractOp) -> std::optional<LinearLayout> {
        std::optional<LinearLayout> part = getSliceLayout(
            layout, withUnitDims(bits, layout.getExtentBits().size()));
        if (!part)
          return std::nullopt;
        return getReshaped(*part, bits);
      })
      .Case<vector::InsertOp, vector::InsertStridedSliceOp>(
          [&](Operation *) -> std::optional<LinearLayout> {
            if (operand.getOperandNumber() == 1)
              return layout;
            return getSliceSource(
                getReshaped(layout,
                            withUnitDims(layout.getExtentBits(), bits.size())),
                bits);
          })
      .Default([](Operation *) { return std::nullopt; });
}
