//===- RunningIndices.cpp - running indices of rings ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RunningIndices.h. MLIR's mem2reg doesn't support structured control flow.
// This promotion does, for the ops under which transfers may stand.
//
//===----------------------------------------------------------------------===//

#include "RunningIndices.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

Value RunningIndices::create(Block &block, Location loc) {
  return create(block, loc, IndexType::get(loc.getContext()));
}

Value RunningIndices::create(Block &block, Location loc, Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  auto variable =
      memref::AllocaOp::create(builder, loc, MemRefType::get({}, type));
  write(builder, loc, variable,
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  variables.push_back(variable);
  return variable;
}

Value RunningIndices::read(OpBuilder &builder, Location loc, Value variable) {
  return memref::LoadOp::create(builder, loc, variable);
}

void RunningIndices::write(OpBuilder &builder, Location loc, Value variable,
                           Value value) {
  memref::StoreOp::create(builder, loc, value, variable);
}

bool RunningIndices::canPass(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, SerializeOp>(op);
}

namespace {

/// Makes one variable values.
class Promoter {
public:
  Promoter(IRRewriter &rewriter, Value variable)
      : rewriter(rewriter), variable(variable) {}

  /// Walks through a block that starts with `value`; returns what it ends with.
  Value visit(Block &block, Value value);

private:
  bool isUsedIn(Operation *op) const {
    return llvm::any_of(variable.getUsers(), [&](Operation *user) {
      return op->isProperAncestor(user);
    });
  }
  Value pass(Operation *op, Value value);
  Value passLoop(scf::ForOp loop, Value value);
  Value passWhile(scf::WhileOp loop, Value value);
  Value passBranches(Operation *op, Value value);

  IRRewriter &rewriter;
  Value variable;
};

} // namespace

Value Promoter::visit(Block &block, Value value) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && load.getMemRef() == variable) {
      rewriter.replaceOp(load, value);
    } else if (auto store = dyn_cast<memref::StoreOp>(op);
               store && store.getMemRef() == variable) {
      value = store.getValueToStore();
      rewriter.eraseOp(store);
    } else if (isUsedIn(&op)) {
      value = pass(&op, value);
    }
  }
  return value;
}

Value Promoter::pass(Operation *op, Value value) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return passLoop(loop, value);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return passWhile(loop, value);
  return passBranches(op, value);
}

Value Promoter::passLoop(scf::ForOp loop, Value value) {
  rewriter.setInsertionPoint(loop);
  auto yield = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    return SmallVector<Value>{visit(*loop.getBody(), added.front())};
  };
  LoopLikeOpInterface loopLike = *loop.replaceWithAdditionalYields(
      rewriter, value, /*replaceInitOperandUsesInLoop=*/false, yield);
  return loopLike->getResults().back();
}

/// The same index stands at the end of both regions' arguments.
Value Promoter::passWhile(scf::WhileOp loop, Value value) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(value);
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(value.getType());
  auto extended =
      scf::WhileOp::create(rewriter, loc, types, inits, nullptr, nullptr);
  extended->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  // Drop the blocks that the builder made.
  for (Region &region : extended->getRegions())
    while (!region.empty())
      region.front().erase();
  for (auto [from, to] :
       llvm::zip_equal(loop->getRegions(), extended->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.end());
  Value before = extended.getBeforeBody()->addArgument(value.getType(), loc);
  Value condition = visit(*extended.getBeforeBody(), before);
  extended.getConditionOp().getArgsMutable().append(condition);
  Value after = extended.getAfterBody()->addArgument(value.getType(), loc);
  Value last = visit(*extended.getAfterBody(), after);
  extended.getYieldOp().getResultsMutable().append(last);
  rewriter.replaceOp(loop, extended.getResults().drop_back());
  return extended.getResults().back();
}

/// Branches of which one is taken: each yields what it ends with.
Value Promoter::passBranches(Operation *op, Value value) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  OperationState state(loc, op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addTypes(value.getType());
  state.attributes = op->getDiscardableAttrDictionary();
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *extended = rewriter.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), extended->getRegions())) {
    rewriter.inlineRegionBefore(from, to, to.end());
    if (to.empty()) {
      rewriter.createBlock(&to);
      scf::YieldOp::create(rewriter, loc);
    }
    Value last = visit(to.front(), value);
    to.front().getTerminator()->insertOperands(
        to.front().getTerminator()->getNumOperands(), last);
  }
  rewriter.replaceOp(op, extended->getResults().drop_back());
  return extended->getResults().back();
}

void RunningIndices::promote(IRRewriter &rewriter) {
  for (memref::AllocaOp variable : variables) {
    // It is written before it is read.
    Promoter(rewriter, variable).visit(*variable->getBlock(), nullptr);
    rewriter.eraseOp(variable);
  }
  variables.clear();
}
