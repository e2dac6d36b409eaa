//===- HostArrays.h - a caller's arrays as arguments ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each run starts from the arrays' contents, so it gets a copy of them. Arrays
// that share memory share it in the copy, too.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_HOSTARRAYS_H
#define CAROUSEL_TOOLS_C_HOSTARRAYS_H

#include "Result.h"

#include "carousel/Dialect/IR/KernelSignature.h"

#include <cstdlib>

namespace carousel::capi {

class HostArrays {
public:
  /// Checks names, kinds, elements and sizes against the kernel's arguments,
  /// of which `accesses` says what it does. The simulated machine checks the
  /// rest.
  carousel_compiler_status bind(llvm::ArrayRef<sim::ArgumentInfo> infos,
                                llvm::ArrayRef<ArgumentAccess> accesses,
                                llvm::StringRef kernel,
                                llvm::ArrayRef<carousel_host_argument> given);

  /// Allocates the workspaces, whose extents the kernel gives.
  carousel_compiler_status addWorkspaces(const sim::CompiledKernel &kernel,
                                         const sim::RunOptions &options);

  /// The arguments of a run, in memory with the arrays' contents.
  llvm::ArrayRef<sim::Argument> reset();
  /// The same without contents, to ask about guards.
  llvm::ArrayRef<sim::Argument> getArguments() const { return arguments; }
  /// Copies what the run left to the arrays.
  void writeBack();

private:
  /// Memory of zeros, whose start is as far from an aligned address as another
  /// one.
  class Memory {
  public:
    /// False if there is too little.
    bool allocate(uint64_t bytes, const char *like);
    char *getData() const { return data; }
    void clear();

  private:
    struct Free {
      void operator()(void *memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory;
    char *data = nullptr;
    uint64_t bytes = 0;
  };
  /// Memory of the caller, and the copy of it.
  struct Region {
    char *data;
    uint64_t bytes;
    bool isWritten; ///< an argument in it isn't only read
    Memory copy;
  };
  carousel_compiler_status mergeRegions();
  /// An array of an argument, within a region.
  struct Array {
    size_t argument;
    char *data;
    uint64_t bytes;
    bool isWritten;
  };

  std::vector<Region> regions;
  std::vector<Array> arrays;
  std::vector<Memory> workspaces;
  bool isFirstRun = true; ///< workspaces are zeros
  std::vector<sim::Argument> arguments;
};

} // namespace carousel::capi

#endif // CAROUSEL_TOOLS_C_HOSTARRAYS_H
