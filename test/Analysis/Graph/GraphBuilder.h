//===- GraphBuilder.h - graphs for tests of planners ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_ANALYSIS_GRAPH_GRAPHBUILDER_H
#define CAROUSEL_TEST_ANALYSIS_GRAPH_GRAPHBUILDER_H

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Analysis/Graph/GroupPlan.h"
#include "carousel/Analysis/Graph/GroupSchedule.h"

namespace carousel {

inline constexpr int64_t kAny = kUnknownExtent;

/// Builds graphs whose loops have names: "mn" is an access along loops 0 and 1
/// of an op with the loops "mn".
class GraphBuilder {
public:
  unsigned tensor(std::initializer_list<int64_t> extents, int64_t bytes = 4) {
    GraphTensor tensor;
    tensor.extents = extents;
    tensor.elementBytes = bytes;
    problem.tensors.push_back(tensor);
    return problem.tensors.size() - 1;
  }

  /// An op with these loops, of which `reduced` are reductions.
  GraphOp &op(const std::string &name, GraphOpKind kind,
              const std::string &loops, const std::string &reduced,
              std::initializer_list<int64_t> extents) {
    names = loops;
    GraphOp op;
    op.name = name;
    op.kind = kind;
    for (auto [loop, extent] : llvm::zip_equal(loops, extents))
      op.loops.push_back({extent, reduced.find(loop) != std::string::npos});
    problem.addOp(op);
    return problem.ops.back();
  }

  GraphAccess access(unsigned tensor, const std::string &dims) {
    GraphAccess access;
    access.tensor = tensor;
    for (char dim : dims) {
      size_t loop = names.find(dim);
      access.loops.push_back(loop == std::string::npos
                                 ? std::nullopt
                                 : std::optional<unsigned>(loop));
    }
    return access;
  }
  void read(unsigned tensor, const std::string &dims) {
    GraphOp &op = problem.ops.back();
    op.reads.push_back(access(tensor, dims));
    if (problem.tensors[tensor].elementBytes == 4)
      op.unit = ProductUnit::RoundingCores;
  }
  void write(unsigned tensor, const std::string &dims) {
    problem.tensors[tensor].writer = problem.ops.size() - 1;
    problem.ops.back().writes.push_back(access(tensor, dims));
  }

  /// y = f(x), along `loops` for both.
  unsigned map(const std::string &name, unsigned x, const std::string &loops,
               std::initializer_list<int64_t> extents) {
    op(name, GraphOpKind::Elementwise, loops, "", extents);
    read(x, loops);
    unsigned y = tensor(extents);
    write(y, loops);
    return y;
  }

  std::string plan() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, problem, planGroups(problem));
    return text;
  }

  std::string schedule() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const PlannedGroup &planned : planGroups(problem).groups) {
      print(os, scheduleGroup(problem, planned.group, planned.shape));
      os << '\n';
    }
    return text;
  }

  /// The divided schedules, or "none".
  std::string divide() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const PlannedGroup &planned : planGroups(problem).groups) {
      std::optional<GroupSchedule> divided =
          divideSchedule(problem, planned.group, planned.shape,
                         scheduleGroup(problem, planned.group, planned.shape));
      if (!divided) {
        os << "none\n";
        continue;
      }
      print(os, *divided);
      if (std::optional<int64_t> parts = getStaticParts(*divided))
        os << ": " << *parts;
      os << '\n';
    }
    return text;
  }

  GraphProblem problem;

private:
  std::string names;
};

/// x - max(x) by rows, and the sum of that.
inline GraphBuilder makeRows(int64_t rows, int64_t columns) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, columns});
  graph.op("max", GraphOpKind::Reduction, "mn", "n", {rows, columns});
  graph.read(x, "mn");
  unsigned max = graph.tensor({rows});
  graph.write(max, "m");
  graph.op("sub", GraphOpKind::Elementwise, "mn", "", {rows, columns});
  graph.read(x, "mn");
  graph.read(max, "m");
  unsigned d = graph.tensor({rows, columns});
  graph.write(d, "mn");
  graph.problem.tensors[d].escapes = true;
  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {rows, columns});
  graph.read(d, "mn");
  unsigned sum = graph.tensor({rows});
  graph.write(sum, "m");
  graph.problem.tensors[sum].escapes = true;
  return graph;
}

} // namespace carousel

#endif // CAROUSEL_TEST_ANALYSIS_GRAPH_GRAPHBUILDER_H
