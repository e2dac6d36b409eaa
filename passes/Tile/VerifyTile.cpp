//===- VerifyTile.cpp - verifier of the tile phase ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the ops that a kernel of the tile phase may have, and where transfers
// and pipelines may stand. Refuses transfers, turns and tickets that visibly
// differ within their scope, and turns that follow CTA ids. Constraints C133 to
// C140, C185, C189, C198 and, by OtherDialects.h, VerifyTile.h and
// ArgumentWrites.h, C193 to C197, C199 to C201, C203 and C252 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "VerifyTile.h"
#include "OtherDialects.h"
#include "ThreadDependence.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/ArgumentWrites.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/Transforms/VectorLanes.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYTILE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Checks of ops and types
//
// See VerifyTile.h. Constraints C199 to C201 and C233 of docs/Spec.md.
//===----------------------------------------------------------------------===//

bool carousel::belongsToTilePhase(Operation *op) {
  return isa<TransferOpInterface, SerializeOp, PassTurnOp, GridTicketOp,
             SignalOp, WaitSignalOp, ClusterGatherOp, ClusterArriveOp,
             ClusterWaitOp, ClusterRankOp, ClusterSizeOp, ClusterMapSharedOp,
             RoundTF32Op, RowsOp, BarrierWarpOp, FenceThreadOp,
             GridDependencyWaitOp, GridLaunchDependentsOp, GridSerialWaitOp,
             GridSerialReleaseOp, AsyncConsumerOpInterface>(op);
}

/// The number of tickets, and that they order no memory at the tile phase.
static LogicalResult verifyTicket(GridTicketOp ticket) {
  // C189
  std::optional<int64_t> total = getConstantIntValue(ticket.getTotal());
  if (total && (*total < 1 || *total > std::numeric_limits<int32_t>::max()))
    return ticket.emitOpError("expected 1 to 2^31 - 1 tickets, got ") << *total;
  // C226
  if (ticket.getAcqRel())
    return ticket.emitOpError("expected acq_rel at the block phase only; the "
                              "tile phase has carousel.fence.thread");
  return success();
}

/// C233, of a signal or a wait for one.
/// C233: peers can see the counters.
static LogicalResult verifyCounters(Operation *op) {
  auto argument = dyn_cast<BlockArgument>(getRootBuffer(op->getOperand(0)));
  if (!argument || isSharedWithPeers(argument) ||
      !isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()))
    return success();
  return op->emitOpError("expected counters in an argument with "
                         "carousel.symmetric or carousel.peer, got argument ")
         << argument.getArgNumber();
}

/// Whether a kernel may hold this op of the gpu dialect; the others are the
/// host's.
static bool isOfKernels(Operation *op) {
  return isa<gpu::AllReduceOp, gpu::BarrierOp, gpu::BlockDimOp, gpu::BlockIdOp,
             gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp, gpu::ClusterDimOp,
             gpu::ClusterIdOp, gpu::DynamicSharedMemoryOp, gpu::GPUFuncOp,
             gpu::GPUModuleOp, gpu::GlobalIdOp, gpu::GridDimOp, gpu::LaneIdOp,
             gpu::NumSubgroupsOp, gpu::PrintfOp, gpu::ReturnOp, gpu::RotateOp,
             gpu::ShuffleOp, gpu::SubgroupBroadcastOp, gpu::SubgroupIdOp,
             gpu::SubgroupMmaComputeOp, gpu::SubgroupMmaConstantMatrixOp,
             gpu::SubgroupMmaElementwiseOp,
             gpu::SubgroupMmaExtractThreadLocalOp,
             gpu::SubgroupMmaInsertThreadLocalOp, gpu::SubgroupMmaLoadMatrixOp,
             gpu::SubgroupMmaStoreMatrixOp, gpu::SubgroupReduceOp,
             gpu::SubgroupSizeOp, gpu::ThreadIdOp, gpu::YieldOp>(op);
}

/// Ops that nothing lowers, whatever their types.
static bool isForeign(Operation *op) {
  if (isa<gpu::GPUDialect>(op->getDialect()))
    return !isOfKernels(op);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return !isSharedMemRef(alloc.getType()); // C139 has those
  return isa<memref::DeallocOp, memref::ReallocOp, vector::PrintOp>(op);
}

/// C199
static LogicalResult verifyKind(Operation *op) {
  if (!op->getDialect() || !isForeign(op))
    return success();
  return op->emitOpError("expected an op that PTX or CUDA C++ can be made of");
}

/// C200
static LogicalResult verifyFixed(Operation *op) {
  std::string reason = explainScalable(op);
  return reason.empty() ? success() : op->emitOpError(reason);
}

/// Whether the targets compute with the type.
static bool isComputed(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return true;
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64() || isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

/// C201. Bytes of other formats are moved, and taken for integers.
static LogicalResult verifyElements(Operation *op) {
  bool isMove = isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op);
  bool computes =
      isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<vector::ReductionOp, vector::MultiDimReductionOp, vector::FMAOp,
          vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(op);
  if (!computes)
    return success();
  // The high half depends on the width that a target gives to an index.
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0)).isIndex())
    return op->emitOpError("expected factors of a fixed width, got ")
           << op->getOperand(0).getType();
  for (TypeRange types :
       {TypeRange(op->getResultTypes()), TypeRange(op->getOperandTypes())})
    for (Type type : types) {
      if (isComputed(type))
        continue;
      if (isMove && getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 8)
        continue;
      return op->emitOpError("expected floats of f16, bf16, f32, f64, f8E4M3FN "
                             "or f8E5M2, got ")
             << type;
    }
  return success();
}

/// Emits an error if no target supports `op`, or the type of a value that it
/// computes with.
static LogicalResult verifyTaken(Operation *op) {
  if (!op->getDialect())
    return success();
  return success(succeeded(verifyKind(op)) && succeeded(verifyFixed(op)) &&
                 succeeded(verifyElements(op)));
}

//===----------------------------------------------------------------------===//
// Contents of a kernel
//===----------------------------------------------------------------------===//

static bool isMachineType(Type type) {
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    type = memref.getElementType();
  return isa<MbarrierType, MbarrierStateType, TensorMapType>(type);
}

/// C133
static LogicalResult verifyPhase(Operation *op) {
  if (isa_and_nonnull<CarouselDialect>(op->getDialect()) &&
      !belongsToTilePhase(op))
    return op->emitOpError(
        "expected ops of the tile phase, got one of the machine phase");
  auto refuse = [&](Type type) -> LogicalResult {
    return op->emitOpError("expected values of the tile phase, got ") << type;
  };
  for (Type type : op->getResultTypes())
    if (isMachineType(type))
      return refuse(type);
  // A kernel's tensor maps are what its transfers name as `map`.
  auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
  bool hasMaps = kernel && kernel.isKernel();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (isMachineType(type) &&
            !(hasMaps && block.isEntryBlock() && isa<TensorMapType>(type)))
          return refuse(type);
  return success();
}

/// C133
static LogicalResult verifyDistributed(gpu::GPUModuleOp module) {
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    if (kernel->hasAttr(CarouselDialect::kBlockProgram))
      return kernel.emitError("expected a kernel of the tile phase, got one of "
                              "the block phase, with ")
             << CarouselDialect::kBlockProgram;
  return success();
}

/// C139: one buffer per CTA, whose bytes are known.
template <typename Op> static LogicalResult verifyAllocation(Op op) {
  MemRefType type = op.getType();
  if (!isSharedMemRef(type))
    return success();
  if (isa<memref::AllocOp>(op) && type.hasStaticShape() &&
      isa<gpu::GPUFuncOp>(op->getParentOp()))
    return success();
  return op->emitOpError("expected shared memory as a workgroup attribution or "
                         "a memref.alloc of static extents at the top of the "
                         "kernel, got ")
         << type;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// The values by which the threads of a scope could part at `op`.
static SmallVector<Value> getControl(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](scf::IfOp branch) {
        return SmallVector<Value>{branch.getCondition()};
      })
      .Case([](scf::ForOp loop) {
        return SmallVector<Value>{loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep()};
      })
      .Case([](scf::WhileOp loop) {
        return SmallVector<Value>{loop.getConditionOp().getCondition()};
      })
      .Case([](affine::AffineForOp loop) {
        return llvm::to_vector(loop.getControlOperands());
      })
      .Default([](Operation *other) {
        return SmallVector<Value>(other->getOperands());
      });
}

/// C134, C135: around what the threads of a scope execute together is
/// structured control flow, and nothing that visibly parts them.
static LogicalResult verifySurroundings(Operation *op, StringRef name,
                                        TransferScope scope,
                                        gpu::GPUFuncOp kernel,
                                        const ThreadDependence &threads) {
  for (Operation *inner = op; inner != kernel; inner = inner->getParentOp()) {
    if (!inner->getParentRegion()->hasOneBlock())
      return op->emitOpError("expected structured control flow around a ")
             << name << ", got a region of "
             << inner->getParentRegion()->getBlocks().size() << " blocks";
    Operation *outer = inner->getParentOp();
    if (outer == kernel)
      break;
    for (Value value : getControl(outer)) {
      Operation *source = threads.findVariation(value, scope);
      if (!source)
        continue;
      InFlightDiagnostic error = op->emitOpError("expected all threads of the ")
                                 << stringifyTransferScope(scope) << " at a "
                                 << name << ", got one under '"
                                 << outer->getName() << "' that depends on '"
                                 << source->getName() << "'";
      error.attachNote(outer->getLoc()) << "the threads part here";
      return error;
    }
  }
  return success();
}

/// C135: the threads of a scope name the same.
static LogicalResult verifySame(Operation *op, StringRef name,
                                ValueRange values, TransferScope scope,
                                const ThreadDependence &threads) {
  for (auto [number, value] : llvm::enumerate(values))
    if (Operation *source = threads.findVariation(value, scope)) {
      InFlightDiagnostic error =
          op->emitOpError("expected ")
          << name << "s that are the same in all threads of the "
          << stringifyTransferScope(scope) << ", got " << name << " " << number
          << " that depends on '" << source->getName() << "'";
      error.attachNote(source->getLoc()) << "the threads differ here";
      return error;
    }
  return success();
}

/// C136: the block is made of whole scopes.
static LogicalResult verifyScope(TransferOpInterface op,
                                 const ThreadDependence &threads) {
  std::optional<int64_t> block = threads.getBlockThreads();
  if (!block || op.getScope() == TransferScope::CTA)
    return success();
  int64_t group = op.getScope() == TransferScope::Warp ? rules::kWarpSize
                                                       : rules::kWarpgroupSize;
  if (*block % group == 0)
    return success();
  return op->emitOpError("expected a block in multiples of the ")
         << group << " threads of a " << stringifyTransferScope(op.getScope())
         << ", got " << *block;
}

/// C140: constant offsets that can't be meant.
static LogicalResult verifyOffsets(TransferOpInterface op) {
  MemRefType global = op.getGlobal().getType();
  MemRefType tile = op.getTile().getType();
  unsigned leading = op.getNumLeadingDims();
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
    std::optional<int64_t> value = getConstantIntValue(offset);
    if (!value)
      continue;
    if (*value < 0 && (!op.isLoad() || op.getInBounds()))
      return op->emitOpError("expected offsets of a ")
             << (op.isLoad() ? "load in bounds" : "store")
             << " that are not negative, got " << *value;
    int64_t extent = global.getDimSize(dim);
    int64_t box = dim < leading ? 1 : tile.getDimSize(dim - leading);
    if (op.getInBounds() && !ShapedType::isDynamic(extent) &&
        *value > extent - box)
      return op->emitOpError("expected a box in bounds to end at ")
             << extent << " or before in dimension " << dim << ", got offset "
             << *value << " and extent " << box;
  }
  return success();
}

/// C137: the first request for each buffer's layout decides.
static LogicalResult
verifySwizzle(TransferOpInterface op,
              llvm::DenseMap<Value, TransferOpInterface> &requests) {
  if (op.getSwizzle() == Swizzle::None)
    return success();
  auto [request, isFirst] =
      requests.try_emplace(getLayoutBuffer(op.getTile()), op);
  if (isFirst || request->second.getSwizzle() == op.getSwizzle())
    return success();
  InFlightDiagnostic error = op->emitOpError("expected swizzle ")
                             << stringifySwizzle(request->second.getSwizzle())
                             << " as in the tile's other transfer, got "
                             << stringifySwizzle(op.getSwizzle());
  error.attachNote(request->second->getLoc()) << "the other transfer";
  return error;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// C138, C183
static LogicalResult verifyPipelinedLoop(Operation *loop) {
  auto pipeline = loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
  if (!pipeline)
    return success();
  bool found = loop->walk([&](TransferOpInterface op) {
                     return op.getScope() == pipeline.getScope()
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (found)
    return verifyListedStages(loop);
  return loop->emitOpError("expected a transfer of scope ")
         << stringifyTransferScope(pipeline.getScope())
         << " in a loop with carousel.pipeline, got none";
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Adds the values that a value is visibly computed from: by integer
/// arithmetic, out of regions, and from iteration to iteration.
static void addSources(Value value, SmallVectorImpl<Value> &sources) {
  auto addYielded = [&](Operation *op, unsigned number) {
    for (Region &region : op->getRegions())
      if (!region.empty() && region.front().mightHaveTerminator() &&
          number < region.front().getTerminator()->getNumOperands())
        sources.push_back(region.front().getTerminator()->getOperand(number));
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<LoopLikeOpInterface>(owner);
    if (!loop)
      return;
    auto whileLoop = dyn_cast<scf::WhileOp>(owner);
    if (whileLoop && argument.getOwner() == whileLoop.getAfterBody()) {
      sources.push_back(
          whileLoop.getConditionOp().getArgs()[argument.getArgNumber()]);
      return;
    }
    if (OpOperand *init = loop.getTiedLoopInit(argument)) {
      sources.push_back(init->get());
      if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
        sources.push_back(yielded->get());
    } else if (auto range = dyn_cast<scf::ForOp>(*loop)) {
      sources.push_back(range.getLowerBound());
      sources.push_back(range.getStep());
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    sources.push_back(loop.getConditionOp().getArgs()[number]);
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    if (number < loop.getInits().size())
      sources.push_back(loop.getInits()[number]);
    addYielded(op, number);
  } else if (isa<RegionBranchOpInterface>(op)) {
    // Branches, and turns.
    llvm::append_range(sources, op->getOperands());
    addYielded(op, number);
  } else if (isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                             index::IndexDialect>(op->getDialect())) {
    llvm::append_range(sources, op->getOperands());
  }
}

namespace {
/// Looks for the ids of CTAs among the values that a value is visibly computed
/// from, through calls of functions with a body.
class TurnSources {
public:
  /// The op by which a value differs from CTA to CTA in the order of their ids,
  /// or null if that isn't visible.
  Operation *findBlockId(Value value) {
    sources.push_back(value);
    while (!sources.empty()) {
      Value source = sources.pop_back_val();
      if (!seen.insert(source).second)
        continue;
      Operation *op = source.getDefiningOp();
      if (isa_and_nonnull<gpu::BlockIdOp, gpu::ClusterIdOp, gpu::GlobalIdOp>(
              op))
        return op;
      if (auto call = dyn_cast_or_null<CallOpInterface>(op))
        enter(call, cast<OpResult>(source).getResultNumber());
      else if (!leave(source))
        addSources(source, sources);
    }
    return nullptr;
  }

private:
  static Region *getBody(CallOpInterface call) {
    auto function =
        dyn_cast_or_null<CallableOpInterface>(call.resolveCallable());
    return function ? function.getCallableRegion() : nullptr;
  }

  void enter(CallOpInterface call, unsigned result) {
    Region *body = getBody(call);
    if (!body)
      return;
    if (calls[body].insert(call.getOperation()))
      for (auto [argument, operand] :
           llvm::zip(body->getArguments(), call.getArgOperands()))
        if (seen.contains(argument))
          sources.push_back(operand);
    for (Block &block : *body)
      if (block.mightHaveTerminator() &&
          block.getTerminator()->hasTrait<OpTrait::ReturnLike>() &&
          result < block.getTerminator()->getNumOperands())
        sources.push_back(block.getTerminator()->getOperand(result));
  }

  /// Whether `value` is an argument of a function that was entered.
  bool leave(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !argument.getOwner()->isEntryBlock())
      return false;
    auto found = calls.find(argument.getOwner()->getParent());
    if (found == calls.end())
      return false;
    for (Operation *op : found->second) {
      auto operands = cast<CallOpInterface>(op).getArgOperands();
      if (argument.getArgNumber() < operands.size())
        sources.push_back(operands[argument.getArgNumber()]);
    }
    return true;
  }

  SmallVector<Value> sources;
  llvm::DenseSet<Value> seen;
  /// Those that were entered, by the body of what they call.
  llvm::DenseMap<Region *, llvm::SetVector<Operation *>> calls;
};
} // namespace

/// C185: no CTA waits for another one that may not be resident yet.
static LogicalResult verifyTurn(SerializeOp turns, gpu::GPUFuncOp kernel) {
  if (turns.getOrder() == TurnOrder::Unordered ||
      kernel->hasAttr(CarouselDialect::kCoresident) ||
      kernel->hasAttr(CarouselDialect::kStartsInOrder))
    return success();
  Operation *source = TurnSources().findBlockId(turns.getTurn());
  if (!source)
    return success();
  InFlightDiagnostic error =
      turns->emitOpError("expected turns that follow carousel.grid.ticket, or "
                         "carousel.coresident or carousel.starts_in_order on "
                         "the kernel, got a turn that depends on '")
      << source->getName() << "'";
  error.attachNote(source->getLoc()) << "CTAs start in any order";
  return error;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static bool verifyKernel(gpu::GPUFuncOp kernel) {
  bool holds = succeeded(verifyArgumentWrites(kernel));
  ThreadDependence threads(kernel);
  llvm::DenseMap<Value, TransferOpInterface> requests;
  kernel.walk([&](TransferOpInterface op) {
    TransferScope scope = op.getScope();
    holds &=
        succeeded(verifySurroundings(op, "transfer", scope, kernel, threads)) &&
        succeeded(verifySame(op, "offset", op.getOffsets(), scope, threads)) &&
        succeeded(verifyScope(op, threads)) && succeeded(verifyOffsets(op)) &&
        succeeded(verifySwizzle(op, requests));
    auto accumulate = dyn_cast<AccumulateOp>(*op);
    if (!accumulate)
      return;
    SmallVector<Value> turns = {accumulate.getFirst()};
    if (accumulate.getLast())
      turns.push_back(accumulate.getLast());
    holds &= succeeded(verifySame(op, "turn", turns, scope, threads));
  });
  auto areTogether = [&](Operation *op, StringRef name) {
    return succeeded(verifySurroundings(op, name, TransferScope::CTA, kernel,
                                        threads)) &&
           succeeded(verifySame(op, "operand", op->getOperands(),
                                TransferScope::CTA, threads));
  };
  kernel.walk([&](Operation *op) {
    if (isa<SignalOp, WaitSignalOp>(op))
      holds &= areTogether(op, "signal") && succeeded(verifyCounters(op));
  });
  kernel.walk([&](SerializeOp turns) {
    holds &= areTogether(turns, "turn") && succeeded(verifyTurn(turns, kernel));
  });
  // C198
  kernel.walk([&](gpu::AllReduceOp reduction) {
    holds &= succeeded(verifySurroundings(reduction, "gpu.all_reduce",
                                          TransferScope::CTA, kernel, threads));
  });
  kernel.walk(
      [&](GridTicketOp ticket) { holds &= areTogether(ticket, "ticket"); });
  kernel.walk(
      [&](Operation *loop) { holds &= succeeded(verifyPipelinedLoop(loop)); });
  return holds;
}

/// C134
static LogicalResult verifyInKernel(Operation *op, StringRef name) {
  auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
      op->getParentOfType<FunctionOpInterface>().getOperation());
  if (kernel && kernel.isKernel())
    return success();
  return op->emitOpError("expected a kernel around a ")
         << name << ", got a device function";
}

static LogicalResult verifyOp(Operation *op) {
  if (failed(verifyPhase(op)) || failed(verifyOtherDialects(op)) ||
      failed(verifyTaken(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      // C198
      .Case([](gpu::AllReduceOp reduction) {
        return verifyInKernel(reduction, "gpu.all_reduce");
      })
      .Case<memref::AllocOp, memref::AllocaOp>(
          [](auto alloc) { return verifyAllocation(alloc); })
      // C134
      .Case([](TransferOpInterface transfer) {
        return verifyInKernel(transfer, "transfer");
      })
      .Case([](SerializeOp turns) { return verifyInKernel(turns, "turn"); })
      .Case<SignalOp, WaitSignalOp>(
          [](auto signal) { return verifyInKernel(signal, "signal"); })
      .Case([](GridTicketOp ticket) {
        return success(succeeded(verifyInKernel(ticket, "ticket")) &&
                       succeeded(verifyTicket(ticket)));
      })
      .Default([](Operation *) { return success(); });
}

namespace {

struct VerifyTile : public carousel::impl::VerifyTileBase<VerifyTile> {
  void runOnOperation() override {
    // The pass manager may not have verified the ops (Pipelines.h).
    if (failed(verify(getOperation())))
      return signalPassFailure();
    // One error for the kernel, and not one for each of its vectors.
    if (failed(verifyDistributed(getOperation())))
      return signalPassFailure();
    bool holds = true;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { holds &= succeeded(verifyOp(op)); });
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func.isKernel())
        holds &= verifyKernel(func);
    if (!holds)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
