//===- TranslateCopies.cpp - copies of engines ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the machine's copies and groups (MachineAsyncCalls.cpp). A mask of
// -1 means none.
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
using ptx::StateSpace;
using ptx::Word;
using Kind = ptx::Operand::Kind;

namespace {

/// Reads the operands of an instruction, and remembers whether one had none.
class Operands {
public:
  Operands(ThreadCode &code, const Instruction &instruction)
      : code(code), instruction(instruction) {}

  Value pointer(unsigned number) {
    return keep(code.getPointer(instruction, number));
  }
  Value value(unsigned number) { return keep(code.read(instruction, number)); }
  /// A barrier of the destination's CTA.
  Value barrier(unsigned number, bool isOfCluster) {
    Value address =
        keep(code.readAddress(instruction, instruction.operands[number], 32));
    return address ? code.getSharedPointer(address, isOfCluster) : address;
  }
  /// The operand with this modifier's condition, or -1.
  Value mask(Word condition) {
    if (instruction.has(condition))
      for (unsigned i = 0; i < instruction.operands.size(); ++i)
        if (instruction.getSpec(i).condition == condition) {
          Value given = value(i);
          return given ? code.resize(given, 32) : given;
        }
    return code.i32(~uint64_t(0));
  }
  bool isValid() const { return valid; }

private:
  Value keep(Value value) {
    valid &= bool(value);
    return value;
  }
  ThreadCode &code;
  const Instruction &instruction;
  bool valid = true;
};

} // namespace

static bool isOfCluster(const Instruction &instruction) {
  return instruction.getModifier('D') == Word::SharedCluster;
}

static bool isGlobal(const Instruction &instruction, char slot) {
  return instruction.getModifier(slot) == Word::Global;
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

static LogicalResult translateCpAsync(ThreadCode &code,
                                      const Instruction &instruction) {
  Operands operands(code, instruction);
  Value destination = operands.pointer(0), source = operands.pointer(1);
  Value size = code.i32(instruction.operands[2].value.bits), valid = size;
  if (code.hasOperand(instruction, 3)) {
    valid = operands.value(3);
    // A predicate says whether the source is ignored.
    if (valid && valid.getType().isInteger(1))
      valid =
          LLVM::SelectOp::create(code.b, code.loc, valid, code.i32(0), size);
  }
  if (!operands.isValid())
    return failure();
  code.call("carousel_sim_cp_async", {source, destination, size, valid});
  return success();
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

static LogicalResult translateBulk(ThreadCode &code,
                                   const Instruction &instruction) {
  if (instruction.has(Word::IgnoreOob) || instruction.has(Word::Relaxed))
    return code.refuse(instruction);
  Operands operands(code, instruction);
  Value destination = operands.pointer(0), source = operands.pointer(1),
        size = operands.value(2);
  if (isGlobal(instruction, 'D')) {
    Value mask = operands.mask(Word::CpMask);
    if (!operands.isValid())
      return failure();
    code.call("carousel_sim_bulk_store", {source, destination, size, mask});
    return success();
  }
  Value barrier = operands.barrier(3, isOfCluster(instruction));
  Value mask = operands.mask(Word::MulticastCluster);
  if (!operands.isValid())
    return failure();
  if (isGlobal(instruction, 'S'))
    code.call("carousel_sim_bulk_load",
              {source, destination, size, barrier, mask});
  else
    code.call("carousel_sim_bulk_copy_cluster",
              {source, destination, size, barrier});
  return success();
}

static LogicalResult translateBulkReduce(ThreadCode &code,
                                         const Instruction &instruction) {
  std::optional<int32_t> kind = getReduceKind(instruction);
  std::optional<ptx::Type> named = ptx::typeOf(*instruction.getModifier('T'));
  std::optional<int32_t> type = getReduceType(*named, /*keepsSubnormals=*/true);
  if (!kind || !type)
    return code.refuse(instruction);
  Operands operands(code, instruction);
  Value destination = operands.pointer(0), source = operands.pointer(1),
        size = operands.value(2);
  if (isGlobal(instruction, 'D')) {
    if (!operands.isValid())
      return failure();
    code.call("carousel_sim_bulk_reduce",
              {code.i32(*kind), code.i32(*type), source, destination, size});
    return success();
  }
  Value barrier = operands.barrier(3, true);
  if (!operands.isValid())
    return failure();
  code.call(
      "carousel_sim_bulk_reduce_cluster",
      {code.i32(*kind), code.i32(*type), source, destination, size, barrier});
  return success();
}

static LogicalResult translateGroupWait(ThreadCode &code,
                                        const Instruction &instruction) {
  Value pending = code.i32(instruction.operands[0].value.bits);
  if (instruction.opcode == Opcode::CpAsyncWaitGroup)
    code.call("carousel_sim_cp_async_wait_group", {pending});
  else
    code.call("carousel_sim_bulk_wait_group",
              {code.i32(instruction.has(Word::Read)), pending});
  return success();
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

static TensorLoadMode getLoadMode(const Instruction &instruction) {
  return instruction.has(Word::TileGather4)  ? TensorLoadMode::Gather4
         : instruction.has(Word::Im2col)     ? TensorLoadMode::Im2Col
         : instruction.has(Word::Im2colW)    ? TensorLoadMode::Im2ColW
         : instruction.has(Word::Im2colW128) ? TensorLoadMode::Im2ColW128
                                             : TensorLoadMode::Tile;
}

static TensorStoreMode getStoreMode(const Instruction &instruction) {
  return instruction.has(Word::TileScatter4)   ? TensorStoreMode::Scatter4
         : instruction.has(Word::Im2colNoOffs) ? TensorStoreMode::Im2ColNoOffs
                                               : TensorStoreMode::Tile;
}

/// The number of values, then the values, then zeros.
static bool addList(ThreadCode &code, const Instruction &instruction,
                    ArrayRef<Operand> values, ptx::Type type, unsigned room,
                    SmallVectorImpl<Value> &arguments) {
  arguments.push_back(code.i32(values.size()));
  for (unsigned i = 0; i < room; ++i) {
    if (i >= values.size()) {
      arguments.push_back(code.i32(0));
      continue;
    }
    Value value = code.read(instruction, values[i], type);
    if (!value)
      return false;
    arguments.push_back(code.resize(value, 32));
  }
  return true;
}

/// Appends the coordinates of a tensor operand, from PTX's order, innermost
/// first, to the machine's. The rows of gather4 and scatter4 keep theirs.
static bool addCoordinates(ThreadCode &code, const Instruction &instruction,
                           unsigned operand,
                           SmallVectorImpl<Value> &arguments) {
  constexpr unsigned kMost = 5;
  ArrayRef<Operand> values = instruction.operands[operand].elements[1].elements;
  if (values.size() > kMost) {
    (void)code.refuse(instruction);
    return false;
  }
  SmallVector<Operand> ordered(values.begin(), values.end());
  if (instruction.has(Word::TileGather4) || instruction.has(Word::TileScatter4))
    std::rotate(ordered.begin(), ordered.begin() + 1, ordered.end());
  else
    std::reverse(ordered.begin(), ordered.end());
  return addList(code, instruction, ordered, ptx::Type::S32, kMost, arguments);
}

/// Appends the offsets of im2col, if the instruction has them.
static bool addOffsets(ThreadCode &code, const Instruction &instruction,
                       SmallVectorImpl<Value> &arguments) {
  constexpr unsigned kMost = 3;
  for (unsigned i = 0; i < instruction.operands.size(); ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.kind != Kind::Vector)
      continue;
    if (operand.elements.size() > kMost) {
      (void)code.refuse(instruction);
      return false;
    }
    // Those of im2col are of a spatial dimension each.
    SmallVector<Operand> ordered(operand.elements.begin(),
                                 operand.elements.end());
    if (instruction.has(Word::Im2col))
      std::reverse(ordered.begin(), ordered.end());
    return addList(code, instruction, ordered, ptx::Type::U16, kMost,
                   arguments);
  }
  return addList(code, instruction, {}, ptx::Type::U16, kMost, arguments);
}

static Value getMap(ThreadCode &code, const Instruction &instruction,
                    unsigned operand) {
  const Operand &base = instruction.operands[operand].elements.front();
  auto parameter = code.parameters.find(base.symbol);
  bool isParameter =
      base.kind == Kind::Symbol && parameter != code.parameters.end();
  Value address =
      isParameter
          ? code.toInteger(parameter->second.pointer)
          : code.readAddress(instruction, instruction.operands[operand], 64);
  return address ? code.call("carousel_sim_ptx_map", {code.toPointer(address)},
                             code.pointer())
                 : address;
}

static LogicalResult translateTensorLoad(ThreadCode &code,
                                         const Instruction &instruction) {
  Operands operands(code, instruction);
  Value destination = operands.pointer(0), map = getMap(code, instruction, 1);
  Value barrier = operands.barrier(2, isOfCluster(instruction));
  Value mask = operands.mask(Word::MulticastCluster);
  if (!operands.isValid() || !map)
    return failure();
  SmallVector<Value> arguments = {map,
                                  code.i32(int32_t(getLoadMode(instruction)))};
  if (!addCoordinates(code, instruction, 1, arguments) ||
      !addOffsets(code, instruction, arguments))
    return failure();
  arguments.append({destination, barrier, mask});
  code.call("carousel_sim_tensor_load", arguments);
  return success();
}

static LogicalResult translateTensorStore(ThreadCode &code,
                                          const Instruction &instruction) {
  Operands operands(code, instruction);
  Value map = getMap(code, instruction, 0), source = operands.pointer(1);
  if (!operands.isValid() || !map)
    return failure();
  SmallVector<Value> arguments;
  bool isReduce = instruction.opcode == Opcode::CpReduceAsyncBulkTensor;
  if (isReduce)
    arguments.push_back(code.i32(*getReduceKind(instruction)));
  arguments.append({map, code.i32(int32_t(getStoreMode(instruction)))});
  if (!addCoordinates(code, instruction, 0, arguments))
    return failure();
  arguments.push_back(source);
  code.call(isReduce ? "carousel_sim_tensor_reduce"
                     : "carousel_sim_tensor_store",
            arguments);
  return success();
}

static LogicalResult translateTensorPrefetch(ThreadCode &code,
                                             const Instruction &instruction) {
  Value map = getMap(code, instruction, 0);
  if (!map)
    return failure();
  SmallVector<Value> arguments = {map,
                                  code.i32(int32_t(getLoadMode(instruction)))};
  if (!addCoordinates(code, instruction, 0, arguments) ||
      !addOffsets(code, instruction, arguments))
    return failure();
  code.call("carousel_sim_tensor_prefetch", arguments);
  return success();
}

LogicalResult sim::translateCopies(ThreadCode &code,
                                   const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::CpAsync:
    return translateCpAsync(code, instruction);
  case Opcode::CpAsyncCommitGroup:
    code.call("carousel_sim_cp_async_commit_group", {});
    return success();
  case Opcode::CpAsyncWaitAll:
    code.call("carousel_sim_cp_async_wait_all", {});
    return success();
  case Opcode::CpAsyncWaitGroup:
  case Opcode::CpAsyncBulkWaitGroup:
    return translateGroupWait(code, instruction);
  case Opcode::CpAsyncMbarrierArrive: {
    Value barrier = code.getPointer(instruction, 0);
    if (!barrier)
      return failure();
    code.call("carousel_sim_cp_async_mbarrier_arrive",
              {barrier, code.i32(instruction.has(Word::Noinc))});
    return success();
  }
  case Opcode::CpAsyncBulk:
    return translateBulk(code, instruction);
  case Opcode::CpReduceAsyncBulk:
    return translateBulkReduce(code, instruction);
  case Opcode::CpAsyncBulkPrefetch: {
    Operands operands(code, instruction);
    Value source = operands.pointer(0), size = operands.value(1);
    if (!operands.isValid())
      return failure();
    code.call("carousel_sim_bulk_prefetch", {source, size});
    return success();
  }
  case Opcode::CpAsyncBulkCommitGroup:
    code.call("carousel_sim_bulk_commit_group", {});
    return success();
  case Opcode::CpAsyncBulkTensor:
    return instruction.getSpec(0).kind == ptx::OperandKind::Tensor
               ? translateTensorStore(code, instruction)
               : translateTensorLoad(code, instruction);
  case Opcode::CpReduceAsyncBulkTensor:
    return translateTensorStore(code, instruction);
  case Opcode::CpAsyncBulkPrefetchTensor:
    return translateTensorPrefetch(code, instruction);
  default:
    return translateAsyncValues(code, instruction);
  }
}
