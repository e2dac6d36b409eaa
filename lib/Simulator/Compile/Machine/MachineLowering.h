//===- MachineLowering.h - ops as calls of the machine ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared parts of the lowerings of gpu and carousel ops. Each op becomes a call
// of a `carousel_sim_*` function (MachineCalls.cpp). The arguments are
// addresses, integers of 32 or 64 bits, and the site, which is last.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_MACHINELOWERING_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_MACHINELOWERING_H

#include "../KernelModule.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace carousel::sim {

/// The data that patterns need besides the op.
struct LoweringContext {
  const KernelModule &kernel;
  SiteTable &sites;
  Assertions &assertions;
  const mlir::LLVMTypeConverter &converter;
};

/// Builds the arguments and the call, and declares the function at its first
/// use.
class MachineCall {
public:
  MachineCall(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::Operation *where, Site site)
      : builder(builder), loc(loc), where(where), site(site) {}

  mlir::Value i32(int64_t value);
  /// The number of an enumerator.
  template <typename Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
  mlir::Value i32(Enum value) {
    return i32(static_cast<int64_t>(value));
  }
  mlir::Value i64(int64_t value);
  /// The operand, or the literal that replaces it.
  mlir::Value i32(mlir::Value value, std::optional<uint32_t> literal);
  mlir::Value pointerOrNull(mlir::Value value);

  /// Zero-extends integers below 32 bits. A result of type i1 is an i32 that
  /// isn't zero.
  mlir::Value emit(llvm::StringRef name, mlir::ValueRange arguments,
                   mlir::Type result = {});

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Operation *where;
  Site site;
};

/// The host's type of a memref, without memory space. A barrier is stored as a
/// word, and a tensor map as 128 bytes, although as a value it is an address.
mlir::MemRefType getStorageType(mlir::MemRefType type);

/// Stores a value to the thread's own memory, and returns its address for the
/// machine.
mlir::Value storeSpilled(mlir::ConversionPatternRewriter &rewriter,
                         mlir::Operation *op, mlir::Value value);

/// Marks the thread's memory by which a value of registers goes to the machine.
/// The attribute is the number of its bytes; bits of poison follow, a byte for
/// each element, and a byte that says whether they are set.
inline constexpr llvm::StringLiteral kRegisterSlot =
    "carousel_sim.register_slot";

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
  /// A descriptor for a contiguous buffer of static shape at this address.
  mlir::Value getStaticMemRef(mlir::ConversionPatternRewriter &rewriter,
                              mlir::Location loc, mlir::MemRefType type,
                              mlir::Value pointer) const {
    return mlir::MemRefDescriptor::fromStaticShape(
        rewriter, loc, *this->getTypeConverter(), type, pointer);
  }

  LoweringContext context;
};

/// A lowering is a class with `lower(op, adaptor, rewriter)`, which returns the
/// op's result, or a null value for an op without results.
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
void populateProductOps(const LoweringContext &context,
                        mlir::RewritePatternSet &patterns);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_MACHINELOWERING_H
