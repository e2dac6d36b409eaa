//===- DistributionOpInterface.cpp - vector ops of others -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DistributionOpInterface.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/DistributionOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace carousel;

#include "carousel/Dialect/IR/DistributionOpInterface.cpp.inc"

static bool isShaped(Type type) {
  return isa<VectorType, RankedTensorType>(type);
}

static ArrayRef<int64_t> getShape(Type type) {
  return isShaped(type) ? cast<ShapedType>(type).getShape()
                        : ArrayRef<int64_t>();
}

SmallVector<ElementSource> carousel::getElementwiseSources(Operation *op) {
  size_t rank = getShape(op->getResult(0).getType()).size();
  MLIRContext *context = op->getContext();
  auto same = AffineMap::getMultiDimIdentityMap(rank, context);
  auto none = AffineMap::get(rank, /*symbolCount=*/0, context);
  SmallVector<ElementSource> sources;
  for (OpOperand &operand : op->getOpOperands())
    sources.push_back({operand.getOperandNumber(),
                       isShaped(operand.get().getType()) ? same : none});
  return sources;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {

struct Bounds {
  int64_t least, most;
};

} // namespace

/// The values of an expression of coordinates; nullopt for an expression that
/// maps can't have.
static std::optional<Bounds> getRange(AffineExpr expr,
                                      ArrayRef<int64_t> shape) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Bounds{0, shape[dim.getPosition()] - 1};
  // Products of numbers of 32 bits don't overflow.
  if (auto constant = dyn_cast<AffineConstantExpr>(expr);
      constant && llvm::isInt<32>(constant.getValue()))
    return Bounds{constant.getValue(), constant.getValue()};
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return std::nullopt;
  std::optional<Bounds> lhs = getRange(both.getLHS(), shape),
                        rhs = getRange(both.getRHS(), shape);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Bounds{lhs->least + rhs->least, lhs->most + rhs->most};
  int64_t factor = rhs->least;
  if (factor != rhs->most)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return factor < 0 ? Bounds{lhs->most * factor, lhs->least * factor}
                      : Bounds{lhs->least * factor, lhs->most * factor};
  if (lhs->least < 0 || factor <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return Bounds{lhs->least / factor, lhs->most / factor};
  if (expr.getKind() == AffineExprKind::Mod)
    return lhs->most < factor ? *lhs : Bounds{0, factor - 1};
  return std::nullopt;
}

static std::string toText(AffineMap map) {
  std::string text;
  llvm::raw_string_ostream(text) << map;
  return text;
}

static LogicalResult verifySource(Operation *op, const ElementSource &source,
                                  size_t number, ArrayRef<int64_t> shape) {
  if (source.operand >= op->getNumOperands())
    return op->emitOpError("expected source ")
           << number << " in one of " << op->getNumOperands()
           << " operands, got operand " << source.operand;
  Type type = op->getOperand(source.operand).getType();
  if (!isShaped(type) && !type.isIntOrIndexOrFloat())
    return op->emitOpError("expected operands that are vectors, tensors or "
                           "numbers, got ")
           << type;
  ArrayRef<int64_t> own = getShape(type);
  if (!source.map || source.map.getNumDims() != shape.size() ||
      source.map.getNumSymbols() != 0 ||
      source.map.getNumResults() != own.size())
    return op->emitOpError("expected a map from ")
           << shape.size() << " coordinates to " << own.size() << " for source "
           << number << ", got " << toText(source.map);
  // The launch decides about extents that aren't known.
  if (ShapedType::isDynamicShape(shape) || ShapedType::isDynamicShape(own))
    return success();
  for (auto [expr, extent] : llvm::zip_equal(source.map.getResults(), own)) {
    std::optional<Bounds> range = getRange(expr, shape);
    if (!range || range->least < 0 || range->most >= extent)
      return op->emitOpError("expected source ")
             << number << " inside of operand " << source.operand << ", got "
             << toText(source.map) << " to " << type;
  }
  return success();
}

/// Whether an op has nothing but results of these types.
template <typename T> static bool onlyMakes(Operation *op) {
  return op->getNumResults() != 0 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<T>) &&
         isMemoryEffectFree(op);
}

bool carousel::onlyMakesVectors(Operation *op) {
  return onlyMakes<VectorType>(op);
}

LogicalResult carousel::verifyDistribution(Operation *op) {
  // In bodies of linalg.generic, the op is on numbers.
  if (op->getNumResults() == 0 || !llvm::all_of(op->getResultTypes(), isShaped))
    return success();
  ArrayRef<int64_t> shape = getShape(op->getResult(0).getType());
  for (Type type : op->getResultTypes())
    if (getShape(type) != shape)
      return op->emitOpError("expected results of one shape, got ")
             << op->getResult(0).getType() << " and " << type;
  if (!onlyMakes<VectorType>(op) && !onlyMakes<RankedTensorType>(op))
    return op->emitOpError(
        "expected no regions and no effects of an op that distributes");
  SmallVector<ElementSource> sources =
      cast<DistributionOpInterface>(op).getElementSources();
  if (OpTrait::hasElementwiseMappableTraits(op) &&
      sources != getElementwiseSources(op))
    return op->emitOpError(
        "expected an elementwise op to have the sources of one");
  llvm::SmallBitVector seen(op->getNumOperands());
  for (auto [number, source] : llvm::enumerate(sources)) {
    if (failed(verifySource(op, source, number, shape)))
      return failure();
    seen.set(source.operand);
  }
  if (int missing = seen.find_first_unset(); missing >= 0)
    return op->emitOpError("expected a source in each operand, got none in "
                           "operand ")
           << missing;
  return success();
}

FailureOr<SmallVector<Value>>
carousel::createElements(DistributionOpInterface op, OpBuilder &builder,
                         ValueRange sources, std::optional<int64_t> count) {
  auto types = llvm::map_to_vector(op->getResultTypes(), [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    return count ? VectorType::get({*count}, element) : element;
  });
  SmallVector<Value> elements =
      op.createElements(builder, op.getLoc(), sources, types);
  if (!llvm::is_contained(elements, Value()) &&
      llvm::equal(ValueRange(elements).getTypes(), types))
    return elements;
  InFlightDiagnostic error = op->emitOpError("expected createElements to "
                                             "return values of the types ");
  llvm::interleaveComma(types, error);
  error << ", got " << elements.size() << " values";
  for (Value element : elements)
    if (element)
      error << " " << element.getType();
  return error;
}
