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

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace carousel;

/// Instructions that cost less than to bring an element from memory again.
static constexpr int64_t kMostWork = 8;
/// The same of a copy and those that it reads. It bounds chains of copies.
static constexpr int64_t kMostWorkOfCopies = 2 * kMostWork;

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

/// What has to be in memory is read from there.
static bool isReadByOpsOnly(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<linalg::LinalgOp>(user->getParentOp()) ||
           isa<linalg::LinalgOp>(user);
  });
}

/// The ops of which each user gets a copy. The work of a copy includes that of
/// the copies that it reads: in a chain of ops with two users, each copy would
/// compute all ops before it again.
static llvm::BitVector findCopied(const Graph &graph) {
  const GraphProblem &problem = graph.problem;
  llvm::BitVector copied(problem.ops.size());
  llvm::DenseMap<unsigned, int64_t> workOf; // by tensor
  for (auto [number, op] : llvm::enumerate(problem.ops)) {
    if (!isCheap(problem, op) || !isReadByOpsOnly(graph.ops[number]))
      continue;
    int64_t work = std::max<int64_t>(op.work, 1);
    for (const GraphAccess &access : op.reads)
      work += workOf.lookup(access.tensor);
    if (work > kMostWorkOfCopies)
      continue;
    copied.set(number);
    workOf[op.writes.front().tensor] = work;
  }
  return copied;
}

unsigned carousel::cloneCheapOps(func::FuncOp func) {
  Graph graph = readGraph(func);
  llvm::BitVector copied = findCopied(graph);
  unsigned clones = 0;
  // Users before producers: what a copy reads has a user more.
  for (size_t number = graph.ops.size(); number-- != 0;) {
    if (!copied.test(number))
      continue;
    Operation *op = graph.ops[number];
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
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
