//===- WidenSums.cpp - sums of narrow floats and bits ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-widen-sums and --carousel-multiply-bits; see WidenSums.h.
//
//===----------------------------------------------------------------------===//

#include "WidenSums.h"

#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Shapes/FuseGraph.h"
#include "../Shapes/Patterns.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {
#define GEN_PASS_DEF_MULTIPLYBITS
#define GEN_PASS_DEF_WIDENSUMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static bool isNarrow(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() < 32;
}

static bool isProduct(linalg::LinalgOp op) {
  return isContraction(op) || hasWindows(op);
}

/// Returns the operand of a conversion between floats, or the value itself.
static Value skipCast(Value value) {
  Operation *cast = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(cast)
             ? cast->getOperand(0)
             : value;
}

/// The op of a body that adds an element to the sum so far, or multiplies both,
/// or null.
static Operation *findStep(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  BlockArgument before = body.getArgument(op.getNumDpsInputs());
  Operation *step =
      skipCast(body.getTerminator()->getOperand(0)).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::MulFOp>(step) ||
      !before.hasOneUse() || op.getNumReductionLoops() == 0)
    return nullptr;
  Value lhs = skipCast(step->getOperand(0)),
        rhs = skipCast(step->getOperand(1));
  return lhs == before || rhs == before ? step : nullptr;
}

namespace {

class Widening {
public:
  explicit Widening(linalg::GenericOp op)
      : op(op), builder(op), loc(op.getLoc()), f32(builder.getF32Type()) {}

  linalg::GenericOp run() {
    Value init = op.getDpsInits().front();
    auto type = cast<RankedTensorType>(init.getType());
    auto sums = linalg::GenericOp::create(
        builder, loc, type.clone(f32), op.getInputs(), widen(init),
        op.getIndexingMapsArray(), op.getIteratorTypesArray(),
        [&](OpBuilder &body, Location, ValueRange arguments) {
          writeBody(body, arguments);
        });
    op.getResult(0).replaceAllUsesWith(
        convert<arith::TruncFOp>(sums.getResult(0), type.getElementType()));
    op.erase();
    return sums;
  }

private:
  /// Widens the init of the sums to f32.
  Value widen(Value init) {
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (!fill)
      return convert<arith::ExtFOp>(init, f32);
    Value number = arith::ExtFOp::create(builder, loc, f32, fill.value());
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, init), f32);
    return linalg::FillOp::create(builder, loc, number, empty).getResult(0);
  }

  /// Element by element.
  template <typename Cast> Value convert(Value tensor, Type element) {
    auto type = cast<RankedTensorType>(tensor.getType()).clone(element);
    return createElementwise(
               builder, loc, type, tensor::getMixedSizes(builder, loc, tensor),
               tensor,
               [&](OpBuilder &body, ValueRange elements) -> Value {
                 return Cast::create(body, loc, element, elements.front());
               })
        .getResult(0);
  }

  /// A contraction's body has a product, a sum and conversions, which become
  /// those to f32. Of others, only the sum is one of f32.
  void writeBody(OpBuilder &body, ValueRange arguments) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), arguments);
    bool isAll = isProduct(op);
    Operation *step = isAll ? nullptr : findStep(op);
    Value sum = op.getBody()->getArguments().back();
    for (Operation &inner : op.getBody()->without_terminator()) {
      Value cast =
          inner.getNumResults() == 1 ? skipCast(inner.getResult(0)) : Value();
      if (isa<arith::ExtFOp, arith::TruncFOp>(inner) &&
          (isAll || cast == sum || cast.getDefiningOp() == step)) {
        mapping.map(inner.getResult(0), mapping.lookup(cast));
        continue;
      }
      Operation *clone = body.clone(inner, mapping);
      if (!isAll && &inner != step)
        continue;
      OpBuilder::InsertionGuard guard(body);
      body.setInsertionPoint(clone);
      for (OpOperand &operand : clone->getOpOperands())
        operand.set(toF32(body, operand.get()));
      clone->getResult(0).setType(f32);
    }
    Operation *end = op.getBody()->getTerminator();
    linalg::YieldOp::create(body, loc, mapping.lookup(end->getOperand(0)));
  }

  Value toF32(OpBuilder &body, Value number) {
    if (!isNarrow(number.getType()))
      return number;
    return arith::ExtFOp::create(body, loc, f32, number);
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  Type f32;
};

} // namespace

linalg::GenericOp carousel::widenProduct(linalg::GenericOp op) {
  return isNarrow(getElementTypeOrSelf(op.getResult(0).getType()))
             ? Widening(op).run()
             : op;
}

/// The number of ops that changed.
static unsigned widenSums(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> narrow;
  func.walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
        isNarrow(getElementTypeOrSelf(op->getResult(0).getType())) &&
        (isProduct(op) ? isa<linalg::GenericOp>(op) : findStep(op) != nullptr))
      narrow.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  for (linalg::LinalgOp op : narrow) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    Widening(generic ? generic : *linalg::generalizeNamedOp(rewriter, op))
        .run();
  }
  return narrow.size();
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// A sum of ones wraps to zero at 2^32, and is odd or not, whether it wraps or
/// not.
static bool canCount(linalg::GenericOp op, vector::CombiningKind kind) {
  int64_t pairs = 1;
  for (auto [extent, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction &&
        !ShapedType::isDynamic(extent))
      pairs *= extent;
  return kind != vector::CombiningKind::OR ||
         pairs <= std::numeric_limits<int32_t>::max();
}

/// How the op combines the ands of two matrices' bits, or nullopt.
static std::optional<vector::CombiningKind>
findCombinedAnds(linalg::GenericOp op) {
  auto isBits = [](Value tensor) {
    return getElementTypeOrSelf(tensor).isInteger(1);
  };
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !llvm::all_of(op->getOperands(), isBits) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  std::optional<Combination> sum = findCombination(op);
  // An i1 holds the sums and products of parities.
  if (!sum || (sum->kind != vector::CombiningKind::OR &&
               sum->kind != vector::CombiningKind::XOR &&
               sum->kind != vector::CombiningKind::ADD))
    return std::nullopt;
  Operation *both = sum->element.getDefiningOp();
  if (!isa_and_nonnull<arith::AndIOp, arith::MulIOp>(both) ||
      both->getOperand(0) == both->getOperand(1) ||
      !llvm::all_of(both->getOperands(),
                    [&](Value factor) {
                      return llvm::is_contained(op.getRegionInputArgs(),
                                                factor);
                    }) ||
      !canCount(op, sum->kind))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return std::nullopt;
  return sum->kind;
}

/// The numbers of pairs, in i32.
static Value countPairs(OpBuilder &builder, linalg::GenericOp op) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  Value init = op.getDpsInits().front();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, init), i32);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value zeros = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), op.getInputs(), zeros,
             op.getIndexingMapsArray(), op.getIteratorTypesArray(),
             [&](OpBuilder &body, Location, ValueRange arguments) {
               Value factors[2];
               for (unsigned number : {0, 1})
                 factors[number] =
                     arith::ExtUIOp::create(body, loc, i32, arguments[number]);
               Value product =
                   arith::MulIOp::create(body, loc, factors[0], factors[1]);
               Value sum =
                   arith::AddIOp::create(body, loc, arguments[2], product);
               linalg::YieldOp::create(body, loc, sum);
             })
      .getResult(0);
}

static void rewriteAnds(linalg::GenericOp op, vector::CombiningKind kind) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value init = op.getDpsInits().front(), pairs = countPairs(builder, op);
  auto type = cast<RankedTensorType>(init.getType());
  auto bits = createElementwise(
      builder, loc, type, tensor::getMixedSizes(builder, loc, init),
      {pairs, init}, [&](OpBuilder &body, ValueRange elements) -> Value {
        Value number = elements[0], before = elements[1];
        if (kind != vector::CombiningKind::OR)
          return arith::XOrIOp::create(
              body, loc, before,
              arith::TruncIOp::create(body, loc, type.getElementType(),
                                      number));
        Value zero =
            arith::ConstantOp::create(body, loc, builder.getI32IntegerAttr(0));
        return arith::OrIOp::create(
            body, loc, before,
            arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ne, number,
                                  zero));
      });
  op.getResult(0).replaceAllUsesWith(bits.getResult(0));
  op.erase();
}

/// Makes contractions in i32 of products of two matrices of i1. An or is
/// whether the sum is another number than zero, and an xor its lowest bit.
/// Returns how many there are.
static unsigned multiplyBits(func::FuncOp func) {
  SmallVector<std::pair<linalg::GenericOp, vector::CombiningKind>> products;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<vector::CombiningKind> kind = findCombinedAnds(op))
      products.emplace_back(op, *kind);
  });
  for (auto [op, kind] : products)
    rewriteAnds(op, kind);
  return products.size();
}

namespace {
struct WidenSums : public carousel::impl::WidenSumsBase<WidenSums> {
  using WidenSumsBase::WidenSumsBase;

  void runOnOperation() override { widened += widenSums(getOperation()); }
};

struct MultiplyBits : public carousel::impl::MultiplyBitsBase<MultiplyBits> {
  using MultiplyBitsBase::MultiplyBitsBase;

  void runOnOperation() override {
    unsigned changed = multiplyBits(getOperation());
    bits += changed;
    if (changed != 0 && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
