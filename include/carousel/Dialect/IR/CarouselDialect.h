//===- CarouselDialect.h - the dialect, its types and enums -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a client needs to register the dialect and to name its types,
// enumerations, resources and interfaces. The ops are in CarouselOps.h.
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

/// What an op needs of its target. `sm` is 10 * major + minor, `ptx` likewise
/// (86 is PTX 8.6). With `chips` not empty only those exact chips have the op.
struct TargetRequirement {
  unsigned sm = 0;
  unsigned ptx = 0;
  llvm::SmallVector<llvm::StringLiteral, 3> chips = {};
};

/// Memory spaces of memrefs, in the spellings of the gpu and nvvm dialects or
/// as integers.
bool isGlobalMemRef(mlir::Type type);
bool isSharedMemRef(mlir::Type type);
bool isClusterMemRef(mlir::Type type);
bool isLocalMemRef(mlir::Type type);

/// Resources that the ops' effects are declared on. None contains another: an
/// op that orders several declares effects on each.
#define CAROUSEL_RESOURCE(Name, text)                                          \
  struct Name : public mlir::SideEffects::Resource::Base<Name> {               \
    llvm::StringRef getName() final { return text; }                           \
  }
CAROUSEL_RESOURCE(GlobalMemoryResource, "carousel.global");
CAROUSEL_RESOURCE(SharedMemoryResource, "carousel.shared");
CAROUSEL_RESOURCE(BarrierResource, "carousel.barrier");
CAROUSEL_RESOURCE(BulkGroupResource, "carousel.bulk_group");
CAROUSEL_RESOURCE(CpAsyncGroupResource, "carousel.cp_async_group");
CAROUSEL_RESOURCE(TensorMapResource, "carousel.tensor_map");
CAROUSEL_RESOURCE(CacheResource, "carousel.cache");
CAROUSEL_RESOURCE(ThreadControlResource, "carousel.thread_control");
#undef CAROUSEL_RESOURCE

} // namespace carousel

#include "carousel/Dialect/IR/CarouselEnums.h.inc"

namespace carousel {

/// The bytes within which a swizzle permutes, or nothing without one.
std::optional<int64_t> getSwizzleSpan(Swizzle swizzle);

} // namespace carousel

#include "carousel/Dialect/IR/CarouselDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "carousel/Dialect/IR/CarouselAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "carousel/Dialect/IR/CarouselTypes.h.inc"

#include "carousel/Dialect/IR/CarouselInterfaces.h.inc"

#endif // CAROUSEL_DIALECT_IR_CAROUSELDIALECT_H
