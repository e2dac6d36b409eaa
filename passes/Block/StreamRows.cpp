//===- StreamRows.cpp - rows that are wider than vectors ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-stream-rows. Each level of RowLevels.h becomes a loop over chunks
// of the extent: it reads and computes again what its own reductions and writes
// need. A program that keeps rows reads them to tiles in shared memory first.
//
//===----------------------------------------------------------------------===//

#include "NeutralElement.h"
#include "NewBody.h"
#include "RowLevels.h"
#include "TileLoads.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_STREAMROWS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

class Streamer {
public:
  Streamer(gpu::GPUFuncOp kernel, BlockProgramAttr program)
      : kernel(kernel), width(program.getWidth()), keeps(program.getKeeps()),
        covers(program.getCovers()), old(kernel.getBody().front()),
        levels(kernel, width) {}

  /// The reason why the kernel can't be streamed, or an empty string.
  std::string findRefusal() const {
    return covers.getKind() == ExprKind::Extent
               ? levels.getRefusal()
               : "its extent isn't that of an argument";
  }

  /// Replaces the body.
  void write() {
    OpBuilder builder(kernel.getContext());
    Block *body = startNewBody(kernel, builder);
    mapping.map(old.getArguments(), body->getArguments());
    Location loc = kernel.getLoc();
    Value memref =
        body->getArgument(getArgumentPositions(kernel)[covers.getArgument()]);
    Value extent =
        memref::DimOp::create(builder, loc, memref, covers.getValue());
    SmallVector<std::pair<vector::TransferReadOp, unsigned>> kept;
    if (keeps != 0)
      kept = levels.findRepeated();
    for (unsigned level = 0; level <= levels.getLast(); ++level) {
      for (Operation &op : old.without_terminator())
        if (!levels.isCoveredOp(&op) && levels.getLevel(&op) == level)
          builder.clone(op, mapping);
      for (auto [read, first] : kept)
        if (first == level)
          keepRow(builder, read);
      writeLevel(builder, level, extent);
    }
    builder.clone(*old.getTerminator(), mapping);
    old.erase();
  }

  /// Of rows in shared memory, once the body is written.
  int64_t countTiles() const { return tiles.size(); }

private:
  /// Brings the whole row that `read` is a part of to a tile.
  void keepRow(OpBuilder &builder, vector::TransferReadOp read) {
    constexpr int64_t kAlignment = 128;
    Location loc = read.getLoc();
    auto type = MemRefType::get(
        {1, keeps}, read.getVectorType().getElementType(),
        MemRefLayoutAttrInterface(),
        gpu::AddressSpaceAttr::get(builder.getContext(),
                                   gpu::AddressSpace::Workgroup));
    Value tile = memref::AllocOp::create(builder, loc, type,
                                         builder.getI64IntegerAttr(kAlignment));
    SmallVector<Value> indices = llvm::map_to_vector(
        read.getIndices(), [&](Value index) { return mapping.lookup(index); });
    createTileLoad(
        builder, loc,
        {mapping.lookup(read.getBase()), indices, /*isInBounds=*/false}, tile,
        read.getPadding(), Swizzle::None);
    tiles[read] = tile;
  }

  void writeLevel(OpBuilder &builder, unsigned level, Value extent) {
    llvm::SetVector<Operation *> needed = levels.findNeeded(level);
    if (needed.empty())
      return;
    SmallVector<vector::MultiDimReductionOp> ends;
    for (Operation &op : old.without_terminator())
      if (needed.contains(&op) && levels.isEnd(&op) &&
          levels.getLevel(&op) == level)
        ends.push_back(cast<vector::MultiDimReductionOp>(op));
    SmallVector<Value> inits;
    for (vector::MultiDimReductionOp end : ends)
      inits.push_back(makeNeutral(builder, end));
    Location loc = kernel.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value step = arith::ConstantIndexOp::create(builder, loc, width);
    auto loop = scf::ForOp::create(
        builder, loc, zero, extent, step, inits,
        [&](OpBuilder &nested, Location, Value chunk, ValueRange partial) {
          IRMapping own = mapping;
          SmallVector<Value> combined(partial);
          for (Operation &op : old.without_terminator()) {
            if (!needed.contains(&op))
              continue;
            auto *end = llvm::find_if(
                ends, [&](auto end) { return end.getOperation() == &op; });
            if (end == ends.end()) {
              cloneAt(nested, &op, own, chunk);
              continue;
            }
            Value &part = combined[end - ends.begin()];
            part =
                vector::makeArithReduction(nested, op.getLoc(), end->getKind(),
                                           part, own.lookup(end->getSource()));
          }
          scf::YieldOp::create(nested, loc, combined);
        });
    for (auto [end, sum] : llvm::zip_equal(ends, loop.getResults())) {
      IRMapping own = mapping;
      own.map(end.getSource(), sum);
      Operation *reduced = builder.clone(*end, own);
      mapping.map(end.getResult(), reduced->getResult(0));
    }
  }

  static Value makeNeutral(OpBuilder &builder,
                           vector::MultiDimReductionOp end) {
    VectorType type = end.getSourceVectorType();
    TypedAttr neutral =
        getNeutralElement(builder, end.getKind(), type.getElementType());
    return arith::ConstantOp::create(
        builder, end.getLoc(),
        DenseElementsAttr::get(type, Attribute(neutral)));
  }

  static Value addIndex(OpBuilder &builder, Location loc, Value index,
                        Value chunk) {
    return arith::AddIOp::create(builder, loc, index, chunk);
  }

  /// The op for the chunk that begins at `chunk`.
  void cloneAt(OpBuilder &builder, Operation *op, IRMapping &own, Value chunk) {
    Location loc = op->getLoc();
    if (auto tile = tiles.find(op); tile != tiles.end()) {
      auto read = cast<vector::TransferReadOp>(op);
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      SmallVector<bool> inBounds(read.getVectorType().getRank(), true);
      Value part = vector::TransferReadOp::create(
          builder, loc, read.getVectorType(), tile->second,
          ValueRange{zero, chunk}, own.lookup(read.getPadding()),
          ArrayRef<bool>(inBounds));
      own.map(read.getResult(), part);
      return;
    }
    Operation *clone = builder.clone(*op, own);
    builder.setInsertionPoint(clone);
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(clone)) {
      for (auto [dim, expr] :
           llvm::enumerate(transfer.getPermutationMap().getResults())) {
        if (transfer.getVectorType().getDimSize(dim) != width)
          continue;
        unsigned along = cast<AffineDimExpr>(expr).getPosition();
        OpOperand &index =
            *llvm::find_if(clone->getOpOperands(), [&](OpOperand &operand) {
              return operand.getOperandNumber() ==
                     transfer.getIndices().getBeginOperandIndex() + along;
            });
        index.set(addIndex(builder, loc, index.get(), chunk));
      }
    } else if (auto mask = dyn_cast<vector::CreateMaskOp>(clone)) {
      for (auto [dim, operand] : llvm::enumerate(clone->getOpOperands()))
        if (mask.getVectorType().getDimSize(dim) == width)
          operand.set(
              arith::SubIOp::create(builder, loc, operand.get(), chunk));
    } else if (auto steps = dyn_cast<vector::StepOp>(clone)) {
      builder.setInsertionPointAfter(clone);
      Value copies =
          vector::BroadcastOp::create(builder, loc, steps.getType(), chunk);
      own.map(op->getResult(0),
              arith::AddIOp::create(builder, loc, steps, copies).getResult());
      return;
    }
    builder.setInsertionPointAfter(clone);
  }

  gpu::GPUFuncOp kernel;
  int64_t width, keeps;
  ExprAttr covers;
  Block &old;
  RowLevels levels;
  IRMapping mapping; ///< of what is outside of loops
  /// Rows in shared memory, by what read them.
  llvm::DenseMap<Operation *, Value> tiles;
};

struct StreamRows : public carousel::impl::StreamRowsBase<StreamRows> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      auto program =
          func->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
      if (program && program.getWidth() != 0 &&
          !isBounded(func, program.getCovers(), program.getWidth()))
        stream(func, program);
    }
  }

  /// Whether guards keep extents above `most` away.
  static bool isBounded(gpu::GPUFuncOp kernel, ExprAttr covers, int64_t most) {
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    return variant && llvm::any_of(variant.getGuards(), [&](GuardAttr guard) {
             return guard.getKind() == GuardKind::Range &&
                    guard.getValue() == covers && guard.getMost() <= most;
           });
  }

  void bound(gpu::GPUFuncOp kernel, ExprAttr covers, int64_t most) {
    if (!isBounded(kernel, covers, most))
      addGuards(kernel, getKernelName(kernel),
                GuardAttr::get(&getContext(), GuardKind::Range, /*argument=*/0,
                               covers, ExprAttr(), 0, most));
  }

  void stream(gpu::GPUFuncOp kernel, BlockProgramAttr program) {
    Streamer streamer(kernel, program);
    std::string refusal = streamer.findRefusal();
    remark::RemarkOpts options = remark::RemarkOpts::name("Stream")
                                     .category("carousel-stream-rows")
                                     .function(kernel.getName());
    if (!refusal.empty()) {
      ++missed;
      bound(kernel, program.getCovers(), program.getWidth());
      remark::missed(kernel.getLoc(), options)
          << remark::add("no launch for extents above {0}, in passes: {1}",
                         program.getWidth(), refusal);
      return;
    }
    streamer.write();
    if (program.getKeeps() != 0)
      bound(kernel, program.getCovers(), program.getKeeps());
    kernel->setAttr(CarouselDialect::kBlockProgram,
                    BlockProgramAttr::get(&getContext(), /*width=*/0,
                                          ExprAttr(), program.getPrograms(),
                                          /*keeps=*/0));
    ++streamed;
    if (int64_t tiles = streamer.countTiles())
      remark::passed(kernel.getLoc(), options)
          << remark::add("rows in chunks of {0}, {1} in tiles of {2}",
                         program.getWidth(), tiles, program.getKeeps());
    else
      remark::passed(kernel.getLoc(), options)
          << remark::add("rows in chunks of {0}", program.getWidth());
  }
};

} // namespace
