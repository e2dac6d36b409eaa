//===- SimKernelImpl.h - what a compiled kernel consists of -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of CompiledKernel, for compilation and for launches.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_SIMKERNELIMPL_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_SIMKERNELIMPL_H

#include "../Compile/HostCode.h"
#include "AccessReport.h"
#include "LaunchArguments.h"
#include "WideKernels.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Simulator/Simulator.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel::sim {

struct CompiledKernel::Impl {
  std::string name;
  Signature signature;
  carousel::LaunchAttr launch;
  carousel::VariantAttr variant; ///< null: no guards
  llvm::SmallVector<carousel::WorkspaceAttr>
      workspaces; ///< of each argument, or null
  /// Whether an argument is a memref that the kernel only reads.
  llvm::SmallVector<bool> areInputs;
  bool isCoresident = false;
  bool startsInOrder = false;
  bool isBlockProgram = false;
  /// The kernels of a block program whose vectors cover an extent; otherwise
  /// null.
  std::unique_ptr<WideKernels> wide;
  StaticMemory layout;
  SiteTable sites;
  AccessOps accesses;
  PoisonChecks poisonChecks;
  uint32_t stackBytes = 0;
  std::unique_ptr<HostCode> code;
  /// The gpu.module of the kernel. The address must not be dereferenced.
  const void *home = nullptr;

  /// What a kernel says of its arguments and its launch, without code.
  static mlir::FailureOr<std::unique_ptr<Impl>>
  describe(mlir::gpu::GPUFuncOp kernel);
};

/// The bytes of the stack of a thread that executes the module's code: local
/// memory, and room for vectors that don't fit the host's registers. An error,
/// if the frames alone are larger than any stack.
mlir::FailureOr<uint32_t> estimateStack(mlir::ModuleOp module);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_SIMKERNELIMPL_H
