//===- LowerProductOps.cpp - a warpgroup's products as calls ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is its 64 bits, of which the machine knows nothing else. Values
// of registers are handles. A vector goes to and from the machine by memory of
// the thread (MachineAsyncCalls.cpp), with bits of poison that trackPoison
// fills in.
//
//===----------------------------------------------------------------------===//

#include "../../Async/Matrices/ProductForm.h"
#include "MachineLowering.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

namespace {

/// The thread's memory for a value of registers. All values of a size share it:
/// each is there from a store to the call that takes it, or from a call to the
/// load.
struct RegisterSlot {
  RegisterSlot(ConversionPatternRewriter &rewriter, Operation *op,
               VectorType vector)
      : elements(vector.getNumElements()),
        bytes(elements * vector.getElementTypeBitWidth() / 8) {
    auto memory =
        LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes + elements + 1);
    // At the function's start, because an alloca in a loop would grow the
    // stack.
    auto function = op->getParentOfType<FunctionOpInterface>();
    Block &entry = function.getFunctionBody().front();
    for (auto known : entry.getOps<LLVM::AllocaOp>())
      if (auto size = known->getAttrOfType<IntegerAttr>(kRegisterSlot);
          size && size.getInt() == bytes && known.getElemType() == memory)
        address = known;
    if (address)
      return;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&entry);
    Value one = LLVM::ConstantOp::create(rewriter, op->getLoc(),
                                         rewriter.getI64IntegerAttr(1));
    auto alloca = LLVM::AllocaOp::create(
        rewriter, op->getLoc(),
        LLVM::LLVMPointerType::get(rewriter.getContext()), memory, one,
        /*alignment=*/64);
    alloca->setAttr(kRegisterSlot, rewriter.getI64IntegerAttr(bytes));
    address = alloca;
  }
  int64_t elements, bytes;
  Value address;
};

struct LowerDescriptor : public MachineLowering<WgmmaDescriptorOp> {
  CAROUSEL_SIM_LOWERING(WgmmaDescriptorOp)
  Value lower(WgmmaDescriptorOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    std::string why;
    std::optional<MatrixLayout> layout =
        getMatrixLayout(op.getSource().getType(), op.getSwizzle(),
                        op.getResult().getType().getMajor(), why);
    assert(layout && "the verifier checks it");
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_wgmma_descriptor",
                     {getPointer(rewriter, op.getLoc(), op.getSource(),
                                 adaptor.getSource(), adaptor.getIndices()),
                      call.i64(int64_t(layout->getBits()))},
                     rewriter.getI64Type());
  }
};

struct LowerProductFence : public MachineLowering<WgmmaFenceOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(WgmmaFenceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MachineCall call = getCall(rewriter, op);
    call.emit("carousel_sim_wgmma_fence", {});
    SmallVector<Value> handles;
    for (auto [vector, value] :
         llvm::zip_equal(op.getVectors(), adaptor.getVectors())) {
      RegisterSlot slot(rewriter, op, cast<VectorType>(vector.getType()));
      LLVM::StoreOp::create(rewriter, op.getLoc(), value, slot.address);
      // No bits of poison are set.
      Value last = LLVM::GEPOp::create(
          rewriter, op.getLoc(), slot.address.getType(), rewriter.getI8Type(),
          slot.address,
          ArrayRef<LLVM::GEPArg>{int32_t(slot.bytes + slot.elements)});
      LLVM::StoreOp::create(
          rewriter, op.getLoc(),
          LLVM::ConstantOp::create(rewriter, op.getLoc(),
                                   rewriter.getI8IntegerAttr(0)),
          last);
      handles.push_back(call.emit(
          "carousel_sim_wgmma_keep",
          {slot.address, call.i32(slot.bytes), call.i32(slot.elements)},
          rewriter.getI64Type()));
    }
    rewriter.replaceOp(op, handles);
    return success();
  }
};

FactorType getFactorType(Type type, bool isUnsigned) {
  if (type.isF16())
    return FactorType::F16;
  if (type.isBF16())
    return FactorType::BF16;
  if (type.isF32())
    return FactorType::TF32;
  if (isa<Float8E4M3FNType>(type))
    return FactorType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return FactorType::E5M2;
  return isUnsigned ? FactorType::U8 : FactorType::S8;
}

uint64_t encode(const WgmmaForm &form) {
  ProductForm product;
  product.n = uint32_t(form.n);
  product.a = getFactorType(form.a, form.unsignedA);
  product.b = getFactorType(form.b, form.unsignedB);
  product.sum = form.sum.isF32()   ? SumType::F32
                : form.sum.isF16() ? SumType::F16
                                   : SumType::S32;
  product.aInRegisters = form.aInRegisters;
  product.isTransposedA = form.majorA == MatrixMajor::MN;
  product.isTransposedB = form.majorB == MatrixMajor::MN;
  product.negateA = form.negateA;
  product.negateB = form.negateB;
  product.saturate = form.saturate;
  return product.encode();
}

struct LowerProduct : public MachineLowering<WgmmaMmaOp> {
  CAROUSEL_SIM_LOWERING(WgmmaMmaOp)
  Value lower(WgmmaMmaOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Value scale = adaptor.getScale();
    return call.emit("carousel_sim_wgmma_mma",
                     {call.i64(int64_t(encode(op.getForm()))), adaptor.getA(),
                      adaptor.getB(), adaptor.getSums(),
                      scale ? scale : call.i32(1)},
                     rewriter.getI64Type());
  }
};

struct LowerProductCommit : public MachineLowering<WgmmaCommitOp> {
  CAROUSEL_SIM_LOWERING(WgmmaCommitOp)
  Value lower(WgmmaCommitOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    return getCall(rewriter, op).emit("carousel_sim_wgmma_commit", {});
  }
};

struct LowerProductWait : public MachineLowering<WgmmaWaitOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(WgmmaWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MachineCall call = getCall(rewriter, op);
    call.emit("carousel_sim_wgmma_wait", {call.i32(op.getPending())});
    SmallVector<Value> vectors;
    for (auto [result, handle] :
         llvm::zip_equal(op.getResults(), adaptor.getRegisters())) {
      RegisterSlot slot(rewriter, op, cast<VectorType>(result.getType()));
      call.emit("carousel_sim_wgmma_take",
                {handle, slot.address, call.i32(slot.bytes),
                 call.i32(slot.elements)});
      vectors.push_back(LLVM::LoadOp::create(
          rewriter, op.getLoc(),
          getTypeConverter()->convertType(result.getType()), slot.address));
    }
    rewriter.replaceOp(op, vectors);
    return success();
  }
};

} // namespace

void sim::populateProductOps(const LoweringContext &context,
                             RewritePatternSet &patterns) {
  patterns.add<LowerDescriptor, LowerProductFence, LowerProduct,
               LowerProductCommit, LowerProductWait>(context);
}
