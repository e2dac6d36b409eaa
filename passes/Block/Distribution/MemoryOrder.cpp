//===- MemoryOrder.cpp - accesses of one memory by many threads -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MemoryOrder.h.
//
//===----------------------------------------------------------------------===//

#include "MemoryOrder.h"

#include "../Threads/ThreadProgram.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

MemoryOrder::MemoryOrder(gpu::GPUFuncOp kernel, const LayoutPlan &plan)
    : kernel(kernel), plan(plan) {}

/// Arguments that may be the same memref count as the first of them.
Value MemoryOrder::findMemory(Value memref) const {
  Value root = getRootBuffer(memref);
  SmallVector<KernelArgument> arguments = getKernelArguments(kernel);
  for (const KernelArgument &argument : arguments)
    if (argument.mayAlias && root == kernel.getArgument(argument.position))
      return kernel.getArgument(arguments[*argument.mayAlias].position);
  return root;
}

std::optional<MemoryOrder::Access> MemoryOrder::describe(Operation *op) const {
  std::optional<ElementAccess> access = findElementAccess(op);
  if (!access ||
      (isa<VectorTransferOpInterface>(op) && plan.getAccess(op).isTransfer))
    return std::nullopt;
  return Access{op, findMemory(access->memref), access->writes};
}

/// Two transfers of the same box in the same layout, or two scalars, which the
/// first thread writes. Where threads have copies, all of them read, and the
/// first one writes.
bool MemoryOrder::isOfSameThread(Operation *a, Operation *b) const {
  if (isa<memref::StoreOp>(a) && isa<memref::StoreOp>(b))
    return true;
  auto first = dyn_cast<VectorTransferOpInterface>(a);
  auto second = dyn_cast<VectorTransferOpInterface>(b);
  return first && second && first.getBase() == second.getBase() &&
         first.getIndices() == second.getIndices() &&
         first.getVectorType().getShape() ==
             second.getVectorType().getShape() &&
         first.getPermutationMap() == second.getPermutationMap() &&
         plan.getAccess(a).layout == plan.getAccess(b).layout &&
         (getFreeThreadBits(plan.getAccess(a).layout) == 0 ||
          isa<vector::TransferWriteOp>(a) == isa<vector::TransferWriteOp>(b));
}

bool MemoryOrder::mayMeet(Operation *a, Operation *b) const {
  std::optional<Access> first = describe(a), second = describe(b);
  return first && second && first->memory == second->memory &&
         !isOfSameThread(a, b);
}

bool MemoryOrder::needsBarrier(Operation *op) {
  std::optional<Access> access = describe(op);
  if (!access)
    return false;
  bool conflicts = llvm::any_of(pending, [&](const Access &earlier) {
    return earlier.memory == access->memory &&
           (earlier.writes || access->writes) &&
           !isOfSameThread(earlier.op, op);
  });
  if (conflicts)
    pending.clear();
  pending.push_back(*access);
  for (std::vector<Access> &body : bodies)
    body.push_back(*access);
  return conflicts;
}

/// The extent of a transfer's box along a dimension of the memref.
static int64_t getBoxExtent(VectorTransferOpInterface transfer, unsigned at) {
  for (auto [dim, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults()))
    if (auto along = dyn_cast<AffineDimExpr>(expr))
      if (along.getPosition() == at)
        return transfer.getVectorType().getDimSize(dim);
  return 1;
}

/// Whether an index is the induction variable, or it plus numbers from outside
/// of the loop.
static bool movesWith(scf::ForOp loop, Value index) {
  while (index != loop.getInductionVar()) {
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (!sum)
      return false;
    if (loop.isDefinedOutsideOfLoop(sum.getLhs()))
      index = sum.getRhs();
    else if (loop.isDefinedOutsideOfLoop(sum.getRhs()))
      index = sum.getLhs();
    else
      return false;
  }
  return true;
}

/// Whether the box moves on with the loop by its own extent or more.
bool MemoryOrder::isOfOneIteration(Operation *op, Operation *loop) const {
  auto range = dyn_cast<scf::ForOp>(loop);
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!range || !transfer)
    return false;
  int64_t step = indices.getMultiple(range.getStep());
  for (auto [at, index] : llvm::enumerate(transfer.getIndices()))
    if (step >= getBoxExtent(transfer, at) && movesWith(range, index))
      return true;
  return false;
}

/// Whether boxes begin at multiples of their extents. Then those of two
/// iterations are the same or have no element in common, so that an element has
/// the same thread in each.
bool MemoryOrder::isOfTiling(Operation *op) const {
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer)
    return false;
  for (auto [at, index] : llvm::enumerate(transfer.getIndices()))
    if (indices.getMultiple(index) % getBoxExtent(transfer, at) != 0)
      return false;
  return true;
}

bool MemoryOrder::leaveLoop(Operation *loop) {
  std::vector<Access> body = std::move(bodies.back());
  bodies.pop_back();
  for (const Access &write : body)
    for (const Access &other : body) {
      if (!write.writes || write.memory != other.memory)
        continue;
      bool isScalar = isa<memref::StoreOp>(write.op);
      if ((isScalar || isOfOneIteration(write.op, loop) ||
           isOfTiling(write.op)) &&
          (write.op == other.op || isOfSameThread(write.op, other.op)))
        continue;
      pending.clear();
      return true;
    }
  return false;
}
