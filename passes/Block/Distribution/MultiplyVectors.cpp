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

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#include <map>

using namespace mlir;
using namespace carousel;

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
