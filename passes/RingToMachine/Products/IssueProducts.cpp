//===- IssueProducts.cpp - the instructions of one product ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IssueProducts.h.
//
//===----------------------------------------------------------------------===//

#include "IssueProducts.h"

#include "ProductLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Some elements of a vector
//
// Computes some elements of a vector without the others: the ops that compute
// it, on as many elements. So a part of a factor in registers is computed when
// it is needed, and the rest later. Each op is one rule: which elements of its
// operands the elements of its result need.
//===----------------------------------------------------------------------===//

using Positions = SmallVector<int64_t>;

namespace {

/// Computes elements from those of operands, which are computed before: each
/// once, and without a stack that grows with a chain of ops.
class ElementTaker {
public:
  explicit ElementTaker(ImplicitLocOpBuilder &b) : b(b) {}

  Value take(Value vector, ArrayRef<int64_t> positions);

private:
  /// The parts taken of one vector. Where permutations meet, one vector may be
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

/// The elements of `vector` at these row-major positions, as a vector of one
/// dimension. Where ops aren't followed, they are taken of the whole value.
static Value takeElements(ImplicitLocOpBuilder &b, Value vector,
                          ArrayRef<int64_t> positions) {
  return ElementTaker(b).take(vector, positions);
}

/// The op that computes `vector` and that isn't followed, of those in `block`,
/// where it has more than a few elements; or null.
static Operation *findWholeVector(Value vector, Block *block) {
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

//===----------------------------------------------------------------------===//
// The instructions of one product
//===----------------------------------------------------------------------===//

namespace {

/// A tile of a product, as blocks of rows of one span.
class Blocks {
public:
  Blocks(ImplicitLocOpBuilder &b, Value tile, Swizzle swizzle,
         MatrixMajor major, Value first)
      : b(b), swizzle(swizzle), major(major), first(first) {
    auto type = cast<MemRefType>(tile.getType());
    element = type.getElementType();
    auto [rows, columns] = getMatrixExtents(type);
    span = *getSwizzleSpan(swizzle) * 8 / element.getIntOrFloatBitWidth();
    SmallVector<int64_t> shape = {columns / span, rows, span};
    SmallVector<int64_t> strides = {rows * span, span, 1};
    auto layout = StridedLayoutAttr::get(b.getContext(), 0, strides);
    blocks = memref::ReinterpretCastOp::create(
        b, MemRefType::get(shape, element, layout, type.getMemorySpace()), tile,
        /*offset=*/0, shape, strides);
  }

  /// The descriptor of the piece that begins at `k`, `along` rows of m or n
  /// after the first.
  Value describe(int64_t along, int64_t k) {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value at = b.createOrFold<arith::AddIOp>(first, index(along));
    SmallVector<Value> place = {index(k / span), at, index(k % span)};
    if (major == MatrixMajor::MN)
      place = {b.createOrFold<arith::DivUIOp>(at, index(span)), index(k),
               b.createOrFold<arith::RemUIOp>(at, index(span))};
    return WgmmaDescriptorOp::create(
        b, MatrixDescriptorType::get(b.getContext(), element, major), blocks,
        place, swizzle);
  }

private:
  ImplicitLocOpBuilder &b;
  Swizzle swizzle;
  MatrixMajor major;
  Value first, blocks;
  Type element;
  int64_t span;
};

} // namespace

static VectorType getPieceType(MultiplyOp op) {
  auto type = cast<VectorType>(op.getSums().getType());
  return VectorType::get(type.getShape().drop_front(), type.getElementType());
}

SmallVector<Value> carousel::splitSums(ImplicitLocOpBuilder &b, MultiplyOp op,
                                       Value sums) {
  auto type = cast<VectorType>(op.getSums().getType());
  VectorType piece = getPieceType(op);
  int64_t pieces = type.getDimSize(0);
  DenseElementsAttr constant;
  if (matchPattern(sums, m_Constant(&constant)) && constant.isSplat())
    return SmallVector<Value>(
        pieces, arith::ConstantOp::create(b, constant.resizeSplat(piece)));
  Value all = b.createOrFold<vector::ShapeCastOp>(type, sums);
  SmallVector<Value> result;
  for (int64_t i = 0; i < pieces; ++i)
    result.push_back(vector::ExtractOp::create(b, all, i));
  return result;
}

Value carousel::joinSums(ImplicitLocOpBuilder &b, ValueRange pieces,
                         VectorType to) {
  if (pieces.size() == 1)
    return b.createOrFold<vector::ShapeCastOp>(to, pieces.front());
  auto piece = cast<VectorType>(pieces.front().getType());
  SmallVector<int64_t> shape = {int64_t(pieces.size())};
  shape.append(piece.getShape().begin(), piece.getShape().end());
  auto type = VectorType::get(shape, piece.getElementType());
  Value all = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (auto [i, part] : llvm::enumerate(pieces))
    all = vector::InsertOp::create(b, part, all, int64_t(i));
  return b.createOrFold<vector::ShapeCastOp>(to, all);
}

Instructions carousel::getAllInstructions(MultiplyOp op) {
  return {0, op.getDepth() / op.getInstructionDepth()};
}

/// The words of one instruction, of all elements of a factor.
static Value extractWords(ImplicitLocOpBuilder &b, Value factor, int64_t piece,
                          int64_t step) {
  Value part =
      vector::ExtractOp::create(b, factor, ArrayRef<int64_t>({piece, step}));
  return vector::BitCastOp::create(b, VectorType::get({4, 1}, b.getI32Type()),
                                   part);
}

/// The same, without the elements of others.
static Value takeWords(ImplicitLocOpBuilder &b, Value factor, int64_t piece,
                       int64_t step) {
  auto type = cast<VectorType>(factor.getType());
  int64_t elements = type.getDimSize(2) * type.getDimSize(3),
          first = (piece * type.getDimSize(1) + step) * elements;
  Value part = takeElements(
      b, factor, llvm::to_vector(llvm::seq<int64_t>(first, first + elements)));
  Value words =
      vector::BitCastOp::create(b, VectorType::get({4}, b.getI32Type()), part);
  return vector::ShapeCastOp::create(b, VectorType::get({4, 1}, b.getI32Type()),
                                     words);
}

SmallVector<Value> carousel::splitFactor(ImplicitLocOpBuilder &b, Value factor,
                                         Instructions instructions) {
  SmallVector<Value> registers;
  auto type = cast<VectorType>(factor.getType());
  bool isAll = instructions.count == type.getDimSize(1);
  for (int64_t piece = 0; piece < type.getDimSize(0); ++piece)
    for (int64_t i = 0; i < instructions.count; ++i) {
      int64_t step = instructions.begin + i;
      registers.push_back(isAll ? extractWords(b, factor, piece, step)
                                : takeWords(b, factor, piece, step));
    }
  return registers;
}

bool carousel::addsToZero(MultiplyOp op) {
  return matchPattern(op.getSums(), m_AnyZeroFloat()) ||
         matchPattern(op.getSums(), m_Zero());
}

/// Whether the first product overwrites the registers of the sums.
static bool beginsAtZero(MultiplyOp op) {
  return op.getPromote() || addsToZero(op);
}

SmallVector<Value> carousel::issueProducts(ImplicitLocOpBuilder &b,
                                           MultiplyOp op, ValueRange registers,
                                           ValueRange factor,
                                           Instructions instructions) {
  auto getMajor = [](bool isAlongK) {
    return isAlongK ? MatrixMajor::K : MatrixMajor::MN;
  };
  std::optional<Blocks> first;
  if (!op.hasRegisters())
    first.emplace(b, op.getA(), op.getSwizzleA(), getMajor(!op.getTransposeA()),
                  op.getRow());
  Blocks second(b, op.getB(), op.getSwizzleB(), getMajor(op.getTransposeB()),
                op.getColumn());
  int64_t step = op.getInstructionDepth();
  TypeAttr typeOfA;
  if (op.hasRegisters())
    typeOfA = TypeAttr::get(getElementTypeOrSelf(op.getA().getType()));
  SmallVector<Value> sums(registers);
  for (int64_t number = 0; number < instructions.count; ++number) {
    int64_t k = (instructions.begin + number) * step;
    Value scale;
    if (number == 0 && beginsAtZero(op))
      scale = arith::ConstantIntOp::create(b, 0, /*width=*/1);
    Value right = second.describe(/*along=*/0, k);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value left = first ? first->describe(i * kWgmmaRows, k)
                         : factor[i * instructions.count + number];
      sum = WgmmaMmaOp::create(b, sum.getType(), left, right, sum, scale,
                               /*negate_a=*/false, /*negate_b=*/false,
                               /*unsigned_a=*/false, /*unsigned_b=*/false,
                               /*saturate=*/false, typeOfA);
    }
  }
  return sums;
}

/// Registers that the first product overwrites.
static SmallVector<Value> makeUnread(ImplicitLocOpBuilder &b, MultiplyOp op) {
  return SmallVector<Value>(
      cast<VectorType>(op.getSums().getType()).getDimSize(0),
      ub::PoisonOp::create(b, getPieceType(op)));
}

SmallVector<Value> carousel::startSums(ImplicitLocOpBuilder &b, MultiplyOp op) {
  return beginsAtZero(op) ? makeUnread(b, op) : splitSums(b, op, op.getSums());
}

/// Each part's sums are added to the others while the next part is in flight.
static SmallVector<Value> multiplyInParts(ImplicitLocOpBuilder &b,
                                          MultiplyOp op) {
  SmallVector<Value> sums;
  if (!addsToZero(op))
    sums = splitSums(b, op, op.getSums());
  int64_t count = *op.getPromote() / op.getInstructionDepth(),
          all = getAllInstructions(op).count;
  SmallVector<Value> factor;
  if (op.hasRegisters()) {
    SmallVector<Value> own = splitFactor(b, op.getA(), {0, all});
    llvm::append_range(
        factor, WgmmaFenceOp::create(b, own, /*renews=*/false).getResults());
  }
  auto getPart = [&](int64_t begin) {
    SmallVector<Value> part;
    for (size_t first = 0; first < factor.size(); first += all)
      llvm::append_range(part, ValueRange(factor).slice(first + begin, count));
    return part;
  };
  SmallVector<Value> before;
  auto add = [&](int64_t pending) {
    SmallVector<Value> registers = before;
    if (pending == 0)
      llvm::append_range(registers, factor);
    auto wait = WgmmaWaitOp::create(b, pending, registers);
    if (sums.empty()) {
      sums = wait.getResults().take_front(before.size());
      return;
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = arith::AddFOp::create(b, sum, wait.getResult(i));
  };
  for (int64_t begin = 0; begin < all; begin += count) {
    SmallVector<Value> unread = makeUnread(b, op);
    ValueRange fenced =
        WgmmaFenceOp::create(b, unread, /*renews=*/false).getResults();
    SmallVector<Value> part =
        issueProducts(b, op, fenced, getPart(begin), {begin, count});
    WgmmaCommitOp::create(b);
    if (begin != 0)
      add(/*pending=*/1);
    before = std::move(part);
  }
  add(/*pending=*/0);
  return sums;
}

bool carousel::isOnePromotedPart(MultiplyOp op) {
  return op.getPromote() == uint64_t(op.getDepth()) && addsToZero(op);
}

void carousel::lowerPromoted(MultiplyOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> sums = multiplyInParts(b, op);
  op.replaceAllUsesWith(
      joinSums(b, sums, cast<VectorType>(op.getSums().getType())));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Factors that are computed in two parts
//
// See ProductLoop.h. The first half of k has registers of its own, and so has
// the second one. While the products of one half are in flight, threads compute
// the other half. So there are always products in flight, and both halves have
// as many registers as one factor.
//===----------------------------------------------------------------------===//

/// The elements of vectors that an op computes or reads.
static int64_t countElements(Operation *op) {
  int64_t most = 0;
  auto note = [&](Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      most = std::max(most, vector.getNumElements());
  };
  llvm::for_each(op->getOperandTypes(), note);
  llvm::for_each(op->getResultTypes(), note);
  return most;
}

/// The elements that threads compute for these instructions alone.
int64_t ProductLoop::countWork(Instructions part) {
  MultiplyOp op = products.front().op;
  Block own;
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  b.setInsertionPointToEnd(&own);
  preparePart(b, part);
  int64_t work = 0;
  for (Operation &clone : own)
    clone.walk([&](Operation *inner) { work += countElements(inner); });
  return work;
}

/// A factor has parts if threads don't compute much for both.
void ProductLoop::readParts() {
  constexpr double kMost = 1.25;
  MultiplyOp op = products.front().op;
  int64_t count = getAllInstructions(op).count;
  if (products.size() != 1 || count % 2 != 0 ||
      findWholeVector(op.getA(), loop.getBody()))
    return;
  Instructions first = {0, count / 2}, second = {count / 2, count / 2};
  if (double(countWork(first) + countWork(second)) <=
      kMost * double(countWork({0, count})))
    parts = {first, second};
}

/// The words of a part, of the iteration whose body the builder is in.
SmallVector<Value> ProductLoop::preparePart(ImplicitLocOpBuilder &b,
                                            Instructions part) {
  IRMapping mapping;
  SmallVector<Operation *> clones;
  for (Operation *original : preparation)
    if (!isa<RingWaitOp>(original))
      clones.push_back(b.clone(*original, mapping));
  Value factor = MultiplyOp(products.front().op).getA();
  SmallVector<Value> words =
      splitFactor(b, mapping.lookupOrDefault(factor), part);
  eraseUnused(clones);
  return words;
}

/// Registers that no product reads, for the first iteration to wait for.
SmallVector<Value> ProductLoop::createUnreadPart(ImplicitLocOpBuilder &b) {
  auto type =
      cast<VectorType>(MultiplyOp(products.front().op).getA().getType());
  Value none = ub::PoisonOp::create(b, VectorType::get({4, 1}, b.getI32Type()));
  SmallVector<Value> words(type.getDimSize(0) * parts.back().count, none);
  return SmallVector<Value>(
      WgmmaFenceOp::create(b, words, /*renews=*/false).getResults());
}

/// Waits until at most this part's products are in flight. `earlier` are the
/// registers of the factor that the others read.
void ProductLoop::issuePart(ImplicitLocOpBuilder &b, ValueRange factor,
                            Instructions part, ValueRange earlier) {
  MultiplyOp op = products.front().op;
  Operation *yield = made.getBody()->getTerminator();
  unsigned first = firstRegisters.front();
  int64_t pieces = cast<VectorType>(op.getSums().getType()).getDimSize(0);
  SmallVector<Value> sums = issueProducts(
      b, op, yield->getOperands().slice(first, pieces), factor, part);
  for (auto [i, sum] : llvm::enumerate(sums))
    yield->setOperand(first + i, sum);
  WgmmaCommitOp::create(b);
  WgmmaWaitOp::create(b, /*pending=*/1, earlier);
}

void ProductLoop::multiplyFirstPart() {
  MultiplyOp op = products.front().op;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  ValueRange carried = made.getRegionIterArgs();
  unsigned count = secondFactor - firstFactor;
  ValueRange factor = WgmmaFenceOp::create(b, carried.slice(firstFactor, count),
                                           /*renews=*/false)
                          .getResults();
  inFlight.assign(factor.begin(), factor.end());
  issuePart(b, factor, parts.front(), carried.drop_front(secondFactor));
}

void ProductLoop::multiplySecondPart() {
  MultiplyOp op = products.front().op;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> words = preparePart(b, parts.back());
  ValueRange factor =
      WgmmaFenceOp::create(b, words, /*renews=*/false).getResults();
  issuePart(b, factor, parts.back(), inFlight);
  Operation *yield = made.getBody()->getTerminator();
  for (auto [i, value] : llvm::enumerate(factor))
    yield->setOperand(secondFactor + i, value);
}

void ProductLoop::eraseUnused(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}
