//===- RunWherePresent.cpp - run passes on functions that need them -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of rewrites takes time even if it has nothing to rewrite, because it
// visits, folds and looks up each op. This pass first checks whether a function
// has an op that the passes apply to.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace carousel {
#define GEN_PASS_DEF_RUNWHEREPRESENT
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct RunWherePresent
    : public carousel::impl::RunWherePresentBase<RunWherePresent> {
  RunWherePresent(ArrayRef<StringRef> names,
                  function_ref<void(OpPassManager &)> populate) {
    for (StringRef name : names)
      ops.push_back(name.str());
    populate(passes);
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::interleave(
        passes, [&](Pass &pass) { pass.printAsTextualPipeline(stream); },
        [&] { stream << ","; });
    pipeline = text;
  }

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> emitError) override {
    if (failed(RunWherePresentBase::initializeOptions(options, emitError)))
      return failure();
    std::string fault;
    llvm::raw_string_ostream stream(fault);
    if (failed(parsePassPipeline(pipeline, passes, stream)) || passes.empty())
      return emitError("expected a pipeline to run, got '" + pipeline +
                       "': " + fault);
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (isPresent(getOperation()) &&
        failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  /// Whether one of the ops is in `root`, or an op of one of the dialects.
  bool isPresent(Operation *root) const {
    llvm::SmallPtrSet<const void *, 8> listed;
    MLIRContext *context = root->getContext();
    for (const std::string &name : ops)
      listed.insert(StringRef(name).contains('.')
                        ? OperationName(name, context).getAsOpaquePointer()
                        : context->getLoadedDialect(name));
    return root
        ->walk([&](Operation *op) {
          bool isListed =
              listed.contains(op->getName().getAsOpaquePointer()) ||
              (op->getDialect() && listed.contains(op->getDialect()));
          return isListed ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  OpPassManager passes;
};

} // namespace

std::unique_ptr<Pass>
carousel::createRunWherePresent(ArrayRef<StringRef> ops,
                                function_ref<void(OpPassManager &)> populate) {
  return std::make_unique<RunWherePresent>(ops, populate);
}
