//===- ReportDecisions.h - what the compiler decided ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells users what the compiler decided about their kernels: a table, the
// reasoning as text or JSON, and a warning for each request that isn't
// honoured. docs/WhyNotPipelined.md explains the warnings.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_REPORTDECISIONS_H
#define CAROUSEL_PACKAGE_REPORTDECISIONS_H

#include "carousel/Package/CompilePackage.h"

namespace carousel {

/// A row for each ring of the variant that a launch on each chip prefers, and
/// what is slow, with the way out. Nothing if no kernel of the package comes
/// from the tile phase.
void printDecisions(llvm::raw_ostream &os, const Package &package);

/// The record of each variant: rings, engines, occupancy, and what limits. As
/// text, variants of a kernel with equal records are one.
void explainDecisions(llvm::raw_ostream &os, const Package &package);
void explainDecisionsAsJSON(llvm::raw_ostream &os, const Package &package);

/// A line for each decision about a graph, below its function.
void explainGraphs(llvm::raw_ostream &os, const Package &package);

/// A drawing of all graphs as SVG: a box for each kernel or call of a library,
/// with its ops, and an arrow for what passes through memory, with the reason.
void drawGraphs(llvm::raw_ostream &os, const Package &package);

/// Notes what an assembler's report says that a module's kernels spill.
void noteSpills(llvm::MutableArrayRef<KernelDescription> kernels,
                llvm::StringRef module, llvm::StringRef report);

/// Emits a warning or an error, with the ids of misses and what a user can do.
void emitMisses(mlir::LocationAttr location, const llvm::Twine &text,
                llvm::ArrayRef<Miss> misses, bool isError);

/// Emits a warning, or an error, for each request that isn't honoured and for
/// what is slow, once for all variants and chips. Fails if there are errors.
/// The assembler says later what it spills, so `areSpills` are reported apart.
mlir::LogicalResult reportMisses(llvm::ArrayRef<KernelDescription> kernels,
                                 CompilePackageOptions::Misses mode,
                                 llvm::ArrayRef<MissKind> errors,
                                 bool areSpills = false);

} // namespace carousel

#endif // CAROUSEL_PACKAGE_REPORTDECISIONS_H
