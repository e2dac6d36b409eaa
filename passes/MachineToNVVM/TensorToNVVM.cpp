//===- TensorToNVVM.cpp - tensor.*, tensor_map.* to NVVM ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVVM has ops for copies, and LLVM has intrinsics for the replacement of
// fields. The copy with a fence becomes inline PTX. Coordinates and offsets are
// reversed to PTX's order, innermost first.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

using namespace mlir;
using namespace carousel;

/// Copies to `shared::cta` came with PTX 8.6.
static constexpr unsigned kSharedCtaDestinationPTX = 86;

/// Coordinates in PTX's order. The rows of gather4 and scatter4 keep theirs.
static SmallVector<Value> getCoordinates(ValueRange coordinates, bool rows) {
  if (!rows)
    return llvm::to_vector(llvm::reverse(coordinates));
  SmallVector<Value> result = {coordinates.back()};
  llvm::append_range(result, coordinates.drop_back());
  return result;
}

/// Offsets of im2col are per spatial dimension; those of im2col_w are [halo,
/// offset] in both orders.
static SmallVector<Value> getOffsets(ValueRange offsets, TensorLoadMode mode) {
  if (mode == TensorLoadMode::Im2Col)
    return llvm::to_vector(llvm::reverse(offsets));
  return llvm::to_vector(offsets);
}

static NVVM::TMALoadMode getLoadMode(TensorLoadMode mode) {
  switch (mode) {
  case TensorLoadMode::Tile:
    return NVVM::TMALoadMode::TILE;
  case TensorLoadMode::Gather4:
    return NVVM::TMALoadMode::TILE_GATHER4;
  case TensorLoadMode::Im2Col:
    return NVVM::TMALoadMode::IM2COL;
  case TensorLoadMode::Im2ColW:
    return NVVM::TMALoadMode::IM2COL_W;
  case TensorLoadMode::Im2ColW128:
    return NVVM::TMALoadMode::IM2COL_W_128;
  }
  llvm_unreachable("covered switch");
}

static NVVM::TMAStoreMode getStoreMode(TensorStoreMode mode) {
  switch (mode) {
  case TensorStoreMode::Tile:
    return NVVM::TMAStoreMode::TILE;
  case TensorStoreMode::Scatter4:
    return NVVM::TMAStoreMode::TILE_SCATTER4;
  case TensorStoreMode::Im2ColNoOffs:
    return NVVM::TMAStoreMode::IM2COL;
  }
  llvm_unreachable("covered switch");
}

static NVVM::TMAReduxKind getReduxKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Add:
    return NVVM::TMAReduxKind::ADD;
  case ReduceKind::Min:
    return NVVM::TMAReduxKind::MIN;
  case ReduceKind::Max:
    return NVVM::TMAReduxKind::MAX;
  case ReduceKind::Inc:
    return NVVM::TMAReduxKind::INC;
  case ReduceKind::Dec:
    return NVVM::TMAReduxKind::DEC;
  case ReduceKind::And:
    return NVVM::TMAReduxKind::AND;
  case ReduceKind::Or:
    return NVVM::TMAReduxKind::OR;
  case ReduceKind::Xor:
    return NVVM::TMAReduxKind::XOR;
  }
  llvm_unreachable("covered switch");
}

/// The mode of a load as PTX spells it.
static StringRef getLoadModeText(TensorLoadMode mode) {
  switch (mode) {
  case TensorLoadMode::Tile:
    return "tile";
  case TensorLoadMode::Gather4:
    return "tile::gather4";
  case TensorLoadMode::Im2Col:
    return "im2col";
  case TensorLoadMode::Im2ColW:
    return "im2col::w";
  case TensorLoadMode::Im2ColW128:
    return "im2col::w::128";
  }
  llvm_unreachable("covered switch");
}

/// A load to `shared::cta` with a CTA group, which NVVM doesn't have.
static void createGroupedLoad(OpBuilder &builder, Location loc, TensorLoadOp op,
                              Value destination, Value map, Value barrier,
                              ValueRange coordinates, ValueRange offsets,
                              Value cachePolicy) {
  SmallVector<Value> operands = {destination, map, barrier};
  auto append = [&](ValueRange values) {
    std::string list;
    for (Value value : values) {
      list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
      operands.push_back(value);
    }
    return list;
  };
  // gather4 describes a matrix by five coordinates.
  size_t dims =
      op.getMode() == TensorLoadMode::Gather4 ? 2 : coordinates.size();
  std::string text = "cp.async.bulk.tensor." + std::to_string(dims) +
                     "d.shared::cta.global." +
                     getLoadModeText(op.getMode()).str() +
                     ".mbarrier::complete_tx::bytes.cta_group::" +
                     std::to_string(*op.getCtaGroup()) +
                     (cachePolicy ? ".L2::cache_hint" : "") + " [$0], [$1, {" +
                     append(coordinates) + "}], [$2]";
  if (!offsets.empty())
    text += ", {" + append(offsets) + "}";
  if (cachePolicy)
    text += ", " + append(cachePolicy);
  createPTX(builder, loc, Type(), operands, text + ";");
}

namespace {

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

struct LoadLowering : public NVVMLowering<TensorLoadOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorLoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value destination = getDestination(rewriter, op, adaptor);
    Value barrier = getSignalled(rewriter, op, adaptor);
    SmallVector<Value> coordinates = getCoordinates(
        adaptor.getCoordinates(), op.getMode() == TensorLoadMode::Gather4);
    SmallVector<Value> offsets = getOffsets(adaptor.getOffsets(), op.getMode());
    bool ctaOnly = isSharedMemRef(op.getDestination().getType()) &&
                   !op.getMulticastMask() &&
                   target.ptx >= kSharedCtaDestinationPTX;
    if (ctaOnly && op.getCtaGroup()) {
      createGroupedLoad(rewriter, loc, op, destination, adaptor.getMap(),
                        barrier, coordinates, offsets,
                        adaptor.getCachePolicy());
      rewriter.eraseOp(op);
      return success();
    }
    if (!ctaOnly)
      destination = castPointer(rewriter, loc, destination,
                                NVVM::NVVMMemorySpace::SharedCluster);
    barrier =
        castPointer(rewriter, loc, barrier, NVVM::NVVMMemorySpace::Shared);
    NVVM::CTAGroupKindAttr group;
    if (op.getCtaGroup())
      group = NVVM::CTAGroupKindAttr::get(
          op.getContext(), *op.getCtaGroup() == 1 ? NVVM::CTAGroupKind::CTA_1
                                                  : NVVM::CTAGroupKind::CTA_2);
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(
        op, destination, adaptor.getMap(), coordinates, barrier, offsets,
        adaptor.getMulticastMask(), adaptor.getCachePolicy(),
        getLoadMode(op.getMode()), ctaOnly, group, /*predicate=*/Value());
    return success();
  }
};

struct StoreLowering : public NVVMLowering<TensorStoreOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorStoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value source = getSource(rewriter, op, adaptor);
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(
        op, adaptor.getMap(), source,
        getCoordinates(adaptor.getCoordinates(),
                       op.getMode() == TensorStoreMode::Scatter4),
        adaptor.getCachePolicy(), getStoreMode(op.getMode()),
        /*predicate=*/Value());
    return success();
  }
};

struct ReduceLowering : public NVVMLowering<TensorReduceOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorReduceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value source = getSource(rewriter, op, adaptor);
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorReduceOp>(
        op, adaptor.getMap(), source, getReduxKind(op.getKind()),
        getStoreMode(op.getMode()),
        getCoordinates(adaptor.getCoordinates(), /*rows=*/false),
        adaptor.getCachePolicy());
    return success();
  }
};

struct PrefetchLowering : public NVVMLowering<TensorPrefetchOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorPrefetchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkTensorPrefetchOp>(
        op, adaptor.getMap(),
        getCoordinates(adaptor.getCoordinates(),
                       op.getMode() == TensorLoadMode::Gather4),
        getOffsets(adaptor.getOffsets(), op.getMode()),
        getLoadMode(op.getMode()), adaptor.getCachePolicy());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

struct MapGetLowering : public NVVMLowering<TensorMapGetOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorMapGetOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value pointer = getPointer(rewriter, op.getLoc(), op.getMaps(),
                               adaptor.getMaps(), adaptor.getIndices());
    rewriter.replaceOp(op, castPointer(rewriter, op.getLoc(), pointer,
                                       NVVM::NVVMMemorySpace::Generic));
    return success();
  }
};

struct MapPrefetchLowering : public NVVMLowering<TensorMapPrefetchOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorMapPrefetchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value map = adaptor.getMap();
    UnitAttr param;
    if (op.getSpace() == TensorMapSpace::Param)
      param = rewriter.getUnitAttr();
    else if (op.getSpace() == TensorMapSpace::Const)
      map = castPointer(rewriter, op.getLoc(), map,
                        NVVM::NVVMMemorySpace::Constant);
    rewriter.replaceOpWithNewOp<NVVM::PrefetchOp>(
        op, /*cacheLevel=*/nullptr, /*evictPriority=*/nullptr, map,
        /*predicate=*/Value(), rewriter.getUnitAttr(), /*uniform=*/nullptr,
        param);
    return success();
  }
};

struct MapReplaceLowering : public NVVMLowering<TensorMapReplaceOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorMapReplaceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> operands = {getPointer(
        rewriter, loc, op.getMaps(), adaptor.getMaps(), adaptor.getIndices())};
    if (op.getDim())
      operands.push_back(materializeI32(rewriter, loc, Value(), op.getDim()));
    operands.push_back(
        materializeI32(rewriter, loc, adaptor.getValue(), op.getLiteral()));
    std::string name = ("llvm.nvvm.tensormap.replace." +
                        stringifyTensorMapField(op.getField()))
                           .str();
    std::replace(name.begin(), name.end(), '_', '.');
    createIntrinsic(rewriter, loc, Type(), name, operands);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MapCopyFenceLowering : public NVVMLowering<TensorMapCopyFenceOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(TensorMapCopyFenceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    // All threads of the warp have to execute it together, which inline PTX
    // can't say of itself; LLVM duplicates no block with a warp barrier in it.
    NVVM::SyncWarpOp::create(rewriter, loc,
                             materializeI32(rewriter, loc, Value(), ~0u));
    createPTX(rewriter, loc, Type(), {destination, source},
              Twine("tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
                    "generic.release.") +
                  stringifyMemScope(op.getScope()) +
                  ".sync.aligned [$0], [$1], 128;");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateTensorToNVVM(const LLVMTypeConverter &converter,
                                    const TargetSpec &target,
                                    RewritePatternSet &patterns) {
  patterns.add<LoadLowering, StoreLowering, ReduceLowering, PrefetchLowering,
               MapGetLowering, MapPrefetchLowering, MapReplaceLowering,
               MapCopyFenceLowering>(converter, target);
}
