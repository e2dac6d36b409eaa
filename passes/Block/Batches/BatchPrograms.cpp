//===- BatchPrograms.cpp - several programs in one CTA --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-batch-programs. Writes the batched body beside the old one, and
// replaces that one if every op has a batched form. Values that depend on the
// program are either an index plus the program's number, or vectors whose first
// dimension counts programs.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/NewBody.h"
#include "../Kernels/VerifyBlock.h"
#include "BatchedAccesses.h"
#include "BatchedControl.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
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
#define GEN_PASS_DEF_BATCHPROGRAMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

class Batcher {
public:
  Batcher(gpu::GPUFuncOp kernel, int64_t programs, OpBuilder &builder)
      : body(builder, programs), builder(builder), accesses(kernel, body),
        control(kernel, body, accesses,
                [this](Block &block) { batch(block); }) {}

  /// If not empty, why the kernel can't be batched.
  StringRef getRefusal() const { return body.refusal; }

  ArrayRef<GuardAttr> getGuards() const { return accesses.guards; }

  void batch(Block &old, Block *to) {
    body.uniform.map(old.getArguments(), to->getArguments());
    batch(old);
  }

private:
  void batch(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (!body.refusal.empty())
        return;
      batch(&op);
    }
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  void batch(Operation *op) {
    Location loc = op->getLoc();
    if (isa<gpu::GridDimOp, SerializeOp, GridTicketOp, SignalOp, WaitSignalOp>(
            op))
      return body.refuse(op, "depends on the number of CTAs");
    if (auto id = dyn_cast<gpu::BlockIdOp>(op);
        id && id.getDimension() == gpu::Dimension::x) {
      Value block = builder.clone(*op)->getResult(0);
      body.bases[id] = arith::MulIOp::create(
          builder, loc, block, body.makeIndex(loc, body.programs));
      return;
    }
    if (op->getNumRegions() != 0)
      return control.batch(op);
    bool depends = llvm::any_of(
        op->getOperands(), [&](Value value) { return body.varies(value); });
    if (!depends) {
      // As many times as there are programs would be the same.
      builder.clone(*op, body.uniform);
      return;
    }
    auto isFull = [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector && vector.getRank() == kMostVectorDims;
    };
    if (llvm::any_of(op->getOperandTypes(), isFull) ||
        llvm::any_of(op->getResultTypes(), isFull))
      return body.refuse(op, "has a vector of four dimensions");
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::AddIOp, arith::SubIOp>([&](auto sum) { batchSum(sum); })
        .Case<vector::TransferReadOp, vector::TransferWriteOp, memref::LoadOp,
              memref::StoreOp, memref::SubViewOp>(
            [&](auto access) { accesses.batch(access); })
        .Case([&](vector::MultiDimReductionOp reduction) {
          batchReduction(reduction);
        })
        .Case([&](vector::BroadcastOp copies) {
          body.vectors[copies] =
              body.broadcast(loc, toVector(copies, copies.getSource()),
                             body.getType(copies.getType()));
        })
        .Case([&](vector::TransposeOp transpose) {
          SmallVector<int64_t> order = {0};
          for (int64_t dim : transpose.getPermutation())
            order.push_back(dim + 1);
          body.vectors[transpose] = vector::TransposeOp::create(
              builder, loc, toVector(op, transpose.getVector()), order);
        })
        .Case([&](vector::ShapeCastOp cast) {
          body.vectors[cast] = vector::ShapeCastOp::create(
              builder, loc, body.getType(cast.getType()),
              toVector(op, cast.getSource()));
        })
        .Case([&](vector::CreateMaskOp mask) { batchMask(mask); })
        .Default([&](Operation *) {
          if (OpTrait::hasElementwiseMappableTraits(op))
            return batchElementwise(op);
          body.refuse(op, "has no form for several programs");
        });
  }

  Value toVector(Operation *op, Value value) {
    return body.toVector(op->getLoc(), value);
  }

  /// An index plus what all programs have in common.
  template <typename Op> void batchSum(Op op) {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    if (std::is_same_v<Op, arith::AddIOp> && !body.bases.contains(lhs))
      std::swap(lhs, rhs);
    if (!body.bases.contains(lhs) || body.varies(rhs))
      return batchElementwise(op);
    body.bases[op] = Op::create(builder, op.getLoc(), body.bases.lookup(lhs),
                                body.uniform.lookup(rhs));
  }

  void batchElementwise(Operation *op) {
    VectorType type = body.getType(op->getResult(0).getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value vector = toVector(op, operand);
      // The condition of a select may be one for all elements.
      auto own = cast<VectorType>(vector.getType());
      operands.push_back(body.broadcast(op->getLoc(), vector,
                                        type.clone(own.getElementType())));
    }
    SmallVector<Type> types;
    for (Type result : op->getResultTypes())
      types.push_back(body.getType(result));
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    Operation *batched = builder.create(state);
    for (auto [old, result] :
         llvm::zip_equal(op->getResults(), batched->getResults()))
      body.vectors[old] = result;
  }

  void batchReduction(vector::MultiDimReductionOp op) {
    SmallVector<bool> dims = {false};
    for (int64_t dim = 0; dim < op.getSourceVectorType().getRank(); ++dim)
      dims.push_back(op.isReducedDim(dim));
    Value acc = toVector(op, op.getAcc());
    body.vectors[op] = vector::MultiDimReductionOp::create(
        builder, op.getLoc(), toVector(op, op.getSource()), acc, dims,
        op.getKind());
  }

  /// A mask that ends elsewhere in each program.
  void batchMask(vector::CreateMaskOp op) {
    Location loc = op.getLoc();
    VectorType type = body.getType(op.getType());
    VectorType numbers = type.clone(builder.getIndexType());
    Value all;
    for (auto [dim, size] : llvm::enumerate(op.getOperands())) {
      auto steps =
          VectorType::get(op.getType().getDimSize(dim), builder.getIndexType());
      Value at = vector::StepOp::create(builder, loc, steps);
      if (int64_t(dim) + 1 < op.getType().getRank()) {
        SmallVector<int64_t> shape(op.getType().getRank() - dim, 1);
        shape.front() = steps.getDimSize(0);
        at = vector::ShapeCastOp::create(
            builder, loc, VectorType::get(shape, builder.getIndexType()), at);
      }
      at = vector::BroadcastOp::create(builder, loc, numbers, at);
      Value limit = body.broadcast(loc, toVector(op, size), numbers);
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, at, limit);
      all = all ? arith::AndIOp::create(builder, loc, all, inside).getResult()
                : inside;
    }
    body.vectors[op] = all;
  }

  BatchedBody body;
  OpBuilder &builder;
  BatchedAccesses accesses;
  BatchedControl control;
};

struct BatchPrograms : public carousel::impl::BatchProgramsBase<BatchPrograms> {
  using BatchProgramsBase::BatchProgramsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      auto program =
          func->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
      if (!program || !program.getPrograms())
        continue;
      func->setAttr(CarouselDialect::kBlockProgram,
                    BlockProgramAttr::get(&getContext(), program.getWidth(),
                                          program.getCovers(), std::nullopt,
                                          program.getKeeps()));
      if (*program.getPrograms() > 1)
        batch(func, *program.getPrograms());
    }
  }

  void batch(gpu::GPUFuncOp kernel, int64_t programs) {
    Block &old = kernel.getBody().front();
    OpBuilder builder(kernel.getContext());
    Block *body = startNewBody(kernel, builder);
    Batcher batcher(kernel, programs, builder);
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (launch)
      batcher.batch(old, body);
    // A variant without guards must stay one.
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    bool mayGuard = variant && !variant.getGuards().empty();
    std::string refusal =
        launch ? batcher.getRefusal().str() : "the kernel has no launch";
    if (refusal.empty() && !batcher.getGuards().empty() && !mayGuard)
      refusal = "the kernel has no other variant for launches in which "
                "results have more rows than there are programs";
    remark::RemarkOpts options = remark::RemarkOpts::name("Programs")
                                     .category("carousel-batch-programs")
                                     .function(kernel.getName());
    if (!refusal.empty()) {
      body->dropAllDefinedValueUses();
      body->erase();
      ++missed;
      remark::missed(kernel.getLoc(), options) << remark::add(
          "{0} programs not together in a CTA: {1}", programs, refusal);
      return;
    }
    builder.setInsertionPointToEnd(body);
    builder.clone(*old.getTerminator());
    old.erase();
    addGuards(kernel, getKernelName(kernel), batcher.getGuards());
    SmallVector<ExprAttr> grid(launch.getGrid());
    MLIRContext *context = &getContext();
    grid[0] = ExprAttr::get(
        context, ExprKind::CeilDiv, 0, 0, grid[0],
        ExprAttr::get(context, ExprKind::Constant, programs, 0, {}, {}));
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(context, grid, launch.getBlock(),
                                    launch.getCluster(), launch.getShared()));
    ++batched;
    remark::passed(kernel.getLoc(), options)
        << remark::add("{0} programs together in a CTA", programs);
  }
};

} // namespace
