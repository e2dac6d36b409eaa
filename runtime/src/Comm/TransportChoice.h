//===- TransportChoice.h - what `auto` takes without a table ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function of what is known of a copy, by times that were measured
// between two GPUs. docs/Comm.md has the rule, docs/Rationale.md its figures.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_TRANSPORTCHOICE_H
#define CAROUSEL_RUNTIME_SRC_COMM_TRANSPORTCHOICE_H

#include "carousel/Runtime/TransportTable.h"

namespace carousel::runtime {

/// What the choice depends on.
struct CopyFacts {
  uint64_t bytes = 0;
  Topology topology = Topology::SameGPU;
  bool hasNVLink = false;   ///< between the two GPUs
  bool hasKernels = false;  ///< those of the transport's package can run
  bool isGet = false;       ///< this GPU reads the other one's memory
  bool isSignalled = false; ///< a signal follows in the same call
  bool isAligned = false;   ///< source and target are alike modulo 16 bytes
  bool isCaptured = false;  ///< the stream records a CUDA graph
  int multiprocessors = 0;
};

/// A put or a get over NVLink, a node of a CUDA graph, in microseconds.
struct MeasuredCopy {
  uint64_t bytes = 0;
  double copyEngine = 0;
  double tma = 0; ///< with this many CTAs
  int ctas = 0;
};
/// Rows of growing size.
const std::vector<MeasuredCopy> &getMeasuredCopies(bool isGet);

struct TransportChoice {
  TransportKind transport = TransportKind::CopyEngine;
  int ctas = 0;
  std::string reason;
};

/// Whether only a captured stream decides about the copy, which is then asked.
bool dependsOnCapture(const CopyFacts &facts);
/// `isExplained`: with its reason, which costs time.
TransportChoice chooseTransport(const CopyFacts &facts,
                                bool isExplained = false);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_TRANSPORTCHOICE_H
