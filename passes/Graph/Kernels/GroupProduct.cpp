//===- GroupProduct.cpp - a contraction on vectors ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupProduct.h.
//
//===----------------------------------------------------------------------===//

#include "GroupProduct.h"

#include "../Reading/ReadGraph.h"
#include "../Reading/RowReads.h"

#include "GroupLoops.h"
#include "ImplicitGEMM.h"
#include "RowLoops.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/BlockVariants.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Makes one dimension of those that are summed over, in the order of
/// `summed`. Where they aren't neighbours in that order, they become the last
/// ones.
static void joinDepth(GroupVectors &vectors, ArrayRef<unsigned> summed,
                      StoredVector &factor) {
  auto isReduced = [&](unsigned dim) {
    return llvm::is_contained(summed, dim);
  };
  const auto *first = llvm::find_if(factor.dims, isReduced);
  if (!llvm::equal(summed, ArrayRef<unsigned>(first, factor.dims.end())
                               .take_front(summed.size()))) {
    SmallVector<unsigned> dims;
    llvm::copy_if(factor.dims, std::back_inserter(dims),
                  [&](unsigned dim) { return !isReduced(dim); });
    llvm::append_range(dims, summed);
    SmallVector<int64_t> order;
    for (unsigned dim : dims)
      order.push_back(llvm::find(factor.dims, dim) - factor.dims.begin());
    factor.value = vector::TransposeOp::create(vectors.builder, vectors.loc,
                                               factor.value, order);
    factor.dims = dims;
  }
  auto type = cast<VectorType>(factor.value.getType());
  SmallVector<int64_t> shape;
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::zip_equal(factor.dims, type.getShape())) {
    if (!dims.empty() && isReduced(dim) && isReduced(dims.back())) {
      shape.back() *= extent;
      continue;
    }
    shape.push_back(extent);
    dims.push_back(dim);
  }
  if (dims.size() == factor.dims.size())
    return;
  factor.value = vector::ShapeCastOp::create(
      vectors.builder, vectors.loc,
      VectorType::get(shape, type.getElementType()), factor.value);
  factor.dims = dims;
}

/// A factor that is read, and not computed, in the order of memory: matrix
/// instructions take both.
static StoredVector keepStored(StoredVector factor) {
  auto transpose = factor.value.getDefiningOp<vector::TransposeOp>();
  if (!transpose ||
      !transpose.getVector().getDefiningOp<vector::TransferReadOp>())
    return factor;
  StoredVector stored = factor;
  stored.value = transpose.getVector();
  for (auto [dim, from] :
       llvm::zip_equal(factor.dims, transpose.getPermutation()))
    stored.dims[from] = dim;
  return stored;
}

Value carousel::multiply(const GroupProgram &program, unsigned op,
                         GroupMemory &memory, GroupVectors &vectors,
                         Value sum) {
  OpBuilder &builder = vectors.builder;
  auto inputs = findFactors(cast<linalg::LinalgOp>(program.graph.ops[op]));
  const GraphOp &node = program.graph.problem.ops[op];
  std::optional<ImplicitGEMM> pixels;
  StoredVector factors[2];
  if (node.kind == GraphOpKind::Convolution) {
    pixels.emplace(program, op, vectors);
    Value image = program.graph.tensors[node.reads.front().tensor];
    factors[0] = image.getDefiningOp<tensor::EmptyOp>()
                     ? pixels->makeImage(getElementTypeOrSelf(image))
                     : pixels->readImage(memory.getParameter(image));
  } else {
    factors[0] = keepStored(memory.readFactor(op, inputs[0].input));
  }
  factors[1] = keepStored(memory.readFactor(op, inputs[1].input));
  auto getZero = [&](const StoredVector &factor) {
    return cast<TypedAttr>(
        builder.getZeroAttr(getElementTypeOrSelf(factor.value)));
  };
  for (auto [factor, input] : llvm::zip_equal(factors, inputs)) {
    for (Operation *extension : input.casts) {
      OperationState state(vectors.loc, extension->getName());
      state.addOperands(factor.value);
      state.addTypes(cast<VectorType>(factor.value.getType())
                         .clone(extension == input.casts.back()
                                    ? input.type
                                    : extension->getResult(0).getType()));
      state.addAttributes(extension->getAttrs());
      factor.value = builder.create(state)->getResult(0);
    }
    bool isZeroBehind = factor.padding && input.keepsZero &&
                        (matchPattern(factor.padding, m_Zero()) ||
                         matchPattern(factor.padding, m_PosZeroFloat()));
    factor.padding = isZeroBehind ? getZero(factor) : TypedAttr();
  }
  auto mask = [&](StoredVector &factor) {
    factor.value = vectors.maskReduced(
        {factor.value, factor.dims, factor.padding}, getZero(factor));
  };
  if (pixels) {
    if (!factors[0].padding)
      factors[0].value = pixels->maskImage(factors[0].value);
    mask(factors[1]);
    return pixels->multiply(factors[0], factors[1], sum);
  }
  // The factor with the sum's first dimension is on the left.
  SmallVector<unsigned> summed = findSummed(program, op);
  auto getKept = [&](const StoredVector &factor) {
    return *llvm::find_if(factor.dims, [&](unsigned dim) {
      return !llvm::is_contained(summed, dim);
    });
  };
  if (getKept(factors[1]) < getKept(factors[0]))
    std::swap(factors[0], factors[1]);
  llvm::for_each(factors, mask);
  SmallVector<unsigned> depth;
  llvm::copy_if(factors[0].dims, std::back_inserter(depth),
                [&](unsigned dim) { return llvm::is_contained(summed, dim); });
  for (StoredVector &factor : factors)
    joinDepth(vectors, depth, factor);
  return contract(program, vectors, summed, factors[0], factors[1], sum);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static int64_t getBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// The bits of the widest elements of vectors in an op's body.
static int64_t findWidestOfOp(const GroupProgram &program, unsigned op) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  int64_t widest = 0;
  llvm::DenseSet<Value> elements;
  auto add = [&](Value value) {
    elements.insert(value);
    widest = std::max(widest, getBits(value.getType()));
  };
  for (OpOperand &operand : structured->getOpOperands())
    for (auto [loop, position] : llvm::enumerate(getPositions(program, op)))
      if (program.schedule.dims[position].tile != 1 &&
          structured.getMatchingIndexingMap(&operand).isFunctionOfDim(loop))
        add(structured.getMatchingBlockArgument(&operand));
  structured.getBlock()->walk([&](Operation *inner) {
    auto isElement = [&](Value value) { return elements.contains(value); };
    if (isa<tensor::ExtractOp>(inner) || inner->getNumRegions() != 0 ||
        llvm::any_of(inner->getOperands(), isElement))
      llvm::for_each(inner->getResults(), add);
  });
  return widest;
}

/// The bits of the widest elements of vectors that a group computes a tensor
/// from. What follows from coordinates alone needs no registers.
static int64_t findWidest(const GroupProgram &program, unsigned tensor) {
  llvm::SetVector<unsigned> tensors;
  tensors.insert(tensor);
  int64_t widest = 0;
  for (unsigned i = 0; i < tensors.size(); ++i) {
    std::optional<unsigned> op = program.graph.problem.findWriter(tensors[i]);
    if (!op)
      continue;
    widest = std::max(widest, findWidestOfOp(program, *op));
    for (const GraphAccess &read : program.graph.problem.ops[*op].reads)
      tensors.insert(read.tensor);
  }
  return widest;
}

/// Tiles of fewer rows are no boxes of their own.
static constexpr int64_t kLeastRowsOfBox = 8;

/// Whether an op computes a factor as rows that a table names, which
/// GroupVectors::readRows reads as a tile.
static bool hasNamedRows(const GroupProgram &program, unsigned op) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  std::optional<TableRead> read = matchTableRead(structured);
  if (!read || read->loops.size() != 2 || !read->loops[1])
    return false;
  auto number = read->getIndex(0).getDefiningOp<arith::IndexCastOp>();
  auto table = number ? dyn_cast<BlockArgument>(number.getIn()) : Value();
  if (!table ||
      !(table.getType().isInteger(32) || table.getType().isInteger(64)))
    return false;
  SmallVector<unsigned> loops = getPositions(program, op);
  OpOperand *input =
      structured.getMatchingOpOperand(cast<BlockArgument>(table));
  SmallVector<unsigned> rows;
  for (AffineExpr expr : structured.getMatchingIndexingMap(input).getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        loop && program.schedule.dims[loops[loop.getPosition()]].tile != 1 &&
        !llvm::is_contained(rows, loops[loop.getPosition()]))
      rows.push_back(loops[loop.getPosition()]);
  unsigned depth = loops[*read->loops[1]];
  return isa<BlockArgument>(input->get()) && rows.size() == 1 &&
         rows.front() < depth && program.schedule.dims[depth].isReduced;
}

/// Whether a number is that of a program, the same for all of its tiles, or
/// follows from one.
static bool isOfProgram(const GroupProgram &program, unsigned op,
                        Value number) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  SmallVector<unsigned> positions = getPositions(program, op);
  auto isOfScalars = [](Value value) {
    return isa_and_present<arith::IndexCastOp, arith::DivUIOp, arith::RemUIOp>(
        value.getDefiningOp());
  };
  return !isComputedOf(number, isOfScalars, [&](Value value) {
    if (isOfScalars(value) || matchPattern(value, m_Constant()))
      return false;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != structured.getBlock())
      return true;
    AffineMap map = structured.getMatchingIndexingMap(
        structured.getMatchingOpOperand(argument));
    return llvm::any_of(llvm::enumerate(positions), [&](const auto &loop) {
      return map.isFunctionOfDim(loop.index()) &&
             program.schedule.dims[loop.value()].tile != 1;
    });
  });
}

bool carousel::isReadInFollowingRows(const GroupProgram &program, unsigned op) {
  auto structured = dyn_cast<linalg::LinalgOp>(program.graph.ops[op]);
  std::optional<FollowingRows> rows = structured
                                          ? findFollowingRows(structured)
                                          : std::optional<FollowingRows>();
  SmallVector<unsigned> loops = getPositions(program, op);
  return rows && isOfProgram(program, op, rows->first) &&
         !findBox(program.schedule, {loops[rows->row], loops[rows->column]})
              .empty();
}

/// The loop along which indices of rows of pages grow, from a whole page on, or
/// a part of one that tiles divide; nothing for other indices.
static std::optional<unsigned> findLoopOfPages(const PagedRows &pages) {
  if (auto index = pages.number.getDefiningOp<linalg::IndexOp>())
    return index.getDim();
  auto sum = pages.number.getDefiningOp<arith::AddIOp>();
  auto index =
      sum ? sum.getRhs().getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  APInt first;
  auto product =
      sum ? sum.getLhs().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  Value number = product ? product.getRhs() : sum ? sum.getLhs() : Value();
  bool isWhole =
      index && matchPattern(number, m_ConstantInt(&first)) &&
      first.getSExtValue() % pages.rows == 0 &&
      (!product || product.getLhs().getDefiningOp<linalg::IndexOp>());
  return isWhole ? std::optional<unsigned>(index.getDim()) : std::nullopt;
}

bool carousel::isReadInPages(const GroupProgram &program, unsigned op) {
  auto structured = dyn_cast<linalg::LinalgOp>(program.graph.ops[op]);
  std::optional<PagedRows> pages =
      structured ? matchPagedRows(structured) : std::optional<PagedRows>();
  std::optional<unsigned> along =
      pages ? findLoopOfPages(*pages) : std::optional<unsigned>();
  if (!along || !isPipelined(program) ||
      !isa<BlockArgument>(pages->element.getTensor()) ||
      !isa<BlockArgument>(pages->page.getTensor()))
    return false;
  SmallVector<unsigned> loops = getPositions(program, op);
  auto hasTile = [&](Value index) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    return !loop || program.schedule.dims[loops[loop.getDim()]].tile != 1;
  };
  int64_t tile = program.schedule.dims[loops[*along]].tile;
  SmallVector<Value> others(pages->page.getIndices().drop_back());
  for (auto [dim, index] : llvm::enumerate(pages->element.getIndices()))
    if (dim != 0 && dim != pages->at)
      others.push_back(index);
  return tile >= kLeastRowsOfBox &&
         (tile % pages->rows == 0 || pages->rows % tile == 0) &&
         llvm::none_of(ArrayRef(others).drop_back(), hasTile) &&
         hasTile(others.back());
}

bool carousel::readsAllPages(const GroupProgram &program, unsigned op) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  PagedRows pages = *matchPagedRows(structured);
  SmallVector<int64_t> extents = structured.getStaticLoopRanges();
  int64_t places =
      cast<ShapedType>(pages.page.getTensor().getType()).getShape().back();
  int64_t rows = extents[*findLoopOfPages(pages)];
  if (auto sum = pages.number.getDefiningOp<arith::AddIOp>()) {
    auto product = sum.getLhs().getDefiningOp<arith::MulIOp>();
    auto tile = product ? product.getLhs().getDefiningOp<linalg::IndexOp>()
                        : linalg::IndexOp();
    APInt first;
    if (!tile || !matchPattern(product.getRhs(), m_ConstantInt(&first)) ||
        first != rows)
      return false;
    int64_t tiles = extents[tile.getDim()];
    rows = ShapedType::isDynamic(tiles) ? tiles : rows * tiles;
  }
  return ShapedType::isDynamic(rows) || ShapedType::isDynamic(places) ||
         rows == places * pages.rows;
}

/// Whether an op reads a factor from the matrices that numbers choose, of which
/// each program has one.
static bool hasChosenMatrix(const GroupProgram &program, unsigned op) {
  std::optional<TableRead> read =
      matchTableRead(cast<linalg::LinalgOp>(program.graph.ops[op]));
  if (!read || read->isGuarded)
    return false;
  SmallVector<unsigned> loops = getPositions(program, op), found;
  for (auto [at, loop] : llvm::enumerate(read->loops)) {
    if (!loop && !isOfProgram(program, op, read->getIndex(at)))
      return false;
    if (loop && llvm::is_contained(found, loops[*loop]))
      return false;
    if (loop)
      found.push_back(loops[*loop]);
  }
  return !findBox(program.schedule, found).empty();
}

/// Whether an op reads a factor in a range of rows, and masks it nowhere.
static bool isReadInRowRange(const GroupProgram &program, unsigned op) {
  std::optional<RowLoops> loops = findRowLoops(program);
  return loops && loops->op == op;
}

/// Whether a factor is read to the tile of a ring, which nothing masks.
static bool isTile(const GroupProgram &program, const ProductFactor &factor,
                   const GraphAccess &read, ArrayRef<unsigned> positions) {
  const GroupSchedule &schedule = program.schedule;
  Value tensor = program.graph.tensors[read.tensor];
  bool isByte = isBit(factor) && factor.type.isInteger(8);
  if (!isByte && (getBits(tensor.getType()) < 8 ||
                  !llvm::all_of(factor.casts, llvm::IsaPred<RoundTF32Op>)))
    return false;
  if (!isa<BlockArgument>(tensor)) {
    std::optional<unsigned> op = program.graph.problem.findWriter(read.tensor);
    return op &&
           (hasNamedRows(program, *op) || isReadInPages(program, *op) ||
            isReadInFollowingRows(program, *op) ||
            hasChosenMatrix(program, *op) || isReadInRowRange(program, *op));
  }
  if (read.windows.empty())
    return !findBox(schedule, positions).empty();
  auto isMasked = [&](unsigned position) {
    const ScheduledDim &dim = schedule.dims[position];
    return dim.isReduced && dim.tile != 1 && dim.isRagged();
  };
  if (!schedule.dims[positions.back()].isReduced)
    return llvm::none_of(positions, isMasked);
  return !(isInterleaved(read) || read.hasGroups) ||
         !isMasked(positions.back());
}

SmallVector<unsigned> carousel::findProducts(const GroupProgram &program) {
  SmallVector<unsigned> products;
  for (auto [number, op] : llvm::enumerate(program.graph.problem.ops))
    if (op.isProduct())
      products.push_back(number);
  return products;
}

int64_t carousel::findFactorBits(const GroupProgram &program) {
  unsigned op = findProducts(program).front();
  return getBits(
      findFactors(cast<linalg::LinalgOp>(program.graph.ops[op]))[0].type);
}

/// \p products have sums in registers.
static FactorDemand findFactorDemand(const GroupProgram &program, unsigned op,
                                     int64_t products) {
  const auto &ops = program.graph.problem.ops;
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  std::array<ProductFactor, 2> factors = findFactors(structured);
  std::array<SmallVector<unsigned>, 2> positions;
  unsigned rows[2] = {}, depth = 0, first[2] = {};
  for (unsigned number : {0, 1}) {
    positions[number] = getPositions(program, op, ops[op].reads[number]);
    depth = 0;
    for (unsigned position : llvm::reverse(positions[number])) {
      const ScheduledDim &dim = program.schedule.dims[position];
      (dim.isReduced ? depth : rows[number]) += llvm::Log2_64(dim.tile);
      if (!dim.isReduced && dim.tile != 1)
        first[number] = position;
    }
  }
  Type sum = getElementTypeOrSelf(structured.getDpsInits()[0]);
  bool isRounded =
      program.usesTF32 && factors[0].type.isF32() && factors[1].type.isF32();
  // Images are on the left, and otherwise the sum's first dimension.
  bool isImageLeft =
      ops[op].kind == GraphOpKind::Convolution && !ops[op].isWgrad();
  unsigned left = !isImageLeft && first[1] < first[0];
  ProductBits bits{rows[left], rows[1 - left], depth};
  FactorDemand demand{rules::kMaxThreadsPerBlock, 0, kMostVectorRegisters};
  // Factors of two types are extended.
  Type factor = factors[0].type == factors[1].type ? factors[0].type : sum;
  // Blocks of multiply-adds follow from the largest vector. Instructions have
  // blocks with as many threads as they need.
  if (!hasMatrixInstructions(bits, factor, sum, isRounded)) {
    unsigned largest =
        std::max({bits.m + bits.n, bits.m + bits.k, bits.n + bits.k});
    demand.threads = std::clamp<int64_t>(
        (int64_t(1) << largest) / kFewMultiplyAdds, 32, demand.threads);
    demand.available = std::min(
        demand.available,
        program.graph.problem.chip.getRegistersPerThread(demand.threads) -
            kAddressRegisters -
            products * countRegisters(kFewMultiplyAdds, getBits(sum)));
  }
  std::array<int64_t, 2> elements = countFactorElements(
      bits, factor, sum, isRounded, {5, llvm::Log2_64(demand.threads) - 5});
  bool hasTiles = isPipelined(program);
  int64_t all = 0;
  for (unsigned number : {0, 1}) {
    const GraphAccess &read = ops[op].reads[number];
    if (hasTiles && isTile(program, factors[number], read, positions[number]))
      continue;
    int64_t own = elements[number != left];
    int64_t width = getBits(factors[number].type);
    int64_t widest =
        std::max({width, getBits(program.graph.tensors[read.tensor].getType()),
                  findWidest(program, read.tensor)});
    demand.registers = std::max(demand.registers, countRegisters(own, widest));
    all += countRegisters(own, width);
  }
  demand.registers = std::max(demand.registers, all);
  return demand;
}

FactorDemand carousel::findFactorDemand(const GroupProgram &program) {
  SmallVector<unsigned> products = findProducts(program);
  FactorDemand demand =
      ::findFactorDemand(program, products.front(), products.size());
  for (unsigned op : llvm::drop_begin(products))
    demand.registers +=
        ::findFactorDemand(program, op, products.size()).registers;
  return demand;
}
