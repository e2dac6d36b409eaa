//===- StreamRows.cpp - rows that are wider than vectors ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-stream-rows. An op's level is the number of reductions along the
// covered extent that it waits for, one after the other. Each level becomes a
// loop over chunks of the extent: it reads and computes again what its own
// reductions and writes need.
//
//===----------------------------------------------------------------------===//

#include "NeutralElement.h"
#include "NewBody.h"

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
#include "llvm/ADT/TypeSwitch.h"

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
      : kernel(kernel), width(program.getWidth()), covers(program.getCovers()),
        old(kernel.getBody().front()) {}

  /// The reason why the kernel can't be streamed, or an empty string.
  std::string plan() {
    if (covers.getKind() != ExprKind::Extent)
      return "its extent isn't that of an argument";
    for (Operation &op : old.without_terminator())
      if (std::string reason = plan(&op); !reason.empty())
        return reason;
    for (Value memref : written)
      if (read.contains(memref))
        return "it reads and writes the same memref";
    return "";
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
    for (unsigned level = 0; level <= last; ++level) {
      for (Operation &op : old.without_terminator())
        if (!isCoveredOp(&op) && levels.lookup(&op) == level)
          builder.clone(op, mapping);
      writeLevel(builder, level, extent);
    }
    builder.clone(*old.getTerminator(), mapping);
    old.erase();
  }

private:
  bool isCovered(Type type) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector && llvm::is_contained(vector.getShape(), width);
  }

  /// Whether the op belongs into loops over chunks.
  bool isCoveredOp(Operation *op) const {
    return llvm::any_of(op->getOperandTypes(),
                        [&](Type type) { return isCovered(type); }) ||
           llvm::any_of(op->getResultTypes(),
                        [&](Type type) { return isCovered(type); });
  }

  /// A reduction along the covered dimension.
  bool isEnd(Operation *op) const {
    auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
    return reduction && isCovered(reduction.getSource().getType()) &&
           !isCovered(reduction.getType());
  }

  static std::string describe(Operation *op, const Twine &what) {
    return ("'" + op->getName().getStringRef() + "' " + what).str();
  }

  std::string plan(Operation *op) {
    unsigned level = 0;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        level = std::max(level, levels.lookup(source) + isEnd(source));
    levels[op] = level;
    last = std::max(last, level);
    if (op->getNumRegions() != 0)
      return describe(op, "has regions");
    noteMemory(op);
    if (!isCoveredOp(op))
      return "";
    bool isChange =
        isa<vector::ShapeCastOp, vector::InterleaveOp, vector::DeinterleaveOp,
            vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
            vector::ExtractOp, vector::InsertOp, vector::ConstantMaskOp,
            vector::ContractionOp, TransferOpInterface>(op);
    if (isChange)
      return describe(op, "changes the covered dimension");
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
      for (auto [dim, expr] :
           llvm::enumerate(transfer.getPermutationMap().getResults()))
        if (transfer.getVectorType().getDimSize(dim) == width &&
            !isa<AffineDimExpr>(expr))
          return describe(op, "repeats elements along the covered dimension");
    return "";
  }

  void noteMemory(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](vector::TransferReadOp op) { read.insert(op.getBase()); })
        .Case([&](vector::GatherOp op) { read.insert(op.getBase()); })
        .Case([&](memref::LoadOp op) { read.insert(op.getMemRef()); })
        .Case([&](vector::TransferWriteOp op) { written.insert(op.getBase()); })
        .Case([&](vector::ScatterOp op) { written.insert(op.getBase()); })
        .Case([&](memref::StoreOp op) { written.insert(op.getMemRef()); });
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  void writeLevel(OpBuilder &builder, unsigned level, Value extent) {
    SmallVector<vector::MultiDimReductionOp> ends;
    llvm::SetVector<Operation *> needed;
    for (Operation &op : old.without_terminator()) {
      if (!isCoveredOp(&op) || levels.lookup(&op) != level)
        continue;
      if (isEnd(&op))
        ends.push_back(cast<vector::MultiDimReductionOp>(op));
      else if (isMemoryEffectFree(&op) || op.getNumResults() != 0)
        continue;
      needed.insert(&op);
    }
    if (needed.empty())
      return;
    // With what they are computed from.
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *source = operand.getDefiningOp())
          if (isCovered(operand.getType()))
            needed.insert(source);
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
  int64_t width;
  ExprAttr covers;
  Block &old;
  llvm::DenseMap<Operation *, unsigned> levels;
  unsigned last = 0;
  llvm::DenseSet<Value> read, written;
  IRMapping mapping; ///< of what is outside of loops
};

struct StreamRows : public carousel::impl::StreamRowsBase<StreamRows> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      auto program =
          func->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
      if (program && program.getWidth() != 0 && !isBounded(func, program))
        stream(func, program);
    }
  }

  /// Whether guards keep wider extents away.
  static bool isBounded(gpu::GPUFuncOp kernel, BlockProgramAttr program) {
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    return variant && llvm::any_of(variant.getGuards(), [&](GuardAttr guard) {
             return guard.getKind() == GuardKind::Range &&
                    guard.getValue() == program.getCovers() &&
                    guard.getMost() <= program.getWidth();
           });
  }

  void stream(gpu::GPUFuncOp kernel, BlockProgramAttr program) {
    Streamer streamer(kernel, program);
    std::string refusal = streamer.plan();
    remark::RemarkOpts options = remark::RemarkOpts::name("Stream")
                                     .category("carousel-stream-rows")
                                     .function(kernel.getName());
    if (!refusal.empty()) {
      ++missed;
      addGuards(kernel, getKernelName(kernel),
                GuardAttr::get(&getContext(), GuardKind::Range, /*argument=*/0,
                               program.getCovers(), ExprAttr(), 0,
                               program.getWidth()));
      remark::missed(kernel.getLoc(), options)
          << remark::add("no launch for extents above {0}, in passes: {1}",
                         program.getWidth(), refusal);
      return;
    }
    streamer.write();
    kernel->setAttr(CarouselDialect::kBlockProgram,
                    BlockProgramAttr::get(&getContext(), /*width=*/0,
                                          ExprAttr(), program.getPrograms()));
    ++streamed;
    remark::passed(kernel.getLoc(), options)
        << remark::add("rows in chunks of {0}", program.getWidth());
  }
};

} // namespace
