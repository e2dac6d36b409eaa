//===- LowerGathers.cpp - values of a cluster's CTAs ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LowerGathers.h. Each gather has an inbox, with an element for each CTA,
// and an mbarrier. Thread r of a CTA stores the CTA's value to the inbox of CTA
// r, which completes its bytes on the mbarrier there. All threads wait until
// the bytes of all CTAs have arrived. The mbarriers are initialised at the
// kernel's start, and the cluster's barrier makes them visible to the peers
// before the first store. A CTA doesn't exit before its inboxes are full, so
// that none of its peers' stores comes too late.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/LowerGathers.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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
        MbarrierInitOp::create(top, slot.barrier, ValueRange(),
                               /*count=*/Value(), top.getI32IntegerAttr(1));
      FenceMbarrierInitOp::create(top);
      for (auto [slot, gather] : llvm::zip_equal(slots, gathers))
        MbarrierArriveExpectTxOp::create(
            top, /*state=*/Type(), slot.barrier, ValueRange(),
            /*bytes=*/Value(), top.getI32IntegerAttr(getBytes(gather)));
    }
    ClusterArriveOp::create(top, MemSemantics::Release, /*unaligned=*/false);
    // Other work goes on in between.
    ClusterGatherOp first = gathers.front();
    ImplicitLocOpBuilder b(first.getLoc(), first);
    ClusterWaitOp::create(b, /*unaligned=*/false);
    for (auto [slot, gather] : llvm::zip_equal(slots, gathers))
      lower(gather, slot);
  }

private:
  struct Slot {
    Value inbox, barrier;
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
    MemRefType inbox = getShared(getCount(gather), gather.getValue().getType());
    MemRefType barrier = getShared({}, MbarrierType::get(kernel.getContext()));
    slots.push_back(
        {memref::AllocOp::create(top, inbox, ValueRange(),
                                 top.getI64IntegerAttr(kVectorBytes)),
         memref::AllocOp::create(top, barrier)});
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

  void send(ImplicitLocOpBuilder &b, ClusterGatherOp gather, const Slot &slot,
            Value to) {
    Value peer = arith::IndexCastOp::create(b, b.getI32Type(), to);
    Value rank = arith::IndexCastOp::create(b, b.getIndexType(),
                                            ClusterRankOp::create(b));
    auto map = [&](Value own) -> Value {
      return ClusterMapSharedOp::create(
          b, getPeer(cast<MemRefType>(own.getType())), own, peer);
    };
    StAsyncOp::create(b, gather.getValue(), map(slot.inbox), rank,
                      map(slot.barrier), ValueRange());
  }

  void sendToAll(ImplicitLocOpBuilder &b, ClusterGatherOp gather,
                 const Slot &slot) {
    int64_t ctas = getCount(gather);
    if (isBlockProgram) {
      for (int64_t to = 0; to < ctas; ++to)
        send(b, gather, slot, arith::ConstantIndexOp::create(b, to));
      return;
    }
    Value count = arith::ConstantIndexOp::create(b, ctas);
    Value sends =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread, count);
    auto branch = scf::IfOp::create(b, sends, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    send(b, gather, slot, thread);
  }

  Value readInbox(ImplicitLocOpBuilder &b, ClusterGatherOp gather,
                  const Slot &slot) {
    auto type = cast<VectorType>(gather.getResult().getType());
    Value zero = arith::ConstantIndexOp::create(b, 0);
    if (!isBlockProgram)
      return vector::LoadOp::create(b, type, slot.inbox, zero);
    return vector::TransferReadOp::create(b, type, slot.inbox, zero,
                                          /*padding=*/std::nullopt,
                                          ArrayRef<bool>(true));
  }

  void lower(ClusterGatherOp gather, const Slot &slot) {
    ImplicitLocOpBuilder b(gather.getLoc(), gather);
    sendToAll(b, gather, slot);
    Value parity = arith::ConstantIntOp::create(b, 0, 1);
    MbarrierWaitOp::create(b, slot.barrier, ValueRange(), /*state=*/Value(),
                           parity, /*suspend_ns=*/Value(),
                           MemSemantics::Acquire, MemScope::Cluster,
                           WaitLabelAttr());
    gather.getResult().replaceAllUsesWith(readInbox(b, gather, slot));
    gather.erase();
  }

  gpu::GPUFuncOp kernel;
  bool isBlockProgram;
  ImplicitLocOpBuilder top;
  Value thread;
  SmallVector<Slot> slots;
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
  if (op->getParentOp() != kernel || !kernel.getBody().hasOneBlock())
    return op.emitOpError("expected a gather outside of loops and branches, "
                          "got one in '")
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

LogicalResult carousel::lowerGathers(gpu::GPUFuncOp kernel, unsigned &count) {
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
