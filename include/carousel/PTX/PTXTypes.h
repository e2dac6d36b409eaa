//===- PTXTypes.h - types and state spaces of PTX ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of registers, memory and operands, and which register may hold an
// operand of a type. Like all of include/carousel/PTX, without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_PTXTYPES_H
#define CAROUSEL_PTX_PTXTYPES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace carousel::ptx {

enum class TypeClass : uint8_t {
  Predicate,
  Bits,
  Unsigned,
  Signed,
  Float,
  PackedBits,    ///< elements of less than 8 bits
  PackedInteger, ///< several in a register
  PackedFloat,   ///< several in a register
  OtherFloat,    ///< of instructions only: registers hold it as bits
  Opaque         ///< of variables only: textures, samplers, surfaces
};

enum class Type : uint8_t {
#define CAROUSEL_PTX_TYPE(name, word, bits, kind) name,
#include "carousel/PTX/Types.def"
};

/// The word without its dot: `u32`.
llvm::StringRef stringify(Type type);
std::optional<Type> parseType(llvm::StringRef word);
unsigned getBits(Type type);
TypeClass getClass(Type type);

inline bool isInteger(Type type) {
  return getClass(type) == TypeClass::Unsigned ||
         getClass(type) == TypeClass::Signed;
}

/// Whether a register may have the type.
bool isRegisterType(Type type);
/// Whether a variable in memory may have the type.
bool isVariableType(Type type);

/// Whether a register of type `held` may be an operand of type `wanted`: of
/// the same size, and one of the two is bits, or both are integers, or they are
/// the same. With `widens`, as for loads, stores and conversions, the register
/// may be larger.
bool fits(Type held, Type wanted, bool widens = false);

/// Where a variable is.
enum class StateSpace : uint8_t {
  Generic,
  Reg,
  Const,
  Global,
  Local,
  Param,
  Shared,
  Tex
};

/// The word without its dot; empty for generic addresses.
llvm::StringRef stringify(StateSpace space);
/// The state space of a modifier or a declaration: `shared::cluster` is in
/// shared memory.
std::optional<StateSpace> parseStateSpace(llvm::StringRef word);

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_PTXTYPES_H
