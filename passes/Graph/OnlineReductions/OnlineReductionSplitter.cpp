//===- OnlineReductionSplitter.cpp - tiles and their sums -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnlineReductionSplitter.h.
//
//===----------------------------------------------------------------------===//

#include "OnlineReductionSplitter.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "../Reading/OperandChanges.h"
#include "RowCorrections.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

namespace {

class OnlineReductionSplitter {
public:
  OnlineReductionSplitter(const Graph &graph,
                          const SplitOnlineReduction &stream,
                          RewriterBase &rewriter)
      : graph(graph), group(stream.group), shape(stream.shape),
        rewriter(rewriter),
        tiles(shape.dims[shape.stream->dim].extent / stream.columns),
        columns(stream.columns),
        rest(shape.dims[shape.stream->dim].extent % stream.columns) {}

  /// Empty if the ops can be written, or what stands against it.
  std::string explain();
  /// Writes the new ops, and erases those that they replace.
  LogicalResult run();

private:
  linalg::GenericOp getOp(size_t at) const {
    return dyn_cast<linalg::GenericOp>(graph.ops[group.ops[at]]);
  }
  const GraphOp &getNode(size_t at) const {
    return graph.problem.ops[group.ops[at]];
  }
  Value getResult(size_t at) const {
    return graph.ops[group.ops[at]]->getResult(0);
  }
  OnlineRole getRole(size_t at) const { return shape.stream->roles[at]; }
  bool isNeeded(size_t at) const { return shape.stream->needed[at]; }
  std::optional<size_t> findWriter(Value tensor) const;
  const OnlineReference *findReference(Value tensor) const {
    return carousel::findReference(graph, *shape.stream, tensor);
  }
  SmallVector<OpOperand *> findNeededInputs(size_t at) const;
  std::optional<unsigned> findLoop(size_t at) const;

  /// A stand-in for a tensor that an op reads.
  struct Operand {
    /// Null: `constant` stands for its elements.
    Value tensor;
    /// The first dimension is along tiles, so that neighbours are rows of one
    /// tile.
    bool isOfTiles = false;
    TypedAttr constant = {};
  };
  using FindOperand = llvm::function_ref<Operand(OpOperand &input)>;

  /// Writes the op, before itself, for a part: for tiles with a loop along
  /// these and one along columns in place of \p loop, which the op may lack.
  /// Its result starts from \p start, if that isn't null. A sum along the loop
  /// is one for each tile.
  Value write(linalg::GenericOp op, std::optional<unsigned> loop, bool isRest,
              FindOperand findOperand, TypedAttr start);
  /// Writes what an elementwise op computes of the part, for a tensor that it
  /// computes for one other op. Null for other tensors.
  Value writeProducer(Value tensor, unsigned dim, bool isRest);
  /// The part of a tensor along a dimension, of which tiles have two: a view of
  /// it, or what one elementwise op computes of views.
  Value takePart(Value tensor, unsigned dim, bool isRest);
  Operand takePart(linalg::GenericOp op, OpOperand &input,
                   std::optional<unsigned> loop, bool isRest);
  Value slice(Value tensor, unsigned dim, int64_t first, int64_t count);
  /// Joins what an op computes of whole tiles and of the rest.
  Value append(Value ofTiles, Value ofRest);

  Operand findOperand(size_t at, OpOperand &input, bool isRest);
  /// Returns what an op computes for a part, and notes what others read of it.
  Value writePart(size_t at, bool isRest);
  /// Writes 0 for an extremum of nothing, with which tiles are computed.
  Value writeGuarded(size_t at, Value partial);

  const Graph &graph;
  const OpGroup &group;
  const GroupShape &shape;
  RewriterBase &rewriter;
  int64_t tiles, columns, rest;
  /// By result, of all tiles together and of the rest: what tiles compute, and
  /// the rows that they are computed with.
  std::array<llvm::DenseMap<Value, Value>, 2> values;
  /// The rows of each tile, the rest being one more.
  llvm::DenseMap<Value, Value> partials;
  /// The result of all tiles of sums.
  llvm::DenseMap<Value, Value> totals;

  friend class TileCombiner;
};

} // namespace

/// Numbers that correct are f32 at least.
static Value extend(OpBuilder &builder, Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type || type.getWidth() >= 32)
    return value;
  return arith::ExtFOp::create(builder, value.getLoc(), builder.getF32Type(),
                               value);
}

static Value convert(OpBuilder &builder, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, value.getLoc(), type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, value.getLoc(), type, value);
  return value;
}

namespace {

/// Writes the op that combines a reduction's results of all tiles, each of
/// which was computed with rows of its own: it is corrected by the rows of all
/// tiles. It is ElementChanges.h's domain: numbers are scalars of the op's
/// body.
class TileCombiner {
public:
  /// Combines the tiles of the group's op at \p sum.
  TileCombiner(const OnlineReductionSplitter &divider, size_t sum);

  /// Empty if the op can be written.
  const std::string &getRefusal() const { return refusal; }
  /// Where the rewriter is. Null if an op has no correction.
  Value write(RewriterBase &rewriter);

  /// A number of a body, and whether what it corrects is zero.
  struct Number {
    Value value, isZero;
  };
  bool isRow(Value value);
  Number getDifference(Value row);
  Number getValue(Value value) { return {get(value, /*isOfTile=*/false), {}}; }
  Number add(const Number &a, const Number &b) {
    return {create<arith::AddFOp>(a.value, b.value), unite(a, b)};
  }
  Number multiply(const Number &a, const Number &b) {
    if (!a.value || !b.value)
      return {a.value ? a.value : b.value, unite(a, b)};
    return {create<arith::MulFOp>(a.value, b.value), unite(a, b)};
  }
  Number divide(const Number &a, const Number &b) {
    return multiply(a, invert(b));
  }
  Number negate(const Number &a) {
    if (!a.value)
      return a;
    return {arith::NegFOp::create(*builder, loc, a.value), a.isZero};
  }
  Number invert(const Number &a) {
    // Zeros have no quotient that a later row would undo.
    hasFailed |= static_cast<bool>(a.isZero);
    if (!a.value)
      return a;
    Value one = arith::ConstantOp::create(
        *builder, loc, builder->getFloatAttr(a.value.getType(), 1.0));
    return {arith::DivFOp::create(*builder, loc, one, a.value), {}};
  }
  Number apply(Operation *math, const Number &a) {
    hasFailed |= a.isZero && !isa<math::AbsFOp, math::SqrtOp>(math);
    if (!a.value)
      return a;
    OperationState state(loc, math->getName());
    state.addOperands(a.value);
    state.addTypes(a.value.getType());
    state.addAttributes(math->getAttrs());
    return {builder->create(state)->getResult(0), a.isZero};
  }

private:
  /// The part of a row's tensor that is read.
  enum class Part {
    OfTile, ///< what a tile has, of extrema of nothing an infinite number
    Total,  ///< of all tiles
  };
  struct Input {
    Value tensor; ///< of the graph before
    Part part;
    SmallVector<unsigned> loops;
  };
  using Correction = ElementChanges<TileCombiner>::Change;

  void collect();
  void collectRow(Value tensor, ArrayRef<unsigned> loops);
  /// Whether the input is new.
  bool add(Value tensor, Part part, ArrayRef<unsigned> loops);
  std::optional<SmallVector<unsigned>> findLoops(size_t at,
                                                 OpOperand &input) const;
  Value get(Value value, bool isOfTile) {
    return extend(*builder, computeValue(value, isOfTile));
  }
  template <typename Op> Value create(Value a, Value b) {
    Type wider = a.getType().getIntOrFloatBitWidth() <
                         b.getType().getIntOrFloatBitWidth()
                     ? b.getType()
                     : a.getType();
    return Op::create(*builder, loc, convert(*builder, a, wider),
                      convert(*builder, b, wider));
  }
  Value unite(const Number &a, const Number &b) {
    if (!a.isZero || !b.isZero)
      return a.isZero ? a.isZero : b.isZero;
    return arith::OrIOp::create(*builder, loc, a.isZero, b.isZero);
  }
  Value getArgument(Value tensor, Part part) const;
  /// A row that tiles are computed with, or the true one.
  Value getRow(Value tensor, bool isOfTile);
  /// Whether a tile has no element of a row, and others have, unless elements
  /// are chosen; null if each has.
  Value findEmpty();
  Value computeValue(Value value, bool isOfTile);
  Value computeOne(Value value, bool isOfTile);
  /// By references of these kinds.
  Correction findCorrection(bool hasShifts, bool hasScales);
  Value correct(const Correction &correction, Value value);
  /// Corrects by rows what a tile has, of which nothing may count.
  Value correctSoFar(Value value);

  const OnlineReductionSplitter &divider;
  size_t sum;
  SmallVector<unsigned> dims; ///< of the result, of the group's
  std::vector<Input> inputs;
  std::string refusal;
  /// The sum, and what tiles compute for it, in the order of the group.
  SmallVector<size_t> ops;

  OpBuilder *builder = nullptr; ///< in the body
  Block *body = nullptr;
  /// The values of the ops' bodies for all tiles, and for one.
  std::array<llvm::DenseMap<Value, Value>, 2> computed;
  /// The op whose body's corrections are found.
  size_t current = 0;
  Location loc;
  std::optional<LoopFinder> loops;
  bool hasFailed = false;
  bool isChosen = false; ///< what is summed
};

} // namespace

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

std::optional<size_t> OnlineReductionSplitter::findWriter(Value tensor) const {
  for (size_t at = 0; at != group.ops.size(); ++at)
    if (getResult(at) == tensor)
      return at;
  return std::nullopt;
}

/// The inputs of an op of rows that tiles are computed with, too.
SmallVector<OpOperand *>
OnlineReductionSplitter::findNeededInputs(size_t at) const {
  SmallVector<OpOperand *> inputs;
  if (getRole(at) == OnlineRole::Row)
    for (OpOperand *input : getOp(at).getDpsInputOperands())
      if (std::optional<size_t> writer = findWriter(input->get());
          writer && isNeeded(*writer))
        inputs.push_back(input);
  return inputs;
}

std::optional<unsigned> OnlineReductionSplitter::findLoop(size_t at) const {
  const auto *loop = llvm::find(shape.loops[at], shape.stream->dim);
  return loop == shape.loops[at].end()
             ? std::nullopt
             : std::optional<unsigned>(loop - shape.loops[at].begin());
}

/// Whether an op's body and maps can be written along tiles of a loop.
static bool canTile(linalg::GenericOp op, unsigned loop) {
  return op.getNumResults() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
             return isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(loop);
           });
         });
}

/// Whether the type of an input has the extent along a loop, if it has that.
static bool hasKnownExtent(linalg::GenericOp op, OpOperand &input,
                           unsigned loop) {
  auto type = cast<ShapedType>(input.get().getType());
  for (auto [dim, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(&input).getResults()))
    if (expr.isFunctionOfDim(loop) && type.isDynamicDim(dim))
      return false;
  return true;
}

std::string OnlineReductionSplitter::explain() {
  for (size_t at = 0; at != group.ops.size(); ++at) {
    OnlineRole role = getRole(at);
    if (role == OnlineRole::Before ||
        (role == OnlineRole::Row && !isNeeded(at)))
      continue;
    linalg::GenericOp op = getOp(at);
    std::optional<unsigned> loop = findLoop(at);
    if (!op || op.getNumResults() != 1 || (loop && !canTile(op, *loop)))
      return "'" + getNode(at).name + "' isn't written along tiles";
    for (OpOperand *input : op.getDpsInputOperands())
      if (loop && !hasKnownExtent(op, *input, *loop))
        return "the type of an operand of '" + getNode(at).name +
               "' doesn't say how many columns it has";
    if (role != OnlineRole::Sum)
      continue;
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(getResult(at)));
    constexpr unsigned kExactBits = 32;
    if (type && type.getWidth() < kExactBits && !getNode(at).isExtremum())
      return "tiles would round what '" + getNode(at).name + "' adds";
    if (TileCombiner combiner(*this, at); !combiner.getRefusal().empty())
      return combiner.getRefusal();
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Ops on tiles
//===----------------------------------------------------------------------===//

/// The dimension of a tensor that a loop goes along, if there is one.
static std::optional<unsigned> findDim(AffineMap map,
                                       std::optional<unsigned> loop) {
  return loop ? map.getResultPosition(getAffineDimExpr(*loop, map.getContext()))
              : std::nullopt;
}

/// The same expressions with a loop more after \p loop, or behind all loops.
/// Results along \p loop go along both.
static AffineMap addLoop(AffineMap map, std::optional<unsigned> loop,
                         bool isOfTiles) {
  MLIRContext *context = map.getContext();
  unsigned loops = map.getNumDims(), tile = loop.value_or(loops);
  std::optional<unsigned> dim = findDim(map, loop);
  map = map.shiftDims(/*shift=*/1, std::min(tile + 1, loops));
  if (dim)
    map = map.insertResult(getAffineDimExpr(tile + 1, context), *dim + 1);
  return isOfTiles ? map.insertResult(getAffineDimExpr(tile, context), 0) : map;
}

Value OnlineReductionSplitter::write(linalg::GenericOp op,
                                     std::optional<unsigned> loop, bool isRest,
                                     FindOperand findOperand, TypedAttr start) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value init = op.getDpsInits().front();
  AffineMap written = op.getIndexingMapsArray().back();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<std::pair<unsigned, TypedAttr>> constants;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Operand operand = findOperand(*input);
    if (!operand.tensor) {
      constants.push_back({input->getOperandNumber(), operand.constant});
      continue;
    }
    inputs.push_back(operand.tensor);
    AffineMap map = op.getMatchingIndexingMap(input);
    maps.push_back(isRest ? map : addLoop(map, loop, operand.isOfTiles));
  }
  // The result is along tiles, and along columns unless these are summed.
  std::optional<unsigned> dim = findDim(written, loop);
  maps.push_back(isRest ? written : addLoop(written, loop, /*isOfTiles=*/!dim));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  if (dim)
    sizes[*dim] = rewriter.getIndexAttr(isRest ? rest : columns);
  if (!isRest)
    sizes.insert(sizes.begin() + dim.value_or(0), rewriter.getIndexAttr(tiles));
  Value begin =
      tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(init));
  if (start) {
    Value number = arith::ConstantOp::create(rewriter, loc, start);
    begin = linalg::FillOp::create(rewriter, loc, number, begin).getResult(0);
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  unsigned tile = loop.value_or(kinds.size());
  if (!isRest)
    kinds.insert(kinds.begin() + tile, utils::IteratorType::parallel);
  auto tiled = linalg::GenericOp::create(rewriter, loc, begin.getType(), inputs,
                                         begin, maps, kinds);
  rewriter.cloneRegionBefore(op.getRegion(), tiled.getRegion(),
                             tiled.getRegion().end());
  Block *body = tiled.getBody();
  rewriter.setInsertionPointToStart(body);
  for (auto [number, constant] : llvm::reverse(constants)) {
    Value same = arith::ConstantOp::create(rewriter, loc, constant);
    rewriter.replaceAllUsesWith(body->getArgument(number), same);
    body->eraseArgument(number);
  }
  // The number of an element along the dimension.
  body->walk([&](linalg::IndexOp index) {
    unsigned own = index.getDim();
    if (!loop || own < *loop || (isRest && own != *loop))
      return;
    if (own > *loop)
      return index.setDim(own + 1);
    rewriter.setInsertionPoint(index);
    Value first = arith::ConstantIndexOp::create(
        rewriter, loc, isRest ? tiles * columns : columns);
    if (!isRest) {
      Value begin = linalg::IndexOp::create(rewriter, loc, tile);
      first = arith::MulIOp::create(rewriter, loc, begin, first);
    }
    Value column =
        linalg::IndexOp::create(rewriter, loc, isRest ? own : tile + 1);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(index, first, column);
  });
  return tiled.getResult(0);
}

Value OnlineReductionSplitter::writeProducer(Value tensor, unsigned dim,
                                             bool isRest) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || op.getNumResults() != 1 ||
      !tensor.hasOneUse())
    return {};
  auto loop =
      dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResult(dim));
  if (!loop || !canTile(op, loop.getPosition()))
    return {};
  auto findOperand = [&](OpOperand &input) {
    return takePart(op, input, loop.getPosition(), isRest);
  };
  return write(op, loop.getPosition(), isRest, findOperand, /*start=*/{});
}

Value OnlineReductionSplitter::slice(Value tensor, unsigned dim, int64_t first,
                                     int64_t count) {
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  offsets[dim] = rewriter.getIndexAttr(first);
  sizes[dim] = rewriter.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets, sizes,
                                        strides);
}

Value OnlineReductionSplitter::takePart(Value tensor, unsigned dim,
                                        bool isRest) {
  if (Value part = writeProducer(tensor, dim, isRest))
    return part;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(tensor);
  if (isRest)
    return slice(tensor, dim, tiles * columns, rest);
  if (rest != 0)
    tensor = slice(tensor, dim, 0, tiles * columns);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> extents(type.getShape());
  for (int64_t own = 0, next = 0; own != type.getRank(); ++own) {
    groups.push_back({next++});
    if (own == dim)
      groups.back().push_back(next++);
  }
  extents[dim] = columns;
  extents.insert(extents.begin() + dim, tiles);
  return tensor::ExpandShapeOp::create(rewriter, tensor.getLoc(),
                                       type.clone(extents), tensor, groups);
}

OnlineReductionSplitter::Operand
OnlineReductionSplitter::takePart(linalg::GenericOp op, OpOperand &input,
                                  std::optional<unsigned> loop, bool isRest) {
  std::optional<unsigned> dim =
      findDim(op.getMatchingIndexingMap(&input), loop);
  return {dim ? takePart(input.get(), *dim, isRest) : input.get()};
}

Value OnlineReductionSplitter::append(Value ofTiles, Value ofRest) {
  Location loc = ofTiles.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, ofTiles);
  SmallVector<OpFoldResult> all(sizes),
      offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  all.front() = rewriter.getIndexAttr(tiles + 1);
  Value both = tensor::EmptyOp::create(rewriter, loc, all,
                                       getElementTypeOrSelf(ofTiles));
  both = tensor::InsertSliceOp::create(rewriter, loc, ofTiles, both, offsets,
                                       sizes, strides);
  offsets.front() = rewriter.getIndexAttr(tiles);
  sizes.front() = rewriter.getIndexAttr(1);
  return tensor::InsertSliceOp::create(rewriter, loc, ofRest, both, offsets,
                                       sizes, strides);
}

OnlineReductionSplitter::Operand
OnlineReductionSplitter::findOperand(size_t at, OpOperand &input, bool isRest) {
  Value tensor = input.get();
  const OnlineReference *reference = findReference(tensor);
  if (reference && reference->kind == ChangeKind::Scale) {
    // Tiles are computed with 1, or as if no row were chosen.
    Type element = getElementTypeOrSelf(tensor);
    TypedAttr one = element.isInteger(1)
                        ? cast<TypedAttr>(rewriter.getBoolAttr(false))
                        : cast<TypedAttr>(rewriter.getOneAttr(element));
    return {{}, false, one};
  }
  if (Value own = values[isRest].lookup(tensor))
    return {own, !isRest && partials.contains(tensor)};
  return takePart(getOp(at), input, findLoop(at), isRest);
}

Value OnlineReductionSplitter::writeGuarded(size_t at, Value partial) {
  if (!getNode(at).isExtremum())
    return partial;
  Location loc = getOp(at).getLoc();
  auto type = cast<RankedTensorType>(partial.getType());
  vector::CombiningKind kind = findCombination(getOp(at))->kind;
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, partial),
      type.getElementType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto guard = linalg::GenericOp::create(
      rewriter, loc, type, partial, empty, {map, map}, kinds,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        auto [isNone, zero] = testNothing(builder, loc, kind, arguments[0]);
        Value row =
            arith::SelectOp::create(builder, loc, isNone, zero, arguments[0]);
        linalg::YieldOp::create(builder, loc, row);
      });
  return guard.getResult(0);
}

Value OnlineReductionSplitter::writePart(size_t at, bool isRest) {
  linalg::GenericOp op = getOp(at);
  Type element = getElementTypeOrSelf(getResult(at));
  TypedAttr start;
  if (getRole(at) == OnlineRole::Sum)
    start = getStart(rewriter, findCombination(op)->kind, element);
  // Products inside of an online reduction add to zeros.
  if (getRole(at) == OnlineRole::Inner)
    start = cast<TypedAttr>(rewriter.getZeroAttr(element));
  auto find = [&](OpOperand &input) { return findOperand(at, input, isRest); };
  Value part = write(op, findLoop(at), isRest, find, start);
  if (getRole(at) != OnlineRole::Sum || isNeeded(at))
    values[isRest][getResult(at)] = writeGuarded(at, part);
  return part;
}

LogicalResult OnlineReductionSplitter::run() {
  OpBuilder::InsertionGuard guard(rewriter);
  for (size_t at = 0; at != group.ops.size(); ++at) {
    OnlineRole role = getRole(at);
    if (role == OnlineRole::Before ||
        (role == OnlineRole::Row && !isNeeded(at)))
      continue;
    Value result = getResult(at);
    rewriter.setInsertionPoint(getOp(at));
    Value part = writePart(at, /*isRest=*/false), ofRest;
    if (rest != 0)
      ofRest = writePart(at, /*isRest=*/true);
    if (role == OnlineRole::Sum || role == OnlineRole::Row)
      partials[result] = ofRest ? append(part, ofRest) : part;
    if (role != OnlineRole::Sum)
      continue;
    Value total = TileCombiner(*this, at).write(rewriter);
    if (!total)
      return getOp(at).emitError(
          "expected an op that can be corrected in a stream");
    totals[result] = total;
  }
  for (size_t at = group.ops.size(); at-- != 0;)
    if (Value total = totals.lookup(getResult(at)))
      rewriter.replaceAllUsesWith(getResult(at), total);
  for (size_t at = group.ops.size(); at-- != 0;)
    if (graph.ops[group.ops[at]]->use_empty())
      rewriter.eraseOp(graph.ops[group.ops[at]]);
  return success();
}

//===----------------------------------------------------------------------===//
// Reads of combinations
//===----------------------------------------------------------------------===//

TileCombiner::TileCombiner(const OnlineReductionSplitter &divider, size_t sum)
    : divider(divider), sum(sum), loc(divider.getOp(sum).getLoc()) {
  linalg::GenericOp op = divider.getOp(sum);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : written.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop) {
      refusal = "a sum isn't written at loops";
      return;
    }
    dims.push_back(divider.shape.loops[sum][loop.getPosition()]);
  }
  collect();
}

/// The loops of the combination that an operand goes along.
std::optional<SmallVector<unsigned>>
TileCombiner::findLoops(size_t at, OpOperand &input) const {
  SmallVector<unsigned> loops;
  for (AffineExpr expr :
       divider.getOp(at).getMatchingIndexingMap(&input).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    auto *found = llvm::find(dims, divider.shape.loops[at][loop.getPosition()]);
    if (found == dims.end())
      return std::nullopt;
    loops.push_back(found - dims.begin());
  }
  return loops;
}

bool TileCombiner::add(Value tensor, Part part, ArrayRef<unsigned> loops) {
  bool isKnown = llvm::any_of(inputs, [&](const Input &input) {
    return input.tensor == tensor && input.part == part;
  });
  if (!isKnown)
    inputs.push_back({tensor, part, SmallVector<unsigned>(loops)});
  return !isKnown;
}

/// A row that sums are corrected by, and the extrema that it follows from.
void TileCombiner::collectRow(Value tensor, ArrayRef<unsigned> loops) {
  std::vector<std::pair<Value, SmallVector<unsigned>>> rows = {
      {tensor, SmallVector<unsigned>(loops)}};
  for (size_t i = 0; i < rows.size(); ++i) {
    auto [row, along] = rows[i];
    if (!add(row, Part::OfTile, along))
      continue;
    add(row, Part::Total, along);
    size_t at = *divider.findWriter(row);
    for (OpOperand *input : divider.findNeededInputs(at)) {
      if (std::optional<SmallVector<unsigned>> own = findLoops(at, *input))
        rows.push_back({input->get(), *own});
      else
        refusal = "a row isn't read at loops";
    }
  }
}

void TileCombiner::collect() {
  llvm::SetVector<size_t> found;
  found.insert(sum);
  for (size_t i = 0; i < found.size(); ++i)
    for (OpOperand *input : divider.getOp(found[i]).getDpsInputOperands()) {
      Value tensor = input->get();
      const OnlineReference *reference = divider.findReference(tensor);
      std::optional<size_t> writer = divider.findWriter(tensor);
      if (!reference && writer &&
          (divider.getRole(*writer) == OnlineRole::Tile ||
           divider.getRole(*writer) == OnlineRole::Inner)) {
        if (divider.getRole(*writer) == OnlineRole::Tile)
          found.insert(*writer);
        continue;
      }
      std::optional<SmallVector<unsigned>> loops = findLoops(found[i], *input);
      if (reference && !loops)
        refusal = "a row isn't read at loops";
      else if (reference && reference->kind == ChangeKind::Shift)
        collectRow(tensor, *loops);
      else if (loops)
        add(tensor, Part::Total, *loops);
    }
  ops = found.takeVector();
  llvm::sort(ops);
}

//===----------------------------------------------------------------------===//
// Bodies of combinations
//===----------------------------------------------------------------------===//

Value TileCombiner::getArgument(Value tensor, Part part) const {
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input.tensor == tensor && input.part == part)
      return body->getArgument(number + 1);
  return {};
}

Value TileCombiner::getRow(Value tensor, bool isOfTile) {
  Value row = getArgument(tensor, isOfTile ? Part::OfTile : Part::Total);
  std::optional<size_t> writer = divider.findWriter(tensor);
  if (!isOfTile || !writer || !divider.getNode(*writer).isExtremum())
    return row;
  auto [isNone, zero] =
      testNothing(*builder, row.getLoc(),
                  findCombination(divider.getOp(*writer))->kind, row);
  return arith::SelectOp::create(*builder, row.getLoc(), isNone, zero, row);
}

Value TileCombiner::findEmpty() {
  Value ofTile, ofAll;
  auto unite = [&](Value &all, Value one) {
    all = all ? Value(arith::OrIOp::create(*builder, loc, all, one)) : one;
  };
  SmallVector<Value> rows;
  for (Value input : divider.getOp(current).getInputs())
    if (const OnlineReference *reference = divider.findReference(input);
        reference && reference->kind == ChangeKind::Shift)
      rows.push_back(input);
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t writer = *divider.findWriter(rows[i]);
    for (OpOperand *input : divider.findNeededInputs(writer))
      if (!llvm::is_contained(rows, input->get()))
        rows.push_back(input->get());
    if (!divider.getNode(writer).isExtremum())
      continue;
    vector::CombiningKind kind = findCombination(divider.getOp(writer))->kind;
    auto isNone = [&](Part part) {
      return testNothing(*builder, loc, kind, getArgument(rows[i], part))
          .isNone;
    };
    unite(ofTile, isNone(Part::OfTile));
    unite(ofAll, isNone(Part::Total));
  }
  if (!ofTile)
    return {};
  // The result of rows without any element is what the true row says, or zero.
  if (isChosen)
    return ofTile;
  Value yes =
      arith::ConstantOp::create(*builder, loc, builder->getBoolAttr(true));
  Value hasSome = arith::XOrIOp::create(*builder, loc, ofAll, yes);
  return arith::AndIOp::create(*builder, loc, ofTile, hasSome);
}

/// The values that it is computed of are known.
Value TileCombiner::computeOne(Value value, bool isOfTile) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value tensor = divider.getOp(current).getMatchingOpOperand(argument)->get();
    // A tensor without a part for tiles doesn't change.
    Value row = getRow(tensor, isOfTile);
    return row ? row : getRow(tensor, /*isOfTile=*/false);
  }
  if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    unsigned dim = divider.shape.loops[current][index.getDim()];
    unsigned loop = llvm::find(dims, dim) - dims.begin();
    return linalg::IndexOp::create(*builder, index.getLoc(), loop);
  }
  Operation *source = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : source->getOperands())
    if (Value known = computed[isOfTile].lookup(operand))
      mapping.map(operand, known);
  Operation *same = builder->clone(*source, mapping);
  return same->getResult(cast<OpResult>(value).getResultNumber());
}

Value TileCombiner::computeValue(Value value, bool isOfTile) {
  auto &values = computed[isOfTile];
  auto isOpen = [&](Value inner) {
    return inner.getParentBlock() == divider.getOp(current).getBody() &&
           !values.contains(inner);
  };
  walkOperands(value, isOpen, [&](Value inner) {
    if (isOpen(inner)) {
      Value found = computeOne(inner, isOfTile);
      values[inner] = found;
    }
    return WalkResult::advance();
  });
  return values.contains(value) ? values.lookup(value) : value;
}

bool TileCombiner::isRow(Value value) {
  const GroupShape &shape = divider.shape;
  return llvm::none_of(loops->find(value).set_bits(), [&](unsigned loop) {
    return shape.loops[current][loop] == shape.stream->dim;
  });
}

TileCombiner::Number TileCombiner::getDifference(Value row) {
  Value before = get(row, /*isOfTile=*/true);
  Value now = get(row, /*isOfTile=*/false);
  Value difference = create<arith::SubFOp>(now, before);
  if (Value isEmpty = findEmpty()) {
    Value zero = arith::ConstantOp::create(
        *builder, loc, builder->getZeroAttr(difference.getType()));
    difference =
        arith::SelectOp::create(*builder, loc, isEmpty, zero, difference);
  }
  return {difference, {}};
}

TileCombiner::Correction TileCombiner::findCorrection(bool hasShifts,
                                                      bool hasScales) {
  llvm::DenseMap<Value, Correction> corrections;
  for (size_t at : ops) {
    linalg::GenericOp op = divider.getOp(at);
    current = at;
    loc = op.getLoc();
    loops.emplace(op);
    ElementChanges<TileCombiner> changes(*this, op.getBody());
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(input);
      Value tensor = input->get();
      const OnlineReference *reference = divider.findReference(tensor);
      if (reference && reference->kind == ChangeKind::Shift) {
        if (hasShifts)
          changes.setReplaced(argument);
      } else if (reference && hasScales) {
        Value row = getArgument(tensor, Part::Total);
        Number number = row.getType().isInteger(1)
                            ? Number{{}, row}
                            : Number{extend(*builder, row), {}};
        changes.set(argument, ChangeKind::Scale, number);
      } else if (auto found = corrections.find(tensor);
                 found != corrections.end()) {
        const Correction &of = found->second;
        changes.set(argument, of.kind, of.number, of.isChosen);
      }
    }
    Value element = divider.getNode(at).reduces()
                        ? findCombination(op)->element
                        : op.getBody()->getTerminator()->getOperand(0);
    Correction correction = changes.compute(element);
    hasFailed |= correction.kind == ChangeKind::Unknown;
    corrections[divider.getResult(at)] = correction;
  }
  return corrections.lookup(divider.getResult(sum));
}

Value TileCombiner::correct(const Correction &correction, Value value) {
  Location loc = value.getLoc();
  const Number &number = correction.number;
  if (correction.kind == ChangeKind::Same)
    return value;
  if (number.value) {
    Value other = convert(*builder, number.value, value.getType());
    value = correction.kind == ChangeKind::Shift
                ? Value(arith::AddFOp::create(*builder, loc, value, other))
                : Value(arith::MulFOp::create(*builder, loc, value, other));
  }
  if (!number.isZero)
    return value;
  Value zero = arith::ConstantOp::create(*builder, loc,
                                         builder->getZeroAttr(value.getType()));
  return arith::SelectOp::create(*builder, loc, number.isZero, zero, value);
}

/// Corrects a sum of earlier tiles. As in an online reduction's loop, the
/// number that a sum begins with isn't shifted. It is scaled in the end, as all
/// sums are: the reciprocal of zero turns zero into NaN.
Value TileCombiner::correctSoFar(Value value) {
  Location loc = value.getLoc();
  Value corrected =
      correct(findCorrection(/*hasShifts=*/true, /*hasScales=*/false), value);
  TypedAttr start = getStart(
      *builder, findCombination(divider.getOp(sum))->kind, value.getType());
  Value isStart =
      arith::CmpFOp::create(*builder, loc, arith::CmpFPredicate::OEQ, value,
                            arith::ConstantOp::create(*builder, loc, start));
  corrected = arith::SelectOp::create(*builder, loc, isStart, value, corrected);
  return correct(findCorrection(/*hasShifts=*/false, /*hasScales=*/true),
                 corrected);
}

Value TileCombiner::write(RewriterBase &rewriter) {
  linalg::GenericOp op = divider.getOp(sum);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  unsigned tile = dims.size();
  auto getMap = [&](ArrayRef<unsigned> loops, bool isOfTiles) {
    SmallVector<AffineExpr> results;
    if (isOfTiles)
      results.push_back(getAffineDimExpr(tile, context));
    for (unsigned loop : loops)
      results.push_back(getAffineDimExpr(loop, context));
    return AffineMap::get(tile + 1, 0, results, context);
  };
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, tile));
  SmallVector<Value> tensors = {
      divider.partials.lookup(divider.getResult(sum))};
  SmallVector<AffineMap> maps = {getMap(all, /*isOfTiles=*/true)};
  for (const Input &input : inputs) {
    bool isOfTile = input.part == Part::OfTile;
    Value total = divider.totals.lookup(input.tensor);
    tensors.push_back(isOfTile ? divider.partials.lookup(input.tensor)
                      : total  ? total
                               : input.tensor);
    maps.push_back(getMap(input.loops, isOfTile));
  }
  maps.push_back(getMap(all, /*isOfTiles=*/false));
  SmallVector<utils::IteratorType> kinds(tile, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  vector::CombiningKind kind = findCombination(op)->kind;
  auto combined = linalg::GenericOp::create(
      rewriter, loc, op.getResult(0).getType(), tensors, op.getDpsInits()[0],
      maps, kinds, [&](OpBuilder &inside, Location, ValueRange arguments) {
        builder = &inside;
        body = inside.getBlock();
        Correction correction =
            findCorrection(/*hasShifts=*/true, /*hasScales=*/true);
        Value part = arguments.front();
        if (correction.isChosen || correction.kind == ChangeKind::Shift) {
          isChosen = correction.isChosen;
          part = correctSoFar(part);
        } else {
          part = correct(correction, part);
        }
        Value result = vector::makeArithReduction(inside, loc, kind, part,
                                                  arguments.back());
        linalg::YieldOp::create(inside, loc, result);
      });
  builder = nullptr;
  return hasFailed ? Value() : combined.getResult(0);
}

std::string carousel::explainUndivided(const Graph &graph,
                                       const SplitOnlineReduction &stream,
                                       RewriterBase &rewriter) {
  return OnlineReductionSplitter(graph, stream, rewriter).explain();
}

LogicalResult carousel::splitOnlineReduction(const Graph &graph,
                                             const SplitOnlineReduction &stream,
                                             RewriterBase &rewriter) {
  return OnlineReductionSplitter(graph, stream, rewriter).run();
}
