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

#include <map>

using namespace mlir;
using namespace carousel;

using Positions = SmallVector<int64_t>;

namespace {

/// Computes elements from those of operands, which are computed before: each
/// once, and without a stack that grows with a chain of ops.
class ElementTaker {
public:
  explicit ElementTaker(ImplicitLocOpBuilder &b) : b(b) {}

  Value take(Value vector, ArrayRef<int64_t> positions);

private:
  /// What is taken of one vector. Where permutations meet, one vector may be
  /// needed in exponentially many orders: more than a few are taken of the
  /// whole vector.
  static constexpr size_t kMostOrders = 16;
  using Orders = std::map<Positions, Value>;
  struct Request {
    Value vector;
    Positions positions;
  };

  /// Null for what isn't computed yet, which is requested then.
  Value get(Value vector, ArrayRef<int64_t> positions);
  /// The elements; null if operands' elements are requested first.
  Value compute(Value vector, ArrayRef<int64_t> positions);
  Value takeOfWhole(Value vector, ArrayRef<int64_t> positions);
  Value takeOfTwo(Value lhs, Value rhs, ArrayRef<int64_t> positions,
                  function_ref<std::pair<bool, int64_t>(int64_t)> from);
  Value takeOfBitcast(vector::BitCastOp op, ArrayRef<int64_t> positions);
  Value takeOfBroadcast(vector::BroadcastOp op, ArrayRef<int64_t> positions);
  Value takeOfInsert(vector::InsertStridedSliceOp op,
                     ArrayRef<int64_t> positions);
  Value takeOfElementwise(Operation *op, ArrayRef<int64_t> positions);
  Value takeOfConstant(DenseElementsAttr all, ArrayRef<int64_t> positions);

  ImplicitLocOpBuilder &b;
  llvm::DenseMap<Value, Orders> taken;
  SmallVector<Request> missing;
};

} // namespace

static VectorType getTaken(Value vector, int64_t count) {
  return VectorType::get({count}, getElementTypeOrSelf(vector.getType()));
}

static int64_t countElements(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

/// Takes elements of a value that isn't followed.
Value ElementTaker::takeOfWhole(Value vector, ArrayRef<int64_t> positions) {
  int64_t count = countElements(vector);
  Value flat =
      b.createOrFold<vector::ShapeCastOp>(getTaken(vector, count), vector);
  if (llvm::equal(positions, llvm::seq<int64_t>(count)))
    return flat;
  return vector::ShuffleOp::create(b, flat, flat, positions);
}

/// Elements of two vectors: `from` says of which, and where.
Value ElementTaker::takeOfTwo(
    Value lhs, Value rhs, ArrayRef<int64_t> positions,
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
    return get(lhs, ofLhs);
  if (ofLhs.empty())
    return get(rhs, ofRhs);
  Value left = get(lhs, ofLhs), right = get(rhs, ofRhs);
  if (!left || !right)
    return {};
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
Value ElementTaker::takeOfBitcast(vector::BitCastOp op,
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
  Value source = get(op.getSource(), ofSource);
  if (!source)
    return {};
  return vector::BitCastOp::create(
      b, getTaken(op.getResult(), positions.size()), source);
}

/// The source's element for each one of the result.
Value ElementTaker::takeOfBroadcast(vector::BroadcastOp op,
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
  return get(op.getSource(), ofSource);
}

/// Whether whole rows are inserted, or elements of a vector of one dimension:
/// elements that follow each other.
static bool insertsLine(vector::InsertStridedSliceOp op) {
  VectorType from = op.getSourceVectorType(), to = op.getDestVectorType();
  return !op.hasNonUnitStrides() && from.getRank() == to.getRank() &&
         from.getShape().drop_front() == to.getShape().drop_front();
}

Value ElementTaker::takeOfInsert(vector::InsertStridedSliceOp op,
                                 ArrayRef<int64_t> positions) {
  VectorType to = op.getDestVectorType();
  int64_t row = to.getNumElements() / to.getDimSize(0),
          offset = cast<IntegerAttr>(op.getOffsets()[0]).getInt() * row,
          size = op.getSourceVectorType().getNumElements();
  return takeOfTwo(
      op.getDest(), op.getValueToStore(), positions, [&](int64_t position) {
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

Value ElementTaker::takeOfElementwise(Operation *op,
                                      ArrayRef<int64_t> positions) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(get(operand, positions));
  if (!missing.empty())
    return {};
  state.addTypes(getTaken(op->getResult(0), positions.size()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  return b.create(state)->getResult(0);
}

Value ElementTaker::takeOfConstant(DenseElementsAttr all,
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

Value ElementTaker::compute(Value vector, ArrayRef<int64_t> positions) {
  DenseElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)))
    return takeOfConstant(constant, positions);
  Operation *op = vector.getDefiningOp();
  Value elements;
  if (op && isElementwise(op))
    elements = takeOfElementwise(op, positions);
  else if (op)
    elements =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([&](ub::PoisonOp) -> Value {
              return ub::PoisonOp::create(b,
                                          getTaken(vector, positions.size()));
            })
            .Case([&](vector::ShapeCastOp cast) {
              return get(cast.getSource(), positions);
            })
            .Case([&](vector::BitCastOp cast) {
              return takeOfBitcast(cast, positions);
            })
            .Case([&](vector::BroadcastOp broadcast) {
              return takeOfBroadcast(broadcast, positions);
            })
            .Case([&](vector::InterleaveOp pairs) {
              return takeOfTwo(
                  pairs.getLhs(), pairs.getRhs(), positions,
                  [](int64_t at) { return std::pair(at % 2 == 1, at / 2); });
            })
            .Case([&](vector::ShuffleOp shuffle) {
              if (!isShuffleOfLine(shuffle))
                return Value();
              int64_t ofFirst = countElements(shuffle.getV1());
              bool isSame = shuffle.getV1() == shuffle.getV2();
              return takeOfTwo(shuffle.getV1(), shuffle.getV2(), positions,
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
              return insertsLine(insert) ? takeOfInsert(insert, positions)
                                         : Value();
            })
            .Default(Value());
  if (!missing.empty())
    return {};
  return elements ? elements : takeOfWhole(vector, positions);
}

Value ElementTaker::get(Value vector, ArrayRef<int64_t> positions) {
  auto found = taken.find(vector);
  if (found != taken.end())
    if (auto own = found->second.find(Positions(positions));
        own != found->second.end())
      return own->second;
  missing.push_back({vector, Positions(positions)});
  return {};
}

Value ElementTaker::take(Value vector, ArrayRef<int64_t> positions) {
  SmallVector<Request> open = {{vector, Positions(positions)}};
  Value last;
  while (!open.empty()) {
    missing.clear();
    Request request = open.back();
    last = get(request.vector, request.positions);
    missing.clear();
    if (!last)
      last = taken[request.vector].size() >= kMostOrders
                 ? takeOfWhole(request.vector, request.positions)
                 : compute(request.vector, request.positions);
    if (!last) {
      open.append(missing.rbegin(), missing.rend());
      continue;
    }
    taken[request.vector].emplace(request.positions, last);
    open.pop_back();
  }
  return last;
}

Value carousel::takeElements(ImplicitLocOpBuilder &b, Value vector,
                             ArrayRef<int64_t> positions) {
  return ElementTaker(b).take(vector, positions);
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
