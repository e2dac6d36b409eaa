//===- VerifyTarget.cpp - refuse what the target lacks --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares every op's requirement with the module's target, and kernels with
// the limits that hold before launch. Constraints C91 to C93, C105 and C107 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Alignment.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/HardwareRules.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  SmallVector<MemRefType> buffers;
  for (BlockArgument buffer : func.getWorkgroupAttributions())
    buffers.push_back(cast<MemRefType>(buffer.getType()));
  for (Operation *reached : getReachable(func, tables))
    reached->walk([&](memref::GetGlobalOp get) {
      if (isSharedMemRef(get.getType()) && globals.insert(get.getName()))
        buffers.push_back(get.getType());
    });
  uint64_t bytes = 0;
  for (MemRefType type : buffers) {
    if (!type.hasStaticShape())
      return func.emitError("expected static extents in shared memory that the "
                            "kernel declares, got ")
             << type;
    bytes = llvm::SaturatingAdd(bytes, getBytes(type));
  }
  if (bytes > static_cast<uint64_t>(rules::kMaxStaticSharedBytes))
    return func.emitError("expected at most ")
           << rules::kMaxStaticSharedBytes
           << " bytes of static shared memory, got " << bytes;
  return bytes;
}

/// C107: views of dynamic shared memory whose place and size are known.
static LogicalResult verifyDynamicShared(gpu::GPUFuncOp func,
                                         uint64_t staticBytes,
                                         const TargetSpec &target) {
  uint64_t limit = target.info->maxSharedPerBlock;
  LogicalResult result = success();
  func.walk([&](memref::ViewOp view) {
    if (!view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>() ||
        !view.getType().hasStaticShape())
      return;
    std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
    uint64_t end = llvm::SaturatingAdd<uint64_t>(
        staticBytes + shift.value_or(0), getBytes(view.getType()));
    if (end <= limit)
      return;
    result = view.emitOpError("expected static and dynamic shared memory of at "
                              "most ")
             << limit << " bytes on " << target.info->chip << ", got at least "
             << end;
  });
  return result;
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
  return verify(func.getKnownClusterSizeAttr(), target.info->maxClusterSize,
                "CTAs of a cluster");
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
  if (failed(bytes) || failed(verifyDynamicShared(func, *bytes, target)))
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
