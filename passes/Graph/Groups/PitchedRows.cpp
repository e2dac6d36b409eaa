//===- PitchedRows.cpp - rows of factors at multiples of 16 bytes ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PitchedRows.h. LibraryProducts.h decides.
//
//===----------------------------------------------------------------------===//

#include "PitchedRows.h"

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;
using bufferization::MaterializeInDestinationOp;

namespace {

class RowPitcher {
public:
  RowPitcher(Graph &graph, const GroupPlan &plan, DecisionLog &log)
      : graph(graph), problem(graph.problem), plan(plan), log(log) {}

  SmallVector<Operation *> run() {
    for (const PlannedGroup &planned : plan.groups)
      for (unsigned op : planned.group.ops)
        if (problem.ops[op].kind == GraphOpKind::Contraction)
          visit(planned.group, op);
    return std::move(copies);
  }

private:
  void visit(const OpGroup &group, unsigned op) {
    const GraphOp &product = problem.ops[op];
    FactorPitches pitches =
        planPitches(problem, group, getFactorKind(problem, product), product);
    for (unsigned factor : {0u, 1u}) {
      if (!pitches.isPitched[factor])
        continue;
      unsigned tensor = product.reads[factor].tensor;
      bool isCopied = pitches.isCopied[factor];
      Value &pitched = isCopied ? copied[tensor] : written[tensor];
      std::string refusal;
      if (!pitched && !canPitch(tensor, op, isCopied, refusal)) {
        log.missed(graph.ops[op], "Pitch", describe(op, factor) + refusal);
        continue;
      }
      if (!pitched)
        pitched = pitch(tensor, isCopied);
      Value value = graph.tensors[tensor];
      value.replaceUsesWithIf(pitched, [&](OpOperand &use) {
        return isCopied ? use.getOwner() == graph.ops[op]
                        : use.getOwner() != pitched.getDefiningOp() &&
                              isOfOtherGroup(use.getOwner(), tensor);
      });
      log.passed(graph.ops[op], "Pitch",
                 describe(op, factor) +
                     llvm::formatv(
                         "{0} with gaps to multiples of {3} bytes, for tensor "
                         "copies: {1:f1} us, and {2:f1} us without",
                         isCopied ? "a kernel copies them"
                                  : "their kernel writes them",
                         pitches.product + pitches.copies, pitches.unpitched,
                         kPitchedBytes)
                         .str());
    }
  }

  std::string describe(unsigned op, unsigned factor) const {
    const GraphTensor &tensor =
        problem.tensors[problem.ops[op].reads[factor].tensor];
    return llvm::formatv("the {0} factor of {1} has rows of {2} bytes: ",
                         factor == 0 ? "first" : "second", problem.ops[op].name,
                         tensor.extents.back() * tensor.elementBytes);
  }

  /// Whether the kernels of the tensor can have gaps between its rows. Notes
  /// these in the problem, unless the tensor is copied.
  bool canPitch(unsigned number, unsigned product, bool isCopied,
                std::string &refusal) {
    GraphTensor &tensor = problem.tensors[number];
    size_t rank = tensor.extents.size();
    // So that types show which dimensions are next to each other.
    if (llvm::is_contained(ArrayRef(tensor.extents).drop_front(),
                           kUnknownExtent)) {
      refusal = "the launch says how far apart its matrices are";
      return false;
    }
    GraphTensor before = tensor;
    tensor.gaps.resize(rank, false);
    tensor.gaps[rank - 2] = true;
    tensor.rowAlignment = 16;
    auto hasKernel = [&](const PlannedGroup &planned) {
      if (!isCopied ? !hasAccess(planned.group, number)
                    : !planned.group.contains(product))
        return true;
      GroupShapeResult result = computeGroupShape(problem, planned.group);
      refusal =
          result.shape
              ? scheduleGroup(problem, planned.group, *result.shape).refusal
              : result.refusal;
      return refusal.empty();
    };
    bool canHaveGaps = llvm::all_of(plan.groups, hasKernel);
    if (!canHaveGaps || isCopied)
      tensor = before;
    return canHaveGaps;
  }

  bool hasAccess(const OpGroup &group, unsigned tensor) const {
    auto isOfTensor = [&](const GraphAccess &access) {
      return access.tensor == tensor;
    };
    return llvm::any_of(group.ops, [&](unsigned op) {
      return llvm::any_of(problem.ops[op].reads, isOfTensor) ||
             llvm::any_of(problem.ops[op].writes, isOfTensor);
    });
  }

  /// A cheap op may be in several groups, of which each has a copy: a reader
  /// and the op that writes are of one group, or of none.
  bool isOfOtherGroup(Operation *reader, unsigned tensor) const {
    unsigned writer = *problem.findWriter(tensor);
    return llvm::none_of(plan.groups, [&](const PlannedGroup &planned) {
      return planned.group.contains(writer) &&
             llvm::any_of(planned.group.ops,
                          [&](unsigned op) { return graph.ops[op] == reader; });
    });
  }

  /// The tensor in a slice of longer rows.
  Value pitch(unsigned number, bool isCopied) {
    Value value = graph.tensors[number];
    auto type = cast<RankedTensorType>(value.getType());
    Type element = type.getElementType();
    Location loc = value.getLoc();
    OpBuilder builder(value.getContext());
    SmallVector<OpFoldResult> sizes;
    if (isCopied) {
      builder.setInsertionPointAfterValue(value);
      sizes = tensor::getMixedSizes(builder, loc, value);
    } else {
      builder.setInsertionPoint(value.getDefiningOp());
      sizes = getSizes(builder, value);
    }
    int64_t elements = kPitchedBytes / problem.tensors[number].elementBytes;
    SmallVector<OpFoldResult> longer = sizes;
    longer.back() =
        builder.getIndexAttr(llvm::alignTo(type.getShape().back(), elements));
    Value rows = tensor::EmptyOp::create(builder, loc, longer, element);
    SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0)),
        ones(sizes.size(), builder.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(builder, loc, type, rows,
                                                 zeros, sizes, ones);
    if (isCopied) {
      value = copy(builder, value, sizes);
      copies.push_back(value.getDefiningOp());
    }
    builder.setInsertionPointAfterValue(value);
    return MaterializeInDestinationOp::create(builder, loc, value, slice)
        .getResult();
  }

  static Value copy(OpBuilder &builder, Value value,
                    ArrayRef<OpFoldResult> sizes) {
    auto type = cast<RankedTensorType>(value.getType());
    Value empty = tensor::EmptyOp::create(builder, value.getLoc(), sizes,
                                          type.getElementType());
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, value.getLoc(), type, value, empty,
               ArrayRef<AffineMap>{map, map}, loops,
               [](OpBuilder &body, Location loc, ValueRange elements) {
                 linalg::YieldOp::create(body, loc, elements.front());
               })
        .getResult(0);
  }

  /// The extents of what an op computes, in terms of those of its operands.
  static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Value value) {
    Location loc = value.getLoc();
    while (auto op = value.getDefiningOp<linalg::LinalgOp>())
      value = op.getTiedOpOperand(cast<OpResult>(value))->get();
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
      return empty.getMixedSizes();
    return tensor::getMixedSizes(builder, loc, value);
  }

  Graph &graph;
  GraphProblem &problem;
  const GroupPlan &plan;
  DecisionLog &log;
  /// By number of the tensor: what is put in longer rows.
  llvm::DenseMap<unsigned, Value> copied, written;
  SmallVector<Operation *> copies;
};

} // namespace

SmallVector<Operation *>
carousel::pitchRows(Graph &graph, const GroupPlan &plan, DecisionLog &log) {
  return RowPitcher(graph, plan, log).run();
}
