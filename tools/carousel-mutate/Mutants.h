//===- Mutants.h - mutants of synchronising ops -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates the mutants of a module at the machine phase: copies in which one
// synchronising op is dropped, changed or moved. scripts/mutation-score tests
// whether they are detected.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_MUTATE_MUTANTS_H
#define CAROUSEL_TOOLS_MUTATE_MUTANTS_H

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace carousel::mutate {

enum class MutantKind {
  Drop,       ///< without the op; a test or try of a wait returns true
  WithoutTx,  ///< an arrival that expects no bytes
  FlipParity, ///< a wait for the other parity
  MoreBytes,  ///< 16 transaction bytes more
  FewerBytes, ///< 16 transaction bytes fewer
  UntilRead,  ///< a bulk wait for reads instead of completion; the reverse only
              ///< waits longer
  MorePending, ///< a group wait that leaves one more group pending
  OtherThread, ///< a commit of bulk operations, or a wait for them, by a thread
               ///< that issued none
  MoreCount,   ///< one more arrival: expected at init, or made by an arrive
  FewerCount,  ///< one arrival fewer
  SwapNoinc,   ///< a cp.async arrival with noinc instead of without, or reverse
  Relax,       ///< an arrive or a wait without its memory order
  Early,       ///< an arrive before the preceding access
  Late,        ///< a wait after the access that follows it
};
inline constexpr unsigned kNumMutantKinds = unsigned(MutantKind::Late) + 1;

/// "drop", "flip-parity", ...
llvm::StringRef stringifyMutantKind(MutantKind kind);
std::optional<MutantKind> parseMutantKind(llvm::StringRef text);

struct Mutant {
  MutantKind kind;
  mlir::Operation *op;
  /// "copy_1d/mbarrier.wait/2/flip-parity": the function, the op, how many of
  /// these stand before it in the function, the kind. It outlives edits
  /// elsewhere in the file.
  std::string name;
  /// Changes the module that `op` is in; only one mutant's may be called.
  std::function<void()> apply;
};

struct MutantFilter {
  std::string function;          ///< without sigil; empty: all of them
  std::vector<MutantKind> kinds; ///< empty: all of them
  bool includes(MutantKind kind) const;
};

/// All mutants, in program order: the same for each clone of a module.
std::vector<Mutant> enumerateMutants(mlir::ModuleOp module,
                                     const MutantFilter &filter);

} // namespace carousel::mutate

#endif // CAROUSEL_TOOLS_MUTATE_MUTANTS_H
