//===- ThreadAddresses.cpp - addresses in the code of a function ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of variables, parameters and functions in their state spaces, and
// the host's pointers for them. See ThreadCode.h.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;
using ptx::Word;
using Kind = ptx::Operand::Kind;

static uint64_t getOffset(const Operand &operand,
                          const ptx::Variable *variable) {
  if (!operand.isElement || !variable)
    return uint64_t(operand.offset);
  return uint64_t(operand.offset) * (ptx::getBits(variable->type) / 8);
}

Value ThreadCode::getSymbolAddress(const Instruction &instruction,
                                   const Operand &operand) {
  if (auto parameter = parameters.find(operand.symbol);
      parameter != parameters.end())
    return getParameterAddress(instruction, operand, parameter->second);
  if (source.module.symbols[operand.symbol].kind ==
      ptx::Symbol::Kind::Function) {
    if (!layout.findFunction(operand.symbol)) {
      error(instruction) << "expected a function that the text defines, got "
                            "the declaration of '"
                         << operand.name << "'";
      return {};
    }
    return i64(kFunctionAddress + operand.symbol);
  }
  const VariablePlace *place = layout.find(operand.symbol);
  if (!place) {
    error(instruction) << "the simulated machine doesn't know the place of '"
                       << source.module.symbols[operand.symbol].name << "'";
    return {};
  }
  uint64_t offset = getOffset(operand, place->variable);
  switch (place->variable->space) {
  case StateSpace::Shared:
    return i64(place->offset + offset);
  case StateSpace::Local:
    return LLVM::AddOp::create(b, loc, frame, i64(place->offset + offset));
  default:
    return toInteger(advance(
        call("carousel_sim_global", {i32(place->offset)}, pointer()), offset));
  }
}

Value ThreadCode::readAddress(const Instruction &instruction,
                              const Operand &operand, unsigned bits) {
  const Operand &base = operand.elements.front();
  switch (base.kind) {
  case Kind::Register: {
    Value value = resize(readRegister(base.reg), bits);
    return base.offset == 0
               ? value
               : LLVM::AddOp::create(b, loc, value,
                                     constant(bits, uint64_t(base.offset)));
  }
  case Kind::Immediate:
    return constant(bits, base.value.bits);
  case Kind::Symbol: {
    Value value = getSymbolAddress(instruction, base);
    return value ? resize(value, bits) : value;
  }
  default:
    (void)refuse(instruction);
    return {};
  }
}

Value ThreadCode::getSharedPointer(Value address, bool isOfCluster) {
  Value offset = resize(address, 32);
  if (isOfCluster)
    return call("carousel_sim_ptx_shared", {offset}, pointer());
  return advance(sharedBase, resize(offset, 64));
}

void ThreadCode::addParameter(const ptx::Variable &variable, Value pointer) {
  uint64_t bytes = variable.getBytes().value_or(0);
  if (function.isKernel) {
    uint64_t align = std::max<uint64_t>(variable.align, 16);
    uint64_t offset = llvm::alignTo(parameterEnd, align);
    parameters[variable.symbol] = {pointer, bytes, StateSpace::Param, offset};
    parameterEnd = offset + bytes;
    return;
  }
  const VariablePlace *place = layout.find(variable.symbol);
  if (!place)
    return addPassed(variable, pointer);
  Value own = advance(advance(localBase, frame), place->offset);
  LLVM::MemcpyOp::create(b, loc, own, pointer, i64(bytes),
                         /*isVolatile=*/false);
  parameters[variable.symbol] = {own, bytes, StateSpace::Local, place->offset};
}

void ThreadCode::addPassed(const ptx::Variable &variable, Value pointer) {
  parameters[variable.symbol] = {pointer, variable.getBytes().value_or(0),
                                 std::nullopt, 0};
}

Value ThreadCode::getParameterAddress(const Instruction &instruction,
                                      const Operand &operand,
                                      const ParameterPlace &place) {
  Value offset = i64(place.offset + uint64_t(operand.offset));
  if (place.space == StateSpace::Param)
    return offset;
  if (place.space == StateSpace::Local)
    return LLVM::AddOp::create(b, loc, frame, offset);
  error(instruction) << "expected the address of a parameter that the caller "
                        "gives, got that of '"
                     << source.module.symbols[operand.symbol].name << "'";
  return {};
}

/// LLVM leaves one pointer of an address that the text spells.
Value ThreadCode::getParameterPointer(Value address, uint64_t bytes) {
  Value found = LLVM::ZeroOp::create(b, loc, pointer());
  for (const auto &[symbol, place] : parameters) {
    if (place.space != StateSpace::Param || place.bytes < bytes)
      continue;
    Value offset = LLVM::SubOp::create(b, loc, address, i64(place.offset));
    Value isInside = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ule,
                                          offset, i64(place.bytes - bytes));
    found = LLVM::SelectOp::create(b, loc, isInside,
                                   advance(place.pointer, offset), found);
  }
  return found;
}

Value ThreadCode::getParameterOffset(Value address) {
  Value found = i64(0);
  for (const auto &[symbol, place] : parameters) {
    if (place.space != StateSpace::Param)
      continue;
    Value offset =
        LLVM::SubOp::create(b, loc, address, toInteger(place.pointer));
    Value isInside = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult,
                                          offset, i64(place.bytes));
    Value inWindow = LLVM::AddOp::create(b, loc, offset, i64(place.offset));
    found = LLVM::SelectOp::create(b, loc, isInside, inWindow, found);
  }
  return found;
}

Value ThreadCode::getPointer(const Instruction &instruction, unsigned operand) {
  const Operand &address = instruction.operands[operand];
  StateSpace space = instruction.getSpace(operand);
  const ptx::OperandSpec &spec = instruction.getSpec(operand);
  std::optional<Word> named =
      spec.slot ? instruction.getModifier(spec.slot) : std::nullopt;
  switch (space) {
  case StateSpace::Shared: {
    Value value = readAddress(instruction, address, 32);
    return value ? getSharedPointer(value, named == Word::SharedCluster)
                 : value;
  }
  case StateSpace::Local: {
    Value value = readAddress(instruction, address, 64);
    return value ? advance(localBase, value) : value;
  }
  default: {
    // A generic address of a variable is that in its window.
    const Operand &base = address.elements.front();
    Value value = readAddress(instruction, address, 64);
    if (!value)
      return {};
    if (space == StateSpace::Generic && base.kind == Kind::Symbol)
      if (const VariablePlace *place = layout.find(base.symbol)) {
        if (place->variable->space == StateSpace::Shared)
          return getSharedPointer(value, false);
        if (place->variable->space == StateSpace::Local)
          return advance(localBase, value);
      }
    return toPointer(value);
  }
  }
}
