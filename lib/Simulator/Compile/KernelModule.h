//===- KernelModule.h - a kernel on its way to the host ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a gpu.func to a module that the JIT takes, in their order:
// cloneKernel, lowerMachineOps, lowerToHost, instrumentMemory. Each closes one
// question: what belongs to the kernel, what the machine does, what the host's
// instructions do, and which accesses the machine watches.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_KERNELMODULE_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_KERNELMODULE_H

#include "carousel/Simulator/Findings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace carousel::sim {

/// The source locations of a kernel's operations, as text; index 0 is unknown.
class SiteTable {
public:
  SiteTable() : texts(1) {}
  Site get(mlir::Location location);
  const std::string &describe(Site site) const {
    return texts[site < texts.size() ? site : 0];
  }
  Site size() const { return Site(texts.size()); }
  /// The locations live in the context, the texts don't.
  void forgetLocations() { sites.clear(); }

private:
  llvm::DenseMap<mlir::Location, Site> sites;
  std::vector<std::string> texts;
};

/// "kernel.mlir:12:5"; names and fused locations are looked through. Empty if
/// there is none.
std::string describeLocation(mlir::Location location);

/// Of an element of a memref in the machine's memory; nothing if it has no
/// fixed size.
std::optional<uint64_t> getElementBytes(mlir::Type element);

/// A buffer whose place is known at compile time: in the CTA's block of shared
/// memory, or, for a view of dynamic shared memory, in its dynamic part.
struct StaticBuffer {
  std::string
      symbol; // of the memref.global that stands for it; none for a view
  std::string name;
  uint64_t offset = 0, size = 0;
  uint64_t slotBytes = 0; // 0: has no slots
};

/// A memref.global in global memory; each run has its own copy.
struct GlobalBuffer {
  std::string symbol, name;
  uint64_t size = 0;
  std::vector<char> initial; // empty: unwritten
};

/// Where a kernel's static buffers lie.
struct StaticMemory {
  std::vector<StaticBuffer> shared, views;
  std::vector<GlobalBuffer> globals;
  /// What the kernel's static buffers take on the device, and the bytes of the
  /// machine's block, in which they lie apart from each other.
  uint64_t staticSharedBytes = 0, staticBlockBytes = 0;
};

/// A kernel with what it calls, alone in its module.
struct KernelModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  StaticMemory memory;
};

/// The kernel of that name, "k" or "module::k"; reports why there is none.
mlir::FailureOr<mlir::gpu::GPUFuncOp> findKernel(mlir::ModuleOp module,
                                                 llvm::StringRef name);

/// The function and the symbols beside it that it uses, directly or not.
/// Reports declarations and recursion.
mlir::FailureOr<llvm::SetVector<mlir::Operation *>>
getUsedSymbols(mlir::Operation *function);

/// Reports operations and types that the machine doesn't know.
mlir::LogicalResult verifyKnown(mlir::Operation *root);

/// A copy of the kernel as a func.func in a module of its own, with the
/// functions and globals that it uses. Attributions and allocations of shared
/// memory have become memref.globals. Reports operations that the machine
/// doesn't know.
mlir::FailureOr<KernelModule> cloneKernel(mlir::gpu::GPUFuncOp kernel);

/// carousel.serialize and carousel.accumulate in terms of other ops.
void expandTurns(mlir::Operation *root);

/// `nvgpu.ldmatrix` and `nvgpu.mma.sync` as shuffles, loads and arithmetic.
void populateExpandMatrices(mlir::RewritePatternSet &patterns);

/// Turns the gpu and carousel ops into calls of the machine (MachineCalls.cpp)
/// and memory spaces, barriers and tensor maps into plain types of the host.
mlir::LogicalResult lowerMachineOps(KernelModule &kernel, SiteTable &sites);

/// Lowers upstream dialects on plain types to the LLVM dialect.
mlir::LogicalResult lowerToHost(mlir::ModuleOp module);

/// Has the machine see every access of LLVM-dialect code to memory that isn't a
/// thread's own, every division whose divisor may be zero, and every turn of a
/// loop.
mlir::LogicalResult instrumentMemory(mlir::ModuleOp module, SiteTable &sites);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_KERNELMODULE_H
