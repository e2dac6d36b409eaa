//===- NVVMLowering.h - shared by the conversions to NVVM -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base class of patterns that know the target, helpers for element pointers
// and for inline PTX with a memory clobber, and the populate functions of each
// family of ops.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINETONVVM_NVVMLOWERING_H
#define CAROUSEL_PASSES_MACHINETONVVM_NVVMLOWERING_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace carousel {

struct WaitBound;

/// Keeps LLVM from moving ordinary memory accesses across this point; emits no
/// instruction.
void createCompilerFence(mlir::OpBuilder &builder, mlir::Location loc);

/// Builds inline PTX over `operands` ($0, $1, ... after the results), whose
/// types give the constraints. With `touchesMemory` it has side effects and a
/// memory clobber; otherwise it is pure.
mlir::Value createPTX(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type result, mlir::ValueRange operands,
                      const llvm::Twine &text, bool touchesMemory = true);

/// Builds inline PTX with a memory clobber that changes `registers` in place:
/// they are $0, $1, ... and `operands` the numbers after these. Returns the
/// registers as they are then.
llvm::SmallVector<mlir::Value> createPTXInPlace(mlir::OpBuilder &builder,
                                                mlir::Location loc,
                                                mlir::ValueRange registers,
                                                mlir::ValueRange operands,
                                                const llvm::Twine &text);

/// Builds a call of an LLVM intrinsic for which NVVM has no op.
mlir::Value createIntrinsic(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Type result, llvm::StringRef name,
                            mlir::ValueRange operands);

/// `value`, or `literal` if it is null, as an i32.
mlir::Value materializeI32(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, std::optional<uint32_t> literal);

/// `pointer` in another address space.
mlir::Value castPointer(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value pointer, mlir::NVVM::NVVMMemorySpace space);

mlir::NVVM::MemScopeKind getNVVMScope(MemScope scope);

/// Emits an error at `op` unless an index has 32 or 64 bits.
mlir::LogicalResult verifyIndexBitwidth(mlir::Operation *op, unsigned bits);

/// The memref type with elements as memory holds them. As a value, a tensor map
/// is a reference; as an element, it is 128 bytes.
mlir::MemRefType getStorageType(mlir::MemRefType type);

/// The vector of 32-bit registers that stands for registers of products: of
/// f32 for elements of f32, and otherwise of i32.
mlir::VectorType getRegisterStorage(WgmmaRegistersType type);

/// Adds conversions of the dialect's types and of memory spaces to LLVM.
void populateTypeConversions(mlir::LLVMTypeConverter &converter);

/// A conversion that knows the target.
template <typename Op>
class NVVMLowering : public mlir::ConvertOpToLLVMPattern<Op> {
public:
  using Adaptor = typename Op::Adaptor;
  NVVMLowering(const mlir::LLVMTypeConverter &converter,
               const TargetSpec &target)
      : mlir::ConvertOpToLLVMPattern<Op>(converter), target(target) {}

protected:
  /// The address of `memref[indices]`, where `descriptor` is the converted
  /// memref.
  mlir::Value getPointer(mlir::ConversionPatternRewriter &rewriter,
                         mlir::Location loc, mlir::Value memref,
                         mlir::Value descriptor,
                         mlir::ValueRange indices) const {
    auto type = mlir::cast<mlir::MemRefType>(memref.getType());
    return this->getStridedElementPtr(rewriter, loc, getStorageType(type),
                                      descriptor, indices);
  }

  /// The addresses that the ops' `source`, `destination` and `barriers` name.
  mlir::Value getSource(mlir::ConversionPatternRewriter &rewriter, Op op,
                        Adaptor adaptor) const {
    return getPointer(rewriter, op.getLoc(), op.getSource(),
                      adaptor.getSource(), adaptor.getSourceIndices());
  }
  mlir::Value getDestination(mlir::ConversionPatternRewriter &rewriter, Op op,
                             Adaptor adaptor) const {
    return getPointer(rewriter, op.getLoc(), op.getDestination(),
                      adaptor.getDestination(),
                      adaptor.getDestinationIndices());
  }
  mlir::Value getSignalled(mlir::ConversionPatternRewriter &rewriter, Op op,
                           Adaptor adaptor) const {
    return getPointer(rewriter, op.getLoc(), op.getBarriers(),
                      adaptor.getBarriers(), adaptor.getBarrierIndices());
  }
  mlir::Value getBarrier(mlir::ConversionPatternRewriter &rewriter, Op op,
                         Adaptor adaptor) const {
    return getPointer(rewriter, op.getLoc(), op.getBarriers(),
                      adaptor.getBarriers(), adaptor.getIndices());
  }

  TargetSpec target;
};

void populateMatricesToNVVM(const mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            mlir::ConversionTarget &target);
void populateBytesToNVVM(const mlir::LLVMTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateMbarrierToNVVM(const mlir::LLVMTypeConverter &converter,
                            const TargetSpec &target, const WaitBound &bound,
                            mlir::RewritePatternSet &patterns);
void populateBulkToNVVM(const mlir::LLVMTypeConverter &converter,
                        const TargetSpec &target,
                        mlir::RewritePatternSet &patterns);
void populateMultimemToNVVM(const mlir::LLVMTypeConverter &converter,
                            const TargetSpec &target,
                            mlir::RewritePatternSet &patterns);
void populateWgmmaToNVVM(const mlir::LLVMTypeConverter &converter,
                         const TargetSpec &target,
                         mlir::RewritePatternSet &patterns);
void populateTensorToNVVM(const mlir::LLVMTypeConverter &converter,
                          const TargetSpec &target,
                          mlir::RewritePatternSet &patterns);
void populateCpAsyncToNVVM(const mlir::LLVMTypeConverter &converter,
                           const TargetSpec &target,
                           mlir::RewritePatternSet &patterns);
void populateSyncToNVVM(const mlir::LLVMTypeConverter &converter,
                        const TargetSpec &target, const WaitBound &bound,
                        mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETONVVM_NVVMLOWERING_H
