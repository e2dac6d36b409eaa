//===- ExpandAccumulate.cpp - expand accumulations to transfers -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands each carousel.accumulate to the loads and stores of its scheme,
// depending on whether its CTA's turn is the first or the last one.
// Replaces unordered carousel.serialize ops by their regions.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/Branches.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDACCUMULATE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Makes the transfers of one accumulation.
class Expander {
public:
  Expander(AccumulateOp op, bool isOrdered)
      : op(op), b(op.getLoc(), op), isOrdered(isOrdered) {}

  void run() {
    if (op.getScheme() == AccumulateScheme::Registers)
      accumulateInRegisters();
    else
      accumulateInMemory();
    op.erase();
  }

private:
  /// Stored first, reduced into later, and loaded in the last turn.
  void accumulateInMemory() {
    createIf(
        b, op.getFirst(), [&] { store(/*reduces=*/false); },
        [&] { store(/*reduces=*/true); });
    if (Value last = op.getLast())
      createIf(b, last, [&] {
        load(/*reduces=*/false, op.getReadBack() == ReadBack::Threads);
      });
  }

  /// The last turn ends in the tile. If it is the first one as well all of it
  /// is there, but for zeros outside of the global memref.
  void accumulateInRegisters() {
    auto keep = [&] {
      createIf(
          b, op.getFirst(), [&] { store(/*reduces=*/false); },
          [&] { store(/*reduces=*/true); });
    };
    Value last = op.getLast();
    if (!last)
      return keep();
    createIf(
        b, last,
        [&] {
          Value one = arith::ConstantIntOp::create(b, 1, 1);
          Value isLater = arith::XOrIOp::create(b, op.getFirst(), one);
          auto combine = [&] { load(/*reduces=*/true, /*byThreads=*/true); };
          if (op.getInBounds())
            return createIf(b, isLater, combine);
          createIf(b, isLater, combine, [&] {
            store(/*reduces=*/false);
            load(/*reduces=*/false, /*byThreads=*/true);
          });
        },
        keep);
  }

  void store(bool reduces) {
    bool byThreads = op.getScheme() == AccumulateScheme::Registers;
    StoreOp::create(b, op.getTile(), op.getGlobal(), op.getOffsets(),
                    reduces ? op.getReduceAttr() : ReductionAttr(),
                    /*exclusive=*/reduces && isOrdered, TransferScope::CTA,
                    op.getInBounds(), byThreads, op.getSwizzle(), op.getCache(),
                    EngineAttr(),
                    /*map=*/Value());
  }

  void load(bool reduces, bool byThreads) {
    LoadOp::create(b, op.getGlobal(), op.getOffsets(), op.getTile(),
                   OutOfBoundsFill::Zero, /*fill_value=*/Attribute(),
                   reduces ? op.getReduceAttr() : ReductionAttr(),
                   /*round_tf32=*/false, TransferScope::CTA, op.getInBounds(),
                   byThreads, op.getSwizzle(), op.getCache(), EngineAttr(),
                   /*map=*/Value());
  }

  AccumulateOp op;
  ImplicitLocOpBuilder b;
  bool isOrdered; ///< no other CTA accesses the box
};

/// CTAs poll the line of L2 that their semaphore is in.
constexpr int64_t kLineBytes = 128;

/// How far the semaphore is from those of other values of its indices, where
/// that is known.
std::optional<int64_t> getSpacing(SerializeOp op) {
  auto type = cast<MemRefType>(op.getSemaphores().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  std::optional<int64_t> least;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    if (type.getDimSize(dim) == 1 || matchPattern(index, m_Constant()) ||
        ShapedType::isDynamic(strides[dim]))
      continue;
    int64_t bytes = std::abs(strides[dim]) * type.getElementTypeBitWidth() / 8;
    least = std::min(least.value_or(bytes), bytes);
  }
  return least;
}

struct ExpandAccumulate
    : public carousel::impl::ExpandAccumulateBase<ExpandAccumulate> {
  void runOnOperation() override {
    SmallVector<SerializeOp> unordered;
    SmallVector<AccumulateOp> accumulations;
    getOperation().walk([&](Operation *op) {
      if (auto turns = dyn_cast<SerializeOp>(op)) {
        if (turns.getOrder() == TurnOrder::Unordered)
          unordered.push_back(turns);
        else
          lookAtSpacing(turns);
      }
      if (auto accumulate = dyn_cast<AccumulateOp>(op))
        accumulations.push_back(accumulate);
    });
    for (AccumulateOp op : accumulations) {
      remark::passed(op.getLoc(), remark::RemarkOpts::name("Accumulate")
                                      .category(getArgument())
                                      .function(getKernelName(op)))
          << remark::add("scheme {0}{1}",
                         stringifyAccumulateScheme(op.getScheme()),
                         describeReadBack(op));
      auto turns = op->getParentOfType<SerializeOp>();
      Expander(op, turns && turns.getOrder() == TurnOrder::Ordered).run();
    }
    IRRewriter rewriter(&getContext());
    for (SerializeOp op : unordered)
      takeOut(rewriter, op);
    expanded += accumulations.size();
    if (unordered.empty() && accumulations.empty())
      markAllAnalysesPreserved();
  }

  static StringRef getKernelName(Operation *op) {
    return op->getParentOfType<FunctionOpInterface>().getName();
  }

  static StringRef describeReadBack(AccumulateOp op) {
    if (!op.getLast())
      return ", not read back";
    if (op.getScheme() == AccumulateScheme::Registers)
      return ", the last turn in the tile";
    return op.getReadBack() == ReadBack::Threads ? ", read back by threads"
                                                 : ", read back by a transfer";
  }

  void lookAtSpacing(SerializeOp op) {
    std::optional<int64_t> spacing = getSpacing(op);
    if (!spacing || *spacing >= kLineBytes)
      return;
    remark::missed(op.getLoc(), remark::RemarkOpts::name("Semaphores")
                                    .category(getArgument())
                                    .function(getKernelName(op)))
        << remark::add("semaphores are {0} bytes apart: CTAs that wait for one "
                       "slow down those of its line, of {1} bytes",
                       *spacing, kLineBytes);
  }

  void takeOut(IRRewriter &rewriter, SerializeOp op) {
    remark::analysis(op.getLoc(), remark::RemarkOpts::name("Unordered")
                                      .category(getArgument())
                                      .function(getKernelName(op)))
        << "no turns: sums that are rounded may differ from launch to launch";
    rewriter.setInsertionPoint(op);
    Value never = arith::ConstantIntOp::create(rewriter, op.getLoc(), 0, 1);
    Operation *end = op.getBody().front().getTerminator();
    rewriter.inlineBlockBefore(&op.getBody().front(), op, {never, never});
    rewriter.replaceOp(op, end->getOperands());
    rewriter.eraseOp(end);
  }
};

} // namespace
