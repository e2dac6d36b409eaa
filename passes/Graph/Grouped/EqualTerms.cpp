//===- EqualTerms.cpp - values that differ by a number --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EqualTerms.h.
//
//===----------------------------------------------------------------------===//

#include "EqualTerms.h"

#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

EqualTerms::EqualTerms(linalg::GenericOp sum, ArrayRef<Value> terms)
    : sum(sum), count(terms.size()) {
  compareTrees(Values(terms));
}

/// Keeps the first reason. What is left is compared, too: whether terms compare
/// numbers says whether the reason is worth a remark.
bool EqualTerms::fail(StringRef why) {
  if (reason.empty())
    reason = why;
  return false;
}

std::optional<int64_t> EqualTerms::findNumber(OpOperand &operand) const {
  auto found = numbers.find(&operand);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

/// Whether they are constants that ascend by one.
bool EqualTerms::areNumbers(const Values &values, int64_t &first) const {
  for (auto [term, value] : llvm::enumerate(values)) {
    APInt number;
    if (value.getType() != values.front().getType() ||
        !matchPattern(value, m_ConstantInt(&number)) ||
        number.getSignificantBits() > 64)
      return false;
    if (term == 0)
      first = number.getSExtValue();
    else if (number.getSExtValue() != first + int64_t(term))
      return false;
  }
  return true;
}

/// The operands of ops that do the same.
bool EqualTerms::compareOperands(
    ArrayRef<Operation *> own,
    llvm::function_ref<bool(const Values &)> compare) {
  Operation *first = own.front();
  if (first->getNumRegions() != 0 || !llvm::all_of(own, [&](Operation *op) {
        return op->getName() == first->getName() &&
               op->getAttrDictionary() == first->getAttrDictionary() &&
               op->getResultTypes() == first->getResultTypes() &&
               op->getNumOperands() == first->getNumOperands();
      }))
    return fail("they are computed by other ops");
  bool isEqual = true;
  for (OpOperand &operand : first->getOpOperands()) {
    Values values;
    for (Operation *op : own)
      values.push_back(op->getOperand(operand.getOperandNumber()));
    int64_t number = 0;
    if (!llvm::all_equal(values) && areNumbers(values, number)) {
      numbers[&operand] = number;
      auto compares = dyn_cast<arith::CmpIOp>(first);
      if (!compares || compares.getPredicate() != arith::CmpIPredicate::eq)
        continue;
      // Each comparison of a short sum is of a choice.
      auto around = first->getParentOfType<linalg::GenericOp>();
      int64_t steps = 1;
      for (auto [kind, extent] : llvm::zip_equal(around.getIteratorTypesArray(),
                                                 around.getStaticLoopRanges()))
        if (kind == utils::IteratorType::reduction)
          steps *= ShapedType::isDynamic(extent) ? count : extent;
      choices += steps;
      continue;
    }
    isEqual &= compare(values);
  }
  return isEqual;
}

/// Values that no op in the body of the sum computes.
bool EqualTerms::compareInputs(const Values &values) {
  auto isOfBody = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == sum.getBody();
  };
  if (!isOfBody(values.front()))
    return llvm::all_equal(values) || fail("they have other constants");
  Values read;
  auto getMap = [&](Value value) {
    return sum.getMatchingIndexingMap(
        sum.getMatchingOpOperand(cast<BlockArgument>(value)));
  };
  for (Value value : values) {
    if (!isOfBody(value) || getMap(value) != getMap(values.front()))
      return fail("they read tensors in other orders");
    read.push_back(sum.getMatchingOpOperand(cast<BlockArgument>(value))->get());
  }
  inputs.insert(cast<BlockArgument>(values.front()));
  return compareTensors(read);
}

bool EqualTerms::compareTrees(const Values &values, Sources &sources) {
  Operation *op = values.front().getDefiningOp();
  if (!op || op->getBlock() != sum.getBody())
    return compareInputs(values);
  // Each op is copied once, with its numbers in terms of the loop.
  auto [known, isNew] = trees.try_emplace(values.front(), values);
  if (!isNew)
    return known->second == values || fail("they take a value in several ways");
  sources.push_back(values.front());
  return true;
}

/// Values in the body of the sum.
void EqualTerms::compareTrees(const Values &values) {
  auto compareOne = [&](Value first, Sources &sources) {
    SmallVector<Operation *> own;
    for (Value value : trees.lookup(first)) {
      Operation *op = value.getDefiningOp();
      if (!op || op->getBlock() != sum.getBody()) {
        fail("they have other constants");
        return;
      }
      own.push_back(op);
    }
    (void)compareOperands(
        own, [&](const Values &next) { return compareTrees(next, sources); });
  };
  SmallVector<Value> roots;
  if (!compareTrees(values, roots))
    return;
  for (Value root : roots)
    walkSources(root, compareOne, [&](Value first) {
      ops.insert(first.getDefiningOp());
      return WalkResult::advance();
    });
}

/// Values of whole bodies, op by op.
bool EqualTerms::compareBodies(const Values &values) {
  SmallVector<Block *> bodies;
  for (Value value : values)
    bodies.push_back(value.getDefiningOp<linalg::GenericOp>().getBody());
  Block *first = bodies.front();
  // The places of ops in their bodies.
  DenseMap<Operation *, unsigned> places;
  for (Block *body : bodies)
    for (auto [place, op] : llvm::enumerate(*body))
      places[&op] = place;
  auto isSame = [&](const Values &own) {
    if (llvm::all_equal(own))
      return true; // from outside of the bodies
    for (auto [body, value] : llvm::zip_equal(bodies, own)) {
      auto argument = dyn_cast<BlockArgument>(value);
      auto firstArgument = dyn_cast<BlockArgument>(own.front());
      if (bool(argument) != bool(firstArgument))
        return fail("they are computed by other ops");
      if (argument ? argument.getOwner() != body ||
                         argument.getArgNumber() != firstArgument.getArgNumber()
                   : value.getDefiningOp()->getBlock() != body ||
                         places[value.getDefiningOp()] !=
                             places[own.front().getDefiningOp()])
        return fail("they are computed by other ops");
    }
    return true;
  };
  if (!llvm::all_of(bodies, [&](Block *body) {
        return body->getOperations().size() == first->getOperations().size();
      }))
    return fail("they are computed by other ops");
  SmallVector<Block::iterator> at;
  for (Block *body : bodies)
    at.push_back(body->begin());
  bool isEqual = true;
  for (; at.front() != first->end();
       llvm::for_each(at, [](auto &it) { ++it; })) {
    SmallVector<Operation *> own;
    for (Block::iterator it : at)
      own.push_back(&*it);
    isEqual &= compareOperands(own, isSame);
  }
  return isEqual;
}

bool EqualTerms::compareSlices(EqualTensors &own) {
  for (auto [term, value] : llvm::enumerate(own.values)) {
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !slice.hasUnitStride() || slice.getStaticOffsets().empty() ||
        ShapedType::isDynamic(slice.getStaticOffsets().front()) ||
        slice.getStaticSizes().front() != 1)
      return false;
    if (term == 0) {
      own.source = slice.getSource();
      own.first = slice.getStaticOffsets().front();
    }
    // All of the other dimensions, and none of the first one.
    RankedTensorType whole = slice.getSourceType();
    if (slice.getSource() != own.source || !whole.hasStaticShape() ||
        slice.getStaticOffsets().front() != own.first + int64_t(term) ||
        slice.getType().getShape() != whole.getShape().drop_front() ||
        llvm::any_of(slice.getStaticOffsets().drop_front(),
                     [](int64_t offset) { return offset != 0; }))
      return false;
  }
  return true;
}

bool EqualTerms::compareOps(EqualTensors &own, Sources &sources) {
  auto first = own.op = own.values.front().getDefiningOp<linalg::GenericOp>();
  if (!first)
    return fail("what they read isn't slices of one tensor, in order");
  bool readsFirst = readsInit(first, 0);
  for (Value value : own.values) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumResults() != 1 || op.getNumDpsInits() != 1 ||
        op.getNumDpsInputs() != first.getNumDpsInputs() ||
        op.getIteratorTypesArray() != first.getIteratorTypesArray() ||
        op.getIndexingMaps() != first.getIndexingMaps() ||
        op.getResultTypes() != first.getResultTypes() ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return fail("what they read isn't slices of one tensor, in order");
    if (readsFirst &&
        (!findFill(op.getDpsInits()[0]) ||
         findFill(op.getDpsInits()[0]) != findFill(first.getDpsInits()[0])))
      return fail("their sums begin at other values");
  }
  bool isEqual = compareBodies(own.values);
  for (unsigned input = 0; input != first.getNumDpsInputs(); ++input) {
    Values read;
    for (Value value : own.values)
      read.push_back(value.getDefiningOp<linalg::GenericOp>()
                         .getDpsInputOperand(input)
                         ->get());
    isEqual &= compareTensors(read, sources);
  }
  if (llvm::is_contained(first.getStaticLoopRanges(), ShapedType::kDynamic))
    return fail("an extent isn't known");
  return isEqual;
}

bool EqualTerms::compareTensors(const Values &values, Sources &sources) {
  EqualTensors own;
  own.values = values;
  auto [known, isNew] = tensors.insert({values.front(), own});
  if (!isNew)
    return known->second.values == values ||
           fail("they read a tensor in several ways");
  sources.push_back(values.front());
  return true;
}

bool EqualTerms::compareTensors(const Values &values) {
  bool isEqual = true;
  auto compareOne = [&](Value first, Sources &sources) {
    EqualTensors own = find(first);
    bool isSlice = own.areOne() || compareSlices(own);
    if (!isSlice) {
      own.source = {};
      isEqual &= compareOps(own, sources);
    }
    tensors[first] = own;
  };
  SmallVector<Value> roots;
  if (!compareTensors(values, roots))
    return false;
  for (Value root : roots)
    walkSources(root, compareOne, [&](Value first) {
      if (find(first).op)
        stacked.push_back(find(first).op);
      return WalkResult::advance();
    });
  return isEqual;
}
