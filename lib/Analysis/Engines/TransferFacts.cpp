//===- TransferFacts.cpp - facts about a transfer -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a transfer: its box, and the origins of its memrefs.
//
//===----------------------------------------------------------------------===//

#include "TransferFacts.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Origins of memrefs
//===----------------------------------------------------------------------===//

/// A divisor of an element's size. Nothing is known of types whose size or
/// alignment depends on the target.
static int64_t getElementDivisor(BaseMemRefType type) {
  Type element = type.getElementType();
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 1;
}

static int64_t getNaturalAlignment(BaseMemRefType type) {
  int64_t bytes = getElementDivisor(type);
  return bytes & -bytes;
}

/// A divisor of the bytes from the source's begin to the subview's.
static int64_t getOffsetDivisor(memref::SubViewOp view,
                                const Divisibility &indices) {
  MemRefType type = view.getSourceType();
  SmallVector<int64_t> strides;
  int64_t first;
  if (failed(type.getStridesAndOffset(strides, first)))
    return 1;
  int64_t divisor = 0;
  for (auto [offset, stride] : llvm::zip(view.getMixedOffsets(), strides)) {
    int64_t count = indices.getMultiple(offset);
    int64_t step = ShapedType::isDynamic(stride) ? 1 : stride;
    divisor = std::gcd(divisor, count * step);
  }
  return divisor * getElementDivisor(type);
}

/// Whether a view has all dimensions of its source, and each of their elements.
static bool keepsStrides(memref::SubViewOp view) {
  return view.getDroppedDims().none() &&
         llvm::all_of(view.getMixedStrides(), isOneInteger);
}

MemRefOrigin carousel::findOrigin(Value memref, const Divisibility &indices) {
  MemRefOrigin origin;
  origin.root = memref;
  auto isBehind = [&](int64_t alignment) {
    // 0 is a multiple of everything, so gcd returns the alignment.
    origin.alignment =
        std::max(origin.alignment, std::gcd(alignment, origin.offset));
  };
  isBehind(getNaturalAlignment(cast<BaseMemRefType>(memref.getType())));
  while (Operation *op = origin.root.getDefiningOp()) {
    Value source =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case<memref::CastOp, memref::MemorySpaceCastOp>(
                [](auto cast) { return cast.getSource(); })
            .Case([&](memref::AssumeAlignmentOp assume) {
              isBehind(assume.getAlignment());
              return assume.getMemref();
            })
            .Case<memref::CollapseShapeOp, memref::ExpandShapeOp>(
                [&](auto reshape) {
                  origin.isWhole = origin.keepsStrides = false;
                  return reshape.getSrc();
                })
            .Case([](ClusterMapSharedOp map) { return map.getSource(); })
            // Rows begin at multiples of the source's stride.
            .Case([&](RowsOp rows) {
              origin.isWhole = false;
              return rows.getSource();
            })
            .Case([&](memref::SubViewOp view) {
              origin.isWhole = false;
              origin.keepsStrides &= keepsStrides(view);
              origin.offset =
                  std::gcd(origin.offset, getOffsetDivisor(view, indices));
              return view.getSource();
            })
            .Case([&](memref::ViewOp view) {
              origin.isWhole = origin.keepsStrides = false;
              origin.offset = std::gcd(
                  origin.offset, indices.getMultiple(view.getByteShift()));
              return view.getSource();
            })
            .Default([](Operation *) { return Value(); });
    if (!source)
      break;
    origin.root = source;
  }
  if (auto alloc = origin.root.getDefiningOp<memref::AllocOp>())
    isBehind(alloc.getAlignment().value_or(1));
  return origin;
}

/// The alignment that a buffer in shared memory has, or can get.
static int64_t getBufferAlignment(Value buffer) {
  if (isa_and_nonnull<memref::AllocOp, gpu::DynamicSharedMemoryOp>(
          buffer.getDefiningOp()))
    return rules::kSwizzle128Alignment;
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    if (auto kernel =
            dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()))
      if (llvm::is_contained(kernel.getWorkgroupAttributions(), argument))
        return rules::kSwizzle128Alignment;
  return 1;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

KernelFacts::KernelFacts(gpu::GPUFuncOp kernel, const TargetSpec &target,
                         const ChipModel &chip)
    : kernel(kernel), target(target), chip(chip),
      arguments(getKernelArguments(kernel)) {
  for (auto [number, argument] : llvm::enumerate(arguments))
    numbers[kernel.getArgument(argument.position)] = number;
  if (auto variant =
          kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant))
    llvm::append_range(known, variant.getGuards());
}

/// Row-major without gaps. Strides of dimensions of extent 1 don't matter.
static bool isContiguous(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t run = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (strides[dim] != run && shape[dim] != 1)
      return false;
    run *= shape[dim];
  }
  return true;
}

TransferFacts::TransferFacts(const KernelFacts &kernel, TransferOpInterface op)
    : kernel(kernel), op(op), isLoad(op.isLoad()), inBounds(op.getInBounds()),
      tileBytes(op.getTileBytes()),
      shape(computeTransferShape(op, kernel.indices)) {
  if (auto load = dyn_cast<LoadOp>(*op)) {
    fill = load.getFill();
    rounds = load.getRoundTf32();
  } else if (auto store = dyn_cast<StoreOp>(*op)) {
    reduce = store.getReduceAttr();
    isExclusive = store.getExclusive();
    isMulticast = carousel::isMulticast(store.getGlobal());
  }
  MemRefType global = op.getGlobal().getType();
  MemRefType tile = op.getTile().getType();
  elementBytes = tile.getElementTypeBitWidth() / 8;
  rank = global.getRank();
  llvm::append_range(offsets, op.getOffsets());
  box.assign(op.getNumLeadingDims(), 1);
  llvm::append_range(box, tile.getShape());
  int64_t first;
  // C125 guarantees strides and offsets of both.
  (void)global.getStridesAndOffset(strides, first);
  extents.assign(global.getShape().begin(), global.getShape().end());

  MemRefOrigin source = findOrigin(op.getGlobal(), kernel.indices);
  globalAlignment = source.alignment;
  globalOffset = source.offset;
  auto found = kernel.numbers.find(source.root);
  if (found != kernel.numbers.end()) {
    argument = found->second;
    const KernelArgument &root = kernel.arguments[*argument];
    auto type = cast<MemRefType>(root.type);
    name = root.name;
    isArgument = source.isWhole;
    hasArgumentStrides = source.keepsStrides;
    isContiguousArgument = isArgument && type.getLayout().isIdentity();
    if (root.workspace)
      globalAlignment = std::max(
          globalAlignment, std::gcd(rules::kWorkspaceAlignment, globalOffset));
    gpu::GPUFuncOp func = kernel.kernel;
    auto promised = func.getArgAttrOfType<IntegerAttr>(
        root.position, LLVM::LLVMDialect::getAlignAttrName());
    if (promised && promised.getInt() > 0)
      globalAlignment =
          std::max(globalAlignment, std::gcd(promised.getInt(), globalOffset));
  } else {
    name = "the global memref";
  }
  Operation *producer = op.getGlobal().getDefiningOp();
  origin = producer ? "the result of '" +
                          producer->getName().getStringRef().str() + "'"
                    : "a block's";

  (void)tile.getStridesAndOffset(tileStrides, first);
  isTileContiguous = isContiguous(tile.getShape(), tileStrides);
  MemRefOrigin buffer = findOrigin(op.getTile(), kernel.indices);
  tileBuffer = buffer.root;
  tileAlignment =
      std::max(buffer.alignment,
               std::gcd(getBufferAlignment(tileBuffer), buffer.offset));
}

bool TransferFacts::isInside(int64_t dim) const {
  if (inBounds)
    return true;
  std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
  return offset && *offset >= 0 && !ShapedType::isDynamic(extents[dim]) &&
         *offset <= extents[dim] - box[dim];
}

ExprAttr TransferFacts::getExtentExpr(int64_t dim) const {
  MLIRContext *context = op->getContext();
  if (!ShapedType::isDynamic(extents[dim]))
    return makeExpr(context, ExprKind::Constant, extents[dim]);
  return makeExpr(context, ExprKind::Extent, dim, *argument);
}

ExprAttr TransferFacts::getStrideExpr(int64_t dim) const {
  MLIRContext *context = op->getContext();
  if (!ShapedType::isDynamic(strides[dim]))
    return makeExpr(context, ExprKind::Constant, strides[dim]);
  // The same value by its shorter name, so that equal guards are recognised.
  if (isContiguousArgument && dim == rank - 2)
    return getExtentExpr(rank - 1);
  return makeExpr(context, ExprKind::Stride, dim, *argument);
}
