//===- ScheduleGroups.cpp - how groups become kernels ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-schedule-groups. Analysis/Graph plans the schedules of a group's
// kernel, and the group holds them.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Kernels/GroupProduct.h"
#include "../Kernels/GroupProgram.h"
#include "../OnlineReductions/OnlineMasks.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace carousel {
#define GEN_PASS_DEF_SCHEDULEGROUPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Expands affine ops: bodies are computed on vectors, which affine expressions
/// don't have.
static void expandAffine(GroupOp group) {
  group.walk([](affine::AffineApplyOp apply) {
    OpBuilder builder(apply);
    std::optional<SmallVector<Value>> values =
        affine::expandAffineMap(builder, apply.getLoc(), apply.getAffineMap(),
                                SmallVector<Value>(apply.getOperands()));
    if (!values)
      return; // which readGroup refuses
    apply.replaceAllUsesWith(values->front());
    apply.erase();
  });
}

/// Moves initial values to the front, in the order in which results need them.
/// Where they stood depends on what else the program has, which makes no
/// kernel.
static void orderInits(GroupOp group) {
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

struct ScheduleGroups
    : public carousel::impl::ScheduleGroupsBase<ScheduleGroups> {
  using ScheduleGroupsBase::ScheduleGroupsBase;

  void runOnOperation() override {
    DecisionLog decisions(getOperation(), "carousel-schedule-groups");
    log = &decisions;
    known.clear();
    WalkResult result = getOperation().walk(
        [&](GroupOp group) { return WalkResult(schedule(group)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult schedule(GroupOp group) {
    expandAffine(group);
    orderInits(group);
    FailureOr<GroupProgram> program =
        readGroup(group, products == ProductFactors::TF32);
    if (failed(program))
      return failure();
    if (group.getSchedules())
      return success();
    // Layers of a model compute the same of other tensors.
    auto &others = known[group.getNumOperands()];
    for (const GroupProgram &other : others)
      if (areEqual(*program, other)) {
        group.setSchedulesAttr(GroupOp(other.op).getSchedulesAttr());
        return success();
      }
    if (failed(plan(*program)))
      return failure();
    others.push_back(std::move(*program));
    return success();
  }

  LogicalResult plan(GroupProgram &program) {
    const GraphProblem &problem = program.graph.problem;
    program.schedule = scheduleGroup(problem, program.group, program.shape);
    if (!program.schedule.refusal.empty())
      return program.op.emitError("expected ops that can be one kernel: ")
             << program.schedule.refusal;
    program.isDivided =
        divideSchedule(problem, program.group, program.shape, program.schedule)
            .has_value();
    fitTiles(program);
    std::vector<GroupSchedule> variants =
        planVariants(problem, program.group, program.shape, program.schedule);
    setSchedules(program, variants);
    if (!log->isWanted())
      return success();
    for (const GroupSchedule &variant : variants)
      if (!variant.fewRows || variants.size() == 1)
        note(program, variant,
             /*isPreferred=*/variants.size() == 1 || variant.division);
    return success();
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
          program.op, "Tile",
          llvm::formatv("shorter vectors: a thread would need {0} registers "
                        "for factors, and has {1} of them",
                        before.registers, before.available));
  }

  /// \p isPreferred: launches take this schedule where it is slow to have
  /// another one.
  void note(GroupProgram &program, const GroupSchedule &schedule,
            bool isPreferred) {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, schedule);
    log->passed(program.op, "Schedule", text);
    if (!isPreferred)
      return;
    noteMissed(program, schedule);
    if (schedule.family != ScheduleFamily::Stream)
      return;
    program.schedule = schedule;
    SmallVector<std::string> refusals;
    findOnlineMasks(program, &refusals);
    for (const std::string &reason : refusals)
      log->missed(program.op, "Mask",
                  "tiles that a mask excludes are computed: " + reason);
  }

  /// Notes what will be slow.
  void noteMissed(const GroupProgram &program, const GroupSchedule &schedule) {
    std::string reason = "this is no product, and no reduction to one result";
    bool reduces = false;
    for (const GraphOp &op : program.graph.problem.ops) {
      reduces |= op.reduces();
      if (!op.refusal.empty())
        reason = "this has windows, but " + op.refusal;
    }
    if (schedule.family == ScheduleFamily::Loops && reduces)
      log->warned(program.op, "Fallback",
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
    if (programs < kFewPrograms && reduced >= kMuch && !schedule.division &&
        !program.group.findSort(program.graph.problem))
      log->warned(program.op, "Programs",
                  llvm::formatv("{0} programs reduce {1} elements each, or "
                                "more: sums aren't divided among programs",
                                programs, reduced));
  }

  DecisionLog *log = nullptr; ///< of a run
  /// Groups that have been scheduled, by the number of operands.
  llvm::DenseMap<unsigned, std::vector<GroupProgram>> known;
};

} // namespace
