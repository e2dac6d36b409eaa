//===- SimKernelImpl.h - what a compiled kernel consists of -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of CompiledKernel, for compilation and for launches. A block
// program means the whole of the extent that it covers, also where a launch's
// extent is larger than its vectors. Then it is compiled again, with vectors
// that cover the extent. The report of accesses joins the counts of ops that
// look the same to a reader: those of an unrolled loop, and those of a kernel
// that is launched again.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_SIMKERNELIMPL_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_SIMKERNELIMPL_H

#include "../Compile/HostCode.h"
#include "../Compile/KernelModule.h"
#include "../Memory/WarpAccesses.h"
#include "LaunchArguments.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace carousel::sim {

class AccessReport {
public:
  /// `counts` are those of a run; `first` is the number before the one of the
  /// first op.
  void add(const AccessOps &ops, const SiteTable &sites,
           llvm::ArrayRef<WarpAccessCount> counts, uint32_t first);
  std::vector<SharedAccesses> take() { return std::move(rows); }

private:
  std::vector<SharedAccesses> rows;
};

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
  Assertions assertions;
  uint32_t stackBytes = 0;
  std::unique_ptr<HostCode> code;
  /// The gpu.module of the kernel. The address must not be dereferenced.
  const void *home = nullptr;

  /// Describes a kernel's arguments and launch, without code.
  static mlir::FailureOr<std::unique_ptr<Impl>>
  describe(mlir::gpu::GPUFuncOp kernel);
};

/// The bytes of the stack of a thread that executes the module's code: local
/// memory, and room for vectors that don't fit the host's registers. An error,
/// if the frames alone are larger than any stack.
mlir::FailureOr<uint32_t> estimateStack(mlir::ModuleOp module);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_SIMKERNELIMPL_H
