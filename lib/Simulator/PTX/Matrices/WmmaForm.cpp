//===- WmmaForm.cpp - products of wmma ------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WmmaForm.h.
//
//===----------------------------------------------------------------------===//

#include "WmmaForm.h"

#include <algorithm>
#include <cstring>

using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Word;

static constexpr unsigned kLanes = 32;

namespace {
struct Shape {
  uint8_t m, n, k;
};
} // namespace

static std::optional<Shape> getShape(const Instruction &instruction) {
  for (auto [word, shape] : {std::pair(Word::M16n16k16, Shape{16, 16, 16}),
                             std::pair(Word::M8n32k16, Shape{8, 32, 16}),
                             std::pair(Word::M32n8k16, Shape{32, 8, 16}),
                             std::pair(Word::M16n16k8, Shape{16, 16, 8}),
                             std::pair(Word::M8n8k4, Shape{8, 8, 4}),
                             std::pair(Word::M8n8k32, Shape{8, 8, 32}),
                             std::pair(Word::M8n8k128, Shape{8, 8, 128})})
    if (instruction.has(word))
      return shape;
  return std::nullopt;
}

/// The bytes of an operand's registers in one lane, if the matrix fits them.
static std::optional<WmmaFragment> makeFragment(const Instruction &instruction,
                                                unsigned operand, uint8_t rows,
                                                uint8_t columns,
                                                unsigned bits) {
  size_t registers =
      std::max<size_t>(instruction.operands[operand].elements.size(), 1);
  WmmaFragment fragment;
  fragment.rows = rows;
  fragment.columns = columns;
  fragment.elementBits = uint8_t(bits);
  size_t bytes = registers * (bits == 64 ? 8 : 4);
  size_t elements = kLanes * bytes * 8 / bits;
  if (bytes > 64 || elements % (size_t(rows) * columns) != 0)
    return std::nullopt;
  fragment.bytes = uint8_t(bytes);
  return fragment;
}

/// The word that is first among the modifiers: `row` or `col` of A.
static bool isRow(const Instruction &instruction) {
  return instruction.has(Word::Row);
}

std::optional<WmmaFragment> sim::getWmmaFragment(const Instruction &instruction,
                                                 unsigned operand) {
  std::optional<Shape> shape = getShape(instruction);
  auto types = instruction.getTypes();
  if (!shape || types.size() != 1)
    return std::nullopt;
  bool isA = instruction.opcode == Opcode::WmmaLoadA;
  bool isFactor = isA || instruction.opcode == Opcode::WmmaLoadB;
  unsigned bits = 0;
  if (auto factor = getMatrixFactor(types[0]); isFactor && factor)
    bits = getElementBits(*factor);
  else if (auto sum = getMatrixSum(types[0]); !isFactor && sum)
    bits = getElementBits(*sum);
  // Addresses of elements below a byte would need a count of bits.
  if (bits < 8)
    return std::nullopt;
  auto fragment =
      makeFragment(instruction, operand, isA || !isFactor ? shape->m : shape->k,
                   isA ? shape->k : shape->n, bits);
  if (fragment)
    fragment->isRowMajor = isRow(instruction);
  return fragment;
}

std::optional<WmmaForm> sim::getWmmaForm(const Instruction &instruction) {
  std::optional<Shape> shape = getShape(instruction);
  auto types = instruction.getTypes();
  // D, A, B and C, or D and C with factors of f16.
  if (!shape || (types.size() != 4 && types.size() != 2) ||
      instruction.operands.size() != 4 || instruction.has(Word::Rz) ||
      instruction.has(Word::Rm) || instruction.has(Word::Rp))
    return std::nullopt;
  bool isShort = types.size() == 2;
  auto a = getMatrixFactor(isShort ? ptx::Type::F16 : types[1]),
       b = getMatrixFactor(isShort ? ptx::Type::F16 : types[2]);
  auto d = getMatrixSum(types[0]), c = getMatrixSum(types.back());
  if (!a || !b || !c || !d || !isProductOf(*a, *b, *c) ||
      !isProductOf(*a, *b, *d) || getElementBits(*a) < 8)
    return std::nullopt;
  auto left =
           makeFragment(instruction, 1, shape->m, shape->k, getElementBits(*a)),
       right =
           makeFragment(instruction, 2, shape->k, shape->n, getElementBits(*b)),
       sums =
           makeFragment(instruction, 3, shape->m, shape->n, getElementBits(*c)),
       result =
           makeFragment(instruction, 0, shape->m, shape->n, getElementBits(*d));
  if (!left || !right || !sums || !result)
    return std::nullopt;
  WmmaForm form;
  form.a = *a;
  form.b = *b;
  form.c = *c;
  form.d = *d;
  form.left = *left;
  form.right = *right;
  form.sums = *sums;
  form.result = *result;
  form.saturate = instruction.has(Word::Satfinite);
  return form;
}

/// Visits each element of each lane, `offset` bytes into its fragments: its
/// number in the matrix, and its address.
template <typename Visit>
static void forEachElement(const WmmaFragment &fragment, unsigned offset,
                           llvm::ArrayRef<char *> lanes, Visit visit) {
  unsigned bytes = fragment.elementBits / 8u;
  for (unsigned lane = 0; lane < lanes.size(); ++lane)
    for (unsigned i = 0; i < fragment.getElements(); ++i)
      visit(fragment.getNumber(lane, i), lanes[lane] + offset + i * bytes,
            bytes);
}

void sim::multiplyWarp(const WmmaForm &form, llvm::ArrayRef<char *> lanes) {
  const unsigned depth = form.left.columns;
  MatrixProduct product(form.left.rows, form.right.columns, depth);
  product.a = form.a;
  product.b = form.b;
  product.sum = form.c;
  product.result = form.d;
  product.saturate = form.saturate;
  unsigned offset = 0;
  forEachElement(form.left, offset, lanes,
                 [&](unsigned number, const char *at, unsigned bytes) {
                   std::memcpy(&product.left[number], at, bytes);
                 });
  offset += form.left.bytes;
  forEachElement(form.right, offset, lanes,
                 [&](unsigned number, const char *at, unsigned bytes) {
                   unsigned k = number / product.columns,
                            column = number % product.columns;
                   std::memcpy(&product.right[column * depth + k], at, bytes);
                 });
  offset += form.right.bytes;
  forEachElement(form.sums, offset, lanes,
                 [&](unsigned number, const char *at, unsigned bytes) {
                   std::memcpy(&product.sums[number], at, bytes);
                 });
  offset += form.sums.bytes;
  product.compute();
  forEachElement(form.result, offset, lanes,
                 [&](unsigned number, char *at, unsigned bytes) {
                   std::memcpy(at, &product.sums[number], bytes);
                 });
}
