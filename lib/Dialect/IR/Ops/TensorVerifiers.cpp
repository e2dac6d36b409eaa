//===- TensorVerifiers.cpp - tensor and tensor map rules ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C60 to C74 of docs/Spec.md, and the target requirement of each
// form of the ops.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Coordinates and modes
//===----------------------------------------------------------------------===//

/// C62: the tensor map that a mode of copy takes.
static LogicalResult verifyMapMode(Operation *op, TensorMapType map,
                                   TensorMapMode expected) {
  if (map.getMode() == expected)
    return success();
  return op->emitOpError() << "expected a tensor map of mode "
                           << stringifyTensorMapMode(expected) << ", got "
                           << stringifyTensorMapMode(map.getMode());
}

static TensorMapMode getMapMode(TensorLoadMode mode) {
  switch (mode) {
  case TensorLoadMode::Tile:
  case TensorLoadMode::Gather4:
    return TensorMapMode::Tiled;
  case TensorLoadMode::Im2Col:
    return TensorMapMode::Im2Col;
  case TensorLoadMode::Im2ColW:
    return TensorMapMode::Im2ColW;
  case TensorLoadMode::Im2ColW128:
    return TensorMapMode::Im2ColW128;
  }
  llvm_unreachable("covered switch");
}

/// C60
static LogicalResult verifyCoordinates(Operation *op, size_t count,
                                       int64_t expected) {
  if (static_cast<int64_t>(count) == expected)
    return success();
  return op->emitOpError() << "expected " << expected << " coordinates, got "
                           << count;
}

/// C65
static LogicalResult verifyRows(Operation *op, TensorMapType map) {
  if (map.getRank() != 2)
    return op->emitOpError()
           << "expected a tensor map of rank 2 for four rows, got rank "
           << map.getRank();
  if (map.getBox()[0] != 1)
    return op->emitOpError() << "expected a box of one row for four rows, got "
                             << map.getBox()[0];
  return success();
}

/// C60, C61, C62, C65
static LogicalResult verifyLoadMode(Operation *op, TensorMapType map,
                                    TensorLoadMode mode, size_t coordinates,
                                    size_t offsets) {
  if (failed(verifyMapMode(op, map, getMapMode(mode))))
    return failure();
  int64_t rank = map.getRank();
  if (mode == TensorLoadMode::Gather4) {
    if (failed(verifyRows(op, map)))
      return failure();
    rank = 1 + rules::kGatherRows;
  }
  if (failed(verifyCoordinates(op, coordinates, rank)))
    return failure();
  int64_t expected = 0;
  if (mode == TensorLoadMode::Im2Col)
    expected = rank - 2;
  else if (mode == TensorLoadMode::Im2ColW ||
           mode == TensorLoadMode::Im2ColW128)
    expected = 2;
  if (static_cast<int64_t>(offsets) == expected)
    return success();
  return op->emitOpError() << "expected " << expected << " offsets in mode "
                           << stringifyTensorLoadMode(mode) << ", got "
                           << offsets;
}

static LogicalResult verifyStoreMode(Operation *op, TensorMapType map,
                                     TensorStoreMode mode, size_t coordinates) {
  TensorMapMode expected = mode == TensorStoreMode::Im2ColNoOffs
                               ? TensorMapMode::Im2Col
                               : TensorMapMode::Tiled;
  if (failed(verifyMapMode(op, map, expected)))
    return failure();
  int64_t rank = map.getRank();
  if (mode == TensorStoreMode::Scatter4) {
    if (failed(verifyRows(op, map)))
      return failure();
    rank = 1 + rules::kGatherRows;
  }
  return verifyCoordinates(op, coordinates, rank);
}

/// C42, C63, C64: the shared tile of a copy of `bytes`.
static LogicalResult verifyTile(Operation *op, MemRefType tile,
                                TensorMapType map, int64_t bytes) {
  if (failed(verifyContiguous(op, tile)))
    return failure();
  bool packed = map.getElementBits() % 8 != 0 ||
                map.getElement() == TensorElement::B4x16P64 ||
                map.getElement() == TensorElement::B6x16P32;
  unsigned bits = getElementBits(tile.getElementType());
  if (!packed && bits != map.getElementBits())
    return op->emitOpError()
           << "expected a tile with elements of " << map.getElementBits()
           << " bits, as the tensor map's, got " << tile;
  std::optional<int64_t> room = getStaticBytes(tile);
  if (room && *room < bytes)
    return op->emitOpError()
           << "expected a tile of at least the box's " << bytes
           << " bytes, got " << *room << " in " << tile;
  return verifyRoom(op, tile, bytes);
}
/// C74: cuTensorMapEncodeTiled, swizzle: the directions that padded elements
/// support.
static LogicalResult verifyDirection(Operation *op, TensorMapType map,
                                     bool load) {
  if (!load && map.getElement() == TensorElement::B4x16P64)
    return op->emitOpError("expected a format that can be stored, got the "
                           "load-only b4x16_p64");
  if (load && map.getElement() == TensorElement::B6x16P32 &&
      map.getSwizzle() == Swizzle::B128Atom64)
    return op->emitOpError("expected a swizzle that b6x16_p32 can be loaded "
                           "with, got the store-only b128_atom_64b");
  return success();
}

/// Formats and swizzles that came with sm_100.
static bool isBlackwellMap(TensorMapType map) {
  switch (map.getElement()) {
  case TensorElement::B4x16:
  case TensorElement::B4x16P64:
  case TensorElement::B6x16P32:
    return true;
  default:
    break;
  }
  switch (map.getSwizzle()) {
  case Swizzle::B128Atom32:
  case Swizzle::B128Atom32Flip8:
  case Swizzle::B128Atom64:
    return true;
  default:
    return false;
  }
}

static TargetRequirement getPlainTarget(TensorMapType map) {
  return isBlackwellMap(map) ? TargetRequirement{100, 86}
                             : TargetRequirement{90, 80};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

int64_t TensorLoadOp::getTransactionBytes() {
  return getMap().getType().getBoxBytes(
      getMode() == TensorLoadMode::Gather4 ? rules::kGatherRows : 1);
}

LogicalResult TensorLoadOp::verify() {
  TensorMapType map = getMap().getType();
  MemRefType destination = getDestination().getType();
  MemRefType barriers = getBarriers().getType();
  if (failed(verifyIndices(*this, destination, getDestinationIndices(),
                           "destination")) ||
      failed(verifyIndices(*this, barriers, getBarrierIndices(), "barriers")) ||
      failed(verifyLoadMode(*this, map, getMode(), getCoordinates().size(),
                            getOffsets().size())) ||
      failed(verifyDirection(*this, map, /*load=*/true)) ||
      failed(verifyTile(*this, destination, map, getTransactionBytes())) ||
      failed(verifyMulticast(*this, getMulticastMask(), destination)))
    return failure();
  return verifySameWindow(*this, destination, barriers);
}

TargetRequirement TensorLoadOp::getTargetRequirement() {
  bool local =
      isSharedMemRef(getDestination().getType()) && !getMulticastMask();
  if (getCtaGroup())
    return {100, 86, {"sm_100a"}};
  switch (getMode()) {
  case TensorLoadMode::Tile:
  case TensorLoadMode::Im2Col:
    return getPlainTarget(getMap().getType());
  case TensorLoadMode::Gather4:
  case TensorLoadMode::Im2ColW:
    if (local)
      return {100, 86, {"sm_100a", "sm_120a"}};
    return {100, 86, {"sm_100a"}};
  case TensorLoadMode::Im2ColW128:
    return {100, 86, {"sm_100a"}};
  }
  llvm_unreachable("covered switch");
}

template <typename Op> static LogicalResult verifyStore(Op op) {
  TensorMapType map = op.getMap().getType();
  unsigned rows =
      op.getMode() == TensorStoreMode::Scatter4 ? rules::kGatherRows : 1;
  if (failed(verifyIndices(op, op.getSource().getType(), op.getSourceIndices(),
                           "source")) ||
      failed(
          verifyStoreMode(op, map, op.getMode(), op.getCoordinates().size())))
    return failure();
  if (failed(verifyDirection(op, map, /*load=*/false)))
    return failure();
  return verifyTile(op, op.getSource().getType(), map, map.getBoxBytes(rows));
}

LogicalResult TensorStoreOp::verify() { return verifyStore(*this); }

TargetRequirement TensorStoreOp::getTargetRequirement() {
  if (getMode() == TensorStoreMode::Scatter4)
    return {100, 86, {"sm_100a"}};
  return getPlainTarget(getMap().getType());
}

/// C68: the element types that a tensor reduction of this kind has.
static ArrayRef<TensorElement> getReduceElements(ReduceKind kind) {
  using T = TensorElement;
  static constexpr T add[] = {T::U32,  T::S32, T::U64,    T::F16,
                              T::BF16, T::F32, T::F32FTZ, T::F64};
  static constexpr T order[] = {T::U32, T::S32, T::U64,
                                T::S64, T::F16, T::BF16};
  static constexpr T wrap[] = {T::U32};
  static constexpr T bits[] = {T::U32, T::S32, T::U64};
  switch (kind) {
  case ReduceKind::Add:
    return add;
  case ReduceKind::Min:
  case ReduceKind::Max:
    return order;
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return wrap;
  case ReduceKind::And:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    return bits;
  }
  llvm_unreachable("covered switch");
}

LogicalResult TensorReduceOp::verify() {
  // C67
  if (getMode() == TensorStoreMode::Scatter4)
    return emitOpError("expected mode tile or im2col_no_offs, got scatter4");
  ArrayRef<TensorElement> elements = getReduceElements(getKind());
  TensorElement element = getMap().getType().getElement();
  if (!llvm::is_contained(elements, element)) {
    InFlightDiagnostic diag = emitOpError("expected a tensor map of one of ");
    llvm::interleaveComma(elements, diag,
                          [&](TensorElement e) { diag << stringifyEnum(e); });
    return diag << " for " << stringifyReduceKind(getKind()) << ", got "
                << stringifyTensorElement(element);
  }
  return verifyStore(*this);
}

TargetRequirement TensorReduceOp::getTargetRequirement() {
  return getPlainTarget(getMap().getType());
}

LogicalResult TensorPrefetchOp::verify() {
  if (failed(verifyDirection(*this, getMap().getType(), /*load=*/true)))
    return failure();
  return verifyLoadMode(*this, getMap().getType(), getMode(),
                        getCoordinates().size(), getOffsets().size());
}

TargetRequirement TensorPrefetchOp::getTargetRequirement() {
  switch (getMode()) {
  case TensorLoadMode::Tile:
  case TensorLoadMode::Im2Col:
    return getPlainTarget(getMap().getType());
  case TensorLoadMode::Gather4:
  case TensorLoadMode::Im2ColW:
  case TensorLoadMode::Im2ColW128:
    return {100, 86, {"sm_100a"}};
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

LogicalResult TensorMapGetOp::verify() {
  if (failed(verifyIndices(*this, getMaps().getType(), getIndices(),
                           "descriptors")))
    return failure();
  // C69
  if (getMaps().getType().getElementType() != getMap().getType())
    return emitOpError("expected descriptors of ")
           << getMap().getType() << ", got " << getMaps().getType();
  return success();
}

namespace {
/// The operands of tensormap.replace for a field, and the range of a literal.
struct FieldRule {
  bool hasDim;
  unsigned valueBits; // 0 for a literal
  int64_t literalEnd; // literals are 0 to literalEnd - 1
};
} // namespace

/// PTX ISA, tensormap.replace, and its table of literals.
static FieldRule getFieldRule(TensorMapField field) {
  switch (field) {
  case TensorMapField::GlobalAddress:
    return {false, 64, 0};
  case TensorMapField::Rank:
    return {false, 32, 0};
  case TensorMapField::BoxDim:
  case TensorMapField::GlobalDim:
  case TensorMapField::ElementStride:
    return {true, 32, 0};
  case TensorMapField::GlobalStride:
    return {true, 64, 0};
  case TensorMapField::ElementType:
    return {false, 0, 16};
  case TensorMapField::InterleaveLayout:
    return {false, 0, 3};
  case TensorMapField::SwizzleMode:
    return {false, 0, 5};
  case TensorMapField::SwizzleAtomicity:
    return {false, 0, 4};
  case TensorMapField::FillMode:
    return {false, 0, 2};
  }
  llvm_unreachable("covered switch");
}

LogicalResult TensorMapReplaceOp::verify() {
  if (failed(verifyIndices(*this, getMaps().getType(), getIndices(),
                           "descriptors")))
    return failure();
  FieldRule rule = getFieldRule(getField());
  StringRef name = stringifyTensorMapField(getField());
  // C70
  if (rule.hasDim != getDim().has_value())
    return emitOpError("expected ")
           << (rule.hasDim ? "a" : "no") << " dimension for " << name
           << ", got " << (getDim() ? "one" : "none");
  // C71
  bool wantsValue = rule.valueBits != 0;
  if (wantsValue != static_cast<bool>(getValue()) ||
      wantsValue == getLiteral().has_value())
    return emitOpError("expected ")
           << (wantsValue ? "a value" : "a literal") << " for " << name
           << ", got "
           << (getValue() ? (getLiteral() ? "both" : "a value")
                          : (getLiteral() ? "a literal" : "none"));
  // C72
  if (wantsValue && !getValue().getType().isInteger(rule.valueBits))
    return emitOpError("expected a value of ")
           << rule.valueBits << " bits for " << name << ", got "
           << getValue().getType();
  // C73
  int64_t literal = static_cast<int32_t>(getLiteral().value_or(0));
  if (!wantsValue && (literal < 0 || literal >= rule.literalEnd))
    return emitOpError("expected a literal of 0 to ")
           << rule.literalEnd - 1 << " for " << name << ", got " << literal;
  return success();
}

TargetRequirement TensorMapReplaceOp::getTargetRequirement() {
  // sm_100 added fields, and values of older fields: types from b4x16 (13) on,
  // and the 96-byte swizzle (4), which only sm_103a has.
  if (getField() == TensorMapField::SwizzleAtomicity)
    return {100, 87, {"sm_100a", "sm_120a"}}; // PTX 8.6; LLVM asks for 8.7.
  if (getField() == TensorMapField::ElementType && getLiteral() >= 13)
    return {100, 87, {"sm_100a", "sm_120a"}};
  if (getField() == TensorMapField::SwizzleMode && getLiteral() >= 4)
    return {103, 88, {"sm_103a"}};
  return {90, 83, {"sm_90a", "sm_100a", "sm_120a"}};
}

LogicalResult TensorMapCopyFenceOp::verify() {
  MemRefType source = getSource().getType(),
             destination = getDestination().getType();
  if (failed(verifyIndices(*this, source, getSourceIndices(), "source")) ||
      failed(verifyIndices(*this, destination, getDestinationIndices(),
                           "destination")))
    return failure();
  // C69
  if (!isa<TensorMapType>(source.getElementType()) ||
      source.getElementType() != destination.getElementType())
    return emitOpError("expected memrefs of one type of tensor map, got ")
           << source << " and " << destination;
  return success();
}
