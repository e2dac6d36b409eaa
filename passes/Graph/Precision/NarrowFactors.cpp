//===- NarrowFactors.cpp - products of widened floats ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-narrow-factors; see NarrowFactors.h.
//
//===----------------------------------------------------------------------===//

#include "NarrowFactors.h"

#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Shapes/FuseGraph.h"
#include "../Shapes/Patterns.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace carousel {
#define GEN_PASS_DEF_NARROWFACTORS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// A number by which all of a value is multiplied, or divided.
struct Scale {
  Value value;
  bool divides;
};

/// Whether the narrow type has all elements of a value.
struct Narrowness {
  bool isNarrow = false;
  bool isWidened = false; ///< an element of it was of the narrow type
  SmallVector<Scale, 2> numbers;
};

/// One narrow type.
class NarrowReader {
public:
  NarrowReader(FloatType narrow, bool movesScales)
      : narrow(narrow), movesScales(movesScales) {}

  const Narrowness &find(Value tensor) {
    return tensors.get(
        tensor, [&](Value value) { return isEntered(value); },
        [&](Value value) { return readTensor(value); });
  }

  /// Writes a tensor that is narrow.
  Value write(Value tensor) {
    return written.get(
        tensor,
        [&](Value value) { return find(value).isNarrow && isEntered(value); },
        [&](Value value) { return writeTensor(value); });
  }

  /// Users that need the wide elements get them from the narrow ones, so that
  /// nothing is computed twice.
  void widenOthers() {
    for (auto [wide, own] : replaced) {
      OpBuilder builder(wide.getContext());
      builder.setInsertionPointAfterValue(own);
      auto type = cast<RankedTensorType>(wide.getType());
      Location loc = wide.getLoc();
      auto cast = createElementwise(
          builder, loc, type, tensor::getMixedSizes(builder, loc, own), own,
          [&](OpBuilder &body, ValueRange elements) {
            return widen(body, loc, elements.front(), type.getElementType());
          });
      wide.replaceAllUsesWith(cast.getResult(0));
    }
  }

  static Value widen(OpBuilder &body, Location loc, Value value, Type type) {
    return arith::ExtFOp::create(body, loc, type, value);
  }

private:
  static Type getType(Value value) {
    return getElementTypeOrSelf(value.getType());
  }

  static Value makeEmpty(OpBuilder &builder, Value like, Type element) {
    return tensor::EmptyOp::create(
        builder, like.getLoc(),
        tensor::getMixedSizes(builder, like.getLoc(), like), element);
  }

  static Value getYielded(Value result) {
    auto op = result.getDefiningOp<linalg::GenericOp>();
    return op.getBody()->getTerminator()->getOperand(
        cast<OpResult>(result).getResultNumber());
  }

  /// Whether an op of a body chooses one of its operands, or turns a sign, or
  /// multiplies by a number.
  static bool isStep(Operation *op) {
    return isa_and_nonnull<arith::SelectOp, arith::NegFOp, math::AbsFOp,
                           arith::MaximumFOp, arith::MinimumFOp,
                           arith::MaxNumFOp, arith::MinNumFOp, arith::MulFOp,
                           arith::DivFOp>(op);
  }

  static bool isConversion(Operation *op) {
    return isa_and_nonnull<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp>(op);
  }

  /// Whether a tensor has the elements of its op's operands.
  bool isEntered(Value tensor) const {
    Operation *op = tensor.getDefiningOp();
    if (!isa<FloatType>(getType(tensor)) || getType(tensor) == narrow)
      return false;
    if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                        tensor::ExtractSliceOp, tensor::CastOp,
                        tensor::InsertSliceOp>(op))
      return true;
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if (!generic || generic.getNumReductionLoops() != 0 ||
        !generic.hasPureTensorSemantics() ||
        llvm::any_of(llvm::seq<unsigned>(generic.getNumDpsInits()),
                     [&](unsigned init) { return readsInit(generic, init); }))
      return false;
    Operation *last = getYielded(tensor).getDefiningOp();
    return !last || isStep(last) || isConversion(last);
  }

  bool holds(const APFloat &number) const {
    APFloat rounded = number;
    bool losesInfo = false;
    rounded.convert(narrow.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    return !losesInfo && !number.isNaN();
  }

  bool holds(Type type) const {
    if (auto number = dyn_cast<FloatType>(type))
      return number == narrow ||
             APFloat::isRepresentableBy(number.getFloatSemantics(),
                                        narrow.getFloatSemantics());
    return type.isIntOrIndex() && !type.isIndex() &&
           type.getIntOrFloatBitWidth() <=
               APFloat::semanticsPrecision(narrow.getFloatSemantics());
  }

  Narrowness readTensor(Value tensor) {
    if (getType(tensor) == narrow)
      return {true, true, {}};
    Operation *op = tensor.getDefiningOp();
    DenseElementsAttr elements;
    if (!op || !isa<FloatType>(getType(tensor)))
      return {};
    if (isa<tensor::EmptyOp>(op))
      return {true, false, {}};
    if (TypedAttr number = findFill(tensor))
      return {holds(cast<FloatAttr>(number).getValue()), false, {}};
    if (matchPattern(tensor, m_Constant(&elements)))
      return {llvm::all_of(elements.getValues<APFloat>(),
                           [&](const APFloat &each) { return holds(each); }),
              false,
              {}};
    if (!isEntered(tensor))
      return {};
    if (isa<linalg::GenericOp>(op))
      return readBody(tensor);
    if (!isa<tensor::InsertSliceOp>(op))
      return tensors.lookup(op->getOperand(0));
    return join(tensors.lookup(op->getOperand(0)),
                tensors.lookup(op->getOperand(1)));
  }

  /// Joins the narrowness of two that elements are chosen from.
  static Narrowness join(const Narrowness &a, const Narrowness &b) {
    return {a.isNarrow && b.isNarrow && a.numbers.empty() && b.numbers.empty(),
            a.isWidened || b.isWidened,
            {}};
  }

  Narrowness readBody(Value tensor) {
    OperandFold<Narrowness> body;
    return body.get(
        getYielded(tensor),
        [](Value value) { return isStep(value.getDefiningOp()); },
        [&](Value value) { return readNumber(value, body); });
  }

  /// The operand of a body's argument, or null.
  static Value getOperand(Value argument) {
    auto own = dyn_cast<BlockArgument>(argument);
    auto op = own ? dyn_cast<linalg::GenericOp>(own.getOwner()->getParentOp())
                  : linalg::GenericOp();
    return op && own.getArgNumber() < op.getNumDpsInputs()
               ? op.getDpsInputOperand(own.getArgNumber())->get()
               : Value();
  }

  Narrowness readNumber(Value value, const OperandFold<Narrowness> &body) {
    if (Value operand = getOperand(value))
      return isa<FloatType>(getType(value)) ? tensors.lookup(operand)
                                            : Narrowness();
    FloatAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return {holds(constant.getValue()), false, {}};
    Operation *op = value.getDefiningOp();
    if (isConversion(op)) {
      Type from = op->getOperand(0).getType();
      return {holds(from), from == narrow, {}};
    }
    if (!isStep(op))
      return {};
    auto of = [&](unsigned operand) -> const Narrowness & {
      return body.lookup(op->getOperand(operand));
    };
    if (isa<arith::NegFOp>(op))
      return of(0);
    if (isa<math::AbsFOp>(op))
      return join(of(0), {true, false, {}});
    if (auto choice = dyn_cast<arith::SelectOp>(op))
      return join(of(1), of(2));
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      return join(of(0), of(1));
    return readMultiple(op, of);
  }

  template <typename Of> Narrowness readMultiple(Operation *op, const Of &of) {
    if (!movesScales)
      return {};
    for (unsigned factor : {0u, 1u}) {
      Value number = op->getOperand(1 - factor);
      bool divides = isa<arith::DivFOp>(op);
      if ((divides && factor == 1) || !isFixed(number) ||
          isFixed(op->getOperand(factor)))
        continue;
      Narrowness found = of(factor);
      found.numbers.push_back({number, divides});
      return found;
    }
    return {};
  }

  /// Whether a number is the same in all iterations: defined above its body, or
  /// a conversion of one that is.
  static bool isFixed(Value number) {
    while (auto cast = number.getDefiningOp<CastOpInterface>()) {
      if (!isa<linalg::GenericOp>(cast->getParentOp()))
        return true;
      number = cast->getOperand(0);
    }
    return !isa<linalg::GenericOp>(number.getParentBlock()->getParentOp()) ||
           matchPattern(number, m_Constant());
  }

  Value writeTensor(Value tensor) {
    Operation *op = tensor.getDefiningOp();
    if (getType(tensor) == narrow || !find(tensor).isNarrow)
      return tensor; // also of indices, which written ops have, too
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    DenseElementsAttr elements;
    if (isa<linalg::GenericOp>(op))
      return writeGeneric(builder, tensor);
    if (TypedAttr number = findFill(tensor))
      return linalg::FillOp::create(
                 builder, op->getLoc(),
                 writeConstant(builder, op->getLoc(),
                               cast<FloatAttr>(number).getValue()),
                 makeEmpty(builder, tensor, narrow))
          .getResult(0);
    if (matchPattern(tensor, m_Constant(&elements)))
      return arith::ConstantOp::create(
          builder, op->getLoc(),
          cast<DenseFPElementsAttr>(elements).mapValues(
              narrow, [&](const APFloat &each) {
                return round(each).bitcastToAPInt();
              }));
    IRMapping mapping;
    if (!isa<tensor::EmptyOp>(op))
      for (Value operand : op->getOperands())
        if (isa<TensorType>(operand.getType()))
          mapping.map(operand, written.lookup(operand));
    Operation *clone = builder.clone(*op, mapping);
    clone->getResult(0).setType(
        cast<RankedTensorType>(tensor.getType()).clone(narrow));
    return clone->getResult(0);
  }

  APFloat round(APFloat number) const {
    bool losesInfo = false;
    number.convert(narrow.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number;
  }

  Value writeConstant(OpBuilder &builder, Location loc, const APFloat &number) {
    return arith::ConstantOp::create(builder, loc,
                                     FloatAttr::get(narrow, round(number)));
  }

  /// A copy of the op that has this result alone, without conversions.
  Value writeGeneric(OpBuilder &builder, Value tensor) {
    auto op = tensor.getDefiningOp<linalg::GenericOp>();
    unsigned result = cast<OpResult>(tensor).getResultNumber();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> inputs(op.getInputs());
    AffineMap last = maps[inputs.size() + result];
    maps.truncate(inputs.size());
    // Beside the wide inputs, which nothing reads where that is enough.
    SmallVector<unsigned> own; // an input's number, or that of its narrow one
    for (unsigned input = 0; input != op.getNumDpsInputs(); ++input) {
      Value operand = op.getInputs()[input];
      bool isOwn = getType(operand) == narrow ||
                   !isa<FloatType>(getType(operand)) || !find(operand).isNarrow;
      own.push_back(isOwn ? input : inputs.size());
      if (isOwn)
        continue;
      inputs.push_back(written.lookup(operand));
      maps.push_back(maps[input]);
    }
    maps.push_back(last);
    auto type = cast<RankedTensorType>(tensor.getType()).clone(narrow);
    Value yielded = getYielded(tensor);
    auto made = linalg::GenericOp::create(
        builder, op.getLoc(), type, inputs,
        makeEmpty(builder, op.getDpsInits()[result], narrow), maps,
        op.getIteratorTypesArray(),
        [&](OpBuilder &body, Location loc, ValueRange arguments) {
          IRMapping mapping;
          mapping.map(
              ValueRange(op.getBody()->getArguments()).take_front(own.size()),
              arguments.take_front(own.size()));
          for (Operation &inner : op.getBody()->without_terminator())
            body.clone(inner, mapping);
          OperandFold<Value> numbers;
          Value number = numbers.get(
              yielded,
              [](Value value) { return isStep(value.getDefiningOp()); },
              [&](Value value) {
                return writeNumber(body, value, mapping, numbers,
                                   [&](unsigned argument) {
                                     return arguments[own[argument]];
                                   });
              });
          linalg::YieldOp::create(body, loc, number);
        });
    bool computes = llvm::range_size(op.getBody()->without_terminator()) > 1;
    if (computes && find(tensor).numbers.empty())
      replaced.push_back({tensor, made.getResult(0)});
    return made.getResult(0);
  }

  /// Null for what isn't narrow, as conditions and numbers aren't.
  Value writeNumber(OpBuilder &body, Value value, const IRMapping &mapping,
                    const OperandFold<Value> &numbers,
                    function_ref<Value(unsigned)> getArgument) {
    if (getOperand(value)) {
      Value own = getArgument(cast<BlockArgument>(value).getArgNumber());
      return own.getType() == narrow ? own : Value();
    }
    FloatAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return writeConstant(body, value.getLoc(), constant.getValue());
    Operation *op = value.getDefiningOp();
    if (isConversion(op)) {
      Value from = mapping.lookupOrDefault(op->getOperand(0));
      if (from.getType() == narrow || !holds(from.getType()))
        return from.getType() == narrow ? from : Value();
      IRMapping own = mapping;
      Operation *clone = body.clone(*op, own);
      clone->getResult(0).setType(narrow);
      return clone->getResult(0);
    }
    if (!isStep(op))
      return {};
    if (isa<arith::MulFOp, arith::DivFOp>(op)) {
      return numbers.lookup(op->getOperand(isFixed(op->getOperand(0)) ? 1 : 0));
    }
    IRMapping own = mapping;
    for (Value operand : op->getOperands()) {
      if (!isa<FloatType>(operand.getType()))
        continue;
      Value number = numbers.lookup(operand);
      if (!number)
        return {};
      own.map(operand, number);
    }
    Operation *clone = body.clone(*op, own);
    clone->getResult(0).setType(narrow);
    return clone->getResult(0);
  }

  FloatType narrow;
  bool movesScales;
  OperandFold<Narrowness> tensors;
  OperandFold<Value> written;
  SmallVector<std::pair<Value, Value>> replaced;
};

} // namespace

/// The constant that a number is a conversion of, converted, or null.
static FloatAttr readConstant(Value number) {
  FloatAttr constant;
  if (matchPattern(number, m_Constant(&constant)))
    return constant;
  Operation *cast = number.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(cast) ||
      !matchPattern(cast->getOperand(0), m_Constant(&constant)))
    return {};
  return FloatAttr::get(number.getType(), constant.getValueAsDouble());
}

/// A number above all bodies.
static Value hoist(OpBuilder &builder, Value number) {
  SmallVector<Operation *> casts;
  Value source = number;
  while (auto cast = source.getDefiningOp<CastOpInterface>()) {
    if (!isa<linalg::GenericOp>(cast->getParentOp()))
      break;
    casts.push_back(cast);
    source = cast->getOperand(0);
  }
  IRMapping mapping;
  for (Operation *op : llvm::reverse(casts))
    builder.clone(*op, mapping);
  return mapping.lookupOrDefault(number);
}

/// The result times the numbers.
static Value multiply(OpBuilder &builder, Value product,
                      ArrayRef<Scale> numbers) {
  if (numbers.empty())
    return product;
  auto type = cast<RankedTensorType>(product.getType());
  SmallVector<Scale> own;
  double constant = 1;
  for (const Scale &number : numbers)
    if (FloatAttr known = readConstant(number.value))
      constant = number.divides ? constant / known.getValueAsDouble()
                                : constant * known.getValueAsDouble();
    else
      own.push_back({hoist(builder, number.value), number.divides});
  if (constant != 1)
    own.push_back({arith::ConstantOp::create(builder, product.getLoc(),
                                             builder.getF32FloatAttr(constant)),
                   false});
  Location loc = product.getLoc();
  return createElementwise(
             builder, loc, type, tensor::getMixedSizes(builder, loc, product),
             product,
             [&](OpBuilder &body, ValueRange elements) {
               Value result = elements.front();
               for (const Scale &number : own)
                 result = number.divides
                              ? Value(arith::DivFOp::create(body, loc, result,
                                                            number.value))
                              : Value(arith::MulFOp::create(body, loc, result,
                                                            number.value));
               return result;
             })
      .getResult(0);
}

static bool startsAtZero(linalg::LinalgOp op) {
  TypedAttr fill = findFill(op.getDpsInits().front());
  return fill && matchPattern(fill, m_AnyZeroFloat());
}

static bool narrowProduct(linalg::LinalgOp op, FloatType narrow,
                          bool movesScales, IRRewriter &rewriter) {
  NarrowReader reader(narrow, movesScales && startsAtZero(op));
  SmallVector<Scale> numbers;
  bool isNarrow = true, isWidened = false;
  for (Value factor : op.getDpsInputs()) {
    const Narrowness &found = reader.find(factor);
    isNarrow &= found.isNarrow;
    isWidened |= found.isWidened;
    llvm::append_range(numbers, found.numbers);
  }
  if (!isNarrow || !isWidened)
    return false;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      isa<linalg::GenericOp>(op)
          ? FailureOr(cast<linalg::GenericOp>(op.getOperation()))
          : linalg::generalizeNamedOp(rewriter, op);
  if (failed(generic))
    return false;
  SmallVector<Value> factors;
  for (Value factor : generic->getInputs())
    factors.push_back(reader.write(factor));
  rewriter.setInsertionPoint(*generic);
  auto made = linalg::GenericOp::create(
      rewriter, generic->getLoc(), generic->getResultTypes(), factors,
      generic->getOutputs(), generic->getIndexingMapsArray(),
      generic->getIteratorTypesArray(),
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [wide, own] :
             llvm::zip_equal(generic->getBody()->getArguments(), arguments)) {
          Value value = own;
          if (own.getType() != wide.getType())
            value = NarrowReader::widen(body, loc, own, wide.getType());
          mapping.map(wide, value);
        }
        for (Operation &inner : *generic->getBody())
          body.clone(inner, mapping);
      });
  rewriter.replaceOp(*generic, multiply(rewriter, made.getResult(0), numbers));
  reader.widenOthers();
  return true;
}

static std::array<FloatType, 2> getNarrowTypes(MLIRContext *context) {
  return {BFloat16Type::get(context), Float16Type::get(context)};
}

/// Moves an arith.extf that ends both branches behind the scf.if, so that the
/// body chooses between narrow elements. fuseGraph does the inverse.
static void liftCasts(func::FuncOp func) {
  func.walk([](scf::IfOp branch) {
    if (branch.getNumResults() != 1)
      return;
    auto own = branch.thenYield().getOperand(0).getDefiningOp<arith::ExtFOp>();
    auto other =
        branch.elseYield().getOperand(0).getDefiningOp<arith::ExtFOp>();
    if (!own || !other || own.getIn().getType() != other.getIn().getType())
      return;
    OpBuilder builder(branch);
    auto lifted =
        scf::IfOp::create(builder, branch.getLoc(), own.getIn().getType(),
                          branch.getCondition(), /*addThenBlock=*/false,
                          /*addElseBlock=*/false);
    branch.thenYield().setOperand(0, own.getIn());
    branch.elseYield().setOperand(0, other.getIn());
    lifted.getThenRegion().takeBody(branch.getThenRegion());
    lifted.getElseRegion().takeBody(branch.getElseRegion());
    Value wide = arith::ExtFOp::create(builder, own.getLoc(), own.getType(),
                                       lifted.getResult(0));
    branch.replaceAllUsesWith(ValueRange(wide));
    branch.erase();
  });
}

/// \p movesScales: whether numbers may multiply results instead of factors.
/// Returns how many products have changed.
static unsigned narrowFactors(func::FuncOp func, bool movesScales) {
  SmallVector<linalg::LinalgOp> products;
  func.walk([&](linalg::LinalgOp op) {
    auto isWide = [](Type type) { return getElementTypeOrSelf(type).isF32(); };
    if ((isContraction(op) || hasWindows(op)) && op.hasPureTensorSemantics() &&
        llvm::all_of(op->getResultTypes(), isWide) &&
        llvm::any_of(llvm::drop_end(op->getOperandTypes()), isWide))
      products.push_back(op);
  });
  if (products.empty())
    return 0;
  liftCasts(func);
  IRRewriter rewriter(func.getContext());
  unsigned narrowed = 0;
  for (linalg::LinalgOp op : products)
    narrowed +=
        llvm::any_of(getNarrowTypes(func.getContext()), [&](FloatType narrow) {
          return narrowProduct(op, narrow, movesScales, rewriter);
        });
  return narrowed;
}

std::optional<WidenedFactor>
carousel::findWidenedFactor(linalg::LinalgOp product) {
  for (FloatType narrow : getNarrowTypes(product->getContext())) {
    NarrowReader reader(narrow, /*movesScales=*/false);
    for (Value factor : product.getDpsInputs())
      if (const Narrowness &found = reader.find(factor);
          found.isNarrow && found.isWidened)
        return WidenedFactor{factor, narrow};
  }
  return std::nullopt;
}

std::string WidenedFactor::describe() const {
  std::string text;
  llvm::raw_string_ostream(text)
      << "one factor is 'f32', and the other one is widened from '" << narrow
      << "'";
  return text;
}

namespace {
struct NarrowFactors : public carousel::impl::NarrowFactorsBase<NarrowFactors> {
  using NarrowFactorsBase::NarrowFactorsBase;

  void runOnOperation() override {
    unsigned changed =
        narrowFactors(getOperation(), accumulate == ContractionSums::F32);
    narrowed += changed;
    if (changed != 0 && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
