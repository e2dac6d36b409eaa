//===- Simulator.h - run kernels without a GPU ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The API of the simulated machine. It compiles a kernel of a module, at the
// tile phase or the machine phase, for the host. The kernel then runs on
// arguments in host memory, under a schedule, and returns findings, statistics
// and a trace. Compiled kernels are immutable: several threads of the caller
// may run one at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SIMULATOR_SIMULATOR_H
#define CAROUSEL_SIMULATOR_SIMULATOR_H

#include "carousel/Simulator/Findings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace carousel::ptx {
struct Module;
} // namespace carousel::ptx

namespace carousel::sim {

/// The accepted values of RunOptions::policy.
llvm::ArrayRef<llvm::StringRef> getPolicyNames();

/// Parses a module as mlir::parseSourceFile does. Memrefs keep the names of
/// their values as NameLocs, so that findings say `full[2]`. Modules from other
/// sources have locations instead of names. On an error emits diagnostics and
/// returns null.
mlir::OwningOpRef<mlir::ModuleOp>
parseNamedModule(const llvm::SourceMgr &sources, mlir::MLIRContext *context);

/// One argument, in the order of the gpu.func (or func.func) without its tensor
/// maps. The machine encodes tensor maps itself, as carousel.encode says.
/// Workspaces are included, and are memory of zeros.
struct Argument {
  /// The parts of a memref: the element at index zero, and extents and strides
  /// in elements, outermost first.
  void *data = nullptr;
  llvm::SmallVector<int64_t> extents, strides;
  /// If false, the memory starts unwritten (an output), and a read of it is a
  /// finding.
  bool isWritten = true;
  /// The bits of a scalar.
  uint64_t bits = 0;
  /// In findings, instead of the name of the kernel's argument.
  std::string name = {};
  /// For a multicast address: the memrefs that it stands for, those of all
  /// GPUs, with its extents and strides. `data` is then memory of its own that
  /// nothing accesses.
  std::vector<Argument> parts = {};
};

struct ArgumentInfo {
  std::string name;
  mlir::Type type;
  /// The number of the argument that may be the same memref.
  std::optional<int64_t> mayAlias = std::nullopt;
  /// Whether callers don't pass it.
  bool isWorkspace = false;
  /// Whether its memory may be that of another GPU, too (docs/Transport.md).
  bool isSymmetric = false;
  /// Whether it is a multicast address, with parts.
  bool isMulticast = false;
};

/// Options of one run. The defaults are those of carousel-sim.
struct RunOptions {
  /// "random", "late-landing" and so on (docs/Simulator.md).
  std::string policy = "random";
  uint64_t seed = 0;
  /// The text of a schedule record to replay. Replaces policy and seed.
  std::string replay;
  bool record = false;

  /// Override carousel.launch; x, y, z. In a run of several launches they apply
  /// to the launches that have none of their own.
  std::optional<std::array<uint32_t, 3>> grid, block, cluster;
  std::optional<uint64_t> dynamicSharedBytes;

  uint32_t multiprocessors = 132;
  /// CTAs that are resident on one multiprocessor; 0 for as many as shared
  /// memory and threads allow.
  uint32_t residentPerMultiprocessor = 0;
  /// The chip whose shared memory limits that of a CTA.
  std::string chip = "sm_90a";

  /// A GPU that stops at a step that the schedule draws, from 1 to stopWithin.
  std::optional<uint32_t> stopGPU;
  uint32_t stopWithin = 1000;

  /// A program runs its steps with carousel.at_load first, and then all others,
  /// as by PreparedProgram::loadParameters of the runtime. Unless a result may
  /// be in the memory of an argument, the others run twice.
  bool loadsParameters = false;
  /// Use the stricter reading of the choices in docs/MemoryModel.md.
  bool strict = false;
  unsigned findingLimit = 64;
  /// The limit on steps of all threads together, at which the run ends.
  uint64_t stepLimit = uint64_t(1) << 32;
  /// Called now and then. Once it returns true, the run ends (Aborted).
  std::function<bool()> isCancelled;
  /// Count the bank conflicts of shared memory (RunResult::sharedAccesses).
  bool bankConflicts = false;
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
  /// Bytes of global memory that accesses and transfers read and write, each
  /// time that they do. Atomics do both.
  uint64_t readBytes = 0, writtenBytes = 0;
  /// The bytes of all memrefs that are passed to launches, without workspaces:
  /// what would be moved if each element were read or written once.
  uint64_t operandBytes = 0;
  /// Simulated cycles until the end, by the cost model of docs/Simulator.md.
  uint64_t cycles = 0;
};

/// The accesses of shared memory by the warps that execute the loads or stores
/// of one place and size. docs/Simulator.md has the rules.
struct SharedAccesses {
  /// "kernel.mlir:12:5", or empty if unknown.
  std::string location;
  /// "load", "store" or "ldmatrix".
  std::string op;
  /// Those of one lane.
  uint64_t bytes = 0;
  /// The executions by whole warps, or by the lanes that take part.
  uint64_t executions = 0;
  uint64_t wavefronts = 0;
  /// The wavefronts of the same accesses without bank conflicts.
  uint64_t least = 0;

  uint64_t getExcess() const { return wavefronts - least; }
};

struct RunResult {
  RunStatus status = RunStatus::Finished;
  /// One line that says why the run wasn't started (a bad argument or option),
  /// or empty.
  std::string error;
  std::vector<Finding> findings;
  RunFigures figures;
  /// The accesses, in the order of the kernel's code; empty without
  /// RunOptions::bankConflicts.
  std::vector<SharedAccesses> sharedAccesses;
  std::string record;
  /// "GPU 1 stopped at step 20", or empty.
  std::string stopped;
  /// Waits with a timeout whose time the schedule let be over, so that outputs
  /// may be others than those of a run without.
  uint64_t expiredWaits = 0;
  /// Chrome trace JSON.
  std::string trace;

  /// Wavefronts of shared memory that bank conflicts cost.
  uint64_t countExcessWavefronts() const {
    uint64_t excess = 0;
    for (const SharedAccesses &accesses : sharedAccesses)
      excess += accesses.getExcess();
    return excess;
  }

  bool isClean() const { return error.empty() && findings.empty(); }
};

/// How the parameters of a kernel of PTX hold the arguments of a gpu.func: of
/// each parameter, the numbers of the arguments that are its members, which are
/// laid out as C does. Arguments that no parameter holds aren't passed.
using PTXParameters = std::vector<llvm::SmallVector<unsigned, 1>>;

/// A gpu.func kernel of a module, compiled for the simulated machine.
class CompiledKernel {
public:
  /// Compiles a kernel. If the module has no such kernel, or the kernel has an
  /// op that the machine doesn't know, emits diagnostics and fails. `kernel` is
  /// the symbol name, with or without "@module::". The module isn't changed,
  /// and may be destroyed afterwards, but not its context before the kernel:
  /// guards, launches and wider forms of block programs are attributes and ops.
  static mlir::FailureOr<std::unique_ptr<CompiledKernel>>
  compile(mlir::ModuleOp module, llvm::StringRef kernel);
  /// Compiles the kernel of the same name in a module of PTX, which `file` is
  /// the text of (docs/PTXMachine.md). The gpu.func says what its arguments
  /// and its launch are, and its body isn't looked at. Without `parameters`,
  /// these are passed as docs/KernelABI.md says. Emits an error at the line of
  /// the text that the machine can't execute.
  static mlir::FailureOr<std::unique_ptr<CompiledKernel>>
  compilePTX(mlir::ModuleOp module, llvm::StringRef kernel,
             const ptx::Module &code, llvm::StringRef file,
             const std::optional<PTXParameters> &parameters = std::nullopt);
  ~CompiledKernel();

  llvm::ArrayRef<ArgumentInfo> getArguments() const;
  llvm::StringRef getName() const;
  /// Whether carousel.launch gives the grid and the block.
  bool hasLaunch() const;
  /// The first guard of carousel.variant that doesn't hold, or an empty string.
  /// Guards and workspaces depend on arguments that callers pass only.
  std::string findRefusal(llvm::ArrayRef<Argument> arguments,
                          const RunOptions &options) const;
  /// The value of its cost, by which a launch chooses among variants that have
  /// one; nothing without a cost. A cost without a value is the largest.
  std::optional<int64_t> findCost(llvm::ArrayRef<Argument> arguments,
                                  const RunOptions &options) const;
  /// The extents of a workspace. Nothing if they have no value.
  std::optional<llvm::SmallVector<int64_t>>
  getWorkspaceExtents(unsigned argument, llvm::ArrayRef<Argument> arguments,
                      const RunOptions &options) const;

  /// Runs on `arguments`, and reads and writes their memory in place.
  /// Thread-safe for disjoint memory.
  RunResult run(llvm::ArrayRef<Argument> arguments,
                const RunOptions &options = {}) const;

private:
  friend class CompiledProgram;
  friend class LaunchSequence;
  struct Impl;
  explicit CompiledKernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// One launch in a run of several.
struct Launch {
  const CompiledKernel *kernel = nullptr;
  llvm::ArrayRef<Argument> arguments;
  /// Whether this is a programmatic dependent launch. Its CTAs may start when
  /// each CTA of the previous launch has executed
  /// carousel.grid.launch_dependents or ended, and
  /// carousel.grid.dependency_wait waits until that launch has ended. Other
  /// launches start when all previous launches have ended.
  bool dependent = false;
  /// The GPU. Launches of one GPU run in order, and those of several at the
  /// same time.
  uint32_t gpu = 0;
  /// In findings, where the program launches it; empty: its number, if needed.
  std::string place = {};
  /// Override those of the options and of carousel.launch.
  std::optional<std::array<uint32_t, 3>> grid, block, cluster;
  std::optional<uint64_t> dynamicSharedBytes;
};

/// Runs the launches of each GPU in order, as one stream does. Memory that is
/// an argument of several launches is shared. The first of these arguments says
/// whether it starts written. Kernels of one gpu.module share its globals.
RunResult run(llvm::ArrayRef<Launch> launches, const RunOptions &options = {});

/// A program of a module: a func.func with carousel.program, and the kernels
/// that it launches. docs/GraphPhase.md defines programs.
class CompiledProgram {
public:
  /// Emits diagnostics and fails if the module has no such program. The module
  /// isn't changed, and may be destroyed afterwards, but not its context before
  /// the program.
  /// `compileKernel` makes the code of a kernel of the module, by its qualified
  /// name: that of PTX, as CompiledKernel::compilePTX does. By default it is
  /// CompiledKernel::compile. The first launch of a kernel calls it; if it
  /// fails, so does the run.
  using KernelCompiler =
      std::function<mlir::FailureOr<std::unique_ptr<CompiledKernel>>(
          llvm::StringRef kernel)>;
  static mlir::FailureOr<std::unique_ptr<CompiledProgram>>
  compile(mlir::ModuleOp module, llvm::StringRef program,
          const KernelCompiler &compileKernel = {});
  ~CompiledProgram();

  /// Runs on `arguments`, and reads and writes their memory in place.
  /// Thread-safe for disjoint memory. The options must not give a grid, block
  /// or cluster.
  RunResult run(llvm::ArrayRef<Argument> arguments,
                const RunOptions &options = {}) const;

private:
  struct Impl;
  explicit CompiledProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// A func.func of a module, compiled for the host, as the reference of a
/// kernel. Arguments that aren't written hold poison at the call, as for a
/// kernel.
class CompiledFunction {
public:
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  compile(mlir::ModuleOp module, llvm::StringRef function);
  ~CompiledFunction();
  llvm::ArrayRef<ArgumentInfo> getArguments() const;
  /// Calls the function. Returns an empty string, or the reason why it could
  /// not be called.
  std::string call(llvm::ArrayRef<Argument> arguments) const;

private:
  struct Impl;
  explicit CompiledFunction(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::sim

#endif // CAROUSEL_SIMULATOR_SIMULATOR_H
