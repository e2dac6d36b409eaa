//===- TileCoverage.cpp - whether threads write a whole tile --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps through the writes of one iteration, thread by thread, and marks the
// elements of the tile's buffer that they write, directly or through views.
// Writes that can't be evaluated mark none.
//
//===----------------------------------------------------------------------===//

#include "TileElements.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/IndexFunction.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Support/HardwareLimits.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The limit on steps, for a compile time of milliseconds.
constexpr int64_t kMaxSteps = 1 << 20;

/// The box of a view that a write covers, by its indices.
struct WrittenBox {
  TypedValue<MemRefType> view;
  OperandRange indices;
  SmallVector<int64_t> extents; ///< by dimension of the view
};

class Coverage {
public:
  Coverage(gpu::GPUFuncOp kernel, Block &body, StoreOp store,
           ArrayRef<Operation *> writes, ArrayRef<Value> reads);

  bool run();

private:
  void visit(Block &block);
  void visitLoop(scf::ForOp inner);
  void mark(const WrittenBox &box);
  bool isReached(Value view);

  UniformValues uniform;
  IndexFunction function;
  Block &body;
  StoreOp store;
  /// Views of which all elements must be written, apart from the tile.
  ArrayRef<Value> reads;
  /// The boxes of the writes that are followed.
  llvm::DenseMap<Operation *, WrittenBox> boxes;
  /// Writes and the ops around them, in order.
  llvm::DenseMap<Block *, SmallVector<Operation *>> ways;
  /// The values to compute again in each iteration of a loop.
  llvm::DenseMap<Operation *, SmallVector<Value>> computed;
  llvm::BitVector reached;
  int64_t steps = 0;
};

} // namespace

/// The box of `write`, if its kind is known.
static std::optional<WrittenBox> findBox(Operation *write) {
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
  auto view = dyn_cast_or_null<TypedValue<MemRefType>>(target);
  if (!known || !view)
    return std::nullopt;
  // The vector's dimensions are the innermost ones.
  SmallVector<int64_t> extents(view.getType().getRank(), 1);
  llvm::copy(vector, extents.end() - vector.size());
  return WrittenBox{view, indices, std::move(extents)};
}

Coverage::Coverage(gpu::GPUFuncOp kernel, Block &body, StoreOp store,
                   ArrayRef<Operation *> writes, ArrayRef<Value> reads)
    : uniform(kernel), function(kernel, uniform, body.getParentOp()),
      body(body), store(store), reads(reads) {
  for (Operation *write : writes) {
    if (std::optional<WrittenBox> box = findBox(write))
      boxes.try_emplace(write, std::move(*box));
    for (Operation *op = write; op && op != body.getParentOp();
         op = op->getParentOp())
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
  std::optional<TileLayout> view = locateTile(box.view, function);
  if (!view)
    return;
  TileLayout part = {view->offset, box.extents, view->strides};
  for (auto [index, extent, length, stride] :
       llvm::zip_equal(box.indices, view->shape, box.extents, view->strides)) {
    std::optional<int64_t> number = function.evaluateConstant(index);
    if (!number || *number < 0 || *number > extent - length)
      return;
    part.offset += *number * stride;
  }
  steps += part.getNumElements();
  addElements(part, reached);
}

/// Whether all elements of `view`, or of a memref around it, are written.
bool Coverage::isReached(Value view) {
  while (true) {
    std::optional<TileLayout> layout = locateTile(view, function);
    steps += layout ? layout->shape.size() + 1 : 1;
    if (layout && hasElements(*layout, reached))
      return true;
    if (!view.getDefiningOp<ViewLikeOpInterface>())
      return false;
    view = getEnclosingView(view);
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
  auto buffer = cast<MemRefType>(getRootBuffer(store.getTile()).getType());
  if (!threads || !buffer.hasStaticShape())
    return false;
  int64_t group = store.getScope() == TransferScope::CTA ? *threads
                  : store.getScope() == TransferScope::Warp
                      ? rules::kWarpSize
                      : rules::kWarpgroupSize;
  reached.resize(buffer.getNumElements());
  for (int64_t first = 0; first < *threads; first += group) {
    int64_t end = std::min(first + group, *threads);
    reached.reset();
    for (int64_t thread = first; thread < end; ++thread) {
      function.setThread(thread);
      visit(body);
    }
    if (steps >= kMaxSteps)
      return false;
    // The tile is the same for all threads of a group.
    function.setThread(first);
    if (!isReached(store.getTile()))
      return false;
    for (int64_t thread = first; !reads.empty() && thread < end; ++thread) {
      function.setThread(thread);
      if (!llvm::all_of(reads, [&](Value view) { return isReached(view); }))
        return false;
    }
  }
  return true;
}

bool carousel::coversTile(gpu::GPUFuncOp kernel, Block &body, StoreOp store,
                          ArrayRef<Operation *> writes, ArrayRef<Value> reads) {
  return Coverage(kernel, body, store, writes, reads).run();
}
