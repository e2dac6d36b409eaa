//===- TranslateAsyncValues.cpp - values that land later ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// st.async and red.async, accesses of multicast addresses, and changes of
// tensor maps in memory.
//
//===----------------------------------------------------------------------===//

#include "PTXForms.h"
#include "ThreadCode.h"

#include "../Async/AsyncContext.h"
#include "../Async/ResidentCTAs.h"
#include "../Async/Tensors/SimTensorMap.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Word;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A copy of the operand in memory of the host's frame.
static Value spill(ThreadCode &code, const Instruction &instruction,
                   unsigned operand, uint64_t &bytes) {
  const Operand &given = instruction.operands[operand];
  ArrayRef<Operand> elements(given);
  if (given.kind == Kind::Vector)
    elements = given.elements;
  ptx::Type type = ThreadCode::getType(instruction, operand);
  uint64_t each = ptx::getBits(type) / 8;
  bytes = each * elements.size();
  Value place = code.getScratch(0, bytes);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Value value = code.read(instruction, element, type);
    if (!value)
      return {};
    LLVM::StoreOp::create(code.b, code.loc, value,
                          code.advance(place, i * each));
  }
  return place;
}

static LogicalResult translateAsyncValue(ThreadCode &code,
                                         const Instruction &instruction) {
  uint64_t bytes = 0;
  Value value = spill(code, instruction, 1, bytes),
        destination = code.getPointer(instruction, 0);
  bool isReduce = instruction.opcode == Opcode::RedAsync;
  std::optional<int32_t> kind = getReduceKind(instruction),
                         type = getReduceType(
                             ThreadCode::getType(instruction, 1), false);
  if (isReduce && (!kind || !type))
    return code.refuse(instruction);
  bool toGlobal = instruction.getModifier('S') != Word::SharedCluster;
  Value barrier = toGlobal ? Value() : code.getPointer(instruction, 2);
  if (!value || !destination || (!toGlobal && !barrier))
    return failure();
  if (!isReduce && toGlobal)
    code.call("carousel_sim_st_async_global",
              {value, code.i32(bytes), destination});
  else if (!isReduce)
    code.call("carousel_sim_st_async",
              {value, code.i32(bytes), destination, barrier});
  else if (toGlobal)
    code.call("carousel_sim_red_async_global",
              {code.i32(*type), value, destination});
  else
    code.call("carousel_sim_red_async",
              {code.i32(*kind), code.i32(*type), value, destination, barrier});
  return success();
}

/// Stores and reductions at a multicast address.
static LogicalResult translateMultimem(ThreadCode &code,
                                       const Instruction &instruction) {
  uint64_t bytes = 0;
  Value value = spill(code, instruction, 1, bytes),
        destination = code.getPointer(instruction, 0);
  if (!value || !destination)
    return failure();
  if (instruction.opcode == Opcode::MultimemSt) {
    code.call("carousel_sim_multimem_store",
              {value, code.i32(bytes), destination});
    return success();
  }
  std::optional<int32_t> kind = getReduceKind(instruction),
                         type = getReduceType(
                             ThreadCode::getType(instruction, 1), false);
  if (!kind || !type)
    return code.refuse(instruction);
  code.call(
      "carousel_sim_multimem_reduce",
      {code.i32(*kind), code.i32(*type), value, code.i32(bytes), destination});
  return success();
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static std::optional<TensorMapField> getField(const Instruction &instruction) {
  using Field = TensorMapField;
  for (auto [word, field] :
       {std::pair(Word::GlobalAddress, Field::GlobalAddress),
        std::pair(Word::Rank, Field::Rank),
        std::pair(Word::BoxDim, Field::BoxDim),
        std::pair(Word::GlobalDim, Field::GlobalDim),
        std::pair(Word::GlobalStride, Field::GlobalStride),
        std::pair(Word::ElementStride, Field::ElementStride),
        std::pair(Word::Elemtype, Field::ElementType),
        std::pair(Word::InterleaveLayout, Field::InterleaveLayout),
        std::pair(Word::SwizzleMode, Field::SwizzleMode),
        std::pair(Word::SwizzleAtomicity, Field::SwizzleAtomicity),
        std::pair(Word::FillMode, Field::FillMode)})
    if (instruction.has(word))
      return field;
  return std::nullopt;
}

/// The address, maybe the number of a dimension, and the value last.
static LogicalResult translateReplace(ThreadCode &code,
                                      const Instruction &instruction) {
  std::optional<TensorMapField> field = getField(instruction);
  constexpr uint64_t kMostDim = 4;
  ArrayRef<Operand> operands = instruction.operands;
  uint64_t dim = operands.size() == 3 ? operands[1].value.bits : 0;
  if (!field || dim > kMostDim)
    return code.refuse(instruction);
  Value map = code.getPointer(instruction, 0);
  unsigned last = unsigned(operands.size()) - 1;
  Value value = operands[last].kind == Kind::Immediate
                    ? code.i64(operands[last].value.bits)
                    : code.read(instruction, last);
  if (!map || !value)
    return failure();
  code.call(
      "carousel_sim_tensor_map_replace",
      {map, code.i32(int32_t(*field)), code.i32(dim), code.resize(value, 64)});
  return success();
}

static LogicalResult translateCopyFence(ThreadCode &code,
                                        const Instruction &instruction) {
  Value destination = code.getPointer(instruction, 0),
        source = code.getPointer(instruction, 1);
  if (!destination || !source)
    return failure();
  code.call("carousel_sim_tensor_map_copy_fence",
            {source, destination,
             code.i32(getScope(instruction, int32_t(MemScope::System)))});
  return success();
}

LogicalResult sim::translateAsyncValues(ThreadCode &code,
                                        const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::StAsync:
  case Opcode::RedAsync:
    return translateAsyncValue(code, instruction);
  case Opcode::MultimemSt:
  case Opcode::MultimemRed:
    return translateMultimem(code, instruction);
  case Opcode::TensormapReplace:
    return translateReplace(code, instruction);
  case Opcode::TensormapCpFenceproxy:
    return translateCopyFence(code, instruction);
  default:
    return translateMatrices(code, instruction);
  }
}
