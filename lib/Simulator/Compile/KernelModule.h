//===- KernelModule.h - from a kernel to host code --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a gpu.func to a module that the JIT accepts, in order:
// cloneKernel extracts the kernel, lowerMachineOps lowers the machine's ops to
// calls, lowerToHost lowers all others, trackPoison inserts checks of values,
// and instrumentMemory those of accesses.
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

/// Stands for the thread's last site.
inline constexpr Site kSiteOfCaller = ~Site(0);

/// The source locations of a kernel's operations, as text; index 0 is unknown.
class SiteTable {
public:
  SiteTable() : texts(1) {}
  Site get(mlir::Location location);
  /// The site of a text, such as "kernel.ptx:12:5".
  Site add(std::string text);
  const std::string &describe(Site site) const {
    return texts[site < texts.size() ? site : 0];
  }
  Site size() const { return Site(texts.size()); }
  /// Locations belong to the context; the texts stay valid without it.
  void forgetLocations() { sites.clear(); }

private:
  llvm::DenseMap<mlir::Location, Site> sites;
  std::vector<std::string> texts;
};

/// An op that loads from memory or stores to it.
struct AccessOp {
  Site site = 0;
  /// "load", "store" or "ldmatrix".
  llvm::StringRef name;
  /// Those of one lane.
  uint64_t bytes = 0;
};

/// The ops whose accesses of shared memory a run may count. Their numbers begin
/// at 1; 0 stands for an access that isn't counted.
using AccessOps = std::vector<AccessOp>;

/// A place where poison is an error.
struct PoisonCheck {
  /// "a stored value", "a condition".
  llvm::StringRef what;
  /// "the poison of 'ub.poison' at kernel.mlir:12:5".
  std::string sources;
};
using PoisonChecks = std::vector<PoisonCheck>;

/// A condition that an assertion says holds.
struct Assertion {
  std::string message;
  /// How the two numbers relate where it doesn't: ">="; empty without numbers.
  llvm::StringRef found;
  bool isUnsigned;
};
using Assertions = std::vector<Assertion>;

/// "kernel.mlir:12:5", also for names and fused locations. Empty if there is
/// none.
std::string describeLocation(mlir::Location location);

/// The size of a memref's element in the machine's memory; nullopt if it has no
/// fixed size.
std::optional<uint64_t> getElementBytes(mlir::Type element);

/// A buffer whose offset is known at compile time, in the CTA's block of shared
/// memory or, for a view of dynamic shared memory, in its dynamic part.
struct StaticBuffer {
  std::string symbol; // the memref.global for it; none for a view
  std::string name;
  uint64_t offset = 0, size = 0;
  uint64_t slotBytes = 0; // 0 if it has no slots
};

/// A memref.global in global memory; each run has its own copy.
struct GlobalBuffer {
  std::string symbol, name;
  uint64_t size = 0;
  /// The first bytes: zeros follow after these. Unwritten without a value.
  std::optional<std::vector<char>> initial;
  /// Words of it that hold the address of a global buffer, which the launch
  /// knows.
  struct Address {
    uint64_t at = 0;
    unsigned global = 0;
    uint64_t offset = 0;
  };
  std::vector<Address> addresses = {};
};

/// The kernel's static buffers.
struct StaticMemory {
  std::vector<StaticBuffer> shared, views;
  std::vector<GlobalBuffer> globals;
  /// The size of the kernel's static buffers on the device, and in the
  /// machine's block, where there are gaps between them.
  uint64_t staticSharedBytes = 0, staticBlockBytes = 0;
  /// The size of the vectors of a thread of a block program.
  uint64_t valueBytes = 0;
  /// The size of the local memory of a thread of PTX.
  uint64_t localBytes = 0;
  /// Whether PTX takes the addresses of parameters.
  bool addressesParameters = false;

  /// The offset of dynamic shared memory in the machine's block.
  uint64_t getDynamicOffset() const {
    constexpr uint64_t kAlignment = 1024;
    return (staticBlockBytes + kAlignment - 1) / kAlignment * kAlignment;
  }
};

/// The symbol by which a block program gets the memory of its vectors.
inline constexpr llvm::StringLiteral kValuesSymbol = "__carousel_values";

/// A kernel and everything that it calls, in a module of its own.
struct KernelModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  StaticMemory memory;
  /// "'ub.poison' at kernel.mlir:12:5", by the number of the source.
  std::vector<std::string> poison;
};

/// The kernel of this name, "k" or "module::k". Emits an error if there is
/// none.
mlir::FailureOr<mlir::gpu::GPUFuncOp> findKernel(mlir::ModuleOp module,
                                                 llvm::StringRef name);

/// The function and all symbols that it uses, directly or indirectly. Emits an
/// error for declarations and recursion.
mlir::FailureOr<llvm::SetVector<mlir::Operation *>>
getUsedSymbols(mlir::Operation *function);

/// Emits an error for operations and types that the machine doesn't support.
/// Block programs, and functions that they call, have larger vectors.
mlir::LogicalResult verifyKnown(mlir::Operation *root, bool isBlockProgram);

/// Copies the kernel as a func.func to a module of its own, with the functions
/// and globals that it uses. Attributions and allocations of shared memory
/// become memref.globals. Emits an error for operations that the machine
/// doesn't support.
mlir::FailureOr<KernelModule> cloneKernel(mlir::gpu::GPUFuncOp kernel);

/// Expands carousel.serialize and carousel.accumulate to other ops.
void expandTurns(mlir::Operation *root);

/// Makes transfers of the rows of carousel.rows those of each row.
void lookUpRows(mlir::Operation *root);

/// Lowers the vectors of a kernel of the block phase to bytes of the thread
/// that executes it, and ops on them to loops.
mlir::LogicalResult lowerBlockProgram(mlir::gpu::GPUFuncOp kernel,
                                      StaticMemory &memory);

/// Makes ub.poison of what other ops define to be poison: elements at poison
/// indices.
void expandPoisonIndices(mlir::Operation *root);

/// Makes each ub.poison the result of a function that no pattern knows, so that
/// none folds what depends on it. trackPoison removes the functions.
void hidePoison(mlir::Operation *root, std::vector<std::string> &sources);

/// Inserts calls of the machine where poison would reach memory, a branch, an
/// address or another thread. Where that depends on the run, a bit follows each
/// element that may be poison. In a kernel without poison, does nothing.
void trackPoison(KernelModule &kernel, SiteTable &sites, PoisonChecks &checks);

/// Whether the address is in the memory of a block program's vectors, which no
/// other thread knows. Its accesses were made to fit.
bool isOfValues(mlir::Value pointer);

/// Expands `nvgpu.ldmatrix` and `nvgpu.mma.sync` to shuffles, loads and
/// arithmetic.
void populateExpandMatrices(mlir::RewritePatternSet &patterns);
/// Expands `carousel.multiply` to loops of each thread over its own sums.
void populateExpandProducts(mlir::RewritePatternSet &patterns);

/// Marks the ops to which `nvgpu.ldmatrix` is expanded by their location. A
/// prefetch, of the lane's own row, has the number of rows. The loads have 0.
mlir::Location markMatrixRows(mlir::Location location, int64_t rows);
/// The number by which a location is marked, if it is.
std::optional<int64_t> getMatrixRows(mlir::Location location);

/// Marks an op of a function of the machine's own by its location: it is at the
/// place of the thread's last call of the machine, and thus of its caller.
mlir::Location markOfCaller(mlir::Location location);
bool isOfCaller(mlir::Location location);

/// Lowers gpu and carousel ops to calls of the machine (MachineCalls.cpp), and
/// memory spaces, barriers and tensor maps to plain types of the host.
mlir::LogicalResult lowerMachineOps(KernelModule &kernel, SiteTable &sites,
                                    Assertions &assertions);

/// Lowers upstream dialects on plain types to the LLVM dialect.
mlir::LogicalResult lowerToHost(mlir::ModuleOp module);

/// Inserts calls of the machine at each access to memory that other threads
/// share, each division whose divisor may be zero, and each iteration of a
/// loop. Adds the ops to `accesses`.
mlir::LogicalResult instrumentMemory(mlir::ModuleOp module, SiteTable &sites,
                                     AccessOps &accesses);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_KERNELMODULE_H
