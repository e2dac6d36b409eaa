//===- MachineLowering.h - ops as calls of the machine ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of gpu and carousel ops share. Every op becomes a call of
// a `carousel_sim_*` function (MachineCalls.cpp) with addresses, integers of 32
// or 64 bits, and the site as the last argument.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINELOWERING_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINELOWERING_H

#include "KernelModule.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace carousel::sim {

/// What patterns need besides the op.
struct LoweringContext {
  const KernelModule &kernel;
  SiteTable &sites;
  const mlir::LLVMTypeConverter &converter;
};

/// Makes the arguments and the call; the function is declared at its first use.
class MachineCall {
public:
  MachineCall(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::Operation *where, Site site)
      : builder(builder), loc(loc), where(where), site(site) {}

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  /// The operand, or the literal that stands in for it.
  mlir::Value i32(mlir::Value value, std::optional<uint32_t> literal);
  mlir::Value pointerOrNull(mlir::Value value);

  /// Integers below 32 bits are widened without a sign. A result of type i1 is
  /// "not zero" of an i32.
  mlir::Value emit(llvm::StringRef name, mlir::ValueRange arguments,
                   mlir::Type result = {});

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Operation *where;
  Site site;
};

/// The memref as the host has it, in no memory space: a barrier is a word, a
/// tensor map 128 bytes, though as a value it is its address.
mlir::MemRefType getStorageType(mlir::MemRefType type);

/// A value that the machine takes from memory at once: the thread's own.
mlir::Value storeSpilled(mlir::ConversionPatternRewriter &rewriter,
                         mlir::Operation *op, mlir::Value value);

template <typename Op>
class MachineLowering : public mlir::ConvertOpToLLVMPattern<Op> {
public:
  using Adaptor = typename Op::Adaptor;
  explicit MachineLowering(const LoweringContext &context)
      : mlir::ConvertOpToLLVMPattern<Op>(context.converter), context(context) {}

protected:
  MachineCall getCall(mlir::ConversionPatternRewriter &rewriter, Op op) const {
    return MachineCall(rewriter, op.getLoc(), op,
                       context.sites.get(op.getLoc()));
  }
  /// The address of `memref[indices]`.
  mlir::Value getPointer(mlir::ConversionPatternRewriter &rewriter,
                         mlir::Location loc, mlir::Value memref,
                         mlir::Value descriptor,
                         mlir::ValueRange indices) const {
    return this->getStridedElementPtr(
        rewriter, loc,
        getStorageType(mlir::cast<mlir::MemRefType>(memref.getType())),
        descriptor, indices);
  }
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
  /// A contiguous descriptor of a static shape at this address.
  mlir::Value getStaticMemRef(mlir::ConversionPatternRewriter &rewriter,
                              mlir::Location loc, mlir::MemRefType type,
                              mlir::Value pointer) const {
    return mlir::MemRefDescriptor::fromStaticShape(
        rewriter, loc, *this->getTypeConverter(), type, pointer);
  }

  LoweringContext context;
};

/// A lowering is a class with `lower(op, adaptor, rewriter)` that returns the
/// op's result, or nothing for an op without.
#define CAROUSEL_SIM_LOWERING(Op)                                              \
  using MachineLowering<Op>::MachineLowering;                                  \
  mlir::LogicalResult matchAndRewrite(                                         \
      Op op, Adaptor adaptor, mlir::ConversionPatternRewriter &rewriter)       \
      const override {                                                         \
    if (mlir::Value result = lower(op, adaptor, rewriter))                     \
      rewriter.replaceOp(op, result);                                          \
    else                                                                       \
      rewriter.eraseOp(op);                                                    \
    return mlir::success();                                                    \
  }

void populateThreadOps(const LoweringContext &context,
                       mlir::RewritePatternSet &patterns);
void populateMbarrierOps(const LoweringContext &context,
                         mlir::RewritePatternSet &patterns);
void populateCopyOps(const LoweringContext &context,
                     mlir::RewritePatternSet &patterns);
void populateTensorOps(const LoweringContext &context,
                       mlir::RewritePatternSet &patterns);
void populateSyncOps(const LoweringContext &context,
                     mlir::RewritePatternSet &patterns);
void populateTileOps(const LoweringContext &context,
                     mlir::RewritePatternSet &patterns);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINELOWERING_H
