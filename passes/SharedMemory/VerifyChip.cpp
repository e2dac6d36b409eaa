//===- VerifyChip.cpp - verifier of the target's limits -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the requirements of each op with the module's target, and kernels
// with the limits that are known before a launch. Checks constraints C91 to
// C93, C105, C107 and C122 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYCHIP
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// C92
static LogicalResult verifyStaticShared(gpu::GPUFuncOp func,
                                        const SharedMemoryUse &use) {
  if (use.unsized)
    return func.emitError("expected static extents in shared memory that the "
                          "kernel declares, got ")
           << use.unsized;
  if (use.staticBytes > static_cast<uint64_t>(rules::kMaxStaticSharedBytes))
    return func.emitError("expected at most ")
           << rules::kMaxStaticSharedBytes
           << " bytes of static shared memory, got " << use.staticBytes;
  return success();
}

/// C107: views of dynamic shared memory whose place and size are known.
static LogicalResult verifyDynamicShared(gpu::GPUFuncOp func,
                                         const SharedMemoryUse &use,
                                         const TargetSpec &target) {
  uint64_t limit = target.info->maxSharedPerBlock;
  LogicalResult result = success();
  func.walk([&](memref::ViewOp view) {
    uint64_t dynamicEnd = getDynamicEnd(view);
    uint64_t end =
        llvm::SaturatingAdd(padStaticShared(use.staticBytes), dynamicEnd);
    if (dynamicEnd == 0 || end <= limit)
      return;
    result = view.emitOpError("expected static and dynamic shared memory of at "
                              "most ")
             << limit << " bytes on " << target.info->chip << ", got at least "
             << end;
  });
  return result;
}

/// C122: the launch gives what the kernel views, and no more than the chip has.
static LogicalResult verifyLaunchShared(gpu::GPUFuncOp func,
                                        const SharedMemoryUse &use,
                                        const TargetSpec &target) {
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return success();
  uint64_t shared = launch.getShared();
  if (shared < use.dynamicEnd)
    return func.emitError("expected at least ")
           << use.dynamicEnd
           << " bytes of dynamic shared memory in carousel.launch, "
           << "got " << shared;
  uint64_t limit = target.info->maxSharedPerBlock;
  uint64_t bytes = shared + (use.hasDynamic ? padStaticShared(use.staticBytes)
                                            : use.staticBytes);
  if (bytes > limit)
    return func.emitError("expected static and dynamic shared memory of at "
                          "most ")
           << limit << " bytes on " << target.info->chip
           << " in carousel.launch, got " << bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// Launch and names
//===----------------------------------------------------------------------===//

/// The product of the extents, or nothing if one isn't positive; never more
/// than `limit` + 1.
static std::optional<int64_t> getProduct(DenseI32ArrayAttr extents,
                                         int64_t limit) {
  int64_t product = 1;
  for (int32_t extent : extents.asArrayRef()) {
    if (extent < 1)
      return std::nullopt;
    product = std::min<int64_t>(product * extent, limit + 1);
  }
  return product;
}

/// C93
static LogicalResult verifyLaunch(gpu::GPUFuncOp func,
                                  const TargetSpec &target) {
  auto verify = [&](DenseI32ArrayAttr extents, int64_t limit,
                    StringRef what) -> LogicalResult {
    if (!extents)
      return success();
    std::optional<int64_t> product = getProduct(extents, limit);
    if (product && *product <= limit)
      return success();
    auto error = func.emitError("expected ")
                 << what << " of 1 to " << limit << " in all on "
                 << target.info->chip << ", got [";
    llvm::interleaveComma(extents.asArrayRef(), error);
    return error << ']';
  };
  if (failed(verify(func.getKnownBlockSizeAttr(), rules::kMaxThreadsPerBlock,
                    "threads of a block")))
    return failure();
  DenseI32ArrayAttr cluster = func.getKnownClusterSizeAttr();
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (launch && !cluster)
    cluster = DenseI32ArrayAttr::get(
        func.getContext(), SmallVector<int32_t>(launch.getCluster().begin(),
                                                launch.getCluster().end()));
  return verify(cluster, target.info->maxClusterSize, "CTAs of a cluster");
}

/// C105: PTX ISA, Identifiers.
static LogicalResult verifyName(Operation *symbol) {
  auto name =
      symbol->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  if (!name || isa<gpu::GPUModuleOp>(symbol))
    return success();
  StringRef text = name.getValue();
  bool special = text.starts_with("_") || text.starts_with("$");
  bool starts = !text.empty() && (llvm::isAlpha(text[0]) || special);
  bool rest = llvm::all_of(
      text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  if (starts && rest && (!special || text.size() > 1))
    return success();
  return symbol->emitError("expected a name that PTX has (letters, digits, _ "
                           "and $), got '")
         << text << "'";
}

static LogicalResult verifyKernel(gpu::GPUFuncOp func, const TargetSpec &target,
                                  SymbolTableCollection &tables) {
  SharedMemoryUse use = computeSharedMemoryUse(func, tables);
  if (failed(verifyStaticShared(func, use)) ||
      failed(verifyDynamicShared(func, use, target)) ||
      failed(verifyLaunchShared(func, use, target)))
    return failure();
  return verifyLaunch(func, target);
}

namespace {

struct VerifyChip : public carousel::impl::VerifyChipBase<VerifyChip> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    SymbolTableCollection tables;
    bool refused = false;
    module.walk([&](Operation *op) {
      refused |= failed(verifyName(op));
      if (auto func = dyn_cast<gpu::GPUFuncOp>(op))
        refused |= failed(verifyKernel(func, *target, tables));
      auto targeted = dyn_cast<TargetOpInterface>(op);
      if (!targeted)
        return;
      // C91
      std::string missing =
          target->explainMissing(targeted.getTargetRequirement());
      if (missing.empty())
        return;
      op->emitOpError(missing);
      refused = true;
    });
    if (refused)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
