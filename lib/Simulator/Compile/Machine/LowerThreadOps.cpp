//===- LowerThreadOps.cpp - gpu ops as calls --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions in the grid, barriers, warp collectives, and the addresses of
// static and dynamic shared memory and of globals.
//
//===----------------------------------------------------------------------===//

#include "MachineLowering.h"

#include "carousel/Dialect/Transforms/Assertions.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

namespace {

/// Ops without operands whose result is an index: `name(dimension)`.
template <typename Op> struct PositionLowering : public MachineLowering<Op> {
  PositionLowering(const LoweringContext &context, StringRef function)
      : MachineLowering<Op>(context), function(function) {}
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MachineCall call = this->getCall(rewriter, op);
    rewriter.replaceOp(op, call.emit(function, {call.i32(getDimension(op))},
                                     rewriter.getI64Type()));
    return success();
  }

private:
  static int64_t getDimension(Op op) {
    if constexpr (llvm::is_one_of<Op, gpu::LaneIdOp, gpu::SubgroupIdOp,
                                  gpu::SubgroupSizeOp,
                                  gpu::NumSubgroupsOp>::value)
      return 0;
    else
      return static_cast<int64_t>(op.getDimension());
  }
  StringRef function;
};

struct LowerBarrier : public MachineLowering<gpu::BarrierOp> {
  CAROUSEL_SIM_LOWERING(gpu::BarrierOp)
  Value lower(gpu::BarrierOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    return call.emit("carousel_sim_barrier_sync", {call.i32(0), call.i32(0)});
  }
};

/// A number, or a vector of numbers, as i64 words, and back.
class Words {
public:
  Words(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  static bool fit(Type type) { return getBits(type) > 0; }

  SmallVector<Value> pack(Value value) {
    Type bits = builder.getIntegerType(getBits(type));
    if (value.getType() != bits)
      value = LLVM::BitcastOp::create(builder, loc, bits, value);
    if (bits != getPadded())
      value = LLVM::ZExtOp::create(builder, loc, getPadded(), value);
    if (getCount() == 1)
      return {value};
    value = LLVM::BitcastOp::create(builder, loc, getVector(), value);
    SmallVector<Value> words;
    for (int64_t i = 0; i < getCount(); ++i)
      words.push_back(
          LLVM::ExtractElementOp::create(builder, loc, value, getIndex(i)));
    return words;
  }
  Value unpack(ArrayRef<Value> words) {
    Value value = words.front();
    if (getCount() > 1) {
      value = LLVM::PoisonOp::create(builder, loc, getVector());
      for (auto [i, word] : llvm::enumerate(words))
        value = LLVM::InsertElementOp::create(builder, loc, value, word,
                                              getIndex(i));
      value = LLVM::BitcastOp::create(builder, loc, getPadded(), value);
    }
    Type bits = builder.getIntegerType(getBits(type));
    if (bits != getPadded())
      value = LLVM::TruncOp::create(builder, loc, bits, value);
    if (bits == type)
      return value;
    return LLVM::BitcastOp::create(builder, loc, type, value);
  }

private:
  static unsigned getBits(Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.isScalable() || vector.getRank() != 1
                 ? 0
                 : vector.getNumElements() * getBits(vector.getElementType());
    return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  }
  int64_t getCount() { return llvm::divideCeil(getBits(type), 64); }
  Type getPadded() { return builder.getIntegerType(64 * getCount()); }
  Type getVector() {
    return VectorType::get({getCount()}, builder.getI64Type());
  }
  Value getIndex(int64_t i) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                    builder.getI32IntegerAttr(i));
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};

/// The machine exchanges the lanes' values. Mode and width select the lane
/// whose value is returned, as in shfl.sync.
template <typename Op>
LogicalResult lowerShuffle(const MachineLowering<Op> &, MachineCall call, Op op,
                           Type type, Value value, Value offset, Value width,
                           int64_t mode, ConversionPatternRewriter &rewriter) {
  if (!Words::fit(type))
    return rewriter.notifyMatchFailure(op, "no number and no vector of them");
  Location loc = op.getLoc();
  Words words(rewriter, loc, type);
  Type i64 = rewriter.getI64Type();
  // The value, and whether it came from a lane within the width.
  auto pair =
      LLVM::LLVMStructType::getLiteral(rewriter.getContext(), {i64, i64});
  SmallVector<Value> results;
  Value valid;
  for (Value word : words.pack(value)) {
    Value both = call.emit("carousel_sim_shuffle",
                           {word, offset, width, call.i32(mode)}, pair);
    results.push_back(LLVM::ExtractValueOp::create(rewriter, loc, both, 0));
    if (!valid)
      valid = LLVM::ExtractValueOp::create(rewriter, loc, both, 1);
  }
  valid = LLVM::TruncOp::create(rewriter, loc, rewriter.getI1Type(), valid);
  rewriter.replaceOp(op, {words.unpack(results), valid});
  return success();
}

struct LowerShuffle : public MachineLowering<gpu::ShuffleOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerShuffle(*this, getCall(rewriter, op), op,
                        adaptor.getValue().getType(), adaptor.getValue(),
                        adaptor.getOffset(), adaptor.getWidth(),
                        static_cast<int64_t>(op.getMode()), rewriter);
  }
};

struct LowerRotate : public MachineLowering<gpu::RotateOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(gpu::RotateOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MachineCall call = getCall(rewriter, op);
    constexpr int64_t kRotate = 4;
    return lowerShuffle(*this, call, op, adaptor.getValue().getType(),
                        adaptor.getValue(), call.i32(op.getOffset()),
                        call.i32(op.getWidth()), kRotate, rewriter);
  }
};

struct LowerBroadcast : public MachineLowering<gpu::SubgroupBroadcastOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(gpu::SubgroupBroadcastOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = adaptor.getSrc().getType();
    if (!Words::fit(type))
      return rewriter.notifyMatchFailure(op, "no number and no vector of them");
    MachineCall call = getCall(rewriter, op);
    Words words(rewriter, op.getLoc(), type);
    constexpr int64_t kFirst = -1;
    Value lane = op.getLane() ? adaptor.getLane() : call.i32(kFirst);
    SmallVector<Value> results;
    for (Value word : words.pack(adaptor.getSrc()))
      results.push_back(call.emit("carousel_sim_broadcast", {word, lane},
                                  rewriter.getI64Type()));
    rewriter.replaceOp(op, words.unpack(results));
    return success();
  }
};

/// The machine collects the values of the CTA's threads. Each thread reduces
/// them in the order of the threads, so that all get the same result.
struct LowerAllReduce : public MachineLowering<gpu::AllReduceOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(gpu::AllReduceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // For a float type that LLVM lacks, its bits.
    Type type = adaptor.getValue().getType();
    if (!Words::fit(type) || type.getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "wider than 64 bits");
    Location loc = op.getLoc();
    auto cast = [&](Value value, Type to) -> Value {
      return value.getType() == to
                 ? value
                 : arith::BitcastOp::create(rewriter, loc, to, value);
    };
    MachineCall call = getCall(rewriter, op);
    Type i64 = rewriter.getI64Type();
    Words words(rewriter, loc, type);
    call.emit("carousel_sim_gather", words.pack(adaptor.getValue()));
    auto get = [&](Value thread) {
      Value number = LLVM::TruncOp::create(
          rewriter, loc, rewriter.getI32Type(),
          arith::IndexCastOp::create(rewriter, loc, i64, thread));
      return words.unpack(call.emit("carousel_sim_gathered", {number}, i64));
    };
    Value first = get(arith::ConstantIndexOp::create(rewriter, loc, 0));
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value threads = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getIndexType(),
        call.emit("carousel_sim_num_threads", {}, i64));
    auto loop = scf::ForOp::create(rewriter, loc, one, threads, one, first);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value lhs = cast(loop.getRegionIterArg(0), op.getType());
      Value rhs = cast(get(loop.getInductionVar()), op.getType());
      Value result = combine(op, rewriter, lhs, rhs);
      scf::YieldOp::create(rewriter, loc, cast(result, type));
    }
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

private:
  static Value combine(gpu::AllReduceOp op, OpBuilder &builder, Value lhs,
                       Value rhs) {
    if (std::optional<gpu::AllReduceOperation> kind = op.getOp())
      return vector::makeArithReduction(
          builder, op.getLoc(), gpu::convertReductionKind(*kind), lhs, rhs);
    Block &body = op.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), ValueRange{lhs, rhs});
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, mapping);
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  }
};

/// A lane gets the values of its warp, and combines those of its cluster in
/// pairs of neighbours, then pairs of these, and so on: all its lanes get the
/// same result.
struct LowerSubgroupReduce : public MachineLowering<gpu::SubgroupReduceOp> {
  using MachineLowering::MachineLowering;
  LogicalResult
  matchAndRewrite(gpu::SubgroupReduceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getValue();
    Type element = getElementTypeOrSelf(value.getType());
    if (!Words::fit(element) || element.getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "wider than 64 bits");
    Location loc = op.getLoc();
    MachineCall call = getCall(rewriter, op);
    uint32_t stride = op.getClusterStride();
    uint32_t size = op.getClusterSize().value_or(rules::kWarpSize);
    Value lane =
        call.emit("carousel_sim_lane_id", {call.i32(0)}, rewriter.getI64Type());
    Value own = LLVM::URemOp::create(
        rewriter, loc,
        LLVM::UDivOp::create(rewriter, loc, lane, call.i64(stride)),
        call.i64(size));
    Value first = LLVM::SubOp::create(
        rewriter, loc, lane,
        LLVM::MulOp::create(rewriter, loc, own, call.i64(stride)));
    auto reduce = [&](Value part) {
      Words words(rewriter, loc, element);
      call.emit("carousel_sim_collect_lanes", words.pack(part));
      SmallVector<Value> parts;
      for (uint32_t i = 0; i < size; ++i) {
        Value number = LLVM::TruncOp::create(
            rewriter, loc, rewriter.getI32Type(),
            LLVM::AddOp::create(rewriter, loc, first, call.i64(i * stride)));
        parts.push_back(words.unpack(call.emit(
            "carousel_sim_collected", {number}, rewriter.getI64Type())));
      }
      for (; parts.size() > 1; parts.truncate(parts.size() / 2))
        for (size_t i = 0; i < parts.size() / 2; ++i)
          parts[i] = combine(op, rewriter, parts[2 * i], parts[2 * i + 1]);
      return parts[0];
    };
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!vector) {
      rewriter.replaceOp(op, reduce(value));
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      result =
          LLVM::InsertElementOp::create(rewriter, loc, result,
                                        reduce(LLVM::ExtractElementOp::create(
                                            rewriter, loc, value, call.i32(i))),
                                        call.i32(i));
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// The type of a float that LLVM lacks is that of its bits outside.
  static Value combine(gpu::SubgroupReduceOp op, OpBuilder &builder, Value lhs,
                       Value rhs) {
    Type outside = lhs.getType(), type = getElementTypeOrSelf(op.getType());
    auto cast = [&](Value value, Type to) -> Value {
      return value.getType() == to
                 ? value
                 : arith::BitcastOp::create(builder, op.getLoc(), to, value);
    };
    Value both = vector::makeArithReduction(
        builder, op.getLoc(), gpu::convertReductionKind(op.getOp()),
        cast(lhs, type), cast(rhs, type));
    return cast(both, outside);
  }
};

struct LowerClusterGather : public MachineLowering<ClusterGatherOp> {
  CAROUSEL_SIM_LOWERING(ClusterGatherOp)
  Value lower(ClusterGatherOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getType());
    MachineCall call = getCall(rewriter, op);
    Words words(rewriter, loc, adaptor.getValue().getType());
    Value word = words.pack(adaptor.getValue()).front();
    call.emit("carousel_sim_cluster_gather",
              {word, call.i32(type.getNumElements())});
    Value result = LLVM::PoisonOp::create(rewriter, loc, type);
    for (int64_t rank = 0; rank < type.getNumElements(); ++rank)
      result = LLVM::InsertElementOp::create(
          rewriter, loc, result,
          words.unpack(call.emit("carousel_sim_collected", {call.i32(rank)},
                                 rewriter.getI64Type())),
          call.i32(rank));
    return result;
  }
};

struct LowerDynamicShared : public MachineLowering<gpu::DynamicSharedMemoryOp> {
  CAROUSEL_SIM_LOWERING(gpu::DynamicSharedMemoryOp)
  Value lower(gpu::DynamicSharedMemoryOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Location loc = op.getLoc();
    Value pointer =
        call.emit("carousel_sim_dynamic_shared", {},
                  LLVM::LLVMPointerType::get(rewriter.getContext()));
    auto descriptor = MemRefDescriptor::poison(
        rewriter, loc, getTypeConverter()->convertType(op.getType()));
    descriptor.setAllocatedPtr(rewriter, loc, pointer);
    descriptor.setAlignedPtr(rewriter, loc, pointer);
    descriptor.setConstantOffset(rewriter, loc, 0);
    // As on the device, it has no extent of its own.
    descriptor.setConstantSize(rewriter, loc, 0, 0);
    descriptor.setConstantStride(rewriter, loc, 0, 1);
    return descriptor;
  }
};

struct LowerGetGlobal : public MachineLowering<memref::GetGlobalOp> {
  CAROUSEL_SIM_LOWERING(memref::GetGlobalOp)
  Value lower(memref::GetGlobalOp op, Adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Value address;
    for (const StaticBuffer &buffer : context.kernel.memory.shared)
      if (buffer.symbol == op.getName())
        address = call.emit("carousel_sim_static_shared",
                            {call.i64(buffer.offset)}, pointer);
    for (auto [index, buffer] : llvm::enumerate(context.kernel.memory.globals))
      if (buffer.symbol == op.getName())
        address = call.emit("carousel_sim_global", {call.i32(index)}, pointer);
    if (op.getName() == kValuesSymbol)
      address = call.emit("carousel_sim_values", {}, pointer);
    return getStaticMemRef(rewriter, op.getLoc(), op.getType(), address);
  }
};

/// Each comparison that must hold is a call, which has its values.
struct LowerAssert : public MachineLowering<cf::AssertOp> {
  CAROUSEL_SIM_LOWERING(cf::AssertOp)
  Value lower(cf::AssertOp op, Adaptor adaptor,
              ConversionPatternRewriter &rewriter) const {
    MachineCall call = getCall(rewriter, op);
    for (Value condition : getConjuncts(op.getArg())) {
      Assertion assertion = {op.getMsg().str(), "", false};
      Value left = call.i64(0), right = left;
      if (auto comparison = condition.getDefiningOp<arith::CmpIOp>()) {
        arith::CmpIPredicate predicate = comparison.getPredicate();
        assertion.found = spellOpposite(predicate);
        assertion.isUnsigned = isUnsigned(predicate);
        left = toLong(rewriter, comparison.getLhs(), assertion.isUnsigned);
        right = toLong(rewriter, comparison.getRhs(), assertion.isUnsigned);
      }
      call.emit("carousel_sim_assert",
                {rewriter.getRemappedValue(condition),
                 call.i32(int64_t(context.assertions.size())), left, right});
      context.assertions.push_back(std::move(assertion));
    }
    return Value();
  }

private:
  static Value toLong(ConversionPatternRewriter &rewriter, Value number,
                      bool isUnsigned) {
    Value word = rewriter.getRemappedValue(number);
    Type type = rewriter.getI64Type();
    unsigned bits = word.getType().getIntOrFloatBitWidth();
    if (bits == 64)
      return word;
    if (bits > 64)
      return LLVM::TruncOp::create(rewriter, word.getLoc(), type, word);
    return isUnsigned
               ? LLVM::ZExtOp::create(rewriter, word.getLoc(), type, word)
                     .getResult()
               : LLVM::SExtOp::create(rewriter, word.getLoc(), type, word)
                     .getResult();
  }
};

} // namespace

void sim::populateThreadOps(const LoweringContext &context,
                            RewritePatternSet &patterns) {
  patterns.add<PositionLowering<gpu::ThreadIdOp>>(context,
                                                  "carousel_sim_thread_id");
  patterns.add<PositionLowering<gpu::BlockIdOp>>(context,
                                                 "carousel_sim_block_id");
  patterns.add<PositionLowering<gpu::BlockDimOp>>(context,
                                                  "carousel_sim_block_dim");
  patterns.add<PositionLowering<gpu::GridDimOp>>(context,
                                                 "carousel_sim_grid_dim");
  patterns.add<PositionLowering<gpu::ClusterIdOp>>(context,
                                                   "carousel_sim_cluster_id");
  // The number of clusters of the grid, and of CTAs of a cluster.
  patterns.add<PositionLowering<gpu::ClusterDimOp>>(context,
                                                    "carousel_sim_cluster_dim");
  patterns.add<PositionLowering<gpu::ClusterDimBlocksOp>>(
      context, "carousel_sim_cluster_dim_blocks");
  patterns.add<PositionLowering<gpu::ClusterBlockIdOp>>(
      context, "carousel_sim_cluster_block_id");
  patterns.add<PositionLowering<gpu::LaneIdOp>>(context,
                                                "carousel_sim_lane_id");
  patterns.add<PositionLowering<gpu::SubgroupIdOp>>(context,
                                                    "carousel_sim_subgroup_id");
  patterns.add<PositionLowering<gpu::SubgroupSizeOp>>(
      context, "carousel_sim_subgroup_size");
  patterns.add<PositionLowering<gpu::NumSubgroupsOp>>(
      context, "carousel_sim_num_subgroups");
  patterns.add<LowerBarrier, LowerShuffle, LowerRotate, LowerBroadcast,
               LowerAllReduce, LowerSubgroupReduce, LowerClusterGather,
               LowerDynamicShared, LowerGetGlobal, LowerAssert>(context);
}
