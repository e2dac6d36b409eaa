//===- EnginePlan.h - what carries out each transfer ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides for each transfer of a kernel of the tile phase which engine carries
// it out, and which variants the kernel gets for what only a launch knows. In:
// a kernel and its target. Out: a plan that --carousel-select-engine applies.
// docs/Engines.md has the conditions and the cost model.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_ENGINEPLAN_H
#define CAROUSEL_ANALYSIS_ENGINES_ENGINEPLAN_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// What carries a transfer out.
struct EngineChoice {
  EngineAttr engine;
  /// Of the engine `tensor`: the argument that the kernel needs. Null with a
  /// map that the transfer has already.
  TensorMapType map;
  EncodeAttr encode;
  /// Instructions of one thread, or of all threads for pieces that they copy.
  int64_t instructions = 0;
  /// In issue slots; see docs/Engines.md.
  int64_t cost = 0;
  /// What it takes of a launch, beyond what the kernel's variant says already.
  llvm::SmallVector<GuardAttr> guards;
};

/// Why an engine doesn't carry a transfer out: what was found, as in "got ...".
struct EngineRejection {
  EngineKind kind;
  std::string reason;
};

struct EngineAssignment {
  TransferOpInterface op;
  EngineChoice choice;
  /// The transfer had its engine before.
  bool isGiven = false;
  /// More capable engines that it doesn't have.
  std::vector<EngineRejection> rejections;
  /// Why a swizzle that is asked for is not used, or empty.
  std::string swizzleRejection;
  /// Why it is by an engine, or by threads, as all reductions into its memref
  /// are; or empty.
  std::string agreement;
};

/// One function that serves the kernel.
struct EngineVariant {
  /// Behind the kernel's name; empty for the last one, which keeps it.
  std::string suffix;
  /// In addition to those that the kernel has.
  llvm::SmallVector<GuardAttr> guards;
  std::vector<EngineAssignment> transfers;
};

/// A transfer with an engine or a map that it can't have.
struct EngineFault {
  TransferOpInterface op;
  /// C157, C158 with the other transfer of the tile, or C190 with what else
  /// reduces into the memref.
  std::string message;
  mlir::Operation *other = nullptr;
};

struct EnginePlan {
  /// In order of preference. The last one needs nothing of a launch, unless
  /// the engines that were given do.
  std::vector<EngineVariant> variants;
  /// Not empty: the kernel is to be refused.
  std::vector<EngineFault> faults;

  void print(llvm::raw_ostream &os) const;
};

struct EngineOptions {
  /// Without them nothing is used that a launch would have to check.
  bool variants = true;
  /// Carries out whatever it can, at any cost.
  std::optional<EngineKind> preferred;
};

EnginePlan planEngines(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target,
                       const EngineOptions &options);

/// A guard as in the kernel's attribute: "divisible(stride(0, 0), 4)".
std::string toText(GuardAttr guard);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_ENGINEPLAN_H
