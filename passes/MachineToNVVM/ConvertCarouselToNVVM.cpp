//===- ConvertCarouselToNVVM.cpp - the carousel dialect to NVVM -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the patterns of each family of ops. Then it replaces the dialect's
// types in all other ops: barriers, their states and descriptors of matrices by
// i64, registers of products by vectors, tensor maps by pointers and, in
// memory, by vectors of 128 bytes. Memory spaces become LLVM's
// address spaces. So the upstream conversions needn't know these types and
// spaces.
//
//===----------------------------------------------------------------------===//

#include "BoundedWaits.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/DialectConversion.h"

namespace carousel {
#define GEN_PASS_DEF_CONVERTCAROUSELTONVVM
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Returns a memref's element in LLVM: 8 bytes, or the 128 of a descriptor.
static Type getElementStorage(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<MbarrierType>(type))
    return IntegerType::get(context, 8 * rules::kMbarrierBytes);
  if (isa<TensorMapType>(type))
    return VectorType::get(rules::kTensorMapBytes,
                           IntegerType::get(context, 8));
  return type;
}

MemRefType carousel::getStorageType(MemRefType type) {
  return MemRefType::Builder(type).setElementType(
      getElementStorage(type.getElementType()));
}

/// The memory space as LLVM's address space, or null if it can't be told.
static Attribute getAddressSpace(Attribute space) {
  auto number = [&](NVVM::NVVMMemorySpace value) {
    return IntegerAttr::get(IntegerType::get(space.getContext(), 64),
                            static_cast<int64_t>(value));
  };
  if (auto nvvm = dyn_cast_or_null<NVVM::NVVMMemorySpaceAttr>(space))
    return number(nvvm.getValue());
  if (auto gpu = dyn_cast_or_null<gpu::AddressSpaceAttr>(space)) {
    switch (gpu.getValue()) {
    case gpu::AddressSpace::Global:
      return number(NVVM::NVVMMemorySpace::Global);
    case gpu::AddressSpace::Workgroup:
      return number(NVVM::NVVMMemorySpace::Shared);
    case gpu::AddressSpace::Private:
      return number(NVVM::NVVMMemorySpace::Generic);
    default:
      return space;
    }
  }
  return space;
}

void carousel::populateTypeConversions(LLVMTypeConverter &converter) {
  MLIRContext *context = &converter.getContext();
  converter.addConversion(
      [=](MbarrierType type) { return getElementStorage(type); });
  converter.addConversion(
      [=](MbarrierStateType) { return IntegerType::get(context, 64); });
  converter.addConversion(
      [=](TensorMapType) { return LLVM::LLVMPointerType::get(context); });
  converter.addConversion(
      [=](MatrixDescriptorType) { return IntegerType::get(context, 64); });
  converter.addConversion(
      [](WgmmaRegistersType type) { return getRegisterStorage(type); });
  // As a memref's element a descriptor is its bytes, not a reference to them.
  converter.addConversion([&converter](MemRefType type) -> std::optional<Type> {
    Type storage = getElementStorage(type.getElementType());
    if (storage == type.getElementType())
      return std::nullopt;
    return converter.convertType(
        MemRefType::Builder(type).setElementType(storage));
  });
  converter.addTypeAttributeConversion(
      [](BaseMemRefType,
         Attribute space) -> TypeConverter::AttributeConversionResult {
        Attribute converted = getAddressSpace(space);
        if (converted == space)
          return TypeConverter::AttributeConversionResult::na();
        return converted;
      });
}

static AttrTypeReplacer getTypeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](MemRefType type) -> std::optional<std::pair<Type, WalkResult>> {
        Attribute space = type.getMemorySpace();
        // The gpu dialect's own conversion wants the gpu dialect's spaces.
        if (isa_and_nonnull<NVVM::NVVMMemorySpaceAttr>(space))
          space = getAddressSpace(space);
        Type replaced =
            MemRefType::Builder(type)
                .setElementType(getElementStorage(type.getElementType()))
                .setMemorySpace(space);
        return std::make_pair(replaced, WalkResult::skip());
      });
  replacer.addReplacement([](MbarrierStateType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
  replacer.addReplacement([](MatrixDescriptorType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
  replacer.addReplacement(
      [](WgmmaRegistersType type) -> Type { return getRegisterStorage(type); });
  replacer.addReplacement([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  return replacer;
}

/// Whether the op may have one of the types that are replaced: others, which
/// are most, needn't be looked through.
static bool mayHoldReplaced(Operation *op) {
  auto isPlain = [](Type type) {
    return type.isIntOrIndexOrFloat() || isa<VectorType>(type) ||
           isa<LLVM::LLVMDialect>(type.getDialect());
  };
  return op->getNumRegions() > 0 || isa<SymbolOpInterface>(op) ||
         !llvm::all_of(op->getResultTypes(), isPlain);
}

namespace {

struct ConvertCarouselToNVVM
    : public carousel::impl::ConvertCarouselToNVVMBase<ConvertCarouselToNVVM> {
  using ConvertCarouselToNVVMBase::ConvertCarouselToNVVMBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();

    if (failed(verifyIndexBitwidth(getOperation(), indexBitwidth)))
      return signalPassFailure();
    // The precondition that would otherwise be met by wrong code: a descriptor
    // passed by reference.
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      for (Type type : func.getArgumentTypes())
        if (func.isKernel() && isa<TensorMapType>(type)) {
          func.emitError("expected the flat signature of "
                         "--carousel-expand-kernel-abi, got an argument of ")
              << type;
          return signalPassFailure();
        }
    FailureOr<WaitBound> bound = createWaitBound(module, debugWaits.getValue());
    if (failed(bound))
      return signalPassFailure();

    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(indexBitwidth);
    LLVMTypeConverter converter(&getContext(), options);
    populateTypeConversions(converter);

    RewritePatternSet patterns(&getContext());
    populateMbarrierToNVVM(converter, *target, *bound, patterns);
    populateBulkToNVVM(converter, *target, patterns);
    populateMultimemToNVVM(converter, *target, patterns);
    populateWgmmaToNVVM(converter, *target, patterns);
    populateTensorToNVVM(converter, *target, patterns);
    populateCpAsyncToNVVM(converter, *target, patterns);
    populateSyncToNVVM(converter, *target, *bound, patterns);
    populateSignalToNVVM(converter, *target, *bound, patterns);

    ConversionTarget legality(getContext());
    legality.addIllegalDialect<CarouselDialect>();
    legality.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                             scf::SCFDialect, arith::ArithDialect>();
    legality.addLegalOp<UnrealizedConversionCastOp>();
    if (failed(applyPartialConversion(module, legality, std::move(patterns))))
      return signalPassFailure();

    AttrTypeReplacer replacer = getTypeReplacer();
    module.walk([&](Operation *op) {
      if (mayHoldReplaced(op))
        replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                   /*replaceLocs=*/false,
                                   /*replaceTypes=*/true);
    });
  }
};

} // namespace
