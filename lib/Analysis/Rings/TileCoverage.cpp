//===- TileCoverage.cpp - whether threads write a whole tile --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps through the writes of one iteration, thread by thread, and marks the
// elements of the tile that they write. Writes that can't be evaluated mark
// none.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/IndexFunction.h"
#include "carousel/Support/HardwareLimits.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The limit on steps, for a compile time of milliseconds.
constexpr int64_t kMaxSteps = 1 << 20;

/// The box of a tile that a write covers, by its indices.
struct WrittenBox {
  OperandRange indices;
  SmallVector<int64_t> extents; ///< by dimension of the tile
};

class Coverage {
public:
  Coverage(gpu::GPUFuncOp kernel, scf::ForOp loop, StoreOp store,
           ArrayRef<Operation *> writes);

  bool run();

private:
  void visit(Block &block);
  void visitLoop(scf::ForOp inner);
  void mark(const WrittenBox &box);

  UniformValues uniform;
  IndexFunction function;
  scf::ForOp loop;
  StoreOp store;
  /// For the writes that are followed.
  llvm::DenseMap<Operation *, WrittenBox> boxes;
  /// Writes and the ops around them, in order.
  llvm::DenseMap<Block *, SmallVector<Operation *>> ways;
  /// For loops: values to compute again in each iteration.
  llvm::DenseMap<Operation *, SmallVector<Value>> computed;
  llvm::BitVector reached;
  int64_t steps = 0;
};

} // namespace

/// The box of `write` if it writes to the tile itself, and not to a view with
/// its own indices.
static std::optional<WrittenBox> findBox(Operation *write,
                                         TypedValue<MemRefType> tile) {
  Value target;
  OperandRange indices = write->getOperands();
  SmallVector<int64_t> vector;
  bool known = llvm::TypeSwitch<Operation *, bool>(write)
                   .Case([&](memref::StoreOp op) {
                     target = op.getMemRef();
                     indices = op.getIndices();
                     return true;
                   })
                   .Case([&](vector::StoreOp op) {
                     target = op.getBase();
                     indices = op.getIndices();
                     llvm::append_range(vector, op.getVectorType().getShape());
                     return !op.getVectorType().isScalable();
                   })
                   .Case([&](vector::TransferWriteOp op) {
                     target = op.getBase();
                     indices = op.getIndices();
                     llvm::append_range(vector, op.getVectorType().getShape());
                     return !op.hasOutOfBoundsDim() && !op.getMask() &&
                            op.getPermutationMap().isMinorIdentity() &&
                            !op.getVectorType().isScalable();
                   })
                   .Default([](Operation *) { return false; });
  if (!known || target != tile)
    return std::nullopt;
  // The vector's dimensions are the innermost ones.
  SmallVector<int64_t> extents(tile.getType().getRank(), 1);
  llvm::copy(vector, extents.end() - vector.size());
  return WrittenBox{indices, std::move(extents)};
}

Coverage::Coverage(gpu::GPUFuncOp kernel, scf::ForOp loop, StoreOp store,
                   ArrayRef<Operation *> writes)
    : uniform(kernel), function(kernel, uniform, loop), loop(loop),
      store(store) {
  for (Operation *write : writes) {
    if (std::optional<WrittenBox> box = findBox(write, store.getTile()))
      boxes.try_emplace(write, std::move(*box));
    for (Operation *op = write; op && op != loop; op = op->getParentOp())
      if (!llvm::is_contained(ways[op->getBlock()], op))
        ways[op->getBlock()].push_back(op);
  }
  for (auto &[block, ops] : ways) {
    llvm::sort(ops, [](Operation *lhs, Operation *rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    for (Operation *op : ops)
      if (auto inner = dyn_cast<scf::ForOp>(op))
        inner.getBody()->walk([&, &values = computed[op]](Operation *body) {
          for (Value result : body->getResults())
            if (isa<IndexType, IntegerType>(result.getType()))
              values.push_back(result);
        });
  }
}

void Coverage::mark(const WrittenBox &box) {
  ArrayRef<int64_t> shape = store.getTile().getType().getShape();
  SmallVector<int64_t> first;
  for (auto [index, extent, length] :
       llvm::zip_equal(box.indices, shape, box.extents)) {
    std::optional<int64_t> number = function.evaluateConstant(index);
    if (!number || *number < 0 || *number + length > extent)
      return;
    first.push_back(*number);
  }
  int64_t count = computeProduct(box.extents);
  steps += count;
  // Row by row; a tile of no dimensions is one element.
  int64_t row = box.extents.empty() ? 1 : box.extents.back();
  for (int64_t number = 0; number < count; number += row) {
    int64_t rest = number, place = 0, stride = 1;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      place += (first[dim] + rest % box.extents[dim]) * stride;
      rest /= box.extents[dim];
      stride *= shape[dim];
    }
    reached.set(place, place + row);
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
  // An unsigned loop compares these as larger numbers.
  if (inner.getUnsignedCmp() && (*lower < 0 || *upper < 0))
    return;
  const SmallVector<Value> &results = computed.find(inner)->second;
  bool isPast = false; // at the type's end
  for (int64_t i = *lower; !isPast && i < *upper && steps < kMaxSteps;
       isPast = llvm::AddOverflow(i, *step, i)) {
    ++steps;
    for (Value value : results)
      function.forget(value);
    function.bind(inner.getInductionVar(), i);
    visit(*inner.getBody());
  }
}

void Coverage::visit(Block &block) {
  auto found = ways.find(&block);
  if (found == ways.end())
    return;
  for (Operation *op : found->second) {
    if (steps >= kMaxSteps)
      return;
    if (auto box = boxes.find(op); box != boxes.end()) {
      ++steps;
      mark(box->second);
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      visitLoop(inner);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      // Assume that the branch around the store is taken.
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
