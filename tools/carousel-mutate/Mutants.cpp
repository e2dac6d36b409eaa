//===- Mutants.cpp - mutants of synchronising ops -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In one walk, each op lists the kinds of mutants that it has. Mutants that
// don't verify are left out.
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::mutate;

static constexpr llvm::StringLiteral kKindNames[] = {
    "drop",       "without-tx",   "flip-parity",  "more-bytes", "fewer-bytes",
    "until-read", "more-pending", "other-thread", "more-count", "fewer-count",
    "swap-noinc", "relax",        "early",        "late"};
static_assert(std::size(kKindNames) == kNumMutantKinds);

StringRef mutate::stringifyMutantKind(MutantKind kind) {
  return kKindNames[unsigned(kind)];
}

std::optional<MutantKind> mutate::parseMutantKind(StringRef text) {
  const auto *found = llvm::find(kKindNames, text);
  if (found == std::end(kKindNames))
    return std::nullopt;
  return MutantKind(found - std::begin(kKindNames));
}

bool MutantFilter::includes(MutantKind kind) const {
  return kinds.empty() || llvm::is_contained(kinds, kind);
}

//===----------------------------------------------------------------------===//
// Counts and sizes
//===----------------------------------------------------------------------===//

namespace {

/// A count or size of an op: a value, a literal, or 1 where it has neither.
struct Amount {
  Operation *op;
  OpOperand *value; ///< or null
  StringRef literalName;

  std::optional<int64_t> getConstant() const {
    APInt constant;
    if (value)
      return matchPattern(value->get(), m_ConstantInt(&constant))
                 ? std::optional(constant.getSExtValue())
                 : std::nullopt;
    auto literal = op->getAttrOfType<IntegerAttr>(literalName);
    return literal ? literal.getInt() : 1;
  }

  void add(int64_t summand) const {
    OpBuilder builder(op);
    if (!value) {
      op->setAttr(literalName,
                  builder.getI32IntegerAttr(*getConstant() + summand));
      return;
    }
    Value step =
        arith::ConstantIntOp::create(builder, op->getLoc(), summand, 32);
    value->set(
        arith::AddIOp::create(builder, op->getLoc(), value->get(), step));
  }
};

} // namespace

template <typename Op> static Amount getCount(Op op) {
  MutableOperandRange range = op.getCountMutable();
  return {op, range.empty() ? nullptr : &range[0], "static_count"};
}

template <typename Op> static Amount getBytes(Op op) {
  MutableOperandRange range = op.getBytesMutable();
  return {op, range.empty() ? nullptr : &range[0], "static_bytes"};
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

template <typename... Ops> static bool isOneOf(Operation *op) {
  return isa<Ops...>(op);
}

/// Orders threads, CTAs, grids or proxies and does nothing else.
static bool isSynchronisation(Operation *op) {
  return isOneOf<
      gpu::BarrierOp, FenceThreadOp, FenceProxyOp, FenceMbarrierInitOp,
      FenceSyncRestrictOp, FenceProxySyncRestrictOp, FenceTensorMapReleaseOp,
      FenceTensorMapAcquireOp, MbarrierInitOp, MbarrierInvalOp,
      MbarrierExpectTxOp, MbarrierCompleteTxOp, MbarrierArriveOp,
      MbarrierArriveDropOp, MbarrierArriveExpectTxOp,
      MbarrierArriveDropExpectTxOp, MbarrierTestWaitOp, MbarrierTryWaitOp,
      MbarrierWaitOp, CpAsyncCommitGroupOp, CpAsyncWaitGroupOp,
      CpAsyncWaitAllOp, CpAsyncMbarrierArriveOp, BulkCommitGroupOp,
      BulkWaitGroupOp, BarrierSyncOp, BarrierArriveOp, BarrierWarpOp,
      ClusterArriveOp, ClusterWaitOp, GridLaunchDependentsOp,
      GridDependencyWaitOp, GridSerialWaitOp, GridSerialReleaseOp,
      SignalReleaseOp, SignalWaitOp, WgmmaFenceOp, WgmmaCommitOp, WgmmaWaitOp>(
      op);
}

static bool containsSynchronisation(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isSynchronisation(inner) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Reads or writes memory: not what only changes threads, groups or caches.
static bool accessesMemory(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return !effects ||
         llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &e) {
           return isa<MemoryEffects::Read, MemoryEffects::Write>(
                      e.getEffect()) &&
                  (isa<GlobalMemoryResource, SharedMemoryResource>(
                       e.getResource()) ||
                   e.getResource() == SideEffects::DefaultResource::get());
         });
}

/// The access next to `op` in its block, with nothing that synchronises
/// between; null where there is none. An access may be a whole loop.
static Operation *findAccess(Operation *op, bool before) {
  auto next = [before](Operation *at) {
    return before ? at->getPrevNode() : at->getNextNode();
  };
  for (Operation *at = next(op); at; at = next(at)) {
    if (containsSynchronisation(at) || at->hasTrait<OpTrait::IsTerminator>())
      return nullptr;
    if (accessesMemory(at))
      return at;
  }
  return nullptr;
}

/// The last op of the kind before `op` in its block, or the first one after it;
/// null where there is none.
template <typename Op> static Operation *findNext(Operation *op, bool before) {
  Operation *at = op;
  do
    at = before ? at->getPrevNode() : at->getNextNode();
  while (at && !isa<Op>(at));
  return at;
}

static Operation *findEarlierPlace(Operation *op) {
  Operation *access = findAccess(op, /*before=*/true);
  if (!access)
    return nullptr;
  bool isReady = llvm::all_of(op->getOperands(), [access](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !source || source->getBlock() != access->getBlock() ||
           source->isBeforeInBlock(access);
  });
  return isReady ? access : nullptr;
}

/// Whether a value is computed from what differs between the threads of a CTA.
static bool isOfThread(Value value) {
  Operation *source = value.getDefiningOp();
  return source &&
         (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp, ElectOp>(
              source) ||
          llvm::any_of(source->getOperands(), isOfThread));
}

/// Groups belong to threads, and threads that elect one issue by the first lane
/// of a warp. The second lane does it instead, beside the branch that parts
/// them.
static void moveToOtherThread(Operation *op) {
  Operation *branch = op;
  for (Operation *outer = op->getParentOp(); outer;
       outer = outer->getParentOp()) {
    auto conditional = dyn_cast<scf::IfOp>(outer);
    if (conditional && isOfThread(conditional.getCondition())) {
      branch = outer;
      break;
    }
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(branch);
  Location loc = op->getLoc();
  Value lane = gpu::LaneIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  Value second = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isOther = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        lane, second);
  auto alone = scf::IfOp::create(builder, loc, isOther);
  op->moveBefore(alone.thenBlock()->getTerminator());
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

namespace {

/// Collects the mutants of one op.
struct OpMutants {
  Operation *op;
  std::string prefix;
  const MutantFilter &filter;
  std::vector<Mutant> &mutants;

  void add(MutantKind kind, std::function<void()> apply) {
    if (filter.includes(kind))
      mutants.push_back({kind, op,
                         prefix + "/" + stringifyMutantKind(kind).str(),
                         std::move(apply)});
  }

  void addDrop() {
    if (op->use_empty())
      return add(MutantKind::Drop, [op = op] { op->erase(); });
    // Whether a phase has completed, or a counter has reached a value: it
    // always has.
    if (!isa<MbarrierTestWaitOp, MbarrierTryWaitOp, SignalWaitOp>(op))
      return;
    add(MutantKind::Drop, [op = op] {
      OpBuilder builder(op);
      Value yes =
          arith::ConstantIntOp::create(builder, op->getLoc(), 1, /*width=*/1);
      op->getResult(0).replaceAllUsesWith(yes);
      op->erase();
    });
  }

  void addAmount(MutantKind more, MutantKind fewer, Amount amount, int64_t step,
                 int64_t least, int64_t most) {
    std::optional<int64_t> constant = amount.getConstant();
    if (!constant || *constant + step <= most)
      add(more, [=] { amount.add(step); });
    if (!constant || *constant - step >= least)
      add(fewer, [=] { amount.add(-step); });
  }

  /// An arrival that raises the expected bytes first.
  template <typename Plain, typename Op> void addWithoutTx(Op arrive) {
    add(MutantKind::WithoutTx, [arrive]() mutable {
      OpBuilder builder(arrive);
      auto plain = Plain::create(
          builder, arrive.getLoc(), arrive->getResultTypes(),
          arrive.getBarriers(), arrive.getIndices(), /*count=*/Value(),
          /*static_count=*/IntegerAttr(), arrive.getSemantics(),
          arrive.getScope(), /*no_complete=*/false);
      arrive->replaceAllUsesWith(plain);
      arrive->erase();
    });
  }

  template <typename Op> void addArrive(Op arrive) {
    if (arrive.getSemantics() != MemSemantics::Relaxed && !isNoComplete(arrive))
      add(MutantKind::Relax,
          [arrive]() mutable { arrive.setSemantics(MemSemantics::Relaxed); });
    if (Operation *place = findEarlierPlace(arrive))
      add(MutantKind::Early,
          [arrive, place]() mutable { arrive->moveBefore(place); });
  }

  template <typename Op> void addWait(Op wait) {
    if (wait.getParity())
      add(MutantKind::FlipParity, [wait]() mutable {
        OpBuilder builder(wait);
        Value yes = arith::ConstantIntOp::create(builder, wait.getLoc(), 1, 1);
        Value other = arith::XOrIOp::create(builder, wait.getLoc(),
                                            wait.getParity(), yes);
        wait.getParityMutable().assign(other);
      });
    if (wait.getSemantics() != MemSemantics::Relaxed)
      add(MutantKind::Relax,
          [wait]() mutable { wait.setSemantics(MemSemantics::Relaxed); });
    if (!wait->use_empty())
      return;
    if (Operation *place = findAccess(wait, /*before=*/false))
      add(MutantKind::Late,
          [wait, place]() mutable { wait->moveAfter(place); });
  }

  void addSignal(SignalReleaseOp signal) {
    if (signal.getSemantics() != MemSemantics::Relaxed)
      add(MutantKind::Relax,
          [signal]() mutable { signal.setSemantics(MemSemantics::Relaxed); });
    // Before an access, or the wait for stores.
    Operation *place = findEarlierPlace(signal);
    if (!place)
      place = findNext<BulkWaitGroupOp>(signal, /*before=*/true);
    if (place)
      add(MutantKind::Early,
          [signal, place]() mutable { signal->moveBefore(place); });
  }

  void addSignalWait(SignalWaitOp wait) {
    if (wait.getSemantics() != MemSemantics::Relaxed)
      add(MutantKind::Relax,
          [wait]() mutable { wait.setSemantics(MemSemantics::Relaxed); });
    // After an access, or the fence before those of engines.
    Operation *place = findAccess(wait, /*before=*/false);
    if (!place)
      place = findNext<FenceProxyOp>(wait, /*before=*/false);
    if (place && wait->use_empty())
      add(MutantKind::Late,
          [wait, place]() mutable { wait->moveAfter(place); });
  }

  template <typename Op> void addPending(Op wait) {
    add(MutantKind::MorePending,
        [wait]() mutable { wait.setPending(wait.getPending() + 1); });
  }

  void addOtherThread() {
    add(MutantKind::OtherThread, [op = op] { moveToOtherThread(op); });
  }

  void addOthers();

private:
  /// `no_complete` needs release semantics (C35).
  template <typename Op> static bool isNoComplete(Op arrive) {
    if constexpr (llvm::is_one_of<Op, MbarrierArriveOp,
                                  MbarrierArriveDropOp>::value)
      return arrive.getNoComplete();
    return false;
  }
};

} // namespace

void OpMutants::addOthers() {
  auto addCount = [this](Amount amount) {
    addAmount(MutantKind::MoreCount, MutantKind::FewerCount, amount, 1, 1,
              rules::kMaxArrivals);
  };
  // The amount grows by the least that a bulk copy moves.
  auto addBytes = [this](Amount amount) {
    addAmount(MutantKind::MoreBytes, MutantKind::FewerBytes, amount,
              rules::kBulkGranule, 0, rules::kMaxTransactionBytes);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](MbarrierInitOp init) { addCount(getCount(init)); })
      .Case<MbarrierExpectTxOp, MbarrierCompleteTxOp>(
          [&](auto expect) { addBytes(getBytes(expect)); })
      .Case<MbarrierArriveOp, MbarrierArriveDropOp>([&](auto arrive) {
        addCount(getCount(arrive));
        addArrive(arrive);
      })
      .Case([&](MbarrierArriveExpectTxOp arrive) {
        addWithoutTx<MbarrierArriveOp>(arrive);
        addBytes(getBytes(arrive));
        addArrive(arrive);
      })
      .Case([&](MbarrierArriveDropExpectTxOp arrive) {
        addWithoutTx<MbarrierArriveDropOp>(arrive);
        addBytes(getBytes(arrive));
        addArrive(arrive);
      })
      .Case<MbarrierTestWaitOp, MbarrierTryWaitOp, MbarrierWaitOp>(
          [&](auto wait) { addWait(wait); })
      .Case([&](BulkWaitGroupOp wait) {
        if (wait.getUntil() == GroupWait::Complete)
          add(MutantKind::UntilRead,
              [wait]() mutable { wait.setUntil(GroupWait::Read); });
        addPending(wait);
        addOtherThread();
      })
      .Case([&](SignalReleaseOp signal) { addSignal(signal); })
      .Case([&](SignalWaitOp wait) { addSignalWait(wait); })
      .Case([&](BulkCommitGroupOp) { addOtherThread(); })
      .Case([&](CpAsyncWaitGroupOp wait) { addPending(wait); })
      .Case([&](WgmmaWaitOp wait) {
        if (wait.getPending() < kMaxWgmmaPending)
          addPending(wait);
      })
      .Case([&](CpAsyncMbarrierArriveOp arrive) {
        add(MutantKind::SwapNoinc,
            [arrive]() mutable { arrive.setNoinc(!arrive.getNoinc()); });
      });
}

/// Fences between products of one shape are redundant: the types of their
/// registers keep other accesses away.
static bool hasOneShape(FunctionOpInterface function) {
  std::optional<std::pair<int64_t, int64_t>> known;
  return !function
              ->walk([&](WgmmaMmaOp product) {
                WgmmaForm form = product.getForm();
                std::pair<int64_t, int64_t> shape(form.n, form.getDepth());
                if (known && *known != shape)
                  return WalkResult::interrupt();
                known = shape;
                return WalkResult::advance();
              })
              .wasInterrupted();
}

std::vector<Mutant> mutate::enumerateMutants(ModuleOp module,
                                             const MutantFilter &filter) {
  std::vector<Mutant> mutants;
  module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!filter.function.empty() && function.getName() != filter.function)
      return;
    llvm::StringMap<unsigned> ordinals;
    bool isFenceRedundant = hasOneShape(function);
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isSynchronisation(op) || (isFenceRedundant && isa<WgmmaFenceOp>(op)))
        return;
      StringRef name = op->getName().getStringRef();
      name.consume_front("carousel.");
      std::string prefix =
          (function.getName() + "/" + name + "/" + Twine(ordinals[name]++))
              .str();
      OpMutants own{op, std::move(prefix), filter, mutants};
      own.addDrop();
      own.addOthers();
    });
  });
  return mutants;
}
