//===- LowerGroups.cpp - a kernel of the block phase for each group -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-groups. GroupKernel.h writes the kernels.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Kernels/GroupProduct.h"
#include "../Streams/StreamMasks.h"
#include "Donations.h"
#include "GroupKernel.h"
#include "GroupParts.h"
#include "LaunchGroups.h"
#include "ProgramTimes.h"

#include "carousel/Analysis/Distribution/ProductTiles.h"
#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Analysis/Graph/SharedReads.h"
#include "carousel/Analysis/Programs/LoadPlan.h"
#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/OperationSupport.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERGROUPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Halves a vector along the dimension that products reduce, or else along the
/// one of which it has most elements, unless all are short.
static bool halveTile(GroupSchedule &schedule) {
  constexpr int64_t kLeast = 16;
  ScheduledDim *longest = nullptr;
  auto getRank = [](const ScheduledDim &dim) {
    return std::pair(dim.walk == DimWalk::Loop, dim.tile);
  };
  for (ScheduledDim &dim : schedule.dims)
    if (dim.walk != DimWalk::None && dim.tile > kLeast &&
        (!longest || getRank(*longest) < getRank(dim)))
      longest = &dim;
  if (longest)
    longest->tile /= 2;
  return longest != nullptr;
}

namespace {

/// A group that has a kernel, which other groups may have in common with it.
struct LoweredGroup {
  GroupProgram program;
  GroupSchedule planned; ///< before it is divided
  SmallVector<KernelOperand> operands;
  gpu::GPUFuncOp kernel;
};

struct LowerGroups : public carousel::impl::LowerGroupsBase<LowerGroups> {
  using LowerGroupsBase::LowerGroupsBase;

  void runOnOperation() override {
    DecisionLog decisions(getOperation(), "carousel-lower-groups");
    log = &decisions;
    // A run that failed may have left some.
    lowered.clear();
    callsOf.clear();
    times.clear();
    SmallVector<func::FuncOp> groups;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func->hasAttr(CarouselDialect::kGroup))
        groups.push_back(func);
      func.walk([&](func::CallOp call) {
        callsOf[call.getCalleeAttr().getAttr()].push_back(call);
      });
    }
    if (groups.empty())
      return;
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(getOperation().getBody());
    auto module =
        gpu::GPUModuleOp::create(builder, getOperation().getLoc(), "kernels");
    SymbolTable(getOperation()).insert(module);
    builder.setInsertionPointToEnd(module.getBody());
    for (func::FuncOp group : groups)
      if (failed(lower(group, builder)))
        return signalPassFailure();
    // Launches write to what results were put in.
    getOperation().walk([](bufferization::MaterializeInDestinationOp put) {
      put.replaceAllUsesWith(ValueRange(put.getSource()));
      put.erase();
    });
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func->hasAttr(CarouselDialect::kGroup) &&
          func.getBody().hasOneBlock()) {
        for (Operation *step : findLoadSteps(func))
          step->setAttr(kAtLoadAttr, builder.getUnitAttr());
        logProgramTimes(func, times, decisions);
      }
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (func::FuncOp group : groups)
      if (users.useEmpty(group))
        group.erase();
  }

  /// C274, for programs that run passes without that check.
  static LogicalResult checkDivisors(Operation *op, AffineMap map) {
    AffineExpr division = findBadDivision(map);
    if (!division)
      return success();
    std::string text;
    llvm::raw_string_ostream(text) << division;
    return op->emitError("expected positive divisors in affine maps, got '")
           << text << "'";
  }

  static LogicalResult checkDivisors(func::FuncOp group) {
    WalkResult result = group.walk([](Operation *op) {
      SmallVector<AffineMap> maps;
      if (auto structured = dyn_cast<linalg::LinalgOp>(op))
        maps = structured.getIndexingMapsArray();
      else if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
        maps.push_back(apply.getAffineMap());
      return WalkResult(success(llvm::all_of(maps, [&](AffineMap map) {
        return succeeded(checkDivisors(op, map));
      })));
    });
    return success(!result.wasInterrupted());
  }

  /// Bodies are computed on vectors, which affine expressions don't have.
  static void expandAffine(func::FuncOp group) {
    group.walk([](affine::AffineApplyOp apply) {
      OpBuilder builder(apply);
      std::optional<SmallVector<Value>> values =
          affine::expandAffineMap(builder, apply.getLoc(), apply.getAffineMap(),
                                  SmallVector<Value>(apply.getOperands()));
      apply.replaceAllUsesWith(values->front());
      apply.erase();
    });
  }

  /// Initial values come first, in the order in which results need them. Where
  /// they stood depends on what else the program has, which makes no kernel.
  static void orderInits(func::FuncOp group) {
    Block &body = group.getBody().front();
    BackwardSliceOptions options;
    options.omitUsesFromAbove = false;
    SetVector<Operation *> needed, inits;
    if (failed(getBackwardSlice(body.getTerminator(), &needed, options)))
      return;
    for (Operation *op : needed)
      if (op->getBlock() == &body &&
          isa<tensor::EmptyOp, linalg::FillOp, arith::ConstantOp>(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return isa<BlockArgument>(operand) ||
                   inits.contains(operand.getDefiningOp());
          }))
        inits.insert(op);
    for (Operation *op : llvm::reverse(inits))
      op->moveBefore(&body, body.begin());
  }

  LogicalResult lower(func::FuncOp group, OpBuilder &builder) {
    if (failed(checkDivisors(group)))
      return failure();
    expandAffine(group);
    orderInits(group);
    GroupProgram program;
    program.func = group;
    program.usesTF32 = products == ProductFactors::TF32;
    program.graph = readGraph(group);
    program.graph.problem.usesTF32 = program.usesTF32;
    ArrayRef<func::CallOp> calls = callsOf[group.getSymNameAttr()];
    findGaps(program, calls);
    if (!launchKernelOfOther(program, calls)) {
      if (failed(plan(program)))
        return failure();
      auto known = std::make_shared<LoweredGroup>();
      known->planned = program.schedule;
      known->operands = findArguments(program, calls);
      fitTiles(program);
      FailureOr<gpu::GPUFuncOp> kernel =
          emit(program, known->operands, builder);
      if (failed(kernel))
        return failure();
      launch(calls, program, known->operands, *kernel);
      known->kernel = *kernel;
      known->program = std::move(program);
      lowered[group.getFunctionType()].push_back(std::move(known));
      ++kernels;
    }
    return success();
  }

  void launch(ArrayRef<func::CallOp> calls, GroupProgram &program,
              ArrayRef<KernelOperand> operands, gpu::GPUFuncOp kernel) {
    GroupTime time = estimateGroupTime(
        program.graph.problem, program.group, program.shape, program.schedule,
        program.schedule.family == ScheduleFamily::Stream
            ? findNeededPart(program)
            : 1);
    for (func::CallOp call : calls)
      times[launchGroup(call, program, operands, kernel)] = time;
  }

  /// The shape and the schedule of a group.
  LogicalResult plan(GroupProgram &program) {
    func::FuncOp group = program.func;
    for (auto [number, op] : llvm::enumerate(program.graph.problem.ops)) {
      if (op.kind == GraphOpKind::Host)
        return program.graph.ops[number]->emitError(
                   "expected structured ops in a group, got '")
               << program.graph.ops[number]->getName() << "'";
      program.group.ops.push_back(number);
    }
    joinSharedReads(program.graph.problem, program.group);
    GroupShapeResult result =
        computeGroupShape(program.graph.problem, program.group);
    if (!result.shape)
      return group.emitError("expected ops that can be one kernel: ")
             << result.refusal;
    program.shape = *result.shape;
    program.schedule =
        scheduleGroup(program.graph.problem, program.group, program.shape);
    if (!program.schedule.refusal.empty())
      return group.emitError("expected ops that can be one kernel: ")
             << program.schedule.refusal;
    return success();
  }

  static SmallVector<KernelOperand>
  findArguments(GroupProgram &program, ArrayRef<func::CallOp> calls) {
    SmallVector<KernelOperand> operands = findOperands(program);
    findSlices(program, operands, calls);
    findDonations(program, operands, calls);
    return operands;
  }

  /// Layers of a model compute the same of other tensors: one kernel is
  /// compiled for all of them. Calls that pass slices, or memory that may be
  /// written, have a kernel for these.
  bool launchKernelOfOther(GroupProgram &program,
                           ArrayRef<func::CallOp> calls) {
    func::FuncOp group = program.func;
    for (const auto &other : lowered[group.getFunctionType()]) {
      if (!OperationEquivalence::isRegionEquivalentTo(
              &group.getBody(), &other->program.func.getBody(),
              OperationEquivalence::IgnoreLocations) ||
          !haveSameGaps(program, other->program))
        continue;
      program.group = other->program.group;
      program.shape = other->program.shape;
      program.schedule = other->planned;
      SmallVector<KernelOperand> operands = findArguments(program, calls);
      auto takesSame = [](const KernelOperand &own,
                          const KernelOperand &known) {
        return own.isSlice == known.isSlice && own.mayAlias == known.mayAlias;
      };
      if (!llvm::equal(operands, other->operands, takesSame))
        continue;
      program.schedule = other->program.schedule;
      launch(calls, program, operands, other->kernel);
      StringRef name = other->program.func.getName();
      log->passed(group, "Shared",
                  "launches the kernel of " + name +
                      ", which computes the same",
                  {{"Kernel", name.str()}});
      return true;
    }
    program.group = {};
    return false;
  }

  static bool haveSameGaps(const GroupProgram &program,
                           const GroupProgram &other) {
    return llvm::equal(program.graph.problem.tensors,
                       other.graph.problem.tensors,
                       [](const GraphTensor &own, const GraphTensor &known) {
                         return own.gaps == known.gaps;
                       });
  }

  /// Takes shorter vectors if a thread would need too many registers for
  /// factors: threads that multiply and add have all of k of their rows and
  /// columns, unless they read it from the tile of a ring.
  void fitTiles(GroupProgram &program) {
    if (program.schedule.family != ScheduleFamily::Contraction)
      return;
    FactorDemand before = findFactorDemand(program), demand = before;
    while (!demand.fits() && halveTile(program.schedule))
      demand = findFactorDemand(program);
    if (!before.fits())
      log->analysed(
          program.func, "Tile",
          llvm::formatv("shorter vectors: a thread would need {0} registers "
                        "for factors, and has {1} of them",
                        before.registers, before.available));
  }

  /// The time of a divided product, with which that of a whole one is
  /// compared where its programs have other tiles. Null if it isn't a product
  /// of two matrices in 16 bits, alone.
  ExprAttr getDividedCost(const GroupProgram &program,
                          ArrayRef<KernelOperand> operands) {
    const GroupSchedule &schedule = program.schedule;
    ProductWork work;
    SmallVector<int64_t, 2> tiles;
    for (const ScheduledDim &dim : schedule.dims)
      if (dim.walk == DimWalk::Grid && dim.tile != 1)
        tiles.push_back(dim.tile);
    unsigned loop = schedule.division->position;
    if (schedule.family != ScheduleFamily::Contraction || tiles.size() != 2 ||
        schedule.hasOneLoop || findFactorBits(program) != work.factorBits ||
        findProducts(program).size() != 1)
      return {};
    work.rows = tiles[0];
    work.columns = tiles[1];
    work.depth = schedule.dims[loop].tile;
    ExprAttr parts = getParts(program, operands);
    auto combine = [&](ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
      return ExprAttr::get(&getContext(), kind, /*value=*/0, /*argument=*/0,
                           lhs, rhs);
    };
    auto depth = ExprAttr::get(&getContext(), ExprKind::Constant, work.depth,
                               /*argument=*/0, {}, {});
    ExprAttr iterations =
        combine(ExprKind::CeilDiv, getExtent(program, operands, loop),
                combine(ExprKind::Mul, parts, depth));
    ExprAttr cost = makeDividedCost(
        work, combine(ExprKind::Mul, getPrograms(program, operands), parts),
        iterations, program.graph.problem.chip);
    return isSmallEnough(cost) ? cost : ExprAttr();
  }

  /// A variant for few rows, with the arguments of the others.
  LogicalResult emitFewRows(GroupProgram &program, const FewRows &few,
                            const std::optional<GroupSchedule> &divided,
                            ArrayRef<KernelOperand> operands,
                            OpBuilder &builder) {
    StringRef name = program.func.getName();
    GroupSchedule whole = program.schedule;
    SmallVector<GroupWorkspace> workspaces;
    if (divided) {
      program.schedule = *divided;
      workspaces = findWorkspaces(program, operands);
    }
    program.schedule = few.schedule;
    FailureOr<gpu::GPUFuncOp> kernel = emitGroupKernel(
        program, operands, workspaces, builder, (name + "_few").str());
    if (succeeded(kernel)) {
      auto areFew =
          GuardAttr::get(&getContext(), GuardKind::Range, /*argument=*/0,
                         getExtent(program, operands, few.rows), /*other=*/{},
                         /*least=*/0, /*most=*/sums::kFewRows);
      (*kernel)->setAttr(CarouselDialect::kVariant,
                         VariantAttr::get(&getContext(), name, areFew));
    }
    program.schedule = whole;
    return success(succeeded(kernel));
  }

  /// The kernel, in two forms if its extents may leave few programs: the launch
  /// knows.
  FailureOr<gpu::GPUFuncOp> emit(GroupProgram &program,
                                 ArrayRef<KernelOperand> operands,
                                 OpBuilder &builder) {
    StringRef name = program.func.getName();
    std::optional<FewRows> few = planFewRows(
        program.graph.problem, program.group, program.shape, program.schedule);
    if (few && few->schedule.dims[few->rows].extent != kUnknownExtent) {
      program.schedule = few->schedule;
      noteSchedule(program, program.schedule);
      return emitGroupKernel(program, operands, /*workspaces=*/{}, builder,
                             name);
    }
    std::optional<GroupSchedule> divided = divideSchedule(
        program.graph.problem, program.group, program.shape, program.schedule);
    if (few && failed(emitFewRows(program, *few, divided, operands, builder)))
      return failure();
    if (!divided) {
      noteSchedule(program, program.schedule, /*isDividedToo=*/few.has_value());
      FailureOr<gpu::GPUFuncOp> kernel =
          emitGroupKernel(program, operands, /*workspaces=*/{}, builder, name);
      if (few && succeeded(kernel))
        (*kernel)->setAttr(CarouselDialect::kVariant,
                           VariantAttr::get(&getContext(), name, {}));
      return kernel;
    }
    GroupSchedule whole = std::exchange(program.schedule, *divided);
    noteSchedule(program, program.schedule);
    SmallVector<GroupWorkspace> workspaces = findWorkspaces(program, operands);
    if (getStaticParts(*divided))
      return emitGroupKernel(program, operands, workspaces, builder, name);
    FailureOr<gpu::GPUFuncOp> parts = emitGroupKernel(
        program, operands, workspaces, builder, (name + "_parts").str());
    if (failed(parts))
      return failure();
    auto isDivided =
        GuardAttr::get(&getContext(), GuardKind::Range, /*argument=*/0,
                       getParts(program, operands), /*other=*/{}, /*least=*/2,
                       /*most=*/std::numeric_limits<int64_t>::max());
    (*parts)->setAttr(CarouselDialect::kVariant,
                      VariantAttr::get(&getContext(), name, isDivided,
                                       getDividedCost(program, operands)));
    program.schedule = whole;
    // If the number of programs is known, rows that aren't divided are short.
    if (whole.covered &&
        getExtent(program, operands, divided->division->position).getKind() !=
            ExprKind::Constant &&
        getPrograms(program, operands).getKind() == ExprKind::Constant) {
      int64_t &width = program.schedule.dims[*whole.covered].tile;
      width = std::min<int64_t>(
          width, llvm::PowerOf2Ceil(divided->division->leastLength));
    }
    noteSchedule(program, program.schedule, /*isDividedToo=*/true);
    FailureOr<gpu::GPUFuncOp> kernel =
        emitGroupKernel(program, operands, workspaces, builder, name);
    if (succeeded(kernel))
      (*kernel)->setAttr(CarouselDialect::kVariant,
                         VariantAttr::get(&getContext(), name, {}));
    return kernel;
  }

  DecisionLog *log = nullptr; ///< of a run
  /// By the callee's name.
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp>> callsOf;
  llvm::DenseMap<Operation *, GroupTime> times; ///< of launches
  /// By type, since few groups have the same.
  llvm::DenseMap<Type, std::vector<std::shared_ptr<LoweredGroup>>> lowered;

  /// \p isDividedToo: a launch takes this schedule where parts aren't worth it.
  void noteSchedule(const GroupProgram &program, const GroupSchedule &schedule,
                    bool isDividedToo = false) {
    if (!log->isWanted())
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, schedule);
    log->passed(program.func, "Schedule", text);
    if (isDividedToo)
      return;
    noteMissed(program, schedule);
    if (schedule.family != ScheduleFamily::Stream)
      return;
    SmallVector<std::string> refusals;
    findStreamMasks(program, &refusals);
    for (const std::string &reason : refusals)
      log->missed(program.func, "Mask",
                  "tiles that a mask excludes are computed: " + reason);
  }

  /// What will be slow.
  void noteMissed(const GroupProgram &program, const GroupSchedule &schedule) {
    std::string reason = "this is no product, and no reduction to one result";
    for (const GraphOp &op : program.graph.problem.ops)
      if (!op.refusal.empty())
        reason = "this has windows, but " + op.refusal;
    if (schedule.family == ScheduleFamily::Loops)
      log->warned(program.func, "Fallback",
                  "loops reduce element by element, which is slow: " + reason);
    constexpr int64_t kFewPrograms = 32, kMuch = 65536;
    // Programs and elements may be more than 64 bits count.
    uint64_t programs = 1, reduced = 1;
    for (const ScheduledDim &dim : schedule.dims) {
      uint64_t extent = dim.extent == kUnknownExtent ? kMuch : dim.extent;
      uint64_t &product = dim.walk == DimWalk::Grid ? programs : reduced;
      product = llvm::SaturatingMultiply(
          product, dim.walk == DimWalk::Grid
                       ? llvm::divideCeil<uint64_t>(extent, dim.tile)
                       : extent);
    }
    if (programs < kFewPrograms && reduced >= kMuch && !schedule.division)
      log->warned(program.func, "Programs",
                  llvm::formatv("{0} programs reduce {1} elements each, or "
                                "more: sums aren't divided among programs",
                                programs, reduced));
  }
};

} // namespace
