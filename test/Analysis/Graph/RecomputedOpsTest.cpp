//===- RecomputedOpsTest.cpp - tests of RecomputedOps.h -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "carousel/Analysis/Graph/RecomputedOps.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

/// Attention's forward pass and its gradients, op by op.
class AttentionBuilder {
public:
  explicit AttentionBuilder(int64_t n = 1024, int64_t d = 64)
      : n(n), q(add(d)), k(add(d)), v(add(d)), dy(add(d)) {
    scores = multiply("scores", "ijd", "d", {q, "id"}, {k, "jd"}, {n, n, d});
  }

  unsigned add(int64_t columns) { return graph.tensor({n, columns}, 2); }

  using Read = std::pair<unsigned, const char *>;

  /// The sum of products along `reduced`; its result has the other loops.
  unsigned multiply(const std::string &name, const std::string &loops,
                    const std::string &reduced, Read a, Read b,
                    std::initializer_list<int64_t> extents) {
    graph.op(name, GraphOpKind::Contraction, loops, reduced, extents);
    graph.problem.ops.back().combiner = GraphCombiner::Sum;
    graph.read(a.first, a.second);
    graph.read(b.first, b.second);
    return write(loops, reduced, extents);
  }
  unsigned reduce(const std::string &name, const std::string &loops,
                  const std::string &reduced, std::vector<Read> reads,
                  std::initializer_list<int64_t> extents) {
    graph.op(name, GraphOpKind::Reduction, loops, reduced, extents);
    for (Read read : reads)
      graph.read(read.first, read.second);
    return write(loops, reduced, extents);
  }
  /// An elementwise op along i and j.
  unsigned map(const std::string &name, std::vector<Read> reads) {
    graph.op(name, GraphOpKind::Elementwise, "ij", "", {n, n});
    for (Read read : reads)
      graph.read(read.first, read.second);
    return write("ij", "", {n, n});
  }

  /// The rest of the forward pass.
  void addForward() {
    max = reduce("max", "ij", "j", {{scores, "ij"}}, {n, n});
    weights = map("exp", {{scores, "ij"}, {max, "i"}});
    sum = reduce("sum", "ij", "j", {{weights, "ij"}}, {n, n});
    quotient = map("divide", {{weights, "ij"}, {sum, "i"}});
    y = multiply("values", "idj", "j", {quotient, "ij"}, {v, "jd"}, {n, 64, n});
  }
  /// The gradients of values, queries and keys.
  void addGradients() {
    multiply("dv", "jdi", "i", {quotient, "ij"}, {dy, "id"}, {n, 64, n});
    unsigned dp = multiply("dp", "ijd", "d", {dy, "id"}, {v, "jd"}, {n, n, 64});
    unsigned delta =
        reduce("delta", "id", "d", {{dy, "id"}, {y, "id"}}, {n, 64});
    unsigned ds = map("ds", {{quotient, "ij"}, {dp, "ij"}, {delta, "i"}});
    multiply("dq", "idj", "j", {ds, "ij"}, {k, "jd"}, {n, 64, n});
    multiply("dk", "jdi", "i", {ds, "ij"}, {q, "id"}, {n, 64, n});
  }

  /// "{REDUCTIONS} of {SOURCES} copies {SHARED}" for each group.
  std::string find() const {
    std::string text;
    auto list = [&](llvm::ArrayRef<unsigned> ops) {
      std::string names;
      for (unsigned op : ops)
        names += (names.empty() ? "" : " ") + graph.problem.ops[op].name;
      return names;
    };
    for (const RecomputedOps &own : findRecomputedOps(graph.problem))
      text += list(own.reductions) + ": " + list(own.sources) + ", copies " +
              list(own.shared) + "\n";
    return text;
  }

  GraphBuilder graph;
  int64_t n;
  unsigned q, k, v, dy, scores = 0;
  unsigned max = 0, weights = 0, sum = 0, quotient = 0, y = 0;

private:
  unsigned write(const std::string &loops, const std::string &reduced,
                 std::initializer_list<int64_t> extents) {
    std::string left;
    GraphTensor tensor;
    for (auto [loop, extent] : llvm::zip_equal(loops, extents))
      if (reduced.find(loop) == std::string::npos) {
        left += loop;
        tensor.extents.push_back(extent);
      }
    graph.problem.tensors.push_back(tensor);
    unsigned result = graph.problem.tensors.size() - 1;
    graph.write(result, left);
    return result;
  }
};

TEST(RecomputedOpsTest, AForwardPassSharesNothing) {
  AttentionBuilder attention;
  attention.addForward();
  EXPECT_EQ(attention.find(), "");
}

TEST(RecomputedOpsTest, GradientsGoAlongTwoDimensionsAndFollowTheForwardPass) {
  AttentionBuilder attention;
  attention.addForward();
  attention.addGradients();
  EXPECT_EQ(attention.find(),
            "max sum values: scores exp divide, copies \n"
            "dv dk: scores exp divide dp ds, copies scores exp divide\n"
            "dq: scores exp divide dp ds, copies scores exp divide dp ds\n");
}

TEST(RecomputedOpsTest, AProductThatIsNoLargerThanItsFactorsIsKept) {
  AttentionBuilder attention(/*n=*/128, /*d=*/64);
  attention.addForward();
  attention.addGradients();
  EXPECT_EQ(attention.find(), "");
}

TEST(RecomputedOpsTest, ASumOfOtherProductsFollowsInAnotherPass) {
  AttentionBuilder attention;
  attention.addForward();
  unsigned dp = attention.multiply("dp", "ijd", "d", {attention.dy, "id"},
                                   {attention.v, "jd"}, {1024, 1024, 64});
  unsigned weighted =
      attention.map("weighted", {{attention.quotient, "ij"}, {dp, "ij"}});
  attention.reduce("delta", "ij", "j", {{weighted, "ij"}}, {1024, 1024});
  EXPECT_EQ(attention.find(),
            "max sum values: scores exp divide, copies \n"
            "delta: scores exp divide dp weighted, copies scores exp divide\n");
}

} // namespace
