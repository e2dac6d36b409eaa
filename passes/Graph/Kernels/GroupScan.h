//===- GroupScan.h - the scans of a group's kernel --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop goes along what is scanned, by chunks of which carousel.scan computes
// each, and carries what comes before a chunk. docs/GraphPhase.md, Scans.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPSCAN_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPSCAN_H

#include "GroupMemory.h"
#include "OpWriter.h"

namespace carousel {

/// Reads what a scan carries to the first chunk.
llvm::SmallVector<mlir::Value> startScan(const GroupProgram &program,
                                         unsigned op, GroupVectors &vectors,
                                         GroupMemory &memory);

/// Writes a chunk, defines the scan's results, and replaces what it carries.
mlir::LogicalResult writeScan(const GroupProgram &program, unsigned op,
                              GroupVectors &vectors, GroupMemory &memory,
                              OpWriter &writer,
                              llvm::MutableArrayRef<mlir::Value> carried);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPSCAN_H
