//===- EvaluateTest.cpp - expressions and guards at a launch --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares values with a reference that computes in 128 bits, on random
// expressions near the limits of 64 bits. Tests guards on both sides of their
// bounds, and the text of refusals.
//
//===----------------------------------------------------------------------===//

#include "Bind/Evaluate.h"

#include <gtest/gtest.h>

#include <random>

using namespace carousel::runtime;

namespace {
using Op = Expression::Op;
using Node = Expression::Node;

Expression make(std::vector<Node> nodes) {
  Expression expression;
  expression.nodes = std::move(nodes);
  return expression;
}

Node constant(int64_t value) { return {Op::Constant, 0, 0, value}; }
Node extent(uint16_t argument, uint8_t dim) {
  return {Op::Extent, dim, argument, 0};
}

class EvaluateTest : public testing::Test {
protected:
  EvaluateTest() {
    for (const char *name : {"x", "y", "n"})
      kernel.arguments.emplace_back().name = name;
    arguments[0].data = 0x7f0000000004;
    arguments[0].extents[0] = 1001;
    arguments[0].extents[1] = INT64_MAX;
    arguments[0].strides[0] = 7;
    arguments[1].extents[0] = 6;
    arguments[1].extents[1] = -7;
    arguments[2].scalar = -5;
    environment.arguments = arguments;
    environment.multiprocessors = 132;
    environment.computeCapability = 86;
    environment.resident = 1056;
  }

  std::optional<int64_t> value(std::vector<Node> nodes) {
    return evaluate(make(std::move(nodes)), environment);
  }

  void expectHolds(const Guard &guard) {
    EXPECT_TRUE(holds(guard, environment));
  }
  void expectFails(const Guard &guard, const char *message) {
    EXPECT_FALSE(holds(guard, environment));
    EXPECT_EQ(explainFailure(guard, kernel, environment), message);
  }

  KernelInfo kernel;
  BoundArgument arguments[3];
  Environment environment;
};

TEST_F(EvaluateTest, Leaves) {
  EXPECT_EQ(value({constant(INT64_MIN)}), INT64_MIN);
  EXPECT_EQ(value({extent(1, 0)}), 6);
  EXPECT_EQ(value({{Op::Stride, 0, 0, 0}}), 7);
  EXPECT_EQ(value({{Op::Scalar, 0, 2, 0}}), -5);
  EXPECT_EQ(value({{Op::SMs}}), 132);
  EXPECT_EQ(value({{Op::Resident}}), 1056);
  EXPECT_EQ(value({}), std::nullopt);
}

TEST_F(EvaluateTest, OperandOrder) {
  EXPECT_EQ(value({constant(10), constant(3), {Op::Sub}}), 7);
  EXPECT_EQ(value({constant(10), constant(3), {Op::FloorDiv}}), 3);
  EXPECT_EQ(
      value({constant(1), constant(2), constant(5), {Op::Sub}, {Op::Sub}}), 4);
}

TEST_F(EvaluateTest, RoundingOfNegatives) {
  struct {
    int64_t left, right, floor, ceil, mod;
  } cases[] = {{7, 2, 3, 4, 1},
               {-7, 2, -4, -3, 1},
               {8, 2, 4, 4, 0},
               {-8, 2, -4, -4, 0},
               {-1, 4096, -1, 0, 4095},
               {0, 3, 0, 0, 0},
               {1, INT64_MAX, 0, 1, 1},
               {-1, INT64_MAX, -1, 0, INT64_MAX - 1},
               {INT64_MIN, 1, INT64_MIN, INT64_MIN, 0},
               {INT64_MIN, INT64_MAX, -2, -1, INT64_MAX - 1}};
  for (auto [left, right, floor, ceil, mod] : cases) {
    SCOPED_TRACE(std::to_string(left) + " by " + std::to_string(right));
    EXPECT_EQ(value({constant(left), constant(right), {Op::FloorDiv}}), floor);
    EXPECT_EQ(value({constant(left), constant(right), {Op::CeilDiv}}), ceil);
    EXPECT_EQ(value({constant(left), constant(right), {Op::Mod}}), mod);
  }
}

TEST_F(EvaluateTest, NoValue) {
  for (Op op : {Op::FloorDiv, Op::CeilDiv, Op::Mod})
    for (int64_t divisor : {int64_t(0), int64_t(-1), INT64_MIN}) {
      EXPECT_EQ(value({constant(4), constant(divisor), {op}}), std::nullopt);
      EXPECT_EQ(value({constant(INT64_MIN), constant(divisor), {op}}),
                std::nullopt);
    }
  EXPECT_EQ(value({constant(INT64_MAX), constant(1), {Op::Add}}), std::nullopt);
  EXPECT_EQ(value({constant(INT64_MIN), constant(1), {Op::Sub}}), std::nullopt);
  EXPECT_EQ(value({constant(INT64_MIN), constant(-1), {Op::Mul}}),
            std::nullopt);
  // The op that takes the overflow doesn't matter.
  EXPECT_EQ(value({constant(INT64_MAX),
                   constant(1),
                   {Op::Add},
                   constant(0),
                   {Op::Min}}),
            std::nullopt);
}

//===----------------------------------------------------------------------===//
// Random expressions
//===----------------------------------------------------------------------===//

using Wide = __int128;

/// The value by the definitions of docs/Package.md; every intermediate value
/// must fit 64 bits.
std::optional<Wide> applyReference(Op op, Wide left, Wide right) {
  Wide result = 0;
  switch (op) {
  case Op::Add:
    result = left + right;
    break;
  case Op::Sub:
    result = left - right;
    break;
  case Op::Mul:
    result = left * right;
    break;
  case Op::FloorDiv:
  case Op::CeilDiv:
  case Op::Mod: {
    if (right <= 0)
      return std::nullopt;
    Wide remainder = ((left % right) + right) % right;
    Wide floor = (left - remainder) / right;
    result = op == Op::Mod        ? remainder
             : op == Op::FloorDiv ? floor
                                  : floor + (remainder != 0);
    break;
  }
  case Op::Min:
    result = left < right ? left : right;
    break;
  default:
    result = left > right ? left : right;
    break;
  }
  if (result < INT64_MIN || result > INT64_MAX)
    return std::nullopt;
  return result;
}

/// Appends a random expression of at most `budget` nodes; its value, if any.
class Generator {
public:
  explicit Generator(unsigned seed) : engine(seed) {}

  std::optional<Wide> generate(std::vector<Node> &nodes, unsigned budget) {
    if (budget < 3 || pick(4) == 0) {
      int64_t value = pickValue();
      nodes.push_back(constant(value));
      return value;
    }
    unsigned left = 1 + static_cast<unsigned>(pick(budget - 2));
    std::optional<Wide> leftValue = generate(nodes, left);
    std::optional<Wide> rightValue = generate(nodes, budget - 1 - left);
    auto op = static_cast<Op>(static_cast<unsigned>(Op::Add) + pick(8));
    nodes.push_back({op});
    if (!leftValue || !rightValue)
      return std::nullopt;
    return applyReference(op, *leftValue, *rightValue);
  }

private:
  uint64_t pick(uint64_t count) { return engine() % count; }

  int64_t pickValue() {
    switch (pick(4)) {
    case 0: { // near a power of two, of either sign
      uint64_t value = (uint64_t(1) << pick(64)) - 2 + pick(4);
      return static_cast<int64_t>(pick(2) ? value : -value);
    }
    case 1:
      return static_cast<int64_t>(engine());
    default:
      return static_cast<int64_t>(pick(41)) - 20;
    }
  }

  std::mt19937_64 engine;
};

TEST_F(EvaluateTest, RandomAgainstReference) {
  Generator generator(20240607);
  unsigned withValue = 0, without = 0;
  for (unsigned i = 0; i < 100000; ++i) {
    std::vector<Node> nodes;
    std::optional<Wide> expected =
        generator.generate(nodes, i % 16 ? 9 : kMaxExpressionNodes);
    Expression expression = make(std::move(nodes));
    std::optional<int64_t> found = evaluate(expression, environment);
    ASSERT_EQ(found.has_value(), expected.has_value())
        << "case " << i << ": " << toString(expression, kernel);
    ++(expected ? withValue : without);
    if (expected) {
      ASSERT_EQ(*found, static_cast<int64_t>(*expected))
          << "case " << i << ": " << toString(expression, kernel);
    }
  }
  // The draw reaches both.
  EXPECT_GT(withValue, 10000u);
  EXPECT_GT(without, 10000u);
}

TEST_F(EvaluateTest, DeepestStack) {
  std::vector<Node> nodes;
  for (unsigned i = 0; i < kMaxExpressionNodes / 2; ++i)
    nodes.push_back(constant(i));
  for (unsigned i = 1; i < kMaxExpressionNodes / 2; ++i)
    nodes.push_back({Op::Add});
  EXPECT_EQ(value(nodes), 128 * 127 / 2);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

Guard makeGuard(Guard::Kind kind, int64_t least, int64_t most = 0) {
  Guard guard;
  guard.kind = kind;
  guard.least = least;
  guard.most = most;
  return guard;
}

TEST_F(EvaluateTest, Capability) {
  expectHolds(makeGuard(Guard::Kind::Capability, 86, INT64_MAX));
  expectHolds(makeGuard(Guard::Kind::Capability, 80, 86));
  expectFails(makeGuard(Guard::Kind::Capability, 90, INT64_MAX),
              "expected compute capability 9.0 or later, got 8.6");
  expectFails(makeGuard(Guard::Kind::Capability, 70, 80),
              "expected compute capability 7.0 to 8.0, got 8.6");
  environment.computeCapability = 121;
  expectFails(makeGuard(Guard::Kind::Capability, 90, 100),
              "expected compute capability 9.0 to 10.0, got 12.1");
}

TEST_F(EvaluateTest, Aligned) {
  expectHolds(makeGuard(Guard::Kind::Aligned, 4));
  expectFails(makeGuard(Guard::Kind::Aligned, 16),
              "expected x aligned to 16 bytes, got the address 0x7f0000000004");
  arguments[0].data = UINT64_MAX - 15; // no sign
  expectHolds(makeGuard(Guard::Kind::Aligned, 16));
  arguments[0].data = 0;
  expectHolds(makeGuard(Guard::Kind::Aligned, 16));
}

TEST_F(EvaluateTest, Divisible) {
  Guard guard = makeGuard(Guard::Kind::Divisible, 4);
  guard.value = make({extent(0, 0)});
  expectFails(guard, "expected x.extent(0) to be a multiple of 4, got 1001");
  for (int64_t multiple : {0, 4, -8}) {
    arguments[0].extents[0] = multiple;
    expectHolds(guard);
  }
  arguments[0].extents[0] = -7;
  expectFails(guard, "expected x.extent(0) to be a multiple of 4, got -7");
}

TEST_F(EvaluateTest, Range) {
  Guard guard = makeGuard(Guard::Kind::Range, 1, 4096);
  guard.value = make({extent(0, 0), constant(4), {Op::Mul}});
  for (auto [extent, inside] : {std::pair<int64_t, bool>{0, false},
                                {1, true},
                                {1024, true},
                                {1025, false}}) {
    arguments[0].extents[0] = extent;
    EXPECT_EQ(holds(guard, environment), inside) << extent;
  }
  expectFails(guard, "expected x.extent(0) * 4 to be from 1 to 4096, got 4100");
}

TEST_F(EvaluateTest, Equal) {
  Guard guard = makeGuard(Guard::Kind::Equal, 0);
  guard.value = make({extent(0, 0)});
  guard.other = make({extent(1, 0)});
  expectFails(guard,
              "expected x.extent(0) and y.extent(0) to be equal, got 1001 and "
              "6");
  arguments[0].extents[0] = 6;
  expectHolds(guard);
}

TEST_F(EvaluateTest, GuardWithoutValue) {
  Guard divisible = makeGuard(Guard::Kind::Divisible, 4);
  divisible.value =
      make({constant(1), extent(0, 1), constant(4096), {Op::Mul}, {Op::Add}});
  expectFails(divisible, "expected x.extent(1) * 4096 to fit 64 bits, got "
                         "9223372036854775807 * 4096");
  Guard range = makeGuard(Guard::Kind::Range, INT64_MIN, INT64_MAX);
  range.value = make({constant(8), extent(1, 1), {Op::CeilDiv}});
  expectFails(range, "expected the divisor y.extent(1) of ceildiv(8, "
                     "y.extent(1)) to be positive, got -7");
  // The left value is there, the right isn't; nor are two absent values equal.
  Guard equal = makeGuard(Guard::Kind::Equal, 0);
  equal.value = make({constant(0)});
  equal.other = make({extent(0, 1), constant(1), {Op::Add}});
  const char *message = "expected x.extent(1) + 1 to fit 64 bits, got "
                        "9223372036854775807 + 1";
  expectFails(equal, message);
  equal.value = equal.other;
  expectFails(equal, message);
}

TEST_F(EvaluateTest, ExplainNoValueNamesTheInnermost) {
  // (n - (x.extent(1) - -1)) * 2
  Expression expression = make({{Op::Scalar, 0, 2, 0},
                                extent(0, 1),
                                constant(-1),
                                {Op::Sub},
                                {Op::Sub},
                                constant(2),
                                {Op::Mul}});
  EXPECT_EQ(explainNoValue(expression, kernel, environment),
            "expected x.extent(1) - -1 to fit 64 bits, got "
            "9223372036854775807 - -1");
}
} // namespace
