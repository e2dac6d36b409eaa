//===- MultiplyAdds.cpp - products by multiply-adds -----------------------===//
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

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

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

Value carousel::multiplyAndAdd(ThreadProgram &program, vector::ContractionOp op,
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
