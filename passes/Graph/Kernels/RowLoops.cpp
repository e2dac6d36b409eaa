//===- RowLoops.cpp - products along the rows of a range ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowLoops.h.
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

#include "../Reading/RowReads.h"
#include "../Tables/TableOps.h"
#include "GroupProduct.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;

/// The argument of the group's function that an op reads, if one dimension of
/// it goes along a loop, and the others along other loops.
static Value findMemory(linalg::GenericOp op, OpOperand *input, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(input);
  bool isMemory = isa<BlockArgument>(input->get()) &&
                  isa<RankedTensorType>(input->get().getType()) &&
                  map.isProjectedPermutation() && map.isFunctionOfDim(loop);
  return isMemory ? input->get() : Value();
}

/// The only product of a group with one loop, which no programs divide.
static std::optional<unsigned> findOwnProduct(const GroupProgram &program) {
  const GroupSchedule &schedule = program.schedule;
  SmallVector<unsigned> products = findProducts(program);
  if (schedule.family != ScheduleFamily::Contraction || products.size() != 1 ||
      findLoopPositions(schedule).size() != 1 || schedule.hasOneLoop ||
      schedule.division)
    return std::nullopt;
  return products.front();
}

FailureOr<std::optional<LoopRange>>
carousel::skipMissingRows(const GroupProgram &program, GroupVectors &vectors,
                          OpWriter &writer) {
  std::optional<LoopRange> range;
  std::optional<unsigned> product = findOwnProduct(program);
  auto sumsMore = [&](unsigned op) {
    return op != product && program.graph.problem.ops[op].reduces() &&
           isInLoop(program.shape, program.schedule, op);
  };
  if (!product || llvm::any_of(program.group.ops, sumsMore))
    return range;
  IndexBuilder n(vectors.builder, vectors.loc);
  for (const GraphAccess &read : program.graph.problem.ops[*product].reads) {
    std::optional<unsigned> op = program.graph.problem.findWriter(read.tensor);
    if (!op || !isReadInFollowingRows(program, *op))
      continue;
    auto factor = cast<linalg::LinalgOp>(program.graph.ops[*op]);
    // Elements that other graphs multiply by zeros may not be finite.
    if (!factor->hasAttr(kUnreadTilesAttr))
      continue;
    FollowingRows rowsOfFactor = *findFollowingRows(factor);
    FailureOr<GroupValue> first = writer.writePart(*op, rowsOfFactor.first);
    if (failed(first))
      return failure();
    // Narrow types may not have the number of rows.
    Value isThere = n.compare(arith::CmpIPredicate::slt, n.index(first->value),
                              n.constant(rowsOfFactor.matrix.getDimSize(0)));
    unsigned position = findLoopPositions(program.schedule).front();
    Value zero = n.constant(0), extent = vectors.getExtent(position);
    range = {position, zero, n.choose(isThere, extent, zero)};
  }
  return range;
}

std::optional<RowLoops> carousel::findRowLoops(const GroupProgram &program) {
  const GroupSchedule &schedule = program.schedule;
  std::optional<unsigned> own = findOwnProduct(program);
  if (!own || schedule.few)
    return std::nullopt;
  RowLoops loops;
  loops.product = *own;
  loops.position = findLoopPositions(schedule).front();
  const ScheduledDim &dim = schedule.dims[loops.position];
  auto product = dyn_cast<linalg::GenericOp>(program.graph.ops[loops.product]);
  if (!product || !dim.isReduced || dim.dims.size() != 1 ||
      product.getNumDpsInputs() != 2 ||
      program.graph.problem.ops[loops.product].kind != GraphOpKind::Contraction)
    return std::nullopt;
  for (unsigned number : {0, 1}) {
    Value factor = product.getInputs()[number];
    std::optional<unsigned> writer = program.graph.findWriter(factor);
    auto op = writer ? dyn_cast<linalg::GenericOp>(program.graph.ops[*writer])
                     : linalg::GenericOp();
    std::optional<RowRange> range =
        op ? findRowRange(op) : std::optional<RowRange>();
    if (!range || getPositions(program, *writer)[range->row] != loops.position)
      continue;
    auto inside = dyn_cast<BlockArgument>(range->inside);
    if (!inside || inside.getOwner() != op.getBody() ||
        inside.getArgNumber() >= op.getNumDpsInputs())
      return std::nullopt;
    loops.op = *writer;
    loops.range = *range;
    unsigned other = 1 - number;
    SmallVector<unsigned> own = getPositions(program, loops.product);
    unsigned loop = llvm::find(own, loops.position) - own.begin();
    loops.factors[number] =
        findMemory(op, op.getMatchingOpOperand(inside), range->row);
    loops.factors[other] =
        findMemory(product, product.getDpsInputOperand(other), loop);
    // A program has one range.
    auto isFixed = [&](BlockArgument bound) {
      AffineMap map = op.getMatchingIndexingMap(op.getMatchingOpOperand(bound));
      SmallVector<unsigned> positions = getPositions(program, *writer);
      return llvm::all_of(
          llvm::seq<unsigned>(0, positions.size()), [&](unsigned at) {
            const ScheduledDim &along = schedule.dims[positions[at]];
            return !map.isFunctionOfDim(at) ||
                   (along.walk == DimWalk::Grid && along.tile == 1);
          });
    };
    if (!loops.factors[0] || !loops.factors[1] || !isFixed(range->begin) ||
        !isFixed(range->end))
      return std::nullopt;
    // Other ops in the loop may need all rows, and so may programs that divide
    // the sum.
    auto isOwn = [&](unsigned op) {
      return op == loops.op || op == loops.product ||
             !isInLoop(program.shape, schedule, op);
    };
    if (!llvm::all_of(program.group.ops, isOwn) || program.isDivided)
      return std::nullopt;
    return loops;
  }
  return std::nullopt;
}

namespace {

/// The first row, the one behind the last full tile, and the one behind the
/// last row, within the tensor.
struct RowBounds {
  Value begin, full, end;
};

/// While it lives, the schedule has the tiles of the last rows, and the factors
/// end there.
class RowTail {
public:
  RowTail(const RowLoops &loops, Value end, GroupProgram &program,
          GroupVectors &vectors, GroupMemory &memory);
  ~RowTail();
  RowTail(const RowTail &) = delete;
  RowTail &operator=(const RowTail &) = delete;

private:
  ScheduledDim &dim;
  ScheduledDim whole;
  GroupVectors &vectors;
  GroupMemory &memory;
  unsigned position;
  Value extent;
  SmallVector<std::pair<Value, Value>> parameters;
};

} // namespace

static FailureOr<RowBounds> computeBounds(const RowLoops &loops,
                                          const GroupProgram &program,
                                          GroupVectors &vectors,
                                          OpWriter &writer) {
  FailureOr<GroupValue> first = writer.writePart(loops.op, loops.range.begin),
                        last = writer.writePart(loops.op, loops.range.end);
  if (failed(first) || failed(last))
    return failure();
  IndexBuilder n(vectors.builder, vectors.loc);
  RowBounds bounds;
  // Graphs may write ranges of their own, of any numbers.
  Value begin = n.index(first->value), end = n.index(last->value);
  bounds.begin = n.largest(begin, n.constant(0));
  bounds.end =
      n.largest(n.least(end, vectors.getExtent(loops.position)), bounds.begin);
  Value rest = n.remainder(n.subtract(bounds.end, bounds.begin),
                           program.schedule.dims[loops.position].tile);
  bounds.full = n.subtract(bounds.end, rest);
  return bounds;
}

/// A memref that ends with row \p end of the dimension along a position.
static Value endAt(OpBuilder &builder, Location loc, Value memref, unsigned dim,
                   Value end) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1)),
      sizes = memref::getMixedSizes(builder, loc, memref);
  sizes[dim] = end;
  return memref::SubViewOp::create(builder, loc, memref, offsets, sizes,
                                   strides);
}

static int64_t getTailTile(const RowLoops &loops, const GroupProgram &program) {
  // The bits of the sum that an instruction takes, at least.
  constexpr int64_t kDepthBits = 256;
  int64_t bits = getElementTypeOrSelf(loops.factors[0]).getIntOrFloatBitWidth();
  return std::min(program.schedule.dims[loops.position].tile,
                  std::max<int64_t>(kDepthBits / bits, 16));
}

RowTail::RowTail(const RowLoops &loops, Value end, GroupProgram &program,
                 GroupVectors &vectors, GroupMemory &memory)
    : dim(program.schedule.dims[loops.position]), whole(dim), vectors(vectors),
      memory(memory), position(loops.position),
      extent(vectors.getExtent(loops.position)) {
  dim.tile = getTailTile(loops, program);
  dim.extent = kUnknownExtent;
  vectors.setExtent(position, end);
  auto product = cast<linalg::GenericOp>(program.graph.ops[loops.product]);
  auto mask = cast<linalg::GenericOp>(program.graph.ops[loops.op]);
  for (linalg::GenericOp op : {mask, product}) {
    unsigned number = op == mask ? loops.op : loops.product;
    SmallVector<unsigned> positions = getPositions(program, number);
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value tensor = input->get(), parameter = memory.getParameter(tensor);
      if (!llvm::is_contained(loops.factors, tensor) || !parameter ||
          llvm::is_contained(llvm::make_first_range(parameters), tensor))
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      for (unsigned at = 0; at != map.getNumResults(); ++at)
        if (positions[map.getDimPosition(at)] == position) {
          parameters.push_back({tensor, parameter});
          memory.setParameter(
              tensor, endAt(vectors.builder, vectors.loc, parameter, at, end));
        }
    }
  }
}

RowTail::~RowTail() {
  dim = whole;
  vectors.setExtent(position, extent);
  for (auto [tensor, parameter] : parameters)
    memory.setParameter(tensor, parameter);
}

LogicalResult carousel::noteInside(const RowLoops &loops,
                                   const GroupProgram &program,
                                   GroupMemory &memory, OpWriter &writer) {
  FailureOr<GroupValue> inside = writer.writePart(loops.op, loops.range.inside);
  if (failed(inside))
    return failure();
  memory.note(program.graph.ops[loops.op]->getResult(0), *inside);
  return success();
}

LogicalResult carousel::writeRowLoops(
    const RowLoops &loops, GroupProgram &program, GroupVectors &vectors,
    GroupMemory &memory, OpWriter &writer,
    llvm::function_ref<LogicalResult(const std::optional<LoopRange> &)>
        writeLoop) {
  FailureOr<RowBounds> bounds = computeBounds(loops, program, vectors, writer);
  if (failed(bounds) ||
      failed(writeLoop(LoopRange{loops.position, bounds->begin, bounds->full})))
    return failure();
  RowTail tail(loops, bounds->end, program, vectors, memory);
  return writeLoop(LoopRange{loops.position, bounds->full, bounds->end});
}
