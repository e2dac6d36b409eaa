//===- CheckIndices.cpp - assertions of indices that memory holds ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-check-indices. No launch reads the device's memory, so kernels
// check tables, lengths and offsets themselves. Upstream's
// --generate-runtime-verification isn't used: it checks all indices, also those
// of threads and loops, its messages have no values, and in LLVM 22 it ends in
// a signal for subviews that drop dimensions (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Dialect/Transforms/RowNumbers.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_CHECKINDICES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Indices from memory
//===----------------------------------------------------------------------===//

static bool isKernel(Operation *op) {
  auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
  return kernel && kernel.isKernel();
}

/// Whether a value is computed from what memory holds. What a function gets
/// from its callers may be.
static bool isFromMemory(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  // Results of a region follow from the op's operands, too.
  auto addRegions = [&](Operation *op) {
    values.insert_range(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        values.insert_range(block.getTerminator()->getOperands());
  };
  for (unsigned i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (isKernel(owner))
        continue;
      if (isa<FunctionOpInterface>(owner))
        return true;
      addRegions(owner);
      continue;
    }
    Operation *source = values[i].getDefiningOp();
    if (isa<CallOpInterface>(source) || hasEffect<MemoryEffects::Read>(source))
      return true;
    addRegions(source);
  }
  return false;
}

static bool isGlobal(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && (!type.getMemorySpace() || isGlobalMemRef(type));
}

/// " of 'table'"; empty where the kernel's argument isn't known.
static std::string spellMemory(Value memref) {
  auto root = dyn_cast<BlockArgument>(getRootBuffer(memref));
  if (!root || !isKernel(root.getOwner()->getParentOp()))
    return "";
  auto kernel = cast<gpu::GPUFuncOp>(root.getOwner()->getParentOp());
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (argument.position == root.getArgNumber())
      return " of '" + argument.name + "'";
  return "";
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

namespace {

/// Writes the assertions before one op.
class IndexChecks {
public:
  explicit IndexChecks(Operation *op) : b(op->getLoc(), op), op(op) {}

  /// Returns the number of assertions.
  unsigned write();

private:
  void check(memref::SubViewOp view);
  void check(VectorTransferOpInterface transfer);
  void check(TransferOpInterface transfer);
  void checkElement(Value memref, ValueRange indices);
  template <typename Op> void checkElements(Op access, Value numbers);
  void checkIndex(Value index, Value memref, int64_t dim);
  void checkRows(RowsOp rows, Value begin, int64_t count);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value extent(Value memref, int64_t dim) {
    return b.createOrFold<memref::DimOp>(memref, dim);
  }
  void require(CmpIPredicate predicate, Value left, Value right) {
    conditions.push_back(
        arith::CmpIOp::create(b, predicate, left, right).getResult());
  }
  /// Asserts all conditions that were required.
  void assertAll(const Twine &message);

  ImplicitLocOpBuilder b;
  Operation *op;
  SmallVector<Value> conditions;
  unsigned count = 0;
};

} // namespace

void IndexChecks::assertAll(const Twine &message) {
  Value all;
  for (Value condition : conditions)
    all =
        all ? arith::AndIOp::create(b, all, condition).getResult() : condition;
  conditions.clear();
  if (!all)
    return;
  cf::AssertOp::create(b, all, message.str());
  ++count;
}

void IndexChecks::checkIndex(Value number, Value memref, int64_t dim) {
  if (!isFromMemory(number))
    return;
  require(CmpIPredicate::sge, number, index(0));
  require(CmpIPredicate::slt, number, extent(memref, dim));
  assertAll("expected an index inside of dimension " + Twine(dim) +
            spellMemory(memref));
}

void IndexChecks::checkElement(Value memref, ValueRange indices) {
  if (isGlobal(memref))
    for (auto [dim, number] : llvm::enumerate(indices))
      checkIndex(number, memref, dim);
}

void IndexChecks::check(memref::SubViewOp view) {
  Value source = view.getSource();
  if (!isGlobal(source))
    return;
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes(),
                       view.getMixedStrides())) {
    auto isRead = [](OpFoldResult number) {
      auto value = dyn_cast<Value>(number);
      return value && isFromMemory(value);
    };
    if (!isRead(offset) && !isRead(size))
      continue;
    auto at = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
    };
    Value begin = at(offset), elements = at(size), zero = index(0);
    Value one = index(1);
    if (isRead(offset))
      require(CmpIPredicate::sge, begin, zero);
    if (isRead(size))
      require(CmpIPredicate::sge, elements, zero);
    // The last element of a view with strides, and one more.
    Value length = elements;
    if (!isConstantIntValue(stride, 1)) {
      Value steps = arith::SubIOp::create(
          b, arith::MaxSIOp::create(b, elements, one), one);
      length =
          arith::AddIOp::create(b, arith::MulIOp::create(b, steps, at(stride)),
                                arith::MinSIOp::create(b, elements, one));
    }
    require(CmpIPredicate::sle, arith::AddIOp::create(b, begin, length),
            extent(source, dim));
    assertAll("expected a view that ends inside of dimension " + Twine(dim) +
              spellMemory(source));
  }
}

/// A position that the table doesn't have names no row, nor does -1.
void IndexChecks::checkRows(RowsOp rows, Value begin, int64_t length) {
  auto checkOne = [&](Value position) {
    Value number = arith::IndexCastOp::create(
        b, b.getIndexType(), createTableNumber(b, rows, position));
    require(CmpIPredicate::sge, number, index(-1));
    require(CmpIPredicate::slt, number, extent(rows.getSource(), 0));
    assertAll("expected the number of a row" + spellMemory(rows.getSource()) +
              ", or -1 for none");
  };
  if (length == 1)
    return checkOne(begin);
  auto loop = scf::ForOp::create(b, index(0), index(length), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  checkOne(arith::AddIOp::create(b, begin, loop.getInductionVar()));
}

/// Elements of the vector may be outside, but not the indices of dimensions
/// that it doesn't have.
void IndexChecks::check(VectorTransferOpInterface transfer) {
  Value base = transfer.getBase();
  // Those of a mask are accessed where it says so.
  if (!isGlobal(base) || transfer.getMask() ||
      isa<vector::MaskOp>(op->getParentOp()))
    return;
  auto rows = base.getDefiningOp<RowsOp>();
  OperandRange indices = transfer.getIndices();
  if (rows) {
    std::optional<unsigned> along =
        transfer.getPermutationMap().getResultPosition(
            getAffineDimExpr(0, op->getContext()));
    checkRows(rows, indices.front(),
              along ? transfer.getVectorType().getDimSize(*along) : 1);
  }
  for (auto [dim, number] : llvm::enumerate(indices)) {
    bool isOfVector =
        transfer.getPermutationMap().isFunctionOfDim(unsigned(dim));
    if (!isOfVector && !(rows && dim == 0))
      checkIndex(number, base, dim);
  }
}

void IndexChecks::check(TransferOpInterface transfer) {
  RowsOp rows = getRows(transfer);
  if (!rows)
    return;
  bool areSeveral = transfer.getNumLeadingDims() == 0;
  checkRows(rows, transfer.getOffsets().front(),
            areSeveral ? transfer.getTile().getType().getDimSize(0) : 1);
}

/// The elements of a gather or a scatter, which may be in other rows than the
/// first one.
template <typename Op>
void IndexChecks::checkElements(Op access, Value numbers) {
  Value base = access.getBase();
  if (!isGlobal(base) || !isFromMemory(numbers) ||
      isa<vector::MaskOp>(op->getParentOp()))
    return;
  auto layout = memref::ExtractStridedMetadataOp::create(b, base);
  Value first = index(0), last = index(0);
  for (auto [dim, place] : llvm::enumerate(access.getOffsets())) {
    Value stride = layout.getStrides()[dim];
    Value end = arith::SubIOp::create(b, extent(base, dim), index(1));
    first = arith::AddIOp::create(b, first,
                                  arith::MulIOp::create(b, place, stride));
    last =
        arith::AddIOp::create(b, last, arith::MulIOp::create(b, end, stride));
  }
  // An element that the mask excludes is any, such as the first one.
  auto type = cast<VectorType>(numbers.getType());
  auto words = type.clone(b.getI64Type());
  if (type.getElementType() != b.getI64Type())
    numbers =
        type.getElementType().isIndex() || type.getElementTypeBitWidth() > 64
            ? arith::IndexCastOp::create(b, words, numbers).getResult()
            : arith::ExtSIOp::create(b, words, numbers).getResult();
  auto toWord = [&](Value number) {
    return arith::IndexCastOp::create(b, b.getI64Type(), number).getResult();
  };
  Value begin = arith::SubIOp::create(b, index(0), first);
  Value any = vector::BroadcastOp::create(b, words, toWord(begin));
  Value wanted = arith::SelectOp::create(b, access.getMask(), numbers, any);
  SmallVector<bool> all(type.getRank(), true);
  auto reduce = [&](vector::CombiningKind kind) {
    return vector::MultiDimReductionOp::create(b, wanted, toWord(begin), all,
                                               kind)
        .getResult();
  };
  Value zero = toWord(index(0)), offset = toWord(first);
  require(
      CmpIPredicate::sge,
      arith::AddIOp::create(b, reduce(vector::CombiningKind::MINSI), offset),
      zero);
  require(
      CmpIPredicate::sle,
      arith::AddIOp::create(b, reduce(vector::CombiningKind::MAXSI), offset),
      arith::MaxSIOp::create(b, toWord(last), zero));
  assertAll("expected indices of elements" + spellMemory(base));
}

unsigned IndexChecks::write() {
  llvm::TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        checkElement(access.getMemRef(), access.getIndices());
      })
      .Case<vector::GatherOp, vector::ScatterOp>(
          [&](auto access) { checkElements(access, access.getIndices()); })
      .Case<memref::SubViewOp, VectorTransferOpInterface, TransferOpInterface>(
          [&](auto access) { check(access); });
  return count;
}

namespace {

struct CheckIndices : public carousel::impl::CheckIndicesBase<CheckIndices> {
  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) { accesses.push_back(op); });
    for (Operation *op : accesses)
      inserted += IndexChecks(op).write();
  }
};

} // namespace
