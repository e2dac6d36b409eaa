//===- StreamBounds.cpp - the tiles that a program of a stream has --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamMasks.h.
//
//===----------------------------------------------------------------------===//

#include "StreamMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

int64_t carousel::getCoefficient(const GroupProgram &program, unsigned op,
                                 const IndexBound &bound, unsigned position) {
  int64_t sum = 0;
  for (auto [loop, at] : llvm::enumerate(getPositions(program, op)))
    if (at == position)
      sum += bound.coefficients[loop];
  return sum;
}

unsigned carousel::findRowsPosition(const GroupProgram &program) {
  for (auto [position, dim] : llvm::enumerate(program.schedule.dims))
    if (dim.walk == DimWalk::Grid && dim.tile != 1)
      return position;
  llvm_unreachable("a stream has rows");
}

bool carousel::haveLaterRowsMore(const GroupProgram &program) {
  unsigned rows = findRowsPosition(program),
           position = program.schedule.find(program.shape.stream->dim);
  bool areMore = false;
  for (const StreamMask &mask : findStreamMasks(program))
    for (const IndexBound &bound : mask.bounds) {
      int64_t along = getCoefficient(program, mask.op, bound, position);
      int64_t ofRows = getCoefficient(program, mask.op, bound, rows);
      // A window has as many tiles of each row.
      if (along > 0 && ofRows != 0)
        return false;
      areMore |= along < 0 && ofRows > 0;
    }
  return areMore;
}

/// Whether a mask keeps the first element of each row, or that with the number
/// of the row along a dimension.
static bool isKept(const GroupProgram &program, const StreamMask &mask,
                   std::optional<unsigned> along) {
  unsigned position = program.schedule.find(program.shape.stream->dim);
  return llvm::all_of(mask.bounds, [&](const IndexBound &bound) {
    int64_t own = getCoefficient(program, mask.op, bound, position);
    if (!bound.numbers.empty())
      return false;
    for (unsigned at = 0; at != program.schedule.dims.size(); ++at)
      if (at != position && getCoefficient(program, mask.op, bound, at) +
                                    (along == at ? own : 0) <
                                0)
        return false;
    return bound.constant >= 0;
  });
}

bool carousel::mayHaveElements(const GroupProgram &program,
                               const StreamMask &mask) {
  if (!mask.isFinite)
    return true;
  // Elements that the mask keeps may be excluded by another number.
  if (!mask.isExact || mask.whole || countHugeSources(program) != 1)
    return false;
  return isKept(program, mask, std::nullopt) ||
         isKept(program, mask, findRowsPosition(program));
}

namespace {

/// Computes bounds of a program's rows.
class BoundWriter {
public:
  /// Without \p ops, bounds have no numbers in memory.
  BoundWriter(const GroupProgram &program, GroupVectors &vectors,
              OpWriter *ops = nullptr)
      : program(program), vectors(vectors), ops(ops), builder(vectors.builder),
        position(program.schedule.find(program.shape.stream->dim)) {}

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(builder, vectors.loc, value);
  }
  template <typename Op> Value compute(Value lhs, Value rhs) {
    return builder.createOrFold<Op>(vectors.loc, lhs, rhs);
  }

  /// The largest or least value of a bound, with the dimension of tiles or
  /// without it. Null if the rows of a program have several.
  Value computeBound(const StreamMask &mask, const IndexBound &bound,
                     bool isLargest, bool hasTiles) {
    Value sum = getIndex(bound.constant);
    for (unsigned at = 0; at != program.schedule.dims.size(); ++at) {
      int64_t factor = getCoefficient(program, mask.op, bound, at);
      if (factor == 0 || (at == position && !hasTiles))
        continue;
      bool isLast = (factor > 0) == isLargest;
      Value number = isLast ? getLast(at) : vectors.getBegin(at);
      sum = compute<arith::AddIOp>(
          sum, compute<arith::MulIOp>(number, getIndex(factor)));
    }
    for (auto [number, sign] : bound.numbers) {
      FailureOr<GroupValue> scalar = ops->writePart(mask.op, number);
      if (failed(scalar) || !scalar->dims.empty())
        return {};
      Value index = scalar->value;
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(builder, vectors.loc,
                                           builder.getIndexType(), index);
      sum = compute<arith::AddIOp>(
          sum, compute<arith::MulIOp>(index, getIndex(sign)));
    }
    return sum;
  }

  /// Whether each row has an element that the mask keeps, for which the launch
  /// may have to say that rows are no more than the stream's elements. Null if
  /// that isn't known.
  Value hasElements(const StreamMask &mask) {
    if (!mayHaveElements(program, mask))
      return {};
    if (!mask.isFinite || isKept(program, mask, /*along=*/std::nullopt))
      return getTrue();
    unsigned rows = findRowsPosition(program);
    return arith::CmpIOp::create(
        builder, vectors.loc, arith::CmpIPredicate::ule,
        vectors.getExtent(rows), vectors.getExtent(position));
  }

  Value getTrue() {
    return arith::ConstantOp::create(builder, vectors.loc,
                                     builder.getBoolAttr(true));
  }

private:
  /// The last element of the program's vectors that exists.
  Value getLast(unsigned at) {
    int64_t tile = program.schedule.dims[at].tile;
    if (tile == 1)
      return vectors.getBegin(at);
    Value end = compute<arith::AddIOp>(vectors.getBegin(at), getIndex(tile));
    if (vectors.isRagged(at))
      end = compute<arith::MinSIOp>(end, vectors.getExtent(at));
    return compute<arith::SubIOp>(end, getIndex(1));
  }

  const GroupProgram &program;
  GroupVectors &vectors;
  OpWriter *ops;
  OpBuilder &builder;
  unsigned position;
};

} // namespace

std::pair<Value, Value>
carousel::computeStreamRange(const GroupProgram &program, GroupVectors &vectors,
                             OpWriter &ops, ArrayRef<StreamMask> masks) {
  BoundWriter writer(program, vectors, &ops);
  unsigned position = program.schedule.find(program.shape.stream->dim);
  Value zero = writer.getIndex(0);
  Value from = zero, to = vectors.getExtent(position), all = to;
  for (const StreamMask &mask : masks) {
    Value isKnown = writer.hasElements(mask);
    if (!isKnown)
      continue;
    auto choose = [&](Value bound, Value otherwise) {
      return vectors.builder.createOrFold<arith::SelectOp>(vectors.loc, isKnown,
                                                           bound, otherwise);
    };
    for (const IndexBound &bound : mask.bounds) {
      // along j: sum + j >= 0, or sum - j >= 0.
      bool isLeast = getCoefficient(program, mask.op, bound, position) > 0;
      Value sum = writer.computeBound(mask, bound, /*isLargest=*/true,
                                      /*hasTiles=*/false);
      if (!sum)
        continue;
      if (!isLeast) {
        Value end = writer.compute<arith::AddIOp>(sum, writer.getIndex(1));
        end = writer.compute<arith::MaxSIOp>(end, zero);
        to = writer.compute<arith::MinSIOp>(to, choose(end, all));
        continue;
      }
      Value tile = writer.getIndex(program.schedule.dims[position].tile);
      Value least = writer.compute<arith::MaxSIOp>(
          writer.compute<arith::SubIOp>(zero, sum), zero);
      Value first = writer.compute<arith::MulIOp>(
          writer.compute<arith::DivUIOp>(least, tile), tile);
      from = writer.compute<arith::MaxSIOp>(from, choose(first, zero));
    }
  }
  return {from, to};
}

double carousel::findNeededPart(const GroupProgram &program) {
  unsigned rows = findRowsPosition(program),
           position = program.schedule.find(program.shape.stream->dim);
  const ScheduledDim &own = program.schedule.dims[position],
                     &ofRows = program.schedule.dims[rows];
  if (own.extent == kUnknownExtent || ofRows.extent == kUnknownExtent)
    return 1;
  // From their sum along j: sum + j >= 0, or sum - j >= 0.
  struct Line {
    int64_t along, factor, constant;
  };
  SmallVector<Line> lines;
  for (const StreamMask &mask : findStreamMasks(program)) {
    if (!mayHaveElements(program, mask))
      continue;
    for (const IndexBound &bound : mask.bounds) {
      auto isOther = [&](unsigned at) {
        return at != rows && at != position &&
               getCoefficient(program, mask.op, bound, at) != 0;
      };
      if (bound.numbers.empty() &&
          llvm::none_of(llvm::seq<unsigned>(program.schedule.dims.size()),
                        isOther))
        lines.push_back({getCoefficient(program, mask.op, bound, position),
                         getCoefficient(program, mask.op, bound, rows),
                         bound.constant});
    }
  }
  double needed = 0, all = 0;
  for (int64_t row = 0; row < ofRows.extent; row += ofRows.tile) {
    int64_t last = std::min(row + ofRows.tile, ofRows.extent) - 1;
    int64_t from = 0, to = own.extent;
    for (const Line &line : lines) {
      int64_t sum =
          line.constant + line.factor * (line.factor > 0 ? last : row);
      if (line.along < 0)
        to = std::min(to, sum + 1);
      else
        from = std::max(from, -sum / own.tile * own.tile);
    }
    needed += double(llvm::alignTo(std::max<int64_t>(to - from, 0), own.tile));
    all += double(llvm::alignTo(own.extent, own.tile));
  }
  return all == 0 ? 1 : needed / all;
}

SmallVector<Value> carousel::findHeldComparisons(const GroupProgram &program,
                                                 const StreamMask &mask) {
  SmallVector<Value> held;
  unsigned position = program.schedule.find(program.shape.stream->dim);
  int64_t tile = program.schedule.dims[position].tile;
  for (const IndexBound &bound : mask.bounds) {
    // j - c x >= 0, or c x - j - 1 >= 0, of an x in memory.
    int64_t own = getCoefficient(program, mask.op, bound, position);
    bool isOfTiles = (bound.constant + (own > 0 ? 0 : 1)) % tile == 0 &&
                     !bound.numbers.empty() && !mask.isFinite;
    for (unsigned at = 0; at != program.schedule.dims.size(); ++at)
      isOfTiles &=
          at == position || getCoefficient(program, mask.op, bound, at) == 0;
    for (auto [number, factor] : bound.numbers)
      isOfTiles &= factor % tile == 0;
    if (isOfTiles)
      held.push_back(bound.comparison);
  }
  return held;
}

Value carousel::isWholeTile(const GroupProgram &program, GroupVectors &vectors,
                            OpWriter &ops, const StreamMask &mask) {
  if (!mask.isExact)
    return {};
  BoundWriter writer(program, vectors, &ops);
  Value isWhole = writer.getTrue();
  if (mask.whole) {
    FailureOr<GroupValue> whole = ops.writePart(mask.op, mask.whole);
    if (failed(whole) || !whole->dims.empty())
      return {};
    isWhole = whole->value;
  }
  SmallVector<Value> held = findHeldComparisons(program, mask);
  for (const IndexBound &bound : mask.bounds) {
    if (llvm::is_contained(held, bound.comparison))
      continue;
    Value least = writer.computeBound(mask, bound, /*isLargest=*/false,
                                      /*hasTiles=*/true);
    if (!least)
      return {};
    Value holds = arith::CmpIOp::create(vectors.builder, vectors.loc,
                                        arith::CmpIPredicate::sge, least,
                                        writer.getIndex(0));
    isWhole = writer.compute<arith::AndIOp>(isWhole, holds);
  }
  return isWhole;
}
