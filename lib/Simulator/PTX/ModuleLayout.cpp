//===- ModuleLayout.cpp - where the variables of a module are -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleLayout.h. Static shared memory has gaps between its variables, as
// at the other phases, so that a write past one is found.
//
//===----------------------------------------------------------------------===//

#include "ModuleLayout.h"

#include "ThreadCode.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Operand;
using ptx::StateSpace;

static constexpr uint64_t kGap = 16;
/// The most bytes of one variable, and of all in global memory: what a GPU's
/// memory can't hold is an error of the text, and the host shouldn't try.
static constexpr uint64_t kMostBytes = uint64_t(1) << 32;
/// A device thread has at most so much local memory.
static constexpr uint64_t kMostLocalBytes = 512 << 10;

InFlightDiagnostic ModuleLayout::error(ptx::Location at) {
  return emitError(
      FileLineColLoc::get(&context, source.file, at.line, at.column));
}

//===----------------------------------------------------------------------===//
// What a kernel uses
//===----------------------------------------------------------------------===//

void ModuleLayout::collect(const Operand &operand, bool isCallee,
                           bool takesAddress, const ptx::Function &function) {
  // Brackets use an address, and don't take it.
  bool isVector = operand.kind == Operand::Kind::Vector;
  for (const Operand &element : operand.elements)
    collect(element, isCallee, takesAddress && isVector, function);
  if (operand.kind != Operand::Kind::Symbol)
    return;
  named.insert(operand.symbol);
  if (takesAddress &&
      source.module.symbols[operand.symbol].space == StateSpace::Param) {
    addressed.insert(operand.symbol);
    memory.addressesParameters |= function.isKernel;
  }
  if (source.module.symbols[operand.symbol].kind != ptx::Symbol::Kind::Function)
    return;
  if (!isCallee)
    callable.insert(operand.symbol);
  if (const ptx::Function *callee = findFunction(operand.symbol)) {
    reached.insert(callee);
    calls[&function].insert(callee);
  }
}

void ModuleLayout::collect(const ptx::Block &block,
                           const ptx::Function &function) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value))
      collect(*inner, function);
    const auto *instruction = std::get_if<ptx::Instruction>(&statement.value);
    if (!instruction)
      continue;
    bool isCall = instruction->opcode == ptx::Opcode::Call;
    if (isCall &&
        instruction->operands[0].elements[1].kind == Operand::Kind::Register)
      callByAddress.insert(&function);
    for (const Operand &operand : instruction->operands)
      collect(operand, isCall, /*takesAddress=*/!isCall, function);
  }
}

void ModuleLayout::collect(const ptx::Initializer &value) {
  for (const ptx::Initializer &element : value.elements)
    collect(element);
  if (value.kind != ptx::Initializer::Kind::Symbol)
    return;
  named.insert(value.symbol);
  if (const ptx::Function *callee = findFunction(value.symbol)) {
    callable.insert(value.symbol);
    reached.insert(callee);
  }
}

/// Collects the initial values of the variables that are named, which may be by
/// initial values themselves.
void ModuleLayout::collectInitialValues() {
  for (size_t before = 0; before != named.size();) {
    before = named.size();
    for (const auto &item : source.module.items)
      if (const auto *variable = std::get_if<ptx::Variable>(&item))
        if (variable->initializer && named.contains(variable->symbol))
          collect(*variable->initializer);
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void store(uint64_t bits, uint64_t size, GlobalBuffer &buffer,
                  uint64_t at) {
  buffer.initial->resize(std::max(buffer.initial->size(), at + size));
  std::memcpy(buffer.initial->data() + at, &bits, size);
}

LogicalResult ModuleLayout::fillAddress(const ptx::Initializer &value,
                                        const ptx::Variable &variable,
                                        GlobalBuffer &buffer, uint64_t at) {
  const ptx::Symbol &symbol = source.module.symbols[value.symbol];
  uint64_t bits = kFunctionAddress + value.symbol;
  if (value.mask != 0 || ptx::getBits(variable.type) != 64)
    return error(variable.location)
           << "the simulated machine doesn't know parts of addresses as "
              "initial "
              "values, got that of '"
           << symbol.name << "' in '" << variable.name << "'";
  if (symbol.kind == ptx::Symbol::Kind::Function) {
    if (!findFunction(value.symbol))
      return error(variable.location)
             << "expected the address of a function that the text defines, got "
                "the declaration of '"
             << symbol.name << "'";
    store(bits, sizeof(bits), buffer, at);
    return success();
  }
  if (symbol.space != StateSpace::Global && symbol.space != StateSpace::Const)
    return error(variable.location)
           << "expected addresses of global variables and functions as initial "
              "values, got that of '"
           << symbol.name << "'";
  pending.push_back({unsigned(memory.globals.size()), at, value.symbol,
                     value.value.bits, variable.location});
  return success();
}

/// Writes the values of a list one after the other.
LogicalResult ModuleLayout::fill(const ptx::Initializer &value,
                                 const ptx::Variable &variable,
                                 GlobalBuffer &buffer, uint64_t &at) {
  if (value.kind == ptx::Initializer::Kind::List) {
    for (const ptx::Initializer &element : value.elements)
      if (failed(fill(element, variable, buffer, at)))
        return failure();
    return success();
  }
  uint64_t elementBytes = ptx::getBits(variable.type) / 8;
  uint64_t bits = value.value.bits, begin = at;
  uint64_t size = std::min<uint64_t>(elementBytes, sizeof(bits));
  at += elementBytes;
  if (begin + size > buffer.size)
    return success();
  if (value.kind == ptx::Initializer::Kind::Symbol)
    return fillAddress(value, variable, buffer, begin);
  if (value.value.kind == ptx::Immediate::Kind::F64 && elementBytes == 4) {
    float narrow = static_cast<float>(llvm::bit_cast<double>(bits));
    bits = llvm::bit_cast<uint32_t>(narrow);
  }
  store(bits, size, buffer, begin);
  return success();
}

LogicalResult ModuleLayout::makeGlobal(const ptx::Variable &variable) {
  GlobalBuffer buffer;
  buffer.symbol = buffer.name = variable.name;
  buffer.size = *variable.getBytes();
  // PTX begins variables of global and constant memory with zeros.
  buffer.initial.emplace();
  if ((globalBytes += buffer.size) > kMostBytes)
    return error(variable.location)
           << "expected at most " << kMostBytes
           << " bytes of global variables, got " << globalBytes << " up to '"
           << variable.name << "'";
  uint64_t at = 0;
  if (variable.initializer &&
      failed(fill(*variable.initializer, variable, buffer, at)))
    return failure();
  places[variable.symbol] = {&variable, memory.globals.size(), buffer.size};
  memory.globals.push_back(std::move(buffer));
  return success();
}

LogicalResult ModuleLayout::linkGlobals() {
  for (const PendingAddress &address : pending) {
    const VariablePlace *target = find(address.symbol);
    if (!target)
      return error(address.location)
             << "expected a variable whose size and place are known, got '"
             << source.module.symbols[address.symbol].name << "'";
    memory.globals[address.buffer].addresses.push_back(
        {address.at, unsigned(target->offset), address.offset});
  }
  return success();
}

LogicalResult ModuleLayout::place(const ptx::Variable &variable,
                                  const ptx::Function *function) {
  if (!named.contains(variable.symbol))
    return success();
  if (variable.count != 0)
    return error(variable.location)
           << "the simulated machine doesn't know variables with numbers, got "
              "'"
           << variable.name << "'";
  if (ptx::getClass(variable.type) == ptx::TypeClass::Opaque)
    return error(variable.location)
           << "the simulated machine doesn't know textures, samplers and "
              "surfaces, got '"
           << variable.name << "'";
  std::optional<uint64_t> bytes = variable.getBytes();
  uint64_t align = std::max<uint64_t>(
      {variable.align,
       uint64_t(ptx::getBits(variable.type)) / 8 * variable.vector, 1});
  if (variable.linkage == ptx::Linkage::Extern &&
      variable.space == StateSpace::Shared) {
    places[variable.symbol] = {&variable, 0, 0};
    return success();
  }
  if (!bytes || variable.linkage == ptx::Linkage::Extern || *bytes > kMostBytes)
    return error(variable.location)
           << "expected a variable whose size and place are known, got '"
           << variable.name << "'";
  switch (variable.space) {
  case StateSpace::Shared: {
    uint64_t offset = llvm::alignTo(memory.staticBlockBytes, align);
    StaticBuffer buffer;
    buffer.symbol = buffer.name = variable.name;
    buffer.offset = offset;
    buffer.size = *bytes;
    memory.staticBlockBytes = offset + *bytes + kGap;
    memory.staticSharedBytes =
        llvm::alignTo(memory.staticSharedBytes, align) + *bytes;
    memory.shared.push_back(std::move(buffer));
    places[variable.symbol] = {&variable, offset, *bytes};
    return success();
  }
  case StateSpace::Global:
  case StateSpace::Const:
    return makeGlobal(variable);
  case StateSpace::Local:
    return placeInFrame(variable, function, align);
  default:
    return success();
  }
}

LogicalResult ModuleLayout::placeInFrame(const ptx::Variable &variable,
                                         const ptx::Function *function,
                                         uint64_t align) {
  uint64_t bytes = variable.getBytes().value_or(0);
  uint64_t &frame = frames[function];
  uint64_t offset = llvm::alignTo(frame, align);
  frame = offset + bytes;
  places[variable.symbol] = {&variable, offset, bytes};
  if (frame > kMostLocalBytes)
    return error(variable.location) << "expected at most " << kMostLocalBytes
                                    << " bytes of local memory, got " << frame;
  return success();
}

/// Those of a function take local memory.
LogicalResult ModuleLayout::checkParameters(ArrayRef<ptx::Variable> parameters,
                                            const ptx::Function &function) {
  uint64_t all = 0, most = function.isKernel ? rules::kMaxParameterBytes
                                             : kMostLocalBytes;
  for (const ptx::Variable &parameter : parameters) {
    uint64_t bytes = parameter.getBytes().value_or(0);
    all = llvm::alignTo(all, std::max<uint64_t>(parameter.align, 1));
    all = llvm::SaturatingAdd(all, bytes);
    if (all > most)
      return error(parameter.location)
             << "expected at most " << most << " bytes of parameters of '"
             << function.name << "', got " << all;
  }
  return success();
}

/// PTX copies such a parameter to local memory, where its address is.
LogicalResult ModuleLayout::placeParameters(const ptx::Function &function) {
  for (const ptx::Variable &parameter : function.parameters)
    if (!function.isKernel && addressed.contains(parameter.symbol) &&
        failed(placeInFrame(parameter, &function,
                            std::max<uint64_t>(parameter.align, 16))))
      return failure();
  return success();
}

LogicalResult ModuleLayout::placeInBlock(const ptx::Block &block,
                                         const ptx::Function &function) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value))
      if (failed(placeInBlock(*inner, function)))
        return failure();
    const auto *variable = std::get_if<ptx::Variable>(&statement.value);
    if (!variable)
      continue;
    uint64_t bytes = variable->getBytes().value_or(0);
    if (variable->space == StateSpace::Param && bytes > kMostLocalBytes)
      return error(variable->location)
             << "expected at most " << kMostLocalBytes
             << " bytes of a parameter of calls, got " << bytes;
    if (failed(place(*variable, &function)))
      return failure();
  }
  return success();
}

/// The local memory of the kernel and all that it may call.
FailureOr<uint64_t> ModuleLayout::sumFrames(const ptx::Function &kernel) {
  struct Visit {
    const ptx::Function *function;
    size_t next = 0;
    uint64_t deepest = 0;
  };
  // Nothing for functions on the path.
  llvm::DenseMap<const ptx::Function *, std::optional<uint64_t>> sums;
  SmallVector<Visit> path = {{&kernel}};
  sums[&kernel] = std::nullopt;
  while (true) {
    Visit &visit = path.back();
    const auto &callees = calls[visit.function];
    if (visit.next < callees.size()) {
      const ptx::Function *callee = callees[visit.next];
      auto [known, isNew] = sums.try_emplace(callee);
      if (isNew) {
        path.push_back({callee});
        continue;
      }
      if (!known->second)
        return error(callee->location)
               << "the simulated machine doesn't know recursion, got '"
               << callee->name << "' that may call itself";
      visit.deepest = std::max(visit.deepest, *known->second);
      ++visit.next;
      continue;
    }
    uint64_t bytes =
        llvm::alignTo(frames.lookup(visit.function), 16) + visit.deepest;
    if (bytes > kMostLocalBytes)
      return error(visit.function->location)
             << "expected at most " << kMostLocalBytes
             << " bytes of local memory in '" << visit.function->name
             << "' and what it calls, got " << bytes;
    sums[visit.function] = bytes;
    path.pop_back();
    if (path.empty())
      return bytes;
  }
}

LogicalResult ModuleLayout::compute(const ptx::Function &kernel) {
  for (const auto &item : source.module.items)
    if (const auto *function = std::get_if<ptx::Function>(&item);
        function && function->body)
      functions[function->symbol] = function;
  reached.insert(&kernel);
  for (size_t next = 0; next < reached.size(); ++next) {
    collect(*reached[next]->body, *reached[next]);
    if (next + 1 == reached.size())
      collectInitialValues();
  }
  for (const auto &item : source.module.items)
    if (const auto *variable = std::get_if<ptx::Variable>(&item))
      if (failed(place(*variable, nullptr)))
        return failure();
  for (const ptx::Function *function : reached)
    if (failed(checkParameters(function->parameters, *function)) ||
        failed(checkParameters(function->results, *function)) ||
        failed(placeParameters(*function)) ||
        failed(placeInBlock(*function->body, *function)))
      return failure();
  if (failed(linkGlobals()))
    return failure();
  // A call by address may reach each function whose address is known.
  for (const ptx::Function *function : callByAddress)
    for (ptx::SymbolId symbol : callable)
      if (const ptx::Function *callee = findFunction(symbol))
        calls[function].insert(callee);
  FailureOr<uint64_t> local = sumFrames(kernel);
  if (failed(local))
    return failure();
  memory.localBytes = *local;
  // Dynamic shared memory begins where Machine places it.
  for (auto &entry : places)
    if (entry.second.variable->space == StateSpace::Shared &&
        entry.second.variable->linkage == ptx::Linkage::Extern)
      entry.second.offset = memory.getDynamicOffset();
  return success();
}
