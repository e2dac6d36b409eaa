//===- TargetInfo.h - the table of limits per SM ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each chip that Carousel emits code for.
// carousel/Support/HardwareLimits.h has the limits that are the same on every
// SM.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_TARGETINFO_H
#define CAROUSEL_TARGET_TARGETINFO_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

struct TargetRequirement;

/// The limits of a chip. Sources: CUDA C++ programming guide, "Compute
/// Capabilities", and PTX ISA, "Target" (versions). In bytes, unless the name
/// says otherwise.
struct TargetInfo {
  llvm::StringLiteral chip;
  unsigned sm;       ///< 10 * major + minor
  unsigned firstPTX; ///< the first PTX version with this target; 86 is 8.6
  int64_t maxSharedPerBlock; ///< dynamic, after opting in
  int64_t sharedPerSM;
  int64_t sharedReservedPerBlock;
  int64_t registersPerSM;
  int64_t maxThreadsPerSM;
  int64_t maxBlocksPerSM;
  int64_t maxClusterSize; ///< portable; 1 without clusters

  /// The row of `chip`, or null.
  static const TargetInfo *lookup(llvm::StringRef chip);
  /// All rows, oldest first.
  static llvm::ArrayRef<TargetInfo> all();
};

/// A chip and the PTX version to emit for it.
struct TargetSpec {
  const TargetInfo *info = nullptr;
  unsigned ptx = 0;

  /// The reason why an op with this requirement can't be emitted, or an empty
  /// string. For example, "needs sm_90 and PTX 8.0, the target is sm_80 with
  /// PTX 8.8".
  std::string explainMissing(const TargetRequirement &requirement) const;
};

/// The default PTX version, and the range of versions that are supported.
inline constexpr unsigned kDefaultPTX = 88;
inline constexpr unsigned kFirstPTX = 70;
inline constexpr unsigned kLastPTX = 90;

/// The default level of LLVM's optimisation, 0 to 3: the optimisations that
/// ptxas does less well. 1 and 3 are LLVM's own levels, and 0 is none.
inline constexpr unsigned kDefaultOptLevel = 2;

/// The target `chip` with PTX version `ptx`, or the default version if absent;
/// or an error of one line.
mlir::FailureOr<TargetSpec> makeTargetSpec(llvm::StringRef chip,
                                           std::optional<unsigned> ptx,
                                           std::string &error);

/// The target that `#nvvm.target` gives a gpu.module. Emits an error at the
/// module if it has no target, several, or one that isn't in the table.
mlir::FailureOr<TargetSpec> getTargetSpec(mlir::gpu::GPUModuleOp module);

/// Makes `#nvvm.target` of `target` the module's only target.
void attachTarget(mlir::gpu::GPUModuleOp module, const TargetSpec &target,
                  unsigned optLevel);

/// "8.6" for 86.
std::string formatPTX(unsigned ptx);

} // namespace carousel

#endif // CAROUSEL_TARGET_TARGETINFO_H
