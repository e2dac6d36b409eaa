//===- Passes.td - the passes, in pipeline order -----------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages stand in the order in which a kernel goes through them, and are named
// as the folders of passes/. Within a stage the passes stand in pipeline order.
//
//   Graph                                 graph phase      GraphPasses.td
//   Block                                 block phase      BlockPasses.td
//   Tile, EngineSelection                 tile phase       TilePasses.td
//   Ring, Sync                            ring phase       RingPasses.td
//   RingToMachine, Cleanup, SharedMemory  machine phase    MachinePasses.td
//   MachineExpansion, MachineToNVVM       target phase     TargetPasses.td
//   MachineExpansion, MachineToEmitC      EmitC form       TargetPasses.td
//
// The pipelines are in passes/Pipelines. Between these passes they run MLIR's
// canonicalizer, CSE and conversions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PASSES_TD
#define CAROUSEL_PASSES_PASSES_TD

// A build without the graph product has no pass of it.
#ifndef CAROUSEL_WITHOUT_GRAPH
include "carousel/Passes/GraphPasses.td"
#endif
include "carousel/Passes/BlockPasses.td"
include "carousel/Passes/TilePasses.td"
include "carousel/Passes/RingPasses.td"
include "carousel/Passes/MachinePasses.td"
include "carousel/Passes/TargetPasses.td"

#endif // CAROUSEL_PASSES_PASSES_TD
