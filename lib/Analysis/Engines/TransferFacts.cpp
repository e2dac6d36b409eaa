//===- TransferFacts.cpp - facts and needs of a transfer ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a transfer: its box, and the origins of its memrefs. Then its bounds,
// dimension by dimension: a static extent is compared with the largest multiple
// that the offset's range has, and a dynamic extent that is the upper bound of
// a loop is above its induction variable. Meets the needs of engines from these
// facts, makes guards of the launch for the rest, and describes needs that
// can't be met.
//
//===----------------------------------------------------------------------===//

#include "TransferFacts.h"

#include "carousel/Analysis/Engines/TransferBounds.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
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
    if (RowsOp rows = getRows(op)) {
      arePages = isLoad && rank > 2 &&
                 findOrigin(rows.getSource(), kernel.indices).isWhole;
      extents.front() = rows.getSource().getType().getDimSize(0);
    }
    isContiguousArgument =
        (isArgument || arePages) && type.getLayout().isIdentity();
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
  // The table may name any row.
  if (dim == 0 && getRows(op))
    return false;
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

/// Whether `bound` is at most the extent of `memref`'s dimension `dim`.
static bool isAtMostExtent(Value bound, Value memref, int64_t dim) {
  llvm::SetVector<Value> bounds;
  bounds.insert(bound);
  for (unsigned i = 0; i < bounds.size(); ++i) {
    if (auto least = bounds[i].getDefiningOp<arith::MinSIOp>())
      bounds.insert_range(least->getOperands());
    auto extent = bounds[i].getDefiningOp<memref::DimOp>();
    if (extent && extent.getSource() == memref &&
        extent.getConstantIndex() == dim)
      return true;
  }
  return false;
}

/// Whether `offset` counts up to the extent of `memref`'s dimension `dim`.
static bool isBelowExtent(Value offset, Value memref, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(offset);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && offset == loop.getInductionVar() && !loop.getUnsignedCmp() &&
         isAtMostExtent(loop.getUpperBound(), memref, dim);
}

/// The largest value that `offset` may have, or nullopt.
static std::optional<int64_t> findMost(Value offset, const Divisibility &facts,
                                       IndexRanges &ranges) {
  IntegerValueRange range = ranges.get(offset);
  if (range.isUninitialized() || range.getValue().smax().isMaxSignedValue())
    return std::nullopt;
  int64_t most = range.getValue().smax().getSExtValue(),
          multiple = facts.getMultiple(offset);
  if (most < 0 || multiple == 0)
    return 0;
  return most / multiple * multiple;
}

bool carousel::isKnownInBounds(TransferOpInterface op,
                               const Divisibility &facts, IndexRanges &ranges) {
  if (getRows(op))
    return false;
  MemRefType tile = op.getTile().getType(), global = op.getGlobal().getType();
  int64_t leading = op.getNumLeadingDims();
  for (int64_t dim = 0, e = global.getRank(); dim < e; ++dim) {
    int64_t box = dim < leading ? 1 : tile.getDimSize(dim - leading),
            extent = global.getDimSize(dim);
    Value offset = op.getOffsets()[dim];
    if (!ranges.isNonNegative(offset))
      return false;
    if (box == 1 && isBelowExtent(offset, op.getGlobal(), dim))
      continue;
    std::optional<int64_t> most = findMost(offset, facts, ranges);
    if (ShapedType::isDynamic(extent) || !most || *most > extent - box)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Expressions and guards
//===----------------------------------------------------------------------===//

ExprAttr carousel::makeExpr(MLIRContext *context, ExprKind kind, int64_t value,
                            int64_t argument) {
  return ExprAttr::get(context, kind, value, argument, ExprAttr(), ExprAttr());
}

static ExprAttr combine(ExprKind kind, ExprAttr lhs, int64_t rhs) {
  MLIRContext *context = lhs.getContext();
  return ExprAttr::get(context, kind, /*value=*/0, /*argument=*/0, lhs,
                       makeExpr(context, ExprKind::Constant, rhs));
}

ExprAttr carousel::multiply(ExprAttr lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  if (lhs.getKind() == ExprKind::Constant)
    return makeExpr(lhs.getContext(), ExprKind::Constant, lhs.getValue() * rhs);
  return combine(ExprKind::Mul, lhs, rhs);
}

ExprAttr carousel::floorDivide(ExprAttr lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  if (lhs.getKind() == ExprKind::Constant)
    return makeExpr(lhs.getContext(), ExprKind::Constant, lhs.getValue() / rhs);
  return combine(ExprKind::FloorDiv, lhs, rhs);
}

GuardAttr carousel::makeCapability(MLIRContext *context, int64_t sm) {
  return GuardAttr::get(context, GuardKind::Capability, /*argument=*/0,
                        ExprAttr(), ExprAttr(), sm, INT64_MAX);
}

/// Whether `guard` holds whenever `other` does.
static bool follows(GuardAttr guard, GuardAttr other) {
  if (guard == other)
    return true;
  if (guard.getKind() != other.getKind() ||
      guard.getArgument() != other.getArgument() ||
      guard.getValue() != other.getValue() ||
      guard.getOther() != other.getOther())
    return false;
  switch (guard.getKind()) {
  case GuardKind::Aligned:
  case GuardKind::Divisible:
    return other.getLeast() % guard.getLeast() == 0;
  case GuardKind::Capability:
  case GuardKind::Range:
    return guard.getLeast() <= other.getLeast() &&
           guard.getMost() >= other.getMost();
  case GuardKind::Equal:
    return false;
  }
  llvm_unreachable("a guard");
}

bool carousel::isImplied(ArrayRef<GuardAttr> guards, GuardAttr guard) {
  return llvm::any_of(guards,
                      [&](GuardAttr other) { return follows(guard, other); });
}

void carousel::mergeGuard(SmallVectorImpl<GuardAttr> &guards, GuardAttr guard) {
  if (isImplied(guards, guard))
    return;
  llvm::erase_if(guards,
                 [&](GuardAttr other) { return follows(other, guard); });
  guards.push_back(guard);
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

bool Needs::addGuard(GuardAttr guard, bool isRaggedness, const Twine &why) {
  if (isImplied(facts.kernel.known, guard) || isImplied(guards, guard))
    return true;
  if (use == GuardUse::None || (use == GuardUse::NoRaggedness && isRaggedness))
    return refuse(why);
  // The bytes that cp.async copies at least.
  constexpr int64_t kShortBytes = 4;
  int64_t rowBytes = guard.getLeast() * facts.elementBytes;
  if (guard.getKind() == GuardKind::Divisible &&
      ((use == GuardUse::ShortRows && rowBytes > kShortBytes) ||
       (use == GuardUse::OddRows && rowBytes > facts.elementBytes)))
    return refuse(why);
  mergeGuard(guards, guard);
  return true;
}

bool Needs::hasTarget(unsigned sm, unsigned ptx) {
  std::string missing = facts.kernel.target.explainMissing({sm, ptx});
  return missing.empty() || refuse("a target that lacks it: it " + missing);
}

bool Needs::isGlobalAligned(int64_t bytes) {
  if (isMultiple(facts.globalAlignment, bytes))
    return true;
  if (!facts.argument)
    return refuse("an address of " + facts.name +
                  " that isn't known to be a multiple of " + Twine(bytes));
  if (!isMultiple(facts.globalOffset, bytes))
    return refuse("a part of " + facts.name + " that begins at a multiple of " +
                  Twine(facts.globalOffset) + " bytes, not of " + Twine(bytes));
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Aligned,
                                 *facts.argument, ExprAttr(), ExprAttr(), bytes,
                                 /*most=*/0),
                  /*isRaggedness=*/false,
                  "an address of " + facts.name +
                      " that isn't known to be a multiple of " + Twine(bytes));
}

bool Needs::isTileAligned(int64_t bytes) {
  return isMultiple(facts.tileAlignment, bytes) ||
         refuse("a tile that is aligned to " + Twine(facts.tileAlignment) +
                " bytes, not to " + Twine(bytes));
}

bool Needs::hasUnitStride() {
  int64_t stride = facts.strides.back();
  if (stride == 1)
    return true;
  if (ShapedType::isDynamic(stride))
    return refuse("an innermost stride of " + facts.name +
                  " that isn't known to be 1");
  return refuse("an innermost stride of " + Twine(stride) + " elements in " +
                facts.name);
}

bool Needs::hasContiguousTile() {
  return facts.isTileContiguous || refuse("a tile that isn't contiguous");
}

int64_t Needs::getKnownDivisor(ExprAttr expr) const {
  if (expr.getKind() == ExprKind::Constant)
    return std::abs(expr.getValue());
  int64_t divisor = 1;
  for (ArrayRef<GuardAttr> list :
       {ArrayRef(facts.kernel.known), ArrayRef<GuardAttr>(guards)})
    for (GuardAttr guard : list)
      if (guard.getKind() == GuardKind::Divisible && guard.getValue() == expr)
        divisor = std::lcm(divisor, guard.getLeast());
  return divisor;
}

int64_t Needs::getStrideMultiple(int64_t dim) const {
  if (!ShapedType::isDynamic(facts.strides[dim]))
    return facts.strides[dim];
  if (!facts.hasArgumentStrides)
    return 1;
  int64_t known = getKnownDivisor(facts.getStrideExpr(dim));
  if (!facts.isContiguousArgument)
    return known;
  int64_t product = 1;
  for (int64_t inner = dim + 1; inner < facts.rank; ++inner)
    // Large enough for every granule.
    product = std::gcd(
        product * std::gcd<int64_t>(getKnownDivisor(facts.getExtentExpr(inner)),
                                    1 << 20),
        int64_t(1) << 20);
  return std::lcm(known, product);
}

bool Needs::isStrideMultiple(int64_t dim, int64_t bytes) {
  int64_t elements = bytes / std::gcd(bytes, facts.elementBytes);
  if (isMultiple(getStrideMultiple(dim), elements))
    return true;
  int64_t stride = facts.strides[dim];
  std::string what = "stride " + std::to_string(dim) + " of " + facts.name;
  if (!ShapedType::isDynamic(stride))
    return refuse(what + " of " + Twine(stride * facts.elementBytes) +
                  " bytes, not a multiple of " + Twine(bytes));
  std::string unknown = what + " not known to be a multiple of " +
                        std::to_string(bytes) + " bytes";
  if (!facts.hasArgumentStrides)
    return refuse(unknown);
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Divisible,
                                 /*argument=*/0, facts.getStrideExpr(dim),
                                 ExprAttr(), elements, /*most=*/0),
                  /*isRaggedness=*/false, unknown);
}

bool Needs::makeOffsetMultiple(int64_t dim, int64_t divisor) {
  SmallVector<DivisibilityNeed> leaves;
  if (failed(facts.kernel.indices.require(facts.offsets[dim], divisor, leaves)))
    return false;
  MLIRContext *context = facts.op->getContext();
  for (const DivisibilityNeed &leaf : leaves) {
    ExprAttr expr;
    auto scalar = facts.kernel.numbers.find(leaf.value);
    if (scalar != facts.kernel.numbers.end()) {
      expr = makeExpr(context, ExprKind::Scalar, 0, scalar->second);
    } else if (auto dimOp = leaf.value.getDefiningOp<memref::DimOp>()) {
      MemRefOrigin source = findOrigin(dimOp.getSource(), facts.kernel.indices);
      auto root = facts.kernel.numbers.find(source.root);
      std::optional<int64_t> index = dimOp.getConstantIndex();
      auto type = dyn_cast<MemRefType>(source.root.getType());
      if (!source.isWhole || root == facts.kernel.numbers.end() || !type ||
          !index || *index < 0 || *index >= type.getRank())
        return false;
      expr = makeExpr(context, ExprKind::Extent, *index, root->second);
    }
    if (!expr ||
        !addGuard(GuardAttr::get(context, GuardKind::Divisible, /*argument=*/0,
                                 expr, ExprAttr(), leaf.divisor, /*most=*/0),
                  /*isRaggedness=*/false, ""))
      return false;
  }
  return true;
}

bool Needs::isOffsetMultiple(int64_t dim, int64_t bytes) {
  int64_t elements = bytes / std::gcd(bytes, facts.elementBytes);
  int64_t offset = facts.kernel.indices.getMultiple(facts.offsets[dim]);
  int64_t stride = getStrideMultiple(dim);
  int64_t forStride = elements / std::gcd(elements, offset);
  if (isMultiple(stride, forStride))
    return true;
  // A guard on the stride covers all offsets.
  if (ShapedType::isDynamic(facts.strides[dim]) &&
      isStrideMultiple(dim, forStride * facts.elementBytes))
    return true;
  int64_t forOffset = elements / std::gcd(elements, stride);
  if (makeOffsetMultiple(dim, forOffset))
    return true;
  if (ShapedType::isDynamic(facts.strides[dim]))
    return refuse("stride " + Twine(dim) + " of " + facts.name +
                  " not known to be a multiple of " +
                  Twine(forStride * facts.elementBytes) + " bytes");
  return refuse("offset " + Twine(dim) + " known to be a multiple of " +
                Twine(offset * stride * facts.elementBytes) +
                " bytes only, not of " + Twine(bytes));
}

bool Needs::isBoxAligned(const TransferShape &shape, int64_t bytes) {
  for (auto [dim, group] :
       llvm::zip(shape.dims, ArrayRef(shape.globalGroups).drop_back()))
    if (dim.extent > 1 && !isStrideMultiple(group.back(), bytes))
      return false;
  for (int64_t dim = 0; dim < facts.rank; ++dim)
    if (!isOffsetMultiple(dim, bytes))
      return false;
  return isGlobalAligned(bytes);
}

bool Needs::isExtentMultiple(int64_t dim, int64_t factor, int64_t divisor) {
  int64_t rest = divisor / std::gcd(divisor, factor);
  int64_t extent = facts.extents[dim];
  std::string what = "extent " + std::to_string(dim) + " of " + facts.name;
  if (!ShapedType::isDynamic(extent))
    return isMultiple(extent, rest) ||
           refuse(what + " of " + Twine(extent) + ", not a multiple of " +
                  Twine(rest));
  std::string unknown =
      what + " not known to be a multiple of " + std::to_string(rest);
  if (rest == 1)
    return true;
  if (!facts.isArgument)
    return refuse(unknown);
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Divisible,
                                 /*argument=*/0, facts.getExtentExpr(dim),
                                 ExprAttr(), rest, /*most=*/0),
                  /*isRaggedness=*/true, unknown);
}

bool Needs::isExtentInRange(int64_t dim, int64_t most) {
  int64_t extent = facts.extents[dim];
  std::string what = "extent " + std::to_string(dim) + " of " + facts.name;
  if (!ShapedType::isDynamic(extent))
    return (extent >= 1 && extent <= most) ||
           refuse(what + " of " + Twine(extent) + ", not in 1 to " +
                  Twine(most));
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Range,
                                 /*argument=*/0, facts.getExtentExpr(dim),
                                 ExprAttr(), 1, most),
                  /*isRaggedness=*/false,
                  what + " not known to be at most " + Twine(most));
}

bool Needs::startsInside(int64_t dim) {
  return facts.kernel.indices.isNonNegative(facts.offsets[dim]) ||
         refuse("offset " + Twine(dim) + " not known to be 0 or more");
}
