//===- ConstantArithmetic.cpp - arithmetic of constants -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConstantArithmetic.h. Values are bits, and no attributes: a context keeps
// each attribute that it has ever had.
//
//===----------------------------------------------------------------------===//

#include "ConstantArithmetic.h"

#include "../Reading/ReadGraph.h"
#include "ConstantSteps.h"

#include "carousel/Dialect/IR/ConstantBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace carousel;

static constexpr int64_t kMostSteps = int64_t(1) << 24;
static constexpr int64_t kMostStepsOfFunction = int64_t(1) << 26;

namespace {

/// A constant, in the order of memory.
struct Constant {
  std::string bytes;
  /// No other op reads it, so that it is no part of the package any more.
  bool isLastUse = true;
};

/// Goes along the elements of a tensor with the loops of an op.
struct Walk {
  SmallVector<int64_t> strides; ///< in elements, by loop
  int64_t at = 0;
};

} // namespace

/// Bytes of elements that this file computes; 0 for others.
static int64_t getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element) ||
      element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
      element.isInteger(64))
    return element.getIntOrFloatBitWidth() / 8;
  return 0;
}

/// Finds a constant, also through reshapes. Splats are operands that fusion
/// makes numbers of.
static std::optional<Constant> findConstant(Value tensor) {
  Constant constant;
  while (Operation *op = tensor.getDefiningOp()) {
    constant.isLastUse &= tensor.hasOneUse();
    if (ElementsAttr elements; matchPattern(tensor, m_Constant(&elements))) {
      auto dense = dyn_cast<DenseElementsAttr>(elements);
      std::optional<std::string> bytes = getConstantBytes(elements);
      if ((dense && dense.isSplat()) || !bytes)
        return std::nullopt;
      constant.bytes = std::move(*bytes);
      return constant;
    }
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return std::nullopt;
}

/// Before weights are copied for nothing.
static bool mayBeConstant(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return op->hasTrait<OpTrait::ConstantLike>();
    tensor = op->getOperand(0);
  }
  return false;
}

static bool isTooLarge(int64_t bytes, ArrayRef<Constant> operands) {
  constexpr int64_t kMostGrowth = 4096, kPart = 8;
  int64_t replaced = 0;
  for (const Constant &operand : operands)
    replaced += operand.isLastUse ? operand.bytes.size() : 0;
  return bytes - replaced > kMostGrowth + replaced / kPart;
}

static DenseElementsAttr makeConstant(RankedTensorType type,
                                      const std::string &bytes, int64_t width) {
  ArrayRef<char> raw(bytes.data(), bytes.size());
  // Equal elements are one.
  bool isSplat = raw.drop_front(width) == raw.drop_back(width);
  return DenseElementsAttr::getFromRawBuffer(
      type, isSplat ? raw.take_front(width) : raw);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Nothing if an index isn't the number of a loop, or 0.
static std::optional<Walk> findWalk(AffineMap map, RankedTensorType type) {
  Walk walk;
  walk.strides.resize(map.getNumDims());
  for (auto [expr, stride] :
       llvm::zip_equal(map.getResults(), computeStrides(type.getShape()))) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      walk.strides[dim.getPosition()] += stride;
    else if (expr != getAffineConstantExpr(0, map.getContext()))
      return std::nullopt;
  }
  return walk;
}

static APInt load(const std::string &bytes, int64_t element, int64_t width) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + element * width, width);
  return APInt(width * 8, bits);
}

static void store(std::string &bytes, int64_t element, int64_t width,
                  const APInt &value) {
  uint64_t bits = value.getZExtValue();
  std::memcpy(bytes.data() + element * width, &bits, width);
}

namespace {

/// Evaluates an elementwise op of constants.
class ElementwiseFold {
public:
  explicit ElementwiseFold(linalg::GenericOp op)
      : op(op), type(dyn_cast<RankedTensorType>(op->getResult(0).getType())) {}

  /// Null if the op stays. Takes what it needs of `left` steps.
  DenseElementsAttr run(int64_t &left) {
    width = type ? getWidth(type) : 0;
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
        !op.hasPureTensorSemantics() || width == 0 || !type.hasStaticShape() ||
        type.getNumElements() == 0 || type.getNumElements() > kMostSteps ||
        !llvm::all_of(op.getInputs(), mayBeConstant) ||
        !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty() ||
        llvm::hasSingleElement(*op.getBody()) || !findOperands() ||
        isTooLarge(type.getNumElements() * width, constants))
      return {};
    std::optional<ConstantSteps> found = ConstantSteps::read(op.getBody());
    if (!found)
      return {};
    int64_t steps = type.getNumElements() * int64_t(found->size());
    if (steps > kMostSteps || steps > left)
      return {};
    left -= steps;
    return evaluate(*found);
  }

private:
  bool findOperands() {
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto own = dyn_cast<RankedTensorType>(input->get().getType());
      if (!own || getWidth(own) == 0 || !own.hasStaticShape())
        return false;
      std::optional<Constant> constant = findConstant(input->get());
      std::optional<Walk> walk =
          findWalk(op.getMatchingIndexingMap(input), own);
      if (!constant || !walk)
        return false;
      constants.push_back(std::move(*constant));
      walks.push_back(*walk);
      widths.push_back(getWidth(own));
    }
    std::optional<Walk> walk =
        findWalk(op.getMatchingIndexingMap(op.getDpsInitOperand(0)), type);
    if (!walk || constants.empty())
      return false;
    walks.push_back(*walk);
    return true;
  }

  DenseElementsAttr evaluate(ConstantSteps &steps) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    SmallVector<int64_t> loops(extents.size());
    std::string bytes(type.getNumElements() * width, 0);
    SmallVector<APInt> elements(constants.size());
    while (true) {
      for (auto [number, constant] : llvm::enumerate(constants))
        elements[number] =
            load(constant.bytes, walks[number].at, widths[number]);
      std::optional<APInt> result = steps.run(elements, loops);
      if (!result)
        return {};
      store(bytes, walks.back().at, width, *result);
      if (!advance(loops, extents))
        return makeConstant(type, bytes, width);
    }
  }

  /// False behind the last element.
  bool advance(SmallVector<int64_t> &loops, ArrayRef<int64_t> extents) {
    for (size_t loop = loops.size(); loop-- > 0;) {
      for (Walk &walk : walks)
        walk.at += walk.strides[loop];
      if (++loops[loop] != extents[loop])
        return true;
      for (Walk &walk : walks)
        walk.at -= walk.strides[loop] * extents[loop];
      loops[loop] = 0;
    }
    return false;
  }

  linalg::GenericOp op;
  RankedTensorType type;
  int64_t width = 0;
  SmallVector<Constant> constants;
  SmallVector<int64_t> widths;
  SmallVector<Walk> walks; ///< of the operands, and then the result
};

} // namespace

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

/// Whether no index of a slice, which are constants, is outside of its tensor.
static bool isInside(tensor::InsertSliceOp op) {
  auto isNegative = [](int64_t number) { return number < 0; };
  return llvm::none_of(op.getStaticOffsets(), isNegative) &&
         llvm::none_of(op.getStaticStrides(), isNegative) &&
         verifyInBoundsSlice(op.getDestType().getShape(), op.getStaticOffsets(),
                             op.getStaticSizes(), op.getStaticStrides())
             .isValid;
}

/// A constant inside of a fill, which is how a pad looks here.
static DenseElementsAttr foldInsert(tensor::InsertSliceOp op, int64_t &left) {
  RankedTensorType type = op.getType();
  int64_t width = getWidth(type);
  TypedAttr fill = findFill(op.getDest());
  if (width == 0 || !fill || !type.hasStaticShape() ||
      !op.getSourceType().hasStaticShape() ||
      type.getNumElements() > std::min(left, kMostSteps) ||
      op.getSourceType().getNumElements() == 0 ||
      ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()) || !isInside(op))
    return {};
  std::optional<Constant> source = findConstant(op.getSource());
  if (!source || isTooLarge(type.getNumElements() * width, *source))
    return {};
  left -= type.getNumElements();
  auto around = isa<FloatAttr>(fill)
                    ? cast<FloatAttr>(fill).getValue().bitcastToAPInt()
                    : cast<IntegerAttr>(fill).getValue();
  std::string bytes(type.getNumElements() * width, 0);
  for (int64_t element = 0; element != type.getNumElements(); ++element)
    store(bytes, element, width, around);
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<int64_t> sizes(op.getStaticSizes()), place(sizes.size());
  int64_t target = 0;
  for (auto [offset, stride] : llvm::zip_equal(op.getStaticOffsets(), strides))
    target += offset * stride;
  for (size_t from = 0; from < source->bytes.size(); from += width) {
    std::memcpy(bytes.data() + target * width, source->bytes.data() + from,
                width);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      int64_t step = op.getStaticStrides()[dim] * strides[dim];
      target += step;
      if (++place[dim] != sizes[dim])
        break;
      target -= sizes[dim] * step;
      place[dim] = 0;
    }
  }
  return makeConstant(type, bytes, width);
}

void carousel::foldConstantArithmetic(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  int64_t left = kMostStepsOfFunction;
  for (Operation &op :
       llvm::make_early_inc_range(func.getBody().front().getOperations())) {
    DenseElementsAttr elements;
    if (auto generic = dyn_cast<linalg::GenericOp>(op);
        generic && generic->getNumResults() == 1)
      elements = ElementwiseFold(generic).run(left);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      elements = foldInsert(insert, left);
    if (!elements)
      continue;
    rewriter.setInsertionPoint(&op);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(&op, elements);
  }
}
