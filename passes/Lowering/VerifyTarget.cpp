//===- VerifyTarget.cpp - refuse what the target lacks --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares every op's requirement with the module's target, and kernels with
// the limits that hold before launch. Constraints C91 to C93, C105, C107 and
// C122 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Alignment.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/HardwareRules.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYTARGET
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Bytes of a static buffer; the largest number if that is too small for them.
static uint64_t getBytes(MemRefType type) {
  uint64_t bytes = getElementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(extent));
  return bytes;
}

/// The kernel and the functions that it calls, directly or not.
static llvm::SmallSetVector<Operation *, 4>
getReachable(gpu::GPUFuncOp kernel, SymbolTableCollection &symbols) {
  llvm::SmallSetVector<Operation *, 4> reachable;
  reachable.insert(kernel);
  for (size_t i = 0; i < reachable.size(); ++i)
    reachable[i]->walk([&](CallOpInterface call) {
      if (Operation *callee = call.resolveCallableInTable(&symbols))
        reachable.insert(callee);
    });
  return reachable;
}

/// C92: gives the bytes of the shared memory that the kernel declares.
static FailureOr<uint64_t> verifyStaticShared(gpu::GPUFuncOp func,
                                              SymbolTableCollection &tables) {
  llvm::SmallSetVector<StringRef, 4> globals;
  SmallVector<std::pair<MemRefType, uint64_t>> buffers; // with alignments
  for (auto [i, buffer] : llvm::enumerate(func.getWorkgroupAttributions())) {
    auto align = dyn_cast_or_null<IntegerAttr>(func.getWorkgroupAttributionAttr(
        i, LLVM::LLVMDialect::getAlignAttrName()));
    // C104 refuses what is no alignment.
    bool valid = align && llvm::isPowerOf2_64(align.getValue().getZExtValue());
    buffers.emplace_back(cast<MemRefType>(buffer.getType()),
                         valid ? align.getValue().getZExtValue() : 1);
  }
  for (Operation *reached : getReachable(func, tables))
    reached->walk([&](memref::GetGlobalOp get) {
      if (!isSharedMemRef(get.getType()) || !globals.insert(get.getName()))
        return;
      auto global = tables.lookupNearestSymbolFrom<memref::GlobalOp>(
          get, get.getNameAttr());
      buffers.emplace_back(get.getType(),
                           global ? global.getAlignment().value_or(1) : 1);
    });
  // ptxas lays them out as they are declared.
  uint64_t bytes = 0;
  for (auto [type, alignment] : buffers) {
    if (!type.hasStaticShape())
      return func.emitError("expected static extents in shared memory that the "
                            "kernel declares, got ")
             << type;
    bytes =
        llvm::SaturatingAdd(llvm::alignTo(bytes, alignment), getBytes(type));
  }
  if (bytes > static_cast<uint64_t>(rules::kMaxStaticSharedBytes))
    return func.emitError("expected at most ")
           << rules::kMaxStaticSharedBytes
           << " bytes of static shared memory, got " << bytes;
  return bytes;
}

/// Where in dynamic shared memory a view of it ends at the least; 0 if it is
/// none.
static uint64_t getDynamicEnd(memref::ViewOp view) {
  if (!view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>() ||
      !view.getType().hasStaticShape())
    return 0;
  int64_t shift = getConstantIntValue(view.getByteShift()).value_or(0);
  return llvm::SaturatingAdd<uint64_t>(shift, getBytes(view.getType()));
}

/// Static shared memory with the padding that dynamic shared memory behind it
/// needs.
static uint64_t padStatic(uint64_t bytes) {
  return llvm::alignTo(bytes, rules::kSwizzle128Alignment);
}

/// C107: views of dynamic shared memory whose place and size are known.
static LogicalResult verifyDynamicShared(gpu::GPUFuncOp func,
                                         uint64_t staticBytes,
                                         const TargetSpec &target) {
  uint64_t limit = target.info->maxSharedPerBlock;
  LogicalResult result = success();
  func.walk([&](memref::ViewOp view) {
    uint64_t dynamicEnd = getDynamicEnd(view);
    uint64_t end = llvm::SaturatingAdd(padStatic(staticBytes), dynamicEnd);
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
                                        uint64_t staticBytes,
                                        const TargetSpec &target,
                                        SymbolTableCollection &tables) {
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return success();
  uint64_t needed = 0;
  bool dynamic = false;
  for (Operation *reached : getReachable(func, tables)) {
    reached->walk([&](memref::ViewOp view) {
      needed = std::max(needed, getDynamicEnd(view));
    });
    reached->walk([&](gpu::DynamicSharedMemoryOp) { dynamic = true; });
  }
  uint64_t shared = launch.getShared();
  if (shared < needed)
    return func.emitError("expected at least ")
           << needed << " bytes of dynamic shared memory in carousel.launch, "
           << "got " << shared;
  uint64_t limit = target.info->maxSharedPerBlock;
  uint64_t bytes = (dynamic ? padStatic(staticBytes) : staticBytes) + shared;
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
    return func.emitError("expected ")
           << what << " of 1 to " << limit << " in all on " << target.info->chip
           << ", got " << extents;
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
  FailureOr<uint64_t> bytes = verifyStaticShared(func, tables);
  if (failed(bytes) || failed(verifyDynamicShared(func, *bytes, target)) ||
      failed(verifyLaunchShared(func, *bytes, target, tables)))
    return failure();
  return verifyLaunch(func, target);
}

namespace {

struct VerifyTarget : public carousel::impl::VerifyTargetBase<VerifyTarget> {
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
