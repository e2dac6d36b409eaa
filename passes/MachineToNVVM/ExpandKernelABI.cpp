//===- ExpandKernelABI.cpp - flat kernel signatures -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the signatures of kernels to the ABI of docs/KernelABI.md, as
// KernelSignature.h computes it. Rebuilds the memrefs and tensor map references
// in the body, and removes the attributes that describe the launch.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
    FailureOr<SmallVector<KernelParameter>> parameters =
        getKernelParameters(func);
    if (failed(parameters))
      return failure();
    useUpLaunch();
    // From the last on, so that positions before stay valid.
    ArrayRef<KernelParameter> left = *parameters;
    while (!left.empty()) {
      unsigned position = left.back().position;
      size_t others = left.size();
      while (others > 0 && left[others - 1].position == position)
        --others;
      ArrayRef<KernelParameter> own = left.drop_front(others);
      left = left.take_front(others);
      if (own.front().kind == KernelParameter::Kind::TensorMap)
        expandTensorMap(position);
      else if (own.front().kind == KernelParameter::Kind::Pointer &&
               failed(expandMemRef(position, own)))
        return failure();
    }
    recordTensorMaps();
    return success();
  }

private:
  /// The block and the cluster are what the kernel is compiled for; the rest of
  /// what it says of its launch is for the host.
  void useUpLaunch() {
    auto pad = [&](ArrayRef<int64_t> extents) {
      SmallVector<int32_t> padded(extents.begin(), extents.end());
      padded.resize(3, 1);
      return builder.getDenseI32ArrayAttr(padded);
    };
    if (auto launch =
            func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch)) {
      if (!func.getKnownBlockSizeAttr())
        func.setKnownBlockSizeAttr(pad(launch.getBlock()));
      // A cluster of one CTA is none, which every chip has.
      bool clustered = llvm::any_of(launch.getCluster(),
                                    [](int64_t extent) { return extent != 1; });
      if (clustered && !func.getKnownClusterSizeAttr())
        func.setKnownClusterSizeAttr(pad(launch.getCluster()));
    }
    func->removeDiscardableAttr(CarouselDialect::kLaunch);
    func->removeDiscardableAttr(CarouselDialect::kVariant);
    func->removeDiscardableAttr(CarouselDialect::kCoresident);
    func->removeDiscardableAttr(kDecisionsAttr);
    func->removeDiscardableAttr(CarouselDialect::kStartsInOrder);
    func->removeDiscardableAttr(kForProgramsAttr);
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
      func.removeArgAttr(i, CarouselDialect::kArgument);
      func.removeArgAttr(i, CarouselDialect::kEncode);
      func.removeArgAttr(i, CarouselDialect::kWorkspace);
      func.removeArgAttr(i, CarouselDialect::kBits);
      func.removeArgAttr(i, kSymmetric);
      func.removeArgAttr(i, kPeer);
      func.removeArgAttr(i, kMulticast);
    }
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

  /// A pointer, and the extents and strides that are passed.
  LogicalResult expandMemRef(unsigned index,
                             ArrayRef<KernelParameter> parameters) {
    BlockArgument argument = func.getArgument(index);
    auto type = cast<MemRefType>(argument.getType());
    Location loc = argument.getLoc();
    // C98: getKernelParameters knows no conversion.
    auto structType =
        dyn_cast_or_null<LLVM::LLVMStructType>(converter.convertType(type));
    if (!structType)
      return func.emitError(
                 "expected a memref of LLVM types for kernel argument ")
             << index << ", got " << type;

    DictionaryAttr attrs = func.getArgAttrDict(index);
    unsigned next = index + 1;
    Type pointerType = structType.getBody()[0];
    Type indexType = converter.getIndexType();
    Value pointer;
    SmallVector<Value> sizes(type.getRank()), strideValues(type.getRank());
    for (const KernelParameter &parameter : parameters) {
      if (parameter.kind == KernelParameter::Kind::Pointer) {
        pointer = insertArgument(next++, pointerType, attrs, loc);
        continue;
      }
      auto &values = parameter.kind == KernelParameter::Kind::Extent
                         ? sizes
                         : strideValues;
      values[parameter.dim] = insertArgument(next++, indexType, {}, loc);
    }

    builder.setInsertionPointToStart(&func.getBody().front());
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, indexType,
                                      builder.getIntegerAttr(indexType, value));
    };
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      if (!sizes[dim])
        sizes[dim] = constant(extent);
    // Those that aren't passed are static, or follow from the extents.
    auto [strides, offset] = type.getStridesAndOffset();
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      if (strideValues[dim])
        continue;
      if (!ShapedType::isDynamic(strides[dim]))
        strideValues[dim] = constant(strides[dim]);
      else
        strideValues[dim] = LLVM::MulOp::create(
            builder, loc, strideValues[dim + 1], sizes[dim + 1]);
    }
    // Many ask for no more than an extent.
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto dim = dyn_cast<memref::DimOp>(user);
      std::optional<int64_t> asked =
          dim ? dim.getConstantIndex() : std::optional<int64_t>();
      if (!asked || *asked < 0 || *asked >= type.getRank())
        continue;
      Value size = UnrealizedConversionCastOp::create(
                       builder, dim.getLoc(), dim.getType(), sizes[*asked])
                       .getResult(0);
      dim.replaceAllUsesWith(size);
      dim.erase();
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

  /// Records the tensor maps. That they come by value and aren't written is
  /// said once the kernel is one of NVVM's (MarkGridConstants): the conversion
  /// in between drops attributes of arguments.
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
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (func->hasAttr(CarouselDialect::kBlockProgram)) {
        func.emitError("expected kernels of the machine phase, got one of the "
                       "block phase");
        return signalPassFailure();
      }
      if (func.isKernel() && failed(KernelABI(func, converter).expand()))
        return signalPassFailure();
    }
  }
};

} // namespace
