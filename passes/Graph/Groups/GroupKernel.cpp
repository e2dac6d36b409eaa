//===- GroupKernel.cpp - the kernel of a group of ops ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupKernel.h. A kernel has up to three parts: what doesn't depend on the
// dimensions that loops go along, the loops, and what needs the results of
// their reductions. Without loops, ops are in the order of the function.
//
//===----------------------------------------------------------------------===//

#include "GroupKernel.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "../Bodies/GroupBodies.h"
#include "../Kernels/GroupLoops.h"
#include "../Kernels/GroupMemory.h"
#include "../Kernels/GroupProduct.h"
#include "../Kernels/GroupScan.h"
#include "../Kernels/GroupSort.h"
#include "../Kernels/ImplicitGEMM.h"
#include "../Kernels/OpWriter.h"
#include "../Kernels/RowLoops.h"
#include "../OnlineReductions/OnlineMasks.h"
#include "../OnlineReductions/OnlineReductionWriter.h"
#include "../Reading/ReadScan.h"
#include "../Reading/RowUpdates.h"
#include "../Tables/TableOps.h"
#include "GroupParts.h"
#include "GroupSignature.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace carousel;

namespace {

class KernelWriter {
public:
  KernelWriter(GroupProgram &program, ArrayRef<KernelOperand> operands,
               ArrayRef<GroupWorkspace> workspaces, OpBuilder &builder)
      : program(program), schedule(program.schedule), operands(operands),
        workspaces(workspaces), builder(builder),
        vectors(builder, program.op.getLoc(), program.schedule),
        memory(program, vectors), opWriter(program, vectors, memory),
        parts(program, vectors) {}

  FailureOr<gpu::GPUFuncOp> run(StringRef name);

private:
  // The kernel.
  void writeScalars();
  void placeProgram();

  // Its parts.
  LogicalResult writeOps();
  LogicalResult writeOp(unsigned op);
  LogicalResult writeLoops(ArrayRef<unsigned> ops);
  /// The rows that an op changes, which exist.
  FailureOr<std::optional<LoopRange>> findUpdatedRows(unsigned op);
  LogicalResult writeLoop(ArrayRef<unsigned> ops,
                          const std::optional<LoopRange> &part,
                          SmallVectorImpl<Value> &sums);
  LogicalResult writeIteration(ArrayRef<unsigned> ops,
                               SmallVectorImpl<Value> &sums);
  LogicalResult writeReduction(unsigned op);
  FailureOr<Value> combine(unsigned op, Value sum);
  Value addProduct(unsigned op, Value element, Value sum);
  SmallVector<unsigned> findSumDims(unsigned op) const;
  GroupValue startSum(unsigned op);
  /// Without the dimensions that are reduced.
  GroupValue reduceSum(unsigned op, Value sum);
  /// Adds what the op starts from, and defines its result.
  void finishSum(unsigned op, GroupValue sum);
  /// Combines what all parts of divided loops have reduced. What follows is
  /// executed by one part.
  void combineParts(ArrayRef<unsigned> ops, SmallVectorImpl<GroupValue> &sums);

  linalg::LinalgOp getOp(unsigned op) const {
    return cast<linalg::LinalgOp>(program.graph.ops[op]);
  }
  const GraphOp &getNode(unsigned op) const {
    return program.graph.problem.ops[op];
  }
  /// Whether reductions are of an iteration: loops go along scans.
  bool reducesWhatIsScanned() const {
    return program.group.scans(program.graph.problem);
  }
  bool isScan(unsigned op) const {
    return getNode(op).kind == GraphOpKind::Scan;
  }
  SmallVector<unsigned> getPositions(unsigned op) const {
    return carousel::getPositions(program, op);
  }

  GroupProgram &program;
  const GroupSchedule &schedule;
  ArrayRef<KernelOperand> operands;
  ArrayRef<GroupWorkspace> workspaces;
  OpBuilder &builder;
  GroupVectors vectors;
  GroupMemory memory;
  OpWriter opWriter;
  PartsWriter parts;
  gpu::GPUFuncOp kernel;
  std::optional<RowLoops> rows; ///< of a product that needs few of them
};

} // namespace

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Numbers that the group computes once.
void KernelWriter::writeScalars() {
  IRMapping mapping;
  for (auto [number, operand] : llvm::enumerate(operands))
    mapping.map(operand.value, kernel.getArgument(number));
  for (Value number : findScalars(program)) {
    Operation *op = number.getDefiningOp();
    if (!op || mapping.contains(number) ||
        op->hasTrait<OpTrait::ConstantLike>())
      continue;
    for (Value operand : op->getOperands())
      if (Operation *constant = operand.getDefiningOp();
          constant && !mapping.contains(operand))
        builder.clone(*constant, mapping);
    builder.clone(*op, mapping);
    for (Value result : op->getResults())
      memory.setParameter(result, mapping.lookup(result));
  }
}

/// Where this program is in each dimension, of the block id.
void KernelWriter::placeProgram() {
  Location loc = vectors.loc;
  for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
    ExprAttr extent = getExtent(program, operands, position);
    if (extent.getKind() == ExprKind::Constant) {
      vectors.setExtent(position, arith::ConstantIndexOp::create(
                                      builder, loc, extent.getValue()));
      continue;
    }
    Value argument = kernel.getArgument(extent.getArgument());
    vectors.setExtent(
        position,
        extent.getKind() == ExprKind::Scalar
            ? argument
            : memref::DimOp::create(builder, loc, argument, extent.getValue()));
  }
  SmallVector<unsigned> grid;
  for (auto [position, dim] : llvm::enumerate(schedule.dims))
    if (dim.hasManyPrograms())
      grid.push_back(position);
  if (grid.empty() && !schedule.division)
    return;
  // Rows that take longest come first, of all other dimensions.
  bool isReversed =
      schedule.family == ScheduleFamily::Stream && haveLaterRowsMore(program);
  unsigned rows = isReversed ? findRowsPosition(program) : 0;
  if (isReversed)
    llvm::sort(grid, [&](unsigned a, unsigned b) {
      return std::pair(a != rows, a) < std::pair(b != rows, b);
    });
  llvm::SmallBitVector ofRows = findDimsOfRows(program);
  Value along[] = {gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x), {}};
  if (ofRows.any())
    along[1] = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::y);
  if (schedule.division)
    along[0] = parts.place(kernel, operands, along[0]);
  for (unsigned position : llvm::reverse(grid)) {
    const ScheduledDim &dim = schedule.dims[position];
    Value &rest = along[ofRows.test(position)];
    Value step = arith::ConstantIndexOp::create(builder, loc, dim.tile);
    bool isLast = position == *llvm::find_if(grid, [&](unsigned other) {
                    return ofRows.test(other) == ofRows.test(position);
                  });
    Value place = rest;
    Value count;
    if (!isLast || (isReversed && position == rows)) {
      count = vectors.getExtent(position);
      if (dim.tile != 1)
        count = arith::CeilDivUIOp::create(builder, loc, count, step);
    }
    if (!isLast) {
      place = arith::RemUIOp::create(builder, loc, rest, count);
      rest = arith::DivUIOp::create(builder, loc, rest, count);
    }
    if (isReversed && position == rows) {
      Value last = arith::SubIOp::create(
          builder, loc, count, arith::ConstantIndexOp::create(builder, loc, 1));
      place = arith::SubIOp::create(builder, loc, last, place);
      // Never negative, so that engines may write from there on.
      place = arith::MaxSIOp::create(
          builder, loc, place, arith::ConstantIndexOp::create(builder, loc, 0));
    }
    if (dim.tile != 1)
      place = arith::MulIOp::create(builder, loc, place, step);
    vectors.setBegin(position, place);
  }
}

FailureOr<gpu::GPUFuncOp> KernelWriter::run(StringRef name) {
  kernel = createKernel(program, operands, workspaces, builder, name);
  for (auto [number, operand] : llvm::enumerate(operands))
    for (Value value : {operand.value, Value(operand.updated)})
      if (value)
        memory.setParameter(value, kernel.getArgument(number));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  writeScalars();
  placeProgram();
  LogicalResult written = writeOps();
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  if (schedule.division)
    parts.finish();
  gpu::ReturnOp::create(builder, vectors.loc);
  if (failed(written)) {
    kernel.erase();
    return failure();
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult KernelWriter::writeOps() {
  if (schedule.family == ScheduleFamily::Stream)
    return writeStream(program, vectors, memory,
                       schedule.division ? &parts : nullptr);
  std::vector<OpPlace> places = findOpPlaces(
      program.graph.problem, program.group, program.shape, schedule);
  auto writeAll = [&](OpPlace wanted) {
    SmallVector<unsigned> ops;
    for (auto [op, place] : llvm::zip_equal(program.group.ops, places))
      if (place == wanted)
        ops.push_back(op);
    if (wanted == OpPlace::Loops)
      return ops.empty() ? success() : writeLoops(ops);
    return LogicalResult(success(llvm::all_of(
        ops, [&](unsigned op) { return succeeded(writeOp(op)); })));
  };
  return success(succeeded(writeAll(OpPlace::BeforeLoops)) &&
                 succeeded(writeAll(OpPlace::Loops)) &&
                 succeeded(writeAll(OpPlace::BehindLoops)));
}

LogicalResult KernelWriter::writeOp(unsigned op) {
  return getNode(op).reduces() ? writeReduction(op)
                               : opWriter.writeElementwise(op);
}

LogicalResult KernelWriter::writeReduction(unsigned op) {
  if (getNode(op).kind == GraphOpKind::Sort)
    return writeSort(program, op, vectors, memory, opWriter);
  FailureOr<GroupValue> element = opWriter.readElement(op);
  if (failed(element))
    return failure();
  finishSum(op, reduceSum(op, element->value));
  return success();
}

/// The dimensions of the vectors that an iteration adds. Products have none of
/// those that are reduced.
SmallVector<unsigned> KernelWriter::findSumDims(unsigned op) const {
  SmallVector<unsigned> dims = vectors.findVectorDims(getPositions(op));
  if (getNode(op).isProduct())
    llvm::erase_if(dims,
                   [&](unsigned dim) { return schedule.dims[dim].isReduced; });
  return dims;
}

/// Vectors that are combined within an iteration are combined with each other
/// at the end.
GroupValue KernelWriter::startSum(unsigned op) {
  linalg::LinalgOp structured = getOp(op);
  std::optional<Combination> combination = findCombination(structured);
  bool isIrregular = getNode(op).kind == GraphOpKind::Irregular;
  if (isIrregular && !combination)
    return memory.readInit(op, 0);
  Type element = getElementTypeOrSelf(structured.getDpsInitOperand(0)->get());
  GroupValue sum;
  sum.dims = findSumDims(op);
  TypedAttr neutral = getNeutralElement(builder, combination->kind, element);
  // Products add to +0, as their instructions do.
  if (getNode(op).isProduct())
    neutral = cast<TypedAttr>(builder.getZeroAttr(element));
  sum.value = vectors.createSplat(neutral, sum.dims);
  return sum;
}

/// The result of a reduction: of the sum's vectors, and what it started from.
GroupValue KernelWriter::reduceSum(unsigned op, Value value) {
  GroupValue sum;
  sum.value = value;
  sum.dims = findSumDims(op);
  return vectors.reduce(sum, findSummed(program, op),
                        findCombination(getOp(op))->kind);
}

void KernelWriter::finishSum(unsigned op, GroupValue sum) {
  linalg::LinalgOp structured = getOp(op);
  Combination combination = *findCombination(structured);
  TypedAttr fill = findFill(structured.getDpsInitOperand(0)->get());
  if (!fill || !isNeutral(fill, combination.kind)) {
    GroupValue init = memory.readInit(op, 0);
    Value start = vectors.expand(init, sum.dims);
    sum.value = vector::makeArithReduction(builder, vectors.loc,
                                           combination.kind, start, sum.value);
  }
  memory.define(op, 0, sum);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult KernelWriter::writeLoops(ArrayRef<unsigned> ops) {
  SmallVector<Value> sums;
  SmallVector<unsigned> counts; // of sums, by op
  for (unsigned op : ops) {
    counts.push_back(0);
    if (isScan(op)) {
      SmallVector<Value> starts = startScan(program, op, vectors, memory);
      llvm::append_range(sums, starts);
      counts.back() = starts.size();
      continue;
    }
    if (!getNode(op).reduces() || reducesWhatIsScanned())
      continue;
    if (findCombination(getOp(op))) {
      sums.push_back(startSum(op).value);
      counts.back() = 1;
      continue;
    }
    SmallVector<unsigned> dims = vectors.findVectorDims(getPositions(op));
    for (unsigned init = 0, e = getOp(op).getNumDpsInits(); init != e; ++init)
      sums.push_back(vectors.expand(memory.readInit(op, init), dims));
    counts.back() = getOp(op).getNumDpsInits();
  }
  std::optional<LoopRange> part;
  if (schedule.division && !schedule.hasOneLoop) {
    auto [from, to] = parts.getRange();
    part = {schedule.division->position, from, to};
  } else {
    auto own = getNode(ops.front()).update
                   ? findUpdatedRows(ops.front())
                   : skipMissingRows(program, vectors, opWriter);
    if (failed(own))
      return failure();
    part = *own;
  }
  // Values computed in passing by loops can't be used after them.
  SmallVector<Value> totals(sums);
  auto write = [&](const std::optional<LoopRange> &range) {
    return writeLoop(ops, range, totals);
  };
  rows = findRowLoops(program);
  if (failed(
          rows ? writeRowLoops(*rows, program, vectors, memory, opWriter, write)
               : write(part)))
    return failure();
  if (schedule.division) {
    SmallVector<unsigned> reducing;
    SmallVector<GroupValue> partials;
    for (auto [op, count] : llvm::zip_equal(ops, counts))
      if (count != 0) {
        partials.push_back(reduceSum(op, totals[reducing.size()]));
        reducing.push_back(op);
      }
    combineParts(reducing, partials);
    for (auto [op, sum] : llvm::zip_equal(reducing, partials))
      finishSum(op, sum);
    return success();
  }
  unsigned next = 0;
  for (auto [op, count] : llvm::zip_equal(ops, counts)) {
    if (count == 0)
      continue;
    if (isScan(op)) {
      next += count;
      continue;
    }
    if (findCombination(getOp(op))) {
      finishSum(op, reduceSum(op, totals[next++]));
      continue;
    }
    SmallVector<unsigned> dims = vectors.findVectorDims(getPositions(op));
    for (unsigned result = 0; result != count; ++result)
      memory.define(op, result, {totals[next++], dims, {}});
  }
  return success();
}

FailureOr<std::optional<LoopRange>> KernelWriter::findUpdatedRows(unsigned op) {
  RowUpdate update = *findRowUpdate(getOp(op));
  FailureOr<GroupValue> offset = opWriter.writePart(op, update.offset);
  if (failed(offset))
    return failure();
  unsigned position = getPositions(op)[update.loop];
  IndexBuilder n(builder, vectors.loc);
  Value first = n.index(offset->value), zero = n.constant(0),
        extent = vectors.getExtent(position);
  Value end = arith::AddIOp::create(builder, vectors.loc, first,
                                    n.constant(update.count));
  auto clamp = [&](Value number) -> Value {
    return arith::MinSIOp::create(
        builder, vectors.loc,
        arith::MaxSIOp::create(builder, vectors.loc, number, zero), extent);
  };
  return std::optional(LoopRange{position, clamp(first), clamp(end)});
}

/// Whether a program may read whatever its loops do: constants are indices of
/// the memref, and others are places of the program.
static bool isInBounds(vector::TransferReadOp read) {
  auto type = cast<MemRefType>(read.getBase().getType());
  return type.hasStaticShape() &&
         llvm::all_of_zip(
             type.getShape(), read.getIndices(),
             [](int64_t extent, Value index) {
               IntegerAttr constant;
               return extent != 0 &&
                      (!matchPattern(index, m_Constant(&constant)) ||
                       constant.getInt() < extent);
             });
}

/// Reads before a loop what each iteration would read again, if nothing writes
/// it and it needs few registers.
static void hoistReads(scf::ForOp loop) {
  constexpr int64_t kMostBytes = 8192;
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  bool isExecuted = trips && !trips->isZero();
  int64_t left = kMostBytes;
  SmallVector<vector::TransferReadOp> reads(
      loop.getBody()->getOps<vector::TransferReadOp>());
  for (vector::TransferReadOp read : reads) {
    VectorType type = read.getVectorType();
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    auto isFixed = [&](Value value) {
      return loop.isDefinedOutsideOfLoop(value) ||
             matchPattern(value, m_Constant());
    };
    // Loops of columns access arguments without views.
    auto mayWrite = [](Operation *user) {
      return !isa<vector::TransferReadOp>(user);
    };
    if (bytes > left || (!isExecuted && !isInBounds(read)) ||
        llvm::any_of(read.getBase().getUsers(), mayWrite) ||
        !llvm::all_of(read->getOperands(), isFixed))
      continue;
    for (Value value : read->getOperands())
      if (!loop.isDefinedOutsideOfLoop(value))
        value.getDefiningOp()->moveBefore(loop);
    read->moveBefore(loop);
    left -= bytes;
  }
}

LogicalResult KernelWriter::writeLoop(ArrayRef<unsigned> ops,
                                      const std::optional<LoopRange> &part,
                                      SmallVectorImpl<Value> &sums) {
  auto divide = [&](Value iterations) {
    return parts.getIterations(iterations);
  };
  GroupLoops loops = createLoops(
      vectors, part, schedule.division ? DivideLoop(divide) : nullptr, sums);
  if (failed(writeIteration(ops, loops.carried)))
    return failure();
  if (!loops.carried.empty())
    scf::YieldOp::create(builder, vectors.loc, loops.carried);
  if (isPipelined(program))
    pipelineLoop(loops.inner);
  for (unsigned position : findLoopPositions(schedule))
    vectors.setBegin(position, {});
  if (schedule.family == ScheduleFamily::Column)
    hoistReads(loops.outer);
  builder.setInsertionPointAfter(loops.outer);
  sums = SmallVector<Value>(loops.outer.getResults());
  return success();
}

void KernelWriter::combineParts(ArrayRef<unsigned> ops,
                                SmallVectorImpl<GroupValue> &sums) {
  for (const GroupValue &partial : sums)
    parts.leave(partial);
  parts.startLast();
  for (auto [op, sum] : llvm::zip_equal(ops, sums))
    sum = parts.combine(sum, findCombination(getOp(op))->kind);
}

LogicalResult KernelWriter::writeIteration(ArrayRef<unsigned> ops,
                                           SmallVectorImpl<Value> &sums) {
  unsigned next = 0;
  for (unsigned op : ops) {
    linalg::LinalgOp structured = getOp(op);
    if (rows && op == rows->op) {
      if (failed(noteInside(*rows, program, memory, opWriter)))
        return failure();
      continue;
    }
    if (isScan(op)) {
      size_t count = findScan(structured)->carried.size();
      if (failed(carousel::writeScan(program, op, vectors, memory, opWriter,
                                     MutableArrayRef(sums).slice(next, count))))
        return failure();
      next += count;
      continue;
    }
    if (!getNode(op).reduces() || program.group.scans(program.graph.problem)) {
      if (failed(writeOp(op)))
        return failure();
      continue;
    }
    if (findCombination(structured)) {
      FailureOr<Value> sum =
          getNode(op).isProduct()
              ? multiply(program, op, memory, vectors, sums[next])
              : combine(op, sums[next]);
      if (failed(sum))
        return failure();
      sums[next++] = *sum;
      continue;
    }
    // The body as it is, with the results so far.
    BodyValues values;
    SmallVector<unsigned> dims = vectors.findVectorDims(getPositions(op));
    unsigned inits = structured.getNumDpsInits();
    for (unsigned init = 0; init != inits; ++init)
      values[structured.getBlock()->getArgument(
          structured.getNumDpsInputs() + init)] = {sums[next + init], dims, {}};
    SmallVector<Value> results(
        structured.getBlock()->getTerminator()->getOperands());
    if (failed(opWriter.writeBody(op, results, values)))
      return failure();
    for (unsigned init = 0; init != inits; ++init)
      sums[next + init] = vectors.expand(values[results[init]], dims);
    next += inits;
  }
  return success();
}

FailureOr<Value> KernelWriter::combine(unsigned op, Value sum) {
  FailureOr<GroupValue> element = opWriter.readElement(op);
  if (failed(element))
    return failure();
  if (Value added = addProduct(op, element->value, sum))
    return added;
  return vector::makeArithReduction(builder, vectors.loc,
                                    findCombination(getOp(op))->kind, sum,
                                    element->value);
}

/// Adds a stencil's product to its sum in one instruction, as matrix
/// instructions and loops of products do.
Value KernelWriter::addProduct(unsigned op, Value element, Value sum) {
  auto product = element.getDefiningOp<arith::MulFOp>();
  if (getNode(op).kind != GraphOpKind::Stencil || !product ||
      product.getType() != sum.getType() || !getElementTypeOrSelf(sum).isF32())
    return {};
  Value added = math::FmaOp::create(builder, vectors.loc, product.getLhs(),
                                    product.getRhs(), sum);
  product.erase();
  return added;
}

FailureOr<gpu::GPUFuncOp> carousel::emitGroupKernel(
    GroupProgram &program, ArrayRef<KernelOperand> operands,
    ArrayRef<GroupWorkspace> workspaces, OpBuilder &builder, StringRef name) {
  return KernelWriter(program, operands, workspaces, builder).run(name);
}
