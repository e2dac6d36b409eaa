//===- KernelTesting.h - kernels in tests -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a module, compiles a kernel of it, and makes arguments of vectors.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_SIMULATOR_LAUNCH_KERNELTESTING_H
#define CAROUSEL_TEST_SIMULATOR_LAUNCH_KERNELTESTING_H

#include "carousel/Simulator/Simulator.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace carousel::sim {

/// One context and its diagnostics.
class KernelTest : public ::testing::Test {
protected:
  KernelTest();

  /// Null on an error; the diagnostics are in `messages`, a line each.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);
  std::unique_ptr<CompiledKernel> compile(llvm::StringRef text,
                                          llvm::StringRef kernel = "k");
  std::unique_ptr<CompiledFunction> compileFunction(llvm::StringRef text,
                                                    llvm::StringRef name);
  /// Compiles the body as the kernel @k of those arguments and runs it.
  RunResult runKernel(llvm::StringRef arguments, llvm::StringRef body,
                      llvm::ArrayRef<Argument> values, uint32_t threads = 1,
                      uint32_t ctas = 1);

  mlir::MLIRContext context;
  std::string messages;
};

/// A contiguous memref over `data`.
template <typename T>
Argument makeMemRef(std::vector<T> &data, std::vector<int64_t> extents = {},
                    bool isWritten = true) {
  if (extents.empty())
    extents = {int64_t(data.size())};
  Argument argument;
  argument.data = data.data();
  argument.extents.assign(extents.begin(), extents.end());
  argument.strides.assign(extents.size(), 1);
  for (size_t dim = extents.size(); dim-- > 1;)
    argument.strides[dim - 1] = argument.strides[dim] * extents[dim];
  argument.isWritten = isWritten;
  return argument;
}

inline Argument makeNumber(uint64_t bits) {
  Argument argument;
  argument.bits = bits;
  return argument;
}

/// The text of all findings, for messages of tests.
std::string describe(const RunResult &result);

/// How many findings of the kind there are.
inline size_t count(const RunResult &result, FindingKind kind) {
  return llvm::count_if(result.findings, [&](const Finding &finding) {
    return finding.kind == kind;
  });
}

/// The file of that path under examples/, with the one occurrence of `from`
/// replaced by `to` where `from` is given.
std::string readExample(llvm::StringRef path, llvm::StringRef from = "",
                        llvm::StringRef to = "");

} // namespace carousel::sim

#endif // CAROUSEL_TEST_SIMULATOR_LAUNCH_KERNELTESTING_H
