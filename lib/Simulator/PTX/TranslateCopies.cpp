//===- TranslateCopies.cpp - mbarriers and asynchronous copies ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the machine's mbarriers, copies and groups (MachineAsyncCalls.cpp),
// where a mask of -1 means none; st.async and red.async, accesses of multicast
// addresses, and changes of tensor maps in memory.
//
//===----------------------------------------------------------------------===//

#include "../Async/AsyncContext.h"
#include "../Async/ResidentCTAs.h"
#include "../Async/Tensors/SimTensorMap.h"
#include "PTXForms.h"
#include "ThreadCode.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::StateSpace;
using ptx::Word;

static Value getScopeWord(ThreadCode &code, const Instruction &instruction) {
  return code.i32(getScope(instruction, int32_t(MemScope::CTA)));
}

static LogicalResult translateArrive(ThreadCode &code,
                                     const Instruction &instruction) {
  bool isExpect = instruction.has(Word::ExpectTx);
  Value barrier = code.getPointer(instruction, 1);
  Value count = code.i32(1), bytes = code.i64(~uint64_t(0));
  if (code.hasOperand(instruction, 2)) {
    Value given = code.read(instruction, 2);
    if (!given)
      return failure();
    if (isExpect)
      bytes = code.resize(given, 64);
    else
      count = given;
  }
  if (!barrier)
    return failure();
  Value state = code.call(
      "carousel_sim_mbarrier_arrive",
      {barrier, count, bytes,
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Release))),
       getScopeWord(code, instruction),
       code.i32(instruction.opcode == Opcode::MbarrierArriveDrop),
       code.i32(instruction.has(Word::NoComplete))},
      code.word(64));
  code.write(instruction.operands[0], state);
  return success();
}

static LogicalResult translateWait(ThreadCode &code,
                                   const Instruction &instruction) {
  Value barrier = code.getPointer(instruction, 1),
        phase = code.read(instruction, 2);
  if (!barrier || !phase)
    return failure();
  bool byParity = instruction.has(Word::Parity);
  if (byParity)
    phase = LLVM::AndOp::create(code.b, code.loc, code.resize(phase, 64),
                                code.i64(1));
  Value done = code.call(
      instruction.opcode == Opcode::MbarrierTestWait
          ? "carousel_sim_mbarrier_test_wait"
          : "carousel_sim_mbarrier_try_wait",
      {barrier, phase, code.i32(byParity),
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Acquire))),
       getScopeWord(code, instruction)},
      code.word(32));
  code.write(instruction.operands[0],
             LLVM::ICmpOp::create(code.b, code.loc, LLVM::ICmpPredicate::ne,
                                  done, code.i32(0)));
  return success();
}

/// Those that take a barrier and a number.
static LogicalResult translateCount(ThreadCode &code,
                                    const Instruction &instruction,
                                    StringRef name) {
  Value barrier = code.getPointer(instruction, 0),
        count = code.read(instruction, 1);
  if (!barrier || !count)
    return failure();
  code.call(name, {barrier, count});
  return success();
}

LogicalResult sim::translateMbarriers(ThreadCode &code,
                                      const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::MbarrierInit:
    return translateCount(code, instruction, "carousel_sim_mbarrier_init");
  case Opcode::MbarrierExpectTx:
    return translateCount(code, instruction, "carousel_sim_mbarrier_expect_tx");
  case Opcode::MbarrierCompleteTx:
    return translateCount(code, instruction,
                          "carousel_sim_mbarrier_complete_tx");
  case Opcode::MbarrierInval: {
    Value barrier = code.getPointer(instruction, 0);
    if (!barrier)
      return failure();
    code.call("carousel_sim_mbarrier_inval", {barrier});
    return success();
  }
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveDrop:
    return translateArrive(code, instruction);
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return translateWait(code, instruction);
  case Opcode::MbarrierPendingCount: {
    Value state = code.read(instruction, 1);
    if (!state)
      return failure();
    code.write(instruction.operands[0],
               code.call("carousel_sim_mbarrier_pending_count", {state},
                         code.word(32)));
    return success();
  }
  default:
    return translateCopies(code, instruction);
  }
}

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
