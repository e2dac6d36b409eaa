//===- GraphToBlock.cpp - graphs to programs of kernels -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel-normalize-graph and carousel-graph-to-block, as docs/GraphPhase.md
// describes it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

void carousel::buildNormalizeGraphPipeline(
    OpPassManager &pm, const NormalizeGraphOptions &options) {
  bool addsInF32 = options.accumulate == ContractionSums::F32;
  int64_t leastSavedOperations = options.leastSavedOperations;
  OpPassManager &function = pm.getOpName() == func::FuncOp::getOperationName()
                                ? pm
                                : pm.nest<func::FuncOp>();
  function.addPass(createGeneralizeGraph());
  function.addPass(createRaiseScans());
  function.addPass(createSplitSorts());
  function.addPass(createExpandSorts());
  function.addPass(createPropagateChannelsLast());
  if (addsInF32)
    function.addPass(createWidenSums());
  function.addPass(createFuseGraph());
  function.addPass(createMultiplyBits());
  function.addPass(createNarrowFactors({options.accumulate}));
  // Zero times what isn't finite isn't zero.
  if (addsInF32) {
    function.addPass(createStackExperts({leastSavedOperations}));
    function.addPass(createReadOneHots({leastSavedOperations}));
    function.addPass(createBoundSegmentSums());
  }
  function.addPass(createSplitGates());
  function.addPass(createMultiplyGatheredRows({leastSavedOperations}));
  function.addPass(createTileGroupedProducts());
  function.addPass(createFormScans());
  function.addPass(createSplitScans());
  function.addPass(createJoinPages());
  function.addPass(createOrderProducts());
  function.addPass(createSplitProducts());
  function.addPass(createLowerConvolutions({options.accumulate}));
  function.addPass(createFoldConstantCopies());
  function.addPass(createVerifyGraph());
}

void carousel::buildGraphToBlockPipeline(OpPassManager &pm,
                                         const GraphToBlockOptions &options) {
  pm.addPass(createInlinerPass());
  pm.addNestedPass<func::FuncOp>(createUnrollGraphLoops());
  NormalizeGraphOptions normalize;
  normalize.accumulate = options.accumulate;
  normalize.leastSavedOperations = options.leastSavedOperations;
  buildNormalizeGraphPipeline(pm, normalize);
  // Streams round elsewhere than the program says.
  bool streams =
      options.streams && options.accumulate != ContractionSums::AsWritten;
  if (streams) {
    pm.addNestedPass<func::FuncOp>(createReorderSums());
    RecomputeProductsOptions recompute;
    recompute.products = options.products;
    pm.addNestedPass<func::FuncOp>(createRecomputeProducts(recompute));
    SplitOnlineReductionsOptions divide;
    divide.products = options.products;
    divide.libraries = options.libraries;
    divide.tiledElements = options.tiledElements;
    pm.addNestedPass<func::FuncOp>(createSplitOnlineReductions(divide));
    BoundMasksOptions bound;
    bound.products = options.products;
    pm.addNestedPass<func::FuncOp>(createBoundMasks(bound));
    pm.addNestedPass<func::FuncOp>(createFoldSoftmaxSums());
  }
  if (options.libraries) {
    SelectLibrariesOptions select;
    select.products = options.products;
    select.streams = streams;
    pm.addNestedPass<func::FuncOp>(createSelectLibraries(select));
  }
  FormGroupsOptions form;
  form.products = options.products;
  form.streams = streams;
  pm.addPass(createFormGroups(form));
  ScheduleGroupsOptions schedule;
  schedule.products = options.products;
  pm.addPass(createScheduleGroups(schedule));
  LowerGroupsOptions lower;
  lower.products = options.products;
  pm.addPass(createLowerGroups(lower));
  pm.addPass(createLowerProgram());
  pm.addPass(createPropagateLaunches());
  // Kernels repeat constants and the sizes of vectors.
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  kernels.addPass(createCanonicalize());
  kernels.addPass(createCSEPass());
}

void carousel::buildProgramPipeline(OpPassManager &pm) {
  OpPassManager &program = pm.nest<func::FuncOp>();
  program.addPass(createLowerAffinePass());
  program.addPass(createCanonicalizerPass());
  program.addPass(createCSEPass());
  program.addPass(createPlanWorkspace());
}
