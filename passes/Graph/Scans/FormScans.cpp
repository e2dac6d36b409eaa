//===- FormScans.cpp - reductions over what comes before an element -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-form-scans. Front ends write a cumulative sum as a sum over all
// elements, of which a comparison of indices selects those before each one, or
// as sums of windows as long as the elements, with a padding before these.
// A scan (ReadScan.h) computes that in as many steps as there are elements.
// docs/GraphPhase.md, Scans.
//
//===----------------------------------------------------------------------===//

#include "../../Block/Kernels/NeutralElement.h"
#include "../Bodies/GroupValues.h"
#include "../OnlineReductions/IndexBounds.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/ReadGraph.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace carousel {
#define GEN_PASS_DEF_FORMSCANS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Where there are fewer elements, a reduction fuses with more ops.
static constexpr int64_t kLeastScanned = 128;

namespace {

/// A reduction along `reduced` of the elements that precede the one at `kept`,
/// or follow it.
struct PrefixReduction {
  linalg::GenericOp op;
  Combination combination;
  unsigned kept = 0, reduced = 0;
  bool isReversed = false, isExclusive = false;
  /// The choice between the element and a neutral one, and the element.
  arith::SelectOp choice;
  Value element;
};

/// Writes the scan that is the same as a reduction.
class PrefixWriter {
public:
  explicit PrefixWriter(const PrefixReduction &prefix)
      : prefix(prefix), op(prefix.op), builder(op), loc(op.getLoc()) {}

  void write();

private:
  /// The loops of the reduction as those of the scan: the reduced one is where
  /// the kept one was.
  AffineMap moveLoops(AffineMap map) const;
  unsigned moveLoop(unsigned loop) const;
  Value createStart(AffineMap scanned);
  /// The memory of the results.
  Value getEmpty() const {
    return linalg::GenericOp(prefix.op)
        .getDpsInits()[0]
        .getDefiningOp<linalg::FillOp>()
        .getOutputs()
        .front();
  }
  void writeBody(OpBuilder &body, ValueRange arguments);
  void moveIndex(linalg::IndexOp index);
  /// The element of an operand that the scan reads at its last index first.
  Value extractReversed(OpBuilder &body, OpOperand &input);
  Value getReversedIndex(OpBuilder &body, Location at, unsigned loop);
  /// The map with the last index of a loop first, where neighbours are in
  /// another one: vectors have several of these. Null for other maps.
  AffineMap reverse(AffineMap map, unsigned loop) const;
  /// The tensor with its last element first.
  Value reverse(Value tensor, unsigned dim);

  PrefixReduction prefix;
  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  Value last; ///< of the scanned indices, where they are reversed
  SmallVector<OpOperand *> inputs;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether the loops have the same number of iterations.
static bool haveSameExtent(linalg::GenericOp op, unsigned kept,
                           unsigned reduced) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (!ShapedType::isDynamic(extents[kept]) ||
      !ShapedType::isDynamic(extents[reduced]))
    return extents[kept] == extents[reduced];
  auto findDim = [&](OpOperand &operand,
                     unsigned loop) -> std::optional<unsigned> {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto own = dyn_cast<AffineDimExpr>(expr);
          own && own.getPosition() == loop)
        return dim;
    return std::nullopt;
  };
  OpOperand &init = op.getDpsInitsMutable()[0];
  std::optional<unsigned> own = findDim(init, kept);
  if (!own)
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (std::optional<unsigned> dim = findDim(*input, reduced)) {
      FailureOr<bool> areEqual = ValueBoundsConstraintSet::areEqual(
          {init.get(), int64_t(*own)}, {input->get(), int64_t(*dim)});
      if (succeeded(areEqual) && *areEqual)
        return true;
    }
  return false;
}

/// The value without conversions that keep neutral elements: of integers, only
/// zero is the same in all types.
static Value skipExtensions(Value value, vector::CombiningKind kind) {
  using Kind = vector::CombiningKind;
  bool isZero = kind == Kind::ADD || kind == Kind::OR || kind == Kind::XOR;
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp>(cast) &&
        !(isZero && isa<arith::ExtSIOp, arith::ExtUIOp>(cast)))
      return value;
    value = cast->getOperand(0);
  }
  return value;
}

/// Whether the elements can be read from the last one on.
static bool canReverse(linalg::GenericOp op, unsigned loop) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return !map.isFunctionOfDim(loop) || map.isProjectedPermutation();
  });
}

/// Finds which elements a condition selects.
static bool readCondition(PrefixReduction &prefix, bool holds) {
  std::optional<SmallVector<IndexBound>> bounds =
      readBounds(prefix.op, prefix.choice.getCondition(), holds);
  if (!bounds || bounds->size() != 1 || !bounds->front().isOfIndices())
    return false;
  const IndexBound &bound = bounds->front();
  int64_t along = bound.coefficients[prefix.reduced];
  if ((along != 1 && along != -1) ||
      (bound.constant != 0 && bound.constant != -1))
    return false;
  std::optional<unsigned> kept;
  for (auto [loop, coefficient] : llvm::enumerate(bound.coefficients)) {
    if (loop == prefix.reduced || coefficient == 0)
      continue;
    if (kept || coefficient != -along)
      return false;
    kept = loop;
  }
  if (!kept)
    return false;
  prefix.kept = *kept;
  prefix.isReversed = along == 1;
  prefix.isExclusive = bound.constant == -1;
  return true;
}

/// Whether the element is the same for all results.
static bool isSharedElement(PrefixReduction &prefix) {
  linalg::GenericOp op = prefix.op;
  Block *body = op.getBlock();
  FailureOr<llvm::SetVector<Operation *>> sources =
      findSources(prefix.element, body);
  if (failed(sources))
    return false;
  auto isFixed = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != body)
      return true;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return !op.isDpsInit(operand) &&
           !op.getMatchingIndexingMap(operand).isFunctionOfDim(prefix.kept);
  };
  if (!isFixed(prefix.element))
    return false;
  for (Operation *source : *sources) {
    WalkResult walked = source->walk([&](Operation *inner) {
      auto index = dyn_cast<linalg::IndexOp>(inner);
      bool isOther = index && index.getDim() == prefix.kept;
      return isOther || !llvm::all_of(inner->getOperands(), isFixed)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return false;
  }
  return true;
}

static std::optional<PrefixReduction> findPrefix(linalg::GenericOp op) {
  std::optional<Combination> combination = findCombination(op);
  if (!combination || op.getNumReductionLoops() != 1 ||
      !findFill(op.getDpsInitOperand(0)->get()))
    return std::nullopt;
  PrefixReduction prefix;
  prefix.op = op;
  prefix.combination = *combination;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  prefix.reduced = reduced.front();
  int64_t extent = op.getStaticLoopRanges()[prefix.reduced];
  prefix.choice = skipExtensions(combination->element, combination->kind)
                      .getDefiningOp<arith::SelectOp>();
  if ((!ShapedType::isDynamic(extent) && extent < kLeastScanned) ||
      !prefix.choice)
    return std::nullopt;
  for (bool holds : {true, false}) {
    TypedAttr other;
    Value value =
        holds ? prefix.choice.getFalseValue() : prefix.choice.getTrueValue();
    if (!matchPattern(value, m_Constant(&other)) ||
        !isNeutral(other, combination->kind) || !readCondition(prefix, holds))
      continue;
    prefix.element =
        holds ? prefix.choice.getTrueValue() : prefix.choice.getFalseValue();
    if (isSharedElement(prefix) &&
        (!prefix.isReversed || canReverse(op, prefix.reduced)) &&
        haveSameExtent(op, prefix.kept, prefix.reduced))
      return prefix;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

/// A reduction of windows that begin at each element of a tensor or end there,
/// and are as long as the tensor. The padding around it is neutral.
struct WindowPrefix {
  linalg::GenericOp op;
  OpOperand *image = nullptr;
  tensor::InsertSliceOp pad;
  unsigned dim = 0; ///< of the image
  unsigned kept = 0, reduced = 0;
  bool endsAtElement = false;
};

} // namespace

/// The loops whose sum is an index.
static std::optional<std::pair<unsigned, unsigned>> readSum(AffineExpr expr) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto lhs = dyn_cast<AffineDimExpr>(sum.getLHS());
  auto rhs = dyn_cast<AffineDimExpr>(sum.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  return std::pair(lhs.getPosition(), rhs.getPosition());
}

static std::optional<WindowPrefix> findWindow(linalg::GenericOp op) {
  std::optional<Combination> combination = findCombination(op);
  if (!combination || op.getNumReductionLoops() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  auto element = dyn_cast<BlockArgument>(
      skipExtensions(combination->element, combination->kind));
  if (!element || element.getOwner() != op.getBlock())
    return std::nullopt;
  WindowPrefix window{op, op.getMatchingOpOperand(element)};
  window.pad = window.image->get().getDefiningOp<tensor::InsertSliceOp>();
  TypedAttr padding = window.pad ? findFill(window.pad.getDest()) : TypedAttr();
  AffineMap map = op.getMatchingIndexingMap(window.image);
  if (!padding || !isNeutral(padding, combination->kind) ||
      !window.pad.hasUnitStride() ||
      window.pad.getSourceType().getRank() != map.getNumResults())
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  bool isFound = false;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<int64_t> low =
        getConstantIntValue(window.pad.getMixedOffsets()[dim]);
    if (isa<AffineDimExpr>(expr)) {
      int64_t own = window.pad.getSourceType().getDimSize(dim);
      if (low != 0 || ShapedType::isDynamic(own) ||
          own != window.pad.getType().getDimSize(dim))
        return std::nullopt;
      continue;
    }
    auto loops = readSum(expr);
    if (!loops || isFound)
      return std::nullopt;
    isFound = true;
    std::tie(window.kept, window.reduced) = *loops;
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (window.kept == reduced.front())
      std::swap(window.kept, window.reduced);
    if (window.reduced != reduced.front() || window.kept == reduced.front())
      return std::nullopt;
    window.dim = dim;
    int64_t extent = extents[window.kept];
    window.endsAtElement = low == extent - 1;
    if (extent < kLeastScanned || extents[window.reduced] != extent ||
        window.pad.getSourceType().getDimSize(dim) != extent ||
        (low != 0 && !window.endsAtElement))
      return std::nullopt;
  }
  // The reduced loop becomes one of places in the tensor.
  auto reduced = getAffineDimExpr(window.reduced, op.getContext());
  if (!isFound || llvm::is_contained(map.getResults(), reduced))
    return std::nullopt;
  return window;
}

/// Writes the elements of a window as a choice among all elements.
static void writeChoice(const WindowPrefix &window) {
  linalg::GenericOp op = window.op;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[window.image->getOperandNumber()];
  SmallVector<AffineExpr> indices(map.getResults());
  indices[window.dim] = builder.getAffineDimExpr(window.reduced);
  map = AffineMap::get(map.getNumDims(), 0, indices, op.getContext());
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  Value neutral = arith::ConstantOp::create(
      builder, loc, findFill(tensor::InsertSliceOp(window.pad).getDest()));
  window.image->set(tensor::InsertSliceOp(window.pad).getSource());
  builder.setInsertionPointToStart(op.getBlock());
  BlockArgument element = op.getMatchingBlockArgument(window.image);
  Value isInside = arith::CmpIOp::create(
      builder, loc,
      window.endsAtElement ? arith::CmpIPredicate::sle
                           : arith::CmpIPredicate::sge,
      linalg::IndexOp::create(builder, loc, window.reduced),
      linalg::IndexOp::create(builder, loc, window.kept));
  Value chosen =
      arith::SelectOp::create(builder, loc, isInside, element, neutral);
  element.replaceAllUsesExcept(chosen, chosen.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

unsigned PrefixWriter::moveLoop(unsigned loop) const {
  if (loop == prefix.reduced)
    loop = prefix.kept;
  return loop - (loop > prefix.reduced);
}

AffineMap PrefixWriter::moveLoops(AffineMap map) const {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops.push_back(getAffineDimExpr(moveLoop(loop), map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, map.getNumDims() - 1, 0);
}

/// Fills what the results start from, without the scanned dimension.
Value PrefixWriter::createStart(AffineMap scanned) {
  Value init = op.getDpsInitOperand(0)->get();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, getEmpty());
  SmallVector<OpFoldResult> kept;
  for (auto [size, expr] : llvm::zip_equal(sizes, scanned.getResults()))
    if (!expr.isFunctionOfDim(moveLoop(prefix.kept)))
      kept.push_back(size);
  Value empty =
      tensor::EmptyOp::create(builder, loc, kept, getElementTypeOrSelf(init));
  Value start = arith::ConstantOp::create(builder, loc, findFill(init));
  return linalg::FillOp::create(builder, loc, start, empty).getResult(0);
}

Value PrefixWriter::getReversedIndex(OpBuilder &body, Location at,
                                     unsigned loop) {
  return arith::SubIOp::create(body, at, last,
                               linalg::IndexOp::create(body, at, loop));
}

Value PrefixWriter::extractReversed(OpBuilder &body, OpOperand &input) {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&input).getResults()) {
    auto loop = cast<AffineDimExpr>(expr);
    indices.push_back(
        loop.getPosition() == prefix.reduced
            ? getReversedIndex(body, loc, moveLoop(prefix.reduced))
            : linalg::IndexOp::create(body, loc, moveLoop(loop.getPosition()))
                  .getResult());
  }
  return tensor::ExtractOp::create(body, loc, input.get(), indices);
}

/// Makes an index of the reduction's loops one of the scan's.
void PrefixWriter::moveIndex(linalg::IndexOp index) {
  bool isReversed = prefix.isReversed && index.getDim() == prefix.reduced;
  index.setDim(moveLoop(index.getDim()));
  if (!isReversed)
    return;
  OpBuilder body(index->getContext());
  body.setInsertionPointAfter(index);
  auto reversed = arith::SubIOp::create(body, loc, last, index);
  index.getResult().replaceAllUsesExcept(reversed, reversed);
}

void PrefixWriter::writeBody(OpBuilder &body, ValueRange arguments) {
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip(inputs, arguments))
    mapping.map(op.getMatchingBlockArgument(input), argument);
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(input);
        !mapping.contains(argument) && !argument.use_empty())
      mapping.map(argument, extractReversed(body, *input));
  mapping.map(op.getRegionOutputArgs().front(), arguments[inputs.size()]);
  // All but the choice, and what it is made by.
  llvm::SetVector<Operation *> sources =
      *findSources(prefix.element, op.getBlock());
  SmallVector<linalg::IndexOp> indices;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (sources.contains(&inner))
      body.clone(inner, mapping)->walk([&](linalg::IndexOp index) {
        indices.push_back(index);
      });
  mapping.map(prefix.choice.getResult(),
              mapping.lookupOrDefault(prefix.element));
  SmallVector<Operation *> casts;
  for (Value value = prefix.combination.element;
       value != prefix.choice.getResult();
       value = value.getDefiningOp()->getOperand(0))
    casts.push_back(value.getDefiningOp());
  for (Operation *cast : llvm::reverse(casts))
    body.clone(*cast, mapping);
  Value upTo = body.clone(*prefix.combination.op, mapping)->getResult(0);
  Value before = arguments[inputs.size()];
  linalg::YieldOp::create(body, loc,
                          {upTo, prefix.isExclusive ? before : upTo});
  for (linalg::IndexOp index : indices)
    moveIndex(index);
}

AffineMap PrefixWriter::reverse(AffineMap map, unsigned loop) const {
  int64_t extent = linalg::GenericOp(op).getStaticLoopRanges()[prefix.reduced];
  if (ShapedType::isDynamic(extent) ||
      map.getResults().back().isFunctionOfDim(loop))
    return {};
  AffineExpr index = getAffineDimExpr(loop, map.getContext());
  return map.replace(index, extent - 1 - index, map.getNumDims(), 0);
}

Value PrefixWriter::reverse(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  if (AffineMap read = reverse(map, dim))
    return linalg::GenericOp::create(
               builder, loc, type, tensor, getEmpty(), ArrayRef{read, map},
               iterators,
               [&](OpBuilder &body, Location at, ValueRange arguments) {
                 linalg::YieldOp::create(body, at, arguments.front());
               })
        .getResult(0);
  auto flip = linalg::GenericOp::create(
      builder, loc, type, ValueRange(), getEmpty(), ArrayRef(map), iterators,
      [&](OpBuilder &body, Location at, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t own = 0; own < type.getRank(); ++own)
          indices.push_back(own == int64_t(dim)
                                ? getReversedIndex(body, at, own)
                                : linalg::IndexOp::create(body, at, own));
        linalg::YieldOp::create(
            body, at,
            tensor::ExtractOp::create(body, at, tensor, indices).getResult());
      });
  return flip.getResult(0);
}

void PrefixWriter::write() {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap scanned = moveLoops(op.getMatchingIndexingMap(init));
  unsigned along = moveLoop(prefix.kept);
  unsigned dim = 0;
  while (!scanned.getResult(dim).isFunctionOfDim(along))
    ++dim;
  if (prefix.isReversed) {
    Value extent = tensor::DimOp::create(builder, loc, getEmpty(), dim);
    last = arith::SubIOp::create(
        builder, loc, extent, arith::ConstantIndexOp::create(builder, loc, 1));
  }
  SmallVector<AffineMap> maps;
  SmallVector<Value> tensors;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    AffineMap read = moveLoops(map);
    if (prefix.isReversed && map.isFunctionOfDim(prefix.reduced))
      read = reverse(read, along);
    bool isUsed = !op.getMatchingBlockArgument(input).use_empty();
    if (!read || !isUsed || map.isFunctionOfDim(prefix.kept))
      continue;
    inputs.push_back(input);
    tensors.push_back(input->get());
    maps.push_back(read);
  }
  Value start = createStart(scanned);
  maps.push_back(scanned.dropResult(dim));
  maps.push_back(scanned);
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (loop != prefix.reduced)
      iterators.push_back(loop == prefix.kept ? utils::IteratorType::reduction
                                              : kind);
  Value empty = getEmpty();
  auto scan = linalg::GenericOp::create(
      builder, loc, TypeRange{start.getType(), empty.getType()}, tensors,
      ValueRange{start, empty}, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        writeBody(body, arguments);
      });
  Value result = scan.getResult(1);
  op->getResult(0).replaceAllUsesWith(prefix.isReversed ? reverse(result, dim)
                                                        : result);
  op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FormScans : public carousel::impl::FormScansBase<FormScans> {
  using FormScansBase::FormScansBase;

  void runOnOperation() override {
    SmallVector<PrefixReduction> prefixes;
    getOperation().walk([&](linalg::GenericOp op) {
      if (std::optional<WindowPrefix> window = findWindow(op))
        writeChoice(*window);
      if (std::optional<PrefixReduction> prefix = findPrefix(op))
        prefixes.push_back(*prefix);
    });
    for (const PrefixReduction &prefix : prefixes)
      PrefixWriter(prefix).write();
    formed += prefixes.size();
  }
};
} // namespace
