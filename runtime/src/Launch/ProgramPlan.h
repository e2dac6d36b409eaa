//===- ProgramPlan.h - what a program does with some arguments --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan depends on what is in its key (Program.cpp). It holds for all
// addresses that are as well aligned.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_PROGRAMPLAN_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_PROGRAMPLAN_H

#include "KernelImpl.h"
#include "LibrarySteps.h"
#include "StepOrder.h"

#include <variant>

namespace carousel::runtime {

/// The memory that steps work on: of each tensor and workspace of the program,
/// and then of each of its constants.
using BaseAddresses = std::vector<uint64_t>;

/// The input that a plan is made from. All outlive it.
struct PlanInput {
  const Context &context;
  const ProgramInfo &program;
  /// Each kernel of the manifest; null where the program doesn't use it.
  const std::vector<std::shared_ptr<Kernel::Impl>> &kernels;
  const BoundArgument *arguments;
  const BaseAddresses &addresses;
};

/// The steps that run: all; those whose results are kept from launch to launch;
/// or those that run at each launch.
enum class StepChoice { All, AtLoad, AtLaunch };

class ProgramPlan {
public:
  /// Checks what the program checks, chooses the kernels' variants and loads
  /// those whose grid depends on it. `stream`: of a launch, if it is one.
  static Result<std::shared_ptr<const ProgramPlan>>
  make(const PlanInput &input, std::optional<Stream> stream);

  /// A launch with the addresses of the plan's memory now, and the values of
  /// scalars.
  struct Memory {
    const BoundArgument *arguments;
    const BaseAddresses &addresses;
  };
  /// Checks how different memory lies to each other, before any step starts.
  Status checkAddresses(const Memory &memory) const;
  /// Starts these steps. The context must be current.
  Status run(Context::Impl &context, const Memory &memory, StepChoice choice,
             uint64_t streamId, Stream stream) const;

  /// The launches among the steps, each with workspaces of its own.
  Result<std::vector<Launch>> prepare(const Memory &memory) const;
  /// Starts these steps, with the launches among all.
  Status run(Context::Impl &context, const Memory &memory, StepChoice choice,
             const std::vector<Launch> &launches, Stream stream) const;

private:
  struct PlannedLaunch {
    std::shared_ptr<Kernel::Impl> kernel;
    const DeviceVariant *variant = nullptr;
    Grid grid;
    /// The arguments, with the addresses of the plan. Workspaces have none yet.
    std::vector<BoundArgument> bound;
    std::vector<TensorMapSource> sources;
    /// Where the elements of each argument that callers pass lie, or which
    /// scalar of the program it is. -1: neither.
    std::vector<int> bases, scalars;
    size_t number = 0; ///< among the launches
    /// Arguments that may alias are in different memory, so that each launch
    /// has to compare them.
    bool comparesAliases = false;
  };
  /// Elements that a step works on.
  struct PlannedView {
    StepView view;
    uint64_t address = 0;
    int base = 0;
  };
  /// A view that a step writes, and one that it also uses, in other memory.
  struct PlannedPair {
    PlannedView written, used;
    bool permitsSame = false;
    std::string reason; ///< for the error
  };
  using Pairs = std::vector<PlannedPair>;
  struct PlannedFill {
    MemoryStep step;
    uint64_t target = 0, value = 0;
    int base = 0, scalar = -1;
  };
  struct PlannedCopy {
    MemoryStep step;
    uint64_t target = 0, source = 0;
    int targetBase = 0, sourceBase = 0;
    Pairs apart;
  };
  struct PlannedMatmul {
    MatmulStep step;
    struct Operand {
      MatmulRole role;
      uint64_t address;
      int base;
    };
    std::vector<Operand> operands; ///< those of the step
    Pairs apart;

    /// Fills in addresses that a function makes of each operand.
    template <typename Function>
    MatmulAddresses getAddresses(Function move) const {
      MatmulAddresses addresses;
      for (const Operand &operand : operands)
        getAddress(addresses, operand.role) = move(operand);
      return addresses;
    }

  private:
    static uint64_t &getAddress(MatmulAddresses &addresses, MatmulRole role);
  };
  /// The elements that a step reads and writes.
  struct PlannedAccesses {
    std::vector<std::pair<PlannedView, bool>> views; ///< true: writes
    const void *shared = nullptr;
    bool isAlone = false;
  };
  using Step =
      std::variant<PlannedLaunch, PlannedFill, PlannedCopy, PlannedMatmul>;

  friend class ProgramPlanner;
  uint64_t move(uint64_t address, int base, const Memory &memory) const {
    return address + memory.addresses[base] - addresses[base];
  }
  void fillFrame(const PlannedLaunch &launch, const Memory &memory,
                 LaunchFrame &frame) const;
  Status checkApart(const Pairs &pairs, const Memory &memory) const;
  std::vector<StepAccesses> getAccesses(StepChoice choice,
                                        const Memory &memory) const;
  Status start(const PlannedLaunch &launch, const Memory &memory,
               uint64_t streamId, Stream stream) const;
  /// Calls `start` with each chosen step until one fails. In a graph, steps
  /// that don't wait for one another are side by side.
  template <typename Start>
  Status startAll(Context::Impl &context, const Memory &memory,
                  StepChoice choice, Stream stream, Start start) const;
  /// Any other step.
  Status start(Context::Impl &context, const Step &step, const Memory &memory,
               Stream stream) const;

  BaseAddresses addresses; ///< that it was made with
  std::vector<Step> steps;
  std::vector<PlannedAccesses> accesses; ///< of each step
  std::vector<bool> areAtLoad;           ///< of each step

  bool isChosen(size_t step, StepChoice choice) const {
    return choice == StepChoice::All ||
           areAtLoad[step] == (choice == StepChoice::AtLoad);
  }
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_PROGRAMPLAN_H
