//===- MemRefToEmitC.cpp - memref to EmitC --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access uses a pointer and the linear index of an element. A view is
// another pointer with extents and strides. A static offset stays in the type,
// and is added at each access.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "../MachineExpansion/GenericAtomics.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

using Values = SmallVector<Value>;

static void replace(CBuilder &builder, Operation *op, ArrayRef<Values> values) {
  SmallVector<ValueRange> ranges(values.begin(), values.end());
  builder.rewriter.replaceOpWithMultiple(op, std::move(ranges));
}

/// The pointer, then those of the extents and strides that the type has as
/// dynamic ones.
static Values describe(MemRefType type, Value pointer, ArrayRef<Value> extents,
                       ArrayRef<Value> strides) {
  Values values = {pointer};
  for (unsigned dim : getPassedExtents(type))
    values.push_back(extents[dim]);
  for (unsigned dim : getPassedStrides(type))
    values.push_back(strides[dim]);
  return values;
}

static Value castPointer(CBuilder &builder, Value pointer, MemRefType type) {
  SmallVector<Type> types;
  if (failed(builder.types.convertType(type, types)))
    return Value();
  return builder.cast(pointer, types.front());
}

static LogicalResult lowerLoad(memref::LoadOp op,
                               AdaptorOf<memref::LoadOp> adaptor,
                               CBuilder &builder) {
  if (!builder.types.convertType(op.getType()))
    return failure();
  Value number = builder.linearize(op.getMemRefType(), adaptor.getMemref(),
                                   flatten(adaptor.getIndices()));
  builder.rewriter.replaceOp(
      op, builder.load(builder.subscript(adaptor.getMemref()[0], number)));
  return success();
}

static LogicalResult lowerStore(memref::StoreOp op,
                                AdaptorOf<memref::StoreOp> adaptor,
                                CBuilder &builder) {
  Value number = builder.linearize(op.getMemRefType(), adaptor.getMemref(),
                                   flatten(adaptor.getIndices()));
  builder.assign(builder.subscript(adaptor.getMemref()[0], number),
                 one(adaptor.getValue()));
  builder.rewriter.eraseOp(op);
  return success();
}

static LogicalResult lowerDim(memref::DimOp op,
                              AdaptorOf<memref::DimOp> adaptor,
                              CBuilder &builder) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || type.getRank() == 0)
    return builder.rewriter.notifyMatchFailure(op, "there are no dimensions");
  ValueRange source = adaptor.getSource();
  if (std::optional<int64_t> dim = op.getConstantIndex()) {
    if (*dim < 0 || *dim >= type.getRank())
      return builder.rewriter.notifyMatchFailure(op, "no such dimension");
    builder.rewriter.replaceOp(op, builder.extent(type, source, *dim));
    return success();
  }
  // One that isn't there may have any extent.
  Value index = one(adaptor.getIndex()),
        extent = builder.extent(type, source, 0);
  for (unsigned dim = 1; dim < type.getRank(); ++dim)
    extent = builder.select(
        builder.compare(emitc::CmpPredicate::eq, index, builder.index(dim)),
        builder.extent(type, source, dim), extent);
  builder.rewriter.replaceOp(op, extent);
  return success();
}

static LogicalResult lowerCast(memref::CastOp op,
                               AdaptorOf<memref::CastOp> adaptor,
                               CBuilder &builder) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getType());
  if (!from || !to)
    return builder.rewriter.notifyMatchFailure(op, "unranked");
  ValueRange source = adaptor.getSource();
  Value pointer = source[0];
  auto [fromStrides, fromOffset] = from.getStridesAndOffset();
  auto [toStrides, toOffset] = to.getStridesAndOffset();
  // A static offset isn't in the pointer, a dynamic one is.
  if (!ShapedType::isDynamic(fromOffset) && ShapedType::isDynamic(toOffset))
    pointer = builder.advance(pointer, builder.index(fromOffset));
  else if (ShapedType::isDynamic(fromOffset) &&
           !ShapedType::isDynamic(toOffset))
    pointer = builder.advance(pointer, builder.index(-toOffset));
  Values extents, strides;
  for (unsigned dim = 0; dim < to.getRank(); ++dim) {
    extents.push_back(builder.extent(from, source, dim));
    strides.push_back(builder.stride(from, source, dim));
  }
  replace(builder, op, {describe(to, pointer, extents, strides)});
  return success();
}

static LogicalResult lowerView(memref::ViewOp op,
                               AdaptorOf<memref::ViewOp> adaptor,
                               CBuilder &builder) {
  ValueRange source = adaptor.getSource();
  MemRefType from = op.getSource().getType();
  Value bytes = builder.element(from, source, one(adaptor.getByteShift()));
  Value pointer = castPointer(builder, bytes, op.getType());
  if (!pointer)
    return failure();
  Values values = {pointer};
  llvm::append_range(values, flatten(adaptor.getSizes()));
  replace(builder, op, {values});
  return success();
}

static LogicalResult
lowerMetadata(memref::ExtractStridedMetadataOp op,
              AdaptorOf<memref::ExtractStridedMetadataOp> adaptor,
              CBuilder &builder) {
  MemRefType type = op.getSource().getType();
  ValueRange source = adaptor.getSource();
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<Values> results;
  results.push_back({source[0]});
  results.push_back(
      {builder.index(ShapedType::isDynamic(offset) ? 0 : offset)});
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    results.push_back({builder.extent(type, source, dim)});
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    results.push_back({builder.stride(type, source, dim)});
  replace(builder, op, results);
  return success();
}

static LogicalResult
lowerReinterpret(memref::ReinterpretCastOp op,
                 AdaptorOf<memref::ReinterpretCastOp> adaptor,
                 CBuilder &builder) {
  MemRefType type = op.getType();
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  if (!from)
    return builder.rewriter.notifyMatchFailure(op, "unranked");
  auto dynamic = [&](ArrayRef<int64_t> fixed, ArrayRef<ValueRange> operands) {
    Values values;
    for (int64_t value : fixed) {
      if (!ShapedType::isDynamic(value)) {
        values.push_back(builder.index(value));
        continue;
      }
      values.push_back(operands.front().front());
      operands = operands.drop_front();
    }
    return values;
  };
  Values offset = dynamic(op.getStaticOffsets(), adaptor.getOffsets());
  Values extents = dynamic(op.getStaticSizes(), adaptor.getSizes());
  Values strides = dynamic(op.getStaticStrides(), adaptor.getStrides());
  Value pointer = adaptor.getSource()[0];
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  if (ShapedType::isDynamic(typeOffset))
    pointer = builder.advance(pointer, offset.front());
  replace(builder, op, {describe(type, pointer, extents, strides)});
  return success();
}

static LogicalResult
lowerSpaceCast(memref::MemorySpaceCastOp op,
               AdaptorOf<memref::MemorySpaceCastOp> adaptor,
               CBuilder &builder) {
  replace(builder, op, {llvm::to_vector(adaptor.getSource())});
  return success();
}

static LogicalResult
lowerAlignment(memref::AssumeAlignmentOp op,
               AdaptorOf<memref::AssumeAlignmentOp> adaptor,
               CBuilder &builder) {
  replace(builder, op, {llvm::to_vector(adaptor.getMemref())});
  return success();
}

static LogicalResult
lowerPointer(memref::ExtractAlignedPointerAsIndexOp op,
             AdaptorOf<memref::ExtractAlignedPointerAsIndexOp> adaptor,
             CBuilder &builder) {
  builder.rewriter.replaceOp(
      op, builder.cast(adaptor.getSource()[0], builder.types.getIndexType()));
  return success();
}

/// An array of the thread's own.
static LogicalResult lowerAlloca(memref::AllocaOp op,
                                 AdaptorOf<memref::AllocaOp> adaptor,
                                 CBuilder &builder) {
  Value pointer = builder.array(op.getType(), op.getAlignmentAttr(),
                                /*isShared=*/false);
  if (!pointer)
    return builder.rewriter.notifyMatchFailure(op, "no static extents");
  replace(builder, op, {{pointer}});
  return success();
}

/// Whether C++ has literals of all values that make a constant. It has none of
/// f16 and bf16, of infinities and of NaNs.
static bool hasLiterals(DenseElementsAttr values) {
  Type element = values.getElementType();
  if (!isa<FloatType>(element))
    return true;
  return !element.isF16() && !element.isBF16() &&
         llvm::all_of(values.getValues<APFloat>(),
                      [](const APFloat &value) { return value.isFinite(); });
}

/// The array of a variable of the module: of the elements' bits where there are
/// initial values that C++ has no literals of. Null if there is none.
static emitc::ArrayType getDeclared(const CTypes &types, memref::GlobalOp op) {
  emitc::ArrayType array = types.getArray(op.getType());
  auto values = dyn_cast_or_null<DenseElementsAttr>(
      op.getInitialValue().value_or(nullptr));
  if (!array || !values || hasLiterals(values))
    return array;
  Type bits = IntegerType::get(op.getContext(),
                               values.getElementType().getIntOrFloatBitWidth(),
                               IntegerType::Unsigned);
  return emitc::ArrayType::get(array.getShape(), bits);
}

/// The values row by row, as those of the array; null where they are no
/// numbers.
static DenseElementsAttr getInitialValues(Attribute initial,
                                          emitc::ArrayType array) {
  auto values = dyn_cast_or_null<DenseElementsAttr>(initial);
  Type element = array.getElementType();
  if (!values || values.empty() || !element.isIntOrFloat())
    return {};
  return values
      .reshape(RankedTensorType::get(array.getShape(), values.getElementType()))
      .bitcast(element);
}

/// A variable of the module.
static LogicalResult lowerGlobal(memref::GlobalOp op,
                                 AdaptorOf<memref::GlobalOp>,
                                 CBuilder &builder) {
  emitc::ArrayType array = getDeclared(builder.types, op);
  if (!array || op.isExternal())
    return builder.rewriter.notifyMatchFailure(op, "no array");
  DenseElementsAttr values;
  if (!op.isUninitialized()) {
    values = getInitialValues(*op.getInitialValue(), array);
    if (!values)
      return builder.rewriter.notifyMatchFailure(op, "initial values");
  }
  auto global = emitc::GlobalOp::create(
      builder.rewriter, builder.loc, op.getSymName(), array,
      /*initial_value=*/values, /*extern_specifier=*/false,
      /*static_specifier=*/false, /*const_specifier=*/false);
  if (isSharedMemRef(op.getType()))
    global->setDiscardableAttr(TextAttrs::kShared,
                               builder.rewriter.getUnitAttr());
  if (op.getAlignmentAttr())
    global->setDiscardableAttr(TextAttrs::kAlign, op.getAlignmentAttr());
  builder.rewriter.eraseOp(op);
  return success();
}

static LogicalResult lowerGetGlobal(memref::GetGlobalOp op,
                                    AdaptorOf<memref::GetGlobalOp>,
                                    CBuilder &builder) {
  // It is converted, or will be.
  Operation *symbol =
      SymbolTable::lookupNearestSymbolFrom(op, op.getNameAttr());
  emitc::ArrayType array;
  if (auto variable = dyn_cast_or_null<memref::GlobalOp>(symbol))
    array = getDeclared(builder.types, variable);
  else if (auto variable = dyn_cast_or_null<emitc::GlobalOp>(symbol))
    array = dyn_cast<emitc::ArrayType>(variable.getType());
  SmallVector<Type> converted;
  if (!array || failed(builder.types.convertType(op.getType(), converted)))
    return failure();
  auto global = emitc::GetGlobalOp::create(builder.rewriter, builder.loc, array,
                                           op.getName());
  Value pointer =
      builder.cast(global, emitc::PointerType::get(array.getElementType()));
  replace(builder, op, {{builder.cast(pointer, converted.front())}});
  return success();
}

/// CUDA's atomics, which are relaxed at gpu scope, as memref's are in
/// docs/Phases.md.
static LogicalResult lowerAtomic(memref::AtomicRMWOp op,
                                 AdaptorOf<memref::AtomicRMWOp> adaptor,
                                 CBuilder &builder) {
  Type type = builder.types.convertType(op.getType());
  if (!type || isMovedOnly(op.getType()))
    return failure();
  std::string kind = arith::stringifyAtomicRMWKind(op.getKind()).str();
  Value address = builder.element(op.getMemRefType(), adaptor.getMemref(),
                                  flatten(adaptor.getIndices()));
  auto call = builder.call(type, "carousel::atomic_" + kind,
                           {address, one(adaptor.getValue())});
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}

/// Lowers the atomics with a region that carousel-expand-memory leaves.
static LogicalResult
lowerGenericAtomic(memref::GenericAtomicRMWOp op,
                   AdaptorOf<memref::GenericAtomicRMWOp> adaptor,
                   CBuilder &builder) {
  Type type = builder.types.convertType(op.getType());
  std::optional<CompareAndSwap> swap = matchCompareAndSwap(op);
  if (!type || (!swap && !isAtomicLoad(op)))
    return builder.rewriter.notifyMatchFailure(op, "several instructions");
  Value address = builder.element(op.getMemRefType(), adaptor.getMemref(),
                                  flatten(adaptor.getIndices()));
  if (!swap) {
    auto call = builder.call(type, "carousel::atomic_look", address);
    builder.rewriter.replaceOp(op, call.getResults());
    return success();
  }
  Value seen = builder.rewriter.getRemappedValue(swap->seen);
  Value next = builder.rewriter.getRemappedValue(swap->next);
  if (!seen || !next)
    return builder.rewriter.notifyMatchFailure(op, "operands aren't C++'s");
  auto call = builder.call(type, "carousel::atomic_compare_and_swap",
                           {address, seen, next});
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}

/// The same elements, dimensions in another order.
static LogicalResult lowerTranspose(memref::TransposeOp op,
                                    AdaptorOf<memref::TransposeOp> adaptor,
                                    CBuilder &builder) {
  auto from = cast<MemRefType>(op.getIn().getType());
  auto to = cast<MemRefType>(op.getType());
  ValueRange source = adaptor.getIn();
  Values extents, strides;
  for (AffineExpr dim : op.getPermutation().getResults()) {
    unsigned number = cast<AffineDimExpr>(dim).getPosition();
    extents.push_back(builder.extent(from, source, number));
    strides.push_back(builder.stride(from, source, number));
  }
  auto [fromStrides, fromOffset] = from.getStridesAndOffset();
  auto [toStrides, toOffset] = to.getStridesAndOffset();
  Value pointer = source[0];
  if (!ShapedType::isDynamic(fromOffset) && ShapedType::isDynamic(toOffset))
    pointer = builder.advance(pointer, builder.index(fromOffset));
  replace(builder, op, {describe(to, pointer, extents, strides)});
  return success();
}

/// Extents from memory, of elements that lie one after the other.
static LogicalResult lowerReshape(memref::ReshapeOp op,
                                  AdaptorOf<memref::ReshapeOp> adaptor,
                                  CBuilder &builder) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getType());
  if (!from || !to || !from.getLayout().isIdentity() ||
      !to.getLayout().isIdentity())
    return builder.rewriter.notifyMatchFailure(op, "unranked, or a layout");
  Values values = {adaptor.getSource()[0]};
  auto shape = cast<MemRefType>(op.getShape().getType());
  for (unsigned dim : getPassedExtents(to)) {
    Value position =
        builder.linearize(shape, adaptor.getShape(), {builder.index(dim)});
    Value extent =
        builder.load(builder.subscript(adaptor.getShape()[0], position));
    values.push_back(builder.cast(extent, builder.types.getIndexType()));
  }
  replace(builder, op, {values});
  return success();
}

static LogicalResult lowerDistinct(memref::DistinctObjectsOp op,
                                   AdaptorOf<memref::DistinctObjectsOp> adaptor,
                                   CBuilder &builder) {
  SmallVector<Values> results;
  for (ValueRange values : adaptor.getOperands())
    results.push_back(llvm::to_vector(values));
  replace(builder, op, results);
  return success();
}

/// A hint.
static LogicalResult lowerPrefetch(memref::PrefetchOp op,
                                   AdaptorOf<memref::PrefetchOp>,
                                   CBuilder &builder) {
  builder.rewriter.eraseOp(op);
  return success();
}

/// A thread's own arrays live as long as the kernel does.
static LogicalResult lowerScope(memref::AllocaScopeOp op,
                                AdaptorOf<memref::AllocaScopeOp>,
                                CBuilder &builder) {
  Block *body = &op.getBodyRegion().front();
  if (!op.getBodyRegion().hasOneBlock())
    return builder.rewriter.notifyMatchFailure(op, "branches");
  Operation *terminator = body->getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  builder.rewriter.inlineBlockBefore(body, op);
  builder.rewriter.eraseOp(terminator);
  builder.rewriter.replaceOp(op, results);
  return success();
}

void carousel::populateMemRefToEmitC(RewritePatternSet &patterns,
                                     const CTypes &types) {
  addPattern<memref::LoadOp>(patterns, types, lowerLoad);
  addPattern<memref::StoreOp>(patterns, types, lowerStore);
  addPattern<memref::DimOp>(patterns, types, lowerDim);
  addPattern<memref::CastOp>(patterns, types, lowerCast);
  addPattern<memref::ViewOp>(patterns, types, lowerView);
  addPattern<memref::ExtractStridedMetadataOp>(patterns, types, lowerMetadata);
  addPattern<memref::ReinterpretCastOp>(patterns, types, lowerReinterpret);
  addPattern<memref::MemorySpaceCastOp>(patterns, types, lowerSpaceCast);
  addPattern<memref::AssumeAlignmentOp>(patterns, types, lowerAlignment);
  addPattern<memref::ExtractAlignedPointerAsIndexOp>(patterns, types,
                                                     lowerPointer);
  addPattern<memref::AllocaOp>(patterns, types, lowerAlloca);
  addPattern<memref::GlobalOp>(patterns, types, lowerGlobal);
  addPattern<memref::GetGlobalOp>(patterns, types, lowerGetGlobal);
  addPattern<memref::AtomicRMWOp>(patterns, types, lowerAtomic);
  addPattern<memref::GenericAtomicRMWOp>(patterns, types, lowerGenericAtomic);
  addPattern<memref::TransposeOp>(patterns, types, lowerTranspose);
  addPattern<memref::ReshapeOp>(patterns, types, lowerReshape);
  addPattern<memref::DistinctObjectsOp>(patterns, types, lowerDistinct);
  addPattern<memref::PrefetchOp>(patterns, types, lowerPrefetch);
  addPattern<memref::AllocaScopeOp>(patterns, types, lowerScope);
}
