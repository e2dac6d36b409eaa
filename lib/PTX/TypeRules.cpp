//===- TypeRules.cpp - types and state spaces of PTX ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PTXTypes.h. ptxas has the same rules of which registers fit.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/PTXTypes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

namespace {
struct TypeInfo {
  StringRef word;
  unsigned bits;
  TypeClass kind;
};
} // namespace

static constexpr TypeInfo kTypes[] = {
#define CAROUSEL_PTX_TYPE(name, word, bits, kind) {word, bits, TypeClass::kind},
#include "carousel/PTX/Types.def"
};

StringRef ptx::stringify(Type type) { return kTypes[unsigned(type)].word; }
unsigned ptx::getBits(Type type) { return kTypes[unsigned(type)].bits; }
TypeClass ptx::getClass(Type type) { return kTypes[unsigned(type)].kind; }

std::optional<Type> ptx::parseType(StringRef word) {
  static const llvm::StringMap<Type> types = [] {
    llvm::StringMap<Type> map;
    for (unsigned i = 0; i < std::size(kTypes); ++i)
      map[kTypes[i].word] = Type(i);
    return map;
  }();
  auto found = types.find(word);
  if (found == types.end())
    return std::nullopt;
  return found->second;
}

bool ptx::isRegisterType(Type type) {
  switch (getClass(type)) {
  case TypeClass::Predicate:
  case TypeClass::Unsigned:
  case TypeClass::Signed:
  case TypeClass::Float:
    return true;
  case TypeClass::Bits:
    return type != Type::B1024;
  default:
    return type == Type::F16x2;
  }
}

bool ptx::isVariableType(Type type) {
  return getClass(type) == TypeClass::Opaque ||
         (isRegisterType(type) && type != Type::Pred);
}

bool ptx::fits(Type held, Type wanted, bool widens) {
  TypeClass from = getClass(held), to = getClass(wanted);
  if (from == TypeClass::Predicate || to == TypeClass::Predicate)
    return held == wanted;
  unsigned bits = getBits(held), least = getBits(wanted);
  if (widens ? bits < least : bits != least)
    return false;
  if (held == wanted || from == TypeClass::Bits || to == TypeClass::Bits)
    return true;
  // ptxas takes a register of .f16x2 for 32 bits of an integer.
  bool holdsInteger = isInteger(held) || held == Type::F16x2;
  switch (to) {
  case TypeClass::Unsigned:
  case TypeClass::Signed:
    return holdsInteger;
  case TypeClass::PackedInteger:
  case TypeClass::PackedBits:
    return held == Type::F16x2;
  default:
    return false;
  }
}

StringRef ptx::stringify(StateSpace space) {
  switch (space) {
  case StateSpace::Generic:
    return "";
  case StateSpace::Reg:
    return "reg";
  case StateSpace::Const:
    return "const";
  case StateSpace::Global:
    return "global";
  case StateSpace::Local:
    return "local";
  case StateSpace::Param:
    return "param";
  case StateSpace::Shared:
    return "shared";
  case StateSpace::Tex:
    return "tex";
  }
  llvm_unreachable("unknown state space");
}

std::optional<StateSpace> ptx::parseStateSpace(StringRef word) {
  return llvm::StringSwitch<std::optional<StateSpace>>(word)
      .Case("reg", StateSpace::Reg)
      .Case("const", StateSpace::Const)
      .Case("global", StateSpace::Global)
      .Case("local", StateSpace::Local)
      .Cases({"param", "param::entry", "param::func"}, StateSpace::Param)
      .Cases({"shared", "shared::cta", "shared::cluster"}, StateSpace::Shared)
      .Case("tex", StateSpace::Tex)
      .Default(std::nullopt);
}
