//===- Simulator.h - run a kernel without a GPU -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulated machine's API. A kernel of a module, at the tile or at the
// machine phase, is compiled once for the host; it then runs on arguments in
// host memory, under a schedule, and gives findings, figures and a trace.
// Compiled kernels are immutable: several runs may go on at once, in threads of
// the caller.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SIMULATOR_SIMULATOR_H
#define CAROUSEL_SIMULATOR_SIMULATOR_H

#include "carousel/Simulator/Findings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <array>
#include <memory>
#include <optional>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace carousel::sim {

/// The names that RunOptions::policy takes.
llvm::ArrayRef<llvm::StringRef> getPolicyNames();

/// Parses a module as mlir::parseSourceFile does. Memrefs keep the names of
/// their values, as NameLocs, so that findings say `full[2]`; in modules that
/// were made otherwise, buffers go by their places. Null on an error, with
/// diagnostics emitted.
mlir::OwningOpRef<mlir::ModuleOp>
parseNamedModule(const llvm::SourceMgr &sources, mlir::MLIRContext *context);

/// One argument, in the order of the gpu.func (or func.func) without its tensor
/// maps, which the machine encodes itself as carousel.encode says. Workspaces
/// are among them: memory of zeros.
struct Argument {
  /// A memref: the element at index zero, extents and strides in elements,
  /// outermost first.
  void *data = nullptr;
  llvm::SmallVector<int64_t> extents, strides;
  /// False: the memory starts unwritten (an output); reading it is a finding.
  bool isWritten = true;
  /// A scalar: its bits.
  uint64_t bits = 0;
};

struct ArgumentInfo {
  std::string name;
  mlir::Type type;
};

/// How one run goes. The defaults are those of carousel-sim.
struct RunOptions {
  /// "random", "late-landing", ... (docs/Simulator.md).
  std::string policy = "random";
  uint64_t seed = 0;
  /// Text of a record: replays it; policy and seed are then not used.
  std::string replay;
  bool record = false;

  /// Instead of carousel.launch; x, y, z. Of several launches, those of all
  /// that have none of their own.
  std::optional<std::array<uint32_t, 3>> grid, block, cluster;
  std::optional<uint64_t> dynamicSharedBytes;

  uint32_t multiprocessors = 132;
  /// CTAs resident on one multiprocessor; 0: as many as shared memory and
  /// threads allow.
  uint32_t residentPerMultiprocessor = 0;
  /// Shared memory of a CTA must fit what this chip has.
  std::string chip = "sm_90a";

  /// The choices of docs/MemoryModel.md, in the stricter reading.
  bool strict = false;
  unsigned findingLimit = 64;
  /// Steps of all threads together; the run ends beyond it.
  uint64_t stepLimit = uint64_t(1) << 32;
  /// Collect a trace (RunResult::trace) of the first CTAs of each launch.
  bool trace = false;
  uint32_t tracedCTAs = 8;
};

enum class RunStatus : uint8_t { Finished, Deadlock, StepLimit, Aborted };

struct RunFigures {
  uint64_t threads = 0;
  /// Memory accesses, synchronising operations and calls into the machine, of
  /// all threads.
  uint64_t steps = 0;
  uint64_t transfers = 0;
  uint64_t transferredBytes = 0;
  /// Simulated cycles to the end, by the cost model of docs/Simulator.md.
  uint64_t cycles = 0;
};

struct RunResult {
  RunStatus status = RunStatus::Finished;
  /// Why a run could not be made at all (a bad argument or option), one line;
  /// else empty.
  std::string error;
  std::vector<Finding> findings;
  RunFigures figures;
  std::string record;
  /// Chrome trace JSON.
  std::string trace;

  bool isClean() const { return error.empty() && findings.empty(); }
};

/// A gpu.func kernel of a module, compiled for the simulated machine.
class CompiledKernel {
public:
  /// Emits diagnostics where the module holds no such kernel, or the kernel an
  /// op that the machine doesn't know. `kernel` is the symbol name, with or
  /// without "@module::". The module isn't changed and may go afterwards.
  static mlir::FailureOr<std::unique_ptr<CompiledKernel>>
  compile(mlir::ModuleOp module, llvm::StringRef kernel);
  ~CompiledKernel();

  llvm::ArrayRef<ArgumentInfo> getArguments() const;
  llvm::StringRef getName() const;
  /// True if carousel.launch gives the grid and block.
  bool hasLaunch() const;

  /// Runs on `arguments`, whose memory it reads and writes in place.
  /// Thread-safe for disjoint memory.
  RunResult run(llvm::ArrayRef<Argument> arguments,
                const RunOptions &options = {}) const;

private:
  friend class LaunchSequence;
  struct Impl;
  explicit CompiledKernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// One launch of a run of several.
struct Launch {
  const CompiledKernel *kernel = nullptr;
  llvm::ArrayRef<Argument> arguments;
  /// A programmatic dependent launch: its CTAs may start when each CTA of the
  /// launch before has executed carousel.grid.launch_dependents or ended, and
  /// carousel.grid.dependency_wait waits for that launch's end. Else it starts
  /// when all launches before it have ended.
  bool dependent = false;
  /// Instead of those of the options and of carousel.launch.
  std::optional<std::array<uint32_t, 3>> grid, block, cluster;
  std::optional<uint64_t> dynamicSharedBytes;
};

/// Runs the launches in their order, as one stream does. Memory that several of
/// them have as an argument is one; whether it starts written, the first of
/// them says. Kernels of one gpu.module share its globals.
RunResult run(llvm::ArrayRef<Launch> launches, const RunOptions &options = {});

/// A func.func of a module, compiled for the host: the reference of a kernel.
/// Arguments that aren't written hold poison at the call, as at a kernel's.
class CompiledFunction {
public:
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  compile(mlir::ModuleOp module, llvm::StringRef function);
  ~CompiledFunction();
  llvm::ArrayRef<ArgumentInfo> getArguments() const;
  /// Empty, or why it could not be called.
  std::string call(llvm::ArrayRef<Argument> arguments) const;

private:
  struct Impl;
  explicit CompiledFunction(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::sim

#endif // CAROUSEL_SIMULATOR_SIMULATOR_H
