//===- StackExperts.cpp - loops over experts ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-stack-experts. A loop over experts (MoE) leaves a sum with a term
// for each:
//
//   y[t, n] = f(0, x[t, :] * w[0, :, :]) + f(1, x[t, :] * w[1, :, :]) + ...
//
// The terms are the same but for a number, that of the slices of tensors that
// they read, and of what they compare. So the sum goes along a loop, as if its
// author had written the products as a batch:
//
//   p[e, t, n] = sum over k of x[t, k] * w[e, k, n]
//   y[t, n] = sum over e of f(e, p[e, t, n])
//
// Comparisons with the number choose the rows of each matrix, so that few rows
// of the batch are needed (ReadOneHots.h, MultiplyGatheredRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/ReadOneHots.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Tables/TableOps.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace carousel {
#define GEN_PASS_DEF_STACKEXPERTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Equal terms
//===----------------------------------------------------------------------===//

namespace {

/// Tensors of the terms, one of each.
struct EqualTensors {
  SmallVector<Value> values;
  /// Where they are slices along the first dimension: what of, and the number
  /// of the first one.
  Value source;
  int64_t first = 0;
  /// Where ops compute them: the one of the first term.
  linalg::GenericOp op;

  bool areOne() const { return all_equal(values); }
};

class EqualTerms {
public:
  /// Compares values in the body of an elementwise op.
  EqualTerms(linalg::GenericOp sum, ArrayRef<Value> terms);

  /// Empty, or why the terms aren't equal.
  const std::string &getReason() const { return reason; }
  /// Whether a term compares the number.
  bool comparesIndex() const { return choices != 0; }
  /// How often, as there may be a comparison for each choice of a token.
  int64_t getChoices() const { return choices; }
  int64_t size() const { return count; }

  /// Returns the ops that compute the first term in its body.
  const llvm::SetVector<Operation *> &getOps() const { return ops; }
  /// Inputs of the op that the first term reads.
  ArrayRef<BlockArgument> getInputs() const { return inputs.getArrayRef(); }
  /// By the first term's tensor.
  const EqualTensors &find(Value tensor) const {
    return tensors.find(tensor)->second;
  }
  /// The ops that differ, each behind those that it reads.
  ArrayRef<linalg::GenericOp> getStacked() const { return stacked; }
  /// The number of an operand of the first term that differs, less that of the
  /// term.
  std::optional<int64_t> findNumber(OpOperand &operand) const;

private:
  using Values = SmallVector<Value>;
  /// Values of the first term that have to be compared, too.
  using Sources = SmallVectorImpl<Value>;

  bool compareTensors(const Values &values);
  bool compareTensors(const Values &values, Sources &sources);
  bool compareSlices(EqualTensors &own);
  bool compareOps(EqualTensors &own, Sources &sources);
  bool compareBodies(const Values &values);
  void compareTrees(const Values &values);
  bool compareTrees(const Values &values, Sources &sources);
  bool compareInputs(const Values &values);
  bool compareOperands(ArrayRef<Operation *> own,
                       llvm::function_ref<bool(const Values &)> compare);
  bool areIndices(const Values &values, int64_t &first) const;
  bool fail(StringRef why);

  linalg::GenericOp sum;
  int64_t count = 0, choices = 0;
  std::string reason;
  llvm::SetVector<Operation *> ops;
  llvm::SmallSetVector<BlockArgument, 4> inputs;
  llvm::MapVector<Value, EqualTensors> tensors;
  SmallVector<linalg::GenericOp> stacked;
  llvm::DenseMap<OpOperand *, int64_t> numbers;
  /// By the first term's value: those of all terms.
  llvm::DenseMap<Value, Values> trees;
};

} // namespace

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
bool EqualTerms::areIndices(const Values &values, int64_t &first) const {
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
    if (!llvm::all_equal(values) && areIndices(values, number)) {
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
        !linalg::LinalgOp(op).hasOnlyProjectedPermutations())
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

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The addition at the end of a sum, and what it adds, in order.
static SmallVector<Value> findTerms(Operation *root) {
  SmallVector<Value> terms, left = {root->getResult(0)};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && isa<arith::AddFOp>(op) && op->getBlock() == root->getBlock() &&
        (op == root || op->hasOneUse())) {
      left.push_back(op->getOperand(1));
      left.push_back(op->getOperand(0));
      continue;
    }
    if (!matchPattern(value, m_AnyZeroFloat()))
      terms.push_back(value);
  }
  return terms;
}

namespace {

/// Writes the sum along a loop of terms.
class ExpertStacker {
public:
  ExpertStacker(IRRewriter &rewriter, const EqualTerms &terms)
      : rewriter(rewriter), terms(terms) {}

  /// Writes the summand of other terms, along the loops of the op.
  linalg::GenericOp write(linalg::GenericOp sum, Value first);

private:
  /// The number of a term is the loop's, and the constant that the first one
  /// has.
  Value writeNumber(OpBuilder &builder, Location loc, unsigned loop, Type type,
                    int64_t first);
  void clone(OpBuilder &builder, Operation *op, IRMapping &mapping,
             unsigned loop);
  Value stack(linalg::GenericOp op);

  IRRewriter &rewriter;
  const EqualTerms &terms;
  /// By the first term's tensor; null where all terms read one.
  DenseMap<Value, Value> stacks;
};

} // namespace

Value ExpertStacker::writeNumber(OpBuilder &builder, Location loc,
                                 unsigned loop, Type type, int64_t first) {
  IndexBuilder n(builder, loc);
  Value number = linalg::IndexOp::create(builder, loc, loop);
  if (first != 0)
    number = n.add(number, n.constant(first));
  return n.integer(number, type);
}

void ExpertStacker::clone(OpBuilder &builder, Operation *op, IRMapping &mapping,
                          unsigned loop) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> first = terms.findNumber(operand);
    operands.push_back(
        first ? writeNumber(builder, loc, loop, operand.get().getType(), *first)
              : mapping.lookupOrDefault(operand.get()));
  }
  // A value equal to a loop's index and a constant, less the constant, is
  // equal to the loop's index, which OneHotIndices.h looks for.
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && compare.getPredicate() == arith::CmpIPredicate::eq)
    for (unsigned at : {0, 1})
      if (std::optional<int64_t> first = terms.findNumber(op->getOpOperand(at));
          first && *first != 0) {
        Type type = operands[at].getType();
        Value shift = arith::ConstantOp::create(
            builder, loc, builder.getIntegerAttr(type, *first));
        operands[at] = writeNumber(builder, loc, loop, type, /*first=*/0);
        operands[1 - at] =
            arith::SubIOp::create(builder, loc, operands[1 - at], shift);
        break;
      }
  builder.clone(*op, mapping)->setOperands(operands);
}

/// The results of all terms' ops, as one op along the terms.
Value ExpertStacker::stack(linalg::GenericOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  AffineExpr term = rewriter.getAffineDimExpr(0);
  auto addMap = [&](OpOperand *operand, bool isStacked) {
    AffineMap map = op.getMatchingIndexingMap(operand).shiftDims(1);
    maps.push_back(isStacked ? map.insertResult(term, 0) : map);
  };
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value stacked = stacks.lookup(input->get());
    inputs.push_back(stacked ? stacked : input->get());
    addMap(input, bool(stacked));
  }
  addMap(op.getDpsInitOperand(0), /*isStacked=*/true);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<int64_t> shape = {terms.size()};
  llvm::append_range(shape, type.getShape());
  Value init =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  if (auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    init = linalg::FillOp::create(rewriter, loc, fill.getInputs(), init)
               .getResult(0);
  SmallVector<IteratorType> kinds = {IteratorType::parallel};
  llvm::append_range(kinds, op.getIteratorTypesArray());
  auto stacked = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), elements);
        for (Operation &inner : *op.getBody()) {
          if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
            mapping.map(
                index.getResult(),
                linalg::IndexOp::create(builder, loc, index.getDim() + 1));
            continue;
          }
          clone(builder, &inner, mapping, /*loop=*/0);
        }
      });
  return stacked.getResult(0);
}

linalg::GenericOp ExpertStacker::write(linalg::GenericOp sum, Value first) {
  Location loc = sum.getLoc();
  rewriter.setInsertionPoint(sum);
  unsigned loops = sum.getNumLoops();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto findSlices = [&](Value tensor) {
    const EqualTensors &own = terms.find(tensor);
    if (!own.source || stacks.count(tensor))
      return;
    auto whole = cast<RankedTensorType>(own.source.getType());
    Value part = own.source;
    if (whole.getDimSize(0) != terms.size()) {
      SmallVector<OpFoldResult> offsets(whole.getRank(),
                                        rewriter.getIndexAttr(0)),
          strides(whole.getRank(), rewriter.getIndexAttr(1)),
          sizes = tensor::getMixedSizes(rewriter, loc, part);
      offsets.front() = rewriter.getIndexAttr(own.first);
      sizes.front() = rewriter.getIndexAttr(terms.size());
      part = tensor::ExtractSliceOp::create(rewriter, loc, part, offsets, sizes,
                                            strides);
    }
    stacks[tensor] = part;
  };
  for (linalg::GenericOp op : terms.getStacked()) {
    for (Value input : op.getInputs())
      findSlices(input);
    stacks[op.getResult(0)] = stack(op);
  }
  AffineExpr term = rewriter.getAffineDimExpr(loops);
  for (BlockArgument argument : terms.getInputs()) {
    OpOperand *input = sum.getMatchingOpOperand(argument);
    findSlices(input->get());
    Value stacked = stacks.lookup(input->get());
    AffineMap map = sum.getMatchingIndexingMap(input);
    map = AffineMap::get(loops + 1, 0, map.getResults(), map.getContext());
    inputs.push_back(stacked ? stacked : input->get());
    maps.push_back(stacked ? map.insertResult(term, 0) : map);
  }
  // Contractions add in f32 at least, and so does this one.
  Type element = first.getType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = rewriter.getF32Type();
  OpOperand *written = sum.getDpsInitOperand(0);
  AffineMap along = sum.getMatchingIndexingMap(written);
  maps.push_back(
      AffineMap::get(loops + 1, 0, along.getResults(), along.getContext()));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc,
      cast<RankedTensorType>(sum.getResult(0).getType()).getShape(), element);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  SmallVector<IteratorType> kinds(loops, IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  return linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        IRMapping mapping;
        for (auto [argument, own] :
             llvm::zip_equal(terms.getInputs(), elements.drop_back()))
          mapping.map(argument, own);
        for (Operation &inner : *sum.getBody())
          if (terms.getOps().contains(&inner))
            clone(builder, &inner, mapping, loops);
        Value own = mapping.lookupOrDefault(first);
        if (own.getType() != element)
          own = arith::ExtFOp::create(builder, loc, element, own);
        linalg::YieldOp::create(
            builder, loc,
            arith::AddFOp::create(builder, loc, elements.back(), own)
                .getResult());
      });
}

/// Has the op read the sum in place of adding the terms.
static void readSum(IRRewriter &rewriter, linalg::GenericOp op, Operation *root,
                    ArrayRef<Value> others, Value total) {
  Location loc = op.getLoc();
  Value sum = addInput(rewriter, op, total,
                       op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  rewriter.setInsertionPointAfter(root);
  Type type = root->getResult(0).getType();
  if (sum.getType() != type)
    sum = arith::TruncFOp::create(rewriter, loc, type, sum);
  for (Value other : others)
    sum = arith::AddFOp::create(rewriter, loc, other, sum);
  rewriter.replaceOp(root, sum);
}

/// Whether the batches of products are worth it, as few of their rows are read.
static bool savesEnough(const EqualTerms &terms, int64_t leastOperations) {
  bool hasProducts = false;
  for (linalg::GenericOp op : terms.getStacked()) {
    if (!isContraction(op))
      continue;
    hasProducts = true;
    double operations = 2.0 * double(terms.size() - terms.getChoices());
    for (int64_t extent : op.getStaticLoopRanges())
      operations *= double(extent);
    if (operations < double(leastOperations))
      return false;
  }
  return hasProducts;
}

/// Whether terms are products of rows by matrices of their own.
static bool haveProducts(linalg::GenericOp sum) {
  return llvm::any_of(sum.getInputs(), [](Value input) {
    auto op = input.getDefiningOp<linalg::GenericOp>();
    return op && isContraction(op);
  });
}

/// Whether the sum that ends with an addition was changed.
static bool stackExperts(IRRewriter &rewriter, linalg::GenericOp sum,
                         Operation *root, int64_t leastOperations,
                         DecisionLog &log) {
  SmallVector<Value> terms = findTerms(root), others;
  // The summand before the terms, as the residual.
  auto isOther = [&](Value value) {
    return isa<BlockArgument>(value) ||
           value.getDefiningOp()->getName() !=
               terms.back().getDefiningOp()->getName();
  };
  if (terms.size() < 2 || isa<BlockArgument>(terms.back()))
    return false;
  llvm::copy_if(terms, std::back_inserter(others), isOther);
  llvm::erase_if(terms, isOther);
  if (terms.size() < 2)
    return false;
  EqualTerms equal(sum, terms);
  if (!equal.comparesIndex())
    return false;
  std::string reason = equal.getReason();
  if (!cast<RankedTensorType>(sum.getResult(0).getType()).hasStaticShape())
    reason = "an extent isn't known";
  if (reason.empty() && !savesEnough(equal, leastOperations))
    reason = "choosing rows saves less than the tables cost";
  linalg::GenericOp total;
  if (reason.empty()) {
    total = ExpertStacker(rewriter, equal).write(sum, terms.front());
    reason = explainOneHot(rewriter, total);
  }
  if (!reason.empty()) {
    log.missed(sum, "StackedTerms",
               "each of " + llvm::Twine(terms.size()) +
                   " terms is computed for all rows: " + reason);
    return false;
  }
  log.passed(sum, "StackedTerms",
             llvm::Twine(terms.size()) +
                 " terms that differ by a number are a sum along it");
  readSum(rewriter, sum, root, others, total.getResult(0));
  return true;
}

/// Stacks the terms of sums that compare the number of their matrix, where
/// reading few rows of the batch saves at least so many operations. Returns how
/// many sums it changed.
static unsigned stackExperts(func::FuncOp func, int64_t leastOperations) {
  SmallVector<linalg::GenericOp> ops;
  func.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
        !readsInit(op, 0) && haveProducts(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  DecisionLog log(func, "carousel-normalize-graph");
  unsigned changed = 0;
  for (linalg::GenericOp op : ops) {
    // The last addition of each sum.
    SmallVector<Operation *> roots;
    for (Operation &inner : *op.getBody())
      if (isa<arith::AddFOp>(inner) &&
          !(inner.hasOneUse() && isa<arith::AddFOp>(*inner.user_begin())))
        roots.push_back(&inner);
    for (Operation *root : roots)
      if (stackExperts(rewriter, op, root, leastOperations, log)) {
        ++changed;
        break; // the op is another one
      }
  }
  // Terms that are gone, and sums that weren't worth it.
  (void)runRegionDCE(rewriter, func->getRegions());
  return changed;
}

namespace {
struct StackExperts : public carousel::impl::StackExpertsBase<StackExperts> {
  using StackExpertsBase::StackExpertsBase;

  void runOnOperation() override {
    stacked += stackExperts(getOperation(), leastSavedOperations);
  }
};

} // namespace
