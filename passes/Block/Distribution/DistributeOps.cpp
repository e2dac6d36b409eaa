//===- DistributeOps.cpp - the program of one thread ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DistributeOps.h. Ops without vectors stay as they are, and all threads
// execute them. What they write is left to the first thread.
//
//===----------------------------------------------------------------------===//

#include "DistributeOps.h"

#include "../Kernels/NewBody.h"
#include "../Threads/ConvertBytes.h"
#include "../Threads/ConvertLayouts.h"
#include "../Threads/ExchangeTurns.h"
#include "../Threads/ReduceVectors.h"
#include "../Threads/ThreadProgram.h"
#include "AccessVectors.h"
#include "DelayedOps.h"
#include "FreeVectors.h"
#include "GatherVectors.h"
#include "MemoryOrder.h"
#include "MoveParts.h"
#include "MultiplyVectors.h"
#include "ReshapeVectors.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

namespace {

class Distributor {
public:
  Distributor(gpu::GPUFuncOp kernel, const LayoutPlan &plan, OpBuilder &builder)
      : plan(plan), builder(builder), order(kernel, plan),
        delayed(kernel, plan, order),
        program(builder, kernel.getLoc(), plan.getThreads()),
        turns(program, plan, mapping) {}

  IRMapping mapping; ///< scalars, memrefs, and vectors in their own layouts
  DistributedCounts counts;

  void distribute(Block &block) {
    for (Operation &op : block.without_terminator())
      distribute(&op);
  }

  void finish(Operation *terminator) { builder.clone(*terminator, mapping); }

private:
  //===--------------------------------------------------------------------===//
  // Vectors
  //===--------------------------------------------------------------------===//

  Value get(OpOperand &operand) {
    if (!isa<VectorType>(operand.get().getType()))
      return mapping.lookup(operand.get());
    return get(operand.get(), plan.getOperandLayout(operand));
  }

  Value get(Value vector, const LinearLayout &layout) {
    const LinearLayout *own = plan.getLayout(vector);
    if (!own)
      return makeFreeVector(program, vector, layout, mapping);
    counts.conversions += !isWithinThreads(*own, layout);
    return convertLayout(program, mapping.lookup(vector), *own, layout);
  }

  /// A result that was computed in `layout`.
  void set(Value vector, Value registers, const LinearLayout &layout) {
    ++counts.values;
    const LinearLayout &own = *plan.getLayout(vector);
    counts.conversions += !isWithinThreads(layout, own);
    mapping.map(vector, convertLayout(program, registers, layout, own));
  }

  void set(OpResult result, Value registers) {
    set(result, registers, plan.getComputedLayout(result));
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  static bool hasVectors(Operation *op) {
    auto isVector = [](Type type) { return isa<VectorType>(type); };
    return llvm::any_of(op->getOperandTypes(), isVector) ||
           llvm::any_of(op->getResultTypes(), isVector);
  }

  void distribute(Operation *op) {
    program.startOp(op);
    if (passesTile(op) &&
        (tiles.pass(op, isRoundedAtLoad(plan, op)) || passRounding(op)))
      return;
    if (order.needsBarrier(op))
      program.barrier();
    if (delayed.contains(op))
      return;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](gpu::BlockIdOp id) {
          distributeProgramId(id, id.getDimension());
        })
        .Case([&](gpu::GridDimOp size) {
          distributeProgramId(size, size.getDimension());
        })
        .Case([&](scf::ForOp loop) { distributeLoop(loop); })
        .Case([&](scf::WhileOp loop) { distributeLoop(loop); })
        .Case([&](scf::IfOp branch) { distributeBranch(branch); })
        .Case([&](vector::TransferReadOp read) { distributeRead(read); })
        .Case([&](vector::TransferWriteOp write) { distributeWrite(write); })
        .Case([&](vector::MultiDimReductionOp reduction) {
          distributeReduction(reduction);
        })
        .Case([&](vector::ContractionOp contraction) {
          distributeContraction(contraction);
        })
        .Case([&](vector::GatherOp gather) { distributeGather(gather); })
        .Case([&](vector::ScatterOp scatter) { distributeScatter(scatter); })
        .Case([&](ClusterGatherOp gather) {
          Operation *own = builder.clone(*gather, mapping);
          set(gather->getResult(0), own->getResult(0));
        })
        .Default([&](Operation *other) {
          if (!hasVectors(other))
            distributeScalar(other);
          else if (isFreeVector(other))
            distributeFree(other);
          else if (isElementwise(other))
            distributeElementwise(other);
          else
            distributeReshaping(other);
        });
  }

  /// A cluster executes one program.
  void distributeProgramId(Operation *op, gpu::Dimension dim) {
    Operation *own = builder.clone(*op, mapping);
    unsigned ctas = plan.getThreads().ctas;
    if (ctas != 0 && dim == gpu::Dimension::x)
      mapping.map(op->getResult(0),
                  arith::ShRUIOp::create(builder, program.loc,
                                         own->getResult(0), program.index(ctas))
                      .getResult());
  }

  /// Writes of scalars: by one thread.
  void distributeScalar(Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool writes = isa<memref::StoreOp>(op) ||
                  (effects && effects.hasEffect<MemoryEffects::Write>() &&
                   op->getNumResults() == 0 && !isa<TransferOpInterface>(op));
    if (!writes || isa<CarouselDialect>(*op->getDialect())) {
      cloneWithRegions(op);
      return;
    }
    Value isFirst =
        arith::CmpIOp::create(builder, program.loc, arith::CmpIPredicate::eq,
                              program.getThread(), program.index(0));
    program.runIf(isFirst, [&] { builder.clone(*op, mapping); });
  }

  void cloneWithRegions(Operation *op) {
    Operation *clone = builder.cloneWithoutRegions(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(
          &to, to.end(), from.getArgumentTypes(),
          SmallVector<Location>(from.getNumArguments(), program.loc));
      mapping.map(from.getArguments(), body->getArguments());
      distribute(from.front());
      if (from.front().mightHaveTerminator())
        finish(from.front().getTerminator());
    }
  }

  /// Made where it is used, unless the user wants a layout.
  void distributeFree(Operation *op) {
    OpResult result = op->getResult(0);
    if (const LinearLayout *layout = plan.getLayout(result))
      set(result, makeFreeVector(program, result, *layout, mapping));
  }

  void distributeElementwise(Operation *op) {
    OpResult result = op->getResult(0);
    const LinearLayout &layout = plan.getComputedLayout(result);
    if (std::optional<unsigned> dim = findComparedSteps(op))
      return set(result,
                 program.compareCoordinates(
                     layout, *dim, cast<arith::CmpIOp>(op).getPredicate(),
                     get(op->getOpOperand(1))));
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(get(operand));
    auto read = op->getOperand(0).getDefiningOp<vector::TransferReadOp>();
    if (Value floats = convertBytes(program, op, operands.front(),
                                    read ? plan.getAccess(read).run : 1))
      return set(result, floats);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getThreadType(type, layout));
    OperationState state(op->getLoc(), op->getName(), operands, types);
    for (NamedAttribute attr : op->getAttrs())
      if (attr.getName() != CarouselDialect::kLayout)
        state.addAttribute(attr.getName(), attr.getValue());
    Operation *own = builder.create(state);
    for (auto [from, to] : llvm::zip_equal(op->getResults(), own->getResults()))
      set(from, to);
  }

  ThreadAccess getAccess(VectorTransferOpInterface op, Value mask) {
    return {op, plan.getAccess(op), mapping.lookup(op.getBase()),
            lookUpAll(op.getIndices()), mask};
  }

  void distributeRead(vector::TransferReadOp op) {
    const AccessPlan &access = plan.getAccess(op);
    ThreadAccess own =
        getAccess(op, op.getMask() ? get(op.getMaskMutable()[0]) : Value());
    Value padding = mapping.lookup(op.getPadding());
    if (isFactorOfWarpgroups(plan, op)) {
      tiles.keep(op->getResult(0), loadTile(program, own, padding));
      if (areMultipliedInTiles(op->getResult(0)))
        return;
    }
    if (access.byMatrices) {
      MatrixTile tile(program, loadTile(program, own, padding), access.layout);
      if (isFactorOnly(plan, op))
        tiles.add(op->getResult(0), tile);
      else
        set(op->getResult(0), tile.load());
      return;
    }
    set(op->getResult(0), VectorReader(program, own, padding).readAll());
  }

  /// Whether the op rounds what the load of a tile has rounded: its result is
  /// the operand then.
  bool passRounding(Operation *op) {
    if (!isRoundedAtLoad(plan, op))
      return false;
    if (!areMultipliedInTiles(op->getResult(0)))
      set(op->getResult(0), get(op->getOpOperand(0)));
    return true;
  }

  /// Whether products by warpgroups alone use the vector, maybe rounded.
  bool areMultipliedInTiles(Value vector) {
    return llvm::all_of(vector.getUses(), [&](OpOperand &use) {
      auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
      if (product)
        return plan.getContraction(product).isTileOfWarpgroups(
            use.getOperandNumber());
      return isa<RoundTF32Op>(use.getOwner()) &&
             areMultipliedInTiles(use.getOwner()->getResult(0));
    });
  }

  void distributeWrite(vector::TransferWriteOp op) {
    PiecesOfWrite pieces(
        program, delayed, [&](OpOperand &operand) { return get(operand); },
        [&](vector::TransferReadOp read) {
          return std::make_unique<VectorReader>(
              program, getAccess(read, Value()),
              mapping.lookup(read.getPadding()));
        });
    Value mask = op.getMask() ? get(op.getMaskMutable()[0]) : Value();
    writeVector(program, getAccess(op, mask),
                [&](int64_t first, int64_t count) {
                  return pieces.get(op.getValueToStoreMutable(), first, count);
                });
  }

  SmallVector<Value> lookUpAll(ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookup(value); });
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// Pieces are rounded where an instruction takes them.
  Factor getFactor(OpOperand &operand, const ContractionPlan &product) {
    if (MatrixTile *tile = tiles.find(operand.get()))
      return {Value(), tile, tile->isRounded};
    auto rounding = operand.get().getDefiningOp<RoundTF32Op>();
    if (!rounding || !product.matrices || isRoundedAtLoad(plan, rounding))
      return {get(operand), nullptr};
    return {get(rounding.getValue(), plan.getOperandLayout(operand)), nullptr,
            /*isRounded=*/true};
  }

  /// The tile of a factor of warpgroups: its load rounds.
  Value getTile(Value factor) {
    vector::TransferReadOp read = findReadOfFactor(factor);
    return read ? tiles.getMemRef(read) : Value();
  }

  Value getFactorOfWarpgroups(OpOperand &operand,
                              const ContractionPlan &product) {
    if (product.isTileOfWarpgroups(operand.getOperandNumber()))
      return getTile(operand.get());
    Factor factor = getFactor(operand, product);
    Value registers = factor.tile ? factor.tile->load() : factor.registers;
    if (factor.isRounded)
      registers = RoundTF32Op::create(builder, program.loc, registers);
    return registers;
  }

  void distributeContraction(vector::ContractionOp op) {
    const ContractionPlan &product = plan.getContraction(op);
    Value acc = get(op.getAccMutable());
    Value result =
        product.byWarpgroups
            ? multiplyTiles(program, op, product,
                            getFactorOfWarpgroups(op.getLhsMutable(), product),
                            getFactorOfWarpgroups(op.getRhsMutable(), product),
                            acc)
            : multiplyVectors(program, op, product,
                              getFactor(op.getLhsMutable(), product),
                              getFactor(op.getRhsMutable(), product), acc);
    if (isa<VectorType>(op.getResultType()))
      set(op->getResult(0), result);
    else
      mapping.map(op.getResult(), result);
  }

  void distributeReduction(vector::MultiDimReductionOp op) {
    VectorType type = op.getSourceVectorType();
    SmallVector<bool> dims(type.getRank());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      dims[dim] = op.isReducedDim(dim);
    const LinearLayout &source = plan.getOperandLayout(op.getSourceMutable());
    bool exchanges = needsExchange(source, dims);
    counts.exchanges += exchanges;
    Value registers =
        reduceVector(program, get(op.getSourceMutable()), source, dims,
                     type.getShape(), op.getKind(), getFastMath(op),
                     exchanges ? turns.take() : ExchangeTurn());
    Value acc = get(op.getAccMutable());
    if (!isa<VectorType>(op.getType())) {
      Value scalar = program.extract(registers, 0);
      mapping.map(op.getResult(),
                  vector::makeArithReduction(builder, program.loc, op.getKind(),
                                             scalar, acc, getFastMath(op)));
      return;
    }
    set(op->getResult(0),
        vector::makeArithReduction(builder, program.loc, op.getKind(),
                                   registers, acc, getFastMath(op)));
  }

  static arith::FastMathFlagsAttr getFastMath(vector::MultiDimReductionOp op) {
    return op->getAttrOfType<arith::FastMathFlagsAttr>("fastmath");
  }

  //===--------------------------------------------------------------------===//
  // Changes of shape
  //===--------------------------------------------------------------------===//

  void distributeReshaping(Operation *op) {
    if (plan.movesPart(op))
      return movePart(op, *VectorPart::of(op));
    SmallVector<DistributedVector, 2> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(getDistributed(operand));
    for (OpResult result : op->getResults())
      set(result, reshapeVector(program, result, operands,
                                plan.getComputedLayout(result)));
  }

  DistributedVector getDistributed(OpOperand &operand) {
    bool isVector = isa<VectorType>(operand.get().getType());
    return {get(operand), isVector ? &plan.getOperandLayout(operand) : nullptr};
  }

  void movePart(Operation *op, const VectorPart &part) {
    PlacedPart placed{part, {}};
    for (OpFoldResult offset : part.offsets)
      placed.offsets.push_back(
          isa<Value>(offset) ? mapping.lookup(cast<Value>(offset))
                             : program.index(*getConstantIntValue(offset)));
    OpResult result = op->getResult(0);
    DistributedVector first = getDistributed(op->getOpOperand(0));
    if (isa<vector::InsertOp, vector::InsertStridedSliceOp>(op))
      set(result, insertPart(program, placed, first,
                             getDistributed(op->getOpOperand(1))));
    else if (part.isScalar())
      mapping.map(result, extractPart(program, placed, first, nullptr));
    else
      set(result,
          extractPart(program, placed, first, &plan.getComputedLayout(result)));
  }

  //===--------------------------------------------------------------------===//
  // Elements by index
  //===--------------------------------------------------------------------===//

  void distributeGather(vector::GatherOp op) {
    const AccessPlan &access = plan.getAccess(op);
    IndexedAccess own{op.getVectorType(),
                      access.layout,
                      access.run,
                      mapping.lookup(op.getBase()),
                      lookUpAll(op.getOffsets()),
                      get(op.getIndicesMutable()),
                      get(op.getMaskMutable())};
    set(op->getResult(0),
        gatherVector(program, own, get(op.getPassThruMutable())));
  }

  void distributeScatter(vector::ScatterOp op) {
    OpOperand &value = op.getValueToStoreMutable();
    IndexedAccess own{op.getVectorType(),
                      plan.getOperandLayout(value),
                      /*run=*/1,
                      mapping.lookup(op.getBase()),
                      lookUpAll(op.getOffsets()),
                      get(op.getIndicesMutable()),
                      get(op.getMaskMutable())};
    scatterVector(program, own, get(value));
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  Type getThreadType(Value value) {
    if (!isa<VectorType>(value.getType()))
      return value.getType();
    return carousel::getThreadType(value.getType(), *plan.getLayout(value));
  }
  VectorType getThreadType(Type type, const LinearLayout &layout) {
    return carousel::getThreadType(type, layout);
  }

  SmallVector<Value> getAll(MutableArrayRef<OpOperand> operands) {
    SmallVector<Value> values;
    for (OpOperand &operand : operands)
      values.push_back(get(operand));
    return values;
  }

  /// The body of a region with one block, and its terminator.
  void distributeBody(Block &from, Block *to) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    distribute(from);
    Operation *end = from.getTerminator();
    program.startOp(end);
    Operation *loop = from.getParentOp();
    if (isa<LoopLikeOpInterface>(loop) &&
        from.getParent() == &loop->getRegions().back() && order.leaveLoop(loop))
      program.barrier();
    SmallVector<Value> operands = getAll(end->getOpOperands());
    OperationState state(end->getLoc(), end->getName(), operands, TypeRange(),
                         end->getAttrs());
    builder.create(state);
  }

  Block *addBlock(Region &region, ValueRange arguments) {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (Value argument : arguments) {
      types.push_back(getThreadType(argument));
      locations.push_back(argument.getLoc());
    }
    Block *block = builder.createBlock(&region, region.end(), types, locations);
    mapping.map(arguments, block->getArguments());
    return block;
  }

  SmallVector<Type> getResultTypes(Operation *op) {
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.push_back(getThreadType(result));
    return types;
  }

  Operation *cloneShell(Operation *op) {
    SmallVector<Value> operands = getAll(op->getOpOperands());
    OperationState state(op->getLoc(), op->getName(), operands,
                         getResultTypes(op), op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *shell = builder.create(state);
    mapping.map(op->getResults(), shell->getResults());
    return shell;
  }

  Operation *distributeRegions(Operation *op) {
    Operation *shell = cloneShell(op);
    if (isa<LoopLikeOpInterface>(op))
      order.enterLoop();
    MemoryOrder::Branches branches(order);
    for (auto [from, to] : llvm::zip(op->getRegions(), shell->getRegions())) {
      if (from.empty())
        continue;
      branches.startRegion(/*followsRegion=*/isa<scf::WhileOp>(op));
      Block *body = addBlock(to, from.getArguments());
      distributeBody(from.front(), body);
    }
    return shell;
  }

  /// A pipeline without transfers of tiles would have nothing to do.
  void distributeLoopBody(Operation *loop) {
    Operation *shell = distributeRegions(loop);
    bool hasTransfers =
        shell->walk([](TransferOpInterface) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!hasTransfers)
      shell->removeAttr(CarouselDialect::kPipeline);
  }

  void distributeLoop(Operation *loop) {
    turns.inLoop(loop, [&] { distributeLoopBody(loop); });
  }
  void distributeBranch(scf::IfOp branch) {
    turns.inBranch([&] { distributeRegions(branch); });
  }

  const LayoutPlan &plan;
  OpBuilder &builder;
  MemoryOrder order;
  DelayedOps delayed;
  ThreadProgram program;
  ExchangeTurns turns;
  /// Factors that are read where they are multiplied.
  FactorTiles tiles;
};

} // namespace

DistributedCounts carousel::distributeOps(gpu::GPUFuncOp kernel,
                                          const LayoutPlan &plan) {
  Block &old = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  Block *body = startNewBody(kernel, builder);
  Distributor distributor(kernel, plan, builder);
  distributor.mapping.map(old.getArguments(), body->getArguments());
  distributor.distribute(old);
  distributor.finish(old.getTerminator());
  old.erase();
  return distributor.counts;
}
