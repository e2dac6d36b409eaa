//===- TakeTurns.cpp - warpgroups that multiply by turns ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-take-turns. A warpgroup issues the products of an iteration when
// the one before it has issued its own. So it computes with the sums of these
// while tensor cores have the products of the other warpgroups. Each warpgroup
// has a named barrier, at which it waits, and the one before it arrives.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingBarriers.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_TAKETURNS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Ops on vectors of numbers, with which the other warpgroups' products are
/// worth waiting for: a softmax has more than ten.
static constexpr int64_t kLeastArithmetic = 4;

namespace {

/// The products of an iteration that are issued one after the other.
struct Turn {
  scf::ForOp loop;
  Operation *first, *last; ///< a fence and a commit
};

} // namespace

/// How many ops of the body compute with numbers that the wait returns.
static int64_t countArithmetic(WgmmaWaitOp wait) {
  llvm::SetVector<Operation *> users;
  auto add = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      users.insert(wait->getBlock()->findAncestorOpInBlock(*user));
  };
  add(wait);
  for (unsigned i = 0; i < users.size(); ++i)
    add(users[i]);
  return llvm::count_if(users, [](Operation *op) {
    return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
           op->getNumResults() == 1 &&
           isa<VectorType>(op->getResult(0).getType());
  });
}

/// Whether the slots of what is waited for in a turn are filled although the
/// other warpgroups are one iteration behind.
static bool mayWaitInTurn(RingWaitOp wait) {
  return cast<RingType>(wait.getRing().getType()).getStages() >= 2;
}

/// Whether the role of producers fills a ring of the CTA. All threads of the
/// other role wait for each use of it: so they execute as many iterations.
static bool isFedByProducers(RingWaitOp wait, RingRolesOp roles) {
  auto ring = wait.getRing().getDefiningOp<RingCreateOp>();
  return ring && ring.getScope() == TransferScope::CTA &&
         llvm::none_of(ring->getUsers(), [&](Operation *user) {
           return isa<RingProduceOp>(user) &&
                  roles.getConsumer().isAncestor(user->getParentRegion());
         });
}

static std::optional<Turn> findTurn(scf::ForOp loop, RingRolesOp roles) {
  Turn turn{loop, nullptr, nullptr};
  WgmmaWaitOp end;
  bool isFed = false;
  for (Operation &op : *loop.getBody()) {
    if (auto wait = dyn_cast<RingWaitOp>(op)) {
      isFed |= isFedByProducers(wait, roles);
      if (turn.first && !end && !mayWaitInTurn(wait))
        return std::nullopt;
    } else if (isa<WgmmaFenceOp>(op) && !turn.first) {
      turn.first = &op;
    } else if (isa<WgmmaCommitOp>(op) && !end) {
      turn.last = &op;
    } else if (auto wait = dyn_cast<WgmmaWaitOp>(op); wait && !end) {
      end = wait;
    } else if (turn.first && !end && !isa<WgmmaMmaOp, WgmmaFenceOp>(op) &&
               !isMemoryEffectFree(&op)) {
      return std::nullopt;
    }
  }
  if (!isFed || !turn.first || !turn.last || !end ||
      countArithmetic(end) < kLeastArithmetic)
    return std::nullopt;
  return turn;
}

namespace {

/// Inserts the barriers of one kernel, with numbers from `first` on.
class TurnWriter {
public:
  TurnWriter(RingRolesOp roles, int64_t first)
      : first(first), b(roles.getLoc(), roles.getContext()) {
    groups = roles.getConsumerThreads() / rules::kWarpgroupSize;
    b.setInsertionPointToStart(&roles.getConsumer().front());
    // Consumers are the first threads of a block of one dimension.
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    group = arith::DivUIOp::create(b, thread, constant(rules::kWarpgroupSize));
    own = getNumber(group);
    Value one = arith::AddIOp::create(b, group, constant(1));
    next = getNumber(arith::RemUIOp::create(b, one, constant(groups)));
    // The last warpgroup lets the first one begin, and the first one takes the
    // last arrival, so that none is left. Not at each loop: a warpgroup may be
    // at the next one before the first one has taken the last arrival.
    arriveIf(groups - 1);
    b.setInsertionPointToEnd(&roles.getConsumer().front());
    syncIf(0);
  }

  void write(const Turn &turn) {
    b.setInsertionPoint(turn.first);
    BarrierSyncOp::create(b, own, /*static_id=*/IntegerAttr(), getThreads());
    b.setInsertionPointAfter(turn.last);
    BarrierArriveOp::create(b, next, /*static_id=*/IntegerAttr(), getThreads());
  }

private:
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }
  Value getNumber(Value ofGroup) {
    Value number = arith::AddIOp::create(b, ofGroup, constant(first));
    return arith::IndexCastUIOp::create(b, b.getI32Type(), number);
  }
  /// The number of threads of the warpgroup that waits and the one before it.
  IntegerAttr getThreads() {
    return b.getI32IntegerAttr(2 * rules::kWarpgroupSize);
  }
  scf::IfOp createIf(int64_t number) {
    Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group,
                                     constant(number));
    return scf::IfOp::create(b, is, /*withElseRegion=*/false);
  }
  void arriveIf(int64_t number) {
    b.setInsertionPointToStart(createIf(number).thenBlock());
    BarrierArriveOp::create(b, /*id=*/Value(), b.getI32IntegerAttr(first),
                            getThreads());
  }
  void syncIf(int64_t number) {
    b.setInsertionPointToStart(createIf(number).thenBlock());
    BarrierSyncOp::create(b, /*id=*/Value(), b.getI32IntegerAttr(first),
                          getThreads());
  }

  int64_t first, groups;
  ImplicitLocOpBuilder b;
  Value group, own, next;
};

} // namespace

/// Why the warpgroups of the role can't take turns, or an empty string.
static std::string explainRole(gpu::GPUFuncOp kernel, RingRolesOp roles) {
  if (roles.getConsumerThreads() % rules::kWarpgroupSize != 0 ||
      roles.getConsumerThreads() < 2 * rules::kWarpgroupSize)
    return "the role has " + std::to_string(roles.getConsumerThreads()) +
           " threads, and no two warpgroups";
  std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
  if (!block || (*block)[1] != 1 || (*block)[2] != 1)
    return "the block has more than one dimension";
  return {};
}

namespace {

struct TakeTurns : public carousel::impl::TakeTurnsBase<TakeTurns> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(run(kernel)))
        return signalPassFailure();
  }

  LogicalResult run(gpu::GPUFuncOp kernel) {
    RingRolesOp roles;
    SmallVector<Turn> turns;
    kernel.walk([&](RingRolesOp op) {
      roles = op;
      op.getConsumer().walk([&](scf::ForOp loop) {
        if (std::optional<Turn> turn = findTurn(loop, op))
          turns.push_back(*turn);
      });
    });
    if (turns.empty())
      return success();
    std::string reason = explainRole(kernel, roles);
    int64_t first = 1; // 0 is that of gpu.barrier
    if (reason.empty()) {
      FailureOr<RingBarrierPlan> plan = planRingBarriers(kernel);
      if (failed(plan))
        return failure();
      for (const auto &[key, barriers] : plan->namedBarriers)
        first = std::max(first, barriers.first + barriers.count);
      int64_t groups = roles.getConsumerThreads() / rules::kWarpgroupSize;
      if (first + groups > rules::kNamedBarriers)
        reason = "of " + std::to_string(rules::kNamedBarriers) +
                 " named barriers " +
                 std::to_string(rules::kNamedBarriers - first) +
                 " are left for " + std::to_string(groups) + " warpgroups";
    }
    report(turns, kernel, reason);
    if (!reason.empty())
      return success();
    TurnWriter writer(roles, first);
    for (const Turn &turn : turns)
      writer.write(turn);
    loopsInTurns += turns.size();
    return success();
  }

  void report(ArrayRef<Turn> turns, gpu::GPUFuncOp kernel,
              const std::string &reason) {
    remark::RemarkOpts options = remark::RemarkOpts::name("Turns")
                                     .category("carousel-take-turns")
                                     .function(kernel.getName());
    for (const Turn &turn : turns) {
      Location loc = scf::ForOp(turn.loop).getLoc();
      if (reason.empty())
        remark::passed(loc, options)
            << remark::add("{0}", "a warpgroup issues products when the one "
                                  "before it has issued its own");
      else
        remark::missed(loc, options) << remark::add("no turns: {0}", reason);
    }
  }
};

} // namespace
