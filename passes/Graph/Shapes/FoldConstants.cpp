//===- FoldConstants.cpp - arithmetic of constants ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds ops on constants alone, which each launch would compute. The compiler
// does it once, with the kernels' bits: it executes the body of a structured op
// for one element after another. Values are bits, and no attributes: a context
// keeps each attribute that it has ever had.
//
// --carousel-fold-constant-copies moves elements. A model's weights may be
// constants. Transposing them is work for the compiler, not for each launch.
// Upstream's folds of linalg ops don't read resources, which large weights are.
//
//===----------------------------------------------------------------------===//

#include "FuseGraph.h"

#include "../Reading/ReadGraph.h"

#include "carousel/Dialect/IR/ConstantBytes.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <functional>
#include <optional>

namespace carousel {
#define GEN_PASS_DEF_FOLDCONSTANTCOPIES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using llvm::APSInt;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {

class ConstantSteps {
public:
  /// Reads a body; nullopt if it has an op whose bits the compiler doesn't
  /// know, such as those of math, and those with fast-math flags.
  static std::optional<ConstantSteps> read(Block *body);

  size_t size() const { return steps.size(); }

  /// The yielded value for elements of the inputs, and indices of loops.
  /// Nothing if a value is NaN, whose bits kernels choose.
  std::optional<APInt> run(ArrayRef<APInt> elements, ArrayRef<int64_t> loops);

private:
  using Evaluate = std::function<std::optional<APInt>(ArrayRef<APInt>)>;

  static Evaluate find(Operation *op);

  struct Step {
    Evaluate evaluate;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  /// The place of a value; nothing for one that isn't known.
  std::optional<unsigned> place(Value value);

  llvm::DenseMap<Value, unsigned> places;
  std::vector<APInt> values;
  std::vector<Step> steps;
  SmallVector<std::pair<unsigned, unsigned>> loopValues;
  unsigned yielded = 0;
};

} // namespace

static constexpr auto kNearest = llvm::RoundingMode::NearestTiesToEven;

static const llvm::fltSemantics &getSemantics(Type type) {
  return cast<FloatType>(type).getFloatSemantics();
}

static unsigned getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static bool isKnown(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IndexType>(
             type) ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

static std::optional<APInt> finish(const APFloat &value) {
  if (value.isNaN())
    return std::nullopt;
  return value.bitcastToAPInt();
}

/// Computes a function of the op's operands as floats.
template <typename Function>
static auto onFloats(Operation *op, Function function) {
  return [&semantics = getSemantics(op->getOperand(0).getType()),
          function](ArrayRef<APInt> values) -> std::optional<APInt> {
    APFloat lhs(semantics, values[0]), rhs(semantics, values.back());
    return finish(function(lhs, rhs));
  };
}

template <typename Function> static auto onIntegers(Function function) {
  return [function](ArrayRef<APInt> values) -> std::optional<APInt> {
    return function(values[0], values[1]);
  };
}

static auto convertFloat(Operation *op) {
  return [&from = getSemantics(op->getOperand(0).getType()),
          &to = getSemantics(op->getResult(0).getType())](
             ArrayRef<APInt> values) -> std::optional<APInt> {
    APFloat value(from, values[0]);
    bool isLossy;
    value.convert(to, kNearest, &isLossy);
    return finish(value);
  };
}

static auto convertInteger(Operation *op, bool isSigned) {
  return [&to = getSemantics(op->getResult(0).getType()),
          isSigned](ArrayRef<APInt> values) -> std::optional<APInt> {
    APFloat value(to);
    value.convertFromAPInt(values[0], isSigned, kNearest);
    return finish(value);
  };
}

/// Numbers that the integer hasn't have no meaning.
static auto convertToInteger(Operation *op, bool isSigned) {
  return [&from = getSemantics(op->getOperand(0).getType()),
          bits = getBits(op->getResult(0).getType()),
          isSigned](ArrayRef<APInt> values) -> std::optional<APInt> {
    APSInt result(bits, /*isUnsigned=*/!isSigned);
    bool isExact;
    if (APFloat(from, values[0])
            .convertToInteger(result, llvm::RoundingMode::TowardZero,
                              &isExact) == APFloat::opInvalidOp)
      return std::nullopt;
    return result;
  };
}

static auto resize(Operation *op, bool isSigned) {
  return [bits = getBits(op->getResult(0).getType()),
          isSigned](ArrayRef<APInt> values) -> std::optional<APInt> {
    return isSigned ? values[0].sextOrTrunc(bits) : values[0].zextOrTrunc(bits);
  };
}

ConstantSteps::Evaluate ConstantSteps::find(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), isKnown))
    return {};
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
      fast && fast.getFastMathFlagsAttr() &&
      fast.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
    return {};
  if (auto round = dyn_cast<arith::ArithRoundingModeInterface>(op);
      round && round.getRoundingModeAttr())
    return {};
  return llvm::TypeSwitch<Operation *, Evaluate>(op)
      .Case([&](arith::AddFOp) { return onFloats(op, std::plus<>()); })
      .Case([&](arith::SubFOp) { return onFloats(op, std::minus<>()); })
      .Case([&](arith::MulFOp) { return onFloats(op, std::multiplies<>()); })
      .Case([&](arith::DivFOp) { return onFloats(op, std::divides<>()); })
      .Case([&](arith::NegFOp) {
        return onFloats(op, [](APFloat a, const APFloat &) { return neg(a); });
      })
      .Case([&](arith::MaximumFOp) {
        return onFloats(op, [](const APFloat &a, const APFloat &b) {
          return llvm::maximum(a, b);
        });
      })
      .Case([&](arith::MinimumFOp) {
        return onFloats(op, [](const APFloat &a, const APFloat &b) {
          return llvm::minimum(a, b);
        });
      })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return convertFloat(op); })
      .Case([&](arith::SIToFPOp) { return convertInteger(op, true); })
      .Case([&](arith::UIToFPOp) { return convertInteger(op, false); })
      .Case([&](arith::FPToSIOp) { return convertToInteger(op, true); })
      .Case([&](arith::FPToUIOp) { return convertToInteger(op, false); })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](Operation *) { return resize(op, true); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](Operation *) { return resize(op, false); })
      .Case([&](arith::AddIOp) { return onIntegers(std::plus<>()); })
      .Case([&](arith::SubIOp) { return onIntegers(std::minus<>()); })
      .Case([&](arith::MulIOp) { return onIntegers(std::multiplies<>()); })
      .Case([&](arith::AndIOp) { return onIntegers(std::bit_and<>()); })
      .Case([&](arith::OrIOp) { return onIntegers(std::bit_or<>()); })
      .Case([&](arith::XOrIOp) { return onIntegers(std::bit_xor<>()); })
      .Case([&](arith::CmpIOp compare) -> Evaluate {
        return [predicate = compare.getPredicate()](
                   ArrayRef<APInt> values) -> std::optional<APInt> {
          return APInt(
              1, arith::applyCmpPredicate(predicate, values[0], values[1]));
        };
      })
      .Case([&](arith::CmpFOp compare) -> Evaluate {
        return [predicate = compare.getPredicate(),
                &semantics = getSemantics(compare.getLhs().getType())](
                   ArrayRef<APInt> values) -> std::optional<APInt> {
          return APInt(1, arith::applyCmpPredicate(
                              predicate, APFloat(semantics, values[0]),
                              APFloat(semantics, values[1])));
        };
      })
      .Case([&](arith::SelectOp) -> Evaluate {
        return [](ArrayRef<APInt> values) -> std::optional<APInt> {
          return values[0].isZero() ? values[2] : values[1];
        };
      })
      .Default([](Operation *) { return Evaluate(); });
}

std::optional<unsigned> ConstantSteps::place(Value value) {
  auto known = places.find(value);
  if (known != places.end())
    return known->second;
  Attribute constant;
  if (!isKnown(value.getType()) || !matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  auto number = dyn_cast<FloatAttr>(constant);
  auto integer = dyn_cast<IntegerAttr>(constant);
  if (!number && !integer)
    return std::nullopt;
  values.push_back(number ? number.getValue().bitcastToAPInt()
                          : integer.getValue());
  return places[value] = values.size() - 1;
}

std::optional<ConstantSteps> ConstantSteps::read(Block *body) {
  ConstantSteps read;
  auto add = [&](Value value) {
    read.places[value] = read.values.size();
    read.values.emplace_back(getBits(value.getType()), 0);
    return unsigned(read.values.size() - 1);
  };
  for (BlockArgument argument : body->getArguments())
    add(argument);
  for (Operation &op : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      read.loopValues.push_back({index.getDim(), add(index.getResult())});
      continue;
    }
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue; // placed by its users
    Step step;
    step.evaluate = find(&op);
    if (!step.evaluate)
      return std::nullopt;
    for (Value operand : op.getOperands()) {
      std::optional<unsigned> known = read.place(operand);
      if (!known)
        return std::nullopt;
      step.operands.push_back(*known);
    }
    step.result = add(op.getResult(0));
    read.steps.push_back(std::move(step));
  }
  std::optional<unsigned> result =
      read.place(body->getTerminator()->getOperand(0));
  if (!result)
    return std::nullopt;
  read.yielded = *result;
  return read;
}

std::optional<APInt> ConstantSteps::run(ArrayRef<APInt> elements,
                                        ArrayRef<int64_t> loops) {
  // The first values are those of the arguments.
  llvm::copy(elements, values.begin());
  for (auto [loop, value] : loopValues)
    values[value] = APInt(64, loops[loop]);
  SmallVector<APInt, 3> operands;
  for (const Step &step : steps) {
    operands.clear();
    for (unsigned operand : step.operands)
      operands.push_back(values[operand]);
    std::optional<APInt> result = step.evaluate(operands);
    if (!result)
      return std::nullopt;
    values[step.result] = *result;
  }
  return values[yielded];
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

static constexpr int64_t kMostSteps = int64_t(1) << 24;
static constexpr int64_t kMostStepsOfFunction = int64_t(1) << 26;

namespace {

/// A constant, and its bytes in the order of memory where they are read.
struct Constant {
  /// Reads the bytes, unless the constant is a splat, which is an operand that
  /// fusion makes a number of.
  bool read() {
    auto dense = dyn_cast<DenseElementsAttr>(elements);
    std::optional<std::string> all = getConstantBytes(elements);
    if ((dense && dense.isSplat()) || !all)
      return false;
    bytes = std::move(*all);
    return true;
  }

  ElementsAttr elements = {};
  bool isLastUse = true;
  std::string bytes = {};
};

/// The place of an operand's element, which moves with the loops of an op.
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

/// Finds a constant, also through reshapes, which leave elements in the order
/// of memory.
static std::optional<Constant> findConstant(Value tensor) {
  Constant constant;
  while (Operation *op = tensor.getDefiningOp()) {
    constant.isLastUse &= tensor.hasOneUse();
    if (matchPattern(tensor, m_Constant(&constant.elements)))
      return constant;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return std::nullopt;
}

static bool isTooLarge(int64_t bytes, ArrayRef<Constant> operands) {
  constexpr int64_t kMostGrowth = 4096, kPart = 8;
  int64_t replaced = 0;
  for (const Constant &operand : operands)
    replaced += operand.isLastUse ? operand.bytes.size() : 0;
  return bytes - replaced > kMostGrowth + replaced / kPart;
}

static DenseElementsAttr makeConstant(RankedTensorType type,
                                      const std::string &bytes) {
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(bytes.data(), bytes.size()));
}

/// Visits each point of loops while the walks are there. Ends early, and
/// returns false, where the visit does.
static bool visitPoints(ArrayRef<int64_t> extents, MutableArrayRef<Walk> walks,
                        llvm::function_ref<bool(ArrayRef<int64_t>)> visit) {
  assert(!llvm::is_contained(extents, 0) && "no point to begin with");
  SmallVector<int64_t> loops(extents.size());
  while (visit(loops)) {
    size_t loop = loops.size();
    for (; loop != 0; --loop) {
      for (Walk &walk : walks)
        walk.at += walk.strides[loop - 1];
      if (++loops[loop - 1] != extents[loop - 1])
        break;
      for (Walk &walk : walks)
        walk.at -= walk.strides[loop - 1] * extents[loop - 1];
      loops[loop - 1] = 0;
    }
    if (loop == 0)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Finds how a map walks through a tensor; nullopt if an index is neither that
/// of a loop nor 0.
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
    // Weights aren't copied before all operands are known to be constants.
    return llvm::all_of(constants, [](Constant &one) { return one.read(); });
  }

  DenseElementsAttr evaluate(ConstantSteps &steps) {
    std::string bytes(type.getNumElements() * width, 0);
    SmallVector<APInt> elements(constants.size());
    bool isKnown = visitPoints(
        op.getStaticLoopRanges(), walks, [&](ArrayRef<int64_t> loops) {
          for (auto [number, constant] : llvm::enumerate(constants))
            elements[number] =
                load(constant.bytes, walks[number].at, widths[number]);
          std::optional<APInt> result = steps.run(elements, loops);
          if (result)
            store(bytes, walks.back().at, width, *result);
          return result.has_value();
        });
    return isKnown ? makeConstant(type, bytes) : DenseElementsAttr();
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
  if (!source || !source->read() ||
      isTooLarge(type.getNumElements() * width, *source))
    return {};
  left -= type.getNumElements();
  auto around = isa<FloatAttr>(fill)
                    ? cast<FloatAttr>(fill).getValue().bitcastToAPInt()
                    : cast<IntegerAttr>(fill).getValue();
  std::string bytes(type.getNumElements() * width, 0);
  for (int64_t element = 0; element != type.getNumElements(); ++element)
    store(bytes, element, width, around);
  Walk walk;
  for (auto [offset, step, stride] :
       llvm::zip_equal(op.getStaticOffsets(), op.getStaticStrides(),
                       computeStrides(type.getShape()))) {
    walk.strides.push_back(step * stride);
    walk.at += offset * stride;
  }
  const char *from = source->bytes.data();
  visitPoints(op.getStaticSizes(), walk, [&](ArrayRef<int64_t>) {
    std::memcpy(bytes.data() + walk.at * width, from, width);
    from += width;
    return true;
  });
  return makeConstant(type, bytes);
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

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The only input of an op that yields its elements, in another order.
static Value findMoved(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics() ||
      ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return {};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  if (yield.getValues().front() != op.getBody()->getArgument(0) ||
      !op.getIndexingMapsArray()[0].isPermutation() ||
      !op.getIndexingMapsArray()[1].isPermutation())
    return {};
  return op.getInputs()[0];
}

/// The result of an op that moves elements; null if its operand isn't known.
static DenseElementsAttr foldMove(linalg::GenericOp op) {
  Value moved = findMoved(op);
  std::optional<Constant> source = moved ? findConstant(moved) : std::nullopt;
  if (!source)
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 || type.getNumElements() == 0)
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(source->elements);
      dense && dense.isSplat())
    return DenseElementsAttr::get(type, dense.getSplatValue<Attribute>());
  if (!source->read())
    return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Walk walks[] = {*findWalk(maps[0], cast<RankedTensorType>(moved.getType())),
                  *findWalk(maps[1], type)};
  int64_t width = type.getElementTypeBitWidth() / 8;
  std::string bytes(source->bytes.size(), 0);
  visitPoints(op.getStaticLoopRanges(), walks, [&](ArrayRef<int64_t>) {
    std::memcpy(&bytes[walks[1].at * width],
                source->bytes.data() + walks[0].at * width, width);
    return true;
  });
  return makeConstant(type, bytes);
}

namespace {

struct FoldConstantCopies
    : public carousel::impl::FoldConstantCopiesBase<FoldConstantCopies> {
  using FoldConstantCopiesBase::FoldConstantCopiesBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    IRRewriter rewriter(func.getContext());
    for (auto op :
         llvm::make_early_inc_range(func.getOps<linalg::GenericOp>())) {
      DenseElementsAttr elements = foldMove(op);
      if (!elements)
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, elements);
    }
  }
};

} // namespace
