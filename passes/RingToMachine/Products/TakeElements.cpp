//===- TakeElements.cpp - some elements of a vector -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TakeElements.h. Each op is one rule: which elements of its operands the
// elements of its result need.
//
//===----------------------------------------------------------------------===//

#include "TakeElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

using Positions = SmallVector<int64_t>;

static VectorType getTaken(Value vector, int64_t count) {
  return VectorType::get({count}, getElementTypeOrSelf(vector.getType()));
}

static int64_t countElements(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

/// Takes elements of a value that isn't followed.
static Value takeOfWhole(ImplicitLocOpBuilder &b, Value vector,
                         ArrayRef<int64_t> positions) {
  int64_t count = countElements(vector);
  Value flat =
      b.createOrFold<vector::ShapeCastOp>(getTaken(vector, count), vector);
  if (llvm::equal(positions, llvm::seq<int64_t>(count)))
    return flat;
  return vector::ShuffleOp::create(b, flat, flat, positions);
}

/// Elements of two vectors: `from` says of which, and where.
static Value takeOfTwo(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                       ArrayRef<int64_t> positions,
                       function_ref<std::pair<bool, int64_t>(int64_t)> from) {
  Positions ofLhs, ofRhs;
  SmallVector<std::pair<bool, int64_t>> order;
  for (int64_t position : positions) {
    auto [isRhs, at] = from(position);
    Positions &own = isRhs ? ofRhs : ofLhs;
    order.emplace_back(isRhs, own.size());
    own.push_back(at);
  }
  if (ofRhs.empty())
    return takeElements(b, lhs, ofLhs);
  if (ofLhs.empty())
    return takeElements(b, rhs, ofRhs);
  Value left = takeElements(b, lhs, ofLhs), right = takeElements(b, rhs, ofRhs);
  auto isPair = [&](size_t i) {
    return order[i] == std::pair(i % 2 == 1, int64_t(i / 2));
  };
  if (ofLhs.size() == ofRhs.size() &&
      llvm::all_of(llvm::seq(order.size()), isPair))
    return vector::InterleaveOp::create(b, left, right);
  Positions mask;
  for (auto [isRhs, at] : order)
    mask.push_back(at + (isRhs ? int64_t(ofLhs.size()) : 0));
  return vector::ShuffleOp::create(b, left, right, mask);
}

/// Takes whole elements of the source, or whole groups of them; null if the
/// positions aren't whole.
static Value takeOfBitcast(ImplicitLocOpBuilder &b, vector::BitCastOp op,
                           ArrayRef<int64_t> positions) {
  int64_t from = op.getSourceVectorType().getElementTypeBitWidth(),
          to = op.getResultVectorType().getElementTypeBitWidth();
  Positions ofSource;
  for (int64_t position : positions)
    for (int64_t i = 0; i < to / from; ++i)
      ofSource.push_back(position * (to / from) + i);
  if (int64_t parts = from / to; parts > 1) {
    for (auto [i, position] : llvm::enumerate(positions)) {
      int64_t part = int64_t(i) % parts;
      if (position % parts != part ||
          (part != 0 && position != positions[i - 1] + 1))
        return {};
      if (part == 0)
        ofSource.push_back(position / parts);
    }
    if (positions.size() % parts != 0)
      return {};
  }
  return vector::BitCastOp::create(b,
                                   getTaken(op.getResult(), positions.size()),
                                   takeElements(b, op.getSource(), ofSource));
}

/// The source's element for each one of the result.
static Value takeOfBroadcast(ImplicitLocOpBuilder &b, vector::BroadcastOp op,
                             ArrayRef<int64_t> positions) {
  auto from = dyn_cast<VectorType>(op.getSourceType());
  if (!from)
    return vector::BroadcastOp::create(
        b, getTaken(op.getResult(), positions.size()), op.getSource());
  ArrayRef<int64_t> shape = op.getResultVectorType().getShape();
  Positions ofSource;
  for (int64_t position : positions) {
    int64_t at = 0, stride = 1;
    for (int64_t dim = shape.size(), own = from.getRank(); own-- > 0;) {
      --dim;
      if (from.getDimSize(own) != 1)
        at += position % shape[dim] * stride;
      stride *= from.getDimSize(own);
      position /= shape[dim];
    }
    ofSource.push_back(at);
  }
  return takeElements(b, op.getSource(), ofSource);
}

/// Whether whole rows are inserted, or elements of a vector of one dimension:
/// elements that follow each other.
static bool insertsLine(vector::InsertStridedSliceOp op) {
  VectorType from = op.getSourceVectorType(), to = op.getDestVectorType();
  return !op.hasNonUnitStrides() && from.getRank() == to.getRank() &&
         from.getShape().drop_front() == to.getShape().drop_front();
}

static Value takeOfInsert(ImplicitLocOpBuilder &b,
                          vector::InsertStridedSliceOp op,
                          ArrayRef<int64_t> positions) {
  VectorType to = op.getDestVectorType();
  int64_t row = to.getNumElements() / to.getDimSize(0),
          offset = cast<IntegerAttr>(op.getOffsets()[0]).getInt() * row,
          size = op.getSourceVectorType().getNumElements();
  return takeOfTwo(
      b, op.getDest(), op.getValueToStore(), positions, [&](int64_t position) {
        bool isIn = position >= offset && position < offset + size;
        return std::pair(isIn, isIn ? position - offset : position);
      });
}

static bool isShuffleOfLine(vector::ShuffleOp op) {
  return op.getV1VectorType().getRank() == 1 &&
         llvm::none_of(op.getMask(), [](int64_t at) { return at < 0; });
}

/// Whether the op computes each element of its only result from those of its
/// operands, which are vectors of the same shape.
static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 && op->getNumOperands() != 0 &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           auto vector = dyn_cast<VectorType>(type);
           return vector &&
                  vector.getShape() ==
                      cast<VectorType>(op->getResult(0).getType()).getShape();
         });
}

static Value takeOfElementwise(ImplicitLocOpBuilder &b, Operation *op,
                               ArrayRef<int64_t> positions) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(takeElements(b, operand, positions));
  state.addTypes(getTaken(op->getResult(0), positions.size()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  return b.create(state)->getResult(0);
}

static Value takeOfConstant(ImplicitLocOpBuilder &b, DenseElementsAttr all,
                            ArrayRef<int64_t> positions) {
  auto type =
      VectorType::get({int64_t(positions.size())}, all.getElementType());
  if (all.isSplat())
    return arith::ConstantOp::create(b, all.resizeSplat(type));
  SmallVector<Attribute> values;
  for (int64_t position : positions)
    values.push_back(all.getValues<Attribute>()[position]);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
}

Value carousel::takeElements(ImplicitLocOpBuilder &b, Value vector,
                             ArrayRef<int64_t> positions) {
  DenseElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)))
    return takeOfConstant(b, constant, positions);
  Operation *op = vector.getDefiningOp();
  Value taken;
  if (op && isElementwise(op))
    taken = takeOfElementwise(b, op, positions);
  else if (op)
    taken =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([&](ub::PoisonOp) -> Value {
              return ub::PoisonOp::create(b,
                                          getTaken(vector, positions.size()));
            })
            .Case([&](vector::ShapeCastOp cast) {
              return takeElements(b, cast.getSource(), positions);
            })
            .Case([&](vector::BitCastOp cast) {
              return takeOfBitcast(b, cast, positions);
            })
            .Case([&](vector::BroadcastOp broadcast) {
              return takeOfBroadcast(b, broadcast, positions);
            })
            .Case([&](vector::InterleaveOp pairs) {
              return takeOfTwo(
                  b, pairs.getLhs(), pairs.getRhs(), positions,
                  [](int64_t at) { return std::pair(at % 2 == 1, at / 2); });
            })
            .Case([&](vector::ShuffleOp shuffle) {
              if (!isShuffleOfLine(shuffle))
                return Value();
              int64_t ofFirst = countElements(shuffle.getV1());
              bool isSame = shuffle.getV1() == shuffle.getV2();
              return takeOfTwo(b, shuffle.getV1(), shuffle.getV2(), positions,
                               [&](int64_t position) {
                                 int64_t at = shuffle.getMask()[position];
                                 bool isSecond = at >= ofFirst;
                                 return std::pair(isSecond && !isSame,
                                                  isSecond ? at - ofFirst : at);
                               });
            })
            .Case([&](vector::FromElementsOp elements) -> Value {
              SmallVector<Value> own;
              for (int64_t position : positions)
                own.push_back(elements.getElements()[position]);
              return vector::FromElementsOp::create(
                  b, getTaken(vector, positions.size()), own);
            })
            .Case([&](vector::InsertStridedSliceOp insert) {
              return insertsLine(insert) ? takeOfInsert(b, insert, positions)
                                         : Value();
            })
            .Default(Value());
  return taken ? taken : takeOfWhole(b, vector, positions);
}

Operation *carousel::findWholeVector(Value vector, Block *block) {
  // Loads of 16 bytes, say, are taken as they are.
  constexpr int64_t kFew = 16;
  llvm::SetVector<Value> open;
  open.insert(vector);
  for (unsigned i = 0; i < open.size(); ++i) {
    Operation *op = open[i].getDefiningOp();
    if (!isa<VectorType>(open[i].getType()) || !op || op->getBlock() != block ||
        countElements(open[i]) <= kFew)
      continue;
    auto insert = dyn_cast<vector::InsertStridedSliceOp>(op);
    auto shuffle = dyn_cast<vector::ShuffleOp>(op);
    if (!isElementwise(op) && !matchPattern(op, m_Constant()) &&
        !isa<ub::PoisonOp, vector::ShapeCastOp, vector::BitCastOp,
             vector::BroadcastOp, vector::InterleaveOp, vector::FromElementsOp>(
            op) &&
        !(insert && insertsLine(insert)) &&
        !(shuffle && isShuffleOfLine(shuffle)))
      return op;
    open.insert_range(op->getOperands());
  }
  return nullptr;
}
