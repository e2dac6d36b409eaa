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

#include "NewBody.h"

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
      : kernel(kernel), programs(programs), builder(builder) {}

  IRMapping mapping; ///< uniform values
  /// If not empty, why the kernel can't be batched.
  std::string refusal;
  /// What a launch must guarantee: memrefs that programs write have a place for
  /// each, and no more.
  SmallVector<GuardAttr> guards;

  void batch(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (!refusal.empty())
        return;
      batch(&op);
    }
  }

private:
  void refuse(Operation *op, const Twine &why) {
    refusal = ("'" + op->getName().getStringRef() + "' " + why).str();
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  bool varies(Value value) const {
    return bases.contains(value) || vectors.contains(value);
  }

  VectorType getBatchedType(Type type) const {
    SmallVector<int64_t> shape = {programs};
    if (auto vector = dyn_cast<VectorType>(type)) {
      llvm::append_range(shape, vector.getShape());
      type = vector.getElementType();
    }
    return VectorType::get(shape, type);
  }

  /// `vector`, whose first dimension counts programs, to more dimensions.
  Value broadcast(Location loc, Value vector, VectorType to) {
    auto from = cast<VectorType>(vector.getType());
    if (from == to)
      return vector;
    SmallVector<int64_t> shape = {programs};
    shape.append(to.getRank() - from.getRank(), 1);
    llvm::append_range(shape, from.getShape().drop_front());
    auto padded = VectorType::get(shape, from.getElementType());
    if (padded != from)
      vector = vector::ShapeCastOp::create(builder, loc, padded, vector);
    if (padded == to)
      return vector;
    return vector::BroadcastOp::create(builder, loc, to, vector);
  }

  /// Of all programs. What is simple stays simple.
  Value toVector(Location loc, Value value) {
    if (Value known = vectors.lookup(value))
      return known;
    VectorType type = getBatchedType(value.getType());
    if (Value base = bases.lookup(value)) {
      Value steps = vector::StepOp::create(builder, loc, type);
      Value copies = vector::BroadcastOp::create(builder, loc, type, base);
      return arith::AddIOp::create(builder, loc, steps, copies);
    }
    Value uniform = mapping.lookup(value);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    if (auto copies = uniform.getDefiningOp<vector::BroadcastOp>())
      if (!isa<VectorType>(copies.getSourceType()))
        return vector::BroadcastOp::create(builder, loc, type,
                                           copies.getSource());
    if (auto mask = uniform.getDefiningOp<vector::CreateMaskOp>()) {
      SmallVector<Value> sizes = {
          arith::ConstantIndexOp::create(builder, loc, programs)};
      llvm::append_range(sizes, mask.getOperands());
      return vector::CreateMaskOp::create(builder, loc, type, sizes);
    }
    return vector::BroadcastOp::create(builder, loc, type, uniform);
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  void batch(Operation *op) {
    if (isa<gpu::GridDimOp, SerializeOp, GridTicketOp, SignalOp, WaitSignalOp>(
            op))
      return refuse(op, "depends on the number of CTAs");
    if (auto id = dyn_cast<gpu::BlockIdOp>(op);
        id && id.getDimension() == gpu::Dimension::x) {
      Value block = builder.clone(*op)->getResult(0);
      Value size =
          arith::ConstantIndexOp::create(builder, op->getLoc(), programs);
      bases[id] = arith::MulIOp::create(builder, op->getLoc(), block, size);
      return;
    }
    bool depends = llvm::any_of(op->getOperands(),
                                [&](Value value) { return varies(value); });
    if (op->getNumRegions() != 0)
      return batchRegion(op);
    if (!depends) {
      // As many times as there are programs would be the same.
      builder.clone(*op, mapping);
      return;
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::AddIOp, arith::SubIOp>([&](auto sum) { batchSum(sum); })
        .Case([&](vector::TransferReadOp read) { batchRead(read); })
        .Case([&](vector::TransferWriteOp write) { batchWrite(write); })
        .Case([&](memref::LoadOp load) { batchLoad(load); })
        .Case([&](memref::StoreOp store) { batchStore(store); })
        .Case([&](vector::MultiDimReductionOp reduction) {
          batchReduction(reduction);
        })
        .Case([&](vector::BroadcastOp copies) {
          vectors[copies] = broadcast(
              op->getLoc(), toVector(op->getLoc(), copies.getSource()),
              getBatchedType(copies.getType()));
        })
        .Case([&](vector::TransposeOp transpose) {
          SmallVector<int64_t> order = {0};
          for (int64_t dim : transpose.getPermutation())
            order.push_back(dim + 1);
          vectors[transpose] = vector::TransposeOp::create(
              builder, op->getLoc(),
              toVector(op->getLoc(), transpose.getVector()), order);
        })
        .Case([&](vector::ShapeCastOp cast) {
          vectors[cast] = vector::ShapeCastOp::create(
              builder, op->getLoc(), getBatchedType(cast.getType()),
              toVector(op->getLoc(), cast.getSource()));
        })
        .Default([&](Operation *) {
          if (OpTrait::hasElementwiseMappableTraits(op) ||
              isa<vector::FMAOp>(op))
            return batchElementwise(op);
          refuse(op, "has no form for several programs");
        });
  }

  /// An index plus what all programs have in common.
  template <typename Op> void batchSum(Op op) {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    if (std::is_same_v<Op, arith::AddIOp> && !bases.contains(lhs))
      std::swap(lhs, rhs);
    if (!bases.contains(lhs) || varies(rhs))
      return batchElementwise(op);
    bases[op] = Op::create(builder, op.getLoc(), bases.lookup(lhs),
                           mapping.lookup(rhs));
  }

  void batchElementwise(Operation *op) {
    Type result = op->getResult(0).getType();
    VectorType type = getBatchedType(result);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value vector = toVector(op->getLoc(), operand);
      // The condition of a select may be one for all elements.
      auto own = cast<VectorType>(vector.getType());
      operands.push_back(
          broadcast(op->getLoc(), vector, type.clone(own.getElementType())));
    }
    OperationState state(op->getLoc(), op->getName(), operands, TypeRange(type),
                         op->getAttrs());
    vectors[op->getResult(0)] = builder.create(state)->getResult(0);
  }

  void batchReduction(vector::MultiDimReductionOp op) {
    Location loc = op.getLoc();
    SmallVector<bool> dims = {false};
    for (int64_t dim = 0; dim < op.getSourceVectorType().getRank(); ++dim)
      dims.push_back(op.isReducedDim(dim));
    Value acc = toVector(loc, op.getAcc());
    vectors[op] = vector::MultiDimReductionOp::create(
        builder, loc, toVector(loc, op.getSource()), acc, dims, op.getKind());
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// The memref's dimension along which programs have places beside each other.
  std::optional<unsigned> findProgramDim(Operation *op, ValueRange indices) {
    std::optional<unsigned> found;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      if (vectors.contains(index) || (bases.contains(index) && found)) {
        refuse(op, "has an index that isn't the program's plus a constant");
        return std::nullopt;
      }
      if (bases.contains(index))
        found = dim;
    }
    if (!found)
      refuse(op, "accesses the same elements in all programs");
    return found;
  }

  SmallVector<Value> getIndices(ValueRange indices) {
    return llvm::map_to_vector(indices, [&](Value index) {
      Value base = bases.lookup(index);
      return base ? base : mapping.lookup(index);
    });
  }

  /// The permutation of a transfer with programs first; null if a dimension of
  /// the vector goes along the programs' one.
  AffineMap getMap(Operation *op, AffineMap map, unsigned dim) {
    SmallVector<AffineExpr> results = {getAffineDimExpr(dim, op->getContext())};
    for (AffineExpr result : map.getResults()) {
      if (result == results.front()) {
        refuse(op, "goes along the dimension that counts programs");
        return {};
      }
      results.push_back(result);
    }
    return AffineMap::get(map.getNumDims(), 0, results, op->getContext());
  }

  ArrayAttr getInBounds(VectorTransferOpInterface op) {
    SmallVector<bool> inBounds = {false};
    for (int64_t dim = 0; dim < op.getTransferRank(); ++dim)
      inBounds.push_back(op.isDimInBounds(dim));
    return builder.getBoolArrayAttr(inBounds);
  }

  void batchRead(vector::TransferReadOp op) {
    std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
    AffineMap map =
        dim ? getMap(op, op.getPermutationMap(), *dim) : AffineMap();
    if (!map)
      return;
    if (varies(op.getPadding()) || op.getMask())
      return refuse(op, "has padding or a mask of its own in each program");
    vectors[op] = vector::TransferReadOp::create(
        builder, op.getLoc(), getBatchedType(op.getType()),
        mapping.lookup(op.getBase()), getIndices(op.getIndices()),
        AffineMapAttr::get(map), mapping.lookup(op.getPadding()),
        /*mask=*/Value(), getInBounds(op));
  }

  void batchWrite(vector::TransferWriteOp op) {
    std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
    AffineMap map =
        dim ? getMap(op, op.getPermutationMap(), *dim) : AffineMap();
    if (!map)
      return;
    if (op.getMask())
      return refuse(op, "has a mask of its own in each program");
    requireExtent(op, op.getBase(), *dim);
    vector::TransferWriteOp::create(
        builder, op.getLoc(), toVector(op.getLoc(), op.getValueToStore()),
        mapping.lookup(op.getBase()), getIndices(op.getIndices()),
        AffineMapAttr::get(map), /*mask=*/Value(), getInBounds(op));
  }

  AffineMapAttr getElementMap(MemRefType type, unsigned dim) {
    return AffineMapAttr::get(AffineMap::get(
        type.getRank(), 0, getAffineDimExpr(dim, builder.getContext())));
  }

  /// Of the last dimension, in each program's own row: as a gather, whose
  /// indices are distances from the memref's first element.
  bool batchOwnElement(memref::LoadOp op) {
    ValueRange indices = op.getIndices();
    auto type = op.getMemRefType();
    SmallVector<int64_t> strides;
    int64_t first;
    if (type.getRank() != 2 || !bases.contains(indices[0]) ||
        !vectors.contains(indices[1]) ||
        failed(type.getStridesAndOffset(strides, first)) || strides[1] != 1)
      return false;
    Location loc = op.getLoc();
    Value memref = mapping.lookup(op.getMemRef());
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    auto indexType = VectorType::get({programs}, builder.getIndexType());
    Value rows = toVector(loc, indices[0]);
    auto copies = [&](Value scalar) {
      return vector::BroadcastOp::create(builder, loc, indexType, scalar);
    };
    Value places = arith::AddIOp::create(
        builder, loc,
        arith::MulIOp::create(builder, loc, rows,
                              copies(metadata.getStrides()[0])),
        vectors.lookup(indices[1]));
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, rows,
        copies(memref::DimOp::create(builder, loc, memref, 0)));
    VectorType result = getBatchedType(op.getType());
    Value others = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(result)));
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    vectors[op] = vector::GatherOp::create(builder, loc, result, memref,
                                           ValueRange{zero, zero}, places,
                                           exists, others);
    return true;
  }

  void batchLoad(memref::LoadOp op) {
    if (batchOwnElement(op))
      return;
    std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
    if (!dim)
      return;
    Location loc = op.getLoc();
    Value padding = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(op.getType())));
    vectors[op] = vector::TransferReadOp::create(
        builder, loc, getBatchedType(op.getType()),
        mapping.lookup(op.getMemRef()), getIndices(op.getIndices()),
        getElementMap(op.getMemRefType(), *dim), padding, /*mask=*/Value(),
        builder.getBoolArrayAttr(false));
  }

  void batchStore(memref::StoreOp op) {
    std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
    if (!dim)
      return;
    requireExtent(op, op.getMemRef(), *dim);
    vector::TransferWriteOp::create(
        builder, op.getLoc(), toVector(op.getLoc(), op.getValueToStore()),
        mapping.lookup(op.getMemRef()), getIndices(op.getIndices()),
        getElementMap(op.getMemRefType(), *dim), /*mask=*/Value(),
        builder.getBoolArrayAttr(false));
  }

  /// Programs beyond the grid, which the last CTA may have, find no place in
  /// the memref.
  void requireExtent(Operation *op, Value memref, unsigned dim) {
    auto argument = dyn_cast<BlockArgument>(memref);
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    SmallVector<unsigned> positions = getArgumentPositions(kernel);
    const auto *found =
        argument ? llvm::find(positions, argument.getArgNumber()) : nullptr;
    if (!argument || argument.getOwner()->getParentOp() != kernel ||
        found == positions.end())
      return refuse(op, "writes to a memref that isn't an argument");
    auto type = cast<MemRefType>(memref.getType());
    MLIRContext *context = kernel.getContext();
    auto make = [&](ExprKind kind, int64_t value, int64_t number) {
      return ExprAttr::get(context, kind, value, number, {}, {});
    };
    ExprAttr extent =
        type.isDynamicDim(dim)
            ? make(ExprKind::Extent, dim, found - positions.begin())
            : make(ExprKind::Constant, type.getDimSize(dim), 0);
    ExprAttr grid = launch.getGrid().front();
    if (extent == grid)
      return;
    guards.push_back(GuardAttr::get(context, GuardKind::Equal, /*argument=*/0,
                                    extent, grid, /*least=*/0, /*most=*/0));
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  /// Loops and branches that are the same in all programs. All vectors that
  /// they carry become those of all programs.
  void batchRegion(Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return refuse(op, "has no form for several programs");
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (varies(bound))
        return refuse(op, "has bounds of its own in each program");
    Location loc = op->getLoc();
    SmallVector<Value> inits;
    for (Value init : loop.getInitArgs())
      inits.push_back(toVector(loc, init));
    auto batched =
        scf::ForOp::create(builder, loc, mapping.lookup(loop.getLowerBound()),
                           mapping.lookup(loop.getUpperBound()),
                           mapping.lookup(loop.getStep()), inits);
    batched->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    mapping.map(loop.getInductionVar(), batched.getInductionVar());
    for (auto [from, to] :
         llvm::zip_equal(loop.getRegionIterArgs(), batched.getRegionIterArgs()))
      vectors[from] = to;
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *body = batched.getBody();
      if (inits.empty())
        body->getTerminator()->erase();
      builder.setInsertionPointToEnd(body);
      batch(*loop.getBody());
      if (!refusal.empty()) {
        // The op is dropped with the body; it only has to be well formed.
        builder.setInsertionPointToEnd(body);
        scf::YieldOp::create(builder, loc, batched.getRegionIterArgs());
        return;
      }
      SmallVector<Value> yielded;
      for (Value value : loop.getYieldedValues())
        yielded.push_back(toVector(loc, value));
      scf::YieldOp::create(builder, loc, yielded);
    }
    for (auto [from, to] :
         llvm::zip_equal(loop.getResults(), batched.getResults()))
      vectors[from] = to;
  }

  gpu::GPUFuncOp kernel;
  int64_t programs;
  OpBuilder &builder;
  /// Indices that are one of these plus the program's number.
  llvm::DenseMap<Value, Value> bases;
  /// Values of all programs.
  llvm::DenseMap<Value, Value> vectors;
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
    batcher.mapping.map(old.getArguments(), body->getArguments());
    batcher.batch(old);
    // A variant without guards must stay one.
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    bool mayGuard = variant && !variant.getGuards().empty();
    if (batcher.refusal.empty() && !batcher.guards.empty() && !mayGuard)
      batcher.refusal = "the kernel has no other variant for launches in which "
                        "results have more rows than there are programs";
    remark::RemarkOpts options = remark::RemarkOpts::name("Programs")
                                     .category("carousel-batch-programs")
                                     .function(kernel.getName());
    if (!batcher.refusal.empty()) {
      body->dropAllDefinedValueUses();
      body->erase();
      ++missed;
      remark::missed(kernel.getLoc(), options) << remark::add(
          "{0} programs not together in a CTA: {1}", programs, batcher.refusal);
      return;
    }
    builder.setInsertionPointToEnd(body);
    builder.clone(*old.getTerminator());
    old.erase();
    addGuards(kernel, getKernelName(kernel), batcher.guards);
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
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
