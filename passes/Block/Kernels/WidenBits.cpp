//===- WidenBits.cpp - memrefs of bits as bytes ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-widen-bits. LLVM packs vectors of i1 in memory, where callers have
// a byte for each element. As vectors of bytes they are accessed at once, and
// engines copy them.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_WIDENBITS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static Type withBytes(Type type) {
  Type byte = IntegerType::get(type.getContext(), 8);
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(byte)) : byte;
}

static bool isView(Operation *op) {
  return isa<memref::CastOp, memref::SubViewOp, memref::ReinterpretCastOp,
             memref::CollapseShapeOp, memref::ExpandShapeOp, RowsOp>(op);
}

namespace {

/// Ops that use a memref of bits, and the views of it.
struct BitUses {
  SmallVector<Value> memrefs;
  SmallVector<Operation *> accesses;

  /// Returns a use that is none that the pass knows, or null.
  Operation *add(Value memref) {
    memrefs.push_back(memref);
    for (OpOperand &use : memref.getUses()) {
      Operation *op = use.getOwner();
      if (isView(op)) {
        // A table has integers that are numbers.
        if (use.getOperandNumber() != 0)
          return op;
        if (Operation *unknown = add(op->getResult(0)))
          return unknown;
        continue;
      }
      if (isa<memref::DimOp>(op))
        continue;
      if (!isa<vector::TransferReadOp, vector::TransferWriteOp,
               vector::GatherOp, vector::ScatterOp, memref::LoadOp,
               memref::StoreOp>(op))
        return op;
      accesses.push_back(op);
    }
    return nullptr;
  }
};

/// Rewrites accesses whose memrefs have become those of bytes.
class AccessWidener {
public:
  explicit AccessWidener(Operation *op)
      : op(op), builder(op), loc(op->getLoc()) {}

  /// An access reads one value, or writes one of its operands.
  void run() {
    if (isa<vector::TransferReadOp, vector::GatherOp, memref::LoadOp>(op))
      return widenRead();
    auto write = dyn_cast<vector::TransferWriteOp>(op);
    auto scatter = dyn_cast<vector::ScatterOp>(op);
    extend(write     ? write.getValueToStoreMutable()
           : scatter ? scatter.getValueToStoreMutable()
                     : cast<memref::StoreOp>(op).getValueMutable());
  }

private:
  void extend(OpOperand &operand) {
    Value bits = operand.get();
    operand.set(builder.createOrFold<arith::ExtUIOp>(
        loc, withBytes(bits.getType()), bits));
  }

  void widenRead() {
    if (auto read = dyn_cast<vector::TransferReadOp>(op))
      extend(read.getPaddingMutable());
    else if (auto gather = dyn_cast<vector::GatherOp>(op))
      extend(gather.getPassThruMutable());
    Value bytes = op->getResult(0);
    bytes.setType(withBytes(bytes.getType()));
    builder.setInsertionPointAfter(op);
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(bytes.getType()));
    auto bits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      bytes, zero);
    // A byte is the number that a bit extends to.
    SmallVector<Operation *> numbers;
    llvm::copy_if(bytes.getUsers(), std::back_inserter(numbers),
                  [&](Operation *user) {
                    return isa<arith::ExtUIOp>(user) &&
                           user->getResult(0).getType() == bytes.getType();
                  });
    bytes.replaceUsesWithIf(bits, [&](OpOperand &use) {
      return use.getOwner() != bits &&
             !llvm::is_contained(numbers, use.getOwner());
    });
    for (Operation *number : numbers) {
      number->getResult(0).replaceAllUsesWith(bytes);
      number->erase();
    }
    if (bits.use_empty())
      bits.erase();
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};

struct WidenBits : public carousel::impl::WidenBitsBase<WidenBits> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel->hasAttr(CarouselDialect::kBlockProgram))
        widen(kernel);
  }

  /// All arguments or none, so that those that may alias have one type.
  void widen(gpu::GPUFuncOp kernel) {
    SmallVector<BlockArgument> arguments;
    BitUses uses;
    for (BlockArgument argument : kernel.getArguments()) {
      auto memref = dyn_cast<MemRefType>(argument.getType());
      if (!memref || !memref.getElementType().isInteger(1))
        continue;
      arguments.push_back(argument);
      if (Operation *unknown = uses.add(argument)) {
        ++missed;
        remark::missed(unknown->getLoc(), remark::RemarkOpts::name("Bits")
                                              .category("carousel-widen-bits")
                                              .function(kernel.getName()))
            << remark::add("no argument of i1 is accessed as bytes: {0} uses "
                           "argument {1} or a view of it",
                           unknown->getName().getStringRef(),
                           argument.getArgNumber());
        return;
      }
    }
    for (Value memref : uses.memrefs)
      memref.setType(withBytes(memref.getType()));
    for (Operation *access : uses.accesses)
      AccessWidener(access).run();
    widened += uses.accesses.size();
    for (BlockArgument argument : arguments)
      kernel.setArgAttr(argument.getArgNumber(), CarouselDialect::kBits,
                        UnitAttr::get(&getContext()));
    kernel.setFunctionType(FunctionType::get(
        &getContext(), kernel.getBody().getArgumentTypes(), /*results=*/{}));
  }
};

} // namespace
