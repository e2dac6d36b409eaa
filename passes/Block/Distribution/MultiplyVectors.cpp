//===- MultiplyVectors.cpp - contractions by threads ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MultiplyVectors.h. Sums are in the order of k.
//
//===----------------------------------------------------------------------===//

#include "MultiplyVectors.h"

#include "../Threads/ConvertLayouts.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products by multiply-adds
//
// See MultiplyVectors.h. Sums are in the order of k.
//===----------------------------------------------------------------------===//

static Value extend(ThreadProgram &program, Value registers, Type element) {
  auto type = cast<VectorType>(registers.getType());
  if (type.getElementType() == element)
    return registers;
  auto wide = type.clone(element);
  if (isa<FloatType>(element))
    return arith::ExtFOp::create(program.builder, program.loc, wide, registers);
  return arith::ExtSIOp::create(program.builder, program.loc, wide, registers);
}

static Value multiplyAdd(ThreadProgram &program, vector::CombiningKind kind,
                         Value lhs, Value rhs, Value acc) {
  OpBuilder &builder = program.builder;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(acc.getType()));
  if (isFloat && kind == vector::CombiningKind::ADD)
    return math::FmaOp::create(builder, program.loc, lhs, rhs, acc);
  Value product =
      isFloat ? Value(arith::MulFOp::create(builder, program.loc, lhs, rhs))
              : arith::MulIOp::create(builder, program.loc, lhs, rhs);
  return vector::makeArithReduction(builder, program.loc, kind, product, acc);
}

/// For each register of the sum, the register of a factor, at coordinates of
/// the reduced dimensions.
static SmallVector<int64_t> findFactors(vector::ContractionOp op, unsigned map,
                                        const LinearLayout &layout,
                                        const LinearLayout &acc,
                                        ArrayRef<uint32_t> reduced) {
  SmallVector<int64_t> numbers;
  for (uint32_t number = 0; number < countRegisters(acc); ++number) {
    SmallVector<uint32_t> ofAcc = getRegisterCoordinates(acc, number);
    SmallVector<uint32_t> own(layout.getExtentBits().size());
    for (unsigned dim = 0; dim < reduced.size(); ++dim)
      if (std::optional<unsigned> at = findOperandDim(op, map, dim)) {
        std::optional<unsigned> kept = findOperandDim(op, 2, dim);
        own[*at] = kept ? ofAcc[*kept] : reduced[dim];
      }
    numbers.push_back(*layout.findRegister(own));
  }
  return numbers;
}

/// Calls `visit` with coordinates of the reduced dimensions below `most`, the
/// last one fastest; 0 for others.
static void forEachReduced(vector::ContractionOp op, int64_t most,
                           function_ref<void(ArrayRef<uint32_t>)> visit) {
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  for (auto [bound, iterator] :
       llvm::zip_equal(bounds, op.getIteratorTypesArray()))
    bound =
        iterator == vector::IteratorType::parallel ? 1 : std::min(bound, most);
  SmallVector<uint32_t> at(bounds.size(), 0);
  while (true) {
    visit(at);
    int64_t dim = int64_t(at.size()) - 1;
    for (; dim >= 0 && ++at[dim] == bounds[dim]; --dim)
      at[dim] = 0;
    if (dim < 0)
      return;
  }
}

namespace {

/// The elements of a factor, in the type of the sums. Those in shared memory
/// are loaded for the step that multiplies them, and stay until a step needs
/// others: a whole factor is too much for a thread's registers.
class OwnFactor {
public:
  OwnFactor(ThreadProgram &program, const Factor &factor, Type sum)
      : program(program), factor(factor), sum(sum) {
    if (!isInMemory())
      elements = extend(program, factor.registers, sum);
  }

  bool isInMemory() const { return factor.reader || factor.shared; }

  /// Selects elements from `number` on in a dimension of the factor.
  void begin(unsigned along, Value number) {
    dim = along;
    offset = factor.shared ? factor.shared->getOffset(number) : number;
    loaded.clear();
  }

  Value select(ArrayRef<int64_t> numbers) {
    if (!isInMemory())
      return program.select(elements, numbers);
    ArrayRef<int64_t> sources = factor.sources;
    int64_t run =
        factor.shared ? factor.shared->getRun() : factor.reader->getRun();
    auto getFirst = [&](int64_t number) {
      return int64_t(llvm::alignDown(sources[number], run));
    };
    SmallVector<int64_t> firsts = llvm::map_to_vector(numbers, getFirst);
    llvm::sort(firsts);
    firsts.erase(llvm::unique(firsts), firsts.end());
    if (firsts != loaded) {
      Value runs = factor.shared ? factor.shared->readRuns(firsts, offset)
                                 : factor.reader->readRuns(firsts, offset, dim);
      elements = extend(program, runs, sum);
      loaded = firsts;
    }
    return program.select(
        elements, llvm::map_to_vector(numbers, [&](int64_t number) {
          auto own = llvm::lower_bound(loaded, getFirst(number));
          return (own - loaded.begin()) * run + sources[number] % run;
        }));
  }

private:
  ThreadProgram &program;
  const Factor &factor;
  Type sum;
  Value elements, offset;
  unsigned dim = 0;
  SmallVector<int64_t> loaded; ///< runs, by their first registers
};

} // namespace

std::optional<int64_t> carousel::findStep(vector::ContractionOp op,
                                          const LayoutPlan &plan) {
  // Beside sums of another product, loads of few steps ahead have registers.
  constexpr int64_t kMostAdds = 2048, kMostAddsOfKept = 512;
  bool isKept =
      plan.isKept(op.getLhsMutable()) || plan.isKept(op.getRhsMutable());
  int64_t most = isKept ? kMostAddsOfKept : kMostAdds;
  std::optional<ProductDims> dims = findProductDims(op);
  if (!dims)
    return std::nullopt;
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  int64_t sums = countRegisters(plan.getContraction(op).acc);
  // A step has whole runs of both factors, which loads read at once.
  constexpr int64_t kRunBits = 128;
  int64_t depth = bounds[dims->k], step = std::max<int64_t>(most / sums, 4);
  // LLVM puts all loads of a step before its sums where it likes. ptxas finds
  // a better order in a block whose threads have all registers that
  // instructions name; others have as many as a step's factors take.
  const ContractionPlan &product = plan.getContraction(op);
  ThreadBits threads = plan.getThreads();
  int64_t available = getVectorRegisters(1 << (threads.lanes + threads.warps));
  int64_t factors = countRegisters(product.lhs) + countRegisters(product.rhs);
  // ptxas also loads a whole step before it multiplies if that has all of a
  // factor in memory.
  bool loadsAll = isKept && depth <= step;
  if (available < kMostVectorRegisters || loadsAll)
    while (step > 4 && factors * step > (available - sums) * depth)
      step /= 2;
  for (VectorType factor : {op.getLhsType(), op.getRhsType()})
    step = std::max(step, kRunBits / getElementBits(factor));
  if (depth <= step || !llvm::isPowerOf2_64(depth))
    return std::nullopt;
  return step;
}

/// Computes a product by multiply-adds of each thread's own elements, since no
/// instruction multiplies matrices of its types or extents.
static Value multiplyAndAdd(ThreadProgram &program, vector::ContractionOp op,
                            const LayoutPlan &layouts, const Factor &lhs,
                            const Factor &rhs, Value acc) {
  const ContractionPlan &plan = layouts.getContraction(op);
  OpBuilder &builder = program.builder;
  Type sum = getElementTypeOrSelf(acc.getType());
  bool isScalar = !isa<VectorType>(acc.getType());
  if (isScalar)
    acc = vector::BroadcastOp::create(builder, program.loc,
                                      VectorType::get({1}, sum), acc);
  OwnFactor ownLhs(program, lhs, sum), ownRhs(program, rhs, sum);
  auto addSteps = [&](int64_t most, Value sums) {
    forEachReduced(op, most, [&](ArrayRef<uint32_t> reduced) {
      Value left =
          ownLhs.select(findFactors(op, 0, plan.lhs, plan.acc, reduced));
      Value right =
          ownRhs.select(findFactors(op, 1, plan.rhs, plan.acc, reduced));
      sums = multiplyAdd(program, op.getKind(), left, right, sums);
    });
    return sums;
  };
  std::optional<int64_t> step = findStep(op, layouts);
  if (!step || !lhs.canBegin() || !rhs.canBegin()) {
    acc = addSteps(std::numeric_limits<int64_t>::max(), acc);
    return isScalar ? program.extract(acc, 0) : acc;
  }
  unsigned k = findProductDims(op)->k;
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  auto loop =
      scf::ForOp::create(builder, program.loc, program.index(0),
                         program.index(bounds[k]), program.index(*step), acc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ownLhs.begin(*findOperandDim(op, 0, k), loop.getInductionVar());
  ownRhs.begin(*findOperandDim(op, 1, k), loop.getInductionVar());
  scf::YieldOp::create(builder, program.loc,
                       addSteps(*step, loop.getRegionIterArgs().front()));
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

MatrixTile::MatrixTile(ThreadProgram &program, Value tile,
                       const LinearLayout &layout)
    : program(&program), tile(tile), layout(layout),
      element(cast<MemRefType>(tile.getType()).getElementType()),
      loads(*findMatrixLoads(layout, element.getIntOrFloatBitWidth())),
      loaded(countRegisters(layout) / getElements()) {}

/// A thread's elements as an instruction has them: rows of 32 bits.
static VectorType getWordsType(Type element, int64_t count) {
  int64_t ofWord = 32 / element.getIntOrFloatBitWidth();
  return VectorType::get({count / ofWord, ofWord}, element);
}

static int64_t countElements(Value words) {
  return cast<VectorType>(words.getType()).getNumElements();
}

/// `count` elements of a vector of rows, in whole rows.
static Value sliceRows(ThreadProgram &program, Value rows, int64_t first,
                       int64_t count) {
  if (countElements(rows) == count)
    return rows;
  int64_t ofRow = cast<VectorType>(rows.getType()).getDimSize(1);
  return vector::ExtractStridedSliceOp::create(
      program.builder, program.loc, rows, ArrayRef<int64_t>(first / ofRow),
      ArrayRef<int64_t>(count / ofRow), ArrayRef<int64_t>(1));
}

static Value insertRows(ThreadProgram &program, Value part, Value rows,
                        int64_t first) {
  if (part.getType() == rows.getType())
    return part;
  int64_t ofRow = cast<VectorType>(rows.getType()).getDimSize(1);
  return vector::InsertStridedSliceOp::create(
      program.builder, program.loc, part, rows,
      ArrayRef<int64_t>({first / ofRow, 0}), ArrayRef<int64_t>({1, 1}));
}

static Value reshape(ThreadProgram &program, VectorType type, Value vector) {
  return vector::ShapeCastOp::create(program.builder, program.loc, type,
                                     vector);
}

int64_t MatrixTile::getElements() const {
  return 32 / element.getIntOrFloatBitWidth() * loads.matrices;
}

Value MatrixTile::loadInstruction(int64_t number) {
  Value &known = loaded[number];
  if (known)
    return known;
  SmallVector<Value> place;
  for (unsigned dim = 0; dim < layout.getExtentBits().size(); ++dim)
    place.push_back(program->getCoordinate(loads.rows, dim, number));
  known = nvgpu::LdMatrixOp::create(program->builder, program->loc,
                                    getWordsType(element, getElements()), tile,
                                    place, loads.transposed, loads.matrices);
  return known;
}

Value MatrixTile::loadWords(int64_t first, int64_t count) {
  int64_t own = getElements();
  if (count <= own)
    return sliceRows(*program, loadInstruction(first / own), first % own,
                     count);
  Value words = program->constant(getWordsType(element, count),
                                  program->builder.getZeroAttr(element));
  for (int64_t at = 0; at < count; at += own)
    words =
        insertRows(*program, loadInstruction((first + at) / own), words, at);
  return words;
}

Value MatrixTile::load() {
  int64_t count = countRegisters(layout);
  return reshape(*program, VectorType::get({count}, element),
                 loadWords(0, count));
}

MatrixTile *FactorTiles::find(Value vector) {
  auto tile = tiles.find(vector);
  return tile == tiles.end() ? nullptr : &tile->second;
}

bool FactorTiles::pass(Operation *op, bool isDone) {
  if (const ElementTile *own = findElements(op->getOperand(0))) {
    auto type = cast<VectorType>(op->getResult(0).getType());
    add(op->getResult(0),
        ElementTile{own->reader,
                    getReshaped(own->layout, getExtentBits(type.getShape()))});
    return true;
  }
  MatrixTile *tile = find(op->getOperand(0));
  if (!tile)
    return false;
  MatrixTile passed = *tile;
  passed.isRounded |= !isDone && isa<RoundTF32Op>(op);
  add(op->getResult(0), passed);
  return true;
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

namespace {

/// The pieces of a vector that instructions take, by their coordinates in two
/// dimensions of the product.
class Pieces {
public:
  Pieces(vector::ContractionOp op, unsigned map, const LinearLayout &layout,
         std::array<unsigned, 2> dims, int64_t size)
      : layout(layout), size(size) {
    for (auto [own, dim] : llvm::zip_equal(ofDims, dims))
      own = *findOperandDim(op, map, dim);
  }

  /// Calls `visit` with the number of the first register and the coordinates of
  /// each piece, in their order.
  void
  forEach(function_ref<void(int64_t first, int64_t, int64_t)> visit) const {
    for (int64_t first = 0; first < countRegisters(layout); first += size) {
      SmallVector<uint32_t> at = getRegisterCoordinates(layout, first);
      visit(first, at[ofDims[0]], at[ofDims[1]]);
    }
  }

private:
  const LinearLayout &layout;
  int64_t size;
  std::array<unsigned, 2> ofDims;
};

/// Products of one kind of instruction.
class MatrixProduct {
public:
  MatrixProduct(ThreadProgram &program, vector::ContractionOp op,
                const ContractionPlan &plan, Factor lhs, Factor rhs)
      : program(program), plan(plan), lhs(inWords(lhs)), rhs(inWords(rhs)),
        dims(*plan.matrices), isTF32(hasTF32Factors(op)),
        piecesOfA(op, 0, plan.lhs, {dims.m, dims.k}, getSizeOfA()),
        piecesOfB(op, 1, plan.rhs, {dims.k, dims.n}, getSizeOfA() / 2),
        piecesOfC(op, 2, plan.acc, {dims.m, dims.n}, kSizeOfC) {}

  Value add(Value acc) {
    std::map<int64_t, int64_t> slices; // of k, sorted
    piecesOfA.forEach([&](int64_t, int64_t, int64_t k) { slices[k] = k; });
    auto type = cast<VectorType>(acc.getType());
    Value pairs = reshape(
        program,
        VectorType::get({type.getNumElements() / 2, 2}, type.getElementType()),
        acc);
    SmallVector<Value> sums;
    piecesOfC.forEach([&](int64_t first, int64_t, int64_t) {
      sums.push_back(sliceRows(program, pairs, first, kSizeOfC));
    });
    for (auto [k, unused] : slices)
      addSlice(k, sums);
    for (auto [number, part] : llvm::enumerate(sums))
      pairs = insertRows(program, part, pairs, number * kSizeOfC);
    return reshape(program, type, pairs);
  }

private:
  /// Two columns of two rows.
  static constexpr int64_t kSizeOfC = 4;
  /// A lane's part of 16 rows of an instruction's k.
  int64_t getSizeOfA() const { return 16 * plan.instructionK / 32; }

  Factor inWords(Factor factor) {
    if (factor.tile)
      return factor;
    auto type = cast<VectorType>(factor.registers.getType());
    factor.registers = reshape(
        program, getWordsType(type.getElementType(), type.getNumElements()),
        factor.registers);
    return factor;
  }

  Value getPiece(const Factor &factor, int64_t first, int64_t size) {
    Value piece = factor.tile
                      ? factor.tile->loadWords(first, size)
                      : sliceRows(program, factor.registers, first, size);
    if (factor.isRounded)
      piece = RoundTF32Op::create(program.builder, program.loc, piece);
    return piece;
  }

  void addSlice(int64_t wantedK, MutableArrayRef<Value> sums) {
    std::map<int64_t, Value> rows, columns;
    piecesOfA.forEach([&](int64_t first, int64_t m, int64_t k) {
      if (k == wantedK)
        rows[m] = getPiece(lhs, first, getSizeOfA());
    });
    piecesOfB.forEach([&](int64_t first, int64_t k, int64_t n) {
      if (k == wantedK)
        columns[n] = getPiece(rhs, first, getSizeOfA() / 2);
    });
    piecesOfC.forEach([&](int64_t first, int64_t m, int64_t n) {
      Value &sum = sums[first / kSizeOfC];
      sum = nvgpu::MmaSyncOp::create(
          program.builder, program.loc, rows.at(m), columns.at(n), sum,
          ArrayRef<int64_t>({16, 8, plan.instructionK}), isTF32);
    });
  }

  ThreadProgram &program;
  const ContractionPlan &plan;
  Factor lhs, rhs;
  ProductDims dims;
  bool isTF32;
  Pieces piecesOfA, piecesOfB, piecesOfC;
};

} // namespace

/// The registers of the first factor as `carousel.multiply` takes them: pieces
/// of 64 rows, and of an instruction's k.
static Value inPieces(ThreadProgram &program, vector::ContractionOp op,
                      const ContractionPlan &plan, Value registers) {
  const ProductDims &dims = *plan.matrices;
  unsigned map = plan.form.getA();
  const LinearLayout &layout = map == 0 ? plan.lhs : plan.rhs;
  Type element = getElementTypeOrSelf(registers.getType());
  int64_t ofWord = 32 / element.getIntOrFloatBitWidth(), size = 4 * ofWord;
  // By their rows, and then by k.
  std::map<std::pair<int64_t, int64_t>, int64_t> firsts;
  Pieces(op, map, layout, {dims.m, dims.k}, size)
      .forEach(
          [&](int64_t first, int64_t m, int64_t k) { firsts[{m, k}] = first; });
  SmallVector<int64_t> order;
  for (const auto &[place, first] : firsts)
    for (int64_t i = 0; i < size; ++i)
      order.push_back(first + i);
  int64_t pieces = getWarpgroupShare(op, plan).pieces;
  return reshape(
      program,
      VectorType::get({pieces, int64_t(firsts.size()) / pieces, 4, ofWord},
                      element),
      program.select(registers, order));
}

Value carousel::multiplyTiles(ThreadProgram &program, vector::ContractionOp op,
                              const ContractionPlan &plan, Value lhs, Value rhs,
                              Value acc) {
  const ProductDims &dims = *plan.matrices;
  unsigned a = plan.form.getA(), b = 1 - a;
  if (plan.form.isSwapped)
    std::swap(lhs, rhs);
  Value row;
  if (plan.form.hasRegisters)
    lhs = inPieces(program, op, plan, lhs);
  unsigned rows = *findOperandDim(op, 2, dims.m);
  unsigned columns = *findOperandDim(op, 2, dims.n);
  WarpgroupShare share = getWarpgroupShare(op, plan);
  LinearLayout place = ofWarpgroups(plan.acc);
  auto type = cast<VectorType>(acc.getType());
  Value sums = reshape(
      program,
      VectorType::get({share.pieces, share.columns / kWgmmaColumnStep, 2, 2},
                      type.getElementType()),
      acc);
  if (!plan.form.hasRegisters)
    row = program.getCoordinate(place, rows);
  IntegerAttr promote;
  if (hasFloat8Factors(op))
    promote = program.builder.getI64IntegerAttr(kPromotedDepth);
  Value product = MultiplyOp::create(
      program.builder, program.loc, sums.getType(), lhs, rhs,
      program.getCoordinate(place, columns), sums, row,
      /*transpose_a=*/row && findOperandDim(op, a, dims.m) == 1u,
      /*transpose_b=*/findOperandDim(op, b, dims.n) == 0u, promote);
  return reshape(program, type, product);
}

Value carousel::multiplyVectors(ThreadProgram &program,
                                vector::ContractionOp op,
                                const LayoutPlan &layouts, Factor lhs,
                                Factor rhs, Value acc) {
  const ContractionPlan &plan = layouts.getContraction(op);
  if (plan.matrices)
    return MatrixProduct(program, op, plan, lhs, rhs).add(acc);
  return multiplyAndAdd(program, op, layouts, lhs, rhs, acc);
}

/// Whether all uses of a vector, whose registers would be in `layout`, are
/// factors of products in `block` that take them so.
static bool areFactors(const LayoutPlan &plan, Value vector,
                       const LinearLayout &layout, Block *block,
                       bool byMatrices) {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner();
           // Boxes of an image are factors as matrices.
           if (passesTile(user)) {
             if (!byMatrices && isa<RoundTF32Op>(user))
               return false;
             Value other = user->getResult(0);
             return areFactors(
                 plan, other,
                 getReshaped(layout,
                             getExtentBits(
                                 cast<VectorType>(other.getType()).getShape())),
                 block, byMatrices);
           }
           auto product = dyn_cast<vector::ContractionOp>(user);
           if (!product || product->getBlock() != block)
             return false;
           const ContractionPlan &own = plan.getContraction(product);
           bool takes = byMatrices ? own.matrices.has_value()
                                   : !own.matrices && !own.byWarpgroups;
           // Threads load their elements in any order.
           const LinearLayout &taken = plan.getOperandLayout(use);
           return takes &&
                  use.getOperandNumber() <
                      product.getAccMutable().getOperandNumber() &&
                  (byMatrices ? taken == layout
                              : isWithinThreads(layout, taken));
         });
}

bool carousel::isFactorOnly(const LayoutPlan &plan, Operation *read) {
  const AccessPlan &access = plan.getAccess(read);
  return areFactors(plan, read->getResult(0), access.layout, read->getBlock(),
                    access.byMatrices);
}
