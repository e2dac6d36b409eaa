//===- LowerRowReductions.cpp - sums, and products of matrices ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are combined in ascending order, after the accumulator. Products are
// added without rounding them first, as upstream's lowering and the device do.
//
//===----------------------------------------------------------------------===//

#include "LowerValues.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

static ArrayRef<int64_t> getShape(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

static SmallVector<Value> concat(Coords first, Coords second) {
  SmallVector<Value> all(first);
  llvm::append_range(all, second);
  return all;
}

/// Keeps the old value where the mask is given and false.
static Value selectMasked(ImplicitLocOpBuilder &b, ValueAccess &access,
                          Value mask, Coords coords, Value combined,
                          Value old) {
  if (!mask)
    return combined;
  return arith::SelectOp::create(b, access.read(b, mask, coords), combined,
                                 old);
}

static void reduceDims(ImplicitLocOpBuilder &b, ValueAccess &access,
                       vector::MultiDimReductionOp op, Value mask) {
  SmallVector<bool> isReduced = op.getReductionMask();
  SmallVector<int64_t> bounds;
  for (auto [extent, reduced] :
       llvm::zip_equal(getShape(op.getSource()), isReduced))
    bounds.push_back(reduced ? access.getBound(extent) : extent);
  ArrayRef<int64_t> shape = bounds;
  auto combine = [&](Coords coords, Value old) -> Value {
    Value element = access.read(b, op.getSource(), coords);
    Value combined =
        vector::makeArithReduction(b, b.getLoc(), op.getKind(), element, old);
    return selectMasked(b, access, mask, coords, combined, old);
  };
  if (!isa<VectorType>(op.getDestType())) {
    Value result = access.fold(b, shape, op.getAcc(), combine);
    op.getDest().replaceAllUsesWith(result);
    return;
  }
  // Dimensions go in the order of memory. Trailing dimensions that are reduced
  // need no partial results in memory.
  size_t leading = shape.size();
  while (leading > 0 && isReduced[leading - 1])
    --leading;
  access.copy(b, op.getAcc(), op.getDest());
  access.forEach(b, shape.take_front(leading), [&](Coords outer) {
    SmallVector<Value> place;
    for (auto [dim, coord] : llvm::enumerate(outer))
      if (!isReduced[dim])
        place.push_back(coord);
    Value result = access.fold(b, shape.drop_front(leading),
                               access.read(b, op.getDest(), place),
                               [&](Coords inner, Value old) {
                                 return combine(concat(outer, inner), old);
                               });
    access.write(b, op.getDest(), place, result);
  });
}

static LogicalResult reduce(ImplicitLocOpBuilder &b, ValueAccess &access,
                            vector::ReductionOp op, Value mask) {
  Value initial = op.getAcc(), source = op.getVector();
  int64_t first = 0, count = op.getSourceVectorType().getNumElements();
  if (!initial) {
    if (mask)
      return op.emitError("expected an accumulator of a masked reduction in a "
                          "block program, got none");
    initial = access.readFlat(b, source, createIndex(b, first++));
  }
  Value result =
      access.fold(b, count - first, initial, [&](Coords coords, Value old) {
        Value at = addConstant(b, coords[0], first);
        Value combined = vector::makeArithReduction(
            b, b.getLoc(), op.getKind(), access.readFlat(b, source, at), old,
            op.getFastmathAttr());
        return selectMasked(b, access, mask, at, combined, old);
      });
  op.getDest().replaceAllUsesWith(result);
  return success();
}

/// The elements of each line in their order, or from the last one on.
static void scan(ImplicitLocOpBuilder &b, ValueAccess &access, ScanOp op) {
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<int64_t> lines(op.getType().getShape());
  int64_t length = access.getBound(lines[dim]);
  lines.erase(lines.begin() + dim);
  Block &body = op.getBody().front();
  auto combine = [&](ValueRange before, ValueRange next) {
    IRMapping mapping;
    mapping.map(body.getArguments(),
                llvm::to_vector(llvm::concat<Value>(llvm::to_vector(before),
                                                    llvm::to_vector(next))));
    for (Operation &inner : body.without_terminator())
      b.clone(inner, mapping);
    return llvm::map_to_vector(op.getEnd()->getOperands(), [&](Value value) {
      return mapping.lookupOrDefault(value);
    });
  };
  access.forEach(b, lines, [&](Coords outer) {
    auto getElement = [&](Value vector) {
      return isa<VectorType>(vector.getType()) ? access.read(b, vector, outer)
                                               : vector;
    };
    SmallVector<Value> initial = llvm::map_to_vector(op.getInits(), getElement);
    Value last;
    if (op.getReverse())
      last =
          arith::SubIOp::create(b, access.getEnd(b, length), createIndex(b, 1));
    SmallVector<Value> totals = access.foldAll(
        b, length, initial, [&](Coords along, ValueRange before) {
          Value at = last ? arith::SubIOp::create(b, last, along[0]) : along[0];
          SmallVector<Value> place(outer);
          place.insert(place.begin() + dim, at);
          SmallVector<Value> next = combine(
              before, llvm::map_to_vector(op.getSources(), [&](Value source) {
                return access.read(b, source, place);
              }));
          for (auto [result, own] : llvm::zip_equal(
                   op.getScanned(),
                   op.getExclusive() ? llvm::to_vector(before) : next))
            access.write(b, result, place, own);
          return next;
        });
    for (auto [result, total] : llvm::zip_equal(op.getTotals(), totals))
      if (isa<VectorType>(result.getType()))
        access.write(b, result, outer, total);
      else
        result.replaceAllUsesWith(total);
  });
}

/// Each element goes where as many come before it as there are.
static void sort(ImplicitLocOpBuilder &b, ValueAccess &access, SortOp op) {
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<int64_t> bounds(op.getType().getShape());
  int64_t length = access.getBound(bounds[dim]);
  bounds[dim] = length;
  Type i32 = b.getI32Type();
  access.forEach(b, bounds, [&](Coords place) {
    Value own = access.read(b, op.getKey(), place);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value rank =
        access.fold(b, length, zero, [&](Coords along, Value before) -> Value {
          SmallVector<Value> at(place);
          at[dim] = along[0];
          Value other = access.read(b, op.getKey(), at);
          Value less =
              arith::CmpIOp::create(b, arith::CmpIPredicate::slt, other, own);
          Value same =
              arith::CmpIOp::create(b, arith::CmpIPredicate::eq, other, own);
          Value isEarlier = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                  along[0], place[dim]);
          Value precedes = arith::OrIOp::create(
              b, less, arith::AndIOp::create(b, same, isEarlier));
          return arith::SelectOp::create(
              b, precedes, arith::AddIOp::create(b, before, createIndex(b, 1)),
              before);
        });
    SmallVector<Value> target(place);
    target[dim] = rank;
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, rank,
                                          createIndex(b, op.getFirstCount()));
    auto branch = scf::IfOp::create(b, isFirst);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    access.write(b, op.getOrder(), target,
                 arith::IndexCastOp::create(b, i32, place[dim]));
    for (auto [value, sorted] : llvm::zip_equal(op.getValues(), op.getSorted()))
      access.write(b, sorted, target, access.read(b, value, place));
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Value extend(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

static Value accumulate(ImplicitLocOpBuilder &b, vector::CombiningKind kind,
                        Value lhs, Value rhs, Value old) {
  Type type = old.getType();
  lhs = extend(b, lhs, type);
  rhs = extend(b, rhs, type);
  if (isa<FloatType>(type)) {
    if (kind == vector::CombiningKind::ADD)
      return math::FmaOp::create(b, lhs, rhs, old);
    return vector::makeArithReduction(b, b.getLoc(), kind,
                                      arith::MulFOp::create(b, lhs, rhs), old);
  }
  return vector::makeArithReduction(b, b.getLoc(), kind,
                                    arith::MulIOp::create(b, lhs, rhs), old);
}

static LogicalResult verifyExtends(Operation *op, Type accumulator,
                                   ValueRange factors) {
  Type to = getElementTypeOrSelf(accumulator);
  for (Value factor : factors) {
    Type from = getElementTypeOrSelf(factor.getType());
    bool isSame = from == to;
    bool extends = from.isIntOrFloat() && to.isIntOrFloat() &&
                   isa<FloatType>(from) == isa<FloatType>(to) &&
                   from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
    if (!isSame && !extends)
      return op->emitError("expected factors that extend to the accumulator's "
                           "type ")
             << to << ", got " << from;
  }
  return success();
}

/// Parallel dimensions are the outer loops.
static LogicalResult contract(ImplicitLocOpBuilder &b, ValueAccess &access,
                              vector::ContractionOp op, Value mask) {
  if (failed(verifyExtends(op, op.getAccType(), {op.getLhs(), op.getRhs()})))
    return failure();
  SmallVector<int64_t> bounds, outerShape, innerShape, order;
  op.getIterationBounds(bounds);
  for (bool isInner : {false, true})
    for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if ((iterator == vector::IteratorType::reduction) == isInner) {
        order.push_back(int64_t(dim));
        if (isInner)
          innerShape.push_back(access.getBound(bounds[dim]));
        else
          outerShape.push_back(bounds[dim]);
      }
  SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
  auto select = [](AffineMap map, Coords coords) {
    SmallVector<Value> place;
    for (AffineExpr result : map.getResults())
      place.push_back(coords[cast<AffineDimExpr>(result).getPosition()]);
    return place;
  };
  auto getCoords = [&](Coords outer, Coords inner) {
    SmallVector<Value> coords(order.size());
    for (auto [dim, coord] : llvm::zip_equal(order, concat(outer, inner)))
      coords[dim] = coord;
    return coords;
  };
  auto sum = [&](Coords outer, Value initial) {
    return access.fold(b, innerShape, initial, [&](Coords inner, Value old) {
      SmallVector<Value> coords = getCoords(outer, inner);
      auto getFactor = [&](Value factor, AffineMap map) {
        return access.read(b, factor, select(map, coords));
      };
      Value next = accumulate(b, op.getKind(), getFactor(op.getLhs(), maps[0]),
                              getFactor(op.getRhs(), maps[1]), old);
      return selectMasked(b, access, mask, coords, next, old);
    });
  };
  if (!isa<VectorType>(op.getResultType())) {
    op.getResult().replaceAllUsesWith(sum({}, op.getAcc()));
    return success();
  }
  SmallVector<Value> none(innerShape.size());
  access.forEach(b, outerShape, [&](Coords outer) {
    SmallVector<Value> place = select(maps[2], getCoords(outer, none));
    access.write(b, op.getResult(), place,
                 sum(outer, access.read(b, op.getAcc(), place)));
  });
  return success();
}

/// The second factor may be a scalar.
static void multiplyOuter(ImplicitLocOpBuilder &b, ValueAccess &access,
                          vector::OuterProductOp op, Value mask) {
  access.forEach(b, getShape(op.getResult()), [&](Coords coords) {
    Value lhs = access.read(b, op.getLhs(), coords[0]);
    Value rhs = op.getRhs();
    if (isa<VectorType>(rhs.getType()))
      rhs = access.read(b, rhs, coords[1]);
    Value result;
    if (Value acc = op.getAcc()) {
      Value old = access.read(b, acc, coords);
      result = selectMasked(b, access, mask, coords,
                            accumulate(b, op.getKind(), lhs, rhs, old), old);
    } else if (isa<FloatType>(lhs.getType())) {
      result = arith::MulFOp::create(b, lhs, rhs);
    } else {
      result = arith::MulIOp::create(b, lhs, rhs);
    }
    access.write(b, op.getResult(), coords, result);
  });
}

FailureOr<bool> carousel::sim::lowerReductions(ImplicitLocOpBuilder &b,
                                               ValueAccess &access,
                                               Operation *op, Value mask) {
  auto check = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case([&](vector::MultiDimReductionOp op) {
        reduceDims(b, access, op, mask);
        return true;
      })
      .Case([&](vector::ReductionOp op) {
        return check(reduce(b, access, op, mask));
      })
      .Case([&](ScanOp op) {
        scan(b, access, op);
        return true;
      })
      .Case([&](SortOp op) {
        sort(b, access, op);
        return true;
      })
      .Case([&](vector::ContractionOp op) {
        return check(contract(b, access, op, mask));
      })
      .Case([&](vector::OuterProductOp op) {
        multiplyOuter(b, access, op, mask);
        return true;
      })
      .Default([](Operation *) { return false; });
}
