//===- CompiledFunction.cpp - a kernel's reference on the host ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Simulator/Simulator.h"

#include "../Compile/HostCode.h"
#include "../Compile/KernelModule.h"
#include "LaunchArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace carousel::sim;

struct CompiledFunction::Impl {
  Signature signature;
  std::unique_ptr<HostCode> code;
};

CompiledFunction::CompiledFunction(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledFunction::~CompiledFunction() = default;

ArrayRef<ArgumentInfo> CompiledFunction::getArguments() const {
  return impl->signature.arguments;
}

static FailureOr<Signature> getSignature(func::FuncOp function) {
  Signature signature;
  if (function.isExternal() || function.getNumResults() != 0)
    return function.emitError("expected a reference function with a body and "
                              "without results");
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    bool isNumber = type.isIndex() ||
                    (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
    if (!isNumber && !(memref && getElementBytes(memref.getElementType())))
      return function.emitError("expected arguments of a reference function "
                                "that are memrefs or numbers, got ")
             << type;
    signature.arguments.push_back({"arg" + std::to_string(index), type});
    signature.parameters.push_back({type, unsigned(index), {}});
  }
  return signature;
}

/// The function and everything that it uses. Address spaces have no meaning
/// here.
static OwningOpRef<ModuleOp> cloneFunction(func::FuncOp function) {
  auto used = getUsedSymbols(function);
  if (failed(used))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (Operation *op : *used)
    builder.clone(*op);
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](MemRefType type) -> std::optional<std::pair<Type, WalkResult>> {
        return std::make_pair(
            Type(MemRefType::Builder(type).setMemorySpace({})),
            WalkResult::skip());
      });
  replacer.recursivelyReplaceElementsIn(*module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return module;
}

FailureOr<std::unique_ptr<CompiledFunction>>
CompiledFunction::compile(ModuleOp module, StringRef name) {
  HostCode::loadDialects(*module.getContext());
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return module.emitError("expected a function named '")
           << name << "' in the module, found none";
  FailureOr<Signature> signature = getSignature(function);
  if (failed(signature))
    return failure();

  OwningOpRef<ModuleOp> clone = cloneFunction(function);
  if (!clone)
    return failure();
  constexpr StringLiteral kEntry = "carousel_sim_reference";
  auto entry = clone->lookupSymbol<func::FuncOp>(name);
  if (failed(SymbolTable::replaceAllSymbolUses(
          entry, StringAttr::get(module.getContext(), kEntry), *clone)))
    return entry.emitError("expected uses of this function that are known");
  entry.setName(kEntry);
  entry.setPublic();

  PassManager loops(module.getContext(), ModuleOp::getOperationName());
  loops.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  if (failed(loops.run(*clone)) || failed(lowerToHost(*clone)))
    return failure();
  auto code = HostCode::compile(*clone, kEntry, HostCodeKind::Loops);
  if (failed(code))
    return failure();
  auto impl = std::make_unique<Impl>();
  impl->signature = std::move(*signature);
  impl->code = std::move(*code);
  return std::unique_ptr<CompiledFunction>(
      new CompiledFunction(std::move(impl)));
}

/// Poisons memory that the function doesn't write, as in a kernel's run. So a
/// reference that doesn't write it either agrees. Memory that other arguments
/// share keeps its values.
static void poisonUnwritten(const Signature &signature,
                            const LaunchArguments &bound) {
  for (const ArgumentMemory &part : bound.getMemory()) {
    const Argument &argument = bound.getArguments()[part.argument];
    bool isShared =
        llvm::any_of(bound.getMemory(), [&](const ArgumentMemory &other) {
          return &other != &part && other.begin < part.begin + part.size &&
                 part.begin < other.begin + other.size;
        });
    if (argument.isWritten || isShared)
      continue;
    auto type = cast<MemRefType>(signature.arguments[part.argument].type);
    poisonElements(argument, *getElementBytes(type.getElementType()));
  }
}

std::string CompiledFunction::call(ArrayRef<Argument> arguments) const {
  LaunchArguments bound(impl->signature, arguments, /*multiprocessors=*/1);
  std::string error = bound.bind();
  if (!error.empty())
    return error;
  poisonUnwritten(impl->signature, bound);
  impl->code->getEntry()(bound.getPacked());
  return "";
}
