//===- TileCoverage.cpp - whether threads write a whole tile --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps through the writes of one iteration, thread by thread, and marks the
// elements of the tile that they reach. What can't be evaluated reaches none.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/IndexFunction.h"
#include "carousel/Analysis/RingPlan.h"
#include "carousel/Dialect/IR/HardwareRules.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Steps that are taken before giving up: a compile time of milliseconds.
constexpr int64_t kMaxSteps = 1 << 20;

class Coverage {
public:
  Coverage(gpu::GPUFuncOp kernel, scf::ForOp loop, StoreOp store,
           ArrayRef<Operation *> writes)
      : uniform(kernel), function(kernel, uniform, loop), loop(loop),
        store(store), writes(writes) {}

  bool run();

private:
  void visit(Block &block);
  void visitLoop(scf::ForOp inner);
  void mark(Operation *write);
  bool hasWrite(Operation *op) const;

  UniformValues uniform;
  IndexFunction function;
  scf::ForOp loop;
  StoreOp store;
  ArrayRef<Operation *> writes;
  llvm::BitVector reached;
  int64_t steps = 0;
};

} // namespace

bool Coverage::hasWrite(Operation *op) const {
  return llvm::any_of(writes,
                      [&](Operation *write) { return op->isAncestor(write); });
}

/// Marks what `write` reaches, if it is the tile itself that it writes to, and
/// not a view with an indexing of its own.
void Coverage::mark(Operation *write) {
  Value target;
  OperandRange indices = write->getOperands();
  SmallVector<int64_t> extents;
  bool known = llvm::TypeSwitch<Operation *, bool>(write)
                   .Case([&](memref::StoreOp op) {
                     target = op.getMemRef();
                     indices = op.getIndices();
                     return true;
                   })
                   .Case([&](vector::StoreOp op) {
                     target = op.getBase();
                     indices = op.getIndices();
                     llvm::append_range(extents, op.getVectorType().getShape());
                     return !op.getVectorType().isScalable();
                   })
                   .Case([&](vector::TransferWriteOp op) {
                     target = op.getBase();
                     indices = op.getIndices();
                     llvm::append_range(extents, op.getVectorType().getShape());
                     return !op.hasOutOfBoundsDim() && !op.getMask() &&
                            op.getPermutationMap().isMinorIdentity() &&
                            !op.getVectorType().isScalable();
                   })
                   .Default([](Operation *) { return false; });
  if (!known || target != store.getTile())
    return;
  ArrayRef<int64_t> shape = store.getTile().getType().getShape();
  // The vector's dimensions are the innermost ones.
  SmallVector<int64_t> box(shape.size(), 1), first;
  llvm::copy(extents, box.end() - extents.size());
  for (auto [index, extent, length] : llvm::zip_equal(indices, shape, box)) {
    std::optional<int64_t> number = function.evaluateConstant(index);
    if (!number || *number < 0 || *number + length > extent)
      return;
    first.push_back(*number);
  }
  int64_t count = computeProduct(box);
  steps += count;
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number, place = 0, stride = 1;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      place += (first[dim] + rest % box[dim]) * stride;
      rest /= box[dim];
      stride *= shape[dim];
    }
    reached.set(place);
  }
}

void Coverage::visitLoop(scf::ForOp inner) {
  std::optional<int64_t> lower =
                             function.evaluateConstant(inner.getLowerBound()),
                         upper =
                             function.evaluateConstant(inner.getUpperBound()),
                         step = function.evaluateConstant(inner.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return;
  // Numbers that an unsigned loop takes for larger ones.
  if (inner.getUnsignedCmp() && (*lower < 0 || *upper < 0))
    return;
  bool isPast = false; // the type's end
  for (int64_t i = *lower; !isPast && i < *upper && steps < kMaxSteps;
       isPast = llvm::AddOverflow(i, *step, i)) {
    ++steps;
    inner.walk([&](Operation *op) {
      if (op == inner)
        return;
      for (Value result : op->getResults())
        function.forget(result);
    });
    function.bind(inner.getInductionVar(), i);
    visit(*inner.getBody());
  }
}

void Coverage::visit(Block &block) {
  for (Operation &op : block) {
    if (!hasWrite(&op) || steps >= kMaxSteps)
      continue;
    if (llvm::is_contained(writes, &op)) {
      ++steps;
      mark(&op);
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      visitLoop(inner);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      // The branch that the store stands in is taken wherever it matters.
      if (Region *region =
              branch->isAncestor(store) ? store->getParentRegion() : nullptr) {
        while (region->getParentOp() != branch)
          region = region->getParentOp()->getParentRegion();
        visit(region->front());
        continue;
      }
      std::optional<int64_t> condition =
          function.evaluateConstant(branch.getCondition());
      if (!condition)
        continue;
      if (*condition != 0)
        visit(*branch.thenBlock());
      else if (Block *otherwise = branch.elseBlock())
        visit(*otherwise);
    }
  }
}

bool Coverage::run() {
  std::optional<int64_t> threads = function.getBlockThreads();
  if (!threads || !store.getTile().getType().hasStaticShape())
    return false;
  int64_t group = store.getScope() == TransferScope::CTA ? *threads
                  : store.getScope() == TransferScope::Warp
                      ? rules::kWarpSize
                      : rules::kWarpgroupSize;
  reached.resize(store.getTile().getType().getNumElements());
  for (int64_t first = 0; first < *threads; first += group) {
    reached.reset();
    for (int64_t thread = first; thread < std::min(first + group, *threads);
         ++thread) {
      function.setThread(thread);
      visit(*loop.getBody());
    }
    if (steps >= kMaxSteps || !reached.all())
      return false;
  }
  return true;
}

bool carousel::coversTile(gpu::GPUFuncOp kernel, scf::ForOp loop, StoreOp store,
                          ArrayRef<Operation *> writes) {
  return Coverage(kernel, loop, store, writes).run();
}
