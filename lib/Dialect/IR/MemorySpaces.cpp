//===- MemorySpaces.cpp - memory spaces of memrefs ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the memory space of a memref in each of its spellings: the gpu
// dialect's address space, NVVM's memory space, and the plain integer of LLVM's
// address space.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

/// The LLVM address space of `type`, or nullopt if it has none or an unknown
/// one.
static std::optional<NVVM::NVVMMemorySpace> getSpace(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getMemorySpace())
    return std::nullopt;
  Attribute space = memref.getMemorySpace();
  if (auto nvvm = dyn_cast<NVVM::NVVMMemorySpaceAttr>(space))
    return nvvm.getValue();
  if (auto number = dyn_cast<IntegerAttr>(space))
    return static_cast<NVVM::NVVMMemorySpace>(number.getInt());
  if (auto gpu = dyn_cast<gpu::AddressSpaceAttr>(space)) {
    switch (gpu.getValue()) {
    case gpu::AddressSpace::Global:
      return NVVM::NVVMMemorySpace::Global;
    case gpu::AddressSpace::Workgroup:
      return NVVM::NVVMMemorySpace::Shared;
    default:
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool carousel::isGlobalMemRef(Type type) {
  return getSpace(type) == NVVM::NVVMMemorySpace::Global;
}

bool carousel::isSharedMemRef(Type type) {
  return getSpace(type) == NVVM::NVVMMemorySpace::Shared;
}

bool carousel::isLocalMemRef(Type type) {
  return getSpace(type) == NVVM::NVVMMemorySpace::Local;
}

bool carousel::isClusterMemRef(Type type) {
  return getSpace(type) == NVVM::NVVMMemorySpace::SharedCluster;
}
