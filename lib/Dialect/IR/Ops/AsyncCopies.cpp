//===- AsyncCopies.cpp - nvgpu's asynchronous copies ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AsyncCopies.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/AsyncCopies.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;

bool carousel::isAsyncCopyOp(Operation *op) {
  return isa<nvgpu::DeviceAsyncCopyOp, nvgpu::DeviceAsyncCreateGroupOp,
             nvgpu::DeviceAsyncWaitOp>(op);
}

//===----------------------------------------------------------------------===//
// Copies that cp.async supports
//===----------------------------------------------------------------------===//

static std::string explainCopy(nvgpu::DeviceAsyncCopyOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto source = dyn_cast<MemRefType>(op.getSrc().getType());
  auto target = dyn_cast<MemRefType>(op.getDst().getType());
  auto isPlain = [](Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0;
  };
  if (!source || !target)
    os << "expected ranked memrefs, got '" << op.getSrc().getType() << "' and '"
       << op.getDst().getType() << "'";
  else if (source.getMemorySpace() && !isGlobalMemRef(source))
    os << "expected a source in global memory, got '" << source << "'";
  else if (!isSharedMemRef(target))
    os << "expected a destination in shared memory, got '" << target << "'";
  else if (!isPlain(target.getElementType()))
    os << "expected elements of whole bytes, got '" << target << "'";
  return text;
}

std::string carousel::explainAsyncCopy(Operation *op) {
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
    return explainCopy(copy);
  auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op);
  int64_t pending = wait ? wait.getNumGroups().value_or(0) : 0;
  if (static_cast<int32_t>(pending) < 0)
    return "expected a number of groups that is not negative, got " +
           std::to_string(static_cast<int32_t>(pending));
  return {};
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// An argument without a memory space is in global memory, from which cp.async
/// reads.
static Value getGlobal(OpBuilder &builder, Location loc, Value source) {
  auto type = cast<MemRefType>(source.getType());
  if (isGlobalMemRef(type))
    return source;
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Global);
  return memref::MemorySpaceCastOp::create(
      builder, loc, MemRefType(MemRefType::Builder(type).setMemorySpace(space)),
      source);
}

static void lowerCopy(OpBuilder &builder, nvgpu::DeviceAsyncCopyOp op) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getDst().getType());
  int64_t elements = op.getDstElements().getSExtValue();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value valid;
  Value count = op.getSrcElements();
  if (count && getConstantIntValue(count) != elements) {
    Type i32 = builder.getI32Type();
    valid = arith::MulIOp::create(
        builder, loc, arith::IndexCastOp::create(builder, loc, i32, count),
        arith::ConstantIntOp::create(builder, loc, i32, bytes));
  }
  CpAsyncCopyOp::create(
      builder, loc, op.getBypassL1() ? CpAsyncCache::CG : CpAsyncCache::CA,
      getGlobal(builder, loc, op.getSrc()), op.getSrcIndices(), op.getDst(),
      op.getDstIndices(), static_cast<uint32_t>(elements * bytes), valid,
      /*ignore=*/Value(), /*l2_prefetch=*/IntegerAttr(),
      /*cache_policy=*/Value());
}

LogicalResult carousel::lowerAsyncCopies(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isAsyncCopyOp(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (std::string reason = explainAsyncCopy(op); !reason.empty())
      return op->emitOpError(reason);
  if (ops.empty())
    return success();
  // Tokens may pass through loops, branches and functions.
  Type number = IntegerType::get(root->getContext(), 32);
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](nvgpu::DeviceAsyncTokenType) -> Type { return number; });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  for (Operation *op : ops) {
    OpBuilder builder(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](nvgpu::DeviceAsyncCopyOp copy) { lowerCopy(builder, copy); })
        .Case([&](nvgpu::DeviceAsyncCreateGroupOp group) {
          CpAsyncCommitGroupOp::create(builder, group.getLoc());
        })
        .Case([&](nvgpu::DeviceAsyncWaitOp wait) {
          CpAsyncWaitGroupOp::create(builder, wait.getLoc(),
                                     wait.getNumGroups().value_or(0));
        });
    if (op->getNumResults() == 1)
      op->getResult(0).replaceAllUsesWith(
          arith::ConstantIntOp::create(builder, op->getLoc(), number, 0));
    op->erase();
  }
  return success();
}
