//===- Pipelines.h - named pipelines ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pipelines that an embedder builds in C++ and carousel-opt has by name.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PIPELINES_H
#define CAROUSEL_PASSES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace carousel {

struct LowerToNVVMOptions
    : public mlir::PassPipelineOptions<LowerToNVVMOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip, e.g. sm_90a"),
                                        llvm::cl::init("sm_90a")};
  PassOptions::Option<unsigned> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86 (0: the default)"),
      llvm::cl::init(0)};
  PassOptions::Option<unsigned> indexBitwidth{
      *this, "index-bitwidth", llvm::cl::desc("Bits of an index: 32 or 64"),
      llvm::cl::init(64)};
  PassOptions::Option<unsigned> optLevel{
      *this, "opt-level", llvm::cl::desc("Optimisation level of LLVM, 0 to 3"),
      llvm::cl::init(3)};
};

/// `carousel-lower-to-nvvm`: a builtin module whose gpu.modules are at the
/// machine phase (memref, vector, scf, arith, math, gpu and carousel ops) to
/// one whose gpu.modules are in the LLVM and NVVM dialects, with a target
/// attached; emitPTX takes it from there.
void buildLowerToNVVMPipeline(mlir::OpPassManager &pm,
                              const LowerToNVVMOptions &options);

/// What the pipeline needs of upstream dialects: their conversions to LLVM. A
/// tool that calls mlir::registerAllExtensions has them.
void registerLoweringInterfaces(mlir::DialectRegistry &registry);

/// Registers the pipelines by name.
void registerPipelines();

} // namespace carousel

#endif // CAROUSEL_PASSES_PIPELINES_H
