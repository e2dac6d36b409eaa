//===- TranslateMemory.cpp - loads, stores, atomics, addresses ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access is preceded by a call of the machine, which checks it and
// returns the address to use. Parameters of functions are memory of the host's
// frame: their accesses are checked here.
//
//===----------------------------------------------------------------------===//

#include "PTXForms.h"
#include "ThreadCode.h"

#include "../Async/AsyncContext.h"
#include "../Async/ResidentCTAs.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::StateSpace;
using ptx::Word;
using Kind = ptx::Operand::Kind;

/// The elements of a vector, or the value itself.
static ArrayRef<Operand> getElements(const Operand &operand) {
  if (operand.kind == Kind::Vector)
    return operand.elements;
  return ArrayRef(operand);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The place of a parameter that a register addresses: only the run knows it.
static Value findParameter(ThreadCode &code, const Instruction &instruction,
                           unsigned operand, uint64_t bytes) {
  Value address =
      code.readAddress(instruction, instruction.operands[operand], 64);
  if (!address)
    return {};
  return code.call(
      "carousel_sim_ptx_parameter",
      {code.getParameterPointer(address, bytes), address, code.i64(bytes)},
      code.pointer());
}

/// The place of a parameter in memory of the host; null after an error.
static Value getParameter(ThreadCode &code, const Instruction &instruction,
                          unsigned operand, uint64_t bytes) {
  const Operand &address = instruction.operands[operand];
  const Operand &base = address.elements.front();
  if (base.kind == Kind::Register && instruction.opcode == Opcode::Ld)
    return findParameter(code, instruction, operand, bytes);
  if (base.kind != Kind::Symbol) {
    (void)code.refuse(instruction);
    return {};
  }
  auto known = code.parameters.find(base.symbol);
  if (known == code.parameters.end()) {
    (void)code.refuse(instruction);
    return {};
  }
  auto offset = uint64_t(base.offset);
  uint64_t size = known->second.bytes;
  if (bytes > size || offset > size - bytes) {
    code.error(instruction)
        << "expected an access inside the " << size
        << " bytes of the parameter, got " << bytes << " bytes at " << offset;
    return {};
  }
  return code.advance(known->second.pointer, offset);
}

/// How a load or a store orders memory: nothing for a weak one.
static bool isStrong(const Instruction &instruction) {
  return instruction.has(Word::Relaxed) || instruction.has(Word::Acquire) ||
         instruction.has(Word::Release) || instruction.has(Word::Volatile);
}

/// The address to load from.
static Value checkLoad(ThreadCode &code, const Instruction &instruction,
                       Value pointer, uint64_t bytes) {
  if (!isStrong(instruction))
    return code.call(code.isGuess(instruction) ? "carousel_sim_ptx_load_guess"
                                               : "carousel_sim_ptx_load",
                     {pointer, code.i64(bytes)}, code.pointer());
  // Volatile accesses are relaxed ones of the system.
  return code.call(
      "carousel_sim_ptx_load_strong",
      {pointer, code.i64(bytes),
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Relaxed))),
       code.i32(getScope(instruction, int32_t(MemScope::System)))},
      code.pointer());
}

/// The machine sees what is stored: lanes may store the same at once.
static void store(ThreadCode &code, const Instruction &instruction,
                  Value pointer, uint64_t bytes, Value values) {
  if (!isStrong(instruction)) {
    code.call("carousel_sim_ptx_store", {pointer, code.i64(bytes), values});
    return;
  }
  code.call(
      "carousel_sim_ptx_store_strong",
      {pointer, code.i64(bytes), values,
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Relaxed))),
       code.i32(getScope(instruction, int32_t(MemScope::System)))});
}

static LogicalResult translateLoad(ThreadCode &code,
                                   const Instruction &instruction) {
  ArrayRef<Operand> targets = getElements(instruction.operands[0]);
  ptx::Type type = ThreadCode::getType(instruction, 0);
  uint64_t bytes = ptx::getBits(type) / 8, all = bytes * targets.size();
  Value pointer;
  if (instruction.getSpace(1) == StateSpace::Param) {
    pointer = getParameter(code, instruction, 1, all);
  } else {
    pointer = code.getPointer(instruction, 1);
    if (pointer)
      pointer = checkLoad(code, instruction, pointer, all);
  }
  if (!pointer)
    return failure();
  bool isSigned = ptx::getClass(type) == ptx::TypeClass::Signed;
  SmallVector<Value> values;
  for (size_t i = 0; i < targets.size(); ++i)
    values.push_back(LLVM::LoadOp::create(
        code.b, code.loc, code.word(unsigned(bytes * 8)),
        code.advance(pointer, i * bytes), /*alignment=*/1));
  for (auto [target, value] : llvm::zip(targets, values))
    code.write(target, value, isSigned);
  return success();
}

bool sim::mayStorePoison(const Instruction &instruction) {
  return instruction.opcode == Opcode::St &&
         instruction.getSpace(0) == StateSpace::Shared &&
         !isStrong(instruction);
}

static LogicalResult translateStore(ThreadCode &code,
                                    const Instruction &instruction) {
  ArrayRef<Operand> sources = getElements(instruction.operands[1]);
  ptx::Type type = ThreadCode::getType(instruction, 1);
  uint64_t bytes = ptx::getBits(type) / 8, all = bytes * sources.size();
  SmallVector<Value> values;
  for (const Operand &source : sources) {
    values.push_back(code.read(instruction, source, type));
    if (!values.back())
      return failure();
  }
  bool isParameter = instruction.getSpace(0) == StateSpace::Param;
  Value pointer = isParameter ? getParameter(code, instruction, 0, all)
                              : code.getPointer(instruction, 0);
  if (!pointer)
    return failure();
  Value place = isParameter ? pointer : code.getScratch(0, all);
  for (auto [i, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(code.b, code.loc, value,
                          code.advance(place, i * bytes), /*alignment=*/1);
  if (isParameter)
    return success();
  if (!mayStorePoison(instruction)) {
    store(code, instruction, pointer, all, place);
    return success();
  }
  Value poison;
  for (auto [i, source] : llvm::enumerate(sources))
    if (Value bitsOf = code.getPoison(source, unsigned(bytes * 8))) {
      if (!poison) {
        poison = code.getScratch(1, all);
        LLVM::MemsetOp::create(code.b, code.loc, poison, code.constant(8, 0),
                               code.i64(all), /*isVolatile=*/false);
      }
      LLVM::StoreOp::create(code.b, code.loc, bitsOf,
                            code.advance(poison, i * bytes), /*alignment=*/1);
    }
  if (poison)
    code.call("carousel_sim_ptx_store_poison",
              {pointer, code.i64(all), place, poison});
  else
    store(code, instruction, pointer, all, place);
  return success();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// atom and red: the machine computes the new value.
static LogicalResult translateAtomic(ThreadCode &code,
                                     const Instruction &instruction) {
  bool returns = instruction.opcode == Opcode::Atom;
  unsigned at = returns ? 1 : 0;
  std::optional<int32_t> kind = getAtomicKind(instruction);
  ptx::Type type = ThreadCode::getType(instruction, at + 1);
  std::optional<int32_t> element = getReduceType(
      type, /*keepsSubnormals=*/instruction.getSpace(at) == StateSpace::Shared);
  bool isExchange = instruction.has(Word::Exch) || instruction.has(Word::Cas);
  if (!kind || (!element && !isExchange))
    return code.refuse(instruction);
  ArrayRef<Operand> sources = getElements(instruction.operands[at + 1]);
  uint64_t bytes = ptx::getBits(type) / 8, all = bytes * sources.size();
  Value value = code.getScratch(0, all), compare = code.getScratch(1, all),
        old = code.getScratch(2, all);
  for (auto [i, source] : llvm::enumerate(sources)) {
    Value given = code.read(instruction, source, type);
    if (!given)
      return failure();
    LLVM::StoreOp::create(code.b, code.loc, given,
                          code.advance(value, i * bytes));
  }
  if (instruction.has(Word::Cas)) {
    // cas names what is compared first.
    Value given = code.read(instruction, at + 2);
    if (!given)
      return failure();
    std::swap(value, compare);
    LLVM::StoreOp::create(code.b, code.loc, given, value);
  }
  Value pointer = code.getPointer(instruction, at);
  if (!pointer)
    return failure();
  code.call(
      "carousel_sim_ptx_atomic",
      {pointer, code.i32(*kind), code.i32(element.value_or(0)), value, compare,
       old, code.i32(all), code.i32(bytes), code.i32(returns),
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Relaxed))),
       code.i32(getScope(instruction, int32_t(MemScope::GPU)))});
  if (!returns)
    return success();
  for (auto [i, target] : llvm::enumerate(getElements(instruction.operands[0])))
    code.write(target, LLVM::LoadOp::create(code.b, code.loc,
                                            code.word(unsigned(bytes * 8)),
                                            code.advance(old, i * bytes)));
  return success();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static std::optional<StateSpace> getWindow(const Instruction &instruction,
                                           bool &isOfCluster) {
  std::optional<Word> word = instruction.getModifier('S');
  isOfCluster = word == Word::SharedCluster;
  return word ? ptx::stateSpaceOf(*word) : std::nullopt;
}

static LogicalResult translateCvta(ThreadCode &code,
                                   const Instruction &instruction) {
  bool isOfCluster = false;
  std::optional<StateSpace> space = getWindow(instruction, isOfCluster);
  Value address = code.read(instruction, 1);
  if (!address || !space)
    return failure();
  address = code.resize(address, 64);
  Value result = address;
  if (space == StateSpace::Param && !code.function.isKernel) {
    // Those of a function are in local memory.
    code.error(instruction) << "expected cvta of parameters in a kernel, got "
                               "it in the function '"
                            << code.function.name << "'";
    return failure();
  }
  if (space == StateSpace::Param) {
    result = instruction.has(Word::To)
                 ? code.getParameterOffset(address)
                 : code.toInteger(code.getParameterPointer(address, 1));
  } else if (instruction.has(Word::To)) {
    if (space == StateSpace::Shared)
      result = code.call("carousel_sim_ptx_to_shared",
                         {code.toPointer(address), code.i32(isOfCluster)},
                         code.word(64));
    else if (space == StateSpace::Local)
      result = LLVM::SubOp::create(code.b, code.loc, address,
                                   code.toInteger(code.localBase));
  } else if (space == StateSpace::Shared) {
    result = code.toInteger(code.getSharedPointer(address, isOfCluster));
  } else if (space == StateSpace::Local) {
    result = code.toInteger(code.advance(code.localBase, address));
  }
  code.write(instruction.operands[0], result);
  return success();
}

static LogicalResult translateIsspacep(ThreadCode &code,
                                       const Instruction &instruction) {
  bool isOfCluster = false;
  std::optional<StateSpace> space = getWindow(instruction, isOfCluster);
  Value address = code.readRegister(instruction.operands[1].reg);
  code.write(instruction.operands[0],
             code.call("carousel_sim_ptx_is_space",
                       {code.toPointer(code.resize(address, 64)),
                        code.i32(int32_t(*space)), code.i32(isOfCluster)},
                       code.word(1)));
  return success();
}

static LogicalResult translateMapa(ThreadCode &code,
                                   const Instruction &instruction) {
  Value address = code.read(instruction, 1), rank = code.read(instruction, 2);
  if (!address || !rank)
    return failure();
  unsigned bits = ptx::getBits(ThreadCode::getType(instruction, 0));
  if (!instruction.has(Word::SharedCluster)) {
    Value mapped = code.call("carousel_sim_map_shared",
                             {code.toPointer(code.resize(address, 64)), rank},
                             code.pointer());
    code.write(instruction.operands[0],
               code.resize(code.toInteger(mapped), bits));
    return success();
  }
  code.write(
      instruction.operands[0],
      code.resize(code.call("carousel_sim_ptx_mapa",
                            {code.resize(address, 32), rank}, code.word(32)),
                  bits));
  return success();
}

/// The CTA of an address may have exited.
static LogicalResult translateRank(ThreadCode &code,
                                   const Instruction &instruction) {
  Value address = code.read(instruction, 1);
  if (!address)
    return failure();
  Value rank = instruction.has(Word::SharedCluster)
                   ? code.call("carousel_sim_ptx_rank",
                               {code.resize(address, 32)}, code.word(32))
                   : code.call("carousel_sim_rank_of",
                               {code.toPointer(code.resize(address, 64))},
                               code.word(32));
  code.write(instruction.operands[0], rank);
  return success();
}

/// Hints without an effect on what a kernel computes.
static LogicalResult translateHint(ThreadCode &code,
                                   const Instruction &instruction) {
  for (unsigned i = 0; i < instruction.operands.size(); ++i)
    if (instruction.getSpec(i).use != ptx::OperandUse::Read)
      code.write(instruction.operands[i], code.i64(0));
  return success();
}

LogicalResult sim::translateMemory(ThreadCode &code,
                                   const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Ld:
  case Opcode::Ldu:
    return translateLoad(code, instruction);
  case Opcode::St:
    return translateStore(code, instruction);
  case Opcode::Atom:
  case Opcode::Red:
    return translateAtomic(code, instruction);
  case Opcode::Cvta:
    return translateCvta(code, instruction);
  case Opcode::Isspacep:
    return translateIsspacep(code, instruction);
  case Opcode::Mapa:
    return translateMapa(code, instruction);
  case Opcode::Getctarank:
    return translateRank(code, instruction);
  case Opcode::Prefetch:
  case Opcode::Prefetchu:
  case Opcode::Applypriority:
  case Opcode::CreatepolicyCvt:
  case Opcode::CreatepolicyFractional:
  case Opcode::CreatepolicyRange:
    return translateHint(code, instruction);
  default:
    return translateThreads(code, instruction);
  }
}
