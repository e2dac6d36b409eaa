//===- ArgumentWrites.cpp - writes to arguments that are read -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ArgumentWrites.h. Follows views and calls. Memrefs that regions carry or
// select aren't followed; the simulated machine finds writes by these.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/ArgumentWrites.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <set>
#include <vector>

using namespace mlir;
using namespace carousel;

namespace {

class WriteChecker {
public:
  /// `inputs`: the values that are not to be written, with their names.
  using Inputs = llvm::DenseMap<Value, StringRef>;

  bool check(Region &body, const Inputs &inputs) {
    body.walk([&](Operation *op) { check(op, inputs); });
    return holds;
  }

private:
  static StringRef find(Value written, const Inputs &inputs) {
    if (!written || !isa<BaseMemRefType>(written.getType()))
      return "";
    return inputs.lookup(getRootBuffer(written));
  }

  void check(Operation *op, const Inputs &inputs) {
    if (auto call = dyn_cast<CallOpInterface>(op))
      return enter(call, inputs);
    auto refuse = [&](Value written) {
      StringRef name = find(written, inputs);
      if (name.empty())
        return;
      // C252
      op->emitOpError("expected writes of arguments that are out or inout, got "
                      "one of '")
          << name << "', which is in";
      holds = false;
    };
    // Its effects name no memory.
    if (auto signal = dyn_cast<SignalOp>(op))
      return refuse(signal.getCounters());
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    llvm::SmallDenseSet<Value, 2> written;
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) &&
          written.insert(effect.getValue()).second)
        refuse(effect.getValue());
  }

  /// Each function once for each set of its parameters that are inputs.
  void enter(CallOpInterface call, const Inputs &inputs) {
    auto callee =
        dyn_cast_if_present<CallableOpInterface>(call.resolveCallable());
    Region *body = callee ? callee.getCallableRegion() : nullptr;
    if (!body || body->empty())
      return;
    Inputs own;
    std::vector<unsigned> parameters;
    for (auto [number, operand, parameter] :
         llvm::enumerate(call.getArgOperands(), body->getArguments()))
      if (StringRef name = find(operand, inputs); !name.empty()) {
        own[parameter] = name;
        parameters.push_back(number);
      }
    if (!own.empty() && entered.insert({body, parameters}).second)
      check(*body, own);
  }

  std::set<std::pair<Region *, std::vector<unsigned>>> entered;
  bool holds = true;
};

} // namespace

LogicalResult carousel::verifyArgumentWrites(gpu::GPUFuncOp kernel) {
  SmallVector<KernelArgument> arguments = getKernelArguments(kernel);
  WriteChecker::Inputs inputs;
  for (const KernelArgument &argument : arguments)
    if (argument.access == ArgumentAccess::In &&
        isa<BaseMemRefType>(argument.type))
      inputs[kernel.getArgument(argument.position)] = argument.name;
  bool holds = true;
  kernel.walk([&](RowsOp rows) {
    if (inputs.contains(getRootBuffer(rows.getTable())))
      return;
    // C302
    rows.emitOpError("expected a table in an argument that is in, got another "
                     "memref");
    holds = false;
  });
  return success(
      (inputs.empty() || WriteChecker().check(kernel.getBody(), inputs)) &&
      holds);
}
