//===- InlineBodies.cpp - calls in block programs -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See InlineBodies.h. Bodies are one block (C211), so that the values of a
// return replace those of the call. Upstream's inliner takes other calls, too,
// and leaves those that it can't inline.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/InlineBodies.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace {

/// Goes through the functions in depth.
class CalledFunctions {
public:
  LogicalResult addCallees(Operation *caller) {
    return failure(caller
                       ->walk([&](func::CallOp call) {
                         return succeeded(add(call)) ? WalkResult::advance()
                                                     : WalkResult::interrupt();
                       })
                       .wasInterrupted());
  }

  llvm::SetVector<func::FuncOp> functions;

private:
  LogicalResult add(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return call.emitError("expected a function with a body for a call of a "
                            "block program, got ")
             << call.getCalleeAttr();
    if (!callee.getBody().hasOneBlock())
      return call.emitError("expected a function of one block for a call of a "
                            "block program, got ")
             << callee.getBody().getBlocks().size() << " blocks of "
             << call.getCalleeAttr();
    if (!entered.insert(callee).second)
      return call.emitError("expected no recursion in a block program, got a "
                            "call of ")
             << call.getCalleeAttr() << " by itself";
    if (!functions.contains(callee)) {
      if (failed(addCallees(callee)))
        return failure();
      functions.insert(callee);
    }
    entered.erase(callee);
    return success();
  }

  DenseSet<Operation *> entered; ///< those that the call is in
};

} // namespace

FailureOr<llvm::SetVector<func::FuncOp>>
carousel::findCalledFunctions(gpu::GPUFuncOp kernel) {
  CalledFunctions called;
  if (failed(called.addCallees(kernel)))
    return failure();
  return std::move(called.functions);
}

static void inlineCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  Block &body = callee.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getOperands());
  OpBuilder builder(call);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

static unsigned inlineCalls(Operation *caller) {
  SmallVector<func::CallOp> calls;
  caller->walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls)
    inlineCall(call);
  return calls.size();
}

/// Private functions, and then those that only they called.
static void eraseUnusedFunctions(gpu::GPUModuleOp module) {
  bool changes = true;
  while (std::exchange(changes, false))
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(function, module)) {
        function.erase();
        changes = true;
      }
}

FailureOr<unsigned> carousel::inlineFunctions(gpu::GPUModuleOp module) {
  unsigned count = 0;
  bool hasPrograms = false;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    if (!kernel->hasAttr(CarouselDialect::kBlockProgram))
      continue;
    FailureOr<llvm::SetVector<func::FuncOp>> called =
        findCalledFunctions(kernel);
    if (failed(called))
      return failure();
    hasPrograms = true;
    while (unsigned inlined = inlineCalls(kernel))
      count += inlined;
  }
  // Later phases have no vectors of a CTA, which a function that no kernel
  // calls may take.
  if (hasPrograms)
    eraseUnusedFunctions(module);
  return count;
}
