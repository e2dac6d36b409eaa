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

/// Whether only ops read it; others need it in memory, and ops read it there.
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

/// The tensors that sums along pixels read. Those of the same pixels are one
/// kernel, which one copy is for.
using SumFactors = std::pair<unsigned, unsigned>; // tensors
using PixelSums = llvm::SmallDenseMap<Operation *, SumFactors>;

static PixelSums findPixelSums(const Graph &graph) {
  PixelSums sums;
  for (auto [op, problem] : llvm::zip_equal(graph.ops, graph.problem.ops))
    if (problem.kind == GraphOpKind::Stencil && problem.sumsPixels())
      sums[op] = {problem.reads[0].tensor, problem.reads[1].tensor};
  return sums;
}

unsigned carousel::cloneCheapOps(func::FuncOp func) {
  Graph graph = readGraph(func);
  llvm::BitVector copied = findCopied(graph);
  PixelSums sums = findPixelSums(graph);
  unsigned clones = 0;
  // Users before producers: what a copy reads has a user more.
  for (size_t number = graph.ops.size(); number-- != 0;) {
    if (!copied.test(number))
      continue;
    Operation *op = graph.ops[number];
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
    llvm::SmallDenseMap<SumFactors, Operation *> ofSums;
    for (Operation *user : users) {
      auto sum = sums.find(user);
      Operation *copy =
          sum == sums.end() ? nullptr : ofSums.lookup(sum->second);
      if (!copy) {
        copy = user == users.front() ? op : OpBuilder(op).clone(*op);
        clones += copy != op;
      }
      if (sum != sums.end())
        ofSums[sum->second] = copy;
      if (copy != op)
        op->replaceUsesWithIf(
            copy, [&](OpOperand &use) { return use.getOwner() == user; });
    }
  }
  return clones;
}
