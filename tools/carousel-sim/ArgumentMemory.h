//===- ArgumentMemory.h - the memory of one run -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each run has a copy of the arguments' contents, because runs write to them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_ARGUMENTMEMORY_H
#define CAROUSEL_TOOLS_SIM_ARGUMENTMEMORY_H

#include "../support/Tensors/Arguments.h"

#include "carousel/Simulator/Simulator.h"

namespace carousel::simtool {

/// What the tensors hold before a run; nothing for scalars.
class Contents {
public:
  static tools::Result<Contents>
  make(const runtime::SignatureInfo &kernel,
       const std::vector<tools::ArgumentValue> &values,
       tools::ProgressMode mode);

private:
  friend class ArgumentMemory;
  std::vector<tools::HostBuffer> buffers;
};

class ArgumentMemory {
public:
  static tools::Result<ArgumentMemory>
  copy(const std::vector<tools::ArgumentValue> &values,
       const Contents &contents);

  llvm::ArrayRef<sim::Argument> getArguments() const { return arguments; }
  const std::byte *getData(size_t argument) const {
    return buffers[owners[argument]].getData();
  }
  /// A copy of what an argument holds.
  tools::Result<tools::HostBuffer> copyContents(size_t argument) const;

private:
  std::vector<tools::HostBuffer> buffers;
  std::vector<size_t> owners; ///< which buffer each argument has
  std::vector<sim::Argument> arguments;
};

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_ARGUMENTMEMORY_H
