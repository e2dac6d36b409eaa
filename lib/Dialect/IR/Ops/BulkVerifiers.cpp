//===- BulkVerifiers.cpp - bulk, cp_async and cache rules -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C40 to C49 and C79 to C85 of docs/Spec.md, and the target
// requirement of each form of the ops.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifySourceAndDestination(Op op) {
  if (failed(verifyIndices(op, op.getSource().getType(), op.getSourceIndices(),
                           "source")))
    return failure();
  return verifyIndices(op, op.getDestination().getType(),
                       op.getDestinationIndices(), "destination");
}

template <typename Op> static LogicalResult verifyBulkCopy(Op op) {
  if (failed(verifySourceAndDestination(op)))
    return failure();
  return verifyBulkSize(
      op, op.getSize(), op.getStaticSize(),
      {op.getSource().getType(), op.getDestination().getType()});
}

LogicalResult BulkLoadOp::verify() {
  MemRefType destination = getDestination().getType();
  MemRefType barriers = getBarriers().getType();
  if (failed(verifyBulkCopy(*this)) ||
      failed(verifyIndices(*this, barriers, getBarrierIndices(), "barriers")) ||
      failed(verifyMulticast(*this, getMulticastMask(), destination)))
    return failure();
  return verifySameWindow(*this, destination, barriers);
}

TargetRequirement BulkLoadOp::getTargetRequirement() { return {90, 80}; }

LogicalResult BulkStoreOp::verify() { return verifyBulkCopy(*this); }

TargetRequirement BulkStoreOp::getTargetRequirement() {
  return getByteMask() ? TargetRequirement{100, 86} : TargetRequirement{90, 80};
}

LogicalResult BulkCopyClusterOp::verify() {
  if (failed(verifyBulkCopy(*this)))
    return failure();
  return verifyIndices(*this, getBarriers().getType(), getBarrierIndices(),
                       "barriers");
}

LogicalResult BulkPrefetchOp::verify() {
  if (failed(verifyIndices(*this, getSource().getType(), getSourceIndices(),
                           "source")))
    return failure();
  return verifyBulkSize(*this, getSize(), getStaticSize(),
                        {getSource().getType()});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// The destination of a reduction. PTX has different types for each.
enum class ReduceTo { Global, Cluster, GlobalValue, Multicast };
} // namespace

/// C45: the types that PTX has for a reduction of this kind.
static ArrayRef<ReduceType> getReduceTypes(ReduceKind kind, ReduceTo to) {
  using T = ReduceType;
  static constexpr T addGlobal[] = {T::U32,  T::S32, T::U64, T::F16,
                                    T::BF16, T::F32, T::F64};
  static constexpr T addCluster[] = {T::U32, T::S32, T::U64};
  static constexpr T addValue[] = {T::U32, T::S32, T::U64, T::S64};
  static constexpr T orderGlobal[] = {T::U32, T::S32, T::U64,
                                      T::S64, T::F16, T::BF16};
  static constexpr T orderCluster[] = {T::U32, T::S32};
  static constexpr T orderMulticast[] = {T::U32, T::S32, T::U64, T::S64};
  static constexpr T wrap[] = {T::U32};
  static constexpr T bitsGlobal[] = {T::B32, T::B64};
  static constexpr T bitsCluster[] = {T::B32};
  switch (kind) {
  case ReduceKind::Add:
    if (to == ReduceTo::GlobalValue)
      return addValue;
    return to == ReduceTo::Cluster ? ArrayRef<T>(addCluster)
                                   : ArrayRef<T>(addGlobal);
  case ReduceKind::Min:
  case ReduceKind::Max:
    if (to == ReduceTo::Multicast)
      return orderMulticast;
    return to == ReduceTo::Global ? ArrayRef<T>(orderGlobal)
                                  : ArrayRef<T>(orderCluster);
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return to == ReduceTo::Multicast ? ArrayRef<T>() : ArrayRef<T>(wrap);
  case ReduceKind::And:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    return to == ReduceTo::Cluster ? ArrayRef<T>(bitsCluster)
                                   : ArrayRef<T>(bitsGlobal);
  }
  llvm_unreachable("covered switch");
}

/// C46: whether an MLIR type holds values of the reduction's type.
static bool holds(Type type, ReduceType reduce) {
  switch (reduce) {
  case ReduceType::F16:
    return type.isF16();
  case ReduceType::BF16:
    return type.isBF16();
  case ReduceType::F32:
    return type.isF32();
  case ReduceType::F64:
    return type.isF64();
  case ReduceType::U32:
  case ReduceType::S32:
  case ReduceType::B32:
    return type.isSignlessInteger(32);
  case ReduceType::U64:
  case ReduceType::S64:
  case ReduceType::B64:
    return type.isSignlessInteger(64);
  }
  llvm_unreachable("covered switch");
}

static LogicalResult verifyReduction(Operation *op, ReduceKind kind,
                                     ReduceType type, ReduceTo to,
                                     ArrayRef<Type> elements) {
  ArrayRef<ReduceType> types = getReduceTypes(kind, to);
  if (!llvm::is_contained(types, type)) {
    if (types.empty())
      return op->emitOpError("expected a reduction that multimem.red has, got ")
             << stringifyReduceKind(kind);
    InFlightDiagnostic diag = op->emitOpError() << "expected one of the types ";
    llvm::interleaveComma(
        types, diag, [&](ReduceType t) { diag << stringifyReduceType(t); });
    return diag << " for " << stringifyReduceKind(kind) << ", got "
                << stringifyReduceType(type);
  }
  for (Type element : elements)
    if (!holds(element, type))
      return op->emitOpError()
             << "expected elements that hold " << stringifyReduceType(type)
             << ", got " << element;
  return success();
}

LogicalResult carousel::verifyGlobalReduction(Operation *op, ReduceKind kind,
                                              ReduceType type, Type element) {
  return verifyReduction(op, kind, type, ReduceTo::Global, {element});
}

LogicalResult carousel::verifyMulticastReduction(Operation *op, ReduceKind kind,
                                                 ReduceType type,
                                                 Type element) {
  return verifyReduction(op, kind, type, ReduceTo::Multicast, {element});
}

LogicalResult BulkReduceOp::verify() {
  if (failed(verifyBulkCopy(*this)))
    return failure();
  return verifyReduction(*this, getKind(), getType(), ReduceTo::Global,
                         {getSource().getType().getElementType(),
                          getDestination().getType().getElementType()});
}

LogicalResult BulkReduceClusterOp::verify() {
  if (failed(verifyBulkCopy(*this)) ||
      failed(verifyIndices(*this, getBarriers().getType(), getBarrierIndices(),
                           "barriers")))
    return failure();
  return verifyReduction(*this, getKind(), getType(), ReduceTo::Cluster,
                         {getSource().getType().getElementType(),
                          getDestination().getType().getElementType()});
}

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

/// C49
static LogicalResult verifyStoredElement(Operation *op, Type value,
                                         MemRefType destination) {
  if (getElementTypeOrSelf(value) == destination.getElementType())
    return success();
  return op->emitOpError() << "expected a destination with elements of "
                           << getElementTypeOrSelf(value) << ", got "
                           << destination;
}

LogicalResult StAsyncOp::verify() {
  if (failed(verifyIndices(*this, getDestination().getType(),
                           getDestinationIndices(), "destination")) ||
      failed(verifyIndices(*this, getBarriers().getType(), getBarrierIndices(),
                           "barriers")))
    return failure();
  // C48
  Type type = getValue().getType();
  Type element = getElementTypeOrSelf(type);
  unsigned bits = getElementBits(element);
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    lanes = vector.getRank() == 1 && !vector.isScalable()
                ? vector.getNumElements()
                : 0;
  if ((bits != 32 && bits != 64) ||
      (lanes != 1 && lanes != 2 && !(lanes == 4 && bits == 32)))
    return emitOpError("expected a value of 32 or 64 bits, or a vector of 2, "
                       "or of 4 with 32 "
                       "bits, got ")
           << type;
  return verifyStoredElement(*this, type, getDestination().getType());
}

LogicalResult StAsyncGlobalOp::verify() {
  if (failed(verifyIndices(*this, getDestination().getType(),
                           getDestinationIndices(), "destination")))
    return failure();
  Type type = getValue().getType();
  unsigned bits = getElementBits(type);
  // C48
  bool integer =
      type.isSignlessInteger() && llvm::is_contained({8u, 16u, 32u, 64u}, bits);
  if (!integer && !type.isF32() && !type.isF64())
    return emitOpError(
               "expected an integer of 8, 16, 32 or 64 bits, f32 or f64, got ")
           << type;
  return verifyStoredElement(*this, type, getDestination().getType());
}

LogicalResult RedAsyncOp::verify() {
  if (failed(verifyIndices(*this, getDestination().getType(),
                           getDestinationIndices(), "destination")) ||
      failed(verifyIndices(*this, getBarriers().getType(), getBarrierIndices(),
                           "barriers")))
    return failure();
  return verifyReduction(
      *this, getKind(), getType(), ReduceTo::Cluster,
      {getValue().getType(), getDestination().getType().getElementType()});
}

LogicalResult RedAsyncGlobalOp::verify() {
  if (failed(verifyIndices(*this, getDestination().getType(),
                           getDestinationIndices(), "destination")))
    return failure();
  return verifyReduction(
      *this, ReduceKind::Add, getType(), ReduceTo::GlobalValue,
      {getValue().getType(), getDestination().getType().getElementType()});
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

LogicalResult CpAsyncCopyOp::verify() {
  if (failed(verifySourceAndDestination(*this)))
    return failure();
  int64_t size = static_cast<int32_t>(getSize());
  // C80
  if (!llvm::is_contained(rules::kCpAsyncSizes, size))
    return emitOpError("expected a size of 4, 8 or 16 bytes, got ") << size;
  // C81
  if (getCache() == CpAsyncCache::CG && size != rules::kCpAsyncBypassSize)
    return emitOpError("expected a size of 16 bytes with cg, got ") << size;
  // C82
  if (getValid() && getIgnore())
    return emitOpError("expected valid bytes or an ignore predicate, got both");
  // C83
  if (getL2Prefetch() &&
      !llvm::is_contained(rules::kCpAsyncPrefetchSizes, *getL2Prefetch()))
    return emitOpError("expected an L2 prefetch of 64, 128 or 256 bytes, got ")
           << static_cast<int32_t>(*getL2Prefetch());
  // C42, for several elements.
  for (MemRefType type : {getSource().getType(), getDestination().getType()})
    if (size * 8 != getElementBits(type.getElementType()) &&
        failed(verifyContiguous(*this, type)))
      return failure();
  // C41: the op reads only the valid bytes.
  if (!getValid() && failed(verifyRoom(*this, getSource().getType(), size)))
    return failure();
  return verifyRoom(*this, getDestination().getType(), size);
}

TargetRequirement CpAsyncCopyOp::getTargetRequirement() {
  if (getIgnore())
    return {80, 75};
  return getL2Prefetch() || getCachePolicy() ? TargetRequirement{80, 74}
                                             : TargetRequirement{80, 70};
}

LogicalResult CpAsyncMbarrierArriveOp::verify() {
  return verifyIndices(*this, getBarriers().getType(), getIndices(),
                       "barriers");
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// C85
static LogicalResult verifyOtherwise(Operation *op,
                                     std::optional<EvictPriority> otherwise) {
  if (!otherwise || *otherwise == EvictPriority::First ||
      *otherwise == EvictPriority::Unchanged)
    return success();
  return op->emitOpError() << "expected evict_first or evict_unchanged as the "
                              "other priority, got "
                           << stringifyEvictPriority(*otherwise);
}

LogicalResult CachePolicyFractionalOp::verify() {
  // C84
  if (std::optional<APFloat> fraction = getFraction()) {
    float value = fraction->convertToFloat();
    if (!(value > 0.0f && value <= 1.0f))
      return emitOpError("expected a fraction above 0 and at most 1, got ")
             << value;
  }
  return verifyOtherwise(*this, getOtherwise());
}

LogicalResult CachePolicyRangeOp::verify() {
  if (failed(verifyIndices(*this, getBase().getType(), getIndices(), "base")))
    return failure();
  return verifyOtherwise(*this, getOtherwise());
}

LogicalResult PrefetchOp::verify() {
  // C79
  if (isLocalMemRef(getSource().getType()) && getLevel() != PrefetchLevel::L1 &&
      getLevel() != PrefetchLevel::L2)
    return emitOpError("expected level l1 or l2 for local memory, got ")
           << stringifyPrefetchLevel(getLevel());
  return verifyIndices(*this, getSource().getType(), getIndices(), "source");
}

TargetRequirement PrefetchOp::getTargetRequirement() {
  bool evicts = getLevel() == PrefetchLevel::L2EvictLast ||
                getLevel() == PrefetchLevel::L2EvictNormal;
  return evicts ? TargetRequirement{80, 74} : TargetRequirement{80, 70};
}
