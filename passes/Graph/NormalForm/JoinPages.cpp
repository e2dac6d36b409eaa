//===- JoinPages.cpp - rows of pages as one dimension ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-join-pages. Caches of keys and values have pages, which a table
// names:
//
//   k[b, n, r, d] = pool[table[b, n], r, d]
//
// Fusion gives all ops on keys two dimensions, of pages and of their rows, and
// online reductions go along one. Here they are joined, in all ops from the
// gather to the sums over both:
//
//   k[b, j, d] = pool[table[b, j / rows], j % rows, d]
//
// Numbers of pages that are computed, as front ends wrap negative ones, become
// a table, which kernels read to copy page by page (GroupValues.h, readPages).
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/GreedyRewrites.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/RowReads.h"
#include "../Shapes/Patterns.h"
#include "../Tables/TableOps.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/MapVector.h"

namespace carousel {
#define GEN_PASS_DEF_JOINPAGES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// An op that gathers pages by numbers.
struct PageGather {
  linalg::GenericOp op;
  TableRead read;
  /// Loops: of the pages that the numbers name, and of a page's rows. The
  /// latter's is an index of the element that is read.
  unsigned page = 0, row = 0, index = 0;
  /// All loops that the numbers depend on; that of pages is the last.
  SmallVector<unsigned> numbered;
  /// Whether there is a page, as the body computes it: its rows are NaN if
  /// there isn't. Null if there always is.
  Value exists = nullptr;

  /// How many rows a page has.
  int64_t countRows() const { return read.getType().getDimSize(index); }
  void orderResult(IRRewriter &rewriter);
  Value compute(OpBuilder &builder, Value value, ValueRange indices) const;
  SmallVector<OpFoldResult> getExtents(OpBuilder &builder,
                                       ArrayRef<unsigned> some) const;
  Value createTable(IRRewriter &rewriter) const;
  Value createJoined(IRRewriter &rewriter) const;
  void markMissing(IRRewriter &rewriter, linalg::GenericOp product) const;
};

/// The ops that have pages and their rows as two dimensions in common.
class PageJoiner {
public:
  PageJoiner(ArrayRef<PageGather> gathers, const PageGather &first);

  /// The reason why they can't be one dimension; empty if they can.
  const std::string &getRefusal() const { return refusal; }
  bool contains(Operation *op) const { return joined.contains(op); }
  bool meets(const PageJoiner &other) const {
    return llvm::any_of(
        joined, [&](const auto &entry) { return other.contains(entry.first); });
  }
  void write(IRRewriter &rewriter);

private:
  void note(Value tensor, unsigned at);
  void noteOps(Value tensor, unsigned at);
  void noteOp(linalg::GenericOp op, ReassociationIndices loops);
  void checkMissing();

  ArrayRef<PageGather> gathers;
  std::string refusal;
  /// Tensors, and the first of their two dimensions.
  llvm::SmallMapVector<Value, unsigned, 8> tensors;
  /// The pair of loops of each op, gathers among them.
  llvm::MapVector<Operation *, ReassociationIndices> joined;
  /// Products that sum rows of pages which may not exist.
  SmallVector<std::pair<const PageGather *, linalg::GenericOp>> sums;
};

} // namespace

static SmallVector<unsigned> getResultLoops(linalg::GenericOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

static unsigned findLoop(ArrayRef<unsigned> loops, unsigned loop) {
  return llvm::find(loops, loop) - loops.begin();
}

static bool isReadByProduct(linalg::GenericOp op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    auto product = dyn_cast<linalg::GenericOp>(user);
    return product && isContraction(product);
  });
}

/// The extents of some of the gather's loops.
SmallVector<OpFoldResult>
PageGather::getExtents(OpBuilder &builder, ArrayRef<unsigned> some) const {
  linalg::GenericOp gather = op;
  SmallVector<unsigned> loops = getResultLoops(gather);
  SmallVector<OpFoldResult> all =
      tensor::getMixedSizes(builder, gather.getLoc(), gather.getDpsInits()[0]);
  return llvm::map_to_vector(
      some, [&](unsigned loop) { return all[findLoop(loops, loop)]; });
}

/// Whether each reader of an op's result goes along two of its loops as along
/// one: its other operands have both of them, or none.
static bool areReadTogether(linalg::GenericOp op, unsigned page, unsigned row) {
  SmallVector<unsigned> loops = getResultLoops(op);
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user)
      return true;
    AffineMap own = user.getMatchingIndexingMap(&use);
    auto find = [&](unsigned loop) {
      auto dim = dyn_cast<AffineDimExpr>(own.getResult(findLoop(loops, loop)));
      return dim ? dim.getPosition() : user.getNumLoops();
    };
    unsigned ofPage = find(page), ofRow = find(row);
    return ofPage < user.getNumLoops() && ofRow < user.getNumLoops() &&
           llvm::all_of(
               user.getIndexingMapsArray(),
               [&](AffineMap map) {
                 return map.isFunctionOfDim(ofPage) ==
                        map.isFunctionOfDim(ofRow);
               });
  });
}

/// The read of an op, whose result may be NaN where a condition doesn't hold.
static std::optional<TableRead> findRead(linalg::GenericOp op, Value &exists) {
  auto choice = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!choice)
    return matchTableRead(op);
  auto element = choice.getTrueValue().getDefiningOp<tensor::ExtractOp>();
  if (!element || !matchPattern(choice.getFalseValue(), m_NaNFloat()))
    return std::nullopt;
  exists = choice.getCondition();
  return describeRead(element);
}

static std::optional<PageGather> findPages(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() ||
      !isReadByProduct(op))
    return std::nullopt;
  PageGather pages;
  std::optional<TableRead> read = findRead(op, pages.exists);
  if (!read || read->isGuarded || read->loops.size() < 3 || read->loops[0])
    return std::nullopt;
  pages.op = op;
  pages.read = *read;
  llvm::SmallDenseSet<unsigned> own;
  Value number = read->getIndex(0);
  for (std::optional<unsigned> loop : llvm::drop_begin(read->loops))
    if (!loop || !own.insert(*loop).second ||
        !isFixedAlong(op, number, *loop) ||
        (pages.exists && !isFixedAlong(op, pages.exists, *loop)))
      return std::nullopt;
  llvm::copy_if(getResultLoops(op), std::back_inserter(pages.numbered),
                [&](unsigned loop) { return !own.contains(loop); });
  if (pages.numbered.empty() || failed(findSources(number, op.getBody())))
    return std::nullopt;
  pages.page = pages.numbered.back();
  for (unsigned index = 1; index + 1 != read->loops.size(); ++index) {
    pages.index = index;
    pages.row = *read->loops[index];
    if (op.getStaticLoopRanges()[pages.row] == pages.countRows() &&
        areReadTogether(op, pages.page, pages.row))
      return pages;
  }
  return std::nullopt;
}

/// Places the rows of pages behind them, where users name dimensions by maps.
void PageGather::orderResult(IRRewriter &rewriter) {
  SmallVector<unsigned> loops = getResultLoops(op);
  unsigned ofPage = findLoop(loops, page), ofRow = findLoop(loops, row);
  bool isNamed = llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    return user && user.isDpsInput(&use);
  });
  if (ofRow == ofPage + 1 || !isNamed)
    return;
  SmallVector<int64_t> order;
  for (unsigned dim = 0; dim != loops.size(); ++dim) {
    if (dim != ofRow)
      order.push_back(dim);
    if (dim == ofPage)
      order.push_back(ofRow);
  }
  auto setMap = [&](linalg::GenericOp user, OpOperand &operand) {
    SmallVector<AffineMap> maps = user.getIndexingMapsArray();
    AffineMap &map = maps[operand.getOperandNumber()];
    map = AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                         applyPermutation(map.getResults(), order),
                         rewriter.getContext());
    user.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  };
  rewriter.setInsertionPoint(op);
  OpOperand &init = *op.getDpsInitOperand(0);
  Value like = tensor::EmptyOp::create(
      rewriter, op.getLoc(),
      applyPermutation(tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
                       order),
      getElementTypeOrSelf(init.get()));
  for (OpOperand &use : op->getUses())
    setMap(cast<linalg::GenericOp>(use.getOwner()), use);
  setMap(op, init);
  init.set(like);
  op.getResult(0).setType(cast<RankedTensorType>(like.getType()));
}

//===----------------------------------------------------------------------===//
// Ops in common
//===----------------------------------------------------------------------===//

PageJoiner::PageJoiner(ArrayRef<PageGather> gathers, const PageGather &first)
    : gathers(gathers) {
  constexpr int64_t kLeastRows = 8, kMostRows = 256;
  int64_t rows = first.countRows();
  if (ShapedType::isDynamic(rows) || rows < kLeastRows || rows > kMostRows ||
      !llvm::isPowerOf2_64(rows)) {
    refusal = "a page has " +
              (ShapedType::isDynamic(rows) ? std::string("an unknown number of")
                                           : std::to_string(rows)) +
              " rows, and boxes have a power of two from " +
              std::to_string(kLeastRows) + " to " + std::to_string(kMostRows);
    return;
  }
  linalg::GenericOp op = first.op;
  noteOp(op, {first.page, first.row});
  // Tensors that ops add are behind those before.
  for (size_t i = 0; i < tensors.size() && refusal.empty(); ++i) {
    auto [tensor, at] = *(tensors.begin() + i);
    noteOps(tensor, at);
  }
  if (refusal.empty())
    checkMissing();
}

/// Whether an op makes one dimension of that at a place and the next one, and
/// keeps all others.
static bool joinsAlone(Operation *op, unsigned at) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  return collapse &&
         collapse.getSrcType().getRank() ==
             collapse.getResultType().getRank() + 1 &&
         collapse.getReassociationIndices()[at].size() == 2;
}

/// Notes a tensor of which the dimensions at a place and behind it are pages
/// and their rows.
void PageJoiner::note(Value tensor, unsigned at) {
  auto [known, isNew] = tensors.insert({tensor, at});
  if (!isNew && known->second != at)
    refusal = "a tensor has them twice";
}

/// Notes the ops that write and read such a tensor.
void PageJoiner::noteOps(Value tensor, unsigned at) {
  auto find = [&](linalg::GenericOp op, OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto page = dyn_cast<AffineDimExpr>(map.getResult(at)),
         row = dyn_cast<AffineDimExpr>(map.getResult(at + 1));
    if (page && row)
      noteOp(op, {page.getPosition(), row.getPosition()});
    else
      refusal = "an op reads windows of them";
  };
  auto writer = tensor.getDefiningOp<linalg::GenericOp>();
  if (!writer)
    return; // one in memory, or a fill, has them as one, too
  find(writer,
       *writer.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber()));
  for (OpOperand &use : tensor.getUses()) {
    if (auto reader = dyn_cast<linalg::GenericOp>(use.getOwner()))
      find(reader, use);
    else if (!isa<tensor::DimOp, func::ReturnOp>(use.getOwner()) &&
             !joinsAlone(use.getOwner(), at))
      refusal = "'" + use.getOwner()->getName().getStringRef().str() +
                "' reads them apart";
  }
}

void PageJoiner::noteOp(linalg::GenericOp op, ReassociationIndices loops) {
  if (!refusal.empty())
    return;
  auto [known, isNew] = joined.insert({op, loops});
  if (!isNew) {
    if (known->second != loops)
      refusal = "an op goes along them twice";
    return;
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isOp = [&](const PageGather &gather) {
    return gather.op == op && gather.page == loops[0] && gather.row == loops[1];
  };
  if (llvm::any_of(gathers, isOp)) {
    note(op.getResult(0), *maps.back().getResultPosition(
                              getAffineDimExpr(loops[0], op.getContext())));
    return;
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds[loops[0]] != kinds[loops[1]] ||
      !llvm::all_of(
          maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      !linalg::areDimSequencesPreserved(maps, {loops})) {
    refusal = "an op needs pages and their rows apart";
    return;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<unsigned> at =
        maps[operand.getOperandNumber()].getResultPosition(
            getAffineDimExpr(loops[0], op.getContext()));
    if (!at)
      continue;
    note(operand.get(), *at);
    if (op.isDpsInit(&operand))
      note(op.getTiedOpResult(&operand), *at);
  }
}

//===----------------------------------------------------------------------===//
// Pages that don't exist
//===----------------------------------------------------------------------===//
// A sum of products with NaN is NaN, also of a weight of 0. So a sum over all
// rows of a request's values is NaN if one of its pages doesn't exist, and
// whatever the sum's factors are. Where all that depends on the keys goes
// through such sums of the same pages, only these are marked.

/// Whether values of two bodies are computed in the same way of elements of the
/// same tensors.
static bool isSame(linalg::GenericOp op, Value value, linalg::GenericOp other,
                   Value same) {
  llvm::SmallSetVector<std::pair<Value, Value>, 8> open;
  open.insert({value, same});
  for (size_t i = 0; i < open.size(); ++i) {
    auto [own, others] = open[i];
    if (own == others)
      continue;
    auto argument = dyn_cast<BlockArgument>(own),
         otherArgument = dyn_cast<BlockArgument>(others);
    if (argument && otherArgument && argument.getOwner() == op.getBody() &&
        otherArgument.getOwner() == other.getBody()) {
      OpOperand *operand = op.getMatchingOpOperand(argument),
                *otherOperand = other.getMatchingOpOperand(otherArgument);
      if (operand->get() != otherOperand->get() ||
          op.getMatchingIndexingMap(operand) !=
              other.getMatchingIndexingMap(otherOperand))
        return false;
      continue;
    }
    Operation *source = own.getDefiningOp(),
              *otherSource = others.getDefiningOp();
    if (!source || !otherSource || source->getBlock() != op.getBody() ||
        otherSource->getBlock() != other.getBody() ||
        source->getNumRegions() != 0 || source->getNumResults() != 1 ||
        source->getName() != otherSource->getName() ||
        source->getAttrs() != otherSource->getAttrs() ||
        source->getNumOperands() != otherSource->getNumOperands())
      return false;
    for (auto pair :
         llvm::zip(source->getOperands(), otherSource->getOperands()))
      open.insert({std::get<0>(pair), std::get<1>(pair)});
  }
  return true;
}

/// The dimension of a product's result along a loop of the gather, which is
/// one of its factors; nothing if it sums along that.
static std::optional<unsigned>
findKept(const PageGather &gather, linalg::GenericOp product, unsigned loop) {
  linalg::GenericOp op = gather.op;
  for (OpOperand *factor : product.getDpsInputOperands())
    if (factor->get() == op.getResult(0))
      return product.getMatchingIndexingMap(product.getDpsInitOperand(0))
          .getResultPosition(product.getMatchingIndexingMap(factor).getResult(
              findLoop(getResultLoops(op), loop)));
  return std::nullopt;
}

void PageJoiner::checkMissing() {
  SmallVector<const PageGather *> incomplete;
  for (const PageGather &gather : gathers)
    if (gather.exists && joined.contains(gather.op))
      incomplete.push_back(&gather);
  for (const PageGather *gather : incomplete)
    for (Operation *user : linalg::GenericOp(gather->op)->getUsers()) {
      auto product = dyn_cast<linalg::GenericOp>(user);
      auto isKept = [&](unsigned loop) {
        return findKept(*gather, product, loop).has_value();
      };
      // The weights have the sequence's dimension, too, and there is no other
      // one that keys could bring NaN along.
      auto isBatch = [&](unsigned loop) {
        if (!isKept(loop))
          return false;
        AffineMap result =
            product.getMatchingIndexingMap(product.getDpsInitOperand(0));
        unsigned own = result.getDimPosition(*findKept(*gather, product, loop));
        return llvm::all_of(product.getDpsInputOperands(), [&](auto *factor) {
          return product.getMatchingIndexingMap(factor).isFunctionOfDim(own);
        });
      };
      ArrayRef<unsigned> sequences = ArrayRef(gather->numbered).drop_back();
      if (product && isContraction(product) && !isKept(gather->page) &&
          sequences.size() <= 1 && llvm::all_of(sequences, isBatch))
        sums.push_back({gather, product});
    }
  for (const PageGather *gather : incomplete) {
    llvm::SmallSetVector<Operation *, 16> open;
    open.insert(gather->op);
    for (unsigned i = 0; i < open.size(); ++i) {
      auto isMarked = [&](const auto &sum) {
        return sum.second == open[i] &&
               isSame(gather->op, gather->exists, sum.first->op,
                      sum.first->exists);
      };
      if (llvm::any_of(sums, isMarked))
        continue;
      if (open[i]->getNumResults() == 0 || open[i]->getNumRegions() > 1) {
        refusal = "pages that don't exist are NaN where no sum over them is";
        return;
      }
      for (Operation *user : open[i]->getUsers())
        open.insert(gather->op->getBlock()->findAncestorOpInBlock(*user));
    }
  }
}

/// Makes the sums of a product NaN where a page doesn't exist.
void PageGather::markMissing(IRRewriter &rewriter,
                             linalg::GenericOp product) const {
  linalg::GenericOp gather = op;
  Location loc = gather.getLoc();
  ArrayRef<unsigned> kept = ArrayRef(numbered).drop_back();
  // Marks of pages that don't exist, and of sequences that have some.
  Value one = createElements(
      rewriter, loc,
      tensor::EmptyOp::create(rewriter, loc, getExtents(rewriter, numbered),
                              rewriter.getI32Type()),
      {}, {}, [&](OpBuilder &inner, ValueRange indices, ValueRange) -> Value {
        Value found = compute(inner, exists, indices);
        Value no = arith::ConstantIntOp::create(inner, loc, 0, 32),
              yes = arith::ConstantIntOp::create(inner, loc, 1, 32);
        return arith::SelectOp::create(inner, loc, found, no, yes);
      });
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  dispatchIndexOpFoldResults(getExtents(rewriter, kept), sizes, shape);
  Value any = createReduction(
      rewriter, loc, shape, rewriter.getI32Type(), one,
      {llvm::to_vector(llvm::seq<unsigned>(0, numbered.size()))},
      /*isMaximum=*/true,
      [](OpBuilder &, ValueRange, ValueRange elements) -> Value {
        return elements.front();
      },
      sizes);
  // Where the product is.
  Value sum = product.getResult(0);
  auto type = cast<RankedTensorType>(sum.getType());
  SmallVector<unsigned> along;
  for (unsigned loop : kept)
    along.push_back(*findKept(*this, product, loop));
  rewriter.setInsertionPointAfter(product);
  Value marked = createElements(
      rewriter, loc,
      tensor::EmptyOp::create(rewriter, loc,
                              tensor::getMixedSizes(rewriter, loc, sum),
                              type.getElementType()),
      {sum, any},
      {rewriter.getMultiDimIdentityMap(type.getRank()),
       AffineMap::getMultiDimMapWithTargets(type.getRank(), along,
                                            rewriter.getContext())},
      [&](OpBuilder &inner, ValueRange, ValueRange elements) -> Value {
        auto element = cast<FloatType>(type.getElementType());
        Value nan = arith::ConstantOp::create(
            inner, loc,
            inner.getFloatAttr(element,
                               APFloat::getQNaN(element.getFloatSemantics())));
        Value zero = arith::ConstantIntOp::create(inner, loc, 0, 32);
        Value isMissing = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::sgt, elements[1], zero);
        return arith::SelectOp::create(inner, loc, isMissing, nan, elements[0]);
      });
  rewriter.replaceAllUsesExcept(sum, marked, marked.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

/// Computes a value of the body at indices of the numbered loops.
Value PageGather::compute(OpBuilder &builder, Value value,
                          ValueRange indices) const {
  BodyEvaluator body(op);
  for (auto [loop, index] : llvm::zip_equal(numbered, indices))
    body.setLoop(loop, index);
  return body.compute(builder, value);
}

/// A tensor of the numbers, along their loops; null if one in memory has them.
Value PageGather::createTable(IRRewriter &rewriter) const {
  auto cast = read.getIndex(0).getDefiningOp<arith::IndexCastOp>();
  if (cast && isa<BlockArgument>(cast.getIn()))
    return {};
  linalg::GenericOp gather = op;
  Location loc = gather.getLoc();
  int64_t pages = read.getType().getDimSize(0);
  bool isLong = ShapedType::isDynamic(pages) || !llvm::isInt<32>(pages);
  Type type = isLong ? rewriter.getI64Type() : rewriter.getI32Type();
  return createElements(
      rewriter, loc,
      tensor::EmptyOp::create(rewriter, loc, getExtents(rewriter, numbered),
                              type),
      {}, {}, [&](OpBuilder &inner, ValueRange indices, ValueRange) -> Value {
        return IndexBuilder(inner, loc)
            .integer(compute(inner, read.getIndex(0), indices), type);
      });
}

/// The rows of all pages, in the order of the gather's dimensions.
Value PageGather::createJoined(IRRewriter &rewriter) const {
  linalg::GenericOp gather = op;
  Location loc = gather.getLoc();
  Value table = createTable(rewriter);
  int64_t rows = countRows();
  SmallVector<unsigned> kept = getResultLoops(gather);
  llvm::erase(kept, row);
  SmallVector<OpFoldResult> extents = getExtents(rewriter, kept);
  OpFoldResult &pages = extents[findLoop(kept, page)];
  pages = affine::makeComposedFoldedAffineApply(
      rewriter, loc, rewriter.getAffineDimExpr(0) * rows, {pages});
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, extents, getElementTypeOrSelf(gather.getResult(0)));
  return createElements(
      rewriter, loc, empty, {}, {},
      [&](OpBuilder &inner, ValueRange indices, ValueRange) -> Value {
        IndexBuilder builder(inner, loc);
        auto find = [&](unsigned loop) {
          return indices[findLoop(kept, loop)];
        };
        Value place = builder.divide(find(page), rows);
        SmallVector<Value> ofTable, ofPool;
        for (unsigned loop : numbered)
          ofTable.push_back(loop == page ? place : find(loop));
        ofPool.push_back(table ? builder.read(table, ofTable)
                               : compute(inner, read.getIndex(0), ofTable));
        for (std::optional<unsigned> loop : llvm::drop_begin(read.loops))
          ofPool.push_back(*loop == row ? builder.remainder(find(page), rows)
                                        : find(*loop));
        tensor::ExtractOp extract = read.extract;
        return tensor::ExtractOp::create(inner, loc, extract.getTensor(),
                                         ofPool);
      });
}

/// Where indices are computed of the two parts of a joined one, computes them
/// of that.
static void simplifyIndices(IRRewriter &rewriter, linalg::LinalgOp op) {
  op.getBlock()->walk([&](affine::AffineApplyOp apply) {
    SmallVector<Value> operands;
    auto add = [&](Value value) {
      operands.push_back(value);
      return rewriter.getAffineSymbolExpr(operands.size() - 1);
    };
    SmallVector<AffineExpr> parts;
    for (Value operand : apply.getMapOperands()) {
      Operation *part = operand.getDefiningOp();
      APInt divisor;
      bool isPart = isa_and_present<arith::DivSIOp, arith::RemSIOp>(part) &&
                    part->getOperand(0).getDefiningOp<linalg::IndexOp>() &&
                    matchPattern(part->getOperand(1), m_ConstantInt(&divisor));
      AffineExpr whole = add(isPart ? part->getOperand(0) : operand);
      if (isPart)
        whole = isa<arith::DivSIOp>(part)
                    ? whole.floorDiv(divisor.getSExtValue())
                    : whole % divisor.getSExtValue();
      parts.push_back(whole);
    }
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all = parts;
    AffineExpr expr = map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
    rewriter.setInsertionPoint(apply);
    OpFoldResult folded = affine::makeComposedFoldedAffineApply(
        rewriter, apply.getLoc(),
        simplifyAffineMap(AffineMap::get(0, operands.size(), expr)),
        getAsOpFoldResult(operands));
    rewriter.replaceOp(apply, getValueOrCreateConstantIndexOp(
                                  rewriter, apply.getLoc(), folded));
  });
}

void PageJoiner::write(IRRewriter &rewriter) {
  for (auto [gather, product] : sums) {
    rewriter.setInsertionPoint(gather->op);
    gather->markMissing(rewriter, product);
  }
  for (const PageGather &gather : gathers) {
    if (!joined.erase(gather.op))
      continue;
    linalg::GenericOp op = gather.op;
    rewriter.setInsertionPoint(op);
    Value rows = gather.createJoined(rewriter);
    SmallVector<ReassociationIndices> parts;
    for (auto [dim, loop] : llvm::enumerate(getResultLoops(op))) {
      if (loop == gather.row)
        parts.back().push_back(dim);
      else
        parts.push_back({int64_t(dim)});
    }
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, op.getResult(0).getType(), rows, parts,
        tensor::getMixedSizes(rewriter, op.getLoc(), op.getDpsInits()[0]));
  }
  for (auto &[op, loops] : joined) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::CollapseResult> collapsed =
        linalg::collapseOpIterationDims(cast<linalg::LinalgOp>(op), loops,
                                        rewriter);
    assert(succeeded(collapsed) && "its loops are neighbours");
    simplifyIndices(rewriter, collapsed->collapsedOp);
    rewriter.replaceOp(op, collapsed->results);
  }
}

/// Folds reshapes between ops that have the joined dimension, and slices of it.
static LogicalResult foldReshapes(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  populateReshapePatterns(patterns);
  populateSlicePatterns(patterns);
  return rewriteGreedily(func, std::move(patterns));
}

namespace {
struct JoinPages : public carousel::impl::JoinPagesBase<JoinPages> {
  using JoinPagesBase::JoinPagesBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    IRRewriter rewriter(func.getContext());
    SmallVector<PageGather> gathers;
    func.walk([&](linalg::GenericOp op) {
      if (std::optional<PageGather> gather = findPages(op))
        gathers.push_back(*gather);
    });
    for (PageGather &gather : gathers)
      gather.orderResult(rewriter);
    DecisionLog log(func, "carousel-normalize-graph");
    std::vector<PageJoiner> joiners;
    for (const PageGather &gather : gathers) {
      auto hasGather = [&](const PageJoiner &joiner) {
        return joiner.contains(gather.op);
      };
      if (llvm::any_of(joiners, hasGather))
        continue;
      PageJoiner joiner(gathers, gather);
      auto meets = [&](const PageJoiner &other) { return joiner.meets(other); };
      if (joiner.getRefusal().empty() && llvm::any_of(joiners, meets))
        log.missed(gather.op, "JoinedPages",
                   "pages are gathered to memory: an op goes along other "
                   "pages, too");
      else if (joiner.getRefusal().empty())
        joiners.push_back(std::move(joiner));
      else
        log.missed(gather.op, "JoinedPages",
                   "pages are gathered to memory: " +
                       llvm::Twine(joiner.getRefusal()));
    }
    for (PageJoiner &joiner : joiners)
      joiner.write(rewriter);
    joined += joiners.size();
    if (joiners.empty())
      return;
    // Keys and values mostly have one table.
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter, dominance, func);
    if (failed(foldReshapes(func)))
      signalPassFailure();
  }
};

} // namespace
