//===- Donations.h - results in the memory of arguments ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller may pass an argument's memory for a result if the program says so.
// On tensors, the result has `carousel.argument = #carousel.argument<"y", out,
// may_alias = 0>`, or the argument has JAX's `tf.aliasing_output`. On buffers,
// the result's argument has it. docs/GraphPhase.md, Donated arguments.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_DONATIONS_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_DONATIONS_H

#include "GroupKernel.h"

namespace carousel {

/// The number of the argument whose memory a result may have.
std::optional<unsigned> findDonor(mlir::func::FuncOp program, unsigned result);

/// C229: errors at the program.
mlir::LogicalResult verifyDonations(mlir::func::FuncOp program);

/// Has ops that change some rows of an argument, whose memory their result may
/// have, write these rows to that memory (RowUpdates.h). Ops that change the
/// same rows of several arguments, as of the keys and values of a cache, become
/// one. Returns the number of results that are computed so.
unsigned updateInPlace(mlir::func::FuncOp program);

/// Notes, of each result of a group that is such a result of the program, the
/// operand that it may alias: if each program of the kernel reads from it only
/// what it then writes.
void findDonations(const GroupProgram &program,
                   llvm::MutableArrayRef<KernelOperand> operands);

/// Gives a result memory of its own, in a program on buffers, if its memory
/// would be written before the argument has been read. It is copied at the end.
/// Returns the number of these, with a remark for each.
unsigned separateDonations(mlir::func::FuncOp program);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_DONATIONS_H
