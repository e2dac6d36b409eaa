//===- RaiseToTransfers.cpp - raise copies to transfers of tiles ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the plans of RaiseToTransfers.h to kernels. Creates the transfers,
// erases the moves and the ops that only they need, and reports in remarks
// which copies were raised and why others weren't. Asynchronous copies of one
// group are raised together.
//
//===----------------------------------------------------------------------===//

#include "RaiseToTransfers.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-raise-to-transfers"

namespace carousel {
#define GEN_PASS_DEF_RAISETOTRANSFERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Groups of asynchronous copies
//===----------------------------------------------------------------------===//

/// Why the completion of a copy isn't in plain sight, or an empty string.
static std::string explainTokens(nvgpu::DeviceAsyncCopyOp copy) {
  Value token = copy.getAsyncToken();
  if (token.use_empty())
    return "the copy is in no group";
  for (Operation *user : token.getUsers()) {
    auto group = dyn_cast<nvgpu::DeviceAsyncCreateGroupOp>(user);
    if (!group)
      return "the copy's token doesn't go straight to a group";
    if (!llvm::all_of(group->getUsers(),
                      llvm::IsaPred<nvgpu::DeviceAsyncWaitOp>))
      return "the token of the copy's group doesn't go straight to a wait";
  }
  return {};
}

/// Refuses asynchronous copies that have to stay with others.
static void refuseSplitGroups(std::vector<TransferPlan> &plans) {
  llvm::DenseMap<Operation *, TransferPlan *> planOf;
  for (TransferPlan &plan : plans)
    for (const Move *move : plan.moves)
      if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(move->write)) {
        planOf[copy] = &plan;
        if (plan.refusal.empty())
          plan.refusal = explainTokens(copy);
      }
  auto isRaised = [&](Operation *op) {
    auto found = planOf.find(op);
    return found != planOf.end() && found->second->refusal.empty();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [op, plan] : planOf) {
      if (!plan->refusal.empty())
        continue;
      for (Operation *group : op->getUsers())
        for (Value token : group->getOperands())
          if (!isRaised(token.getDefiningOp())) {
            plan->refusal = "another copy of its group isn't raised";
            changed = true;
          }
    }
  }
}

/// Groups and waits that nothing is left for. As long as some copies are
/// asynchronous, of a function that is called, too, they stay: waits count
/// groups.
static void eraseEmptyGroups(gpu::GPUFuncOp kernel,
                             ArrayRef<Operation *> groups) {
  auto findCopy = [](nvgpu::DeviceAsyncCopyOp) {
    return WalkResult::interrupt();
  };
  if (kernel.walk(findCopy).wasInterrupted())
    return;
  for (auto function :
       kernel->getParentOp()->getRegion(0).getOps<FunctionOpInterface>()) {
    auto other = dyn_cast<gpu::GPUFuncOp>(function.getOperation());
    if (!(other && other.isKernel()) &&
        function->walk(findCopy).wasInterrupted())
      return;
  }
  for (Operation *group : groups) {
    for (Operation *wait : llvm::make_early_inc_range(group->getUsers()))
      wait->erase();
    group->erase();
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static OpFoldResult materialize(OpBuilder &builder, Location loc,
                                const IndexForm &form) {
  if (form.isConstant())
    return builder.getIndexAttr(form.constant);
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value sum;
  for (auto [symbol, factor] : form.terms) {
    Value term = symbol;
    if (!term.getType().isIndex())
      term = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        term);
    if (factor != 1)
      term = arith::MulIOp::create(builder, loc, term, getConstant(factor));
    sum =
        sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  if (form.constant != 0)
    sum = arith::AddIOp::create(builder, loc, sum, getConstant(form.constant));
  return sum;
}

/// A view of a box, without the dims that are dropped.
static Value createView(OpBuilder &builder, Location loc, Value memref,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        const llvm::SmallBitVector &dropped) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped[dim])
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, reduced, memref, offsets,
                                   sizes, strides);
}

static Value createTile(OpBuilder &builder, Location loc,
                        const TransferPlan &plan) {
  if (plan.isWholeTile())
    return plan.tile;
  SmallVector<OpFoldResult> offsets;
  for (const IndexForm &form : plan.tileOffsets)
    offsets.push_back(materialize(builder, loc, form));
  return createView(
      builder, loc, plan.tile, offsets,
      getAsIndexOpFoldResult(builder.getContext(), plan.tileExtents),
      plan.droppedTile);
}

/// The global memref without dropped dims, which move into a view.
static Value createGlobal(OpBuilder &builder, Location loc,
                          const TransferPlan &plan,
                          ArrayRef<OpFoldResult> offsets) {
  if (plan.droppedGlobal.none())
    return plan.global;
  SmallVector<OpFoldResult> begin, sizes;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    bool isDropped = plan.droppedGlobal[dim];
    begin.push_back(isDropped ? offset : builder.getIndexAttr(0));
    sizes.push_back(isDropped
                        ? builder.getIndexAttr(1)
                        : memref::getMixedSize(builder, loc, plan.global, dim));
  }
  return createView(builder, loc, plan.global, begin, sizes,
                    plan.droppedGlobal);
}

/// The transfer that a plan asks for; null, and the reason, if there is none.
static Operation *createTransfer(const TransferPlan &plan,
                                 std::string &reason) {
  OpBuilder builder(plan.last);
  Location loc = plan.moves.back()->write->getLoc();
  SmallVector<OpFoldResult> all;
  for (const IndexForm &form : plan.globalOffsets)
    all.push_back(materialize(builder, loc, form));
  Value global = createGlobal(builder, loc, plan, all);
  Value tile = createTile(builder, loc, plan);
  SmallVector<Value> offsets;
  for (auto [dim, offset] : llvm::enumerate(all))
    if (!plan.droppedGlobal[dim])
      offsets.push_back(getValueOrCreateConstantIndexOp(builder, loc, offset));
  Operation *transfer;
  if (plan.isLoad)
    transfer = LoadOp::create(
        builder, loc, global, offsets, tile, OutOfBoundsFill::Zero,
        /*fill_value=*/Attribute(),
        /*reduce=*/ReductionAttr(), /*round_tf32=*/false, TransferScope::CTA,
        plan.inBounds, /*by_threads=*/false, Swizzle::None,
        EvictPriority::Normal,
        /*engine=*/EngineAttr(), /*map=*/Value());
  else
    transfer = StoreOp::create(
        builder, loc, tile, global, offsets, /*reduce=*/ReductionAttr(),
        /*exclusive=*/false, TransferScope::CTA, plan.inBounds,
        /*by_threads=*/false, Swizzle::None, EvictPriority::Normal,
        /*engine=*/EngineAttr(), /*map=*/Value());
  // What transfers refuse is said by them.
  ScopedDiagnosticHandler handler(
      builder.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          reason = diagnostic.str();
        return success();
      });
  if (succeeded(verify(transfer)))
    return transfer;
  transfer->erase();
  return nullptr;
}

namespace {
/// Erases ops, and then ops that have become unused.
class Eraser {
public:
  void erase(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          candidates.insert(source);
    });
    if (!isa<gpu::GPUFuncOp>(op->getParentOp()))
      candidates.insert(op->getParentOp());
    op->walk([&](Operation *inner) { candidates.remove(inner); });
    op->erase();
  }
  void eraseDead() {
    while (!candidates.empty()) {
      Operation *op = candidates.pop_back_val();
      if (isOpTriviallyDead(op))
        erase(op);
    }
  }

private:
  llvm::SetVector<Operation *> candidates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct RaiseToTransfers
    : public carousel::impl::RaiseToTransfersBase<RaiseToTransfers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && !kernel.isExternal())
        runOnKernel(kernel);
  }

private:
  void runOnKernel(gpu::GPUFuncOp kernel);
  void report(gpu::GPUFuncOp kernel, const TransferPlan &plan);
};

} // namespace

void RaiseToTransfers::report(gpu::GPUFuncOp kernel, const TransferPlan &plan) {
  remark::RemarkOpts options = remark::RemarkOpts::name("RaiseToTransfers")
                                   .category("carousel-raise-to-transfers")
                                   .function(kernel.getName());
  Operation *op = plan.moves.back()->write;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << op->getName() << (plan.isLoad ? "' to" : "' from")
     << " a tile: ";
  plan.print(os);
  LDBG() << op->getLoc() << ": "
         << (plan.refusal.empty() ? "raised " : "missed ") << text;
  if (!plan.refusal.empty()) {
    ++missed;
    remark::missed(op->getLoc(), options) << text;
    return;
  }
  ++raised;
  remark::passed(op->getLoc(), options) << text;
  if (plan.droppedGlobal.any())
    remark::analysis(op->getLoc(), options) << remark::add(
        "a view leaves out {0} dimensions that the tile doesn't have",
        plan.droppedGlobal.count());
  else if (plan.global != plan.moves.front()->globalRoot)
    remark::analysis(op->getLoc(), options)
        << "the transfer's global memref is a view that can't be looked "
           "through";
}

void RaiseToTransfers::runOnKernel(gpu::GPUFuncOp kernel) {
  std::vector<Move> moves = findMoves(kernel);
  std::vector<TransferPlan> plans = planTransfers(kernel, moves);
  llvm::DenseMap<const TransferPlan *, Operation *> transfers;
  for (TransferPlan &plan : plans)
    if (plan.refusal.empty())
      transfers[&plan] = createTransfer(plan, plan.refusal);
  refuseSplitGroups(plans);
  for (const TransferPlan &plan : plans)
    report(kernel, plan);

  Eraser eraser;
  llvm::SmallSetVector<Operation *, 4> groups;
  for (const TransferPlan &plan : plans) {
    if (!plan.refusal.empty()) {
      if (Operation *transfer = transfers.lookup(&plan))
        eraser.erase(transfer);
      continue;
    }
    for (const Move *move : plan.moves) {
      if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(move->write))
        for (OpOperand &use :
             llvm::make_early_inc_range(copy.getAsyncToken().getUses())) {
          groups.insert(use.getOwner());
          use.getOwner()->eraseOperand(use.getOperandNumber());
        }
      eraser.erase(move->write);
    }
  }
  eraseEmptyGroups(kernel, groups.getArrayRef());
  eraser.eraseDead();
}
