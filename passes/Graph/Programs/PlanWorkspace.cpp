//===- PlanWorkspace.cpp - one workspace for a program's buffers ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-plan-workspace. Applies the plan of
// Analysis/Programs/WorkspacePlan.h.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"

#include "carousel/Analysis/Programs/LoadPlan.h"
#include "carousel/Analysis/Programs/WorkspacePlan.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace carousel {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Index arithmetic that folds.
static Value multiply(OpBuilder &builder, Location loc, Value lhs,
                      int64_t factor) {
  Value constant = arith::ConstantIndexOp::create(builder, loc, factor);
  return builder.createOrFold<arith::MulIOp>(loc, lhs, constant);
}

/// The bytes of a unit of a group.
static Value computeUnit(OpBuilder &builder, Location loc,
                         const WorkspacePlan::Group &group) {
  Value bytes = arith::ConstantIndexOp::create(builder, loc, group.units.bytes);
  for (Value extent : group.extents)
    bytes = builder.createOrFold<arith::MulIOp>(loc, bytes, extent);
  Value alignment =
      arith::ConstantIndexOp::create(builder, loc, kWorkspaceAlignment);
  Value pieces =
      builder.createOrFold<arith::CeilDivSIOp>(loc, bytes, alignment);
  return builder.createOrFold<arith::MulIOp>(loc, pieces, alignment);
}

/// The first op of a program that isn't about numbers.
static Operation *findFirstStep(Block &body) {
  return &*llvm::find_if_not(body, [](Operation &op) {
    return isMemoryEffectFree(&op) && op.getNumResults() != 0 &&
           llvm::all_of(op.getResultTypes(),
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  });
}

static FailureOr<Value> addWorkspace(func::FuncOp program, StringRef name,
                                     ExprAttr bytes) {
  Builder builder(program.getContext());
  MLIRContext *context = program.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  NamedAttribute attrs[] = {
      {builder.getStringAttr(CarouselDialect::kArgument),
       ArgumentAttr::get(context, name.str(), ArgumentAccess::InOut,
                         std::nullopt)},
      {builder.getStringAttr(CarouselDialect::kWorkspace),
       WorkspaceAttr::get(context, bytes)}};
  unsigned position = program.getNumArguments();
  if (failed(program.insertArgument(
          position, type, builder.getDictionaryAttr(attrs), program.getLoc())))
    return failure();
  return Value(program.getArgument(position));
}

namespace {

struct PlanWorkspace : public carousel::impl::PlanWorkspaceBase<PlanWorkspace> {
  void runOnOperation() override {
    func::FuncOp program = getOperation();
    if (!program->hasAttr(CarouselDialect::kProgram) || program.isExternal())
      return;
    bool hasBuffers = !program.getOps<memref::AllocOp>().empty();
    if (!hasBuffers && isPlanned(program))
      return;
    DecisionLog log(program, "carousel-plan-workspace");
    LoadPlan load = planLoad(program);
    mark(program, load, log);
    if (!hasBuffers)
      return;
    SmallVector<memref::AllocOp> kept, others;
    for (auto alloc : program.getOps<memref::AllocOp>())
      (load.buffers.contains(alloc) ? kept : others).push_back(alloc);
    if (failed(place(program, "workspace", others, /*areKept=*/false, log)) ||
        failed(place(program, "loaded", kept, /*areKept=*/true, log)))
      signalPassFailure();
  }

  /// Whether the program's buffers are in arguments.
  static bool isPlanned(func::FuncOp program) {
    return llvm::any_of(
        llvm::seq(program.getNumArguments()), [&](unsigned number) {
          return program.getArgAttr(number, CarouselDialect::kWorkspace);
        });
  }

  void mark(func::FuncOp program, const LoadPlan &load, DecisionLog &log) {
    for (Operation &op : program.getBody().front()) {
      if (load.steps.contains(&op)) {
        op.setAttr(kAtLoadAttr, UnitAttr::get(&getContext()));
        ++loaded;
      } else if (op.removeDiscardableAttr(kAtLoadAttr)) {
        log.missed(&op, "Load",
                   "a step that follows from parameters runs at each launch, "
                   "as other steps write its memory or that of its operands, "
                   "arguments decide places in these, or it writes a result");
      }
    }
  }

  LogicalResult place(func::FuncOp program, StringRef name,
                      ArrayRef<memref::AllocOp> allocs, bool areKept,
                      DecisionLog &log) {
    if (allocs.empty())
      return success();
    FailureOr<WorkspacePlan> plan = planWorkspace(program, allocs, areKept);
    if (failed(plan))
      return failure();
    report(program, *plan, areKept ? "Loaded" : "Workspace", log);
    return apply(program, *plan, name);
  }

  /// How much of the workspace the placement costs.
  static void report(func::FuncOp program, const WorkspacePlan &plan,
                     StringRef name, DecisionLog &log) {
    for (auto [number, group] : llvm::enumerate(plan.groups)) {
      int64_t buffers = llvm::count_if(
          plan.buffers, [number = number](const WorkspacePlan::Buffer &buffer) {
            return buffer.group == number;
          });
      int64_t bytes = group.units.count * group.units.bytes;
      int64_t live = group.units.mostLive * group.units.bytes;
      log.analysed(
          program, name,
          llvm::formatv("{0} buffers have {1} bytes{2}, of which at most {3} "
                        "are used at a time",
                        buffers, bytes,
                        group.extents.empty()
                            ? ""
                            : " for each element of their dynamic extents",
                        live),
          {{"Buffers", std::to_string(buffers)},
           {"Bytes", std::to_string(bytes)},
           {"Live", std::to_string(live)}});
    }
  }

  LogicalResult apply(func::FuncOp program, const WorkspacePlan &plan,
                      StringRef name) {
    Block &body = program.getBody().front();
    IRRewriter rewriter(program.getContext());
    DominanceInfo dominance(program);
    // Offsets depend on the extents of all buffers.
    Operation *first = findFirstStep(body);
    for (const WorkspacePlan::Buffer &buffer : plan.buffers) {
      Operation *alloc = buffer.alloc;
      // Expressions of a launch depend on arguments only.
      if (alloc != first)
        (void)moveOperationDependencies(rewriter, alloc, first, dominance);
    }
    FailureOr<Value> workspace = addWorkspace(program, name, plan.bytes);
    if (failed(workspace))
      return failure();
    Location loc = program.getLoc();
    rewriter.setInsertionPoint(first);
    SmallVector<Value> units, begins;
    Value begin = arith::ConstantIndexOp::create(rewriter, loc, 0);
    for (const WorkspacePlan::Group &group : plan.groups) {
      units.push_back(computeUnit(rewriter, loc, group));
      begins.push_back(begin);
      Value bytes = multiply(rewriter, loc, units.back(), group.units.count);
      begin = rewriter.createOrFold<arith::AddIOp>(loc, begin, bytes);
    }
    for (const WorkspacePlan::Buffer &buffer : plan.buffers) {
      memref::AllocOp alloc = buffer.alloc;
      rewriter.setInsertionPoint(alloc);
      Value offset = multiply(rewriter, alloc.getLoc(), units[buffer.group],
                              buffer.offset);
      offset = rewriter.createOrFold<arith::AddIOp>(
          alloc.getLoc(), begins[buffer.group], offset);
      if (buffer.dealloc)
        rewriter.eraseOp(buffer.dealloc);
      rewriter.replaceOpWithNewOp<memref::ViewOp>(
          alloc, alloc.getType(), *workspace, offset, alloc.getDynamicSizes());
      ++placed;
    }
    return success();
  }
};

} // namespace
