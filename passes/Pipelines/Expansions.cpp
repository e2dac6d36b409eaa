//===- Expansions.cpp - passes that both targets share --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Expansions.h.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

#include "carousel/Passes/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

/// What is wrong is reported while the ops are still those that the user wrote.
static void addVerification(OpPassManager &gpu,
                            const ExpansionOptions &options) {
  gpu.addPass(createAttachTarget(options.target));
  if (options.assignWaitIds)
    gpu.addPass(createAssignWaitIds());
  if (options.verify)
    gpu.nestAny().addPass(createCanonicalize()); // counts that are constants
  gpu.addPass(createLowerGPUOps());
  if (options.verify) {
    gpu.addPass(createVerifyChip());
    gpu.addPass(createVerifyMachine());
  }
}

void carousel::addExpansions(OpPassManager &gpu,
                             const ExpansionOptions &options) {
  addVerification(gpu, options);
  gpu.addPass(createMarkOccupancy());
  gpu.addPass(createExpandMemory());

  // Unrolled, since a loop over rows would keep the vector in local memory.
  gpu.nestAny().addPass(createRunWherePresent(
      {"vector.transfer_read", "vector.transfer_write", "vector.print"},
      [](OpPassManager &pm) {
        pm.addPass(createConvertVectorToSCFPass(
            VectorTransferToSCFOptions().enableFullUnroll()));
      }));
  gpu.addPass(createLowerVectors());
  OpPassManager &functions = gpu.nestAny();
  functions.addPass(createRunWherePresent(
      {"memref.subview", "memref.expand_shape", "memref.collapse_shape",
       "memref.extract_strided_metadata",
       "memref.extract_aligned_pointer_as_index"},
      [](OpPassManager &pm) {
        pm.addPass(memref::createExpandStridedMetadataPass());
      }));
  functions.addPass(createRunWherePresent({"affine"}, [](OpPassManager &pm) {
    pm.addPass(createLowerAffinePass());
  }));
  functions.addPass(createExpandArith());
  ExpandFloat8Options float8;
  float8.asBytes = options.float8AsBytes;
  gpu.addPass(createExpandFloat8(float8));
  // Floats of 8 bits have become f32.
  if (options.lowerMath)
    gpu.nestAny().addPass(createLowerMath());
}
