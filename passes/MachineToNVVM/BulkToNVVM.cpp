//===- BulkToNVVM.cpp - bulk.*, st_async, red_async to NVVM ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVVM has ops for the copies. It has none for reductions and for asynchronous
// stores of single values, which become inline PTX.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

using namespace mlir;
using namespace carousel;

/// Copies to `shared::cta` came with PTX 8.6.
static constexpr unsigned kSharedCtaDestinationPTX = 86;

namespace {

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

struct LoadLowering : public NVVMLowering<BulkLoadOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkLoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    Value barrier = getSignalled(rewriter, op, adaptor);
    Value size =
        materializeI32(rewriter, loc, adaptor.getSize(), op.getStaticSize());
    if (adaptor.getMulticastMask() || target.ptx < kSharedCtaDestinationPTX)
      destination = castPointer(rewriter, loc, destination,
                                NVVM::NVVMMemorySpace::SharedCluster);
    // NVVM types the barrier as one in the CTA's own window.
    barrier =
        castPointer(rewriter, loc, barrier, NVVM::NVVMMemorySpace::Shared);
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(
        op, destination, source, barrier, size, adaptor.getMulticastMask(),
        adaptor.getCachePolicy());
    return success();
  }
};

struct StoreLowering : public NVVMLowering<BulkStoreOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkStoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    Value size =
        materializeI32(rewriter, loc, adaptor.getSize(), op.getStaticSize());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkSharedCTAToGlobalOp>(
        op, destination, source, size, adaptor.getCachePolicy(),
        adaptor.getByteMask());
    return success();
  }
};

struct CopyClusterLowering : public NVVMLowering<BulkCopyClusterOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkCopyClusterOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    Value barrier = getSignalled(rewriter, op, adaptor);
    barrier =
        castPointer(rewriter, loc, barrier, NVVM::NVVMMemorySpace::Shared);
    Value size =
        materializeI32(rewriter, loc, adaptor.getSize(), op.getStaticSize());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkSharedCTAToSharedClusterOp>(
        op, destination, source, barrier, size);
    return success();
  }
};

struct PrefetchLowering : public NVVMLowering<BulkPrefetchOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkPrefetchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value size =
        materializeI32(rewriter, loc, adaptor.getSize(), op.getStaticSize());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkPrefetchOp>(
        op, source, size, adaptor.getCachePolicy());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// ".add.noftz.f16" for an addition that keeps subnormals, else ".kind.type".
static std::string getReduction(ReduceKind kind, ReduceType type) {
  std::string text = ("." + stringifyReduceKind(kind)).str();
  if (kind == ReduceKind::Add &&
      (type == ReduceType::F16 || type == ReduceType::BF16))
    text += ".noftz";
  return text + ("." + stringifyReduceType(type)).str();
}

struct ReduceLowering : public NVVMLowering<BulkReduceOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkReduceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    Value size =
        materializeI32(rewriter, loc, adaptor.getSize(), op.getStaticSize());
    std::string text = "cp.reduce.async.bulk.global.shared::cta.bulk_group";
    SmallVector<Value> operands = {destination, source, size};
    if (Value policy = adaptor.getCachePolicy()) {
      operands.push_back(policy);
      text += ".L2::cache_hint" + getReduction(op.getKind(), op.getType()) +
              " [$0], [$1], $2, $3;";
    } else {
      text += getReduction(op.getKind(), op.getType()) + " [$0], [$1], $2;";
    }
    createPTX(rewriter, loc, Type(), operands, text);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReduceClusterLowering : public NVVMLowering<BulkReduceClusterOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkReduceClusterOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    Value barrier = getSignalled(rewriter, op, adaptor);
    Value size =
        materializeI32(rewriter, loc, adaptor.getSize(), op.getStaticSize());
    createPTX(rewriter, loc, Type(), {destination, source, size, barrier},
              "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"
              "complete_tx::bytes" +
                  getReduction(op.getKind(), op.getType()) +
                  " [$0], [$1], $2, [$3];");
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

struct CommitGroupLowering : public NVVMLowering<BulkCommitGroupOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkCommitGroupOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkCommitGroupOp>(op);
    return success();
  }
};

struct WaitGroupLowering : public NVVMLowering<BulkWaitGroupOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BulkWaitGroupOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto read =
        op.getUntil() == GroupWait::Read ? rewriter.getUnitAttr() : UnitAttr();
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, rewriter.getI32IntegerAttr(op.getPending()), read);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

/// The PTX type that a value is stored as.
static StringRef getStoreType(Type type) {
  if (type.isF32())
    return "f32";
  if (type.isF64())
    return "f64";
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return "b8";
  case 16:
    return "b16";
  case 32:
    return "b32";
  default:
    return "b64";
  }
}

struct StAsyncLowering : public NVVMLowering<StAsyncOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(StAsyncOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value destination = getDestination(rewriter, op, adaptor);
    Value barrier = getSignalled(rewriter, op, adaptor);
    SmallVector<Value> operands = {destination, barrier};
    std::string vector, value;
    if (auto type = dyn_cast<VectorType>(op.getValue().getType())) {
      int64_t lanes = type.getNumElements();
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value index = LLVM::ConstantOp::create(
            rewriter, loc, rewriter.getI32IntegerAttr(lane));
        operands.push_back(LLVM::ExtractElementOp::create(
            rewriter, loc, adaptor.getValue(), index));
        value += (lane ? ", $" : "{$") + std::to_string(2 + lane);
      }
      vector = lanes > 1 ? ".v" + std::to_string(lanes) : "";
      value = lanes > 1 ? value + "}" : "$2";
    } else {
      operands.push_back(adaptor.getValue());
      value = "$2";
    }
    StringRef type =
        getStoreType(getElementTypeOrSelf(op.getValue().getType()));
    createPTX(rewriter, loc, Type(), operands,
              "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" +
                  vector + "." + type.str() + " [$0], " + value + ", [$1];");
    rewriter.eraseOp(op);
    return success();
  }
};

struct StAsyncGlobalLowering : public NVVMLowering<StAsyncGlobalOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(StAsyncGlobalOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value destination = getDestination(rewriter, op, adaptor);
    Value value = adaptor.getValue();
    std::string text = (Twine("st.async") + (op.getMmio() ? ".mmio" : "") +
                        ".release." + stringifyMemScope(op.getScope()) +
                        ".global." + getStoreType(value.getType()) + " [$0], ")
                           .str();
    if (value.getType().isInteger(8)) {
      // Only a .b8 register will do, and LLVM has none.
      value = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI16Type(), value);
      text = "{ .reg .b8 %b0; cvt.u8.u16 %b0, $1; " + text + "%b0; }";
    } else {
      text += "$1;";
    }
    createPTX(rewriter, loc, Type(), {destination, value}, text);
    rewriter.eraseOp(op);
    return success();
  }
};

struct RedAsyncLowering : public NVVMLowering<RedAsyncOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(RedAsyncOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value destination = getDestination(rewriter, op, adaptor);
    Value barrier = getSignalled(rewriter, op, adaptor);
    createPTX(rewriter, loc, Type(), {destination, adaptor.getValue(), barrier},
              "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx:"
              ":bytes" +
                  getReduction(op.getKind(), op.getType()) +
                  " [$0], $1, [$2];");
    rewriter.eraseOp(op);
    return success();
  }
};

struct RedAsyncGlobalLowering : public NVVMLowering<RedAsyncGlobalOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(RedAsyncGlobalOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value destination = getDestination(rewriter, op, adaptor);
    createPTX(rewriter, loc, Type(), {destination, adaptor.getValue()},
              Twine("red.async") + (op.getMmio() ? ".mmio" : "") + ".release." +
                  stringifyMemScope(op.getScope()) + ".global.add." +
                  stringifyReduceType(op.getType()) + " [$0], $1;");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateBulkToNVVM(const LLVMTypeConverter &converter,
                                  const TargetSpec &target,
                                  RewritePatternSet &patterns) {
  patterns.add<LoadLowering, StoreLowering, CopyClusterLowering,
               PrefetchLowering, ReduceLowering, ReduceClusterLowering,
               CommitGroupLowering, WaitGroupLowering, StAsyncLowering,
               StAsyncGlobalLowering, RedAsyncLowering, RedAsyncGlobalLowering>(
      converter, target);
}
