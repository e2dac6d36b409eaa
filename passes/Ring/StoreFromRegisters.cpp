//===- StoreFromRegisters.cpp - store tiles without shared memory ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the writes of a tile by writes of global memory, and removes its
// store. Each write checks the bounds that the store clips.
//
//===----------------------------------------------------------------------===//

#include "CutStores.h"

#include "carousel/Analysis/Rings/StorePath.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-store-from-registers"

namespace carousel {
#define GEN_PASS_DEF_STOREFROMREGISTERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

/// Makes the writes of one store.
class WriteRewriter {
public:
  explicit WriteRewriter(const StorePathPlan &plan)
      : plan(plan), store(plan.store), global(store.getGlobal()) {}

  void run();

private:
  void rewrite(const RegisterWrite &write);
  Value createIsInside(ImplicitLocOpBuilder &b, ValueRange indices,
                       int64_t elements, bool innermost);

  const StorePathPlan &plan;
  StoreOp store;
  TypedValue<MemRefType> global;
};

} // namespace

/// Whether `elements` elements from `indices` on are inside; null if they are
/// known to be. With `innermost`, only the innermost dimension counts,
/// otherwise only the others.
Value WriteRewriter::createIsInside(ImplicitLocOpBuilder &b, ValueRange indices,
                                    int64_t elements, bool innermost) {
  Value inside;
  int64_t last = static_cast<int64_t>(indices.size()) - 1;
  for (int64_t dim = 0; dim <= last; ++dim) {
    if (!plan.mayEndBehind[dim] || (dim == last) != innermost)
      continue;
    Value end = indices[dim];
    if (dim == last && elements != 1)
      end = arith::AddIOp::create(
          b, end, arith::ConstantIndexOp::create(b, elements - 1));
    Value extent = b.createOrFold<memref::DimOp>(global, dim);
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, end, extent);
    inside = inside ? arith::AndIOp::create(b, inside, isInside).getResult()
                    : isInside;
  }
  return inside;
}

void WriteRewriter::rewrite(const RegisterWrite &write) {
  ImplicitLocOpBuilder b(write.op->getLoc(), write.op);
  SmallVector<Value> indices(store.getOffsets());
  size_t leading = indices.size() - write.indices.size();
  for (auto [dim, index] : llvm::enumerate(write.indices))
    indices[leading + dim] =
        b.createOrFold<arith::AddIOp>(indices[leading + dim], index);
  auto createWhole = [&](ImplicitLocOpBuilder &b) {
    if (isa<VectorType>(write.value.getType()))
      vector::StoreOp::create(b, write.value, global, indices,
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(write.alignment));
    else
      memref::StoreOp::create(b, write.value, global, indices);
  };
  // The rows first, so that rows outside cost one comparison.
  Value isRowInside = createIsInside(b, indices, 1, /*innermost=*/false);
  if (isRowInside) {
    auto row = scf::IfOp::create(b, isRowInside, /*withElseRegion=*/false);
    b.setInsertionPoint(row.thenBlock()->getTerminator());
  }
  Value isWhole =
      createIsInside(b, indices, write.elements, /*innermost=*/true);
  if (!isWhole)
    return createWhole(b);
  bool isVector = write.elements != 1;
  auto whole = scf::IfOp::create(b, isWhole, isVector);
  ImplicitLocOpBuilder then(b.getLoc(), whole.thenBlock()->getTerminator());
  createWhole(then);
  if (!isVector)
    return;
  ImplicitLocOpBuilder otherwise(b.getLoc(),
                                 whole.elseBlock()->getTerminator());
  // The row ends before the vector does.
  Value extent = otherwise.createOrFold<memref::DimOp>(
      global, static_cast<int64_t>(indices.size()) - 1);
  createCutStore(otherwise, write.value,
                 otherwise.createOrFold<arith::SubIOp>(extent, indices.back()),
                 global, indices, write.alignment);
}

/// Removes the buffer and its views, which nothing accesses any more.
static void removeBuffer(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    for (Value result : user->getResults())
      if (isa<MemRefType>(result.getType()))
        removeBuffer(result);
    if (user->use_empty() && !isa<memref::DimOp>(user))
      user->erase();
  }
  if (Operation *op = buffer.getDefiningOp(); op && op->use_empty())
    op->erase();
}

void WriteRewriter::run() {
  for (const RegisterWrite &write : plan.writes)
    rewrite(write);
  Value tile = store.getTile();
  for (const RegisterWrite &write : plan.writes)
    write.op->erase();
  store.erase();
  removeBuffer(getRootBuffer(tile));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct StoreFromRegisters
    : public carousel::impl::StoreFromRegistersBase<StoreFromRegisters> {
  void runOnOperation() override {
    FailureOr<ChipModel> target = getChipModel(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && hasStores(kernel))
        rewriteStores(kernel, *target);
    markAnalysesPreserved<RingPlanning>();
  }

  static bool hasStores(gpu::GPUFuncOp kernel) {
    return kernel
        .walk([](StoreOp store) {
          return getPipelinedLoop(store) ? WalkResult::interrupt()
                                         : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void rewriteStores(gpu::GPUFuncOp kernel, const ChipModel &target) {
    const RingPlan &rings = getChildAnalysis<RingPlanning>(kernel).plan;
    bool isChanged = false;
    for (const StorePathPlan &plan : planStorePaths(kernel, rings, target)) {
      report(kernel, plan);
      if (recordsDecisions(kernel))
        record(kernel, plan);
      if (plan.path != StorePath::Registers)
        continue;
      WriteRewriter(plan).run();
      ++fromRegisters;
      isChanged = true;
    }
    if (isChanged)
      getAnalysisManager().nest(kernel).invalidate({});
  }

  /// Adds the path to what is recorded of the store.
  void record(gpu::GPUFuncOp kernel, const StorePathPlan &plan) {
    std::string text;
    llvm::raw_string_ostream os(text);
    plan.print(os);
    LocationAttr location = StoreOp(plan.store).getLoc();
    KernelDecisions decisions = getDecisions(kernel);
    std::string memref = "the global memref";
    for (TransferDecision &transfer : decisions.transfers) {
      if (transfer.isLoad || transfer.location != location)
        continue;
      memref = transfer.memref;
      transfer.notes.push_back({"path", text});
    }
    if (plan.isGiven && !plan.obstacle.empty())
      decisions.misses.push_back(
          {plan.obstacle.miss,
           location,
           "store to " + memref,
           "not stored from registers: " + plan.obstacle.text,
           {}});
    setDecisions(kernel, decisions);
  }

  void report(gpu::GPUFuncOp kernel, const StorePathPlan &plan) {
    std::string text;
    llvm::raw_string_ostream os(text);
    plan.print(os);
    Location loc = StoreOp(plan.store).getLoc();
    LDBG() << loc << ": " << text;
    remark::RemarkOpts options = remark::RemarkOpts::name("StorePath")
                                     .category(getArgument())
                                     .function(kernel.getName());
    if (plan.path == StorePath::Registers)
      remark::passed(loc, options) << text;
    else
      remark::missed(loc, options) << text;
  }
};

} // namespace
