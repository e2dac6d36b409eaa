//===- Evaluate.cpp - evaluates expressions and guards --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Evaluate.h. A stack machine runs the postfix program of an expression.
// Each node pushes at most one value, and the manifest reader limits the number
// of nodes, so the stack has a fixed size.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "Support/Capability.h"

#include <fmt/format.h>

#include <algorithm>

namespace carousel::runtime {

using Op = Expression::Op;

/// `value` becomes `value` op `right`. False where there is no such value.
static inline bool apply(Op op, int64_t &value, int64_t right) {
  switch (op) {
  case Op::Add:
    return !__builtin_add_overflow(value, right, &value);
  case Op::Sub:
    return !__builtin_sub_overflow(value, right, &value);
  case Op::Mul:
    return !__builtin_mul_overflow(value, right, &value);
  // A positive divisor: the quotient fits, and adjusting it can't overflow.
  case Op::FloorDiv:
    if (right <= 0)
      return false;
    value = value / right - (value % right < 0);
    return true;
  case Op::CeilDiv:
    if (right <= 0)
      return false;
    value = value / right + (value % right > 0);
    return true;
  case Op::Mod:
    if (right <= 0)
      return false;
    value %= right;
    value += value < 0 ? right : 0;
    return true;
  case Op::Min:
    value = std::min(value, right);
    return true;
  default:
    value = std::max(value, right);
    return true;
  }
}

/// The nodes [begin, end) of a postfix program, complete or up to some node.
/// Null or the node that has no value; the stack is left as it is there.
static inline const Expression::Node *run(const Expression::Node *begin,
                                          const Expression::Node *end,
                                          const Environment &environment,
                                          int64_t *&top) {
  for (const Expression::Node *node = begin; node != end; ++node) {
    switch (node->op) {
    case Op::Constant:
      *++top = node->value;
      break;
    case Op::Extent:
      *++top = environment.arguments[node->argument].extents[node->dim];
      break;
    case Op::Stride:
      *++top = environment.arguments[node->argument].getStride(
          node->dim, environment.loosens);
      break;
    case Op::Scalar:
      *++top = environment.arguments[node->argument].scalar;
      break;
    case Op::SMs:
      *++top = environment.multiprocessors;
      break;
    case Op::Resident:
      *++top = environment.resident;
      break;
    default: {
      int64_t left = top[-1];
      if (!apply(node->op, left, *top))
        return node;
      *--top = left;
    }
    }
  }
  return nullptr;
}

std::optional<int64_t> evaluate(const Expression &expression,
                                const Environment &environment) {
  const Expression::Node *begin = expression.nodes.data();
  size_t size = expression.nodes.size();
  if (size == 1 && begin->op == Op::Constant) // most of a grid
    return begin->value;
  // One more entry than needed: the first push goes to stack[1]. The first is
  // set for compilers that can't see that every program pushes.
  int64_t stack[kMaxExpressionNodes + 1];
  stack[0] = 0;
  int64_t *top = stack;
  if (size == 0 || run(begin, begin + size, environment, top))
    return std::nullopt;
  return *top;
}

/// The first node of the operand whose last node is `last`.
static size_t findOperand(const std::vector<Expression::Node> &nodes,
                          size_t last) {
  for (size_t wanted = 1;; --last) {
    if (nodes[last].op >= Op::Add)
      ++wanted;
    else if (--wanted == 0)
      return last;
  }
}

std::string explainNoValue(const Expression &expression,
                           const SignatureInfo &signature,
                           const Environment &environment) {
  const std::vector<Expression::Node> &nodes = expression.nodes;
  int64_t stack[kMaxExpressionNodes + 1];
  int64_t *top = stack;
  const Expression::Node *failed =
      nodes.empty()
          ? nullptr
          : run(nodes.data(), nodes.data() + nodes.size(), environment, top);
  if (!failed)
    return "expected an expression without a value";
  auto print = [&](size_t first, size_t last) {
    Expression part;
    part.nodes.assign(nodes.begin() + static_cast<ptrdiff_t>(first),
                      nodes.begin() + static_cast<ptrdiff_t>(last) + 1);
    return toString(part, signature);
  };
  size_t last = static_cast<size_t>(failed - nodes.data());
  size_t right = findOperand(nodes, last - 1);
  std::string whole = print(findOperand(nodes, last), last);
  char symbol = '*';
  switch (failed->op) {
  case Op::FloorDiv:
  case Op::CeilDiv:
  case Op::Mod:
    return fmt::format("expected the divisor {} of {} to be positive, got {}",
                       print(right, last - 1), whole, *top);
  case Op::Add:
    symbol = '+';
    break;
  case Op::Sub:
    symbol = '-';
    break;
  default:
    break;
  }
  return fmt::format("expected {} to fit 64 bits, got {} {} {}", whole, top[-1],
                     symbol, *top);
}

bool holds(const Guard &guard, const Environment &environment) {
  switch (guard.kind) {
  case Guard::Kind::Capability:
    return environment.computeCapability >= guard.least &&
           environment.computeCapability <= guard.most;
  case Guard::Kind::Aligned:
    return environment.arguments[guard.argument].data %
               static_cast<uint64_t>(guard.least) ==
           0;
  case Guard::Kind::Divisible: {
    std::optional<int64_t> value = evaluate(guard.value, environment);
    return value && *value % guard.least == 0;
  }
  case Guard::Kind::Range: {
    std::optional<int64_t> value = evaluate(guard.value, environment);
    return value && *value >= guard.least && *value <= guard.most;
  }
  case Guard::Kind::Equal: {
    std::optional<int64_t> left = evaluate(guard.value, environment);
    return left && left == evaluate(guard.other, environment);
  }
  }
  return false;
}

std::string explainFailure(const Guard &guard, const SignatureInfo &signature,
                           const Environment &environment) {
  if (guard.kind == Guard::Kind::Capability) {
    std::string least = describeCapability(guard.least);
    std::string got = describeCapability(environment.computeCapability);
    if (guard.most == INT64_MAX)
      return fmt::format("expected compute capability {} or later, got {}",
                         least, got);
    return fmt::format("expected compute capability {} to {}, got {}", least,
                       describeCapability(guard.most), got);
  }
  if (guard.kind == Guard::Kind::Aligned)
    return fmt::format("expected {} aligned to {} bytes, got the address {:#x}",
                       signature.arguments[guard.argument].name, guard.least,
                       environment.arguments[guard.argument].data);

  std::optional<int64_t> value = evaluate(guard.value, environment);
  if (!value)
    return explainNoValue(guard.value, signature, environment);
  std::string text = toString(guard.value, signature);
  if (guard.kind == Guard::Kind::Divisible)
    return fmt::format("expected {} to be a multiple of {}, got {}", text,
                       guard.least, *value);
  if (guard.kind == Guard::Kind::Range)
    return fmt::format("expected {} to be from {} to {}, got {}", text,
                       guard.least, guard.most, *value);
  std::optional<int64_t> other = evaluate(guard.other, environment);
  if (!other)
    return explainNoValue(guard.other, signature, environment);
  return fmt::format("expected {} and {} to be equal, got {} and {}", text,
                     toString(guard.other, signature), *value, *other);
}

} // namespace carousel::runtime
