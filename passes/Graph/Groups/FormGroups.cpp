//===- FormGroups.cpp - ops that become one kernel ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-form-groups. Analysis/Graph/GroupPlan.h chooses the groups; this
// moves the ops of each one to a carousel.group.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Precision/NarrowFactors.h"
#include "../Reading/FusedOps.h"
#include "../Reading/GreedyRewrites.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "Donations.h"
#include "PitchedRows.h"

#include "carousel/Analysis/Graph/GroupPlan.h"
#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

namespace carousel {
#define GEN_PASS_DEF_FORMGROUPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Two ops of a group that go together along a tensor, and the number of the
/// read of it by the first one.
struct TogetherRead {
  Operation *first;
  unsigned read;
  Operation *second;
};

/// Moves ops of a function to groups.
class Outliner {
public:
  explicit Outliner(func::FuncOp func)
      : func(func), builder(func.getContext()) {}

  /// \p reads: of the ops; the group's take their places.
  GroupOp outline(ArrayRef<Operation *> ops, unsigned number,
                  MutableArrayRef<TogetherRead> reads = {}) {
    inputs.clear();
    llvm::SetVector<Operation *> moved(ops.begin(), ops.end());
    // The inits of ops are part of the group, too.
    for (size_t i = 0; i < moved.size(); ++i)
      moved[i]->walk([&](Operation *op) {
        for (Value operand : op->getOperands()) {
          Operation *source = operand.getDefiningOp();
          if (!source)
            continue;
          bool isPad = readsInsidePad(op, source);
          if (isPad || isPart(source))
            moved.insert(source);
          // Others may use the filled tensor, too.
          if (isPad)
            moved.insert(
                cast<tensor::InsertSliceOp>(source).getDest().getDefiningOp());
        }
      });
    SmallVector<Operation *> ordered(moved.begin(), moved.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : ordered)
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (!isInside(operand, moved))
            inputs.insert(operand);
      });
    SmallVector<Value> outputs;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !moved.contains(
                  func.getBody().findAncestorOpInRegion(*user));
            }))
          outputs.push_back(result);
    return write(ordered, ops, outputs, number, reads);
  }

private:
  bool isInside(Value value, const llvm::SetVector<Operation *> &moved) {
    Operation *parent = value.getDefiningOp();
    if (!parent) {
      parent = cast<BlockArgument>(value).getOwner()->getParentOp();
      if (parent == func)
        return false;
    }
    return moved.contains(func.getBody().findAncestorOpInRegion(*parent));
  }

  /// Whether an op computes numbers of numbers. Those that are indices are
  /// arguments of kernels.
  static bool computesScalars(Operation *op) {
    auto isNumber = [](Type type) { return type.isIntOrFloat(); };
    return isa_and_present<arith::ArithDialect, math::MathDialect>(
               op->getDialect()) &&
           llvm::all_of(op->getResultTypes(), isNumber) &&
           llvm::none_of(op->getOperandTypes(),
                         [](Type type) { return isa<TensorType>(type); });
  }

  /// Numbers, and tensors to write to.
  bool isPart(Operation *op) {
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>() &&
                      !isa<TensorType>(op->getResult(0).getType());
    return op->getBlock() == &func.getBody().front() &&
           (isConstant || computesScalars(op) || isa<tensor::EmptyOp>(op) ||
            isOnlyStart(op));
  }

  GroupOp write(ArrayRef<Operation *> ordered, ArrayRef<Operation *> ops,
                ArrayRef<Value> outputs, unsigned number,
                MutableArrayRef<TogetherRead> reads) {
    builder.setInsertionPoint(func.getBody().front().getTerminator());
    ValueRange passed(inputs.getArrayRef());
    auto group = GroupOp::create(
        builder, ops.front()->getLoc(), TypeRange(outputs),
        (func.getName() + "_" + Twine(number)).str(), passed, {}, {});
    Block *body = builder.createBlock(
        &group.getBody(), {}, passed.getTypes(),
        SmallVector<Location>(passed.size(), group.getLoc()));
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body->getArguments());
    for (Operation *op : ordered)
      builder.clone(*op, mapping);
    SmallVector<Value> results;
    for (Value output : outputs)
      results.push_back(mapping.lookup(output));
    YieldOp::create(builder, group.getLoc(), results);
    for (TogetherRead &read : reads)
      read = {mapping.lookup(read.first), read.read,
              mapping.lookup(read.second)};
    for (auto [number, output] : llvm::enumerate(outputs))
      Value(output).replaceAllUsesWith(group.getResult(number));
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    return group;
  }

  func::FuncOp func;
  OpBuilder builder;
  llvm::SetVector<Value> inputs;
};

/// Says what the groups are, and what passes between them.
class GroupReport {
public:
  GroupReport(func::FuncOp func, const Graph &graph, const GroupPlan &plan)
      : log(func, "carousel-form-groups"), func(func), graph(graph),
        plan(plan) {}

  void write() {
    if (!log.isWanted())
      return;
    unsigned number = 0;
    for (const PlannedGroup &planned : plan.groups) {
      unsigned first = planned.group.ops.front();
      if (isView(first))
        continue;
      bool isKernel = !isLibrary(first);
      std::string names =
          llvm::join(llvm::map_range(planned.group.ops,
                                     [&](unsigned op) { return name(op); }),
                     ", ");
      StringRef family =
          isKernel ? stringifyEnum(planned.shape.family) : "library";
      std::string kernel =
          isKernel ? (func.getName() + "_" + Twine(number++)).str() : "call";
      log.passed(
          graph.ops[first], "Group", family + " of " + names,
          {{"Kernel", kernel}, {"Family", family.str()}, {"Ops", names}});
      if (isKernel && planned.shape.family == ScheduleFamily::Stream)
        writeTimes(planned);
    }
    for (const GroupBoundary &boundary : plan.boundaries)
      if (!isHost(boundary.from) && !isHost(boundary.to))
        write(boundary.tensor, boundary.from, boundary.to, boundary.reason);
    for (const OnlineRefusal &missed : plan.missedOnlineReductions)
      log.missed(graph.ops[missed.to], "Stream",
                 name(missed.from) + " and " + name(missed.to) +
                     " aren't one pass: " + missed.reason,
                 {{"From", name(missed.from)}, {"Reason", missed.reason}});
    for (auto [to, op] : llvm::enumerate(graph.problem.ops))
      if (!isView(to))
        for (const GraphAccess &read : op.reads)
          writeSources(read.tensor, to);
  }

private:
  /// Why an online reduction is one pass, and how many programs and parts it
  /// has.
  void writeTimes(const PlannedGroup &planned) {
    OnlineTimes times = estimateOnlineReduction(
        graph.problem, planned.group, planned.shape,
        scheduleGroup(graph.problem, planned.group, planned.shape));
    log.analysed(graph.ops[planned.group.ops.front()], "Stream",
                 times.describe());
  }

  const std::string &name(unsigned op) const {
    return graph.problem.ops[op].name;
  }
  bool isHost(unsigned op) const {
    return graph.problem.ops[op].kind == GraphOpKind::Host;
  }
  bool isLibrary(unsigned op) const {
    return isa<LibraryMatmulOp>(graph.ops[op]);
  }
  bool isView(unsigned op) const { return isHost(op) && !isLibrary(op); }

  /// Writes the reads of a kernel or library for which the plan has no reason:
  /// through views, or because one of the two is a library.
  void writeSources(unsigned read, unsigned to) {
    llvm::SetVector<unsigned> tensors;
    tensors.insert(read);
    for (unsigned i = 0; i < tensors.size(); ++i) {
      std::optional<unsigned> from = graph.problem.findWriter(tensors[i]);
      if (!from)
        continue;
      if (isView(*from)) {
        for (const GraphAccess &source : graph.problem.ops[*from].reads)
          tensors.insert(source.tensor);
        continue;
      }
      if (isLibrary(*from) || isLibrary(to))
        write(read, *from, to,
              "a library computes one of them (--no-libraries: kernels do)");
      else if (i != 0)
        write(read, *from, to,
              "a slice or reshape is between them (take it of what the first "
              "one reads)");
    }
  }

  void write(unsigned tensor, unsigned from, unsigned to, StringRef reason) {
    int64_t bytes = graph.problem.tensors[tensor].getBytes();
    log.missed(
        graph.ops[to], "Boundary",
        llvm::formatv("{0} bytes from {1} to {2} pass through memory: {3}",
                      bytes, name(from), name(to), reason),
        {{"Bytes", std::to_string(bytes)},
         {"From", name(from)},
         {"To", name(to)},
         {"Type", llvm::formatv("{0}", graph.tensors[tensor].getType())},
         {"Reason", reason.str()}});
  }

  DecisionLog log;
  func::FuncOp func;
  const Graph &graph;
  const GroupPlan &plan;
};

struct FormGroups : public carousel::impl::FormGroupsBase<FormGroups> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal() && isOnTensors(func) &&
          failed(formGroups(func)))
        return signalPassFailure();
  }

  static bool isOnTensors(func::FuncOp func) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return llvm::any_of(func.getArgumentTypes(), isTensor) ||
           llvm::any_of(func.getResultTypes(), isTensor);
  }

  /// A body of one block, without ops that kernels and programs lack.
  static LogicalResult check(func::FuncOp func) {
    if (!func.getBody().hasOneBlock())
      return func.emitError("expected a graph to have one block, got ")
             << llvm::range_size(func.getBody());
    for (Operation &op : func.getBody().front()) {
      if (isa<linalg::LinalgOp, func::ReturnOp, cf::AssertOp, LibraryMatmulOp>(
              &op) ||
          isa_and_present<tensor::TensorDialect, arith::ArithDialect,
                          math::MathDialect, affine::AffineDialect>(
              op.getDialect()))
        continue;
      return op.emitError(
                 "expected ops of linalg, tensor and arith in a graph, or ops "
                 "with carousel::DistributionOpInterface (inline calls first), "
                 "got '")
             << op.getName() << "'";
    }
    return success();
  }

  /// C299. The normal form has such ops only.
  static LogicalResult checkShapes(const Graph &graph) {
    for (unsigned number = 0; number != graph.ops.size(); ++number) {
      OpGroup alone;
      alone.ops.push_back(number);
      GroupShapeResult result = computeGroupShape(graph.problem, alone);
      if (!result.shape)
        return graph.ops[number]->emitOpError("expected an op that a kernel "
                                              "can have: ")
               << result.refusal;
    }
    return success();
  }

  static void removeDuplicates(func::FuncOp func) {
    IRRewriter rewriter(func.getContext());
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(rewriter, dominance, func);
  }

  /// A constant that some ops start from and others read is two: the first one
  /// is part of kernels, and the second one a tensor in memory.
  static void separateFills(func::FuncOp func) {
    OpBuilder builder(func.getContext());
    for (auto fill :
         llvm::make_early_inc_range(func.getOps<linalg::FillOp>())) {
      if (llvm::none_of(fill->getUses(), isStart) ||
          llvm::all_of(fill->getUses(), isStart))
        continue;
      builder.setInsertionPoint(fill);
      Operation *start = builder.clone(*fill);
      fill->replaceUsesWithIf(start, isStart);
    }
  }

  /// Products in f32 of a factor that another kernel widens. Of others, the
  /// record of their kernel says so.
  void warnOfWidenedFactors(func::FuncOp func, const Graph &graph,
                            const GroupPlan &plan) const {
    DecisionLog log(func, "carousel-form-groups");
    for (const PlannedGroup &planned : plan.groups)
      for (unsigned number : planned.group.ops) {
        const GraphOp &product = graph.problem.ops[number];
        if (product.kind != GraphOpKind::Contraction ||
            products == ProductFactors::TF32)
          continue;
        std::optional<WidenedFactor> factor =
            findWidenedFactor(cast<linalg::LinalgOp>(graph.ops[number]));
        if (factor && getElementTypeOrSelf(factor->value) != factor->narrow &&
            llvm::none_of(planned.group.ops, [&](unsigned op) {
              return graph.ops[op] == factor->value.getDefiningOp();
            }))
          log.warned(graph.ops[number], "Product",
                     product.name +
                         " has no tensor cores: " + factor->describe(),
                     {Miss::ProductWidened});
      }
  }

  /// The ops that replaced others.
  struct Replacements : public RewriterBase::Listener {
    void notifyOperationReplaced(Operation *op, Operation *other) override {
      known[op] = other;
    }
    Operation *find(Operation *op) const {
      for (auto next = known.find(op); next != known.end();
           next = known.find(op))
        op = next->second;
      return op;
    }
    llvm::DenseMap<Operation *, Operation *> known;
  };

  /// The group's ops, which go together along tensors.
  static OpGroup findGroup(const Graph &graph, ArrayRef<TogetherRead> reads) {
    OpGroup group;
    llvm::append_range(group.ops, llvm::seq<unsigned>(0, graph.ops.size()));
    auto getNumber = [&](Operation *op) {
      return unsigned(llvm::find(graph.ops, op) - graph.ops.begin());
    };
    for (const TogetherRead &read : reads) {
      unsigned first = getNumber(read.first);
      group.sharedReads.push_back(
          {graph.problem.ops[first].reads[read.read].tensor, first,
           getNumber(read.second)});
    }
    return group;
  }

  /// Unites copies of cheap ops, of which each user had one, unless the kernel
  /// goes along different dimensions for them.
  void removeCopies(GroupOp group, SmallVectorImpl<TogetherRead> &reads) const {
    IRMapping mapping;
    OpBuilder builder(group);
    auto united = cast<GroupOp>(builder.clone(*group, mapping));
    Replacements replaced;
    IRRewriter rewriter(group.getContext(), &replaced);
    DominanceInfo dominance(united);
    eliminateCommonSubExpressions(rewriter, dominance, united);
    SmallVector<TogetherRead> kept;
    for (const TogetherRead &read : reads) {
      Operation *first = replaced.find(mapping.lookup(read.first)),
                *second = replaced.find(mapping.lookup(read.second));
      if (first != second)
        kept.push_back({first, read.read, second});
    }
    Graph graph = readGraph(united);
    graph.problem.usesTF32 = products == ProductFactors::TF32;
    if (isKernel(graph.problem, findGroup(graph, kept))) {
      group.getBody().takeBody(united.getBody());
      reads = std::move(kept);
    }
    united.erase();
  }

  static void setSharedReads(GroupOp group, ArrayRef<TogetherRead> reads) {
    if (reads.empty())
      return;
    Graph graph = readGraph(group);
    SmallVector<Attribute> attrs;
    for (auto [own, read] :
         llvm::zip_equal(reads, findGroup(graph, reads).sharedReads))
      attrs.push_back(SharedReadAttr::get(group.getContext(), read.first,
                                          own.read, read.second));
    group.setSharedReadsAttr(ArrayAttr::get(group.getContext(), attrs));
  }

  /// Results of a group that have become one value are one result.
  static void uniteResults(GroupOp group) {
    Operation *end = group.getBody().front().getTerminator();
    llvm::SetVector<Value> kept(end->operand_begin(), end->operand_end());
    if (kept.size() == end->getNumOperands())
      return;
    OpBuilder builder(group);
    auto united = GroupOp::create(
        builder, group.getLoc(), TypeRange(ValueRange(kept.getArrayRef())),
        group.getKernel(), group.getInputs(), group.getSharedReadsAttr(), {});
    for (auto [result, value] :
         llvm::zip_equal(group.getResults(), end->getOperands()))
      result.replaceAllUsesWith(
          united.getResult(llvm::find(kept, value) - kept.begin()));
    end->setOperands(kept.getArrayRef());
    united.getBody().takeBody(group.getBody());
    group.erase();
  }

  LogicalResult formGroups(func::FuncOp func) {
    if (failed(check(func)))
      return failure();
    // Extents are those of arguments.
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    if (failed(rewriteGreedily(func, std::move(patterns))))
      return failure();
    removeDuplicates(func);
    updateInPlace(func);
    clones += rematerializeCheapOps(func);
    separateFills(func);
    Graph graph = readGraph(func);
    if (failed(checkShapes(graph)))
      return failure();
    graph.problem.streams = streams;
    graph.problem.usesTF32 = products == ProductFactors::TF32;
    GroupPlan plan = planGroups(graph.problem);
    GroupReport(func, graph, plan).write();
    warnOfWidenedFactors(func, graph, plan);
    DecisionLog log(func, "carousel-form-groups");
    SmallVector<Operation *> copies = pitchRows(graph, plan, log);

    // All ops of main keep their places until their group is written.
    Outliner outliner(func);
    unsigned number = 0;
    for (const PlannedGroup &planned : plan.groups) {
      SmallVector<Operation *> ops;
      for (unsigned op : planned.group.ops)
        ops.push_back(graph.ops[op]);
      if (graph.problem.ops[planned.group.ops.front()].kind ==
          GraphOpKind::Host)
        continue;
      SmallVector<TogetherRead> reads;
      for (const SharedRead &read : planned.group.sharedReads) {
        ArrayRef<GraphAccess> own = graph.problem.ops[read.first].reads;
        const auto *of = llvm::find_if(own, [&](const GraphAccess &access) {
          return access.tensor == read.tensor;
        });
        reads.push_back({graph.ops[read.first], unsigned(of - own.begin()),
                         graph.ops[read.second]});
      }
      GroupOp group = outliner.outline(ops, number++, reads);
      removeCopies(group, reads);
      setSharedReads(group, reads);
      uniteResults(group);
      ++groups;
    }
    for (Operation *copy : copies)
      outliner.outline(copy, number++);
    sortTopologically(&func.getBody().front());
    // The inits of groups have moved with them.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
    return success();
  }
};

} // namespace
