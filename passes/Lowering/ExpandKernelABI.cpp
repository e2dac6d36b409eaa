//===- ExpandKernelABI.cpp - flat kernel signatures -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the signatures of kernels into the ABI of docs/KernelABI.md, and
// rebuilds the memrefs and tensor map references in the body.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDKERNELABI
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

class KernelABI {
public:
  KernelABI(gpu::GPUFuncOp func, const LLVMTypeConverter &converter)
      : func(func), converter(converter), builder(func.getBody()) {}

  LogicalResult expand() {
    // From the last on, so that positions before stay valid.
    for (unsigned i = func.getNumArguments(); i-- > 0;) {
      Type type = func.getArgument(i).getType();
      if (auto memref = dyn_cast<MemRefType>(type)) {
        if (failed(expandMemRef(i, memref)))
          return failure();
      } else if (isa<TensorMapType>(type)) {
        expandTensorMap(i);
      } else if (!isPlain(type)) {
        return func.emitError("expected a ranked memref, a tensor map, an "
                              "index or a number for kernel argument ")
               << i << ", got " << type;
      }
    }
    if (failed(verifySize()))
      return failure();
    recordTensorMaps();
    return success();
  }

private:
  /// C98: a parameter that PTX and LLVM agree on.
  static bool isPlain(Type type) {
    if (isa<IndexType, LLVM::LLVMPointerType, MbarrierStateType>(type))
      return true;
    if (auto integer = dyn_cast<IntegerType>(type))
      return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
    if (auto vector = dyn_cast<VectorType>(type))
      return !vector.isScalable() && isPlain(vector.getElementType());
    return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  }

  /// The bytes of a parameter, rounded up to 8.
  int64_t getParameterBytes(BlockArgument argument) {
    if (llvm::is_contained(tensorMaps, argument))
      return rules::kTensorMapBytes;
    if (auto vector = dyn_cast<VectorType>(argument.getType()))
      return llvm::PowerOf2Ceil(std::max<int64_t>(
          8, vector.getNumElements() * vector.getElementTypeBitWidth() / 8));
    return 8;
  }

  /// C98: the parameters are few enough.
  LogicalResult verifySize() {
    int64_t bytes = 0;
    for (BlockArgument argument : func.getArguments())
      bytes += getParameterBytes(argument);
    if (bytes <= rules::kMaxParameterBytes)
      return success();
    return func.emitError("expected at most ")
           << rules::kMaxParameterBytes << " bytes of kernel parameters, got "
           << bytes;
  }

  /// Replaces argument `index` by `value`, computed from the arguments that
  /// follow it.
  LogicalResult replaceArgument(unsigned index, Value value) {
    func.getArgument(index).replaceAllUsesWith(value);
    return func.eraseArgument(index);
  }

  BlockArgument insertArgument(unsigned index, Type type, DictionaryAttr attrs,
                               Location loc) {
    LogicalResult inserted = func.insertArgument(index, type, attrs, loc);
    assert(succeeded(inserted) && "a gpu.func takes any argument");
    (void)inserted;
    return func.getArgument(index);
  }

  /// pointer, dynamic extents, dynamic strides
  LogicalResult expandMemRef(unsigned index, MemRefType type) {
    BlockArgument argument = func.getArgument(index);
    Location loc = argument.getLoc();
    SmallVector<int64_t> strides;
    int64_t offset;
    // C98
    if (failed(type.getStridesAndOffset(strides, offset)))
      return func.emitError("expected a strided layout for kernel argument ")
             << index << ", got " << type;
    if (offset != 0 && !ShapedType::isDynamic(offset))
      return func.emitError("expected no static offset for kernel argument ")
             << index << ", got " << offset << " in " << type;
    Type converted = converter.convertType(type);
    auto structType = dyn_cast_or_null<LLVM::LLVMStructType>(converted);
    if (!structType)
      return func.emitError(
                 "expected a memref of LLVM types for kernel argument ")
             << index << ", got " << type;

    DictionaryAttr attrs = func.getArgAttrDict(index);
    unsigned next = index + 1;
    SmallVector<Type> fields(structType.getBody());
    Type indexType = converter.getIndexType();
    Value pointer = insertArgument(next++, fields[0], attrs, loc);
    SmallVector<Value> sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(ShapedType::isDynamic(extent)
                          ? Value(insertArgument(next++, indexType, {}, loc))
                          : Value());
    // An identity layout has strides that follow from the extents.
    bool contiguous = type.getLayout().isIdentity();
    SmallVector<Value> strideValues(strides.size());
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (!contiguous && ShapedType::isDynamic(stride))
        strideValues[dim] = insertArgument(next++, indexType, {}, loc);

    builder.setInsertionPointToStart(&func.getBody().front());
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, indexType,
                                      builder.getIntegerAttr(indexType, value));
    };
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      if (!sizes[dim])
        sizes[dim] = constant(extent);
    for (int64_t dim = static_cast<int64_t>(strides.size()) - 1; dim >= 0;
         --dim) {
      if (strideValues[dim])
        continue;
      if (!ShapedType::isDynamic(strides[dim]))
        strideValues[dim] = constant(strides[dim]);
      else
        strideValues[dim] = LLVM::MulOp::create(
            builder, loc, strideValues[dim + 1], sizes[dim + 1]);
    }
    auto descriptor = MemRefDescriptor::poison(builder, loc, structType);
    descriptor.setAllocatedPtr(builder, loc, pointer);
    descriptor.setAlignedPtr(builder, loc, pointer);
    descriptor.setOffset(builder, loc, constant(0));
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      descriptor.setSize(builder, loc, dim, size);
      descriptor.setStride(builder, loc, dim, strideValues[dim]);
    }
    Value memref = UnrealizedConversionCastOp::create(
                       builder, loc, type, ValueRange{Value(descriptor)})
                       .getResult(0);
    return replaceArgument(index, memref);
  }

  /// A pointer to the parameter's 128 bytes.
  void expandTensorMap(unsigned index) {
    BlockArgument argument = func.getArgument(index);
    Location loc = argument.getLoc();
    MLIRContext *context = func.getContext();
    Value pointer =
        insertArgument(index + 1, LLVM::LLVMPointerType::get(context),
                       func.getArgAttrDict(index), loc);
    builder.setInsertionPointToStart(&func.getBody().front());
    Value map = UnrealizedConversionCastOp::create(
                    builder, loc, argument.getType(), ValueRange{pointer})
                    .getResult(0);
    LogicalResult replaced = replaceArgument(index, map);
    assert(succeeded(replaced) && "a gpu.func gives up any argument");
    (void)replaced;
    tensorMaps.push_back(cast<BlockArgument>(pointer));
  }

  /// That the descriptors come by value and nothing writes them is said once
  /// the kernel is one of NVVM's (MarkGridConstants): the conversion in between
  /// drops attributes of arguments.
  void recordTensorMaps() {
    if (tensorMaps.empty())
      return;
    SmallVector<int32_t> positions;
    for (BlockArgument pointer : llvm::reverse(tensorMaps))
      positions.push_back(static_cast<int32_t>(pointer.getArgNumber()));
    func->setDiscardableAttr(CarouselDialect::kTensorMapParameters,
                             builder.getDenseI32ArrayAttr(positions));
  }

  SmallVector<BlockArgument> tensorMaps;
  gpu::GPUFuncOp func;
  const LLVMTypeConverter &converter;
  OpBuilder builder;
};

struct ExpandKernelABI
    : public carousel::impl::ExpandKernelABIBase<ExpandKernelABI> {
  using ExpandKernelABIBase::ExpandKernelABIBase;

  void runOnOperation() override {
    if (failed(verifyIndexBitwidth(getOperation(), indexBitwidth)))
      return signalPassFailure();
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(indexBitwidth);
    LLVMTypeConverter converter(&getContext(), options);
    populateTypeConversions(converter);
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func.isKernel() && failed(KernelABI(func, converter).expand()))
        return signalPassFailure();
  }
};

} // namespace
