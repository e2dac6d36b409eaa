//===- WideKernels.h - block programs for wide extents ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block program means the whole of the extent that it covers, also where a
// launch's extent is larger than its vectors. Then it is compiled again, with
// vectors that cover the extent.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_WIDEKERNELS_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_WIDEKERNELS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace carousel::sim {

class WideKernels {
public:
  WideKernels(mlir::gpu::GPUFuncOp kernel, BlockProgramAttr program);

  int64_t getWidth() const { return program.getWidth(); }
  ExprAttr getCovers() const { return program.getCovers(); }

  /// The kernel with vectors for an extent above the width, after `prepare` has
  /// seen it once. Null, with the reason, if there is none. Thread-safe.
  const CompiledKernel *
  find(int64_t extent, std::string &reason,
       llvm::function_ref<void(const CompiledKernel &)> prepare);

private:
  std::unique_ptr<CompiledKernel> compile(int64_t extent, std::string &reason);
  std::string explainMost(int64_t extent) const;

  BlockProgramAttr program;
  std::string name;
  /// A copy of the kernel's module.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::mutex mutex;
  struct Wide {
    std::unique_ptr<CompiledKernel> kernel; ///< null if there is none
    std::string reason;
  };
  std::map<int64_t, Wide> kernels; ///< by width
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_WIDEKERNELS_H
