//===- LowerRoles.cpp - lower roles to branches ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch depends on the thread's number. It begins with a change of the
// register count if the roles have register counts.
//
//===----------------------------------------------------------------------===//

#include "LowerRoles.h"

#include "MergeGuardedRegions.h"
#include "Transfers/LowerTransfers.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

/// Moves a role's ops into a branch, behind the change of registers.
static void moveRole(Region &role, Block *branch) {
  if (role.empty())
    return;
  branch->getOperations().splice(branch->getTerminator()->getIterator(),
                                 role.front().getOperations());
}

/// What the roles' threads have together is what the block starts with, spread
/// evenly: PTX asks for the number where registers are handed over.
void RoleLowering::setRegistersAtEntry(RingRolesOp roles) {
  int64_t producers = roles.getProducerThreads(),
          consumers = roles.getConsumerThreads();
  int64_t total = producers * *roles.getProducerRegisters() +
                  consumers * *roles.getConsumerRegisters();
  int64_t each = llvm::alignTo(llvm::divideCeil(total, producers + consumers),
                               rules::kRegisterStep);
  kernel.func->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                       IntegerAttr::get(kernel.top.getI32Type(), each));
}

void RoleLowering::lower(RingRolesOp roles) {
  ImplicitLocOpBuilder b(roles.getLoc(), roles);
  Value thread = threads.getBlockThread();
  Value produces = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, thread,
      createConstant(b, thread.getType(), roles.getConsumerThreads()));
  auto change = [&](RegisterChange direction,
                    std::optional<uint32_t> registers) {
    if (!registers)
      return;
    auto op = SetMaxRegistersOp::create(b, direction, *registers);
    if (kernel.target.explainMissing(op.getTargetRequirement()).empty())
      return setRegistersAtEntry(roles);
    op.erase();
    skippedRegisters.push_back(*registers);
  };
  auto branch = scf::IfOp::create(b, produces, /*withElseRegion=*/true);
  // Who gives registers up comes first: the other role waits for them.
  b.setInsertionPointToStart(branch.thenBlock());
  change(RegisterChange::Decrease, roles.getProducerRegisters());
  moveRole(roles.getProducer(), branch.thenBlock());
  guardAsOne(*branch.thenBlock());
  b.setInsertionPointToStart(branch.elseBlock());
  change(RegisterChange::Increase, roles.getConsumerRegisters());
  moveRole(roles.getConsumer(), branch.elseBlock());
  roles.erase();
}
