//===- VariantVerifiers.cpp - functions that serve one kernel -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the arguments of the variants of a kernel: C121 of docs/Spec.md. The
// phase verifiers call it, since variants may be in several modules.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace carousel;

static std::string describeSource(const KernelArgument &argument) {
  if (!argument.workspace)
    return "passed by callers";
  std::string text;
  llvm::raw_string_ostream(text) << argument.workspace;
  return text;
}

static std::string describeAlias(const KernelArgument &argument) {
  return argument.mayAlias ? "one that may alias argument " +
                                 std::to_string(*argument.mayAlias)
                           : "one without may_alias";
}

static StringRef describeSharing(const KernelArgument &argument) {
  switch (argument.sharing) {
  case Sharing::None:
    return "in memory of this GPU only";
  case Sharing::Symmetric:
    return kSymmetric;
  case Sharing::Peer:
    return kPeer;
  case Sharing::Multicast:
    return kMulticast;
  }
  llvm_unreachable("unknown sharing");
}

/// C121: compares with the first variant.
static LogicalResult verifySameArguments(gpu::GPUFuncOp first,
                                         gpu::GPUFuncOp second) {
  StringRef name = getKernelName(second);
  auto fail = [&](const Twine &message) {
    InFlightDiagnostic error = second.emitError(message);
    error.attachNote(first.getLoc()) << "the other variant";
    return error;
  };
  SmallVector<KernelArgument> wanted = getKernelArguments(first);
  SmallVector<KernelArgument> found = getKernelArguments(second);
  if (wanted.size() != found.size())
    return fail("expected ")
           << wanted.size() << " arguments as in the other variant of kernel '"
           << name << "', got " << found.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    const KernelArgument &want = wanted[i], &have = found[i];
    auto differ = [&](auto wantValue, auto haveValue) {
      return fail("expected argument ")
             << i << " to be " << wantValue
             << " as in the other variant of kernel '" << name << "', got "
             << haveValue;
    };
    if (want.type != have.type)
      return differ(want.type, have.type);
    if (want.name != have.name)
      return differ("'" + want.name + "'", "'" + have.name + "'");
    if (want.workspace != have.workspace)
      return differ(describeSource(want), describeSource(have));
    if (want.access != have.access)
      return differ(stringifyArgumentAccess(want.access),
                    stringifyArgumentAccess(have.access));
    if (want.mayAlias != have.mayAlias)
      return differ(describeAlias(want), describeAlias(have));
    if (want.sharing != have.sharing)
      return differ(describeSharing(want), describeSharing(have));
  }
  return success();
}

LogicalResult carousel::verifyVariants(ArrayRef<gpu::GPUFuncOp> kernels) {
  llvm::StringMap<gpu::GPUFuncOp> first;
  LogicalResult result = success();
  for (gpu::GPUFuncOp kernel : kernels) {
    auto [entry, isFirst] = first.try_emplace(getKernelName(kernel), kernel);
    if (!isFirst && failed(verifySameArguments(entry->second, kernel)))
      result = failure();
  }
  return result;
}
