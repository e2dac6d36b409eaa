//===- FusedOps.cpp - which ops of a graph become one ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FusedOps.h.
//
//===----------------------------------------------------------------------===//

#include "FusedOps.h"

#include "ReadConvolution.h"
#include "ReadGraph.h"
#include "ReadScan.h"
#include "RowUpdates.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

bool carousel::isWindow(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && (linalg::isaConvolutionOpInterface(structured) ||
                        hasWindows(structured));
}

bool carousel::isCopy(linalg::GenericOp op) {
  if (op.getNumDpsInputs() == 0 && op.getNumDpsInits() == 1)
    return llvm::hasSingleElement(*op.getBody());
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1)
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  return yield.getValues().front() == op.getBody()->getArgument(0);
}

llvm::SmallBitVector carousel::findIdleLoops(linalg::GenericOp op) {
  llvm::SmallBitVector idle(op.getNumLoops());
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel)
    if (extents[loop] != 1 &&
        llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
          return op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
        }))
      idle.set(loop);
  op.getBody()->walk(
      [&](linalg::IndexOp index) { idle.reset(index.getDim()); });
  return idle;
}

bool carousel::isOfIndices(linalg::GenericOp op) {
  // As many as a hash of an index and a seed has, which costs as much as to
  // read and write what it says.
  constexpr unsigned kFew = 40;
  auto isFree = [](Operation &inner) {
    return isa<linalg::IndexOp, arith::IndexCastOp, arith::TruncIOp,
               arith::ConstantOp>(inner);
  };
  // One element for all iterations.
  auto isNumber = [](Operation &inner) {
    auto element = dyn_cast<tensor::ExtractOp>(inner);
    return element && llvm::all_of(element.getIndices(), [](Value index) {
             return matchPattern(index, m_Constant());
           });
  };
  Block::OpListType::iterator end = std::prev(op.getBody()->end());
  auto inner = llvm::make_range(op.getBody()->begin(), end);
  return op.getNumDpsInputs() == 0 && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() == 0 &&
         op.getBody()->getArgument(0).use_empty() &&
         llvm::range_size(llvm::make_filter_range(
             inner, [&](Operation &one) { return !isFree(one); })) <= kFew &&
         llvm::all_of(inner, [&](Operation &one) {
           return isa<linalg::IndexOp, affine::AffineApplyOp>(one) ||
                  isNumber(one) ||
                  (isa<arith::ArithDialect>(one.getDialect()) &&
                   !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                        arith::RemUIOp, arith::DivFOp, arith::RemFOp>(one));
         });
}

static bool isHeavy(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && (isContraction(structured) || isWindow(op));
}

/// Bodies are copied with each op that is fused, which takes time with the
/// square of a chain. Groups have longer ones as several ops.
static bool areLong(linalg::GenericOp producer, Operation *consumer) {
  constexpr size_t kMostOps = 512;
  auto structured = dyn_cast<linalg::GenericOp>(consumer);
  return structured && llvm::range_size(*producer.getBody()) +
                               llvm::range_size(*structured.getBody()) >
                           kMostOps;
}

bool carousel::isPointwise(Operation *op) {
  auto structured = dyn_cast_if_present<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0;
}

/// Finds the op that computes a tensor that is reshaped and copied.
static Operation *findSource(Value tensor) {
  Operation *source = tensor.getDefiningOp();
  while (source) {
    auto op = dyn_cast<linalg::GenericOp>(source);
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(source) &&
        !(op && op.getNumDpsInputs() == 1 && isCopy(op)))
      break;
    source = source->getOperand(0).getDefiningOp();
  }
  return source;
}

bool carousel::isCheap(linalg::GenericOp producer) {
  constexpr unsigned kMostOps = 8;
  // Memory has what others read of it.
  if (findRowUpdate(producer))
    return false;
  if (!isa<FloatType>(getElementTypeOrSelf(producer.getResult(0))))
    return true;
  unsigned count = 0;
  producer.getBody()->walk([&](Operation *op) {
    count += isa<math::MathDialect>(op->getDialect()) ? kMostOps : 1;
  });
  return count <= kMostOps &&
         llvm::none_of(producer.getInputs(), [](Value input) {
           auto op = dyn_cast_if_present<linalg::GenericOp>(findSource(input));
           return isPointwise(op) && op.getNumDpsInputs() != 0;
         });
}

bool carousel::areMany(linalg::GenericOp op,
                       const llvm::SmallBitVector &loops) {
  constexpr int64_t kMany = 16;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t count = 1;
  for (unsigned loop : loops.set_bits())
    if (count < kMany)
      count *= ShapedType::isDynamic(extents[loop]) ? kMany : extents[loop];
  return count >= kMany;
}

/// Whether many iterations of an op read the same element of an operand.
static bool isRepeated(OpOperand *operand) {
  auto op = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!op || !op.isDpsInput(operand))
    return false;
  return areMany(op,
                 getUnusedDimsBitVector(op.getMatchingIndexingMap(operand)));
}

/// Whether one op reads it, beside dead ones that were fused before.
static bool hasOneReader(Operation *op) {
  Operation *reader = nullptr;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    bool isOther = reader && user != reader && !isOpTriviallyDead(user);
    if (!isOpTriviallyDead(user))
      reader = user;
    return !isOther;
  });
}

/// The products that elementwise ops compute values from, if nothing else reads
/// what is between.
static SmallVector<linalg::LinalgOp> findProducts(SmallVector<Value> values) {
  constexpr size_t kMostValues = 64;
  SmallVector<linalg::LinalgOp> products;
  for (size_t next = 0; next < std::min(values.size(), kMostValues); ++next) {
    Operation *op = values[next].getDefiningOp();
    if (op && isHeavy(op))
      products.push_back(cast<linalg::LinalgOp>(op));
    else if (isPointwise(op) && hasOneReader(op))
      llvm::append_range(values, cast<linalg::LinalgOp>(op).getDpsInputs());
  }
  return products;
}

/// Whether an op narrows products that have nothing to do with those that the
/// consumer's other operands are computed from: each is rounded by its own
/// kernel, and not in memory wide.
static bool roundsOther(linalg::GenericOp producer, OpOperand *operand) {
  auto getBits = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  SmallVector<linalg::LinalgOp> own = findProducts(producer.getInputs());
  if (llvm::none_of(own, [&](linalg::LinalgOp product) {
        return getBits(product->getResult(0)) > getBits(operand->get());
      }))
    return false;
  SmallVector<Value> values;
  for (OpOperand &other : operand->getOwner()->getOpOperands())
    if (&other != operand)
      values.push_back(other.get());
  SmallVector<linalg::LinalgOp> others = findProducts(values);
  return !others.empty() && llvm::none_of(own, [&](linalg::LinalgOp product) {
    return llvm::any_of(others, [&](linalg::LinalgOp other) {
      return llvm::any_of(other.getDpsInputs(), [&](Value factor) {
        return llvm::is_contained(product.getDpsInputs(), factor);
      });
    });
  });
}

/// Whether many elements are divided by one that may replace another, as a sum
/// of nothing. It stays a row of its own: an online reduction has corrections
/// by rows, but none by what a body chooses.
static bool isChosenDivisor(linalg::GenericOp producer, OpOperand *operand) {
  auto op = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return op &&
         llvm::any_of(op.getMatchingBlockArgument(operand).getUses(),
                      [](OpOperand &use) {
                        return isa<arith::DivFOp>(use.getOwner()) &&
                               use.getOperandNumber() == 1;
                      }) &&
         !producer.getBody()->getOps<arith::SelectOp>().empty();
}

static bool shallFuse(OpOperand *operand) {
  // The loop of a sort's places is the one that no operand has.
  auto sort = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (sort && findSort(sort))
    return false;
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!producer)
    return true; // constants, and fills of them
  Operation *consumer = operand->getOwner();
  if (isHeavy(producer))
    return false;
  if (isCopy(producer))
    return true;
  // Its readers take the copy, and what it copies is computed once.
  auto copy = dyn_cast<linalg::GenericOp>(consumer);
  if (copy && isCopy(copy) && !isOfIndices(producer) &&
      findIdleLoops(copy).any())
    return false;
  if (isRepeated(operand) &&
      (!isCheap(producer) || isChosenDivisor(producer, operand)))
    return false;
  return (producer->hasOneUse() || isOfIndices(producer)) &&
         !isHeavy(consumer) && !areLong(producer, consumer) &&
         !roundsOther(producer, operand);
}

namespace {
/// A producer that was fused is dead, but still reads the values before it. The
/// driver would erase it after it has visited the op again, so that each of its
/// iterations would fuse one op of a chain whose values have two users.
struct EraseDeadReaders : public OpRewritePattern<linalg::GenericOp> {
  explicit EraseDeadReaders(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SetVector<Operation *> dead;
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp<linalg::GenericOp>())
        for (Operation *user : operand.getUsers())
          if (user->getBlock() == op->getBlock() && isOpTriviallyDead(user))
            dead.insert(user);
    if (dead.empty())
      return rewriter.notifyMatchFailure(op,
                                         "expected operands with dead users");
    for (Operation *user : dead)
      rewriter.eraseOp(user);
    rewriter.modifyOpInPlace(op, [] {}); // to visit it again
    return success();
  }
};

} // namespace

/// Whether a reshape only adds or drops dimensions of extent 1.
static bool isOfUnits(Operation *reshape) {
  auto areUnits = [](RankedTensorType wide,
                     ArrayRef<ReassociationIndices> groups) {
    return llvm::all_of(groups, [&](const ReassociationIndices &dims) {
      return llvm::count_if(dims, [&](int64_t dim) {
               return wide.getDimSize(dim) != 1;
             }) <= 1;
    });
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return areUnits(expand.getResultType(), expand.getReassociationIndices());
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
  return collapse &&
         areUnits(collapse.getSrcType(), collapse.getReassociationIndices());
}

/// Dimensions of the side of a reshape that has more of them.
static int64_t getWideRank(Operation *reshape) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return expand.getResultType().getRank();
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
  return collapse ? collapse.getSrcType().getRank() : 0;
}

/// Reshapes move to arguments and results, where they cost nothing. Those of
/// extents of 1 would bring these back, and move as far as dimensions of
/// windows, which keep theirs, but those of arguments, such as weights of one
/// element, don't move at all. Where reshapes that move up and down meet and
/// don't cancel, each adds dimensions of extent 1, without end but for a limit.
static bool shallExpand(OpOperand *operand, int64_t windowRank) {
  constexpr int64_t kMostDims = 8; // of a kernel's argument
  Operation *producer = operand->get().getDefiningOp();
  auto isArgument = [](Operation *op) {
    return isa<tensor::CollapseShapeOp>(op) &&
           isa<BlockArgument>(op->getOperand(0));
  };
  auto isScan = [](Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    return structured &&
           (hasScannedResults(structured) || findSort(structured));
  };
  // The loop of a scan or sort is one.
  if (!producer || isWindow(operand->getOwner()) || isWindow(producer) ||
      isScan(operand->getOwner()) || isScan(producer))
    return false;
  int64_t rank =
      std::max(getWideRank(operand->getOwner()), getWideRank(producer));
  bool isUnit = isOfUnits(operand->getOwner()) || isOfUnits(producer);
  return isUnit ? rank <= windowRank && !isArgument(producer)
                : rank <= kMostDims;
}

void carousel::populateFusedOpPatterns(RewritePatternSet &patterns,
                                       int64_t windowRank) {
  linalg::populateElementwiseOpsFusionPatterns(patterns, shallFuse);
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [windowRank](OpOperand *operand) {
        return shallExpand(operand, windowRank);
      });
  patterns.add<EraseDeadReaders>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// An op with what computes its operand
//===----------------------------------------------------------------------===//

/// Upstream's fusion computes the numbers of a producer's loops from those of
/// all loops.
static void foldLoopIndices(RewriterBase &rewriter, linalg::GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(
           op.getBody()->getOps<affine::AffineApplyOp>()))
    if (auto dim = dyn_cast<AffineDimExpr>(apply.getAffineMap().getResult(0)))
      rewriter.replaceOp(apply, apply.getMapOperands()[dim.getPosition()]);
}

FailureOr<linalg::GenericOp> carousel::fuseProducer(RewriterBase &rewriter,
                                                    linalg::GenericOp op,
                                                    OpOperand &input) {
  OpBuilder::InsertionGuard guard(rewriter);
  auto producer = input.get().getDefiningOp<linalg::GenericOp>();
  if (!producer)
    return failure();
  // With a user of its own, no result of it is kept.
  Value original = input.get();
  rewriter.setInsertionPoint(op);
  auto own = cast<linalg::GenericOp>(rewriter.clone(*producer));
  unsigned result = cast<OpResult>(original).getResultNumber();
  rewriter.modifyOpInPlace(op, [&] { input.set(own.getResult(result)); });
  FailureOr<linalg::ElementwiseOpFusionResult> fused = failure();
  rewriter.setInsertionPointAfter(op);
  if (linalg::areElementwiseOpsFusable(&input))
    fused = linalg::fuseElementwiseOps(rewriter, &input);
  rewriter.modifyOpInPlace(op, [&] { input.set(original); });
  rewriter.eraseOp(own);
  if (failed(fused))
    return failure();
  auto all = cast<linalg::GenericOp>(fused->fusedOp);
  foldLoopIndices(rewriter, all);
  return all;
}

//===----------------------------------------------------------------------===//
// Elementwise ops for each user
//===----------------------------------------------------------------------===//

/// Instructions that cost less than to bring an element from memory again.
static constexpr int64_t kMostWork = 8;
/// The same of a copy and those that it reads. It bounds chains of copies.
static constexpr int64_t kMostWorkOfCopies = 2 * kMostWork;

static bool isCheap(const GraphProblem &problem, const GraphOp &op) {
  if (op.kind != GraphOpKind::Elementwise || op.work > kMostWork ||
      op.writes.size() != 1)
    return false;
  int64_t read = 0;
  for (const GraphAccess &access : op.reads)
    read += problem.tensors[access.tensor].getBytes();
  // A row or column beside a matrix doesn't count.
  int64_t written = problem.tensors[op.writes.front().tensor].getBytes();
  return read <= written + written / 16;
}

/// Whether only ops read it; others need it in memory, and ops read it there.
static bool isReadByOpsOnly(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<linalg::LinalgOp>(user->getParentOp()) ||
           isa<linalg::LinalgOp>(user);
  });
}

/// The ops of which each user gets a copy. The work of a copy includes that of
/// the copies that it reads: in a chain of ops with two users, each copy would
/// compute all ops before it again.
static llvm::BitVector findCopied(const Graph &graph) {
  const GraphProblem &problem = graph.problem;
  llvm::BitVector copied(problem.ops.size());
  llvm::DenseMap<unsigned, int64_t> workOf; // by tensor
  for (auto [number, op] : llvm::enumerate(problem.ops)) {
    if (!isCheap(problem, op) || !isReadByOpsOnly(graph.ops[number]))
      continue;
    int64_t work = std::max<int64_t>(op.work, 1);
    for (const GraphAccess &access : op.reads)
      work += workOf.lookup(access.tensor);
    if (work > kMostWorkOfCopies)
      continue;
    copied.set(number);
    workOf[op.writes.front().tensor] = work;
  }
  return copied;
}

/// The tensors that sums along pixels read. Those of the same pixels are one
/// kernel, which one copy is for.
using SumFactors = std::pair<unsigned, unsigned>; // tensors
using WgradSums = llvm::SmallDenseMap<Operation *, SumFactors>;

static WgradSums findWgradSums(const Graph &graph) {
  WgradSums sums;
  for (auto [op, problem] : llvm::zip_equal(graph.ops, graph.problem.ops))
    if (problem.kind == GraphOpKind::Stencil && problem.isWgrad())
      sums[op] = {problem.reads[0].tensor, problem.reads[1].tensor};
  return sums;
}

unsigned carousel::rematerializeCheapOps(func::FuncOp func) {
  Graph graph = readGraph(func);
  llvm::BitVector copied = findCopied(graph);
  WgradSums sums = findWgradSums(graph);
  unsigned clones = 0;
  // Users before producers: what a copy reads has a user more.
  for (size_t number = graph.ops.size(); number-- != 0;) {
    if (!copied.test(number))
      continue;
    Operation *op = graph.ops[number];
    // Those that read elements at indices, as of a table, have it in memory.
    auto isFusible = llvm::IsaPred<linalg::LinalgOp>;
    llvm::SetVector<Operation *> users;
    users.insert_range(llvm::make_filter_range(op->getUsers(), isFusible));
    bool isInMemory = !llvm::all_of(op->getUsers(), isFusible);
    llvm::SmallDenseMap<SumFactors, Operation *> ofSums;
    for (Operation *user : users) {
      auto sum = sums.find(user);
      Operation *copy =
          sum == sums.end() ? nullptr : ofSums.lookup(sum->second);
      if (!copy) {
        bool takesOwn = user == users.front() && !isInMemory;
        copy = takesOwn ? op : OpBuilder(op).clone(*op);
        clones += copy != op;
      }
      if (sum != sums.end())
        ofSums[sum->second] = copy;
      if (copy != op)
        op->replaceUsesWithIf(
            copy, [&](OpOperand &use) { return use.getOwner() == user; });
    }
  }
  return clones;
}

Graph carousel::rematerializeCopy(func::FuncOp copy, func::FuncOp original,
                                  bool usesTF32) {
  rematerializeCheapOps(copy);
  Graph graph = readGraph(copy);
  graph.problem.chip = readGraph(original).problem.chip; // it has a module
  graph.problem.usesTF32 = usesTF32;
  return graph;
}
