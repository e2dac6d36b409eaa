//===- StreamRows.cpp - rows that are wider than vectors ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-stream-rows. Each level of RowLevels.h becomes a loop over chunks
// of the extent (RowChunks.h): it reads and computes again what its own
// reductions and writes need. A program that keeps rows reads them to tiles in
// shared memory first.
// In a cluster each CTA does so with its part of the row (RowChunks.h). A loop
// over rows becomes two (RowLoop.h): one reduces and writes rows, the other one
// goes along columns.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/NeutralElement.h"
#include "../Kernels/NewBody.h"
#include "OnePass.h"
#include "RowChunks.h"
#include "RowLoop.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_STREAMROWS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Chunks that are read ahead
//
// Where rows are in tiles, the loop of a level reads what all programs have a
// chunk ahead, and its first chunk before the loop of the level before.
//===----------------------------------------------------------------------===//

namespace {

class RowReadAhead {
public:
  /// \p mapping has what is outside of loops.
  RowReadAhead(const RowLevels &levels, RowChunks &chunks,
               const IRMapping &mapping)
      : levels(levels), chunks(chunks), mapping(mapping) {}

  /// Reads the first chunks, while the level before is computed.
  void start(OpBuilder &builder, unsigned level);
  /// The first chunk of what the loop of a level reads ahead, or null.
  Value lookUp(Operation *read, unsigned level) const {
    return first.lookup({read, level});
  }
  /// The chunk after `chunk`, if the row has one. It is read before the other
  /// one is computed with.
  Value readNext(OpBuilder &builder, vector::TransferReadOp read, Value chunk,
                 Value current, Value extent);

private:
  SmallVector<vector::TransferReadOp> findReads(unsigned level);

  const RowLevels &levels;
  RowChunks &chunks;
  const IRMapping &mapping;
  DenseMap<std::pair<Operation *, unsigned>, Value> first;
};

} // namespace

static int64_t countBits(vector::TransferReadOp read) {
  return read.getVectorType().getElementType().getIntOrFloatBitWidth();
}

/// Reads of what all programs have, by the loop of a level. They needn't wait
/// for the level before, and are as small as what is kept, so that a chunk more
/// of them fits registers.
SmallVector<vector::TransferReadOp> RowReadAhead::findReads(unsigned level) {
  SmallVector<vector::TransferReadOp> reads;
  int64_t keptBits = 0, ahead = 0;
  for (auto [op, tile] : chunks.getTiles())
    keptBits += countBits(cast<vector::TransferReadOp>(op));
  for (Operation *op : levels.findNeeded(level)) {
    auto read = dyn_cast<vector::TransferReadOp>(op);
    auto isKnown = [&](Value operand) { return mapping.contains(operand); };
    if (!read || read.getMask() || !RowLevels::isOfAllPrograms(read) ||
        !llvm::all_of(op->getOperands(), isKnown))
      continue;
    ahead += countBits(read);
    reads.push_back(read);
  }
  if (ahead > keptBits)
    reads.clear();
  return reads;
}

void RowReadAhead::start(OpBuilder &builder, unsigned level) {
  if (level > levels.getLast())
    return;
  Location loc = levels.getBlock().getParentOp()->getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (vector::TransferReadOp read : findReads(level)) {
    IRMapping own = mapping;
    chunks.clone(builder, read, own, zero);
    first[{read, level}] = own.lookup(read.getResult());
  }
}

Value RowReadAhead::readNext(OpBuilder &builder, vector::TransferReadOp read,
                             Value chunk, Value current, Value extent) {
  Location loc = read.getLoc();
  Value step = arith::ConstantIndexOp::create(builder, loc, levels.getWidth());
  Value next = arith::AddIOp::create(builder, loc, chunk, step);
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       next, extent);
  auto branch = scf::IfOp::create(
      builder, loc, exists,
      [&](OpBuilder &nested, Location) {
        IRMapping own = mapping;
        chunks.clone(nested, read, own, next);
        scf::YieldOp::create(nested, loc, own.lookup(read.getResult()));
      },
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, current);
      });
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Rows that are wider than vectors
//===----------------------------------------------------------------------===//

namespace {

using OpSet = llvm::DenseSet<Operation *>;

class Streamer {
public:
  Streamer(gpu::GPUFuncOp kernel, BlockProgramAttr program)
      : kernel(kernel), width(program.getWidth()), part(kernel, program),
        covers(program.getCovers()), old(kernel.getBody().front()),
        levels(kernel, width), chunks(part, width),
        readAhead(levels, chunks, mapping) {}

  /// The reason why the kernel can't be streamed, or an empty string.
  std::string findRefusal() const {
    if (covers.getKind() != ExprKind::Extent)
      return "its extent isn't that of an argument";
    return levels.getRefusal().empty() ? part.findRefusal(levels)
                                       : levels.getRefusal();
  }

  /// Replaces the body.
  void write() {
    OpBuilder builder(kernel.getContext());
    Block *body = startNewBody(kernel, builder);
    mapping.map(old.getArguments(), body->getArguments());
    Location loc = kernel.getLoc();
    Value memref =
        body->getArgument(getArgumentPositions(kernel)[covers.getArgument()]);
    extent = memref::DimOp::create(builder, loc, memref, covers.getValue());
    if (!part.isWhole())
      extent = part.start(builder, extent);
    if (part.getMost() != 0)
      kept = levels.findRepeated();
    writeBlock(builder, levels, mapping);
    builder.clone(*old.getTerminator(), mapping);
    old.erase();
  }

  /// The number of tiles of rows in shared memory, once the body is written.
  int64_t countTiles() const { return chunks.getTiles().size(); }
  const RowPart &getPart() const { return part; }
  const RowLevels &getLevels() const { return levels; }
  /// Levels that share the loop of the one before.
  int64_t countShared() const { return done.size(); }
  /// Why levels read rows again.
  ArrayRef<std::string> getRefusals() const { return refusals; }

private:
  /// Writes a block for whole rows: what isn't covered, and loops over chunks.
  /// Not null, `only` says what of it.
  void writeBlock(OpBuilder &builder, const RowLevels &block,
                  IRMapping &mapping, const OpSet *only = nullptr) {
    for (unsigned level = 0; level <= block.getLast(); ++level) {
      for (Operation &op : block.getBlock().without_terminator()) {
        if (auto read = kept.find(&op);
            read != kept.end() && read->second == level)
          chunks.keep(builder, cast<vector::TransferReadOp>(&op), mapping);
        if (block.isCoveredOp(&op) || block.getLevel(&op) != level ||
            (only && !only->contains(&op)))
          continue;
        if (const RowLoop *rows = block.getLoop(&op))
          writeRows(builder, *rows, mapping);
        else
          part.cloneOutside(builder, &op, mapping);
      }
      if (&block == &levels && !chunks.getTiles().empty())
        readAhead.start(builder, level + 1);
      if (&block == &levels && canBeOnePass(level))
        writeOnePass(builder, level);
      else
        writeLevel(builder, block, level, mapping, only);
    }
  }

  //===--------------------------------------------------------------------===//
  // Levels in one loop
  //===--------------------------------------------------------------------===//

  /// Whether a level and the next one read rows that aren't on the chip.
  bool canBeOnePass(unsigned level) const {
    return level < levels.getLast() && !done.contains(level) && kept.empty() &&
           part.isWhole() && !levels.hasLoops();
  }

  void writeOnePass(OpBuilder &builder, unsigned level) {
    RowCorrections corrections(levels, level);
    if (!corrections.getRefusal().empty())
      refusals.push_back(corrections.getRefusal());
    if (!corrections.isPossible()) {
      writeLevel(builder, levels, level, mapping, /*only=*/nullptr);
      return;
    }
    OnePass(levels, corrections, chunks, extent, mapping, builder).write();
    done.insert(level + 1);
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  void writeLevel(OpBuilder &builder, const RowLevels &block, unsigned level,
                  IRMapping &mapping, const OpSet *only) {
    SmallVector<Operation *> needed = block.findNeeded(level, only);
    if (needed.empty() || (&block == &levels && done.contains(level)))
      return;
    SmallVector<vector::MultiDimReductionOp> ends;
    for (Operation *op : needed)
      if (block.isEnd(op))
        ends.push_back(cast<vector::MultiDimReductionOp>(op));
    SmallVector<Value> inits;
    for (vector::MultiDimReductionOp end : ends)
      inits.push_back(makeNeutral(builder, end));
    SmallVector<vector::TransferReadOp> ahead;
    for (Operation *op : needed)
      if (Value first = readAhead.lookUp(op, level)) {
        ahead.push_back(cast<vector::TransferReadOp>(op));
        inits.push_back(first);
      }
    Location loc = kernel.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value step = arith::ConstantIndexOp::create(builder, loc, width);
    auto loop = scf::ForOp::create(
        builder, loc, zero, extent, step, inits,
        [&](OpBuilder &nested, Location, Value chunk, ValueRange partial) {
          IRMapping own = mapping;
          SmallVector<Value> combined(partial);
          for (auto [read, next] : llvm::zip_equal(
                   ahead, MutableArrayRef(combined).take_back(ahead.size()))) {
            own.map(read.getResult(), next);
            next = readAhead.readNext(nested, read, chunk, next, extent);
          }
          for (Operation *op : needed) {
            if (readAhead.lookUp(op, level))
              continue;
            if (const RowLoop *rows = block.getLoop(op)) {
              bool isHere = block.getLevel(op) == level &&
                            op->getBlock() == &block.getBlock();
              writeColumns(nested, *rows, own, chunk, isHere);
              continue;
            }
            auto *end = llvm::find_if(
                ends, [&](auto end) { return end.getOperation() == op; });
            if (end == ends.end()) {
              chunks.clone(nested, op, own, chunk);
              continue;
            }
            Value &sum = combined[end - ends.begin()];
            sum =
                vector::makeArithReduction(nested, op->getLoc(), end->getKind(),
                                           sum, own.lookup(end->getSource()));
          }
          scf::YieldOp::create(nested, loc, combined);
        });
    for (auto [end, sum] :
         llvm::zip_equal(ends, loop.getResults().take_front(ends.size()))) {
      if (!part.isWhole()) {
        mapping.map(end.getResult(), part.gather(builder, end, sum, mapping));
        continue;
      }
      IRMapping own = mapping;
      own.map(end.getSource(), sum);
      Operation *reduced = builder.clone(*end, own);
      mapping.map(end.getResult(), reduced->getResult(0));
    }
  }

  //===--------------------------------------------------------------------===//
  // Loops over rows
  //===--------------------------------------------------------------------===//

  static scf::ForOp
  cloneLoop(OpBuilder &builder, scf::ForOp loop, const IRMapping &mapping,
            function_ref<bool(Type)> carries,
            function_ref<void(OpBuilder &, IRMapping &)> writeBody) {
    auto select = [&](ValueRange values, const IRMapping &mapping) {
      SmallVector<Value> selected;
      for (Value value : values)
        if (carries(value.getType()))
          selected.push_back(mapping.lookup(value));
      return selected;
    };
    return scf::ForOp::create(
        builder, loop.getLoc(), mapping.lookup(loop.getLowerBound()),
        mapping.lookup(loop.getUpperBound()), mapping.lookup(loop.getStep()),
        select(loop.getInitArgs(), mapping),
        [&](OpBuilder &nested, Location loc, Value row, ValueRange carried) {
          IRMapping own = mapping;
          own.map(loop.getInductionVar(), row);
          for (Value argument : loop.getRegionIterArgs())
            if (carries(argument.getType())) {
              own.map(argument, carried.front());
              carried = carried.drop_front();
            }
          writeBody(nested, own);
          scf::YieldOp::create(nested, loc,
                               select(loop.getYieldedValues(), own));
        });
  }

  static void mapResults(scf::ForOp from, scf::ForOp to, IRMapping &mapping,
                         function_ref<bool(Type)> carries) {
    ValueRange results = to.getResults();
    for (Value result : from.getResults())
      if (carries(result.getType())) {
        mapping.map(result, results.front());
        results = results.drop_front();
      }
  }

  /// Reductions and writes of rows, one row after the other.
  void writeRows(OpBuilder &builder, const RowLoop &rows, IRMapping &mapping) {
    if (!rows.hasRows())
      return;
    Location loc = rows.getLoop().getLoc();
    if (rows.getKeptRows())
      for (Value value : rows.getRowValues()) {
        auto type = MemRefType::get(
            *rows.getKeptRows(), value.getType(), MemRefLayoutAttrInterface(),
            gpu::AddressSpaceAttr::get(builder.getContext(),
                                       gpu::AddressSpace::Workgroup));
        rowValues[value] = memref::AllocOp::create(builder, loc, type);
      }
    auto carries = [&](Type type) { return !levels.isCovered(type); };
    scf::ForOp loop = cloneLoop(
        builder, rows.getLoop(), mapping, carries,
        [&](OpBuilder &nested, IRMapping &own) {
          writeBlock(nested, rows.getLevels(), own);
          for (Value value : rows.getRowValues())
            if (Value memref = rowValues.lookup(value))
              vector::TransferWriteOp::create(
                  nested, loc,
                  vector::BroadcastOp::create(
                      nested, loc, VectorType::get(1, value.getType()),
                      own.lookup(value)),
                  memref, findRowNumber(nested, rows, own), ArrayRef(true));
        });
    mapResults(rows.getLoop(), loop, mapping, carries);
  }

  /// A chunk of what the loop carries, over all rows.
  void writeColumns(OpBuilder &builder, const RowLoop &rows, IRMapping &mapping,
                    Value chunk, bool withWrites) {
    scf::ForOp loop = rows.getLoop();
    auto carries = [&](Type type) {
      return levels.isCovered(type) || rows.carriesRowValues();
    };
    scf::ForOp columns = cloneLoop(
        builder, loop, mapping, carries,
        [&](OpBuilder &nested, IRMapping &own) {
          if (rows.repeatsRows())
            writeBlock(nested, rows.getLevels(), own, &rows.getRowOps());
          for (Value value : rows.getRowValues())
            if (Value memref = rowValues.lookup(value))
              own.map(value, readRowValue(nested, rows, memref, own));
          for (Operation *op : rows.getColumnOps()) {
            if (rows.getLevels().isCoveredOp(op) &&
                (withWrites || canRepeat(op)))
              chunks.clone(nested, op, own, chunk);
            else if (canRepeat(op))
              nested.clone(*op, own);
          }
        });
    // Rings are for what the loop reads itself.
    if (!rows.repeatsRows())
      columns->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    mapResults(loop, columns, mapping,
               [&](Type type) { return levels.isCovered(type); });
  }

  static Value findRowNumber(OpBuilder &builder, const RowLoop &rows,
                             const IRMapping &mapping) {
    scf::ForOp loop = rows.getLoop();
    Location loc = loop.getLoc();
    Value number = arith::SubIOp::create(builder, loc,
                                         mapping.lookup(loop.getInductionVar()),
                                         mapping.lookup(loop.getLowerBound()));
    if (isConstantIntValue(loop.getStep(), 1))
      return number;
    return arith::DivUIOp::create(builder, loc, number,
                                  mapping.lookup(loop.getStep()));
  }

  static Value readRowValue(OpBuilder &builder, const RowLoop &rows,
                            Value memref, const IRMapping &mapping) {
    Location loc = rows.getLoop().getLoc();
    Type type = cast<MemRefType>(memref.getType()).getElementType();
    Value padding = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
    Value one = vector::TransferReadOp::create(
        builder, loc, VectorType::get(1, type), memref,
        findRowNumber(builder, rows, mapping), padding, ArrayRef(true));
    return vector::ExtractOp::create(builder, loc, one, 0);
  }

  //===--------------------------------------------------------------------===//
  // Chunks
  //===--------------------------------------------------------------------===//

  static Value makeNeutral(OpBuilder &builder,
                           vector::MultiDimReductionOp end) {
    VectorType type = end.getSourceVectorType();
    TypedAttr neutral =
        getNeutralElement(builder, end.getKind(), type.getElementType());
    return arith::ConstantOp::create(
        builder, end.getLoc(),
        DenseElementsAttr::get(type, Attribute(neutral)));
  }

  gpu::GPUFuncOp kernel;
  int64_t width;
  RowPart part;
  ExprAttr covers;
  Block &old;
  RowLevels levels;
  RowChunks chunks;
  IRMapping mapping; ///< of what is outside of loops
  Value extent;
  /// Reads of rows that the CTA keeps, by the first level that needs them.
  llvm::MapVector<Operation *, unsigned> kept;
  llvm::SmallDenseSet<unsigned> done; ///< levels
  SmallVector<std::string> refusals;
  RowReadAhead readAhead;
  /// Memory for a scalar of each row of a loop.
  llvm::DenseMap<Value, Value> rowValues;
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

  static void remarkOnLoops(gpu::GPUFuncOp kernel, const RowLevels &levels,
                            remark::RemarkOpts options) {
    kernel.walk([&](scf::ForOp loop) {
      const RowLoop *rows = levels.getLoop(loop);
      if (!rows)
        return;
      if (rows->repeatsRows())
        remark::missed(loop.getLoc(), options) << remark::add(
            "each chunk reduces all rows again: what the loop carries needs "
            "their results, and the loop has no bound that is small enough to "
            "keep them");
      else if (rows->hasRows() && !rows->getColumnOps().empty())
        remark::passed(loop.getLoc(), options)
            << remark::add("the loop reads rows a second time for what it "
                           "carries, with {0} results of each row",
                           rows->getRowValues().size());
    });
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
    remarkOnLoops(kernel, streamer.getLevels(), options);
    streamer.write();
    if (program.getKeeps() != 0)
      bound(kernel, program.getCovers(), program.getKeeps());
    kernel->setAttr(CarouselDialect::kBlockProgram,
                    BlockProgramAttr::get(&getContext(), /*width=*/0,
                                          ExprAttr(), program.getPrograms(),
                                          /*keeps=*/0));
    ++streamed;
    for (const std::string &reason : streamer.getRefusals())
      remark::missed(kernel.getLoc(), options)
          << remark::add("rows are read again: {0}", reason);
    if (int64_t shared = streamer.countShared())
      remark::passed(kernel.getLoc(), options) << remark::add(
          "levels of reductions that share the loop of the level before: {0}; "
          "what they have so far is corrected",
          shared);
    if (int64_t tiles = streamer.countTiles())
      remark::passed(kernel.getLoc(), options) << remark::add(
          "rows in chunks of {0}, {1} in tiles of {2}{3}", program.getWidth(),
          tiles, streamer.getPart().getMost(), streamer.getPart().describe());
    else
      remark::passed(kernel.getLoc(), options)
          << remark::add("rows in chunks of {0}", program.getWidth());
  }
};

} // namespace
