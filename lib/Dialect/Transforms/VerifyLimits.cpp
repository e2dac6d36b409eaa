//===- VerifyLimits.cpp - numbers that arithmetic can hold ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types are checked wherever an op has them: as operands, results, arguments
// of blocks, and in attributes, such as those of functions and constants.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/VerifyLimits.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Those of unknown types are at most as large as pointers.
static uint64_t getBytes(Type element) {
  constexpr uint64_t kPointer = 8;
  return llvm::TypeSwitch<Type, uint64_t>(element)
      .Case(
          [](ComplexType type) { return 2 * getBytes(type.getElementType()); })
      .Case([](VectorType type) {
        uint64_t bytes = getBytes(type.getElementType());
        for (int64_t extent : type.getShape())
          bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
        return bytes;
      })
      .Default([](Type type) {
        return type.isIntOrFloat()
                   ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                   : kPointer;
      });
}

/// Extents of 0 count as 1: strides are products of some of the extents.
static uint64_t getBytes(ShapedType type) {
  uint64_t bytes = getBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && extent != 0)
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
  return bytes;
}

static bool isBeyond(int64_t value) {
  return value > kMaxExtentBytes || value < -kMaxExtentBytes;
}

/// Offsets and strides, of which each dimension's last element has a multiple.
static bool isBeyond(StridedLayoutAttr layout, ArrayRef<int64_t> shape) {
  auto isKnownBeyond = [](int64_t value) {
    return !ShapedType::isDynamic(value) && isBeyond(value);
  };
  if (isKnownBeyond(layout.getOffset()) ||
      llvm::any_of(layout.getStrides(), isKnownBeyond))
    return true;
  for (auto [stride, extent] : llvm::zip(layout.getStrides(), shape)) {
    int64_t last;
    if (!ShapedType::isDynamic(stride) && !ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(stride, extent, last) || isBeyond(last)))
      return true;
  }
  return false;
}

namespace {
/// Finds the first type that is refused. Types are unique, and each is looked
/// at once.
class TypeLimits {
public:
  TypeLimits() {
    walker.addWalk([this](Type type) { return check(type); });
    walker.addWalk([this](AffineMapAttr map) { return check(map); });
  }

  LogicalResult verify(Operation *op) {
    WalkResult result = WalkResult::advance();
    auto walk = [&](auto part) {
      if (!result.wasInterrupted())
        result = walker.walk(part);
    };
    for (Type type : op->getResultTypes())
      walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walk(type);
    for (NamedAttribute attribute : op->getAttrDictionary())
      walk(attribute.getValue());
    if (!result.wasInterrupted())
      return success();
    return op->emitOpError("expected ") << rule << ", got " << found;
  }

private:
  template <typename TypeOrAttr>
  WalkResult refuse(TypeOrAttr what, StringLiteral why) {
    rule = why;
    found.clear();
    llvm::raw_string_ostream(found) << "'" << what << "'";
    return WalkResult::interrupt();
  }

  /// C274. MLIR expands a division by a constant that isn't positive to none.
  WalkResult check(AffineMapAttr map) {
    WalkResult result = WalkResult::advance();
    map.getValue().walkExprs([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      bool divides =
          llvm::is_contained({AffineExprKind::Mod, AffineExprKind::FloorDiv,
                              AffineExprKind::CeilDiv},
                             expr.getKind());
      auto divisor = divides ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                             : AffineConstantExpr();
      if (divisor && divisor.getValue() <= 0)
        result = refuse(map, "positive divisors in affine maps");
    });
    return result;
  }

  WalkResult check(Type type) {
    // C273
    if (auto integer = dyn_cast<IntegerType>(type);
        integer && integer.getWidth() == 0)
      return refuse(type, "integers of at least one bit");
    // C270
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasRank())
      return WalkResult::advance();
    if (getBytes(shaped) > uint64_t(kMaxExtentBytes))
      return refuse(type, "extents of at most 2^48 bytes in all");
    auto memref = dyn_cast<MemRefType>(type);
    auto strided = memref ? dyn_cast<StridedLayoutAttr>(memref.getLayout())
                          : StridedLayoutAttr();
    if (strided && isBeyond(strided, memref.getShape()))
      return refuse(type, "offsets and strides of at most 2^48 elements");
    return WalkResult::advance();
  }

  AttrTypeWalker walker;
  StringLiteral rule = "";
  std::string found;
};
} // namespace

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// C271
static LogicalResult verifyDim(Operation *op, ShapedType type, int64_t dim) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError("expected one of the ")
         << type.getRank() << " dimensions of " << type << ", got " << dim;
}

/// C271. MLIR's folders take the extent that a constant names from the type.
static LogicalResult verifyDim(ShapedDimOpInterface op) {
  auto type = dyn_cast<ShapedType>(op.getShapedValue().getType());
  if (!type || !type.hasRank())
    return success();
  Value dimension = op.getDimension().dyn_cast<Value>();
  std::optional<int64_t> index = getConstantIntValue(op.getDimension());
  if (!index && dimension) {
    FailureOr<int64_t> computed =
        ValueBoundsConstraintSet::computeConstantBound(
            presburger::BoundType::EQ, dimension);
    if (succeeded(computed))
      index = *computed;
  }
  if (!index && dimension && !isa<BlockArgument>(dimension))
    return op->emitOpError("expected a constant as the dimension, got the "
                           "result of '")
           << dimension.getDefiningOp()->getName() << "'";
  return index ? verifyDim(op, type, *index) : success();
}

/// C271. MLIR writes to a mask at such a dimension.
static LogicalResult verifyReduction(vector::MultiDimReductionOp op) {
  return success(llvm::all_of(op.getReductionDims(), [&](int64_t dim) {
    return succeeded(verifyDim(op, op.getSourceVectorType(), dim));
  }));
}

/// C272. The verifier of tensor.pad doesn't count its operands.
static LogicalResult verifyPad(tensor::PadOp op) {
  auto verifySide = [&](ArrayRef<int64_t> numbers,
                        ValueRange operands) -> LogicalResult {
    size_t places = llvm::count_if(numbers, ShapedType::isDynamic);
    if (places != operands.size())
      return op.emitOpError("expected an operand for each padding that isn't "
                            "constant, got ")
             << operands.size() << " for " << places;
    SmallVector<OpFoldResult> amounts =
        getMixedValues(numbers, operands, op.getContext());
    for (OpFoldResult amount : amounts)
      if (std::optional<int64_t> value = getConstantIntValue(amount);
          value && (*value < 0 || isBeyond(*value)))
        return op.emitOpError("expected paddings of 0 to 2^48 elements, got ")
               << *value;
    return success();
  };
  return failure(failed(verifySide(op.getStaticLow(), op.getLow())) ||
                 failed(verifySide(op.getStaticHigh(), op.getHigh())));
}

/// C272. A folder would leave such an extent where it is.
static LogicalResult verifyEmpty(tensor::EmptyOp op) {
  for (Value extent : op.getDynamicSizes())
    if (std::optional<int64_t> value = getConstantIntValue(extent);
        value && (*value < 0 || isBeyond(*value)))
      return op.emitOpError("expected extents of 0 to 2^48 elements, got ")
             << *value;
  return success();
}

/// C274. Offsets, sizes and strides.
static LogicalResult verifySlice(OffsetSizeAndStrideOpInterface op) {
  auto verifyAll = [&](ArrayRef<OpFoldResult> values,
                       StringRef what) -> LogicalResult {
    for (OpFoldResult value : values)
      if (std::optional<int64_t> number = getConstantIntValue(value);
          number && isBeyond(*number))
        return op->emitOpError("expected ")
               << what << " of at most 2^48 elements, got " << *number;
    return success();
  };
  return failure(failed(verifyAll(op.getMixedOffsets(), "offsets")) ||
                 failed(verifyAll(op.getMixedSizes(), "sizes")) ||
                 failed(verifyAll(op.getMixedStrides(), "strides")));
}

/// C298. MLIR takes numbers modulo 2^32 for those of dimensions.
static LogicalResult verifyReshape(Operation *op,
                                   ArrayRef<ReassociationIndices> groups) {
  int64_t next = 0;
  for (const ReassociationIndices &group : groups)
    for (int64_t dim : group)
      if (dim != next++)
        return op->emitOpError("expected dimension ")
               << next - 1 << " next in the reassociation, got " << dim;
  return success();
}

/// C275. Costs are products of all loops' extents.
static LogicalResult verifyLoops(linalg::LinalgOp op) {
  constexpr uint64_t kMaxIterations = uint64_t(1) << 60;
  uint64_t iterations = 1;
  for (int64_t range : op.getStaticLoopRanges())
    if (!ShapedType::isDynamic(range) && range != 0)
      iterations = llvm::SaturatingMultiply<uint64_t>(iterations, range);
  if (iterations > kMaxIterations)
    return op->emitOpError("expected loops of at most 2^60 iterations in all, "
                           "got more");
  return success();
}

/// C275
static LogicalResult verifyWindows(linalg::LinalgOp op) {
  for (StringRef name : {"strides", "dilations"}) {
    auto steps = op->getAttrOfType<DenseIntElementsAttr>(name);
    if (!steps)
      continue;
    for (APInt step : steps.getValues<APInt>())
      if (!step.isStrictlyPositive() || step.getSExtValue() > INT32_MAX)
        return op->emitOpError("expected ")
               << name << " of 1 to 2147483647, got " << step.getSExtValue();
  }
  return success();
}

LogicalResult carousel::verifyLimits(Operation *root) {
  TypeLimits types;
  auto verifyOp = [&](Operation *op) -> LogicalResult {
    if (failed(types.verify(op)))
      return failure();
    if (auto dim = dyn_cast<ShapedDimOpInterface>(op))
      return verifyDim(dim);
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      return verifyReduction(reduction);
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      return verifyPad(pad);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return verifyEmpty(empty);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return verifyReshape(op, expand.getReassociationIndices());
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return verifyReshape(op, collapse.getReassociationIndices());
    if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
      return verifySlice(slice);
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured)
      return success();
    return failure(failed(verifyWindows(structured)) ||
                   failed(verifyLoops(structured)));
  };
  WalkResult result = root->walk([&](Operation *op) {
    return failed(verifyOp(op)) ? WalkResult::interrupt()
                                : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
