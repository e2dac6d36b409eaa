//===- SCFToEmitC.cpp - scf to EmitC --------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured control flow stays structured. Variables hold the values that a
// region yields and that a loop carries. A loop reads its variables at the
// start of an iteration and writes all of them at its end, so that carried
// values may be swapped.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "../RingToMachine/LoopAnnotations.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

namespace {

using Values = SmallVector<Value>;

/// Variables for what each value becomes.
using Variables = SmallVector<Values>;

/// The variables that the terminators of a region assign to, by the op that has
/// the region in EmitC. A terminator is converted after the op around it.
struct Carried {
  Variables yielded;
  /// Whether a loop with a condition has another turn.
  Value more;
};
using CarriedByOp = DenseMap<Operation *, Carried>;

template <typename OpTy>
class RegionPattern : public OpConversionPattern<OpTy> {
public:
  RegionPattern(const CTypes &types, MLIRContext *context,
                std::shared_ptr<CarriedByOp> carried)
      : OpConversionPattern<OpTy>(types, context), types(types),
        carried(std::move(carried)) {}

protected:
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;

  const CTypes &types;
  std::shared_ptr<CarriedByOp> carried;
};

} // namespace

static FailureOr<Variables> createVariables(CBuilder &builder,
                                            ValueRange named) {
  Variables variables;
  for (Value value : named) {
    SmallVector<Type> converted;
    if (failed(builder.types.convertType(value.getType(), converted)))
      return failure();
    Values &own = variables.emplace_back();
    for (Type each : converted)
      own.push_back(emitc::VariableOp::create(
          builder.rewriter, value.getLoc(), emitc::LValueType::get(each),
          emitc::OpaqueAttr::get(builder.rewriter.getContext(), "")));
  }
  return variables;
}

static Variables loadAll(CBuilder &builder, const Variables &variables) {
  Variables loaded;
  for (const Values &own : variables) {
    Values &values = loaded.emplace_back();
    for (Value variable : own)
      values.push_back(builder.load(variable));
  }
  return loaded;
}

static void assignAll(CBuilder &builder, const Variables &variables,
                      ArrayRef<ValueRange> values) {
  for (auto [own, range] : llvm::zip_equal(variables, values))
    for (auto [variable, value] : llvm::zip_equal(own, range))
      builder.assign(variable, value);
}

static void replaceByLoads(CBuilder &builder, Operation *op,
                           const Variables &variables) {
  Variables results = loadAll(builder, variables);
  SmallVector<ValueRange> ranges(results.begin(), results.end());
  builder.rewriter.replaceOpWithMultiple(op, std::move(ranges));
}

/// Moves the block of `from` into `to`. Arguments from `first` on are what the
/// variables hold when the block begins; the ones before it are converted.
static void moveBlock(CBuilder &builder, Region &from, Region &to,
                      unsigned first, const Variables &variables) {
  ConversionPatternRewriter &rewriter = builder.rewriter;
  while (!to.empty())
    rewriter.eraseBlock(&to.front());
  rewriter.inlineRegionBefore(from, to, to.end());
  Block *block = &to.front();
  TypeConverter::SignatureConversion conversion(block->getNumArguments());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(block);
  Variables loaded = loadAll(builder, variables);
  for (unsigned i = 0; i < first; ++i)
    conversion.addInputs(
        i, builder.types.convertType(block->getArgument(i).getType()));
  for (auto [i, values] : llvm::enumerate(loaded))
    conversion.remapInput(first + i, values);
  rewriter.applySignatureConversion(block, conversion, &builder.types);
}

/// Asynchronous instructions and barriers: a compiler that copies them would
/// still be right, but no two texts could be compared.
static bool hasSynchronization(Operation *loop, bool copiesToo) {
  return loop
      ->walk([&](Operation *op) {
        bool isSynchronization =
            isa<gpu::BarrierOp>(op) ||
            (isa_and_nonnull<CarouselDialect>(op->getDialect()) &&
             (copiesToo || !isa<CpAsyncCopyOp>(op)));
        return isSynchronization ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a loop stays one. LLVM unrolls copies of a known number, whose
/// addresses are constants apart then.
static bool staysRolled(scf::ForOp loop) {
  bool isCounted = loop.getStaticTripCount().has_value();
  return forbidsUnrolling(loop) ||
         hasSynchronization(loop, /*copiesToo=*/!isCounted);
}

namespace {

struct ForToEmitC : public RegionPattern<scf::ForOp> {
  using RegionPattern::RegionPattern;

  LogicalResult
  matchAndRewrite(scf::ForOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    FailureOr<Variables> variables =
        createVariables(builder, op.getRegionIterArgs());
    if (failed(variables) || !types.convertType(op.getInductionVar().getType()))
      return failure();
    bool rolled = staysRolled(op);
    assignAll(builder, *variables, adaptor.getInitArgs());
    Value lower = one(adaptor.getLowerBound()),
          upper = one(adaptor.getUpperBound());
    auto loop = emitc::ForOp::create(rewriter, op.getLoc(), lower, upper,
                                     one(adaptor.getStep()));
    // C++ compares the unsigned: as right where nothing is negative.
    auto isNatural = [](Value bound) {
      return getConstant(bound).value_or(-1) >= 0;
    };
    if (!op.getUnsignedCmp() && !(isNatural(lower) && isNatural(upper)))
      loop->setDiscardableAttr(TextAttrs::kSigned, rewriter.getUnitAttr());
    if (rolled)
      loop->setDiscardableAttr(TextAttrs::kRolled, rewriter.getUnitAttr());
    (*carried)[loop].yielded = *variables;
    moveBlock(builder, op.getRegion(), loop.getRegion(), /*first=*/1,
              *variables);
    replaceByLoads(builder, op, *variables);
    return success();
  }
};

struct IfToEmitC : public RegionPattern<scf::IfOp> {
  using RegionPattern::RegionPattern;

  LogicalResult
  matchAndRewrite(scf::IfOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    FailureOr<Variables> variables = createVariables(builder, op.getResults());
    if (failed(variables))
      return failure();
    bool hasElse = !op.getElseRegion().empty();
    auto branch =
        emitc::IfOp::create(rewriter, op.getLoc(), one(adaptor.getCondition()),
                            /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
    (*carried)[branch].yielded = *variables;
    moveBlock(builder, op.getThenRegion(), branch.getThenRegion(), 0, {});
    if (hasElse)
      moveBlock(builder, op.getElseRegion(), branch.getElseRegion(), 0, {});
    replaceByLoads(builder, op, *variables);
    return success();
  }
};

struct SwitchToEmitC : public RegionPattern<scf::IndexSwitchOp> {
  using RegionPattern::RegionPattern;

  LogicalResult
  matchAndRewrite(scf::IndexSwitchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    FailureOr<Variables> variables = createVariables(builder, op.getResults());
    if (failed(variables))
      return failure();
    auto branch =
        emitc::SwitchOp::create(rewriter, op.getLoc(), one(adaptor.getArg()),
                                op.getCases(), op.getNumCases());
    (*carried)[branch].yielded = *variables;
    moveBlock(builder, op.getDefaultRegion(), branch.getDefaultRegion(), 0, {});
    for (auto [from, to] :
         llvm::zip_equal(op.getCaseRegions(), branch.getCaseRegions()))
      moveBlock(builder, from, to, 0, {});
    replaceByLoads(builder, op, *variables);
    return success();
  }
};

/// do { before; if (more) { after } } while (more);
struct WhileToEmitC : public RegionPattern<scf::WhileOp> {
  using RegionPattern::RegionPattern;

  LogicalResult
  matchAndRewrite(scf::WhileOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    CBuilder builder(rewriter, loc, types);
    FailureOr<Variables> inits =
        createVariables(builder, op.getBeforeArguments());
    FailureOr<Variables> results =
        createVariables(builder, op.getAfterArguments());
    if (failed(inits) || failed(results))
      return failure();
    Value more = builder.variable(rewriter.getI1Type());
    more.getDefiningOp()->setDiscardableAttr(TextAttrs::kHint,
                                             rewriter.getStringAttr("more"));
    bool rolled = hasSynchronization(op, /*copiesToo=*/true);
    assignAll(builder, *inits, adaptor.getInits());
    auto loop = emitc::DoOp::create(rewriter, loc);
    if (rolled)
      loop->setDiscardableAttr(TextAttrs::kRolled, rewriter.getUnitAttr());
    (*carried)[loop] = {*results, more};
    moveBlock(builder, op.getBefore(), loop.getBodyRegion(), 0, *inits);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      // After scf.condition, which assigns the variables that this reads.
      rewriter.setInsertionPointToEnd(&loop.getBodyRegion().front());
      auto branch = emitc::IfOp::create(rewriter, loc, builder.load(more),
                                        /*addThenBlock=*/true,
                                        /*addElseBlock=*/false);
      (*carried)[branch].yielded = *inits;
      moveBlock(builder, op.getAfter(), branch.getThenRegion(), 0, *results);

      rewriter.createBlock(&loop.getConditionRegion());
      auto expression = emitc::ExpressionOp::create(
          rewriter, loc, rewriter.getI1Type(), ValueRange(more));
      Block *block = rewriter.createBlock(&expression.getRegion(), {},
                                          more.getType(), loc);
      Value again = builder.load(block->getArgument(0));
      emitc::YieldOp::create(rewriter, loc, again);
      rewriter.setInsertionPointAfter(expression);
      emitc::YieldOp::create(rewriter, loc, expression.getResult());
    }
    replaceByLoads(builder, op, *results);
    return success();
  }
};

struct YieldToEmitC : public RegionPattern<scf::YieldOp> {
  using RegionPattern::RegionPattern;

  LogicalResult
  matchAndRewrite(scf::YieldOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto found = carried->find(op->getParentOp());
    if (found == carried->end())
      return rewriter.notifyMatchFailure(op, "the op around it isn't EmitC's");
    CBuilder builder(rewriter, op.getLoc(), types);
    assignAll(builder, found->second.yielded, adaptor.getResults());
    rewriter.replaceOpWithNewOp<emitc::YieldOp>(op, Value());
    return success();
  }
};

struct ConditionToEmitC : public RegionPattern<scf::ConditionOp> {
  using RegionPattern::RegionPattern;

  LogicalResult
  matchAndRewrite(scf::ConditionOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto found = carried->find(op->getParentOp());
    if (found == carried->end())
      return rewriter.notifyMatchFailure(op, "the op around it isn't EmitC's");
    CBuilder builder(rewriter, op.getLoc(), types);
    assignAll(builder, found->second.yielded, adaptor.getArgs());
    builder.assign(found->second.more, one(adaptor.getCondition()));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateSCFToEmitC(RewritePatternSet &patterns,
                                  const CTypes &types) {
  auto carried = std::make_shared<CarriedByOp>();
  patterns.add<ForToEmitC, IfToEmitC, SwitchToEmitC, WhileToEmitC, YieldToEmitC,
               ConditionToEmitC>(types, patterns.getContext(), carried);
}
