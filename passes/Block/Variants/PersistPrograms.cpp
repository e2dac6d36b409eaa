//===- PersistPrograms.cpp - CTAs that go through programs ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PersistPrograms.h.
//
//===----------------------------------------------------------------------===//

#include "PersistPrograms.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace carousel;

static LaunchAttr getLaunch(gpu::GPUFuncOp kernel) {
  return kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
}

bool carousel::canPersist(gpu::GPUFuncOp kernel) {
  ArrayRef<ExprAttr> grid = getLaunch(kernel).getGrid();
  if (grid.size() != 1 || grid[0].getKind() != ExprKind::Extent)
    return false;
  bool can = true;
  kernel->walk([&](Operation *op) {
    if (op == kernel)
      return;
    auto id = dyn_cast<gpu::BlockIdOp>(op);
    can &= op->getNumRegions() == 0 &&
           (!id || id.getDimension() == gpu::Dimension::x) &&
           !isa<gpu::GridDimOp, GridTicketOp, SignalOp, WaitSignalOp,
                ClusterArriveOp, ClusterWaitOp, TransferOpInterface,
                memref::AllocOp>(op);
  });
  return can;
}

namespace {

class LoopOverPrograms {
public:
  LoopOverPrograms(gpu::GPUFuncOp kernel, int64_t ctas)
      : kernel(kernel), ctas(ctas), old(kernel.getBody().front()),
        b(kernel.getLoc(), kernel.getContext()) {}

  void write() {
    noteWritten();
    SmallVector<Operation *> own;
    SmallVector<Operation *> common;
    for (Operation &op : old.without_terminator())
      (isOwn(&op) ? own : common).push_back(&op);
    b.setInsertionPoint(old.getTerminator());
    for (Operation *op : common)
      op->moveBefore(old.getTerminator());
    scf::ForOp loop = createLoop();
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op : own) {
      op->moveBefore(end);
      if (isa<gpu::BlockIdOp>(op)) {
        op->getResult(0).replaceAllUsesWith(loop.getInductionVar());
        op->erase();
      }
    }
    shrinkGrid();
  }

private:
  void noteWritten() {
    for (Operation &op : old)
      if (auto access = findElementAccess(&op); access && access->writes)
        written.insert(access->memref);
  }

  /// Whether each program executes the op: its operands differ, or it writes,
  /// or reads what may be written.
  bool isOwn(Operation *op) {
    std::optional<ElementAccess> access = findElementAccess(op);
    bool reads = access && !access->writes;
    bool own = isa<gpu::BlockIdOp>(op) || (!isMemoryEffectFree(op) && !reads) ||
               llvm::any_of(op->getOperands(), [&](Value operand) {
                 return ofPrograms.contains(operand) ||
                        (reads && written.contains(operand));
               });
    if (own)
      ofPrograms.insert(op->result_begin(), op->result_end());
    return own;
  }

  scf::ForOp createLoop() {
    ExprAttr grid = getLaunch(kernel).getGrid()[0];
    Value memref =
        old.getArgument(getArgumentPositions(kernel)[grid.getArgument()]);
    Value programs = memref::DimOp::create(b, memref, grid.getValue());
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value step = gpu::GridDimOp::create(b, gpu::Dimension::x);
    auto loop = scf::ForOp::create(b, first, programs, step);
    loop->setAttr(CarouselDialect::kPipeline,
                  PipelineAttr::getAuto(kernel.getContext()));
    return loop;
  }

  void shrinkGrid() {
    MLIRContext *context = kernel.getContext();
    LaunchAttr launch = getLaunch(kernel);
    auto resident = ExprAttr::get(context, ExprKind::Resident, 0, 0, {}, {});
    if (ctas != 1)
      resident = ExprAttr::get(
          context, ExprKind::CeilDiv, 0, 0, resident,
          ExprAttr::get(context, ExprKind::Constant, ctas, 0, {}, {}));
    auto grid = ExprAttr::get(context, ExprKind::Min, 0, 0, launch.getGrid()[0],
                              resident);
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(context, grid, launch.getBlock(),
                                    launch.getCluster(), launch.getShared()));
  }

  gpu::GPUFuncOp kernel;
  int64_t ctas;
  Block &old;
  ImplicitLocOpBuilder b;
  llvm::DenseSet<Value> written, ofPrograms;
};

} // namespace

void carousel::persistPrograms(gpu::GPUFuncOp kernel, int64_t ctas) {
  LoopOverPrograms(kernel, ctas).write();
}
