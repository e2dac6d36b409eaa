//===- SplitOnlineReductions.cpp - split online reductions ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-split-online-reductions. Analysis/Graph/SplitOnlineReduction.h
// chooses the products, and OnlineReductionSplitter.h writes the ops.
//
// The normal form has no dimensions of one element. So what attention computes
// of one query, as decoding does, are sums, and no products of matrices, which
// online reductions have. Ops from the one sum to the other get a dimension of
// one row where they become an online reduction.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/GatheredElements.h"
#include "../Reading/FusedOps.h"
#include "../Reading/GreedyRewrites.h"
#include "../Shapes/Patterns.h"
#include "OnlineReductionSplitter.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_SPLITONLINEREDUCTIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// One row
//===----------------------------------------------------------------------===//
// The loops of the batch come first in all ops, and the row's loop follows
// them. Whether the ops are an online reduction is found on a copy.

namespace {

/// Ops from a sum of a row by a matrix to a sum of weights by another one.
struct DecodeChain {
  linalg::GenericOp first, last;
  llvm::SmallSetVector<Operation *, 16> ops; ///< in the order of the block
  unsigned batch = 0;                        ///< the loops before the row's
};

} // namespace

/// Whether a map begins with the loops of the batch, in their order.
static bool hasBatch(AffineMap map, unsigned batch) {
  if (map.getNumResults() < batch || !map.isProjectedPermutation())
    return false;
  for (unsigned dim = 0; dim != batch; ++dim)
    if (map.getDimPosition(dim) != dim)
      return false;
  return true;
}

/// The input of a sum along its last loop that lacks the loop before it, and
/// no other one. The other input has all loops.
static OpOperand *findRow(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  if (op.getNumDpsInputs() != 2 || op.getNumResults() != 1 || loops < 2 ||
      op.getNumReductionLoops() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return nullptr;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!hasBatch(result, loops - 1))
    return nullptr;
  for (unsigned input : {0, 1}) {
    OpOperand *own = op.getDpsInputOperand(input);
    AffineMap map = op.getMatchingIndexingMap(own);
    AffineMap other =
        op.getMatchingIndexingMap(op.getDpsInputOperand(1 - input));
    if (map.getNumResults() == loops - 1 && hasBatch(map, loops - 2) &&
        map.getDimPosition(loops - 2) == loops - 1 &&
        other.getNumResults() == loops && other.isProjectedPermutation())
      return own;
  }
  return nullptr;
}

/// Elementwise ops of one input behind a chain, such as a rounding.
static void addRoundings(DecodeChain &chain) {
  for (Operation *op = chain.last; op->hasOneUse();) {
    auto user = dyn_cast<linalg::GenericOp>(*op->user_begin());
    if (!user || user.getNumDpsInputs() != 1 || user.getNumResults() != 1 ||
        user.getNumReductionLoops() != 0)
      return;
    chain.ops.insert(user);
    op = user;
  }
}

/// The ops on paths from `first` to `last`, if a row's loop can be added to all
/// of them.
static std::optional<DecodeChain> findChain(linalg::GenericOp first,
                                            linalg::GenericOp last) {
  DecodeChain chain{first, last, {}, first.getNumLoops() - 2};
  llvm::SmallPtrSet<Operation *, 16> reached = {first}, needed = {last};
  Block *block = first->getBlock();
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (reached.contains(op))
      for (Operation *user : op->getUsers())
        reached.insert(block->findAncestorOpInBlock(*user));
  for (Operation *op = last; op != first; op = op->getPrevNode())
    if (needed.contains(op))
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp())
          needed.insert(source);
  if (!reached.contains(last) || !needed.contains(first))
    return std::nullopt;
  for (Operation *op = first; op != last->getNextNode(); op = op->getNextNode())
    if (reached.contains(op) && needed.contains(op))
      chain.ops.insert(op);
  addRoundings(chain);
  for (Operation *op : chain.ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      return std::nullopt;
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      bool isOwn = generic.isDpsInit(&operand) || chain.ops.contains(source);
      if (isOwn &&
          !hasBatch(generic.getMatchingIndexingMap(&operand), chain.batch))
        return std::nullopt;
    }
  }
  return chain;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static RankedTensorType addRow(RankedTensorType type, unsigned at) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + at, 1);
  return type.clone(shape);
}

/// How the dimensions of a tensor with a row are grouped without it.
static SmallVector<ReassociationIndices> groupRow(int64_t rank, unsigned at) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim != rank; ++dim)
    groups.push_back({dim + (dim > at)});
  if (at < rank)
    groups[at] = {int64_t(at), int64_t(at) + 1};
  else if (rank != 0)
    groups.back().push_back(at);
  return groups;
}

static Value expand(OpBuilder &builder, Value tensor, unsigned at) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::ExpandShapeOp::create(builder, tensor.getLoc(),
                                       addRow(type, at), tensor,
                                       groupRow(type.getRank(), at));
}

/// An init with a row, of the same elements.
static Value addRowToInit(OpBuilder &builder, Value init, unsigned at) {
  Location loc = init.getLoc();
  if (!isa_and_present<linalg::FillOp, tensor::EmptyOp>(init.getDefiningOp()))
    return expand(builder, init, at);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, init);
  sizes.insert(sizes.begin() + at, builder.getIndexAttr(1));
  return resizeInit(builder, loc, init, sizes);
}

/// The map in loops with one more at `at`; with `hasRow`, the tensor has it.
static AffineMap addRow(AffineMap map, unsigned at, bool hasRow) {
  map = map.shiftDims(/*shift=*/1, /*offset=*/at);
  return hasRow ? map.insertResult(getAffineDimExpr(at, map.getContext()), at)
                : map;
}

static linalg::GenericOp addRow(linalg::GenericOp op, const DecodeChain &chain,
                                const IRMapping &known) {
  OpBuilder builder(op);
  unsigned at = chain.batch;
  OpOperand *own = op == chain.first ? findRow(op) : nullptr;
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = op.isDpsInit(&operand), isOwn = &operand == own;
    Value value = known.lookupOrNull(operand.get());
    bool hasRow = isInit || isOwn || value;
    if (!value)
      value = isInit  ? addRowToInit(builder, operand.get(), at)
              : isOwn ? expand(builder, operand.get(), at)
                      : operand.get();
    (isInit ? inits : inputs).push_back(value);
    if (isInit)
      types.push_back(value.getType());
    maps.push_back(addRow(op.getMatchingIndexingMap(&operand), at, hasRow));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin() + at, utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(builder, op.getLoc(), types, inputs,
                                        inits, maps, iterators);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping body;
  op.getRegion().cloneInto(&made.getRegion(), body);
  made.walk([&](linalg::IndexOp index) {
    if (index.getDim() >= at)
      index.setDim(index.getDim() + 1);
  });
  return made;
}

/// Returns the new op of the first sum.
static linalg::GenericOp rewrite(const DecodeChain &chain) {
  IRMapping known;
  linalg::GenericOp first;
  for (Operation *op : chain.ops) {
    auto old = cast<linalg::GenericOp>(op);
    linalg::GenericOp made = addRow(old, chain, known);
    if (!first)
      first = made;
    OpBuilder builder(old);
    for (auto [result, wide] :
         llvm::zip_equal(old.getResults(), made.getResults())) {
      known.map(result, wide);
      auto type = cast<RankedTensorType>(result.getType());
      if (llvm::all_of(result.getUsers(), [&](Operation *user) {
            return chain.ops.contains(user);
          }))
        continue;
      Value narrow = tensor::CollapseShapeOp::create(
          builder, op->getLoc(), type, wide,
          groupRow(type.getRank(), chain.batch));
      result.replaceUsesWithIf(narrow, [&](OpOperand &use) {
        return !chain.ops.contains(use.getOwner());
      });
    }
  }
  for (Operation *op : llvm::reverse(chain.ops))
    op->erase();
  return first;
}

/// Whether the ops of a chain are an online reduction once they have a row;
/// otherwise the reason.
static bool becomesOnlineReduction(func::FuncOp func, const DecodeChain &chain,
                                   bool usesTF32, std::string &reason) {
  IRMapping mapping;
  OwningOpRef<Operation *> copy = func->clone(mapping);
  auto find = [&](linalg::GenericOp op) {
    return cast<linalg::GenericOp>(mapping.lookup<Operation *>(op));
  };
  linalg::GenericOp first =
      rewrite(*findChain(find(chain.first), find(chain.last)));
  Graph graph = rematerializeCopy(cast<func::FuncOp>(*copy), func, usesTF32);
  unsigned number = llvm::find(graph.ops, first) - graph.ops.begin();
  std::vector<OnlineRefusal> refusals;
  std::vector<OnlineSeed> seeds = findOnlineReductions(graph.problem, refusals);
  for (const OnlineRefusal &refusal : refusals)
    if (refusal.from == number)
      reason = refusal.reason;
  return llvm::any_of(seeds, [&](const OnlineSeed &seed) {
    return llvm::is_contained(seed.ops, number);
  });
}

/// Gives a row to all ops between two sums that are an online reduction then.
/// Returns how many online reductions there are, and logs why others are none.
static unsigned addDecodeRows(func::FuncOp func, bool usesTF32,
                              DecisionLog &log) {
  unsigned streams = 0;
  SmallVector<linalg::GenericOp> rows;
  for (auto op : func.getBody().front().getOps<linalg::GenericOp>())
    if (findRow(op))
      rows.push_back(op);
  while (!rows.empty()) {
    linalg::GenericOp first = rows.front();
    rows.erase(rows.begin());
    for (linalg::GenericOp last : rows) {
      if (last.getNumLoops() != first.getNumLoops())
        continue;
      std::optional<DecodeChain> chain = findChain(first, last);
      if (!chain || chain->ops.size() == 2)
        continue;
      std::string reason;
      if (becomesOnlineReduction(func, *chain, usesTF32, reason)) {
        log.passed(first, "Row",
                   "one row is a matrix with which a stream is computed");
        llvm::erase_if(rows, [&](linalg::GenericOp op) {
          return chain->ops.contains(op);
        });
        rewrite(*chain);
        ++streams;
      } else if (!reason.empty()) {
        log.missed(last, "Row",
                   "one row isn't computed in one pass: " + reason);
      }
      break;
    }
  }
  return streams;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct SplitOnlineReductions
    : public carousel::impl::SplitOnlineReductionsBase<SplitOnlineReductions> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    picked += sumGatheredElements(func, tiledElements);
    DecisionLog log(func, "carousel-split-online-reductions");
    rows += addDecodeRows(func, products == ProductFactors::TF32, log);
    bool isChanged = false;
    for (;;) {
      FailureOr<bool> wasDivided = divideOne(func, log);
      if (failed(wasDivided))
        return signalPassFailure();
      if (!*wasDivided)
        break;
      ++divided;
      isChanged = true;
    }
    if (isChanged && failed(simplify(func)))
      signalPassFailure();
  }

private:
  /// Divides an online reduction. If there is none, says why others aren't
  /// divided.
  FailureOr<bool> divideOne(func::FuncOp func, DecisionLog &log) {
    Graph graph = readGraph(func);
    graph.problem.usesTF32 = products == ProductFactors::TF32;
    std::vector<OnlineRefusal> refusals;
    IRRewriter rewriter(&getContext());
    for (const SplitOnlineReduction &stream : findSplitOnlineReductions(
             graph.problem, tiledElements, libraries, refusals)) {
      unsigned from = stream.group.ops.front(), to = stream.group.ops.back();
      if (std::string reason = explainUndivided(graph, stream, rewriter);
          !reason.empty()) {
        refusals.push_back({from, to, reason});
        continue;
      }
      std::string columns = std::to_string(stream.columns), rest;
      int64_t left =
          stream.shape.dims[stream.shape.stream->dim].extent % stream.columns;
      if (left != 0)
        rest = " and a rest of " + std::to_string(left);
      log.passed(graph.ops[from], "Stream",
                 name(graph, from) + " and " + name(graph, to) +
                     " are by tiles of " + columns + " columns" + rest +
                     ", and what tiles have is corrected and combined",
                 {{"Columns", columns}});
      if (failed(splitOnlineReduction(graph, stream, rewriter)))
        return failure();
      return true;
    }
    for (const OnlineRefusal &refusal : refusals)
      log.missed(
          graph.ops[refusal.to], "Stream",
          name(graph, refusal.from) + " and " + name(graph, refusal.to) +
              " aren't by tiles: " + refusal.reason,
          {{"From", name(graph, refusal.from)}, {"Reason", refusal.reason}});
    return false;
  }

  static const std::string &name(const Graph &graph, unsigned op) {
    return graph.problem.ops[op].name;
  }

  /// Simplifies corrections, which read more than they need.
  static LogicalResult simplify(func::FuncOp func) {
    RewritePatternSet patterns(func.getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::populateInlineConstantOperandsPatterns(patterns);
    return rewriteGreedily(func, std::move(patterns));
  }
};

} // namespace
