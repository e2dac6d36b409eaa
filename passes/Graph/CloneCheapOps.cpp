//===- CloneCheapOps.cpp - elementwise ops for each user ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CloneCheapOps.h.
//
//===----------------------------------------------------------------------===//

#include "CloneCheapOps.h"

#include "ReadGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace carousel;

/// Instructions that cost less than to bring an element from memory again.
static constexpr int64_t kMostWork = 8;

static bool isCheap(const GraphProblem &problem, const GraphOp &op) {
  if (op.kind != GraphOpKind::Elementwise || op.work > kMostWork ||
      op.writes.size() != 1)
    return false;
  int64_t read = 0;
  for (const GraphAccess &access : op.reads)
    read += problem.tensors[access.tensor].getBytes();
  // A row or column beside a matrix doesn't count.
  int64_t written = problem.tensors[op.writes.front().tensor].getBytes();
  return read <= written + written / 16;
}

unsigned carousel::cloneCheapOps(func::FuncOp func) {
  Graph graph = readGraph(func);
  unsigned clones = 0;
  // Users before producers: what a copy reads has a user more.
  for (size_t number = graph.ops.size(); number-- != 0;) {
    if (!isCheap(graph.problem, graph.problem.ops[number]))
      continue;
    Operation *op = graph.ops[number];
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
    // What has to be in memory is read from there.
    if (llvm::any_of(users, [](Operation *user) {
          return !isa<linalg::LinalgOp>(user->getParentOp()) &&
                 !isa<linalg::LinalgOp>(user);
        }))
      continue;
    for (Operation *user : llvm::drop_begin(users, users.empty() ? 0 : 1)) {
      OpBuilder builder(op);
      Operation *clone = builder.clone(*op);
      op->replaceUsesWithIf(
          clone, [&](OpOperand &use) { return use.getOwner() == user; });
      ++clones;
    }
  }
  return clones;
}
