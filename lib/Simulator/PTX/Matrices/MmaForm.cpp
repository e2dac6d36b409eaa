//===- MmaForm.cpp - products of a warp -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MmaForm.h. A register holds elements that are neighbours along k. The
// lane of group g and member t has rows g and g + 8 of A, column g of B, and of
// the sums the columns 2t and 2t + 1 of these rows.
//
//===----------------------------------------------------------------------===//

#include "MmaForm.h"

#include <algorithm>
#include <cstring>

using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Word;

static constexpr unsigned kGroup = 4;

std::optional<MmaForm> sim::getMmaForm(const ptx::Instruction &instruction) {
  // D, A, B and C; nothing sparse or scaled. m8n8k4 of f16 has other fragments.
  auto types = instruction.getTypes();
  if (types.size() != 4 || instruction.operands.size() != 4 ||
      types[0] != types[3])
    return std::nullopt;
  std::optional<MatrixFactor> a = getMatrixFactor(types[1]),
                              b = getMatrixFactor(types[2]);
  std::optional<MatrixSum> sum = getMatrixSum(types[0]);
  bool isOf8Rows =
      instruction.has(Word::M8n8k4) || instruction.has(Word::M8n8k16) ||
      instruction.has(Word::M8n8k32) || instruction.has(Word::M8n8k128);
  if (!a || !b || !sum || !isProductOf(*a, *b, *sum) ||
      (isOf8Rows && *a == MatrixFactor::F16) || instruction.has(Word::Rz) ||
      instruction.has(Word::Rm) || instruction.has(Word::Rp))
    return std::nullopt;
  MmaForm form;
  form.a = *a;
  form.b = *b;
  form.sum = *sum;
  form.halves = isOf8Rows ? 1 : 2;
  const ptx::Operand &factor = instruction.operands[2];
  form.registers = uint8_t(std::max<size_t>(factor.elements.size(), 1));
  form.saturate = instruction.has(Word::Satfinite);
  form.conjoins = instruction.has(Word::And);
  return form;
}

/// Passes the element `i` of each register of a factor to `take`, with its
/// place along k.
template <typename Take>
static void forEachElement(const MmaForm &form, const char *registers,
                           unsigned stride, unsigned member, Take take) {
  unsigned bits = getElementBits(form.a), bytes = form.getRegisterBytes(),
           count = bytes * 8 / bits;
  for (unsigned part = 0; part < form.registers; ++part) {
    uint64_t value = 0;
    std::memcpy(&value, registers + uint64_t(part) * stride * bytes, bytes);
    for (unsigned i = 0; i < count; ++i)
      take((part * kGroup + member) * count + i,
           bits == 64 ? value
                      : value >> (i * bits) & ((uint64_t(1) << bits) - 1));
  }
}

void sim::multiplyWarp(const MmaForm &form, llvm::ArrayRef<char *> lanes) {
  unsigned bytes = form.getRegisterBytes(),
           sumBytes = getElementBits(form.sum) / 8;
  unsigned depth = form.registers * kGroup * bytes * 8 / getElementBits(form.a);
  MatrixProduct product(8 * form.halves, 8, depth);
  product.a = form.a;
  product.b = form.b;
  product.sum = product.result = form.sum;
  product.saturate = form.saturate;
  product.conjoins = form.conjoins;
  auto forEachSum = [&](unsigned lane, auto visit) {
    char *at = lanes[lane] + form.getFactorBytes();
    for (unsigned half = 0; half < form.halves; ++half)
      for (unsigned i = 0; i < 2; ++i, at += sumBytes)
        visit(at, product.sums[(lane / kGroup + 8 * half) * 8 +
                               lane % kGroup * 2 + i]);
  };
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    unsigned group = lane / kGroup, member = lane % kGroup;
    // B has a register for each part of k, and A one for each part and half.
    for (unsigned half = 0; half < form.halves; ++half)
      forEachElement(form, lanes[lane] + half * bytes, form.halves, member,
                     [&](unsigned k, uint64_t bits) {
                       product.left[(group + 8 * half) * depth + k] = bits;
                     });
    const char *right =
        lanes[lane] + uint64_t(form.halves) * form.registers * bytes;
    forEachElement(form, right, 1, member, [&](unsigned k, uint64_t bits) {
      product.right[group * depth + k] = bits;
    });
    forEachSum(lane, [&](const char *at, uint64_t &sum) {
      std::memcpy(&sum, at, sumBytes);
    });
  }
  product.compute();
  for (unsigned lane = 0; lane < lanes.size(); ++lane)
    forEachSum(
        lane, [&](char *at, uint64_t sum) { std::memcpy(at, &sum, sumBytes); });
}
