//===- PlanKey.h - what a program's plans depend on -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan may be used again for arguments of the same key. So the key has all
// that is checked or computed when a plan is made: extents and strides, the
// scalars that expressions and rules name, and addresses as far as guards ask
// for their alignment. How the addresses of several arguments lie to each other
// is not in it; plans check that at each launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_PLANKEY_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_PLANKEY_H

#include "Bind/Evaluate.h"

namespace carousel::runtime {

using PlanKey = std::vector<int64_t>;

class PlanKeyMaker {
public:
  /// Takes time in proportion to the size of the program and its kernels.
  PlanKeyMaker(const Manifest &manifest, const ProgramInfo &program);

  PlanKey make(const std::vector<BoundArgument> &bound) const;

private:
  void readGuard(const Guard &guard, std::vector<bool> &scalars);
  std::vector<bool> findScalars(const KernelInfo &kernel);

  const ProgramInfo *program;
  std::vector<bool> isRead; ///< scalars of the program that plans depend on
  uint64_t alignment;       ///< no check asks for more of an address
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_PLANKEY_H
