//===- LowerGathers.cpp - values of a cluster's CTAs ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-gathers. Constraint C214 of docs/Spec.md. Each gather has an
// inbox, with an element for each CTA, and an mbarrier. Thread r of a CTA
// stores the CTA's value to the inbox of CTA r, which completes its bytes on
// the mbarrier there. All threads wait until the bytes of all CTAs have
// arrived. The mbarriers are initialised at the kernel's start, and the
// cluster's barrier makes them visible to the peers before the first store. A
// CTA doesn't exit before its inboxes are full, so that none of its peers'
// stores comes too late.
//
// Gathers that follow each other and need nothing of one another send first,
// and wait then.
//
// In a loop, kTurns inboxes take turns, each with an mbarrier. That a peer's
// value has arrived doesn't order what the peer did before it sent it (PTX ISA,
// st.async). So the cluster meets whenever the turns begin again: by then all
// threads have read the inboxes.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERGATHERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

class GatherLowering {
public:
  explicit GatherLowering(gpu::GPUFuncOp kernel)
      : kernel(kernel),
        isBlockProgram(kernel->hasAttr(CarouselDialect::kBlockProgram)),
        top(kernel.getLoc(), kernel.getContext()) {}

  void run(ArrayRef<ClusterGatherOp> gathers) {
    top.setInsertionPointToStart(&kernel.getBody().front());
    thread = isBlockProgram ? arith::ConstantIndexOp::create(top, 0).getResult()
                            : makeThread();
    for (ClusterGatherOp gather : gathers)
      allocate(gather);
    Value isFirst = isThread(top, 0);
    auto branch = scf::IfOp::create(top, isFirst, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(top);
      top.setInsertionPointToStart(branch.thenBlock());
      for (const Slot &slot : slots)
        initBarriers(slot);
      FenceMbarrierInitOp::create(top);
      for (auto [slot, gather] : llvm::zip_equal(slots, gathers))
        if (slot.turns == 1)
          expectAll(top, gather, slot, makeIndex(top, 0));
    }
    ClusterArriveOp::create(top, MemSemantics::Release, /*unaligned=*/false);
    // Other work goes on in between.
    Operation *first =
        kernel.getBody().front().findAncestorOpInBlock(*gathers.front());
    ImplicitLocOpBuilder b(first->getLoc(), first);
    ClusterWaitOp::create(b, /*unaligned=*/false);
    for (auto [slot, gather] : llvm::zip_equal(slots, gathers))
      lower(gather, slot);
  }

  /// Gathers that need nothing of one another are one exchange: a CTA waits for
  /// the first one's bytes once it has sent the last one's.
  static Operation *findWait(ClusterGatherOp gather) {
    Operation *at = gather->getNextNode();
    auto needs = [&](Operation *op) {
      return llvm::any_of(gather->getUsers(), [&](Operation *user) {
        return op->isAncestor(user);
      });
    };
    while (!at->hasTrait<OpTrait::IsTerminator>() && !needs(at) &&
           (isa<ClusterGatherOp>(at) || isPure(at)))
      at = at->getNextNode();
    return at;
  }

private:
  static constexpr int64_t kTurns = 32;

  struct Slot {
    Value inboxes, barriers; ///< one for each turn
    int64_t turns;
  };

  /// The inbox that a gather uses, and how often it was used before.
  struct Turn {
    Value number; ///< an index
    Value parity; ///< an i1
  };

  static int64_t getCount(ClusterGatherOp gather) {
    return cast<VectorType>(gather.getResult().getType()).getNumElements();
  }

  static int64_t getBytes(ClusterGatherOp gather) {
    return getCount(gather) *
           gather.getValue().getType().getIntOrFloatBitWidth() / 8;
  }

  MemRefType getShared(ArrayRef<int64_t> shape, Type element) {
    return MemRefType::get(
        shape, element, MemRefLayoutAttrInterface(),
        gpu::AddressSpaceAttr::get(kernel.getContext(),
                                   gpu::AddressSpace::Workgroup));
  }

  static MemRefType getPeer(MemRefType own) {
    return MemRefType::get(
        own.getShape(), own.getElementType(), own.getLayout(),
        NVVM::NVVMMemorySpaceAttr::get(own.getContext(),
                                       NVVM::NVVMMemorySpace::SharedCluster));
  }

  void allocate(ClusterGatherOp gather) {
    constexpr int64_t kVectorBytes = 16;
    int64_t turns = isa<scf::ForOp>(gather->getParentOp()) ? kTurns : 1;
    MemRefType inboxes =
        getShared({turns, getCount(gather)}, gather.getValue().getType());
    MemRefType barriers =
        getShared(turns, MbarrierType::get(kernel.getContext()));
    slots.push_back(
        {memref::AllocOp::create(top, inboxes, ValueRange(),
                                 top.getI64IntegerAttr(kVectorBytes)),
         memref::AllocOp::create(top, barriers), turns});
  }

  static Value makeIndex(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  void initBarriers(const Slot &slot) {
    auto init = [&](ImplicitLocOpBuilder &b, Value turn) {
      MbarrierInitOp::create(b, slot.barriers, turn, /*count=*/Value(),
                             b.getI32IntegerAttr(1));
    };
    Value first = makeIndex(top, 0);
    if (slot.turns == 1)
      return init(top, first);
    auto loop = scf::ForOp::create(top, first, makeIndex(top, slot.turns),
                                   makeIndex(top, 1));
    ImplicitLocOpBuilder b(top.getLoc(), loop.getBody()->getTerminator());
    init(b, loop.getInductionVar());
  }

  static void expectAll(ImplicitLocOpBuilder &b, ClusterGatherOp gather,
                        const Slot &slot, Value turn) {
    MbarrierArriveExpectTxOp::create(b, /*state=*/Type(), slot.barriers, turn,
                                     /*bytes=*/Value(),
                                     b.getI32IntegerAttr(getBytes(gather)));
  }

  /// The thread's number in the CTA.
  Value makeThread() {
    Value number;
    for (auto dim : {gpu::Dimension::z, gpu::Dimension::y, gpu::Dimension::x}) {
      Value own = gpu::ThreadIdOp::create(top, dim);
      if (number)
        own = arith::AddIOp::create(
            top, own,
            arith::MulIOp::create(top, number,
                                  gpu::BlockDimOp::create(top, dim)));
      number = own;
    }
    return number;
  }

  Value isThread(ImplicitLocOpBuilder &b, int64_t number) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                                 arith::ConstantIndexOp::create(b, number));
  }

  /// Replaces a loop by one that counts. Returns the iterations before the
  /// current one, an i32.
  static Value countIterations(scf::ForOp loop) {
    ImplicitLocOpBuilder b(loop.getLoc(), loop);
    Value zero = arith::ConstantIntOp::create(b, 0, 32);
    DictionaryAttr attrs = loop->getDiscardableAttrDictionary();
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    auto next = [](OpBuilder &builder, Location loc,
                   ArrayRef<BlockArgument> counts) -> SmallVector<Value> {
      Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
      return {arith::AddIOp::create(builder, loc, counts[0], one)};
    };
    FailureOr<LoopLikeOpInterface> counting = loop.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, next);
    (*counting)->setDiscardableAttrs(attrs);
    return counting->getRegionIterArgs().back();
  }

  /// The number of the inbox in this iteration. Before the loop's first gather
  /// the cluster meets if the turns begin again.
  Turn getTurnOfLoop(ClusterGatherOp gather) {
    auto loop = cast<scf::ForOp>(gather->getParentOp());
    Value count = iterations.lookup(loop);
    bool isFirst = !count;
    if (isFirst) {
      count = countIterations(loop);
      iterations[gather->getParentOp()] = count;
    }
    ImplicitLocOpBuilder b(gather.getLoc(), gather);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, value, 32);
    };
    Value number = arith::AndIOp::create(b, count, constant(kTurns - 1));
    Value round =
        arith::ShRUIOp::create(b, count, constant(llvm::Log2_64(kTurns)));
    if (isFirst) {
      Value begins = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                           constant(0));
      Value again = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, round,
                                          constant(0));
      createIf(b, arith::AndIOp::create(b, begins, again), [&] {
        ClusterArriveOp::create(b, MemSemantics::Release, /*unaligned=*/false);
        ClusterWaitOp::create(b, /*unaligned=*/false);
      });
    }
    return {arith::IndexCastOp::create(b, b.getIndexType(), number),
            arith::TruncIOp::create(b, b.getI1Type(), round)};
  }

  Turn getTurn(ClusterGatherOp gather) {
    if (isa<scf::ForOp>(gather->getParentOp()))
      return getTurnOfLoop(gather);
    ImplicitLocOpBuilder b(gather.getLoc(), gather);
    return {makeIndex(b, 0), arith::ConstantIntOp::create(b, 0, 1)};
  }

  void send(ImplicitLocOpBuilder &b, ClusterGatherOp gather, const Slot &slot,
            Value turn, Value to) {
    Value peer = arith::IndexCastOp::create(b, b.getI32Type(), to);
    Value rank = arith::IndexCastOp::create(b, b.getIndexType(),
                                            ClusterRankOp::create(b));
    auto map = [&](Value own) -> Value {
      return ClusterMapSharedOp::create(
          b, getPeer(cast<MemRefType>(own.getType())), own, peer);
    };
    StAsyncOp::create(b, gather.getValue(), map(slot.inboxes),
                      ValueRange{turn, rank}, map(slot.barriers), turn);
  }

  void createIf(ImplicitLocOpBuilder &b, Value condition,
                function_ref<void()> write) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    write();
  }

  void sendToAll(ImplicitLocOpBuilder &b, ClusterGatherOp gather,
                 const Slot &slot, Value turn) {
    int64_t ctas = getCount(gather);
    if (isBlockProgram) {
      if (slot.turns != 1)
        expectAll(b, gather, slot, turn);
      for (int64_t to = 0; to < ctas; ++to)
        send(b, gather, slot, turn, makeIndex(b, to));
      return;
    }
    if (slot.turns != 1)
      createIf(b, isThread(b, 0), [&] { expectAll(b, gather, slot, turn); });
    Value sends = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                        makeIndex(b, ctas));
    createIf(b, sends, [&] { send(b, gather, slot, turn, thread); });
  }

  Value readInbox(ImplicitLocOpBuilder &b, ClusterGatherOp gather,
                  const Slot &slot, Value turn) {
    auto type = cast<VectorType>(gather.getResult().getType());
    SmallVector<Value> place = {turn, makeIndex(b, 0)};
    if (!isBlockProgram)
      return vector::LoadOp::create(b, type, slot.inboxes, place);
    return vector::TransferReadOp::create(b, type, slot.inboxes, place,
                                          /*padding=*/std::nullopt,
                                          ArrayRef<bool>(true));
  }

  void lower(ClusterGatherOp gather, const Slot &slot) {
    Turn turn = getTurn(gather);
    ImplicitLocOpBuilder b(gather.getLoc(), gather);
    sendToAll(b, gather, slot, turn.number);
    b.setInsertionPoint(findWait(gather));
    MbarrierWaitOp::create(b, slot.barriers, turn.number, /*state=*/Value(),
                           turn.parity, /*suspend_ns=*/Value(),
                           MemSemantics::Acquire, MemScope::Cluster,
                           WaitLabelAttr());
    gather.getResult().replaceAllUsesWith(
        readInbox(b, gather, slot, turn.number));
    gather.erase();
  }

  gpu::GPUFuncOp kernel;
  bool isBlockProgram;
  ImplicitLocOpBuilder top;
  Value thread;
  SmallVector<Slot> slots;
  llvm::DenseMap<Operation *, Value> iterations;
};

} // namespace

static int64_t getProduct(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

/// Otherwise a CTA would wait for a value that no thread sends.
static LogicalResult verifyGather(gpu::GPUFuncOp kernel, ClusterGatherOp op) {
  // C214
  Operation *parent = op->getParentOp();
  if (isa<scf::ForOp>(parent))
    parent = parent->getParentOp();
  if (parent != kernel || !kernel.getBody().hasOneBlock())
    return op.emitOpError("expected a gather outside of branches and nested "
                          "loops, got one in '")
           << op->getParentOp()->getName() << "'";
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return success();
  int64_t values = cast<VectorType>(op.getResult().getType()).getNumElements();
  if (int64_t ctas = getProduct(launch.getCluster()); ctas != values)
    return op.emitOpError("expected a value for each CTA of the cluster, got ")
           << values << " values and " << ctas << " CTAs";
  int64_t threads = getProduct(launch.getBlock());
  if (threads < values && !kernel->hasAttr(CarouselDialect::kBlockProgram))
    return op.emitOpError("expected a thread for each value of a gather, got ")
           << values << " values in a block of " << threads << " threads";
  return success();
}

/// Adds the number of gathers to `count`.
static LogicalResult expandGathers(gpu::GPUFuncOp kernel, unsigned &count) {
  SmallVector<ClusterGatherOp> gathers;
  kernel.walk([&](ClusterGatherOp op) { gathers.push_back(op); });
  for (ClusterGatherOp op : gathers)
    if (failed(verifyGather(kernel, op)))
      return failure();
  if (!gathers.empty())
    GatherLowering(kernel).run(gathers);
  count += gathers.size();
  return success();
}

namespace {

struct LowerGathers : public carousel::impl::LowerGathersBase<LowerGathers> {
  using LowerGathersBase::LowerGathersBase;

  void runOnOperation() override {
    unsigned count = 0;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(expandGathers(kernel, count)))
        return signalPassFailure();
    gathers += count;
    if (count == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
