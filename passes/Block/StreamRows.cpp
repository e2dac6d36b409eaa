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
// In a cluster each CTA does so with its part of the row, and the CTAs gather
// the results of each loop.
//
//===----------------------------------------------------------------------===//

#include "ClusterParts.h"
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

/// The CTAs of which each keeps a part of a row.
static int64_t countCTAs(gpu::GPUFuncOp kernel, BlockProgramAttr program) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  int64_t ctas = 1;
  if (launch && program.getKeeps() != 0)
    for (int64_t extent : launch.getCluster())
      ctas *= extent;
  return ctas;
}

class Streamer {
public:
  Streamer(gpu::GPUFuncOp kernel, BlockProgramAttr program)
      : kernel(kernel), width(program.getWidth()),
        ctas(countCTAs(kernel, program)), keeps(program.getKeeps() / ctas),
        covers(program.getCovers()), old(kernel.getBody().front()),
        levels(kernel, width) {}

  /// The reason why the kernel can't be streamed, or an empty string.
  std::string findRefusal() const {
    if (covers.getKind() != ExprKind::Extent)
      return "its extent isn't that of an argument";
    if (!levels.getRefusal().empty() || ctas == 1)
      return levels.getRefusal();
    return findClusterRefusal();
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
    if (ctas != 1)
      extent = startPart(builder, extent);
    SmallVector<std::pair<vector::TransferReadOp, unsigned>> kept;
    if (keeps != 0)
      kept = levels.findRepeated();
    for (unsigned level = 0; level <= levels.getLast(); ++level) {
      for (Operation &op : old.without_terminator())
        if (!levels.isCoveredOp(&op) && levels.getLevel(&op) == level)
          cloneOutside(builder, &op);
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
  /// Elements of each.
  int64_t getTileElements() const { return keeps; }
  std::string describeCTAs() const {
    return ctas == 1 ? "" : " in each of " + std::to_string(ctas) + " CTAs";
  }

private:
  std::string findClusterRefusal() const {
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (!llvm::isPowerOf2_64(ctas) || launch.getCluster()[0] != ctas)
      return "its cluster isn't one of a power of two CTAs in x";
    unsigned ends = 0;
    for (Operation &op : old.without_terminator()) {
      if (!levels.isEnd(&op))
        continue;
      ++ends;
      if (!canExchange(op.getResult(0).getType()))
        return "CTAs of a cluster exchange only numbers of up to 64 bits";
    }
    return ends != 0 ? "" : "its CTAs would have nothing to exchange";
  }

  //===--------------------------------------------------------------------===//
  // The CTA's part of a row
  //===--------------------------------------------------------------------===//

  /// CTAs of a cluster follow each other in the grid, which counted programs
  /// until now. Returns the elements of this CTA's part: 0 or less if the row
  /// ends before it.
  Value startPart(OpBuilder &builder, Value extent) {
    Location loc = kernel.getLoc();
    Value id = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    Value mask = arith::ConstantIndexOp::create(builder, loc, ctas - 1);
    Value most = arith::ConstantIndexOp::create(builder, loc, keeps);
    rank = arith::AndIOp::create(builder, loc, id, mask);
    partBegin = arith::MulIOp::create(builder, loc, rank, most);
    Value rest = arith::SubIOp::create(builder, loc, extent, partBegin);
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    kernel->setAttr(CarouselDialect::kLaunch, withClusters(launch, ctas));
    return arith::MinSIOp::create(builder, loc, rest, most);
  }

  /// Elements from the begin of the row, for one of the part.
  Value addBegin(OpBuilder &builder, Location loc, Value index) {
    return partBegin ? arith::AddIOp::create(builder, loc, index, partBegin)
                     : index;
  }

  /// An op that isn't in loops. A write by one CTA of a cluster is enough.
  void cloneOutside(OpBuilder &builder, Operation *op) {
    bool isWrite = op->getNumResults() == 0 && !isMemoryEffectFree(op);
    if (ctas == 1 || !isWrite) {
      Operation *clone = builder.clone(*op, mapping);
      if (ctas != 1)
        countPrograms(builder, op, clone);
      return;
    }
    Location loc = op->getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value isFirst = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::eq, rank, zero);
    scf::IfOp::create(builder, loc, isFirst, [&](OpBuilder &nested, Location) {
      nested.clone(*op, mapping);
      scf::YieldOp::create(nested, loc);
    });
  }

  /// Ids and the grid count CTAs now.
  void countPrograms(OpBuilder &builder, Operation *op, Operation *clone) {
    auto id = dyn_cast<gpu::BlockIdOp>(op);
    auto size = dyn_cast<gpu::GridDimOp>(op);
    if ((!id || id.getDimension() != gpu::Dimension::x) &&
        (!size || size.getDimension() != gpu::Dimension::x))
      return;
    Location loc = op->getLoc();
    Value bits =
        arith::ConstantIndexOp::create(builder, loc, llvm::Log2_64(ctas));
    mapping.map(op->getResult(0),
                arith::ShRUIOp::create(builder, loc, clone->getResult(0), bits)
                    .getResult());
  }

  /// The reduction of the parts of all CTAs.
  Value gather(OpBuilder &builder, vector::MultiDimReductionOp end, Value sum) {
    Location loc = end.getLoc();
    Type type = end.getType();
    Value neutral = arith::ConstantOp::create(
        builder, loc, getNeutralElement(builder, end.getKind(), type));
    Value part =
        reduceAgain(builder, end, sum, neutral, end.getReductionDims());
    Value all =
        fromWords(builder, loc, gatherWords(builder, loc, part, ctas), type);
    return reduceAgain(builder, end, all, mapping.lookup(end.getAcc()), {0});
  }

  /// A reduction like `end` of another vector.
  static Value reduceAgain(OpBuilder &builder, vector::MultiDimReductionOp end,
                           Value source, Value acc, ArrayRef<int64_t> dims) {
    Operation *reduced = vector::MultiDimReductionOp::create(
        builder, end.getLoc(), acc.getType(), end.getKind(), source, acc, dims);
    reduced->setDiscardableAttrs(end->getDiscardableAttrDictionary());
    return reduced->getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Brings the whole row that `read` is a part of to a tile, or the CTA's part
  /// of it.
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
    indices.back() = addBegin(builder, loc, indices.back());
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
      if (ctas != 1) {
        mapping.map(end.getResult(), gather(builder, end, sum));
        continue;
      }
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
    auto getAt = [&] { return addBegin(builder, loc, chunk); };
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(clone)) {
      Value at = getAt();
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
        index.set(arith::AddIOp::create(builder, loc, index.get(), at));
      }
    } else if (auto mask = dyn_cast<vector::CreateMaskOp>(clone)) {
      for (auto [dim, operand] : llvm::enumerate(clone->getOpOperands()))
        if (mask.getVectorType().getDimSize(dim) == width)
          operand.set(
              arith::SubIOp::create(builder, loc, operand.get(), getAt()));
    } else if (auto steps = dyn_cast<vector::StepOp>(clone)) {
      builder.setInsertionPointAfter(clone);
      Value copies =
          vector::BroadcastOp::create(builder, loc, steps.getType(), getAt());
      own.map(op->getResult(0),
              arith::AddIOp::create(builder, loc, steps, copies).getResult());
      return;
    }
    builder.setInsertionPointAfter(clone);
  }

  gpu::GPUFuncOp kernel;
  int64_t width, ctas;
  int64_t keeps; ///< of a row in one CTA
  ExprAttr covers;
  Block &old;
  RowLevels levels;
  IRMapping mapping; ///< of what is outside of loops
  /// Rows in shared memory, by what read them.
  llvm::DenseMap<Operation *, Value> tiles;
  /// In a cluster: the CTA's rank, and where its part of a row begins.
  Value rank, partBegin;
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
      remark::passed(kernel.getLoc(), options) << remark::add(
          "rows in chunks of {0}, {1} in tiles of {2}{3}", program.getWidth(),
          tiles, streamer.getTileElements(), streamer.describeCTAs());
    else
      remark::passed(kernel.getLoc(), options)
          << remark::add("rows in chunks of {0}", program.getWidth());
  }
};

} // namespace
