//===- PTXDescription.h - the parameters of a kernel of PTX -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a gpu.func, as text, that has the arguments of a kernel of PTX, for
// CompiledKernel::compilePTX. docs/PTXMachine.md explains it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SIMULATOR_PTXDESCRIPTION_H
#define CAROUSEL_SIMULATOR_PTXDESCRIPTION_H

#include "carousel/Simulator/Simulator.h"

namespace carousel::sim {

struct PTXDescription {
  /// A gpu.module with the kernel, without a body.
  std::string text;
  PTXParameters members;
};

/// `parameters` are separated by commas. Each is one of
///
///   NAME: TYPE                   a memref or a number
///   NAME: TYPE of NAME           a tensor map of a memref in the list
///   NAME: TYPE of NAME: TYPE     a tensor map of memory that isn't passed
///   NAME: {NAME: TYPE, ...}      a struct of memrefs and numbers
///
/// Types are text for MLIR's parser, which checks them. `attributes` are the
/// names of unit attributes of the kernel. Nothing, with a line in `error`, for
/// what isn't such a list.
std::optional<PTXDescription>
describePTX(llvm::StringRef kernel, llvm::StringRef parameters,
            llvm::ArrayRef<llvm::StringRef> attributes, std::string &error);

} // namespace carousel::sim

#endif // CAROUSEL_SIMULATOR_PTXDESCRIPTION_H
