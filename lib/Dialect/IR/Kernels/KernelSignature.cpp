//===- KernelSignature.cpp - arguments and parameters of kernels ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/KernelABI.md. Reads the signature and the attributes of a
// kernel, and doesn't change it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/KernelSignature.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

SmallVector<unsigned> carousel::getArgumentPositions(gpu::GPUFuncOp kernel) {
  SmallVector<unsigned> positions;
  for (auto [i, type] : llvm::enumerate(kernel.getFunctionType().getInputs()))
    if (!isa<TensorMapType>(type))
      positions.push_back(i);
  return positions;
}

StringRef carousel::getKernelName(gpu::GPUFuncOp kernel) {
  auto variant = kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  return variant ? variant.getKernel() : kernel.getName();
}

SmallVector<KernelArgument>
carousel::getKernelArguments(gpu::GPUFuncOp kernel) {
  SmallVector<KernelArgument> arguments;
  for (unsigned position : getArgumentPositions(kernel)) {
    Type type = kernel.getFunctionType().getInput(position);
    auto attr = kernel.getArgAttrOfType<ArgumentAttr>(
        position, CarouselDialect::kArgument);
    KernelArgument &argument = arguments.emplace_back();
    argument.position = position;
    argument.type = type;
    if (kernel.getArgAttr(position, CarouselDialect::kBits))
      argument.type = cast<MemRefType>(type).clone(
          IntegerType::get(kernel.getContext(), 1));
    argument.workspace = kernel.getArgAttrOfType<WorkspaceAttr>(
        position, CarouselDialect::kWorkspace);
    argument.name = attr ? attr.getName().str()
                         : "arg" + std::to_string(arguments.size() - 1);
    // A scalar is passed by value.
    if (!isa<BaseMemRefType>(type))
      argument.access = ArgumentAccess::In;
    else
      argument.access = attr ? attr.getAccess() : ArgumentAccess::InOut;
    if (attr)
      argument.mayAlias = attr.getMayAlias();
    if (kernel.getArgAttr(position, kPeer))
      argument.sharing = Sharing::Peer;
    else if (kernel.getArgAttr(position, kSymmetric))
      argument.sharing = Sharing::Symmetric;
    else if (kernel.getArgAttr(position, kMulticast))
      argument.sharing = Sharing::Multicast;
  }
  return arguments;
}

void carousel::addGuards(gpu::GPUFuncOp kernel, StringRef name,
                         ArrayRef<GuardAttr> guards) {
  SmallVector<GuardAttr> all;
  ExprAttr cost;
  if (auto variant =
          kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant)) {
    llvm::append_range(all, variant.getGuards());
    cost = variant.getCost();
  }
  llvm::append_range(all, guards);
  kernel->setAttr(CarouselDialect::kVariant,
                  VariantAttr::get(kernel.getContext(), name, all, cost));
}

bool carousel::isServedEarlier(gpu::GPUFuncOp kernel) {
  auto getVariant = [](gpu::GPUFuncOp func) {
    return func->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  };
  VariantAttr own = getVariant(kernel);
  if (!own || !own.getCost())
    return false;
  for (auto func : kernel->getBlock()->getOps<gpu::GPUFuncOp>()) {
    if (func == kernel)
      return false;
    VariantAttr other = getVariant(func);
    auto hasGuard = [&](GuardAttr guard) {
      return llvm::is_contained(own.getGuards(), guard);
    };
    if (other && other.getCost() && other.getKernel() == own.getKernel() &&
        llvm::all_of(other.getGuards(), hasGuard))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

SmallVector<unsigned> carousel::getPassedExtents(MemRefType type) {
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      dims.push_back(dim);
  return dims;
}

SmallVector<unsigned> carousel::getPassedStrides(MemRefType type) {
  SmallVector<unsigned> dims;
  SmallVector<int64_t> strides;
  int64_t offset;
  // Strides of an identity layout follow from the extents.
  if (type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return dims;
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      dims.push_back(dim);
  return dims;
}

/// C98: a parameter that has the same layout in PTX and LLVM.
static bool isPlain(Type type) {
  if (isa<IndexType, LLVM::LLVMPointerType, MbarrierStateType>(type))
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && isPlain(vector.getElementType());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

/// C98: a memref that is passed as a pointer to its first element.
static LogicalResult verifyMemRef(gpu::GPUFuncOp kernel, unsigned position,
                                  MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return kernel.emitError("expected a strided layout for kernel argument ")
           << position << ", got " << type;
  if (offset != 0 && !ShapedType::isDynamic(offset))
    return kernel.emitError("expected no static offset for kernel argument ")
           << position << ", got " << offset << " in " << type;
  // MLIR's lowering assumes unsigned offsets.
  for (int64_t stride : strides)
    if (stride < 0 && !ShapedType::isDynamic(stride))
      return kernel.emitError("expected strides that are not negative for "
                              "kernel argument ")
             << position << ", got " << stride << " in " << type;
  return success();
}

/// The bytes of a parameter with its alignment, rounded up to 8. At most 2^40,
/// which is too many.
static int64_t getParameterBytes(Type type) {
  if (isa<TensorMapType>(type))
    return rules::kTensorMapBytes;
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return 8;
  Type element = vector.getElementType();
  uint64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  uint64_t bytes =
      llvm::SaturatingMultiply<uint64_t>(vector.getNumElements(), bits) / 8;
  return llvm::PowerOf2Ceil(std::clamp<uint64_t>(bytes, 8, uint64_t(1) << 40));
}

FailureOr<SmallVector<KernelParameter>>
carousel::getKernelParameters(gpu::GPUFuncOp kernel) {
  using Kind = KernelParameter::Kind;
  SmallVector<KernelParameter> parameters;
  int64_t bytes = 0;
  for (auto [i, type] : llvm::enumerate(kernel.getFunctionType().getInputs())) {
    unsigned position = i;
    size_t first = parameters.size();
    auto add = [&](Kind kind, unsigned dim = 0) {
      parameters.push_back({kind, position, dim});
    };
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (failed(verifyMemRef(kernel, position, memref)))
        return failure();
      add(Kind::Pointer);
      for (unsigned dim : getPassedExtents(memref))
        add(Kind::Extent, dim);
      for (unsigned dim : getPassedStrides(memref))
        add(Kind::Stride, dim);
      bytes += 8 * (parameters.size() - first);
      continue;
    }
    if (isa<TensorMapType>(type))
      add(Kind::TensorMap);
    else if (isPlain(type))
      add(Kind::Scalar);
    else
      return kernel.emitError("expected a ranked memref, a tensor map, an "
                              "index or a number for kernel argument ")
             << position << ", got " << type;
    int64_t own = getParameterBytes(type);
    bytes = llvm::alignTo(bytes, own) + own;
  }
  // C98: the total size.
  if (bytes > rules::kMaxParameterBytes)
    return kernel.emitError("expected at most ")
           << rules::kMaxParameterBytes << " bytes of kernel parameters, got "
           << bytes;
  return parameters;
}
