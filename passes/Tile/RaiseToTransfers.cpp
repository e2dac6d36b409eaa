//===- RaiseToTransfers.cpp - raise copies to transfers of tiles ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the plans of RaiseToTransfers.h to kernels. Creates the transfers,
// erases the moves and the ops that only they need, and reports in remarks
// which copies were raised and why others weren't. Asynchronous copies of one
// group are raised together.
//
//===----------------------------------------------------------------------===//

#include "RaiseToTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-raise-to-transfers"

namespace carousel {
#define GEN_PASS_DEF_RAISETOTRANSFERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Find moves
//
// For --carousel-raise-to-transfers, finds copies between global and shared
// memory, and pairs of a read and a write. Also checks which ops may stand
// between them.
//===----------------------------------------------------------------------===//

Value carousel::getViewSource(Value view) {
  Operation *op = view.getDefiningOp();
  if (!isa_and_nonnull<memref::SubViewOp, memref::CastOp>(op) ||
      !isa<MemRefType>(op->getOperand(0).getType()))
    return nullptr;
  return op->getOperand(0);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

namespace {
/// A read or a write, and the shape of what it reads or writes.
struct Half {
  MoveAccess access;
  SmallVector<int64_t> shape;
  std::string refusal;
};
} // namespace

/// A box whose dims are the last ones of the memref.
static Half makeHalf(Value memref, ValueRange indices,
                     ArrayRef<int64_t> shape) {
  Half half;
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  half.access.memref = memref;
  half.access.indices = llvm::to_vector(indices);
  half.access.movedDims.assign(rank, -1);
  half.access.mayLeave.resize(rank);
  half.shape = llvm::to_vector(shape);
  if (static_cast<int64_t>(shape.size()) > rank) {
    half.refusal = "a vector has more dimensions than its memref";
    return half;
  }
  for (size_t dim = 0; dim < shape.size(); ++dim)
    half.access.movedDims[rank - shape.size() + dim] = dim;
  return half;
}

static bool isZero(Value value) {
  // Not -0.0: a transfer fills with zero bits.
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

static Half makeTransferHalf(VectorTransferOpInterface op) {
  Half half =
      makeHalf(op.getBase(), op.getIndices(), op.getVectorType().getShape());
  if (!half.refusal.empty())
    return half;
  if (op.getMask())
    half.refusal = "the transfer has a mask";
  llvm::fill(half.access.movedDims, -1);
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    auto position = dyn_cast<AffineDimExpr>(expr);
    if (!position) {
      half.refusal = "the transfer broadcasts";
      return half;
    }
    half.access.movedDims[position.getPosition()] = dim;
    half.access.mayLeave[position.getPosition()] = !op.isDimInBounds(dim);
  }
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  if (read && half.access.mayLeave.any() && !isZero(read.getPadding()))
    half.refusal = "what is out of bounds isn't padded with zero";
  return half;
}

static std::optional<Half> makeWriteHalf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Half>>(op)
      .Case([](memref::StoreOp store) {
        return makeHalf(store.getMemRef(), store.getIndices(), {});
      })
      .Case([](vector::StoreOp store) {
        return makeHalf(store.getBase(), store.getIndices(),
                        store.getVectorType().getShape());
      })
      .Case([](vector::TransferWriteOp write) -> std::optional<Half> {
        if (!isa<MemRefType>(write.getBase().getType()))
          return std::nullopt;
        return makeTransferHalf(write);
      })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<Half> makeReadHalf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Half>>(op)
      .Case([](memref::LoadOp load) {
        return makeHalf(load.getMemRef(), load.getIndices(), {});
      })
      .Case([](vector::LoadOp load) {
        return makeHalf(load.getBase(), load.getIndices(),
                        load.getVectorType().getShape());
      })
      .Case([](vector::TransferReadOp read) -> std::optional<Half> {
        if (!isa<MemRefType>(read.getBase().getType()))
          return std::nullopt;
        return makeTransferHalf(read);
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns the value that the op writes, which a read has brought.
static Value getWrittenValue(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getValueToStore();
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getValueToStore();
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return write.getValueToStore();
  return nullptr;
}

static Value getRoot(Value memref) {
  while (Value source = getViewSource(memref))
    memref = source;
  return memref;
}

/// An argument of a kernel is in global memory even if nothing says so; but
/// transfers go by what is said.
static bool isUnspokenGlobal(Value memref) {
  auto argument = dyn_cast<BlockArgument>(getRoot(memref));
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : nullptr;
  return kernel && argument.getArgNumber() < kernel.getNumArguments() &&
         !isGlobalMemRef(memref.getType()) &&
         !isSharedMemRef(memref.getType()) && !isLocalMemRef(memref.getType());
}

static bool isBetweenSpaces(Value source, Value target) {
  if (isSharedMemRef(source.getType()))
    return isGlobalMemRef(target.getType()) || isUnspokenGlobal(target);
  return isSharedMemRef(target.getType()) &&
         (isGlobalMemRef(source.getType()) || isUnspokenGlobal(source));
}

static Move makeMove(Operation *read, Operation *write, Half source,
                     Half target) {
  Move move;
  move.read = read;
  move.write = write;
  move.isLoad = isSharedMemRef(target.access.memref.getType());
  move.shape = source.shape;
  move.refusal = !source.refusal.empty() ? source.refusal : target.refusal;
  move.global = move.isLoad ? source.access : target.access;
  move.tile = move.isLoad ? target.access : source.access;
  move.globalRoot = getRoot(move.global.memref);
  move.tileRoot = getRoot(move.tile.memref);
  if (!isGlobalMemRef(move.global.memref.getType()))
    move.refusal =
        "the type of the kernel's argument doesn't say that it is in "
        "global memory";
  return move;
}

static std::optional<Move> matchCopy(Operation *op, Value source,
                                     Value target) {
  auto from = dyn_cast<MemRefType>(source.getType());
  auto to = dyn_cast<MemRefType>(target.getType());
  if (!from || !to || !isBetweenSpaces(source, target))
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [a, b] : llvm::zip_equal(from.getShape(), to.getShape()))
    shape.push_back(ShapedType::isDynamic(a) ? b : a);
  Move move = makeMove(op, op, makeHalf(source, {}, shape),
                       makeHalf(target, {}, shape));
  if (from.getElementType() != to.getElementType())
    move.refusal = "the copy converts its elements";
  return move;
}

static std::optional<Move> matchAsyncCopy(nvgpu::DeviceAsyncCopyOp copy) {
  if (!isBetweenSpaces(copy.getSrc(), copy.getDst()))
    return std::nullopt;
  int64_t elements = copy.getDstElements().getSExtValue();
  Move move = makeMove(copy, copy,
                       makeHalf(copy.getSrc(), copy.getSrcIndices(), elements),
                       makeHalf(copy.getDst(), copy.getDstIndices(), elements));
  if (copy.getSrcElements() &&
      getConstantIntValue(copy.getSrcElements()) != elements)
    move.refusal = "the copy may read less than it writes";
  return move;
}

static std::optional<Move> matchMove(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return matchCopy(op, copy.getSource(), copy.getTarget());
  if (auto copy = dyn_cast<linalg::CopyOp>(op))
    return matchCopy(op, copy.getInputs()[0], copy.getOutputs()[0]);
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
    return matchAsyncCopy(copy);
  Value value = getWrittenValue(op);
  Operation *read = value ? value.getDefiningOp() : nullptr;
  if (!read)
    return std::nullopt;
  std::optional<Half> source = makeReadHalf(read);
  std::optional<Half> target = makeWriteHalf(op);
  if (!source || !target ||
      !isBetweenSpaces(source->access.memref, target->access.memref))
    return std::nullopt;
  Move move = makeMove(read, op, *source, *target);
  if (!value.hasOneUse())
    move.refusal = "the value that is read is used elsewhere, too";
  else if (read->getBlock() != op->getBlock())
    move.refusal = "the value is read in another block than it is written in";
  return move;
}

/// The moves of a kernel in program order.
static std::vector<Move> findMoves(gpu::GPUFuncOp kernel) {
  std::vector<Move> moves;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::optional<Move> move = matchMove(op))
      moves.push_back(std::move(*move));
  });
  return moves;
}

//===----------------------------------------------------------------------===//
// Ops that may not stand between
//===----------------------------------------------------------------------===//

namespace {
enum class BufferKind {
  Own,     // shares no byte with another buffer
  Named,   // a variable, an argument or dynamic shared memory
  Unknown, // could be any buffer
};
} // namespace

static BufferKind getBufferKind(Value buffer) {
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto kernel = dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
    if (!kernel)
      return BufferKind::Unknown;
    return argument.getArgNumber() < kernel.getNumArguments()
               ? BufferKind::Named
               : BufferKind::Own;
  }
  Operation *op = buffer.getDefiningOp();
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return BufferKind::Own;
  return isa<memref::GetGlobalOp, gpu::DynamicSharedMemoryOp>(op)
             ? BufferKind::Named
             : BufferKind::Unknown;
}

static bool areInDifferentSpaces(Type a, Type b) {
  auto differ = [](bool isA, bool isB) { return isA && !isB; };
  auto isKnown = [](Type type) {
    return isGlobalMemRef(type) || isSharedMemRef(type) || isLocalMemRef(type);
  };
  return isKnown(a) && isKnown(b) &&
         (differ(isGlobalMemRef(a), isGlobalMemRef(b)) ||
          differ(isSharedMemRef(a), isSharedMemRef(b)) ||
          differ(isLocalMemRef(a), isLocalMemRef(b)));
}

static bool mayAlias(Value a, Value b) {
  a = getRootBuffer(a);
  b = getRootBuffer(b);
  if (a == b)
    return true;
  if (areInDifferentSpaces(a.getType(), b.getType()))
    return false;
  BufferKind kindOfA = getBufferKind(a), kindOfB = getBufferKind(b);
  if (kindOfA == BufferKind::Unknown || kindOfB == BufferKind::Unknown)
    return true;
  if (kindOfA == BufferKind::Own || kindOfB == BufferKind::Own)
    return false;
  auto variableOfA = a.getDefiningOp<memref::GetGlobalOp>();
  auto variableOfB = b.getDefiningOp<memref::GetGlobalOp>();
  return !variableOfA || !variableOfB ||
         variableOfA.getName() == variableOfB.getName();
}

namespace {
/// Walks from the first to the last op of a set.
struct ConflictWalk {
  const llvm::SmallPtrSetImpl<Operation *> &reads, &writes;
  Value source, target;
  bool hasRead = false, hasWritten = false;

  /// Whether `op` would be on another side of what it depends on.
  bool conflicts(Operation *op) const;
  Operation *visit(Operation *op);
};
} // namespace

bool ConflictWalk::conflicts(Operation *op) const {
  if (!hasRead && !hasWritten)
    return false;
  // Shared memory is read and written in between, if at all, by ops that stand
  // in between; but a barrier publishes what was written.
  if (isa<gpu::BarrierOp>(op))
    return hasWritten;
  if (isa<nvgpu::DeviceAsyncCreateGroupOp, nvgpu::DeviceAsyncWaitOp>(op))
    return false;
  if (isMemoryEffectFree(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [&](const auto &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return false;
    Value memref = effect.getValue();
    if (!memref || !isa<BaseMemRefType>(memref.getType()))
      return true;
    if (hasWritten && mayAlias(memref, target))
      return true;
    return hasRead && !isa<MemoryEffects::Read>(effect.getEffect()) &&
           mayAlias(memref, source);
  });
}

Operation *ConflictWalk::visit(Operation *op) {
  if (reads.contains(op) || writes.contains(op)) {
    hasRead |= reads.contains(op);
    hasWritten |= writes.contains(op);
    return nullptr;
  }
  if (op->getNumRegions() == 0)
    return conflicts(op) ? op : nullptr;
  // In a loop each op is after all others.
  op->walk([&](Operation *inner) {
    hasRead |= reads.contains(inner);
    hasWritten |= writes.contains(inner);
  });
  if (!isa<RegionBranchOpInterface>(op) && conflicts(op))
    return op;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (Operation *found = visit(&inner))
        return found;
  return nullptr;
}

std::string
carousel::explainConflict(const llvm::SmallPtrSetImpl<Operation *> &reads,
                          const llvm::SmallPtrSetImpl<Operation *> &writes,
                          Value source, Value target, Operation *first,
                          Operation *last) {
  ConflictWalk walk{reads, writes, source, target};
  for (Operation *op = first; op; op = op->getNextNode()) {
    if (Operation *found = walk.visit(op))
      return "'" + found->getName().getStringRef().str() +
             "' stands between the parts of the copy";
    if (op == last)
      break;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Groups of asynchronous copies
//===----------------------------------------------------------------------===//

/// Why the completion of a copy isn't in plain sight, or an empty string.
static std::string explainTokens(nvgpu::DeviceAsyncCopyOp copy) {
  Value token = copy.getAsyncToken();
  if (token.use_empty())
    return "the copy is in no group";
  for (Operation *user : token.getUsers()) {
    auto group = dyn_cast<nvgpu::DeviceAsyncCreateGroupOp>(user);
    if (!group)
      return "the copy's token doesn't go straight to a group";
    if (!llvm::all_of(group->getUsers(),
                      llvm::IsaPred<nvgpu::DeviceAsyncWaitOp>))
      return "the token of the copy's group doesn't go straight to a wait";
  }
  return {};
}

/// Refuses asynchronous copies that have to stay with others.
static void refuseSplitGroups(std::vector<TransferPlan> &plans) {
  llvm::DenseMap<Operation *, TransferPlan *> planOf;
  for (TransferPlan &plan : plans)
    for (const Move *move : plan.moves)
      if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(move->write)) {
        planOf[copy] = &plan;
        if (plan.refusal.empty())
          plan.refusal = explainTokens(copy);
      }
  auto isRaised = [&](Operation *op) {
    auto found = planOf.find(op);
    return found != planOf.end() && found->second->refusal.empty();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [op, plan] : planOf) {
      if (!plan->refusal.empty())
        continue;
      for (Operation *group : op->getUsers())
        for (Value token : group->getOperands())
          if (!isRaised(token.getDefiningOp())) {
            plan->refusal = "another copy of its group isn't raised";
            changed = true;
          }
    }
  }
}

/// Groups and waits that nothing is left for. As long as some copies are
/// asynchronous, of a function that is called, too, they stay: waits count
/// groups.
static void eraseEmptyGroups(gpu::GPUFuncOp kernel,
                             ArrayRef<Operation *> groups) {
  auto findCopy = [](nvgpu::DeviceAsyncCopyOp) {
    return WalkResult::interrupt();
  };
  if (kernel.walk(findCopy).wasInterrupted())
    return;
  for (auto function :
       kernel->getParentOp()->getRegion(0).getOps<FunctionOpInterface>()) {
    auto other = dyn_cast<gpu::GPUFuncOp>(function.getOperation());
    if (!(other && other.isKernel()) &&
        function->walk(findCopy).wasInterrupted())
      return;
  }
  for (Operation *group : groups) {
    for (Operation *wait : llvm::make_early_inc_range(group->getUsers()))
      wait->erase();
    group->erase();
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static OpFoldResult materialize(OpBuilder &builder, Location loc,
                                const IndexForm &form) {
  if (form.isConstant())
    return builder.getIndexAttr(form.constant);
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value sum;
  for (auto [symbol, factor] : form.terms) {
    Value term = symbol;
    if (!term.getType().isIndex())
      term = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        term);
    if (factor != 1)
      term = arith::MulIOp::create(builder, loc, term, getConstant(factor));
    sum =
        sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  if (form.constant != 0)
    sum = arith::AddIOp::create(builder, loc, sum, getConstant(form.constant));
  return sum;
}

/// A view of a box, without the dims that are dropped.
static Value createView(OpBuilder &builder, Location loc, Value memref,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        const llvm::SmallBitVector &dropped) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped[dim])
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, reduced, memref, offsets,
                                   sizes, strides);
}

static Value createTile(OpBuilder &builder, Location loc,
                        const TransferPlan &plan) {
  if (plan.isWholeTile())
    return plan.tile;
  SmallVector<OpFoldResult> offsets;
  for (const IndexForm &form : plan.tileOffsets)
    offsets.push_back(materialize(builder, loc, form));
  return createView(
      builder, loc, plan.tile, offsets,
      getAsIndexOpFoldResult(builder.getContext(), plan.tileExtents),
      plan.droppedTile);
}

/// The global memref without dropped dims, which move into a view.
static Value createGlobal(OpBuilder &builder, Location loc,
                          const TransferPlan &plan,
                          ArrayRef<OpFoldResult> offsets) {
  if (plan.droppedGlobal.none())
    return plan.global;
  SmallVector<OpFoldResult> begin, sizes;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    bool isDropped = plan.droppedGlobal[dim];
    begin.push_back(isDropped ? offset : builder.getIndexAttr(0));
    sizes.push_back(isDropped
                        ? builder.getIndexAttr(1)
                        : memref::getMixedSize(builder, loc, plan.global, dim));
  }
  return createView(builder, loc, plan.global, begin, sizes,
                    plan.droppedGlobal);
}

/// The transfer that a plan asks for; null, and the reason, if there is none.
static Operation *createTransfer(const TransferPlan &plan,
                                 std::string &reason) {
  OpBuilder builder(plan.last);
  Location loc = plan.moves.back()->write->getLoc();
  SmallVector<OpFoldResult> all;
  for (const IndexForm &form : plan.globalOffsets)
    all.push_back(materialize(builder, loc, form));
  Value global = createGlobal(builder, loc, plan, all);
  Value tile = createTile(builder, loc, plan);
  SmallVector<Value> offsets;
  for (auto [dim, offset] : llvm::enumerate(all))
    if (!plan.droppedGlobal[dim])
      offsets.push_back(getValueOrCreateConstantIndexOp(builder, loc, offset));
  Operation *transfer;
  if (plan.isLoad)
    transfer = LoadOp::create(
        builder, loc, global, offsets, tile, OutOfBoundsFill::Zero,
        /*fill_value=*/Attribute(),
        /*reduce=*/ReductionAttr(), /*round_tf32=*/false, TransferScope::CTA,
        plan.inBounds, /*by_threads=*/false, Swizzle::None,
        EvictPriority::Normal,
        /*engine=*/EngineAttr(), /*map=*/Value());
  else
    transfer = StoreOp::create(
        builder, loc, tile, global, offsets, /*reduce=*/ReductionAttr(),
        /*exclusive=*/false, TransferScope::CTA, plan.inBounds,
        /*by_threads=*/false, Swizzle::None, EvictPriority::Normal,
        /*engine=*/EngineAttr(), /*map=*/Value());
  // Transfers themselves say why they refuse.
  ScopedDiagnosticHandler handler(
      builder.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          reason = diagnostic.str();
        return success();
      });
  if (succeeded(verify(transfer)))
    return transfer;
  transfer->erase();
  return nullptr;
}

namespace {
/// Erases ops, and then ops that have become unused.
class Eraser {
public:
  void erase(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          candidates.insert(source);
    });
    if (!isa<gpu::GPUFuncOp>(op->getParentOp()))
      candidates.insert(op->getParentOp());
    op->walk([&](Operation *inner) { candidates.remove(inner); });
    op->erase();
  }
  void eraseDead() {
    while (!candidates.empty()) {
      Operation *op = candidates.pop_back_val();
      if (isOpTriviallyDead(op))
        erase(op);
    }
  }

private:
  llvm::SetVector<Operation *> candidates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct RaiseToTransfers
    : public carousel::impl::RaiseToTransfersBase<RaiseToTransfers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && !kernel.isExternal())
        runOnKernel(kernel);
  }

private:
  void runOnKernel(gpu::GPUFuncOp kernel);
  void report(gpu::GPUFuncOp kernel, const TransferPlan &plan);
};

} // namespace

void RaiseToTransfers::report(gpu::GPUFuncOp kernel, const TransferPlan &plan) {
  remark::RemarkOpts options = remark::RemarkOpts::name("RaiseToTransfers")
                                   .category("carousel-raise-to-transfers")
                                   .function(kernel.getName());
  Operation *op = plan.moves.back()->write;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << op->getName() << (plan.isLoad ? "' to" : "' from")
     << " a tile: ";
  plan.print(os);
  LDBG() << op->getLoc() << ": "
         << (plan.refusal.empty() ? "raised " : "missed ") << text;
  if (!plan.refusal.empty()) {
    ++missed;
    remark::missed(op->getLoc(), options) << text;
    return;
  }
  ++raised;
  remark::passed(op->getLoc(), options) << text;
  if (plan.droppedGlobal.any())
    remark::analysis(op->getLoc(), options) << remark::add(
        "a view leaves out {0} dimensions that the tile doesn't have",
        plan.droppedGlobal.count());
  else if (plan.global != plan.moves.front()->globalRoot)
    remark::analysis(op->getLoc(), options)
        << "the transfer's global memref is a view that can't be looked "
           "through";
}

void RaiseToTransfers::runOnKernel(gpu::GPUFuncOp kernel) {
  std::vector<Move> moves = findMoves(kernel);
  std::vector<TransferPlan> plans = planTransfers(kernel, moves);
  llvm::DenseMap<const TransferPlan *, Operation *> transfers;
  for (TransferPlan &plan : plans)
    if (plan.refusal.empty())
      transfers[&plan] = createTransfer(plan, plan.refusal);
  refuseSplitGroups(plans);
  for (const TransferPlan &plan : plans)
    report(kernel, plan);

  Eraser eraser;
  llvm::SmallSetVector<Operation *, 4> groups;
  for (const TransferPlan &plan : plans) {
    if (!plan.refusal.empty()) {
      if (Operation *transfer = transfers.lookup(&plan))
        eraser.erase(transfer);
      continue;
    }
    for (const Move *move : plan.moves) {
      if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(move->write))
        for (OpOperand &use :
             llvm::make_early_inc_range(copy.getAsyncToken().getUses())) {
          groups.insert(use.getOwner());
          use.getOwner()->eraseOperand(use.getOperandNumber());
        }
      eraser.erase(move->write);
    }
  }
  eraseEmptyGroups(kernel, groups.getArrayRef());
  eraser.eraseDead();
}
