//===- NarrowExtrema.cpp - extrema in the type of their elements ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-narrow-extrema. Extensions keep the order of numbers, so that the
// extremum of extended elements is the extended extremum. Elements of 16 bits
// are compared by two, and needn't be extended first. Those that are read one
// by one would have to be joined first. Others are compared with their extremum
// later, as for its index: LLVM would compare these in 16 bits too, one by one.
//
//===----------------------------------------------------------------------===//

#include "NeutralElement.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_NARROWEXTREMA
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

using Reduction = vector::MultiDimReductionOp;

static bool isExtremum(Reduction op) {
  using Kind = vector::CombiningKind;
  return op.getKind() == Kind::MAXIMUMF || op.getKind() == Kind::MAXNUMF ||
         op.getKind() == Kind::MINIMUMF || op.getKind() == Kind::MINNUMF;
}

/// A number in a narrower type, if that has it.
static std::optional<APFloat> convert(APFloat number, FloatType type) {
  bool losesInfo = false;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return losesInfo ? std::nullopt : std::optional(number);
}

namespace {

/// Choices between elements that are extended from 16 bits, and constants. The
/// type is null if a value is none.
struct ExtendedElements {
  explicit ExtendedElements(Value value);
  Value createNarrow(OpBuilder &builder) const;

  FloatType type;
  Value elements; ///< before they are extended
  /// The outermost choice first, each with its constant.
  SmallVector<std::pair<arith::SelectOp, APFloat>> choices;
};

} // namespace

ExtendedElements::ExtendedElements(Value value) {
  APFloat other(0.0f);
  while (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    if (!matchPattern(choice.getFalseValue(), m_ConstantFloat(&other)))
      return;
    choices.emplace_back(choice, other);
    value = choice.getTrueValue();
  }
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  if (!extension)
    return;
  elements = extension.getIn();
  auto narrow = cast<FloatType>(getElementTypeOrSelf(elements));
  auto hasNumber = [&](const auto &choice) {
    return convert(choice.second, narrow).has_value();
  };
  if ((narrow.isF16() || narrow.isBF16()) && llvm::all_of(choices, hasNumber))
    type = narrow;
}

Value ExtendedElements::createNarrow(OpBuilder &builder) const {
  Value value = elements;
  for (auto [choice, other] : llvm::reverse(choices)) {
    Location loc = choice.getLoc();
    Value none = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(elements.getType()),
                               *convert(other, type)));
    value = arith::SelectOp::create(builder, loc, choice.getCondition(), value,
                                    none);
  }
  return value;
}

/// Whether elements are compared with their extremum.
static bool isComparedLater(Reduction op) {
  auto isExtremum = [&](Value value) {
    auto copies = value.getDefiningOp<vector::BroadcastOp>();
    return (copies ? copies.getSource() : value) == op.getResult();
  };
  return llvm::any_of(op.getSource().getUsers(), [&](Operation *user) {
    return isa<arith::CmpFOp>(user) &&
           llvm::any_of(user->getOperands(), isExtremum);
  });
}

static bool isReadInPairs(Value elements, const AccessAlignment &alignment) {
  auto read = elements.getDefiningOp<vector::TransferReadOp>();
  int64_t last = read ? read.getVectorType().getRank() - 1 : -1;
  return last < 0 || alignment.getRun(read.getBase(), read.getIndices(),
                                      read.isDimInBounds(last), 2) == 2;
}

/// Reduces elements before they are extended, and extends the result.
static void narrow(Reduction op, const ExtendedElements &source) {
  OpBuilder builder(op);
  FloatType type = source.type;
  Location loc = op.getLoc();
  Type wide = op.getResult().getType(), result = type;
  if (auto vector = dyn_cast<VectorType>(wide))
    result = vector.clone(type);
  TypedAttr start = getNeutralElement(builder, op.getKind(), result);
  APFloat acc(0.0f);
  std::optional<APFloat> first;
  if (matchPattern(op.getAcc(), m_ConstantFloat(&acc)))
    first = convert(acc, type);
  if (first)
    start = isa<VectorType>(result)
                ? TypedAttr(
                      DenseElementsAttr::get(cast<ShapedType>(result), *first))
                : TypedAttr(builder.getFloatAttr(type, *first));
  auto reduced = Reduction::create(
      builder, loc, result, op.getKind(), source.createNarrow(builder),
      arith::ConstantOp::create(builder, loc, start), op.getReductionDims());
  reduced->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value extended =
      arith::ExtFOp::create(builder, loc, wide, reduced.getResult());
  if (!first)
    extended = vector::makeArithReduction(builder, loc, op.getKind(), extended,
                                          op.getAcc());
  op.replaceAllUsesWith(extended);
  op.erase();
}

namespace {

struct NarrowExtrema : public carousel::impl::NarrowExtremaBase<NarrowExtrema> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel->hasAttr(CarouselDialect::kBlockProgram))
        continue;
      SmallVector<std::pair<Reduction, ExtendedElements>> found;
      AccessAlignment alignment(kernel);
      kernel.walk([&](Reduction op) {
        ExtendedElements source(op.getSource());
        if (isExtremum(op) && source.type && !isComparedLater(op) &&
            isReadInPairs(source.elements, alignment))
          found.emplace_back(op, source);
      });
      for (const auto &[op, source] : found)
        narrow(op, source);
      narrowed += found.size();
      if (!found.empty())
        remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Narrow")
                                            .category("carousel-narrow-extrema")
                                            .function(kernel.getName()))
            << remark::add("extrema of elements that aren't extended first: "
                           "{0}",
                           found.size());
    }
  }
};

} // namespace
