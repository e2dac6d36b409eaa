//===- SelectLibraries.cpp - products that a library computes -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-select-libraries. Analysis/Graph/LibraryProducts.h decides; this
// writes the calls.
//
//===----------------------------------------------------------------------===//

#include "../Reading/CloneCheapOps.h"
#include "../Reading/ExtentChecks.h"
#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace carousel {
#define GEN_PASS_DEF_SELECTLIBRARIES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// What a library computes
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

namespace {

struct Candidate {
  linalg::GenericOp op;
  LibraryProduct product;
  /// By factor: its loops in the order of its copy; empty if there is none.
  std::array<SmallVector<std::optional<unsigned>>, 2> packed;
};

//===----------------------------------------------------------------------===//
// Results that are rounded
//===----------------------------------------------------------------------===//

/// The readers of a product, if all round it to one type before anything else.
class RoundingReaders {
public:
  RoundingReaders(Value product, Type rounded)
      : rounded(rounded),
        areAll(rounded.getIntOrFloatBitWidth() < 32 && !product.use_empty()) {
    collect(product);
  }

  explicit operator bool() const { return areAll; }

  /// Makes them read elements that are rounded.
  void rewrite() {
    for (Value reshape : reshapes)
      reshape.setType(cast<RankedTensorType>(reshape.getType()).clone(rounded));
    for (BlockArgument element : elements) {
      for (Operation *user : llvm::make_early_inc_range(element.getUsers())) {
        user->getResult(0).replaceAllUsesWith(element);
        user->erase();
      }
      element.setType(rounded);
    }
  }

private:
  void collect(Value tensor) {
    for (OpOperand &use : tensor.getUses()) {
      Operation *user = use.getOwner();
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user)) {
        reshapes.push_back(user->getResult(0));
        collect(user->getResult(0));
        continue;
      }
      auto op = dyn_cast<linalg::GenericOp>(user);
      areAll &= op && op.isDpsInput(&use) && isRounded(op, use);
    }
  }

  bool isRounded(linalg::GenericOp op, OpOperand &use) {
    elements.push_back(op.getMatchingBlockArgument(&use));
    return llvm::all_of(elements.back().getUsers(), [&](Operation *user) {
      auto rounding = dyn_cast<arith::TruncFOp>(user);
      return rounding && rounding.getType() == rounded &&
             !rounding.getRoundingmode();
    });
  }

  Type rounded;
  bool areAll;
  SmallVector<Value> reshapes;
  SmallVector<BlockArgument> elements;
};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Writes the call of one product.
class CallWriter {
public:
  CallWriter(const Candidate &candidate, bool usesTF32)
      : op(candidate.op), candidate(candidate), usesTF32(usesTF32), builder(op),
        loc(op.getLoc()), maps(op.getIndexingMapsArray()),
        factors(op.getInputs()) {
    const LibraryProduct &product = candidate.product;
    loops = product.batches;
    for (const LibraryProduct::Run &run : {product.m, product.n, product.k})
      loops.push_back(run);
  }

  void write() {
    checkExtents();
    pack(0);
    pack(1);
    Value lhs = collapse(0), rhs = collapse(1);
    Type element = getElementTypeOrSelf(lhs);
    RoundingReaders readers(op.getResult(0), element);
    if (readers)
      readers.rewrite();
    else
      element = getElementTypeOrSelf(op.getResult(0));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, getShape());
    SmallVector<ReassociationIndices> groups = getGroups(2);
    Value empty = tensor::EmptyOp::create(
        builder, loc, collapseSizes(sizes, groups), element);
    Value result =
        LibraryMatmulOp::create(builder, getSources(), empty.getType(), lhs,
                                rhs, empty, Value(), getMaps(),
                                usesTF32 && getElementTypeOrSelf(lhs).isF32())
            .getResult();
    if (groups.size() != sizes.size())
      result = tensor::ExpandShapeOp::create(
          builder, loc,
          cast<RankedTensorType>(op.getResult(0).getType()).clone(element),
          result, groups, sizes);
    op.getResult(0).replaceAllUsesWith(result);
    op.erase();
  }

private:
  /// For the package, as of launches.
  Location getSources() {
    return FusedLoc::get({loc}, builder.getStringAttr("library"),
                         builder.getContext());
  }

  /// What has the result's extents.
  Value getShape() {
    Value init = op.getDpsInits()[0];
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      return fill.getOutputs()[0];
    return init;
  }

  void checkExtents() {
    ExtentChecks checks(builder, loc, "in a product");
    for (unsigned input : {0, 1})
      for (auto [dim, loop] : llvm::enumerate(maps[input].getResults()))
        checks.add(cast<AffineDimExpr>(loop).getPosition(),
                   op.getInputs()[input], dim);
    for (auto [dim, size] :
         llvm::enumerate(tensor::getMixedSizes(builder, loc, getShape())))
      checks.add(maps[2].getDimPosition(dim), size,
                 "dimension " + std::to_string(dim) + " of the result");
  }

  /// Copies a factor to the order in which batches come first.
  void pack(unsigned input) {
    if (candidate.packed[input].empty())
      return;
    SmallVector<OpFoldResult> given =
        tensor::getMixedSizes(builder, loc, factors[input]);
    unsigned rank = given.size();
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> places(rank), packedLoops;
    for (auto [dim, loop] : llvm::enumerate(candidate.packed[input])) {
      AffineExpr expr = builder.getAffineDimExpr(*loop);
      unsigned from = *maps[input].getResultPosition(expr);
      sizes.push_back(given[from]);
      places[from] = builder.getAffineDimExpr(dim);
      packedLoops.push_back(expr);
    }
    Value empty = tensor::EmptyOp::create(builder, loc, sizes,
                                          getElementTypeOrSelf(factors[input]));
    AffineMap copyMaps[] = {
        AffineMap::get(rank, 0, places, builder.getContext()),
        builder.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    factors[input] = linalg::GenericOp::create(
                         builder, loc, empty.getType(), factors[input], empty,
                         copyMaps, kinds,
                         [](OpBuilder &body, Location at, ValueRange elements) {
                           linalg::YieldOp::create(body, at, elements.front());
                         })
                         .getResult(0);
    maps[input] = AffineMap::get(maps[input].getNumDims(), 0, packedLoops,
                                 builder.getContext());
  }

  /// The dimensions of a tensor along each of the call's loops, in the tensor's
  /// order.
  SmallVector<ReassociationIndices> getGroups(unsigned tensor) {
    SmallVector<ReassociationIndices> groups;
    std::optional<size_t> last;
    for (int64_t dim = 0; dim < maps[tensor].getNumResults(); ++dim) {
      size_t loop = findLoop(maps[tensor].getDimPosition(dim));
      if (loop != last)
        groups.emplace_back();
      groups.back().push_back(dim);
      last = loop;
    }
    return groups;
  }

  size_t findLoop(unsigned loop) const {
    return llvm::find_if(loops,
                         [&](const LibraryProduct::Run &run) {
                           return llvm::is_contained(run, loop);
                         }) -
           loops.begin();
  }

  Value collapse(unsigned input) {
    Value tensor = factors[input];
    SmallVector<ReassociationIndices> groups = getGroups(input);
    if (int64_t(groups.size()) == maps[input].getNumResults())
      return tensor;
    return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  }

  SmallVector<OpFoldResult>
  collapseSizes(ArrayRef<OpFoldResult> sizes,
                ArrayRef<ReassociationIndices> groups) {
    SmallVector<OpFoldResult> collapsed;
    for (const ReassociationIndices &dims : groups) {
      AffineExpr product = builder.getAffineConstantExpr(1);
      SmallVector<OpFoldResult> factors;
      for (int64_t dim : dims) {
        product = product * builder.getAffineSymbolExpr(factors.size());
        factors.push_back(sizes[dim]);
      }
      collapsed.push_back(affine::makeComposedFoldedAffineApply(
          builder, loc, product, factors));
    }
    return collapsed;
  }

  ArrayAttr getMaps() {
    SmallVector<AffineMap> wanted;
    for (unsigned tensor = 0; tensor < 3; ++tensor) {
      SmallVector<AffineExpr> exprs;
      for (const ReassociationIndices &dims : getGroups(tensor))
        exprs.push_back(builder.getAffineDimExpr(
            findLoop(maps[tensor].getDimPosition(dims.front()))));
      wanted.push_back(AffineMap::get(loops.size(), /*symbolCount=*/0, exprs,
                                      builder.getContext()));
    }
    return builder.getAffineMapArrayAttr(wanted);
  }

  linalg::GenericOp op;
  const Candidate &candidate;
  bool usesTF32;
  OpBuilder builder;
  Location loc;
  SmallVector<AffineMap> maps;
  SmallVector<Value> factors;
  std::vector<LibraryProduct::Run> loops; ///< of the call: those of the op
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct SelectLibraries
    : public carousel::impl::SelectLibrariesBase<SelectLibraries> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (products != "exact" && products != "tf32") {
      func.emitError("expected exact or tf32 for products, got '")
          << products << "'";
      return signalPassFailure();
    }
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    for (const Candidate &candidate : select(func)) {
      CallWriter(candidate, products == "tf32").write();
      ++calls;
    }
  }

  /// Compares with the groups that the graph has without libraries.
  std::vector<Candidate> select(func::FuncOp func) {
    OwningOpRef<func::FuncOp> copy = func.clone();
    cloneCheapOps(*copy);
    Graph trial = readGraph(*copy);
    SmallVector<unsigned> trialProducts = findProducts(trial);
    if (trialProducts.empty())
      return {};
    GroupPlan plan = planGroups(trial.problem);
    // Products have no copies.
    Graph graph = readGraph(func);
    std::vector<Candidate> selected;
    for (auto [trialNumber, number] :
         llvm::zip_equal(trialProducts, findProducts(graph))) {
      auto op = dyn_cast<linalg::GenericOp>(graph.ops[number]);
      if (op && isPlainProduct(op))
        if (std::optional<LibraryProduct> product =
                decide(op, trial.problem, plan, trialNumber))
          selected.push_back(makeCandidate(op, std::move(*product),
                                           graph.problem.ops[number]));
    }
    return selected;
  }

  static Candidate makeCandidate(linalg::GenericOp op, LibraryProduct product,
                                 const GraphOp &node) {
    Candidate candidate{op, std::move(product), {}};
    for (unsigned factor : {0, 1})
      if (candidate.product.isPacked[factor])
        candidate.packed[factor] =
            getPackedLoops(node, candidate.product, factor);
    return candidate;
  }

  static SmallVector<unsigned> findProducts(const Graph &graph) {
    SmallVector<unsigned> found;
    for (auto [number, op] : llvm::enumerate(graph.problem.ops))
      if (op.kind == GraphOpKind::Contraction)
        found.push_back(number);
    return found;
  }

  std::optional<LibraryProduct> decide(linalg::GenericOp op,
                                       const GraphProblem &problem,
                                       const GroupPlan &plan, unsigned number) {
    std::optional<FactorKind> kind = findKind(op, products == "tf32");
    if (!kind)
      return std::nullopt;
    auto options = remark::RemarkOpts::name("Library")
                       .category("carousel-select-libraries")
                       .function(getOperation().getName());
    const std::string &name = problem.ops[number].name;
    std::string refusal;
    std::optional<LibraryProduct> product =
        findLibraryProduct(problem.ops[number], refusal);
    if (!product) {
      remark::missed(op.getLoc(), options)
          << remark::add("no library computes {0}: {1}", name, refusal);
      return std::nullopt;
    }
    packFactors(problem, problem.ops[number], *product);
    auto planned = llvm::find_if(plan.groups, [&](const auto &planned) {
      return planned.group.contains(number);
    });
    ProductTimes times =
        estimateProduct(problem, planned->group, number, *product, *kind);
    bool isFaster = times.library < times.kernel;
    int64_t copies = product->isPacked[0] + product->isPacked[1];
    std::string numbers = llvm::formatv(
        "{0:f1} us with calls: {1}, {2}further bytes through "
        "memory: {3}; a kernel takes {4:f1} us",
        times.library, product->calls,
        copies == 0 ? ""
                    : "copies of factors: " + std::to_string(copies) + ", ",
        times.extraBytes, times.kernel);
    if (isFaster)
      remark::passed(op.getLoc(), options)
          << remark::add("cuBLASLt computes {0}: {1}", name, numbers);
    else
      remark::missed(op.getLoc(), options)
          << remark::add("cuBLASLt doesn't compute {0}: {1}", name, numbers);
    return isFaster ? std::move(product) : std::nullopt;
  }
};

} // namespace
