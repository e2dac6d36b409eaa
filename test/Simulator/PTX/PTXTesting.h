//===- PTXTesting.h - small kernels of PTX, run -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel `k` of a few instructions whose first parameter is the memory of its
// results, and whose others are numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_SIMULATOR_PTX_PTXTESTING_H
#define CAROUSEL_TEST_SIMULATOR_PTX_PTXTESTING_H

#include "../Launch/KernelTesting.h"

namespace carousel::sim {

struct PTXLaunch {
  uint32_t threads = 1, ctas = 1, cluster = 1;
  uint64_t dynamicSharedBytes = 0;
  RunOptions options = {};
};

class PTXTest : public KernelTest {
protected:
  /// Compiles a text of PTX, whose kernel has these parameters (of MLIR). Null
  /// on an error; the diagnostics are in `messages`.
  std::unique_ptr<CompiledKernel> compilePTX(llvm::StringRef text,
                                             llvm::StringRef parameters);

  /// Runs the body of `k(.param .u64 out)`: %rd0 is the address, %r0 the
  /// thread's number, and the other registers are free. `before` stands before
  /// the kernel: variables and functions.
  RunResult run(llvm::StringRef body, std::vector<uint32_t> &out,
                const PTXLaunch &launch = {}, llvm::StringRef before = "");
  /// Runs the body and expects no finding.
  std::vector<uint32_t> get(llvm::StringRef body, size_t results = 1,
                            const PTXLaunch &launch = {},
                            llvm::StringRef before = "");
};

} // namespace carousel::sim

#endif // CAROUSEL_TEST_SIMULATOR_PTX_PTXTESTING_H
