//===- CheckKernel.h - is a kernel's synchronisation right? -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves or refutes that the threads of a kernel of PTX synchronise: no
// deadlock, no race in shared memory, no phase that is skipped, no missing
// fence of the asynchronous proxy. It needs LLVM's Support library and nothing
// of MLIR. docs/Proof.md says what is decided, and what is assumed.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROOF_CHECKKERNEL_H
#define CAROUSEL_ANALYSIS_PROOF_CHECKKERNEL_H

#include "carousel/PTX/PTXModule.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace carousel::proof {

/// A promise of a launch about a sum of parameters, by their numbers.
struct LaunchGuard {
  std::vector<std::pair<unsigned, int64_t>> parameters; ///< and factors
  int64_t constant = 0;
  int64_t least = std::numeric_limits<int64_t>::min(),
          most = std::numeric_limits<int64_t>::max();
};

/// A launch, as far as a proof depends on it.
struct LaunchShape {
  /// Threads of a CTA; 0: as the kernel's directives say.
  unsigned block[3] = {0, 0, 0};
  /// Bytes of shared memory that the launch adds.
  uint64_t sharedBytes = 227 * 1024;
  /// Bytes of the boxes of tensor maps that are parameters, by number. Others
  /// are inferred where a barrier waits for a single map.
  std::map<unsigned, uint64_t> boxes;
  std::vector<LaunchGuard> guards;
  /// Numbers of which parameters are multiples, by the parameter's number.
  std::map<unsigned, int64_t> divisors;
  /// Iterations of a loop whose number the launch chooses.
  unsigned mostTrips = 12;
};

enum class Verdict : uint8_t {
  Proved,  ///< for all launches
  Bounded, ///< for all launches whose loops have few iterations
  Refuted,
  Unknown
};
inline constexpr unsigned kVerdicts = 4;

llvm::StringRef stringify(Verdict verdict);

struct Report {
  Verdict verdict = Verdict::Unknown;
  /// The fault, or the reason why there is no verdict; empty otherwise.
  std::string message;
  ptx::Location at;
  /// The earlier access of a race; line 0: none.
  ptx::Location other;
  /// Assumptions about a launch on the way to the fault.
  std::string assumptions;
  unsigned ways = 0;
  uint64_t steps = 0;
};

/// Checks a kernel that has a body.
Report checkKernel(const ptx::Module &module, const ptx::Function &kernel,
                   LaunchShape launch = {});

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_CHECKKERNEL_H
