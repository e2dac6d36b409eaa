//===- SelectLibraries.cpp - products that a library computes -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-select-libraries. Analysis/Graph/LibraryProducts.h decides which
// products are calls, LibraryEpilogues.h what these compute besides, and
// LibraryCalls.h writes them.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Precision/NarrowFactors.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowRanges.h"
#include "LibraryCalls.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

namespace carousel {
#define GEN_PASS_DEF_SELECTLIBRARIES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products of a library
//===----------------------------------------------------------------------===//

static Value skipExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : value;
}

/// Whether the op adds products of its two inputs in f32 to zeros.
static bool isPlainProduct(linalg::GenericOp op) {
  std::optional<Combination> sum = findCombination(op);
  if (!sum || sum->kind != vector::CombiningKind::ADD ||
      op.getNumDpsInputs() != 2 || !sum->element.getType().isF32())
    return false;
  auto product = sum->element.getDefiningOp<arith::MulFOp>();
  TypedAttr fill = findFill(op.getDpsInits()[0]);
  if (!product || !fill || !matchPattern(fill, m_PosZeroFloat()))
    return false;
  Block &body = *op.getBlock();
  Value lhs = skipExtension(product.getLhs());
  Value rhs = skipExtension(product.getRhs());
  if (lhs != body.getArgument(0))
    std::swap(lhs, rhs);
  return lhs == body.getArgument(0) && rhs == body.getArgument(1);
}

/// Whether a factor is zero but for a range of rows, which a kernel goes along
/// alone.
static bool hasRowRange(Value factor) {
  auto op = factor.getDefiningOp<linalg::GenericOp>();
  return op && findRowRange(op);
}

/// Null where no library has the types.
static std::optional<FactorKind> findKind(linalg::GenericOp op, bool usesTF32) {
  Type lhs = getElementTypeOrSelf(op.getInputs()[0]);
  if (lhs != getElementTypeOrSelf(op.getInputs()[1]))
    return std::nullopt;
  if (lhs.isF32())
    return usesTF32 ? FactorKind::TF32 : FactorKind::F32;
  if (lhs.isF16() || lhs.isBF16())
    return FactorKind::Half;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Epilogues of a product
//===----------------------------------------------------------------------===//

/// The ops that read a product, alone: reshapes, and the last one.
static SmallVector<unsigned> findReaders(const GraphProblem &problem,
                                         unsigned product) {
  SmallVector<unsigned> readers = {product};
  do {
    const GraphOp &last = problem.ops[readers.back()];
    if (last.writes.size() != 1)
      return {};
    std::optional<unsigned> reader;
    for (auto [number, op] : llvm::enumerate(problem.ops))
      if (llvm::any_of(op.reads, [&](const GraphAccess &read) {
            return read.tensor == last.writes.front().tensor;
          })) {
        if (reader)
          return {};
        reader = number;
      }
    if (!reader)
      return {};
    readers.push_back(*reader);
  } while (problem.ops[readers.back()].kind == GraphOpKind::Host);
  readers.erase(readers.begin());
  return readers;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct SelectLibraries
    : public carousel::impl::SelectLibrariesBase<SelectLibraries> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    DecisionLog log(func, "carousel-select-libraries");
    for (const LibraryCandidate &candidate : select(func, log)) {
      writeLibraryCall(candidate, products == ProductFactors::TF32);
      ++calls;
    }
  }

  /// Compares with the groups that the graph has without libraries, where ops
  /// have copies that library calls don't read.
  std::vector<LibraryCandidate> select(func::FuncOp func, DecisionLog &log) {
    Graph graph = readGraph(func);
    if (llvm::none_of(graph.problem.ops, isContraction))
      return {};
    IRMapping mapping;
    OwningOpRef<Operation *> copy = func->clone(mapping);
    Graph grouped = rematerializeCopy(cast<func::FuncOp>(*copy), func,
                                      products == ProductFactors::TF32);
    grouped.problem.streams = streams;
    GroupPlan plan = planGroups(grouped.problem);
    std::vector<LibraryCandidate> selected;
    // The sum of two products is part of one call, which reads the other's
    // result.
    SmallPtrSet<Operation *, 4> joined;
    for (unsigned number = 0; number != graph.ops.size(); ++number) {
      auto op = dyn_cast<linalg::GenericOp>(graph.ops[number]);
      if (!op || !isContraction(graph.problem.ops[number]) ||
          !isPlainProduct(op) || llvm::any_of(op.getInputs(), hasRowRange))
        continue;
      unsigned own = llvm::find(grouped.ops, mapping.lookup<Operation *>(op)) -
                     grouped.ops.begin();
      std::optional<LibraryCandidate> candidate =
          decide(op, grouped.problem, plan, own, joined, log);
      if (!candidate)
        continue;
      for (unsigned factor : {0, 1})
        if (candidate->product.isPacked[factor])
          candidate->packed[factor] = getPackedLoops(
              graph.problem.ops[number], candidate->product, factor);
      if (linalg::GenericOp reader = findElementwiseReader(op))
        noteEpilogue(*candidate, reader, graph, joined, log);
      if (candidate->epilogue)
        joined.insert(candidate->epilogue->op);
      selected.push_back(std::move(*candidate));
    }
    return selected;
  }

  static bool isContraction(const GraphOp &op) {
    return op.kind == GraphOpKind::Contraction;
  }

  /// The op after a call is part of it, or not for a reason.
  void noteEpilogue(const LibraryCandidate &candidate, linalg::GenericOp reader,
                    const Graph &graph,
                    const SmallPtrSetImpl<Operation *> &joined,
                    DecisionLog &log) {
    const std::string &name =
        graph.problem.ops[llvm::find(graph.ops, reader) - graph.ops.begin()]
            .name;
    if (candidate.epilogue) {
      ++epilogues;
      log.passed(reader, "Epilogue",
                 "cuBLASLt computes " + name +
                     " with the product: " + candidate.epilogue->describe());
      return;
    }
    ++missedEpilogues;
    std::string refusal;
    if (joined.contains(reader))
      refusal = "another product's call does";
    else
      findEpilogue(candidate.op, candidate.product, refusal);
    log.missed(reader, "Epilogue",
               "cuBLASLt doesn't compute " + name +
                   " with the product: " + refusal);
  }

  std::optional<LibraryCandidate>
  decide(linalg::GenericOp op, const GraphProblem &problem,
         const GroupPlan &plan, unsigned number,
         const SmallPtrSetImpl<Operation *> &joined, DecisionLog &log) {
    std::optional<FactorKind> kind =
        findKind(op, products == ProductFactors::TF32);
    if (!kind)
      return std::nullopt;
    const std::string &name = problem.ops[number].name;
    std::string refusal;
    std::optional<LibraryProduct> product =
        findLibraryProduct(problem, problem.ops[number], refusal);
    if (!product) {
      log.missed(op, "Library", "no library computes " + name + ": " + refusal);
      return std::nullopt;
    }
    packFactors(problem, problem.ops[number], *product);
    auto planned = llvm::find_if(plan.groups, [&](const auto &planned) {
      return planned.group.contains(number);
    });
    // Tensors that pass through memory then aren't the rest of one kernel.
    if (*kind == FactorKind::F32 && planned->shape.stream &&
        !planned->shape.stream->hasOneTile) {
      log.missed(op, "Library",
                 "cuBLASLt doesn't compute " + name +
                     ": it is part of a stream, which keeps its elements");
      return std::nullopt;
    }
    std::optional<LibraryEpilogue> epilogue =
        findEpilogue(op, *product, refusal);
    if (epilogue && joined.contains(epilogue->op))
      epilogue.reset();
    SmallVector<unsigned> absorbed;
    if (epilogue)
      absorbed = findReaders(problem, number);
    ProductTimes times = estimateProduct(problem, planned->group, number,
                                         *product, *kind, absorbed);
    bool isFaster = times.library < times.kernel;
    int64_t copies = product->isPacked[0] + product->isPacked[1];
    std::string numbers = llvm::formatv(
        "{0:f1} us with calls: {1}, {2}further bytes through "
        "memory: {3}; a kernel takes {4:f1} us",
        times.library, product->calls,
        copies == 0 ? ""
                    : "copies of factors: " + std::to_string(copies) + ", ",
        times.extraBytes, times.kernel);
    std::optional<WidenedFactor> widened;
    if (isFaster && *kind == FactorKind::F32)
      widened = findWidenedFactor(op);
    if (widened)
      log.warned(op, "Library",
                 "cuBLASLt computes " + name + " without tensor cores: " +
                     widened->describe() + ": " + numbers,
                 {Miss::ProductWidened});
    else if (isFaster)
      log.passed(op, "Library", "cuBLASLt computes " + name + ": " + numbers);
    else
      log.missed(op, "Library",
                 "cuBLASLt doesn't compute " + name + ": " + numbers);
    if (!isFaster)
      return std::nullopt;
    return LibraryCandidate{op, std::move(*product), {}, std::move(epilogue)};
  }
};

} // namespace
