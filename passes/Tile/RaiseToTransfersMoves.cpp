//===- RaiseToTransfersMoves.cpp - find moves -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --carousel-raise-to-transfers, finds copies between global and shared
// memory, and pairs of a read and a write. Also checks which ops may stand
// between them.
//
//===----------------------------------------------------------------------===//

#include "RaiseToTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

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

/// What writes a value that a read has brought.
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

std::vector<Move> carousel::findMoves(gpu::GPUFuncOp kernel) {
  std::vector<Move> moves;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::optional<Move> move = matchMove(op))
      moves.push_back(std::move(*move));
  });
  return moves;
}

//===----------------------------------------------------------------------===//
// What may not stand between
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
  // What threads share is read and written in between, if at all, by ops that
  // stand in between; but a barrier publishes what was written.
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
