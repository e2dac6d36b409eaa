//===- VerifyKnown.cpp - supported operations and types -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rejects operations and types that the simulated machine doesn't support, at
// the user's own operation.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "carousel/Dialect/IR/AsyncCopies.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Dialect/IR/MatrixOps.h"
#include "carousel/Dialect/Transforms/VectorLanes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

static bool isKnown(Operation *op) {
  static const StringLiteral kDialects[] = {
      "arith",  "math",  "scf", "cf",   "memref",   "vector",
      "affine", "index", "ub",  "func", "carousel", "complex"};
  static const StringLiteral kGPUOps[] = {"gpu.func",
                                          "gpu.return",
                                          "gpu.thread_id",
                                          "gpu.block_id",
                                          "gpu.block_dim",
                                          "gpu.grid_dim",
                                          "gpu.cluster_id",
                                          "gpu.cluster_dim",
                                          "gpu.cluster_block_id",
                                          "gpu.global_id",
                                          "gpu.lane_id",
                                          "gpu.cluster_dim_blocks",
                                          "gpu.subgroup_id",
                                          "gpu.subgroup_size",
                                          "gpu.num_subgroups",
                                          "gpu.barrier",
                                          "gpu.shuffle",
                                          "gpu.rotate",
                                          "gpu.all_reduce",
                                          "gpu.subgroup_reduce",
                                          "gpu.subgroup_broadcast",
                                          "gpu.yield",
                                          "gpu.dynamic_shared_memory"};
  StringRef name = op->getName().getStringRef();
  if (op->getName().getDialectNamespace() == "gpu")
    return llvm::is_contained(kGPUOps, name);
  if (isa<nvgpu::LdMatrixOp, nvgpu::MmaSyncOp>(op) || isAsyncCopyOp(op))
    return true;
  if (isa<memref::DmaStartOp, memref::DmaWaitOp>(op))
    return false;
  if (isa<memref::AllocOp>(op))
    return isSharedMemRef(op->getResult(0).getType());
  if (isa<memref::DeallocOp>(op))
    return isSharedMemRef(op->getOperand(0).getType());
  // Control that reaches it can't continue.
  if (isa<ub::UnreachableOp>(op))
    return false;
  return llvm::is_contained(kDialects, op->getName().getDialectNamespace());
}

/// Vectors are unrolled on the way to the host, except in block programs. The
/// host's compiler takes time that grows with the square of their elements:
/// seconds for an op on so many, and 20 minutes for 65535. A thread of the
/// device has registers for a sixteenth of them.
static constexpr uint64_t kMostElements = 1 << 12;
static constexpr uint64_t kMostBlockElements = 1 << 20;

static bool isTooLarge(VectorType vector, uint64_t most) {
  uint64_t elements = 1;
  for (int64_t extent : vector.getShape())
    elements = llvm::SaturatingMultiply(elements, uint64_t(extent));
  return elements > most;
}

/// A description of the unsupported part of this type, or of the elements of a
/// memref of this type. Empty if the machine supports all of it.
static StringRef findUnknown(Type type, bool isInBlockProgram) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (isInBlockProgram && isTooLarge(vector, kMostBlockElements))
      return "vectors of more than 1048576 elements";
    if (!isInBlockProgram && isTooLarge(vector, kMostElements))
      return "vectors of more than 4096 elements";
    type = vector.getElementType();
  }
  if (isa<FloatTF32Type>(type))
    return "numbers of type tf32";
  auto map = dyn_cast<TensorMapType>(type);
  if (!map)
    return "";
  if (map.getInterleave() != Interleave::None)
    return "the interleave of this tensor map";
  if (map.getMode() == TensorMapMode::Im2ColW ||
      map.getMode() == TensorMapMode::Im2ColW128)
    return "the wide im2col modes";
  if (map.getElement() == TensorElement::B4x16P64 ||
      map.getElement() == TensorElement::B6x16P32)
    return "padded formats of elements";
  return "";
}

/// A thread's product is unrolled to its multiplications.
static bool isTooLarge(vector::ContractionOp product) {
  constexpr uint64_t kMostMultiplications = 1 << 15;
  SmallVector<int64_t> extents;
  product.getIterationBounds(extents);
  uint64_t count = 1;
  for (int64_t extent : extents)
    count = llvm::SaturatingMultiply(count, uint64_t(extent));
  return count > kMostMultiplications;
}

/// The host has no such numbers, and its compiler no such conversions.
static bool isTooWide(Operation *op) {
  auto isWide = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 64;
  };
  return isa<math::FPowIOp, math::IPowIOp, math::ClampFOp>(op) &&
         (llvm::any_of(op->getOperandTypes(), isWide) ||
          llvm::any_of(op->getResultTypes(), isWide));
}

static StringRef findUnknown(Operation *op, bool isInBlockProgram) {
  if (isTooWide(op))
    return "powers and clamps of more than 64 bits";
  auto product = dyn_cast<vector::ContractionOp>(op);
  if (product && !isInBlockProgram && isTooLarge(product))
    return "products of more than 32768 multiplications in a thread";
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (StringRef what = findUnknown(type, isInBlockProgram); !what.empty())
        return what;
  for (Region &region : op->getRegions())
    for (Type type : region.getArgumentTypes())
      if (StringRef what = findUnknown(type, isInBlockProgram); !what.empty())
        return what;
  return "";
}

LogicalResult sim::verifyKnown(Operation *root, bool isBlockProgram) {
  WalkResult result = root->walk([&](Operation *op) {
    bool distributes = isBlockProgram && isa<DistributionOpInterface>(op) &&
                       onlyMakesVectors(op);
    if (!isKnown(op) && !distributes) {
      op->emitError("the simulated machine doesn't know this operation: '")
          << op->getName() << "'";
      return WalkResult::interrupt();
    }
    if (StringRef what = findUnknown(op, isBlockProgram); !what.empty()) {
      op->emitError("the simulated machine doesn't have ") << what;
      return WalkResult::interrupt();
    }
    for (const std::string &reason :
         {explainScalable(op), explainMatrixOp(op), explainAsyncCopy(op),
          explainRegisterUse(op)})
      if (!reason.empty()) {
        op->emitError() << reason;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
