//===- ThreadCode.cpp - the code of a function of PTX ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of a module, then the parts of a translation. Static shared memory
// has gaps between its variables, as at the other phases, so that a write past
// one is found.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

#include "../Async/AsyncContext.h"
#include "../Async/ResidentCTAs.h"
#include "../Compile/Machine/MachineLowering.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace carousel::sim;
namespace ptx = carousel::ptx;

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;
using ptx::Word;

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
// Uses of a kernel
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
  // Functions on the path have no sum yet.
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

using Kind = ptx::Operand::Kind;

ThreadCode::ThreadCode(const PTXSource &source, const ModuleLayout &layout,
                       SiteTable &sites, const ptx::Function &function,
                       LLVM::LLVMFuncOp target)
    : source(source), layout(layout), function(function),
      context(target.getContext()), b(target.getContext()),
      loc(target.getLoc()), target(target), sites(sites) {
  b.setInsertionPointToEnd(&target.getBody().front());
  carry = LLVM::AllocaOp::create(b, loc, pointer(), word(1), i64(1));
}

void ThreadCode::setLocation(ptx::Location where, const std::string &from) {
  if (where.line != at.line || where.column != at.column || from != origin)
    site = 0;
  at = where;
  origin = from;
}

InFlightDiagnostic ThreadCode::error(const Instruction &instruction) {
  return emitError(FileLineColLoc::get(context, source.file,
                                       instruction.location.line,
                                       instruction.location.column));
}

LogicalResult ThreadCode::refuse(const Instruction &instruction) {
  std::string text = ptx::stringify(instruction.opcode).str();
  for (std::optional<Word> modifier : instruction.modifiers)
    if (modifier && *modifier != Word::Shape)
      text += "." + ptx::stringify(*modifier).str();
    else if (modifier)
      text += "." + ptx::stringify(instruction.shape);
  return error(instruction)
         << "the simulated machine doesn't know this instruction: '" << text
         << "'";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ThreadCode::constant(unsigned bits, uint64_t value) {
  return LLVM::ConstantOp::create(
      b, loc,
      b.getIntegerAttr(word(bits), APInt(bits, value, /*isSigned=*/false,
                                         /*implicitTrunc=*/true)));
}

Value ThreadCode::resize(Value value, unsigned bits, bool isSigned) {
  unsigned has = value.getType().getIntOrFloatBitWidth();
  if (has == bits)
    return value;
  if (has > bits)
    return LLVM::TruncOp::create(b, loc, word(bits), value);
  if (isSigned)
    return LLVM::SExtOp::create(b, loc, word(bits), value);
  return LLVM::ZExtOp::create(b, loc, word(bits), value);
}

Value ThreadCode::toPointer(Value address) {
  return LLVM::IntToPtrOp::create(b, loc, pointer(), address);
}

Value ThreadCode::toInteger(Value address) {
  return LLVM::PtrToIntOp::create(b, loc, word(64), address);
}

Value ThreadCode::advance(Value address, uint64_t bytes) {
  return bytes == 0 ? address : advance(address, i64(bytes));
}

Value ThreadCode::advance(Value address, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer(), word(8), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value ThreadCode::allocate(uint64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&target.getBody().front());
  return LLVM::AllocaOp::create(b, loc, pointer(), word(8), i64(bytes),
                                /*alignment=*/16);
}

Value ThreadCode::getScratch(unsigned number, uint64_t bytes) {
  Value &place = scratch[{number, bytes}];
  if (!place)
    place = allocate(bytes);
  return place;
}

Value ThreadCode::getVariable(ptx::RegisterId id) {
  Value &variable = registers[id];
  if (!variable) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&target.getBody().front());
    unsigned bits = getRegisterBits(id);
    variable = LLVM::AllocaOp::create(b, loc, pointer(), word(bits), i64(1));
    // The bytes of unwritten memory, so that a use has an effect.
    APInt unwritten =
        bits < 8 ? APInt(bits, 1) : APInt::getSplat(bits, APInt(8, 0xA5));
    LLVM::StoreOp::create(b, loc,
                          LLVM::ConstantOp::create(
                              b, loc, b.getIntegerAttr(word(bits), unwritten)),
                          variable);
  }
  return variable;
}

Value ThreadCode::call(StringRef name, ValueRange arguments,
                       mlir::Type result) {
  if (site == 0) {
    std::string text =
        llvm::formatv("{0}:{1}:{2}", source.file, at.line, at.column);
    site = sites.add(origin.empty() ? text : text + " (" + origin + ")");
  }
  return MachineCall(b, loc, target, site).emit(name, arguments, result);
}

//===----------------------------------------------------------------------===//
// Registers and operands
//===----------------------------------------------------------------------===//

ptx::Type ThreadCode::getType(const Instruction &instruction,
                              unsigned operand) {
  const ptx::OperandSpec &spec = instruction.getSpec(operand);
  std::optional<ptx::Type> type = spec.type;
  if (spec.slot != 0)
    if (std::optional<Word> named = instruction.getModifier(spec.slot))
      type = ptx::typeOf(*named);
  ptx::Type known = type.value_or(ptx::Type::B32);
  if (!spec.doubled)
    return known;
  switch (known) {
  case ptx::Type::U16:
    return ptx::Type::U32;
  case ptx::Type::S16:
    return ptx::Type::S32;
  case ptx::Type::U32:
    return ptx::Type::U64;
  default:
    return ptx::Type::S64;
  }
}

unsigned ThreadCode::getRegisterBits(ptx::RegisterId id) const {
  return ptx::getBits(function.getGroup(id).type);
}

void ThreadCode::addExchange(const Instruction &exchange) {
  const Operand &base = exchange.operands[1].elements.front();
  const Operand &guess = exchange.operands[2];
  if (base.kind == Kind::Register && guess.kind == Kind::Register)
    guesses.insert({base.reg, guess.reg, base.offset});
}

bool ThreadCode::isGuess(const Instruction &load) const {
  const Operand &base = load.operands[1].elements.front();
  const Operand &target = load.operands[0];
  return base.kind == Kind::Register && target.kind == Kind::Register &&
         guesses.contains({base.reg, target.reg, base.offset});
}

void ThreadCode::addGroup(ArrayRef<Operand> operands, Groups &to) {
  Value group;
  for (const Operand &operand : operands)
    if (auto known = to.find(operand.reg); known != to.end())
      group = known->second;
  if (!group) {
    group = allocate(sizeof(uint32_t));
    LLVM::StoreOp::create(b, loc, i32(0), group);
  }
  for (const Operand &operand : operands)
    if (operand.kind == Kind::Register)
      to[operand.reg] = group;
}

void ThreadCode::addProduct(const Instruction &product) {
  addGroup(product.operands[0].elements, groupsOfSums);
  if (product.operands[1].kind == Kind::Vector)
    addGroup(product.operands[1].elements, groupsOfFactors);
}

void ThreadCode::setGroups(const Instruction &product, Value group) {
  for (auto [i, groups] :
       {std::pair(0u, &groupsOfSums), {1u, &groupsOfFactors}})
    if (product.operands[i].kind == Kind::Vector)
      LLVM::StoreOp::create(
          b, loc, group,
          groups->lookup(product.operands[i].elements.front().reg));
}

void ThreadCode::checkSums(ptx::RegisterId id) {
  if (areSums)
    return;
  if (Value group = groupsOfSums.lookup(id))
    call("carousel_sim_ptx_check_sums",
         {LLVM::LoadOp::create(b, loc, word(32), group)});
}

Value ThreadCode::readRegister(ptx::RegisterId id) {
  checkSums(id);
  return LLVM::LoadOp::create(b, loc, word(getRegisterBits(id)),
                              getVariable(id));
}

void ThreadCode::writeRegister(ptx::RegisterId id, Value value, bool isSigned) {
  checkSums(id);
  if (Value group = groupsOfFactors.lookup(id))
    call("carousel_sim_ptx_check_factors",
         {LLVM::LoadOp::create(b, loc, word(32), group)});
  LLVM::StoreOp::create(b, loc, resize(value, getRegisterBits(id), isSigned),
                        getVariable(id));
  setPoison(id, {});
}

/// The bits of a number as an operand of the type.
static uint64_t getBits(const ptx::Immediate &value, ptx::Type type) {
  using ImmediateKind = ptx::Immediate::Kind;
  unsigned bits = ptx::getBits(type);
  if (value.kind == ImmediateKind::F64 && bits == 32)
    return llvm::bit_cast<uint32_t>(
        static_cast<float>(llvm::bit_cast<double>(value.bits)));
  if (value.kind == ImmediateKind::F32 && type == ptx::Type::F64)
    return llvm::bit_cast<uint64_t>(
        double(llvm::bit_cast<float>(uint32_t(value.bits))));
  return value.bits;
}

Value ThreadCode::read(const Instruction &instruction, const Operand &operand,
                       ptx::Type type) {
  unsigned bits = ptx::getBits(type);
  switch (operand.kind) {
  case Kind::Register: {
    if (!operand.part.empty()) {
      (void)refuse(instruction);
      return {};
    }
    Value value = readRegister(operand.reg);
    if (operand.negated)
      return LLVM::XOrOp::create(b, loc, value, constant(1, 1));
    return resize(value, bits);
  }
  case Kind::Immediate: {
    uint64_t value = ::getBits(operand.value, type);
    return constant(bits, operand.negated && bits == 1 ? !value : value);
  }
  case Kind::Special: {
    Value value = getSpecial(instruction, operand);
    return value ? resize(value, bits) : value;
  }
  case Kind::Symbol: {
    Value value = getSymbolAddress(instruction, operand);
    return value ? resize(value, bits) : value;
  }
  default:
    (void)refuse(instruction);
    return {};
  }
}

void ThreadCode::write(const Operand &operand, Value value, bool isSigned) {
  if (operand.kind == Kind::Register)
    writeRegister(operand.reg, value, isSigned);
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

Value ThreadCode::getSpecial(const Instruction &instruction,
                             const Operand &operand) {
  using ptx::SpecialRegister;
  auto dimension = [&](StringRef name) -> Value {
    constexpr StringRef kParts = "xyz";
    size_t part = operand.part.size() == 1 ? kParts.find(operand.part[0])
                                           : StringRef::npos;
    if (part == StringRef::npos)
      return i64(0); // %tid.w
    return call(("carousel_sim_" + name).str(), {i32(part)}, word(64));
  };
  auto lanes = [&](int32_t kind) {
    return call("carousel_sim_ptx_lane_mask", {i32(kind)}, word(32));
  };
  switch (operand.special) {
  case SpecialRegister::Tid:
    return dimension("thread_id");
  case SpecialRegister::NTid:
    return dimension("block_dim");
  case SpecialRegister::CtaId:
    return dimension("block_id");
  case SpecialRegister::NCtaId:
    return dimension("grid_dim");
  case SpecialRegister::ClusterId:
    return dimension("cluster_id");
  case SpecialRegister::NClusterId:
    return dimension("cluster_dim");
  case SpecialRegister::ClusterCtaId:
    return dimension("cluster_block_id");
  case SpecialRegister::ClusterNCtaId:
    return dimension("cluster_dim_blocks");
  case SpecialRegister::ClusterCtaRank:
    return call("carousel_sim_cluster_rank", {}, word(32));
  case SpecialRegister::ClusterNCtaRank:
    return call("carousel_sim_cluster_size", {}, word(32));
  case SpecialRegister::LaneId:
    return call("carousel_sim_lane_id", {i32(0)}, word(64));
  case SpecialRegister::WarpId:
    return call("carousel_sim_subgroup_id", {i32(0)}, word(64));
  case SpecialRegister::NWarpId:
    return call("carousel_sim_num_subgroups", {i32(0)}, word(64));
  case SpecialRegister::LaneMaskEq:
    return lanes(0);
  case SpecialRegister::LaneMaskLt:
    return lanes(1);
  case SpecialRegister::LaneMaskLe:
    return lanes(2);
  case SpecialRegister::LaneMaskGt:
    return lanes(3);
  case SpecialRegister::LaneMaskGe:
    return lanes(4);
  case SpecialRegister::Clock:
  case SpecialRegister::Clock64:
  case SpecialRegister::GlobalTimer:
  case SpecialRegister::GlobalTimerLo:
    return call("carousel_sim_ptx_clock", {}, word(64));
  case SpecialRegister::ClockHi:
  case SpecialRegister::GlobalTimerHi:
    return LLVM::LShrOp::create(
        b, loc, call("carousel_sim_ptx_clock", {}, word(64)), i64(32));
  case SpecialRegister::SmId:
    return call("carousel_sim_ptx_multiprocessor", {}, word(32));
  case SpecialRegister::NSmId:
    return call("carousel_sim_ptx_multiprocessors", {}, word(32));
  case SpecialRegister::TotalSmem:
    return call("carousel_sim_ptx_shared_bytes", {}, word(32));
  case SpecialRegister::DynamicSmem:
    return call("carousel_sim_ptx_dynamic_bytes", {}, word(32));
  default:
    error(instruction) << "the simulated machine doesn't know the register '"
                       << ptx::stringify(operand.special) << "'";
    return {};
  }
}
