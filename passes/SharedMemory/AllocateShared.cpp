//===- AllocateShared.cpp - allocate dynamic shared memory ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the shared memory plan of each kernel. Allocations become views of
// dynamic shared memory. Where bytes pass from one buffer to another, waits are
// inserted. The launch gets the number of bytes. Checks constraints C146 to
// C148 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-allocate-shared"

namespace carousel {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Buffers that can be allocated
//===----------------------------------------------------------------------===//

/// C147
static LogicalResult verifyAllocation(memref::AllocOp alloc,
                                      gpu::GPUFuncOp kernel) {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape())
    return alloc.emitOpError("expected static extents in shared memory, got ")
           << type;
  std::optional<int64_t> bytes = getAllocationBytes(type);
  if (!bytes)
    return alloc.emitOpError("expected a static layout without negative "
                             "strides, and elements of known size, in shared "
                             "memory, got ")
           << type;
  if (*bytes > std::numeric_limits<int32_t>::max())
    return alloc.emitOpError("expected at most ")
           << std::numeric_limits<int32_t>::max()
           << " bytes of shared memory, got " << type;
  if (alloc->getBlock() != &kernel.getBody().front())
    return alloc.emitOpError("expected shared memory to be allocated in the "
                             "kernel's first block, got an allocation under '")
           << alloc->getParentOp()->getName() << "'";
  uint64_t alignment = alloc.getAlignment().value_or(1);
  if (!llvm::isPowerOf2_64(alignment) ||
      alignment > static_cast<uint64_t>(rules::kSwizzle128Alignment))
    return alloc.emitOpError("expected an alignment of dynamic shared memory "
                             "that is a power of two up to ")
           << rules::kSwizzle128Alignment << ", got " << alignment;
  return success();
}

/// C148: the end of the dynamic shared memory in use is known.
static LogicalResult verifyKnownEnd(gpu::GPUFuncOp kernel,
                                    const SharedMemoryUse &use) {
  if (!use.hasUnknownEnd || kernel->hasAttr(CarouselDialect::kLaunch))
    return success();
  return kernel.emitError(
      "expected carousel.launch to say how much dynamic shared memory is in "
      "use, or views of static shape at constant places only, got neither");
}

static Location getLoc(const PlannedBuffer &buffer) {
  memref::AllocOp alloc = buffer.uses.alloc;
  return alloc.getLoc();
}

/// The name and the number of a ring's slots, of which the location of its
/// tiles tells; or null.
static ArrayAttr getSlots(Location loc) {
  auto slots = loc->findInstanceOf<FusedLocWith<ArrayAttr>>();
  return slots ? slots.getMetadata() : ArrayAttr();
}

static LogicalResult verifyPlan(gpu::GPUFuncOp kernel,
                                const SharedMemoryPlan &plan) {
  for (const PlannedBuffer &buffer : plan.buffers) {
    // C147
    if (!buffer.uses.useAfterDealloc)
      continue;
    InFlightDiagnostic error = buffer.uses.useAfterDealloc->emitOpError(
        "expected no use of shared memory after its memref.dealloc");
    error.attachNote(getLoc(buffer)) << "allocated here";
    return error;
  }
  // C146
  if (plan.getTotal() <= plan.limit)
    return success();
  InFlightDiagnostic error =
      kernel.emitError("expected static and dynamic shared memory of at most ")
      << plan.limit << " bytes on " << plan.chip << ", got " << plan.getTotal();
  if (plan.staticBytes + plan.base > 0)
    error.attachNote() << plan.staticBytes
                       << " bytes are declared, with padding, and " << plan.base
                       << " of dynamic shared memory in use before";
  int64_t stageBytes = 0;
  for (const PlannedBuffer &buffer : plan.buffers) {
    Diagnostic &note = error.attachNote(getLoc(buffer));
    note << buffer.bytes << " bytes at " << buffer.offset << ", aligned to "
         << buffer.alignment << ", for ";
    memref::AllocOp alloc = buffer.uses.alloc;
    ArrayAttr slots = getSlots(alloc.getLoc());
    if (!slots) {
      note << alloc.getType();
      continue;
    }
    int64_t stages = cast<IntegerAttr>(slots[1]).getInt();
    note << stages << (stages == 1 ? " slot of " : " slots of ")
         << buffer.bytes / stages << " bytes of '"
         << cast<StringAttr>(slots[0]).getValue() << "'";
    if (stages > 1)
      stageBytes += buffer.bytes / stages;
  }
  if (stageBytes != 0)
    error.attachNote() << "take smaller tiles, or fewer stages in "
                       << CarouselDialect::kPipeline << ": one stage less of "
                       << "each ring takes " << stageBytes << " bytes less";
  return error;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// The kernel's one `gpu.dynamic_shared_memory`, moved to the kernel's start.
static Value getDynamicShared(gpu::GPUFuncOp kernel) {
  Block &body = kernel.getBody().front();
  auto existing = body.getOps<gpu::DynamicSharedMemoryOp>();
  if (!existing.empty()) {
    gpu::DynamicSharedMemoryOp first = *existing.begin();
    first->moveBefore(&body.front());
    return first;
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  return gpu::DynamicSharedMemoryOp::create(builder, kernel.getLoc(), type);
}

/// `bytes` from `offset` on as a buffer of `type`.
static Value createView(OpBuilder &builder, Location loc, Value bytes,
                        int64_t offset, MemRefType type) {
  auto space = cast<MemRefType>(bytes.getType()).getMemorySpace();
  SmallVector<int64_t> strides;
  int64_t first = 0;
  bool isContiguous = type.getLayout().isIdentity();
  SmallVector<int64_t> shape(type.getShape());
  if (!isContiguous) {
    // getAllocationBytes found the strides to be there.
    (void)type.getStridesAndOffset(strides, first);
    int64_t elements = first + 1;
    for (auto [extent, stride] : llvm::zip(type.getShape(), strides))
      elements += (extent - 1) * stride;
    shape = {type.getNumElements() == 0 ? 0 : elements};
  }
  auto viewType = MemRefType::get(shape, type.getElementType(),
                                  MemRefLayoutAttrInterface(), space);
  Value shift = arith::ConstantIndexOp::create(builder, loc, offset);
  Value view = memref::ViewOp::create(builder, loc, viewType, bytes, shift,
                                      /*sizes=*/ValueRange());
  if (space != type.getMemorySpace()) {
    viewType =
        MemRefType::Builder(viewType).setMemorySpace(type.getMemorySpace());
    view = memref::MemorySpaceCastOp::create(builder, loc, viewType, view);
  }
  if (isContiguous)
    return view;
  return memref::ReinterpretCastOp::create(builder, loc, type, view, first,
                                           type.getShape(), strides);
}

static void insertWaits(const PlannedBarrier &barrier) {
  OpBuilder builder(barrier.at);
  Location loc = barrier.at->getLoc();
  // Threads that issued nothing have nothing to wait for.
  if (barrier.commitsBulk)
    BulkCommitGroupOp::create(builder, loc);
  if (barrier.waitsForBulkReads)
    BulkWaitGroupOp::create(builder, loc, GroupWait::Read, /*pending=*/0);
  if (barrier.waitsForCpAsync)
    CpAsyncWaitAllOp::create(builder, loc);
  if (barrier.fencesAsyncProxy)
    FenceProxyOp::create(builder, loc, ProxyKind::AsyncSharedCTA);
  if (barrier.insertsBarrier)
    gpu::BarrierOp::create(builder, loc);
}

static void setLaunchShared(gpu::GPUFuncOp kernel, int64_t bytes) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return;
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(kernel.getContext(), launch.getGrid(),
                                  launch.getBlock(), launch.getCluster(),
                                  bytes));
}

static void applyPlan(gpu::GPUFuncOp kernel, const SharedMemoryPlan &plan) {
  for (const PlannedBarrier &barrier : plan.barriers)
    insertWaits(barrier);
  Value bytes = getDynamicShared(kernel);
  // One may be of either of two buffers.
  llvm::SmallSetVector<Operation *, 8> deallocs;
  for (const PlannedBuffer &buffer : plan.buffers) {
    memref::AllocOp alloc = buffer.uses.alloc;
    deallocs.insert(buffer.uses.deallocs.begin(), buffer.uses.deallocs.end());
    OpBuilder builder(alloc);
    alloc.replaceAllUsesWith(createView(builder, alloc.getLoc(), bytes,
                                        buffer.offset, alloc.getType()));
    alloc.erase();
  }
  for (Operation *dealloc : deallocs)
    dealloc->erase();
  setLaunchShared(kernel, plan.end);
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void emitRemarks(gpu::GPUFuncOp kernel, const SharedMemoryPlan &plan) {
  if (!kernel.getContext()->getRemarkEngine())
    return;
  remark::RemarkOpts options = remark::RemarkOpts::name("SharedMemory")
                                   .category("carousel-allocate-shared")
                                   .function(kernel.getName());
  for (const PlannedBuffer &buffer : plan.buffers) {
    Location loc = getLoc(buffer);
    remark::analysis(loc, options)
        << remark::add("{0}: {1} bytes at {2}, aligned to {3}", buffer.name,
                       buffer.bytes, buffer.offset, buffer.alignment);
    if (!buffer.uses.keptFor.empty())
      remark::missed(loc, options)
          << remark::add("{0} shares none of its {1} bytes: {2}", buffer.name,
                         buffer.bytes, buffer.uses.keptFor);
  }
  remark::passed(kernel.getLoc(), options)
      << remark::add("{0} buffers in {1} bytes of dynamic shared memory, {2} "
                     "saved by reuse, {3} of {4} bytes of {5} taken{6}",
                     plan.buffers.size(), plan.end, plan.separateEnd - plan.end,
                     plan.getTotal(), plan.limit, plan.chip,
                     kernel->hasAttr(CarouselDialect::kLaunch)
                         ? ""
                         : "; there is no carousel.launch to say so");
}

namespace {

struct AllocateShared
    : public carousel::impl::AllocateSharedBase<AllocateShared> {
  using AllocateSharedBase::AllocateSharedBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    bool refused = false;
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      if (func.isKernel())
        refused |= failed(allocate(func, *target));
    if (refused)
      signalPassFailure();
  }

  LogicalResult allocate(gpu::GPUFuncOp kernel, const TargetSpec &target) {
    SmallVector<memref::AllocOp> allocs;
    kernel.walk([&](memref::AllocOp alloc) {
      if (isSharedMemRef(alloc.getType()))
        allocs.push_back(alloc);
    });
    if (allocs.empty())
      return success();
    for (memref::AllocOp alloc : allocs)
      if (failed(verifyAllocation(alloc, kernel)))
        return failure();
    SymbolTableCollection symbolTables;
    SharedMemoryUse use = computeSharedMemoryUse(kernel, symbolTables);
    if (failed(verifyKnownEnd(kernel, use)))
      return failure();
    int64_t base = use.dynamicEnd;
    if (auto launch =
            kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
      base = std::max(base, launch.getShared());

    SharedMemoryPlan plan =
        planSharedMemory(kernel, allocs, target, use.staticBytes, base, reuse);
    if (report) {
      // The text is printed in one piece: other modules may print, too.
      std::string text;
      llvm::raw_string_ostream os(text);
      plan.print(os, kernel.getName());
      llvm::errs() << text;
    }
    if (failed(verifyPlan(kernel, plan)))
      return failure();
    for (const PlannedBuffer &buffer : plan.buffers)
      LDBG() << getLoc(buffer) << ": " << buffer.name << ": " << buffer.bytes
             << " bytes at " << buffer.offset << ", aligned to "
             << buffer.alignment;
    emitRemarks(kernel, plan);
    buffers += plan.buffers.size();
    bytes += plan.end - plan.base;
    bytesSaved += plan.separateEnd - plan.end;
    barriersInserted +=
        llvm::count_if(plan.barriers, [](const PlannedBarrier &m) {
          return m.insertsBarrier;
        });
    buffersKept +=
        llvm::count_if(plan.buffers, [](const PlannedBuffer &buffer) {
          return !buffer.uses.keptFor.empty();
        });
    applyPlan(kernel, plan);
    return success();
  }
};

} // namespace
