//===- PropagateLaunches.cpp - what kernels know of their launches --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-propagate-launches: interprocedural constant propagation into the
// types of kernels' memrefs. What all launches agree on is stated; where they
// differ, the argument keeps what it has.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

#include <numeric>

namespace carousel {
#define GEN_PASS_DEF_PROPAGATELAUNCHES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// The alignment that the widest accesses and tensor copies need.
static constexpr int64_t kArgumentAlignment = 16;

namespace {

/// The strides and the alignment on which the launches so far agree for a
/// memref.
struct LaunchFacts {
  SmallVector<int64_t> strides; ///< kDynamic where they differ
  int64_t alignment = 0;        ///< of the first element's address; 0: any

  void meet(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> own;
    int64_t offset;
    if (failed(type.getStridesAndOffset(own, offset)))
      own.assign(type.getRank(), ShapedType::kDynamic);
    if (strides.empty())
      strides = own;
    for (auto [known, stride] : llvm::zip(strides, own))
      if (known != stride)
        known = ShapedType::kDynamic;
    alignment = std::gcd(alignment, getAlignment(memref, type));
  }

private:
  static int64_t getAlignment(Value memref, MemRefType type) {
    SmallVector<Value> none;
    AddressFacts facts = computeAddressFacts(memref, none);
    if (!facts.baseAlignment)
      return 1;
    return std::gcd(*facts.baseAlignment, std::gcd(facts.constant, facts.step));
  }
};

using OperandFacts = SmallVector<LaunchFacts, 4>;

struct PropagateLaunches
    : public carousel::impl::PropagateLaunchesBase<PropagateLaunches> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::MapVector<Operation *, OperandFacts> found;
    for (auto program : getOperation().getOps<func::FuncOp>()) {
      ask(program);
      program.walk([&](LaunchKernelOp launch) {
        for (gpu::GPUFuncOp kernel : launch.getVariants(symbols))
          if (kernel->hasAttr(kForProgramsAttr))
            meet(launch, found[kernel]);
      });
    }
    for (auto &[kernel, facts] : found)
      tell(cast<gpu::GPUFuncOp>(kernel), facts);
  }

  /// A launch of the program copies an argument that begins elsewhere, so
  /// that no kernel needs a variant for it.
  void ask(func::FuncOp program) {
    if (!program->hasAttr(CarouselDialect::kProgram))
      return;
    Builder builder(&getContext());
    for (BlockArgument argument : program.getArguments())
      if (auto type = dyn_cast<MemRefType>(argument.getType());
          type && type.getLayout().isIdentity())
        program.setArgAttr(argument.getArgNumber(),
                           LLVM::LLVMDialect::getAlignAttrName(),
                           builder.getI64IntegerAttr(kArgumentAlignment));
  }

  static void meet(LaunchKernelOp launch, OperandFacts &facts) {
    facts.resize(launch->getNumOperands());
    for (auto [operand, known] : llvm::zip(launch->getOperands(), facts))
      if (isa<MemRefType>(operand.getType()))
        known.meet(operand);
  }

  /// Operands are the kernel's first arguments, in their order.
  void tell(gpu::GPUFuncOp kernel, ArrayRef<LaunchFacts> facts) {
    Builder builder(&getContext());
    for (auto [number, known] : llvm::enumerate(facts)) {
      BlockArgument argument = kernel.getArgument(number);
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type || known.strides.empty())
        continue;
      if (known.alignment > getElementBytes(type.getElementType())) {
        kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(known.alignment));
        ++alignments;
      }
      setStrides(argument, type, known.strides);
    }
    SmallVector<Type> types(kernel.getArgumentTypes());
    for (unsigned number = 0; number < facts.size(); ++number)
      types[number] = kernel.getArgument(number).getType();
    kernel.setType(FunctionType::get(&getContext(), types, {}));
  }

  void setStrides(BlockArgument argument, MemRefType type,
                  ArrayRef<int64_t> known) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return;
    SmallVector<int64_t> stated(strides);
    for (auto [own, other] : llvm::zip(stated, known))
      if (ShapedType::isDynamic(own))
        own = other;
    if (stated == strides)
      return;
    auto layout = StridedLayoutAttr::get(&getContext(), offset, stated);
    argument.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                     layout, type.getMemorySpace()));
    OpBuilder builder(&getContext());
    builder.setInsertionPointToStart(argument.getOwner());
    auto cast =
        memref::CastOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(cast, cast);
    ++layouts;
  }
};

} // namespace
