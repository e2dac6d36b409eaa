//===- CarouselDialect.h - the dialect, its types and enums -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect, and declares its types, enumerations, resources and
// interfaces. The ops are in CarouselOps.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELDIALECT_H
#define CAROUSEL_DIALECT_IR_CAROUSELDIALECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace carousel {

/// The target that an op requires. `sm` is 10 * major + minor, and `ptx`
/// likewise (86 is PTX 8.6). If `chips` isn't empty, only these chips have the
/// op.
struct TargetRequirement {
  unsigned sm = 0;
  unsigned ptx = 0;
  llvm::SmallVector<llvm::StringLiteral, 3> chips = {};
};

/// Whether a type is a memref in this memory space. The space is an attribute
/// of the gpu or nvvm dialect, or an integer.
bool isGlobalMemRef(mlir::Type type);
bool isSharedMemRef(mlir::Type type);
bool isClusterMemRef(mlir::Type type);
bool isLocalMemRef(mlir::Type type);

/// Resources on which ops declare effects. No resource contains another: an op
/// that orders several of them declares effects on each.
#define CAROUSEL_RESOURCE(Name, text)                                          \
  struct Name : public mlir::SideEffects::Resource::Base<Name> {               \
    llvm::StringRef getName() final { return text; }                           \
  }
CAROUSEL_RESOURCE(GlobalMemoryResource, "carousel.global");
CAROUSEL_RESOURCE(SharedMemoryResource, "carousel.shared");
CAROUSEL_RESOURCE(BarrierResource, "carousel.barrier");
CAROUSEL_RESOURCE(BulkGroupResource, "carousel.bulk_group");
CAROUSEL_RESOURCE(CpAsyncGroupResource, "carousel.cp_async_group");
CAROUSEL_RESOURCE(WgmmaGroupResource, "carousel.wgmma_group");
CAROUSEL_RESOURCE(TensorMapResource, "carousel.tensor_map");
CAROUSEL_RESOURCE(CacheResource, "carousel.cache");
CAROUSEL_RESOURCE(ThreadControlResource, "carousel.thread_control");
#undef CAROUSEL_RESOURCE

} // namespace carousel

#include "carousel/Dialect/IR/CarouselEnums.h.inc"

namespace carousel {

/// The span in bytes within which a swizzle permutes pieces, or nullopt for no
/// swizzle.
std::optional<int64_t> getSwizzleSpan(Swizzle swizzle);

} // namespace carousel

#include "carousel/Dialect/IR/CarouselDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "carousel/Dialect/IR/CarouselAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "carousel/Dialect/IR/CarouselTypes.h.inc"

#include "carousel/Dialect/IR/CarouselInterfaces.h.inc"

#endif // CAROUSEL_DIALECT_IR_CAROUSELDIALECT_H
