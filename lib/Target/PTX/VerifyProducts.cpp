//===- VerifyProducts.cpp - products that ptxas serialises ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VerifyProducts.h. Checks C329 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/VerifyProducts.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

static bool isProduct(Operation *op) {
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return text.getAsmString().contains("wgmma.mma_async");
  return isa<WgmmaMmaOp>(op);
}

/// The first product of the function, the function if it has none, or the
/// module if there is no such function.
static Operation *findProduct(Operation *module, StringRef name) {
  Operation *found = module;
  module->walk([&](FunctionOpInterface function) {
    if (function.getName() != name)
      return WalkResult::advance();
    found = function;
    function->walk([&](Operation *op) {
      if (!isProduct(op))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult carousel::verifyProducts(Operation *module, StringRef report) {
  // A line is "ptxas info : (CODE) Potential Performance Loss:
  // wgmma.mma_async instructions are serialized due to REASON in the function
  // 'f'", or "for the function 'f'".
  constexpr StringLiteral kSerialized = "instructions are serialized due to ";
  constexpr StringLiteral kFunction = " the function '";
  SmallVector<StringRef> lines;
  report.split(lines, '\n');
  llvm::erase_if(lines,
                 [&](StringRef line) { return !line.contains(kSerialized); });
  llvm::sort(lines); // threads of ptxas write them in any order
  for (StringRef line : lines) {
    size_t at = line.find(kSerialized);
    StringRef code = line.split('(').second.split(')').first;
    auto [reason, rest] =
        line.substr(at + kSerialized.size()).rsplit(kFunction);
    for (StringRef word : {" in", " for"})
      reason.consume_back(word);
    StringRef function = rest.split('\'').first;
    // C329
    emitError(findProduct(module, function)->getLoc())
        << "expected asynchronous products in '" << function
        << "', got ones that ptxas serialises (" << code << "): " << reason;
  }
  return failure(!lines.empty());
}
