//===- Alignment.cpp - alignment of shared addresses ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Alignment.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Alignment.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

std::string AddressFacts::explainMisalignment(int64_t alignment) const {
  if (baseAlignment && *baseAlignment % alignment != 0)
    return "an allocation aligned to " + std::to_string(*baseAlignment);
  int64_t granule = std::gcd(alignment, step);
  if (constant % granule != 0)
    return "an offset of " + std::to_string(constant) + " bytes";
  return {};
}

/// Whether LLVM and C++ can store this floating-point type in memory.
static bool liesInMemory(FloatType type) {
  return !type.isTF32() && type.getWidth() <= 64;
}

/// The bytes of an element if an index has `indexBytes` bytes. With an unknown
/// `indexBytes` of 0, sizes that depend on it are 0. nullopt for types that
/// aren't stored in memory.
static std::optional<int64_t> computeElementBytes(Type type,
                                                  int64_t indexBytes) {
  if (isa<MbarrierType>(type))
    return rules::kMbarrierBytes;
  if (isa<TensorMapType>(type))
    return rules::kTensorMapBytes;
  if (type.isIndex())
    return indexBytes;
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part =
        computeElementBytes(complex.getElementType(), indexBytes);
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::optional<int64_t> part =
        computeElementBytes(vector.getElementType(), indexBytes);
    if (!part || vector.isScalable())
      return std::nullopt;
    uint64_t bytes = *part;
    for (int64_t extent : vector.getShape())
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
    // LLVM pads it to a power of two.
    constexpr uint64_t most = uint64_t(1) << 62;
    return llvm::PowerOf2Ceil(std::min(bytes, most));
  }
  auto number = dyn_cast<FloatType>(type);
  if (!type.isIntOrFloat() || (number && !liesInMemory(number)))
    return std::nullopt;
  return llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
}

int64_t carousel::getElementBytes(Type type) {
  return computeElementBytes(type, /*indexBytes=*/0).value_or(0);
}

std::optional<int64_t> carousel::getMostElementBytes(Type type) {
  return computeElementBytes(type, /*indexBytes=*/8);
}

namespace {
/// Accumulates offsets while it walks from an element to its allocation.
class AddressWalk {
public:
  void addOffset(OpFoldResult count, int64_t strideBytes) {
    std::optional<int64_t> constant = getConstantIntValue(count);
    if (constant && !ShapedType::isDynamic(strideBytes))
      facts.constant += *constant * strideBytes;
    else if (!constant || *constant != 0)
      // Unknown strides may only be multiples of one byte.
      facts.step = std::gcd(
          facts.step, ShapedType::isDynamic(strideBytes) ? 1 : strideBytes);
  }

  void addElements(MemRefType type, ArrayRef<OpFoldResult> counts) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return addUnknown();
    int64_t bytes = getElementBytes(type.getElementType());
    for (auto [count, stride] : llvm::zip(counts, strides))
      addOffset(count, ShapedType::isDynamic(stride) ? ShapedType::kDynamic
                                                     : stride * bytes);
  }

  void addUnknown() { facts.step = 1; }

  AddressFacts facts;
};
} // namespace

/// The alignment of an allocation without an attribute: that of its element.
static int64_t getNaturalAlignment(Value memref) {
  int64_t bytes =
      getElementBytes(cast<MemRefType>(memref.getType()).getElementType());
  return bytes > 0 ? bytes & -bytes : 4; // an index has 4 or 8 bytes
}

static std::optional<int64_t> getAttributionAlignment(BlockArgument argument) {
  auto func = dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
  if (!func)
    return std::nullopt;
  ArrayRef<BlockArgument> buffers = func.getWorkgroupAttributions();
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (buffer != argument)
      continue;
    if (auto align =
            dyn_cast_or_null<IntegerAttr>(func.getWorkgroupAttributionAttr(
                index, LLVM::LLVMDialect::getAlignAttrName())))
      if (align.getInt() > 0)
        return align.getInt();
    return getNaturalAlignment(argument);
  }
  return std::nullopt;
}

/// Reads the alignment that a program asks of its callers.
static std::optional<int64_t> getProgramAlignment(BlockArgument argument) {
  auto program = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!program || !program->hasAttr(CarouselDialect::kProgram))
    return std::nullopt;
  auto align = program.getArgAttrOfType<IntegerAttr>(
      argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName());
  return align ? std::optional(align.getInt()) : std::nullopt;
}

AddressFacts carousel::computeAddressFacts(Value memref, ValueRange indices) {
  AddressWalk walk;
  walk.addElements(cast<MemRefType>(memref.getType()),
                   getAsOpFoldResult(indices));

  // One step towards the allocation per round; null ends the walk.
  auto stepTowardsBase = [&](Operation *op) -> Value {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](memref::SubViewOp view) {
          walk.addElements(view.getSourceType(), view.getMixedOffsets());
          return view.getSource();
        })
        .Case([&](memref::ViewOp view) {
          walk.addOffset(getAsOpFoldResult(view.getByteShift()), 1);
          return view.getSource();
        })
        .Case([&](memref::ReinterpretCastOp cast) {
          // The source's base is the source itself if it has no offset.
          auto source = dyn_cast<MemRefType>(cast.getSource().getType());
          SmallVector<int64_t> strides;
          int64_t offset;
          if (!source || failed(source.getStridesAndOffset(strides, offset)) ||
              offset != 0) {
            walk.addUnknown();
            return Value();
          }
          walk.addOffset(cast.getMixedOffsets().front(),
                         getElementBytes(cast.getType().getElementType()));
          return Value(cast.getSource());
        })
        .Case([&](memref::AssumeAlignmentOp assume) {
          walk.facts.baseAlignment = assume.getAlignment();
          return Value();
        })
        .Case<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
              memref::MemorySpaceCastOp>(
            [](auto view) -> Value { return view->getOperand(0); })
        .Case([](ClusterMapSharedOp map) -> Value { return map.getSource(); })
        .Case([&](memref::AllocOp alloc) {
          if (std::optional<uint64_t> alignment = alloc.getAlignment())
            walk.facts.baseAlignment = *alignment;
          return Value();
        })
        .Case([&](memref::GetGlobalOp get) {
          auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
              get, get.getNameAttr());
          if (global)
            walk.facts.baseAlignment = global.getAlignment()
                                           ? *global.getAlignment()
                                           : getNaturalAlignment(get);
          return Value();
        })
        .Case([&](gpu::DynamicSharedMemoryOp) {
          walk.facts.baseAlignment = rules::kSwizzle128Alignment;
          return Value();
        })
        .Default([&](Operation *) {
          walk.addUnknown();
          return Value();
        });
  };

  while (memref) {
    if (auto argument = dyn_cast<BlockArgument>(memref)) {
      walk.facts.baseAlignment = getAttributionAlignment(argument);
      if (!walk.facts.baseAlignment)
        walk.facts.baseAlignment = getProgramAlignment(argument);
      if (!walk.facts.baseAlignment)
        walk.addUnknown();
      break;
    }
    memref = stepTowardsBase(memref.getDefiningOp());
  }
  return walk.facts;
}
