//===- SelectedReads.cpp - reads that a selection discards ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends read at an index that may be outside of a tensor, and select
// another value where it is. Such a read happens only under the condition of
// the selection: elsewhere, it would be of other memory.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// When a value is needed
//===----------------------------------------------------------------------===//

namespace {

/// A use of a value within the block that defines it.
struct BlockUse {
  /// In the value's own block.
  Operation *owner;
  /// The use is the condition's choice, of the first or second value.
  Value condition;
  bool ifTrue = true;
};

/// The conditions under which values of one block are needed. Conditions are
/// computed at the end of the block, so its ops have to be sorted then.
class Needs {
public:
  explicit Needs(Block *block) : builder(block->getTerminator()) {}

  /// Null if a result of an op, which is needed for them only, always is.
  Value find(Operation *op) { return find(BlockUse{op, {}}); }

private:
  /// Null if a value is always needed.
  Value find(Value value);
  Value compute(Value value);
  Value find(const BlockUse &use);
  Value invert(Value condition);

  OpBuilder builder;
  llvm::DenseMap<Value, Value> known;
};

} // namespace

static BlockUse getUse(OpOperand &use) {
  Block *block = use.get().getParentBlock();
  Operation *owner = block->findAncestorOpInBlock(*use.getOwner());
  if (auto branch = dyn_cast<scf::IfOp>(owner);
      branch && owner != use.getOwner())
    return {
        owner, branch.getCondition(),
        branch.getThenRegion().isAncestor(use.getOwner()->getParentRegion())};
  if (auto select = dyn_cast<arith::SelectOp>(owner);
      select && select.getCondition().getType().isInteger(1) &&
      use.get() != select.getCondition() &&
      select.getTrueValue() != select.getFalseValue())
    return {owner, select.getCondition(), use.get() == select.getTrueValue()};
  return {owner, {}};
}

/// Whether an op is needed only for its results.
static bool isForResults(Operation *op) {
  return !op->hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(op);
}

static bool isOnlySelected(Value value, llvm::DenseMap<Value, bool> &known) {
  auto addResults = [&](Value inner, SmallVectorImpl<Value> &results) {
    if (known.contains(inner))
      return;
    for (OpOperand &operand : inner.getUses())
      if (BlockUse use = getUse(operand);
          !use.condition && isForResults(use.owner))
        llvm::append_range(results, use.owner->getResults());
  };
  auto isSelected = [&](OpOperand &operand) {
    BlockUse use = getUse(operand);
    return use.condition ||
           (isForResults(use.owner) && use.owner->getNumResults() != 0 &&
            llvm::all_of(use.owner->getResults(),
                         [&](Value result) { return known.lookup(result); }));
  };
  walkSources(value, addResults, [&](Value inner) {
    if (!known.contains(inner)) {
      bool isOnly =
          !inner.use_empty() && llvm::all_of(inner.getUses(), isSelected);
      known[inner] = isOnly;
    }
    return WalkResult::advance();
  });
  return known.lookup(value);
}

bool carousel::isOnlySelected(Value value) {
  llvm::DenseMap<Value, bool> known;
  return ::isOnlySelected(value, known);
}

Value Needs::invert(Value condition) {
  Location loc = condition.getLoc();
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return arith::XOrIOp::create(builder, loc, condition, yes);
}

Value Needs::find(const BlockUse &use) {
  if (!isForResults(use.owner) && !isa<scf::IfOp>(use.owner))
    return {};
  // All results are needed if one is.
  Value results;
  for (Value result : use.owner->getResults()) {
    Value own = find(result);
    if (!own) {
      results = {};
      break;
    }
    results = results
                  ? arith::OrIOp::create(builder, own.getLoc(), results, own)
                        .getResult()
                  : own;
  }
  if (!use.condition)
    return results;
  Value own = use.ifTrue ? use.condition : invert(use.condition);
  return results ? arith::AndIOp::create(builder, own.getLoc(), results, own)
                       .getResult()
                 : own;
}

Value Needs::compute(Value value) {
  Value need;
  for (OpOperand &operand : value.getUses()) {
    Value own = find(getUse(operand));
    if (!own)
      return {};
    if (need && need != own)
      own = arith::OrIOp::create(builder, value.getLoc(), need, own);
    need = own;
  }
  return need;
}

Value Needs::find(Value value) {
  auto addResults = [&](Value inner, SmallVectorImpl<Value> &results) {
    if (known.contains(inner))
      return;
    for (OpOperand &operand : inner.getUses())
      if (Operation *owner = getUse(operand).owner;
          isForResults(owner) || isa<scf::IfOp>(owner))
        llvm::append_range(results, owner->getResults());
  };
  walkSources(value, addResults, [&](Value inner) {
    if (!known.contains(inner)) {
      Value need = compute(inner);
      known[inner] = need;
    }
    return WalkResult::advance();
  });
  return known.lookup(value);
}

/// Whether a value is computed of a result of the op, in the op's block, which
/// needn't be sorted.
static bool dependsOn(Value value, Operation *on) {
  return isComputedOf(
      value,
      [&](Value inner) { return inner.getParentBlock() == on->getBlock(); },
      [&](Value inner) { return inner.getDefiningOp() == on; });
}

//===----------------------------------------------------------------------===//
// Where a read is
//===----------------------------------------------------------------------===//

/// Whether constants show that a read is inside of its tensor.
static bool isInside(tensor::ExtractOp read) {
  return llvm::all_of(
      llvm::zip_equal(read.getIndices(), read.getTensor().getType().getShape()),
      [](auto pair) {
        return carousel::isInside(std::get<0>(pair), std::get<1>(pair));
      });
}

//===----------------------------------------------------------------------===//
// Conditions around reads
//===----------------------------------------------------------------------===//

/// A read that may be outside of its tensor, or a branch with such reads.
static bool mayReadOutside(Operation *reader) {
  if (auto read = dyn_cast<tensor::ExtractOp>(reader))
    return !read.getIndices().empty() && !isInside(read);
  return isa<scf::IfOp>(reader) && reader
                                       ->walk([&](tensor::ExtractOp read) {
                                         return mayReadOutside(read)
                                                    ? WalkResult::interrupt()
                                                    : WalkResult::advance();
                                       })
                                       .wasInterrupted();
}

static void guard(Operation *reader, Value condition) {
  OpBuilder builder(reader);
  Location loc = reader->getLoc();
  auto branch = scf::IfOp::create(builder, loc, reader->getResultTypes(),
                                  condition, /*withElseRegion=*/true);
  reader->replaceAllUsesWith(branch);
  OpBuilder inner = branch.getThenBodyBuilder();
  reader->moveBefore(scf::YieldOp::create(inner, loc, reader->getResults()));
  OpBuilder other = branch.getElseBodyBuilder();
  SmallVector<Value> none;
  for (Type type : reader->getResultTypes())
    none.push_back(arith::getZeroConstant(other, loc, type));
  scf::YieldOp::create(other, loc, none);
}

static unsigned guardReads(Block *block) {
  SmallVector<Operation *> readers;
  llvm::DenseMap<Value, bool> selected;
  for (Operation &reader : *block)
    if (reader.getNumResults() != 0 && isMemoryEffectFree(&reader) &&
        llvm::all_of(
            reader.getResults(),
            [&](Value result) { return ::isOnlySelected(result, selected); }) &&
        mayReadOutside(&reader))
      readers.push_back(&reader);
  unsigned count = 0;
  for (Operation *reader : readers) {
    Value condition = Needs(block).find(reader);
    // A condition that is computed of what is read comes after the read.
    if (!condition || dependsOn(condition, reader))
      continue;
    guard(reader, condition);
    ++count;
  }
  if (count != 0)
    sortTopologically(block);
  return count;
}

unsigned carousel::guardSelectedReads(func::FuncOp func) {
  unsigned count = 0;
  func.walk([&](linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics())
      return;
    SmallVector<Block *> blocks;
    for (Region &region : op->getRegions())
      region.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      count += guardReads(block);
  });
  return count;
}
