//===- EnginePlan.h - the engine of each transfer ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the engine that carries out each transfer of a kernel at the tile
// phase. Also chooses the variants of the kernel, for conditions that only a
// launch can check. In: a kernel and its target. Out: a plan, which
// --carousel-select-engine applies. docs/Engines.md states the conditions and
// the cost model.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_ENGINEPLAN_H
#define CAROUSEL_ANALYSIS_ENGINES_ENGINEPLAN_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Support/Misses.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// The engine of one transfer.
struct EngineChoice {
  EngineAttr engine;
  /// For the engine `tensor`, the argument that the kernel needs. Null if the
  /// transfer already has a map.
  TensorMapType map;
  EncodeAttr encode;
  /// Instructions of one thread; for engines by which all threads copy pieces,
  /// instructions of all threads.
  int64_t instructions = 0;
  /// The cost in issue slots; see docs/Engines.md.
  int64_t cost = 0;
  /// The conditions on the launch, in addition to those of the kernel's
  /// variant.
  llvm::SmallVector<GuardAttr> guards;
};

/// The reason why an engine can't carry out a transfer: what was found, as in
/// "got ...".
struct EngineRejection {
  EngineKind kind;
  std::string reason;
};

struct EngineAssignment {
  TransferOpInterface op;
  std::string memref; ///< the global memref's name: "x", "the global memref"
  EngineChoice choice;
  /// The transfer already had this engine.
  bool isGiven = false;
  /// More capable engines that the transfer doesn't use.
  std::vector<EngineRejection> rejections;
  /// The layout that the transfer gives the tile.
  Swizzle swizzle = Swizzle::None;
  /// The reason why a requested swizzle isn't used, or an empty one.
  Obstacle swizzleRejection;
  /// The reason why the transfer is by an engine, or by threads, as all
  /// reductions into its memref are; or empty.
  std::string agreement;
};

/// One function that serves the kernel.
struct EngineVariant {
  /// Appended to the kernel's name. Empty for the last variant, which keeps the
  /// name.
  std::string suffix;
  /// Guards in addition to the kernel's own.
  llvm::SmallVector<GuardAttr> guards;
  std::vector<EngineAssignment> transfers;
};

/// A transfer with an engine or a map that can't carry it out.
struct EngineFault {
  TransferOpInterface op;
  /// C157, C158 with the tile's other transfer, or C190 with the other
  /// reduction into the memref.
  std::string message;
  mlir::Operation *other = nullptr;
};

struct EnginePlan {
  /// The variants, in order of preference. The last variant has no guards,
  /// unless engines that the transfers already had need them.
  std::vector<EngineVariant> variants;
  /// If not empty, the kernel is rejected.
  std::vector<EngineFault> faults;

  void print(llvm::raw_ostream &os) const;
};

struct EngineOptions {
  /// If false, no choice depends on a condition that a launch would check.
  bool variants = true;
  /// The engine to use wherever it can carry out a transfer, at any cost.
  std::optional<EngineKind> preferred;
};

EnginePlan planEngines(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target,
                       const ChipModel &chip, const EngineOptions &options);

/// Adds the engines of a variant's transfers, and the swizzles that it doesn't
/// use, to the record of decisions.
void describeEngines(const EngineVariant &variant, KernelDecisions &decisions);

/// The guard's text, as in the kernel's attribute: "divisible(stride(0, 0),
/// 4)".
std::string toText(GuardAttr guard);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_ENGINEPLAN_H
