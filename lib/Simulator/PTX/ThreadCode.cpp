//===- ThreadCode.cpp - the code of a function of PTX ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ThreadCode.h.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

#include "../Async/AsyncContext.h"
#include "../Async/ResidentCTAs.h"
#include "../Compile/Machine/MachineLowering.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Operand;
using ptx::Word;
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
    // What memory holds that nobody has written, so that a use has an effect.
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
