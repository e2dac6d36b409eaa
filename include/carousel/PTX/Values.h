//===- Values.h - what pure instructions compute ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of instructions that neither touch memory nor other threads, bit
// for bit where the ISA or the hardware defines them. docs/PTXValues.md says
// what is exact and what is an approximation.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_VALUES_H
#define CAROUSEL_PTX_VALUES_H

#include "carousel/PTX/Instruction.h"

namespace carousel::ptx {

/// Computes a pure instruction. Operands and results are raw bits:
/// - one word for each value, in the order of the text. Registers are
///   zero-extended, predicates are 0 or 1, and values of 128 bits are two
///   words, low first. The elements of a vector are values of their own;
/// - an immediate is a word like any other, in the type of its operand, that
///   of `lop3` among them. A negated predicate `!p` is given negated;
/// - the carry flag is the last operand of instructions that read it (`addc`,
///   `subc`, `madc`) and the last result of those that write it (`.cc`), 0 or
///   1. After a subtraction it is the borrow;
/// - a value and a predicate, `d|p`, are two results. Without the `|p` there
///   is one; the second predicate of `setp` is the same;
/// - the words of getSelectors follow the last operand.
///
/// Operands may have other bits above those of their type; these are ignored.
/// Results are zero-extended, except those of `cvt` to signed integers, which
/// are sign-extended to 64 bits: the destination may be larger than the type,
/// and takes as many bits as it has.
using Evaluate = void (*)(const uint64_t *operands, uint64_t *results);

/// The function of an instruction, for its form and modifiers. nullptr where
/// the instruction isn't pure, or its combination of types and modifiers has
/// no meaning in the ISA.
Evaluate findValue(const Instruction &instruction);

/// Constants that follow the operands: what the parts of a video instruction's
/// operands select, such as `.h1` and `.b3210`, one word for each operand that
/// may have parts. Empty for other instructions.
llvm::SmallVector<uint64_t, 4> getSelectors(const Instruction &instruction);

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_VALUES_H
