//===- Simulation.h - kernels with their arguments --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and loads everything on the command line once. Each schedule then runs
// on memory of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SIMULATION_H
#define CAROUSEL_TOOLS_SIM_SIMULATION_H

#include "../support/Tensors/Plan.h"
#include "ArgumentMemory.h"
#include "Input/Input.h"
#include "SeveralGPUs.h"
#include "SimOptions.h"
#include "SimulationReport.h"

namespace carousel::simtool {

/// Kernels by their functions, and programs by their names: runs of a file
/// share what they compile.
struct CompiledCode {
  std::map<mlir::Operation *, std::shared_ptr<sim::CompiledKernel>> kernels;
  std::map<std::string, std::shared_ptr<sim::CompiledProgram>> programs;
};

class Simulation {
public:
  /// Where that fails, an error or diagnostics were printed.
  static std::optional<Simulation> create(const Input &input,
                                          const Options &options,
                                          CompiledCode &compiled,
                                          tools::ProgressMode mode);

  /// "k", "k then l", "program".
  const std::string &getKernelName() const { return info.name; }
  uint64_t getScheduleCount() const {
    return options.schedules * options.policies.size();
  }

  /// Runs one schedule and checks it; may be called from several threads.
  /// `outputs` is set to what --out names.
  Outcome run(uint64_t index, std::vector<tools::OutputReport> &outputs) const;

private:
  explicit Simulation(const Options &options) : options(options) {}

  /// What an output is to be.
  struct Expected {
    tools::Output output;
    tools::HostBuffer contents;
  };
  Outcome runAndCheck(uint64_t index,
                      std::vector<tools::OutputReport> &outputs) const;
  /// A kernel, and which of all arguments are its own.
  struct Kernel {
    mlir::gpu::GPUFuncOp func;
    std::vector<size_t> arguments;
    std::shared_ptr<sim::CompiledKernel> compiled;
    uint32_t gpu = 0;
  };
  runtime::Status findKernels(const Input &input);
  runtime::Status
  addWorkspacesOf(const std::vector<runtime::SignatureInfo> &infos);
  runtime::Status findProgram(const Input &input);
  bool compileKernels(const Input &input, CompiledCode &compiled,
                      tools::ProgressMode mode);
  runtime::Status prepare(tools::ProgressMode mode);
  /// `warns`: of kernels whose guards don't hold.
  sim::RunResult launch(const ArgumentMemory &memory,
                        const sim::RunOptions &runOptions, bool warns) const;
  runtime::Status addExpectations(tools::ProgressMode mode);
  runtime::Status addReference(const Input &input, tools::ProgressMode mode);

  const Options &options;
  runtime::SignatureInfo info; ///< with the arguments of all kernels
  tools::Plan plan;
  Contents contents;
  std::vector<Expected> expected;
  std::string replay;
  std::vector<Kernel> kernels;
  std::vector<PeerArgument> peers;
  /// The arguments that a multicast address stands for.
  std::map<size_t, std::vector<size_t>> parts;
  std::shared_ptr<sim::CompiledProgram> program; ///< instead of kernels
};

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SIMULATION_H
