//===- AlignedCopies.h - copies of arguments that lie off -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check of a program may ask for the alignment of an argument. A launch works
// on a copy of an argument that lies off it: it copies the elements before the
// first step, and those that steps may write back after the last one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_ALIGNEDCOPIES_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_ALIGNEDCOPIES_H

#include "Workspaces.h"

namespace carousel::runtime {

/// The arguments of a launch that have copies, in memory for all of them.
class AlignedCopies {
public:
  AlignedCopies() = default;
  /// Copies of contiguous arguments for which a check doesn't hold.
  AlignedCopies(const ProgramInfo &program,
                const std::vector<BoundArgument> &bound);

  bool empty() const { return copies.empty(); }
  /// The memory is the only workspace of this signature.
  static const SignatureInfo &getSignature();
  BoundArgument &getMemory() { return memory; }

  /// Makes arguments those of the copies, once these have memory.
  void move(std::vector<BoundArgument> &bound) const;
  /// Starts the copies before the steps, and those after them.
  Status start(Context::Impl &context, Stream stream) const;
  Status finish(Context::Impl &context, Stream stream) const;

private:
  struct Copy {
    size_t argument;
    uint64_t address; ///< the caller's
    uint64_t offset, bytes;
    bool isWritten;
  };
  std::vector<Copy> copies;
  BoundArgument memory;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_ALIGNEDCOPIES_H
